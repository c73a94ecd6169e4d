/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Starts QEMU and waits until its plugin has answered. QEMU keeps the terminal
 * and the standard error, where it and the plugin say what is wrong with them.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "server/guest_command.h"
#include "uncore/error.h"

enum {
	START_NAP_NS = 1000 * 1000,
	START_NAPS = 20000,
	EXIT_NO_PARENT = 126,
	EXIT_NO_QEMU = 127,
};

/* The child: becomes QEMU, or says why not through the pipe. It does not
 * outlive us, and gives the terminal back. */
static void become(const struct guest_command *command, pid_t parent,
		   int report)
{
	sigset_t none;
	int code;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_NO_PARENT);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execv(command->words[0], command->words);
	code = errno;
	if (write(report, &code, sizeof(code)) < 0)
		_exit(EXIT_NO_PARENT);
	_exit(EXIT_NO_QEMU);
}

static int spawn(struct uncore_guest *guest,
		 const struct guest_command *command, char **error)
{
	pid_t parent = getpid();
	int report[2];
	int code = 0;
	ssize_t got;

	if (pipe2(report, O_CLOEXEC) < 0)
		return text_error(UNCORE_ERR_IO, error,
				  "cannot make a pipe: %s", strerror(errno));
	guest->pid = fork();
	if (guest->pid == 0)
		become(command, parent, report[1]);
	close(report[1]);
	if (guest->pid < 0) {
		guest->pid = 0;
		close(report[0]);
		return text_error(UNCORE_ERR_IO, error,
				  "cannot make a process: %s", strerror(errno));
	}
	do
		got = read(report[0], &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got <= 0)
		return 0;
	while (waitpid(guest->pid, NULL, 0) < 0 && errno == EINTR)
		;
	guest->pid = 0;
	return text_error(UNCORE_ERR_NO_QEMU, error, "%s cannot be run: %s",
			  command->words[0], strerror(code));
}

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
		return text_error(UNCORE_ERR_NO_QEMU, error,
				  "%s runs, but the plugin in it does not "
				  "answer; is it a QEMU?",
				  qemu);
	if (WIFSIGNALED(guest->wait_status))
		return text_error(UNCORE_ERR_DIED, error,
				  "%s was killed by signal %d (%s) before the "
				  "guest could start",
				  qemu, WTERMSIG(guest->wait_status),
				  strsignal(WTERMSIG(guest->wait_status)));
	return text_error(UNCORE_ERR_NO_QEMU, error,
			  "%s ended with status %d before the guest could "
			  "start; what it said stands above. A QEMU with "
			  "plugins is needed, such as version 7.2 of Debian's "
			  "package qemu-system-x86",
			  qemu, WEXITSTATUS(guest->wait_status));
}

int guest_launch(struct uncore_guest *guest, char **error)
{
	struct guest_command command;
	int code = guest_command_make(guest, &command, error);

	if (code)
		return code;
	code = spawn(guest, &command, error);
	if (!code)
		code = await_plugin(guest, command.words[0], error);
	guest_command_free(&command);
	return code;
}
