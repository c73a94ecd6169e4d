/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the files are that a program under QEMU needs.
 */
#ifndef TRAFFIC_PROGRAM_FIND_H
#define TRAFFIC_PROGRAM_FIND_H

#include "uncore/program.h"

/* Paths, each to be freed. 0, or a negative UNCORE_ERR_* and *error. */
int program_find_qemu(const struct uncore_program_config *config, char **path,
		      char **error);
int program_find_plugin(const struct uncore_program_config *config, char **path,
			char **error);
int program_find_target(const struct uncore_program_config *config, char **path,
			char **error);

#endif
