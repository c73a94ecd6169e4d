/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Files of text that somebody names, who may name anything.
 */
#ifndef UNCORE_BASE_FILE_H
#define UNCORE_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

/* All of a regular file as a string, to be freed. NULL and *error where it
 * cannot be opened, is no regular file (a pipe, a device: these may never end),
 * is larger than most_bytes, or holds bytes of 0; NULL alone without memory. It
 * never waits. */
char *file_text(const char *path, size_t most_bytes, char **error);

/* A regular file to read from, or NULL with errno: EINVAL for what is none. */
FILE *file_open(const char *path);

#endif
