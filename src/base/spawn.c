/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "uncore/error.h"

enum { EXIT_NO_PARENT = 126, EXIT_NOT_RUN = 127 };

/* The child: becomes the program, or says why not through the pipe. */
static void become(const struct spawn *spawn, pid_t parent, int report)
{
	sigset_t none;
	int code;

	prctl(PR_SET_PDEATHSIG, spawn->death_signal);
	if (getppid() != parent)
		_exit(EXIT_NO_PARENT);
	if (spawn->fixed_addresses)
		personality(ADDR_NO_RANDOMIZE);
	for (unsigned i = 0; i < spawn->num_files; i++)
		fcntl(spawn->files[i], F_SETFD, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execve(spawn->path, spawn->argv, spawn->envp ? spawn->envp : environ);
	code = errno;
	if (write(report, &code, sizeof(code)) < 0)
		_exit(EXIT_NO_PARENT);
	_exit(EXIT_NOT_RUN);
}

/* What the child said, or 0 when its end of the pipe closed by execve(). */
static int hear(int report)
{
	int code = 0;
	ssize_t got;

	do
		got = read(report, &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	return got > 0 ? code : 0;
}

int spawn(const struct spawn *spawn, pid_t *pid, char **error)
{
	pid_t parent = getpid();
	int report[2], code;

	*pid = 0;
	if (pipe2(report, O_CLOEXEC) < 0)
		return text_error(UNCORE_ERR_IO, error,
				  "cannot make a pipe: %s", strerror(errno));
	*pid = fork();
	if (*pid == 0)
		become(spawn, parent, report[1]);
	close(report[1]);
	if (*pid < 0) {
		*pid = 0;
		close(report[0]);
		return text_error(UNCORE_ERR_IO, error,
				  "cannot make a process: %s", strerror(errno));
	}
	code = hear(report[0]);
	close(report[0]);
	if (!code)
		return 0;
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
	return text_error(UNCORE_ERR_NO_HELPER, error, "%s cannot be run: %s",
			  spawn->path, strerror(code));
}
