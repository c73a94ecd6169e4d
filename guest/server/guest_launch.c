/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Starts QEMU and waits until its plugin has answered. QEMU keeps the terminal
 * and the standard error, where it and the plugin say what is wrong with them.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/spawn.h"
#include "base/text.h"
#include "guest_command.h"
#include "uncore/error.h"

enum {
	START_NAP_NS = 1000 * 1000,
	START_NAPS = 20000,
};

static int await_plugin(struct uncore_guest *guest, const char *qemu,
			char **error)
{
	const struct timespec nap = { 0, START_NAP_NS };
	const struct channel *channel = guest->channel;

	for (unsigned i = 0; i < START_NAPS && !guest->ended; i++) {
		if (atomic_load(&channel->ready))
			return 0;
		if (!guest_poll(guest))
			nanosleep(&nap, NULL);
	}
	if (atomic_load(&channel->ready))
		return 0;
	if (!guest->ended)
		return text_error(UNCORE_ERR_NO_HELPER, error,
				  "%s runs, but the plugin in it does not "
				  "answer; is it a QEMU?",
				  qemu);
	if (WIFSIGNALED(guest->wait_status))
		return text_error(UNCORE_ERR_DIED, error,
				  "%s was killed by signal %d (%s) before the "
				  "guest could start",
				  qemu, WTERMSIG(guest->wait_status),
				  strsignal(WTERMSIG(guest->wait_status)));
	return text_error(UNCORE_ERR_NO_HELPER, error,
			  "%s ended with status %d before the guest could "
			  "start; what it said stands above. A QEMU with "
			  "plugins is needed, such as version 7.2 or 10.0 of "
			  "Debian's package qemu-system-x86",
			  qemu, WEXITSTATUS(guest->wait_status));
}

int guest_launch(struct uncore_guest *guest, char **error)
{
	struct guest_command command;
	int code = guest_command_make(guest, &command, error);

	if (code)
		return code;
	/* QEMU gets the chance to give the terminal back. */
	code = spawn(
		&(struct spawn){
			.path = command.words[0],
			.argv = command.words,
			.death_signal = SIGTERM,
		},
		&guest->pid, error);
	if (!code)
		code = await_plugin(guest, command.words[0], error);
	guest_command_free(&command);
	return code;
}
