/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A command that goes to the background as soon as it is ready.
 */
#ifndef UNCORE_TOOL_BACKGROUND_H
#define UNCORE_TOOL_BACKGROUND_H

#include <stdbool.h>

/* Forks. The parent waits until the child is ready or has failed, and ends with
 * 0 or the child's exit code; in the child, returns a file descriptor for
 * background_detach(). */
int background_enter(void);

/* The child is ready: lets go of the terminal (of standard error only if it is
 * to be silent), then of the parent. An exit code. */
int background_detach(int ready_fd, bool is_silent);

/* Makes a file descriptor add to a file. An exit code. */
int background_redirect(int fd, const char *name);

#endif
