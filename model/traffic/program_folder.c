/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The folder of a run, where front ends put files and others see them. Who is
 * killed cannot remove it; so as long as anybody of a run lives its folder is
 * locked, and the next run removes those that are not.
 */
#include "model/traffic/program_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "uncore/error.h"

#define NAME	 "uncore-run-XXXXXX"
#define ANY_NAME "uncore-run-??????"

enum { FOLDER_RIGHTS = 0755 };

static int remove_one(const char *path, const struct stat *status, int kind,
		      struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path) < 0 && errno != ENOENT;
}

void program_folder_remove(const char *path)
{
	enum { MOST_OPEN = 16 };

	nftw(path, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int open_folder(int place, const char *name)
{
	return openat(place, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Of a run of this user's of which nobody lives. */
static bool is_left(int folder)
{
	struct stat status;

	return !fstat(folder, &status) && status.st_uid == geteuid() &&
	       !flock(folder, LOCK_EX | LOCK_NB);
}

static void remove_left(const char *place)
{
	DIR *all = opendir(place);
	struct dirent *one;

	/* cppcheck-suppress readdirCalled */
	while (all && (one = readdir(all))) {
		char *path = NULL;
		int folder;

		if (fnmatch(ANY_NAME, one->d_name, 0))
			continue;
		folder = open_folder(dirfd(all), one->d_name);
		if (folder < 0)
			continue;
		if (is_left(folder) &&
		    asprintf(&path, "%s/%s", place, one->d_name) >= 0) {
			program_folder_remove(path);
			free(path);
		}
		close(folder);
	}
	if (all)
		closedir(all);
}

/* Another run may have taken a new one for left before it was locked. */
static int lock(const char *path, bool *is_gone)
{
	int folder = open_folder(AT_FDCWD, path);
	struct stat status;

	*is_gone = folder < 0 && errno == ENOENT;
	if (folder < 0)
		return -1;
	while (flock(folder, LOCK_EX) < 0 && errno == EINTR)
		continue;
	if (!fstat(folder, &status) && status.st_nlink &&
	    !fchmod(folder, FOLDER_RIGHTS))
		return folder;
	*is_gone = !status.st_nlink;
	close(folder);
	return -1;
}

int program_folder_make(char **path, int *folder, char **error)
{
	const char *place = getenv("TMPDIR");
	bool is_gone;

	if (!place || !*place)
		place = "/tmp";
	remove_left(place);
	do {
		free(*path);
		if (asprintf(path, "%s/" NAME, place) < 0)
			*path = NULL;
		if (!*path)
			return text_error(UNCORE_ERR_NO_MEMORY, error,
					  "out of memory");
		if (!mkdtemp(*path)) {
			text_error(UNCORE_ERR_IO, error,
				   "cannot make the folder %s: %s; TMPDIR "
				   "names a place for it",
				   *path, strerror(errno));
			free(*path);
			*path = NULL;
			return UNCORE_ERR_IO;
		}
		*folder = lock(*path, &is_gone);
	} while (*folder < 0 && is_gone);
	if (*folder < 0)
		return text_error(UNCORE_ERR_IO, error, "%s: %s", *path,
				  strerror(errno));
	return 0;
}
