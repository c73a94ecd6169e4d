/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the files are that a program under Valgrind needs.
 */
#ifndef TRAFFIC_PROGRAM_FIND_H
#define TRAFFIC_PROGRAM_FIND_H

#include "uncore/program.h"

/* Paths, each to be freed. 0, or a negative UNCORE_ERR_* and *error. */
int program_find_valgrind(const struct uncore_program_config *config,
			  char **path, char **error);
int program_find_tool(const struct uncore_program_config *config, char **path,
		      char **error);
int program_find_target(const struct uncore_program_config *config, char **path,
			char **error);

/* Whether a file can run under Valgrind, scripts followed to the program that
 * runs them; 0, or UNCORE_ERR_BAD_PROGRAM and *error. */
int program_check(const char *path, char **error);

#endif
