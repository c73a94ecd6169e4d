/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore guest --run`: a program of this machine in a guest. Its output and
 * its errors are two serial lines of the guest, which come out here as they are
 * written; the console is kept, and its end told if the guest fails.
 */
#ifndef UNCORE_TOOL_GUEST_RUN_H
#define UNCORE_TOOL_GUEST_RUN_H

#include <pthread.h>
#include <stdbool.h>

#include "uncore/guest.h"

enum { GUEST_RUN_MAX_WITH = 64, GUEST_RUN_OPTIONS = 8 };

/* A serial line that comes out at one of our descriptors. */
struct guest_run_line {
	int in[2]; /* a pipe; QEMU opens its end by our descriptor */
	int out;
	pthread_t thread;
	bool is_open;
	char *place; /* for QEMU */
};

struct guest_run {
	char *kernel, *append;
	char *folder, *initrd; /* removed at the end */
	struct guest_run_line lines[2];
	int console; /* a file in memory; 0: none */
	char *console_place;
	const char *options[GUEST_RUN_OPTIONS + 1];
};

/* Makes the image for a program with the arguments in config->options, and sets
 * what the guest is to boot. */
int guest_run_prepare(struct guest_run *run, const char *program,
		      const char *const *with,
		      struct uncore_guest_config *config);

/* QEMU has ended: waits until all is written that the program wrote; if it did
 * not come to its end, what the console said last is told. */
void guest_run_finish(struct guest_run *run, bool has_ended);

void guest_run_free(struct guest_run *run);

#endif
