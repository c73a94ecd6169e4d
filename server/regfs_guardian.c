/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The guardian of a mount. A server that is killed cannot unmount, and the
 * kernel leaves a mount that answers every access with an error. So each server
 * has a guardian: a process in a session of its own, deaf to signals, that
 * waits until nobody holds the other end of a socket any more, which is the
 * server's. Then it looks whether the folder is a dead mount and detaches it,
 * under the lock that keeps others from mounting there.
 *
 * libfuse's auto_unmount does much the same through fusermount3, but takes no
 * lock, cannot serve root where that program is missing, and needs its socket
 * kept out of all children. Should server and guardian be killed together, the
 * next server detaches the mount.
 *
 * The server may have threads, so between fork and exit only calls that are
 * safe after a fork are made.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "server/regfs_parts.h"
#include "uncore/error.h"

enum { DEAD_TRIES = 250 }; /* 5 s */

/* Out of reach of everything that ends the server. */
static void settle(int server_fd)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "uncore-guardian");
	/* Whoever waits for the end of the server's output, or for a lock that
	 * it had, must not wait for the guardian. */
	dup2(server_fd, 0);
	close_range(1, UINT_MAX, 0);
	if (chdir("/"))
		_exit(1);
}

static _Noreturn void guard(int server_fd, const struct regfs_mount *mount)
{
	char byte = 0;

	settle(server_fd);
	if (write(0, &byte, 1) != 1)
		_exit(1);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	/* The socket may be closed a little before the mount is dead. */
	for (int i = 0; i < DEAD_TRIES; i++) {
		int answer = regfs_mount_ask(mount->path);

		if (answer == ENOTCONN) {
			regfs_mount_lock(mount);
			if (regfs_mount_ask(mount->path) == ENOTCONN)
				regfs_mount_detach(mount->path);
			break;
		}
		if (answer != ECONNABORTED)
			break;
		regfs_mount_nap();
	}
	_exit(0);
}

int regfs_guardian_start(struct regfs_mount *mount, char **error)
{
	int fds[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return text_error(UNCORE_ERR_IO, error,
				  "cannot make a socket: %s", strerror(errno));
	mount->guardian = fork();
	if (!mount->guardian) {
		close(fds[1]);
		guard(fds[0], mount);
	}
	close(fds[0]);
	if (mount->guardian < 0) {
		close(fds[1]);
		return text_error(UNCORE_ERR_NO_MEMORY, error,
				  "cannot start a process: %s",
				  strerror(errno));
	}
	mount->guardian_fd = fds[1];
	if (read(fds[1], &byte, 1) == 1)
		return 0;
	return text_error(UNCORE_ERR_DIED, error,
			  "the process that guards the mount died");
}

void regfs_guardian_end(struct regfs_mount *mount)
{
	if (mount->guardian > 0) {
		close(mount->guardian_fd);
		while (waitpid(mount->guardian, NULL, 0) < 0 && errno == EINTR)
			;
	}
}
