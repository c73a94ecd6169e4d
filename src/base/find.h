/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where other programs are, and the files that belong to this one.
 */
#ifndef UNCORE_BASE_FIND_H
#define UNCORE_BASE_FIND_H

#include <stdbool.h>

bool find_is_file(const char *path);

/* A name with a slash as it stands; else the first executable file of that name
 * in $PATH; else, with EACCES, the first file that may not be executed; NULL
 * with errno ENOENT. To be freed. */
char *find_program(const char *name);

/* The full path of a file that was built and installed with this executable: in
 * $UNCORE_LIBEXEC, beside the executable, or where an installation has it. NULL
 * if it is not there. Both paths are to be freed; *tried is where it was looked
 * for last. */
char *find_helper(const char *name, char **tried);

#endif
