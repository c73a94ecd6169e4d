/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whose the folder is.
 *
 * What keeps two servers apart is the mount itself: whoever finds a living one
 * of ours on the folder gives up. Looking, detaching what a dead server left,
 * and mounting happen under a lock, so nobody comes in between. The lock is on
 * the folder above, the one inode that a mount on the folder does not hide.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "server/regfs_parts.h"
#include "uncore/error.h"

enum {
	TRY_MS = 20,
	LOCK_TRIES = 500, /* 10 s */
	MAX_STACKED = 64,
};

/* What is mounted on the folder. */
enum found { FOUND_OTHER, FOUND_LIVING, FOUND_DEAD, FOUND_FOREIGN };

void regfs_mount_nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = TRY_MS * 1000 * 1000 }, NULL);
}

/* The absolute path of a folder; of one that is a dead mount, too. */
static char *resolve(const char *folder)
{
	char *copy, *parent, *path = realpath(folder, NULL);

	if (path || (errno != ENOTCONN && errno != ECONNABORTED))
		return path;
	copy = strdup(folder);
	parent = copy ? realpath(dirname(copy), NULL) : NULL;
	free(copy);
	copy = parent ? strdup(folder) : NULL;
	if (copy && asprintf(&path, "%s/%s", strcmp(parent, "/") ? parent : "",
			     basename(copy)) < 0)
		path = NULL;
	free(copy);
	free(parent);
	return path;
}

int regfs_mount_ask(const char *path)
{
	struct statx attr;

	return statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC | AT_NO_AUTOMOUNT,
		     STATX_TYPE, &attr)
		       ? errno
		       : 0;
}

int regfs_mount_lock(const struct regfs_mount *mount)
{
	int fd = open(mount->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return fd;
		regfs_mount_nap();
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static char *parent_of(const char *path)
{
	char *copy = strdup(path);
	char *parent = copy ? strdup(dirname(copy)) : NULL;

	free(copy);
	return parent;
}

/* Undoes the mount table's \040 for a blank and the like. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned value;

		if (*text == '\\' && sscanf(text + 1, "%3o", &value) == 1) {
			*to++ = (char)value;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* Whether what is mounted last on a path is of our kind. */
static bool is_ours(const char *path)
{
	FILE *table = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	bool ours = false;

	while (table && getline(&line, &size, table) > 0) {
		char *point = NULL, type[64] = "";
		char *tail = strstr(line, " - ");

		if (!tail || sscanf(line, "%*s %*s %*s %*s %ms", &point) != 1)
			continue;
		sscanf(tail, " - %63s", type);
		unescape(point);
		if (!strcmp(point, path))
			ours = !strcmp(type, "fuse." REGFS_SUBTYPE);
		free(point);
	}
	free(line);
	if (table)
		fclose(table);
	return ours;
}

static enum found look(const char *path)
{
	bool ours = is_ours(path);

	switch (regfs_mount_ask(path)) {
	case 0: return ours ? FOUND_LIVING : FOUND_OTHER;
	case ENOTCONN:
	case ECONNABORTED: return ours ? FOUND_DEAD : FOUND_FOREIGN;
	/* Root may not even look at a user's. */
	default: return ours ? FOUND_LIVING : FOUND_OTHER;
	}
}

/* Users may not unmount but through fusermount3. */
void regfs_mount_detach(const char *path)
{
	pid_t child;

	if (!umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) || errno != EPERM)
		return;
	child = fork();
	if (!child) {
		execlp("fusermount3", "fusermount3", "-u", "-q", "-z", "--",
		       path, (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static int take(struct regfs_mount *mount, char **error)
{
	for (int i = 0; i < MAX_STACKED; i++) {
		switch (look(mount->path)) {
		case FOUND_OTHER: return 0;
		case FOUND_LIVING:
			return text_error(
				UNCORE_ERR_STATE, error,
				"another server serves '%s' already; end it "
				"with 'fusermount3 -u %s', or choose another "
				"folder",
				mount->path, mount->path);
		case FOUND_FOREIGN:
			return text_error(
				UNCORE_ERR_STATE, error,
				"on '%s' is a dead mount of another program; "
				"remove it with 'fusermount3 -u -z %s'",
				mount->path, mount->path);
		case FOUND_DEAD:
			regfs_mount_detach(mount->path);
			mount->has_replaced = true;
		}
	}
	return text_error(UNCORE_ERR_STATE, error,
			  "the dead mount on '%s' cannot be removed; try "
			  "'fusermount3 -u -z %s' as its owner",
			  mount->path, mount->path);
}

static int say_unusable(const char *folder, char **error)
{
	if (errno == ENOENT)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "there is no folder '%s'; make it with "
				  "'mkdir -p %s'",
				  folder, folder);
	return text_error(errno == EACCES ? UNCORE_ERR_NO_PERMISSION
					  : UNCORE_ERR_BAD_PARAMETER,
			  error, "the folder '%s' cannot be used: %s", folder,
			  strerror(errno));
}

int regfs_mount_claim(struct regfs_mount *mount, const char *folder,
		      int *lock_fd, char **error)
{
	struct stat attr;
	int code;

	*lock_fd = -1;
	mount->path = resolve(folder);
	mount->parent = mount->path ? parent_of(mount->path) : NULL;
	if (!mount->path)
		return say_unusable(folder, error);
	if (!mount->parent)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	*lock_fd = regfs_mount_lock(mount);
	code = take(mount, error);
	if (code)
		return code;
	if (!stat(mount->path, &attr) && !S_ISDIR(attr.st_mode))
		errno = ENOTDIR;
	else
		return 0;
	return say_unusable(folder, error);
}

/* Without asking the server, which is this thread. */
static dev_t device_at(const char *path)
{
	struct statx attr;

	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		  STATX_TYPE, &attr))
		return 0;
	return makedev(attr.stx_dev_major, attr.stx_dev_minor);
}

void regfs_mount_remember(struct regfs_mount *mount)
{
	mount->device = device_at(mount->path);
}

bool regfs_mount_is_there(const struct regfs_mount *mount)
{
	return mount->device && device_at(mount->path) == mount->device;
}

void regfs_mount_fini(struct regfs_mount *mount)
{
	free(mount->path);
	free(mount->parent);
}
