/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a file is, is asked of what was opened, not of its name, which may be
 * another's by then. Files of /proc and /sys tell no size, so all are read to
 * their end or to the limit.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode)	? "a folder"
	       : S_ISFIFO(mode) ? "a pipe"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

/* A regular file, or -1 and *error. Opening one that is none does nothing to
 * it: it is looked at first. */
static int open_regular(const char *path, char **error)
{
	struct stat status;
	int file;

	if (!stat(path, &status) && !S_ISREG(status.st_mode)) {
		text_error(0, error, "%s is no file but %s", path,
			   kind_of(status.st_mode));
		errno = EINVAL;
		return -1;
	}
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0) {
		text_error(0, error, "cannot open %s: %s", path,
			   strerror(errno));
		return -1;
	}
	if (!fstat(file, &status) && S_ISREG(status.st_mode))
		return file;
	text_error(0, error, "%s is no file but %s", path,
		   kind_of(status.st_mode));
	close(file);
	errno = EINVAL;
	return -1;
}

/* Up to `room` bytes; -1 with errno where the file cannot be read. */
static ssize_t read_up_to(int file, char *text, size_t room)
{
	size_t length = 0;
	ssize_t got;

	do {
		got = read(file, text + length, room - length);
		if (got < 0 && errno != EINTR)
			return -1;
		length += got > 0 ? (size_t)got : 0;
	} while (got && length < room);
	return (ssize_t)length;
}

/* A text with room for what the file says to hold, then for twice as much and
 * so on, as far as it is more. */
static char *read_all(int file, size_t most_bytes, ssize_t *length)
{
	struct stat status = { 0 };
	size_t room, had = 0;
	char *text = NULL, *more;

	*length = 0;
	room = fstat(file, &status) || status.st_size < 4096
		       ? 4096
		       : (size_t)status.st_size;
	for (;; room *= 2) {
		room = room < most_bytes ? room : most_bytes;
		more = realloc(text, room + 2);
		if (!more)
			break;
		text = more;
		*length = read_up_to(file, text + had, room + 1 - had);
		if (*length < 0)
			return text;
		*length += (ssize_t)had;
		had = (size_t)*length;
		if (had <= room || room == most_bytes) {
			text[had] = '\0';
			return text;
		}
	}
	free(text);
	return NULL;
}

char *file_text(const char *path, size_t most_bytes, char **error)
{
	int file = open_regular(path, error);
	ssize_t length;
	char *text;

	if (file < 0)
		return NULL;
	text = read_all(file, most_bytes, &length);
	if (text && length < 0)
		text_error(0, error, "cannot read %s: %s", path,
			   strerror(errno));
	else if (text && (size_t)length > most_bytes)
		text_error(0, error, "%s is larger than %zu MB", path,
			   most_bytes >> 20);
	else if (text && strlen(text) != (size_t)length)
		text_error(0, error, "%s is no text: it holds bytes of 0",
			   path);
	else {
		close(file);
		return text;
	}
	close(file);
	free(text);
	return NULL;
}

FILE *file_open(const char *path)
{
	int file = open_regular(path, NULL);
	FILE *stream = file < 0 ? NULL : fdopen(file, "r");

	if (file >= 0 && !stream)
		close(file);
	return stream;
}
