/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A register does not say who wrote it. What can be known are the processes
 * that have the msr files open, and, for this machine's own registers, those
 * that have events of the kernel open, whose driver then writes for them. Root
 * sees all of them, others their own. An event may be of another PMU, and a
 * file may only be read, hence "perhaps".
 */
#include "session/holder.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/access.h"
#include "base/text.h"
#include "session/lock.h"

#define KERNEL_PMUS  "/sys/bus/event_source/devices/uncore_*"
#define OPEN_FILES   "/proc/[0-9]*/fd/*"
#define KERNEL_EVENT "anon_inode:[perf_event]"

enum { PATH_BYTES = 512, NUMBER_BYTES = 16, MAX_NAMED = 3 };

struct search {
	char *folder; /* of the msr files */
	bool has_driver;
	struct text text;
	char last[NUMBER_BYTES]; /* process that was named */
	unsigned num_named;
};

static bool has_kernel_pmus(void)
{
	glob_t found;
	bool has_any = !glob(KERNEL_PMUS, GLOB_NOSORT, NULL, &found);

	globfree(&found);
	return has_any;
}

static bool is_msr(const struct search *search, const char *path)
{
	size_t folder = search->folder ? strlen(search->folder) : 0;
	size_t length = strlen(path);

	return folder && !strncmp(path, search->folder, folder) &&
	       path[folder] == '/' && length > 4 &&
	       !strcmp(path + length - 4, "/msr");
}

static void name(struct search *search, const char *process, const char *how)
{
	char *command;

	if (!strcmp(process, search->last) || search->num_named == MAX_NAMED)
		return;
	command = lock_command_of(process);
	text_add(&search->text, "%s by process %s (%s), %s",
		 search->num_named++ ? " or" : "perhaps", process,
		 command ? command : "", how);
	free(command);
	strcpy(search->last, process);
}

/* `file` is /proc/PROCESS/fd/N. */
static void look_at(struct search *search, const char *file)
{
	char process[NUMBER_BYTES] = "", path[PATH_BYTES];
	ssize_t size = readlink(file, path, sizeof(path) - 1);
	const char *number = file + strlen("/proc/");
	size_t digits = strcspn(number, "/");

	if (size <= 0 || digits >= sizeof(process))
		return;
	path[size] = 0;
	memcpy(process, number, digits);
	if (strtol(process, NULL, 10) == (long)getpid())
		return;
	if (search->has_driver && !strcmp(path, KERNEL_EVENT))
		name(search, process, "through the kernel's driver");
	else if (is_msr(search, path))
		name(search, process, "which has the registers open");
}

char *holder_find(const struct uncore_target *target)
{
	const char *origin = uncore_target_origin(target);
	bool is_here = !strchr(origin, ':');
	struct search search = { .has_driver = is_here && has_kernel_pmus() };
	glob_t files;

	search.folder = realpath(target->places[0], NULL);
	if (!glob(OPEN_FILES, GLOB_NOSORT, NULL, &files))
		for (size_t i = 0; i < files.gl_pathc; i++)
			look_at(&search, files.gl_pathv[i]);
	globfree(&files);
	free(search.folder);
	if (!search.num_named && search.has_driver)
		text_add(&search.text,
			 "perhaps by the kernel's driver, through perf");
	return search.num_named || search.has_driver ? text_take(&search.text)
						     : NULL;
}
