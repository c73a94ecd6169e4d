/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "base/find.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

bool find_is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* folder/name as a new string; an empty folder is the present one. */
static char *join(const char *folder, size_t length, const char *name)
{
	char *path = malloc(length + strlen(name) + 3);

	if (path)
		sprintf(path, "%.*s/%s", length ? (int)length : 1,
			length ? folder : ".", name);
	return path;
}

static char *search(const char *name)
{
	const char *at = getenv("PATH");
	char *denied = NULL;

	if (!at)
		at = DEFAULT_PATH;
	for (;;) {
		size_t length = strcspn(at, ":");
		char *path = join(at, length, name);

		if (path && find_is_file(path)) {
			if (access(path, X_OK) == 0) {
				free(denied);
				return path;
			}
			if (!denied) {
				denied = path;
				path = NULL;
			}
		}
		free(path);
		if (!at[length])
			break;
		at += length + 1;
	}
	errno = denied ? EACCES : ENOENT;
	return denied;
}

char *find_program(const char *name)
{
	return strchr(name, '/') ? strdup(name) : search(name);
}

/* Beside this executable, as after a build, or where an installation of which
 * this executable is a part has it. */
static char *find_near(const char *name)
{
	static const char *const folders[] = { "", "/../libexec/uncore" };
	char folder[PATH_MAX + sizeof("/../libexec/uncore")];
	ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	size_t i;

	if (length <= 0)
		return NULL;
	folder[length] = '\0';
	length = strrchr(folder, '/') - folder;
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *path;

		strcpy(folder + length, folders[i]);
		path = join(folder, strlen(folder), name);
		if (path && find_is_file(path))
			return path;
		free(path);
	}
	return NULL;
}

char *find_helper(const char *name, char **tried)
{
	const char *folder = getenv("UNCORE_LIBEXEC");

	if (folder && *folder)
		*tried = join(folder, strlen(folder), name);
	else
		*tried = find_near(name);
	if (!*tried)
		*tried = join(UNCORE_LIBEXECDIR, strlen(UNCORE_LIBEXECDIR),
			      name);
	/* Whoever is told may be in another folder: the path is a full one. */
	return *tried ? realpath(*tried, NULL) : NULL;
}
