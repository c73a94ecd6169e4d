/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looks for QEMU, for its plugin and for the program, and says what to do where
 * one is missing.
 */
#include "model/traffic/program_find.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "uncore/error.h"

#define QEMU	     "qemu-x86_64"
#define PLUGIN	     "libuncore-qemu.so"
#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

static bool is_file(const char *path)
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

/* The first executable file of that name in $PATH; else, with EACCES, the first
 * file that may not be executed; NULL with errno ENOENT. */
static char *search(const char *name)
{
	const char *at = getenv("PATH");
	char *denied = NULL;

	if (!at)
		at = DEFAULT_PATH;
	for (;;) {
		size_t length = strcspn(at, ":");
		char *path = join(at, length, name);

		if (path && is_file(path)) {
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

int program_find_qemu(const struct uncore_program_config *config, char **path,
		      char **error)
{
	const char *wanted = config->qemu;

	if (!wanted)
		wanted = getenv("UNCORE_QEMU");
	if (!wanted || !*wanted)
		wanted = QEMU;
	*path = strchr(wanted, '/') ? strdup(wanted) : search(wanted);
	if (*path && is_file(*path) && access(*path, X_OK) == 0)
		return 0;
	free(*path);
	*path = NULL;
	return text_error(UNCORE_ERR_NO_QEMU, error,
			  "%s was not found; programs run under QEMU: install "
			  "the package qemu-user (apt-get install qemu-user)",
			  wanted);
}

/* Beside this executable, as after a build, or where an installation of which
 * this executable is a part has it. */
static char *plugin_near(void)
{
	static const char *const places[] = {
		PLUGIN,
		"../libexec/uncore/" PLUGIN,
	};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (length <= 0)
		return NULL;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = join(self, strlen(self), places[i]);

		if (path && is_file(path))
			return path;
		free(path);
	}
	return NULL;
}

int program_find_plugin(const struct uncore_program_config *config, char **path,
			char **error)
{
	const char *folder = getenv("UNCORE_LIBEXEC");
	char *found = NULL;

	if (config->plugin)
		found = strdup(config->plugin);
	else if (folder && *folder)
		found = join(folder, strlen(folder), PLUGIN);
	else
		found = plugin_near();
	if (!found)
		found = strdup(UNCORE_LIBEXECDIR "/" PLUGIN);
	/* The program may change its folder: the path must be a full one. */
	*path = found ? realpath(found, NULL) : NULL;
	if (*path) {
		free(found);
		return 0;
	}
	text_error(UNCORE_ERR_NO_QEMU, error,
		   "the plugin for QEMU was not found at %s; build it (it is "
		   "part of the build), or name its folder in UNCORE_LIBEXEC",
		   found ? found : PLUGIN);
	free(found);
	return UNCORE_ERR_NO_QEMU;
}

int program_find_target(const struct uncore_program_config *config, char **path,
			char **error)
{
	const char *name = config->argv ? config->argv[0] : NULL;

	if (!name || !*name)
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "no program was named");
	*path = strchr(name, '/') ? strdup(name) : search(name);
	if (*path)
		return 0;
	return text_error(UNCORE_ERR_BAD_PROGRAM, error,
			  "%s: there is no such program in PATH; check the "
			  "name, or give its path",
			  name);
}
