/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore guest --demo`: a guest that needs nothing from the user.
 */
#ifndef UNCORE_TOOL_GUEST_DEMO_H
#define UNCORE_TOOL_GUEST_DEMO_H

#include "uncore/guest.h"

enum { GUEST_DEMO_MAX_OPTIONS = 256 };

struct guest_demo {
	char *kernel, *initrd, *append;
	char *folder, *recording, *counts; /* removed at the end */
	char *serial;
	const char *options[GUEST_DEMO_MAX_OPTIONS + 1];
};

/* Makes the image, and sets what the guest is to boot and to record. */
int guest_demo_prepare(struct guest_demo *demo,
		       struct uncore_guest_config *config);

/* The guest has ended with this status: counts the recording and prints it
 * beside what the guest's perf counted. Returns the exit code. */
int guest_demo_compare(const struct guest_demo *demo, int status);

void guest_demo_free(struct guest_demo *demo);

#endif
