/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A helper process that is started in our place: the caller knows whether it
 * could be run at all, and it does not outlive the thread that started it.
 */
#ifndef UNCORE_BASE_SPAWN_H
#define UNCORE_BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	const char *path; /* of the executable */
	char *const *argv;
	char *const *envp;    /* NULL: ours */
	int death_signal;     /* what it gets when we end */
	bool fixed_addresses; /* not randomised, so that runs repeat */
	const int *files;     /* of ours, open in it under the same numbers */
	unsigned num_files;
};

/* Stores the process in *pid and returns 0, or UNCORE_ERR_NO_HELPER with a
 * sentence if it cannot be run, UNCORE_ERR_IO if there can be no process; then
 * *pid is 0. Signals are as a shell leaves them. */
int spawn(const struct spawn *spawn, pid_t *pid, char **error);

#endif
