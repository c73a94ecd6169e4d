/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore guest --demo`: a guest that needs nothing from the user.
 */
#ifndef UNCORE_TOOL_GUEST_DEMO_H
#define UNCORE_TOOL_GUEST_DEMO_H

#include "uncore/guest.h"

struct guest_demo {
	char *kernel, *initrd;
	char *recording; /* a file of its own, removed at the end */
};

/* Makes the image, and sets what the guest is to boot and to record. */
int guest_demo_prepare(struct guest_demo *demo,
		       struct uncore_guest_config *config);

/* Counts the recording and prints it beside what the guest's perf counted;
 * returns status, or why it failed. */
int guest_demo_finish(struct guest_demo *demo, int status);

#endif
