/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Going to the background when all is ready, so that a script may rely on it in
 * its next line and learns of every failure before.
 */
#include "background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/tool.h"

int background_redirect(int fd, const char *name)
{
	int file = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	if (file < 0)
		return tool_fail(TOOL_USAGE, "cannot open '%s': %s", name,
				 strerror(errno));
	dup2(file, fd);
	close(file);
	return TOOL_OK;
}

int background_enter(void)
{
	int fds[2], status;
	char byte;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) || (child = fork()) < 0)
		exit(tool_fail(TOOL_FAILED, "cannot start a process: %s",
			       strerror(errno)));
	if (!child) {
		close(fds[0]);
		setsid();
		return fds[1];
	}
	close(fds[1]);
	if (read(fds[0], &byte, 1) == 1)
		_exit(TOOL_OK);
	if (waitpid(child, &status, 0) == child && WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	_exit(TOOL_FAILED);
}

int background_detach(int ready_fd, bool is_silent)
{
	int status = background_redirect(STDOUT_FILENO, "/dev/null");

	if (!status && is_silent)
		status = background_redirect(STDERR_FILENO, "/dev/null");
	if (!status && dup2(STDOUT_FILENO, STDIN_FILENO) >= 0 &&
	    write(ready_fd, "", 1) != 1)
		status = TOOL_FAILED;
	close(ready_fd);
	return status;
}
