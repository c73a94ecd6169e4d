/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a tree of register files says of itself if a model serves it: FOLDER/
 * status has "key: value" lines, FOLDER/clock steps it. docs/tools.md has both.
 */
#ifndef UNCORE_ACCESS_SERVED_H
#define UNCORE_ACCESS_SERVED_H

#include <stdint.h>
#include <stdio.h>

#include "uncore/target.h"

/* FOLDER/status, or NULL: see errno. */
FILE *served_open(const char *folder);

/* That a folder is closed, as FUSE closes it to all but who mounted it: stores
 * the sentence, and returns UNCORE_ERR_NO_PERMISSION. */
int served_is_closed(const char *folder, char **error);

/* The text after "key:", or NULL; to be freed. */
char *served_says(const char *folder, const char *key);

/* As the calls of target.h; UNCORE_ERR_DIED if the server is gone. */
int served_status(const char *folder, struct uncore_target_status *status);
int served_step(const char *folder, uint64_t cycles);

#endif
