/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Output files. What is written takes the place of the file that was named when
 * it is complete; so a run that comes to nothing, a full disk or a kill leaves
 * the old file as it was, and nothing else. Devices, pipes, links and files in
 * folders that take no others are written to directly. A command has two
 * outputs at most at a time.
 *
 * A reader that goes away, such as head(1), has what he wanted: that is no
 * failure, and not told.
 */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beside.h"

/* Those that are not open: the named one itself is written to. */
static struct beside besides[] = { { .fd = -1 }, { .fd = -1 } };
enum { MOST_OUTPUTS = sizeof(besides) / sizeof(besides[0]) };
static bool has_reader_left;

/* Where a file of SQLite says whose it is: docs/formats.md. */
enum { APPLICATION_AT = 68, SCHEMA_BYTES = 64 };

static bool is_regular(const char *name)
{
	struct stat found;

	return !stat(name, &found) && S_ISREG(found.st_mode);
}

static bool is_special(const char *name)
{
	struct stat found;

	return !lstat(name, &found) &&
	       (!S_ISREG(found.st_mode) || access(name, W_OK));
}

/* The one of this name, or (NULL) one that is free; NULL: there is none. */
static struct beside *find_beside(const char *name)
{
	for (int i = 0; i < MOST_OUTPUTS; i++)
		if (besides[i].fd < 0 ? !name
				      : name && !strcmp(name, besides[i].path))
			return &besides[i];
	return NULL;
}

/* The new file has the rights of the old one, or of any new one. The stream has
 * a descriptor of its own, so that it can be closed before the file is put in
 * its place: some file systems tell only then that a disk is full. */
static FILE *open_beside(const char *name)
{
	mode_t mask = umask(0);
	struct beside *beside = find_beside(NULL);
	struct stat old;
	FILE *file = NULL;
	int fd;

	umask(mask);
	errno = beside_open(beside, name,
			    lstat(name, &old) || !S_ISREG(old.st_mode)
				    ? 0666 & ~mask
				    : old.st_mode & 07777);
	if (errno)
		return NULL;
	fd = fcntl(beside->fd, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		file = fdopen(fd, "w");
	if (file)
		return file;
	if (fd >= 0)
		close(fd);
	beside_close(beside);
	return NULL;
}

/* What a file holds that somebody has measured: "recording", that of a guest,
 * the schema of a result in JSON, or "". */
static void find_result(const char *name, char schema[SCHEMA_BYTES])
{
	FILE *file = is_regular(name) ? fopen(name, "r") : NULL;
	char head[256] = "";
	const char *at;

	*schema = 0;
	if (!file)
		return;
	head[fread(head, 1, sizeof(head) - 1, file)] = 0;
	fclose(file);
	at = strstr(head, "\"schema\"");
	if (at)
		sscanf(at, "\"schema\" : \"%63[a-z0-9-]", schema);
	if (strncmp(schema, "uncore-", 7) != 0)
		*schema = 0;
	if (!strncmp(head, "uncore-recording ", 17))
		snprintf(schema, SCHEMA_BYTES, TOOL_GUEST_RECORDING);
	else if (!strcmp(head, "SQLite format 3") &&
		 !memcmp(head + APPLICATION_AT, "uncR", 4))
		snprintf(schema, SCHEMA_BYTES, "recording");
}

int tool_check_loss(const char *name, const char *schema)
{
	char found[SCHEMA_BYTES];

	if (find_beside(name))
		return tool_fail(TOOL_USAGE,
				 "cannot write to %s: another output of this "
				 "command goes there",
				 name);
	find_result(name, found);
	if (!*found || (schema && !strcmp(found, schema)))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "cannot write to %s: it holds a %s%s; name another "
			 "file, or give --replace for a newer one of its kind",
			 name, *found == 'u' ? "result, " : "", found);
}

int tool_open(const char *name, FILE *standard, const char *schema, FILE **file)
{
	int status;

	if (name && !*name)
		return tool_fail(TOOL_USAGE, "-o needs the name of a file");
	*file = standard;
	if (!name)
		return TOOL_OK;
	status = tool_check_loss(name, schema);
	if (status)
		return status;
	if (is_special(name) || !(*file = open_beside(name)))
		*file = fopen(name, "w");
	if (*file)
		return TOOL_OK;
	return tool_fail(TOOL_USAGE, "cannot write to %s: %s", name,
			 strerror(errno));
}

/* A name for what is open already: a link of the system's that stays. */
static bool is_of_open_file(const char *name)
{
	static const char *const names[] = { "/dev/std", "/dev/fd/", "/proc/" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

int tool_open_new(const char *name, FILE **file)
{
	struct stat found;
	int status;

	if (is_of_open_file(name) ||
	    (!stat(name, &found) && S_ISCHR(found.st_mode)))
		return tool_open(name, NULL, NULL, file);
	/* a pipe would wait for its reader each time */
	if (!lstat(name, &found) && !S_ISREG(found.st_mode) &&
	    !S_ISLNK(found.st_mode))
		return tool_fail(TOOL_USAGE,
				 "cannot write to %s: that is no file which "
				 "can be replaced; name one, or a new one",
				 name);
	status = tool_check_loss(name, NULL);
	if (status)
		return status;
	*file = open_beside(name);
	return *file ? TOOL_OK
		     : tool_fail(TOOL_USAGE, "cannot write to %s: %s", name,
				 strerror(errno));
}

/* Puts what was written in its place, unless there is nothing or not all of
 * it; 0, or the reason why it cannot be put there. */
static int put_in_place(const char *name, bool keep)
{
	struct beside *beside = name ? find_beside(name) : NULL;
	int reason = beside && keep ? beside_keep(beside) : 0;

	if (beside)
		beside_close(beside);
	return reason;
}

int tool_append(const char *name, const char *schema, FILE **file)
{
	int status = tool_check_loss(name, schema);

	if (status)
		return status;
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

/* Whether nobody is left who could read it. */
static bool is_left(FILE *file)
{
	struct pollfd polled = { .fd = fileno(file), .events = POLLOUT };

	return poll(&polled, 1, 0) > 0 && polled.revents & POLLERR;
}

bool tool_reader_has_left(void)
{
	return has_reader_left;
}

int tool_finish(int status, FILE *file, const char *name)
{
	bool is_standard = file == stdout || file == stderr;
	bool is_empty = !is_standard && ftell(file) == 0;
	bool failed, is_unread;
	int reason;

	errno = 0;
	failed = ferror(file) || fflush(file);
	reason = errno;
	is_unread = is_left(file);
	errno = 0;
	if (!is_standard && fclose(file)) {
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
	if (is_unread) {
		has_reader_left = true;
		return status ? status : TOOL_FAILED;
	}
	tool_fail(0, "cannot write to %s%s%s",
		  name		? name
		  : is_standard ? "the standard output"
				: "the open file",
		  reason ? ": " : "", reason ? strerror(reason) : "");
	return status ? status : TOOL_FAILED;
}
