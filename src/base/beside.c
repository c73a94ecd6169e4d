/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "base/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OWN_NAME_BYTES = 40 };

/* The file as /proc has it, by which it gets a name. */
static void own_name(const struct beside *beside, char name[OWN_NAME_BYTES])
{
	snprintf(name, OWN_NAME_BYTES, "/proc/self/fd/%d", beside->fd);
}

static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder =
		slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
	int fd = -1;

	if (folder)
		fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	free(folder);
	return fd;
}

int beside_open(struct beside *beside, const char *path, mode_t mode)
{
	char name[OWN_NAME_BYTES];
	int reason;

	*beside = (struct beside){ .fd = open_nameless(path),
				   .path = strdup(path) };
	own_name(beside, name);
	if (beside->fd >= 0 && access(name, F_OK)) { /* there is no /proc */
		close(beside->fd);
		beside->fd = -1;
	}
	if (beside->path && beside->fd < 0 &&
	    asprintf(&beside->part, "%s.XXXXXX", path) < 0)
		beside->part = NULL;
	if (beside->part)
		beside->fd = mkostemp(beside->part, O_CLOEXEC);
	if (beside->path && beside->fd >= 0 && !fchmod(beside->fd, mode))
		return 0;
	reason = errno;
	beside_close(beside);
	return reason ? reason : ENOMEM;
}

/* What is at its place can only be replaced by something that has a name: it
 * gets one for a moment. An own process does that, since the kill of ours may
 * come in this moment. */
static int replace(const char *own, const char *part, const char *path)
{
	int state;
	pid_t child = fork();

	if (!child) {
		int reason = 0;

		setsid();
		if (linkat(AT_FDCWD, own, AT_FDCWD, part, AT_SYMLINK_FOLLOW))
			_exit(errno);
		if (rename(part, path)) {
			reason = errno;
			unlink(part);
		}
		_exit(reason);
	}
	if (child < 0)
		return errno;
	while (waitpid(child, &state, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(state) ? WEXITSTATUS(state) : EIO;
}

static int name_it(const struct beside *beside)
{
	char own[OWN_NAME_BYTES], *part;
	int reason;

	own_name(beside, own);
	if (!linkat(AT_FDCWD, own, AT_FDCWD, beside->path, AT_SYMLINK_FOLLOW))
		return 0;
	if (errno != EEXIST)
		return errno;
	if (asprintf(&part, "%s.uncore-%d", beside->path, (int)getpid()) < 0)
		return ENOMEM;
	reason = replace(own, part, beside->path);
	free(part);
	return reason;
}

int beside_keep(struct beside *beside)
{
	if (!beside->part)
		return name_it(beside);
	if (rename(beside->part, beside->path))
		return errno;
	free(beside->part);
	beside->part = NULL;
	return 0;
}

void beside_close(struct beside *beside)
{
	if (beside->part)
		unlink(beside->part);
	if (beside->fd >= 0)
		close(beside->fd);
	free(beside->part);
	free(beside->path);
	*beside = (struct beside){ .fd = -1 };
}
