/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where registers are, as a person writes it: "msr", "msr:FOLDER",
 * "pci", "pci:FOLDER", one of each with a comma between, "socket:PATH", "perf";
 * "model" is a model in this process.
 */
#ifndef UNCORE_TOOL_WHERE_H
#define UNCORE_TOOL_WHERE_H

#include <stdbool.h>

struct uncore_target;

bool where_is_known(const char *where);

/* "perf", "perf:PLACE": the kernel's PMUs, also with ",events=PLACE". */
bool where_is_perf(const char *where);

/* Anything but "model"; `where` NULL: this machine's registers, all that its
 * processor has. NULL and *error, to be freed, if it cannot be had. */
struct uncore_target *where_open(const char *where, char **error);

#endif
