/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * QEMU's command line for a guest.
 */
#ifndef SERVER_GUEST_COMMAND_H
#define SERVER_GUEST_COMMAND_H

#include "guest.h"

/* A list of words, NULL at its end. */
struct guest_command {
	char **words;
	unsigned num, room;
	bool failed; /* memory ended */
};

/* Checks what was asked for and makes the command line; 0 or an error. */
int guest_command_make(const struct uncore_guest *guest,
		       struct guest_command *command, char **error);
void guest_command_free(struct guest_command *command);

#endif
