/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Bare names of all kinds, one a line: what the completion of a shell asks for.
 */
#ifndef UNCORE_TOOL_LIST_NAMES_H
#define UNCORE_TOOL_LIST_NAMES_H

#include "uncore/family.h"

/* Prints the names of a kind, NULL for those of events; a TOOL_* status, with a
 * sentence where there is no such kind. */
int list_names(const struct uncore_family *family, const char *machine,
	       const char *kind);

#endif
