/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The socket file. There is no moment at which others could use it: the mode is
 * set before the file exists (bind() makes it with the mode of the socket), and
 * nobody can connect before listen(). Two servers that start at a time are kept
 * apart by a lock on the folder, so that neither removes the other's file.
 */
#include "server_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "uncore/error.h"

enum { LOCK_TRIES = 100, LOCK_WAIT_NS = 10 * 1000 * 1000, BACKLOG = 64 };

/* Whether the folder is of the user's own: others may lock a folder that is
 * everybody's for as long as they like. There one goes without. */
static bool is_own(int folder)
{
	struct stat found;

	return !fstat(folder, &found) && found.st_uid == geteuid();
}

/* The folder, locked; or -1. */
static int lock_folder(const char *name, char **error)
{
	const struct timespec wait = { .tv_nsec = LOCK_WAIT_NS };
	char *copy = strdup(name);
	const char *folder = copy ? dirname(copy) : ".";
	int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int locked = -1;

	if (file < 0)
		text_error(0, error, "cannot make %s: %s: %s", name, folder,
			   strerror(errno));
	for (int i = 0; file >= 0 && locked && i < LOCK_TRIES; i++) {
		locked = flock(file, LOCK_EX | LOCK_NB);
		if (locked)
			nanosleep(&wait, NULL);
	}
	if (file >= 0 && locked && is_own(file)) {
		text_error(0, error,
			   "cannot make %s: another process has locked the "
			   "folder %s for long",
			   name, folder);
		close(file);
		file = -1;
	}
	free(copy);
	return file;
}

/* Whether somebody listens there: 1, 0, or -1 if that cannot be known. A
 * server that is too busy to accept lives as well. */
static int is_alive(const struct sockaddr_un *address)
{
	int file =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int failed, reason;

	if (file < 0)
		return -1;
	failed = connect(file, (const struct sockaddr *)address,
			 sizeof(*address));
	reason = errno;
	close(file);
	if (!failed || reason == EAGAIN || reason == EINPROGRESS)
		return 1;
	return reason == ECONNREFUSED ? 0 : -1;
}

/* Removes what a dead server left behind. */
static int clear(const struct sockaddr_un *address, char **error)
{
	const char *name = address->sun_path;
	struct stat found;

	if (lstat(name, &found))
		return errno == ENOENT ? 0
				       : text_error(UNCORE_ERR_IO, error,
						    "cannot look at %s: %s",
						    name, strerror(errno));
	if (!S_ISSOCK(found.st_mode))
		return text_error(UNCORE_ERR_STATE, error,
				  "%s is there already and is no socket; "
				  "choose another path",
				  name);
	switch (is_alive(address)) {
	case 1:
		return text_error(UNCORE_ERR_STATE, error,
				  "another server answers at %s; end it first "
				  "or choose another path",
				  name);
	case 0: break;
	default:
		return text_error(UNCORE_ERR_STATE, error,
				  "%s belongs to another program or user; "
				  "choose another path",
				  name);
	}
	if (unlink(name) && errno != ENOENT)
		return text_error(UNCORE_ERR_NO_PERMISSION, error,
				  "cannot replace %s, whose server is dead: "
				  "%s",
				  name, strerror(errno));
	return 0;
}

/* The file appears here. */
static int make(struct server_path *path, const struct sockaddr_un *address,
		int listener, char **error)
{
	struct stat made;

	if (fchmod(listener, S_IRUSR | S_IWUSR) ||
	    bind(listener, (const struct sockaddr *)address, sizeof(*address)))
		return text_error(errno == EACCES ? UNCORE_ERR_NO_PERMISSION
						  : UNCORE_ERR_IO,
				  error, "cannot make %s: %s",
				  address->sun_path, strerror(errno));
	path->path = realpath(address->sun_path, NULL);
	if (!path->path || lstat(path->path, &made) ||
	    (made.st_mode & (S_IRWXG | S_IRWXO)) || listen(listener, BACKLOG)) {
		text_error(0, error, "cannot listen at %s: %s",
			   address->sun_path, strerror(errno));
		unlink(address->sun_path);
		return UNCORE_ERR_IO;
	}
	path->device = made.st_dev;
	path->inode = made.st_ino;
	return 0;
}

int server_path_listen(struct server_path *path, const char *name,
		       int *listener, char **error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int folder, code;

	if (!*name || strlen(name) >= sizeof(address.sun_path))
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "'%s' cannot be a socket: its path has 1 to "
				  "%zu bytes",
				  name, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, name);
	*listener =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*listener < 0)
		return text_error(UNCORE_ERR_IO, error,
				  "cannot make a socket: %s", strerror(errno));
	folder = lock_folder(name, error);
	code = folder < 0 ? UNCORE_ERR_IO : clear(&address, error);
	if (!code)
		code = make(path, &address, *listener, error);
	if (folder >= 0)
		close(folder);
	return code;
}

void server_path_free(struct server_path *path)
{
	struct stat found;

	if (path->path && !lstat(path->path, &found) &&
	    found.st_dev == path->device && found.st_ino == path->inode)
		unlink(path->path);
	free(path->path);
	path->path = NULL;
}
