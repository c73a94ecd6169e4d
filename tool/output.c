/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Output files. What is written goes into a file beside the one that was named
 * and takes its place when it is complete; so a run that comes to nothing, a
 * full disk or a kill leaves the old file as it was. Devices, pipes, links and
 * files in folders that take no others are written to directly. A command has
 * one output at a time.
 */
#include "tool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *beside; /* the file being written; NULL: the named one itself */

static bool is_special(const char *name)
{
	struct stat found;

	return !lstat(name, &found) &&
	       (!S_ISREG(found.st_mode) || access(name, W_OK));
}

static FILE *cannot_open(int fd)
{
	int reason = errno;

	if (fd >= 0) {
		close(fd);
		unlink(beside);
	}
	free(beside);
	beside = NULL;
	errno = reason;
	return NULL;
}

/* The new file has the rights of the old one, or of any new one. */
static FILE *open_beside(const char *name)
{
	mode_t mask = umask(0);
	struct stat old;
	FILE *file;
	int fd;

	umask(mask);
	beside = tool_print("%s.XXXXXX", name);
	if (!beside) {
		errno = ENOMEM;
		return NULL;
	}
	fd = mkstemp(beside);
	if (fd < 0)
		return cannot_open(fd);
	if (fchmod(fd, stat(name, &old) ? 0666 & ~mask : old.st_mode & 07777))
		return cannot_open(fd);
	file = fdopen(fd, "w");
	if (!file)
		return cannot_open(fd);
	return file;
}

int tool_open(const char *name, FILE *standard, FILE **file)
{
	if (name && !*name)
		return tool_fail(TOOL_USAGE, "-o needs the name of a file");
	*file = standard;
	if (name && (is_special(name) || !(*file = open_beside(name))))
		*file = fopen(name, "w");
	if (*file)
		return TOOL_OK;
	return tool_fail(TOOL_USAGE, "cannot write to %s: %s", name,
			 strerror(errno));
}

/* Puts what was written in its place, unless there is nothing or not all of
 * it; 0, or the reason why it cannot be put there. */
static int put_in_place(const char *name, bool keep)
{
	int reason = 0;

	if (!beside)
		return 0;
	if (keep && rename(beside, name))
		reason = errno;
	if (!keep || reason)
		unlink(beside);
	free(beside);
	beside = NULL;
	return reason;
}

int tool_append(const char *name, FILE **file)
{
	*file = fopen(name, "a");
	return *file ? TOOL_OK
		     : tool_fail(TOOL_USAGE, "cannot append to %s: %s", name,
				 strerror(errno));
}

int tool_open_fd(const char *text, FILE **file)
{
	unsigned long long fd;

	if (!tool_number("number of an open file", text, &fd))
		return TOOL_USAGE;
	*file = fd <= INT_MAX ? fdopen((int)fd, "w") : NULL;
	return *file ? TOOL_OK
		     : tool_fail(TOOL_USAGE,
				 "--log-fd=%s: there is no file with this "
				 "number that is open for writing",
				 text);
}

int tool_finish(int status, FILE *file, const char *name)
{
	bool is_standard = file == stdout || file == stderr;
	bool is_empty = !is_standard && ftell(file) == 0;
	bool failed = ferror(file);
	int reason = 0;

	errno = 0;
	if (is_standard ? fflush(file) : fclose(file)) {
		reason = errno;
		failed = true;
	}
	if (!is_standard) {
		int misplaced =
			put_in_place(name, !failed && !(is_empty && status));

		failed |= misplaced != 0;
		reason = reason ? reason : misplaced;
	}
	if (!failed)
		return status;
	tool_fail(0, "cannot write to %s%s%s",
		  name		? name
		  : is_standard ? "the standard output"
				: "the open file",
		  reason ? ": " : "", reason ? strerror(reason) : "");
	return status ? status : TOOL_FAILED;
}
