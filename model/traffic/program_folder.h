/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See program_folder.c.
 */
#ifndef UNCORE_PROGRAM_FOLDER_H
#define UNCORE_PROGRAM_FOLDER_H

/* Makes a folder of the run's in TMPDIR or /tmp, and removes those there of
 * runs that were killed. *path (NULL before) is the caller's to free, *folder
 * to close: who has inherited it keeps the folder, too. 0, or UNCORE_ERR_*;
 * then *path may be there to be removed. */
int program_folder_make(char **path, int *folder, char **error);

/* With all that is in it. */
void program_folder_remove(const char *path);

#endif
