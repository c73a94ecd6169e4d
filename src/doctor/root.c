/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * In a tree nobody knows whose its files were: they are taken to be root's, and
 * what may be done to them follows from their mode and from the tree's own
 * /proc/self/status. On this machine the file is opened.
 */
#include "doctor/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { CHUNK_BYTES = 4096, MOST_BYTES = 1 << 20 };

char *root_path(const struct root *root, const char *path)
{
	char *full;

	return asprintf(&full, "%s%s", root->path, path) < 0 ? NULL : full;
}

static char *path_of(const struct root *root, const char *format,
		     va_list arguments)
{
	struct text path = { 0 };

	text_add(&path, "%s", root->path);
	text_vadd(&path, format, arguments);
	return text_take(&path);
}

/* Files of proc and sysfs do not know their sizes. */
static char *read_all(int file)
{
	char *text = NULL, *more;
	size_t length = 0;
	ssize_t size = 1;

	while (size > 0 && length < MOST_BYTES) {
		more = realloc(text, length + CHUNK_BYTES + 1);
		if (!more)
			break;
		text = more;
		size = read(file, text + length, CHUNK_BYTES);
		length += size > 0 ? (size_t)size : 0;
	}
	if (!text || size < 0) {
		free(text);
		return NULL;
	}
	for (size_t i = 0; i < length; i++)
		if (!text[i])
			text[i] = ' ';
	while (length && strchr(" \n\t", text[length - 1]))
		length--;
	text[length] = 0;
	return text;
}

char *root_text(const struct root *root, const char *format, ...)
{
	va_list arguments;
	char *path, *text;
	int file;

	va_start(arguments, format);
	path = path_of(root, format, arguments);
	va_end(arguments);
	file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	free(path);
	if (file < 0)
		return NULL;
	text = read_all(file);
	close(file);
	return text;
}

bool root_has(const struct root *root, const char *format, ...)
{
	va_list arguments;
	struct stat found;
	char *path;
	bool has;

	va_start(arguments, format);
	path = path_of(root, format, arguments);
	va_end(arguments);
	has = path && !stat(path, &found);
	free(path);
	return has;
}

char *root_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, key, length)) {
			const char *value = text + length;

			value += strspn(value, " \t");
			if (*value++ == ':') {
				value += strspn(value, " \t");
				return strndup(value, strcspn(value, "\n"));
			}
		}
	}
	return NULL;
}

bool root_number(const char *text, const char *key, unsigned base,
		 uint64_t *number)
{
	char *value = text ? root_value(text, key) : NULL;
	char *end = value;
	bool is_one;

	if (value)
		*number = strtoull(value, &end, (int)base);
	is_one = end != value;
	free(value);
	return is_one;
}

/* Whether the kernel's own users are others than those of this namespace. */
static bool has_own_users(const struct root *root)
{
	char *map = root_text(root, "/proc/self/uid_map");
	unsigned long inside, outside, num;
	bool is_inner =
		map &&
		sscanf(map, "%lu %lu %lu", &inside, &outside, &num) == 3 &&
		(inside || outside || num != UINT32_MAX);

	free(map);
	return is_inner;
}

void root_open(struct root *root, const char *path)
{
	char *status, *users;

	*root = (struct root){ .path = path ? path : "", .is_here = !path };
	status = root_text(root, "/proc/self/status");
	users = status ? root_value(status, "Uid") : NULL;
	root_number(status, "CapEff", 16, &root->capabilities);
	if (!users || sscanf(users, "%*u %u", &root->user) != 1)
		root->user = (unsigned)geteuid();
	root->is_inner = has_own_users(root);
	free(users);
	free(status);
}

bool root_can(const struct root *root, unsigned capability)
{
	return !root->is_inner && root->capabilities >> capability & 1;
}

static enum root_right opened(const char *path)
{
	int file = open(path, O_RDWR | O_CLOEXEC);
	enum root_right right = ROOT_WRITE;

	if (file < 0) {
		file = open(path, O_RDONLY | O_CLOEXEC);
		right = ROOT_READ;
	}
	if (file < 0)
		return errno == ENOENT || errno == ENXIO || errno == ENOTDIR
			       ? ROOT_MISSING
			       : ROOT_CLOSED;
	close(file);
	return right;
}

enum root_right root_right(const struct root *root, const char *path)
{
	char *full = root_path(root, path);
	enum root_right right = ROOT_MISSING;
	struct stat found;
	unsigned bits;

	if (full && root->is_here) {
		right = opened(full);
	} else if (full && !stat(full, &found)) {
		bits = found.st_mode >> (root->user ? 0 : 6) & 7;
		if (root_can(root, ROOT_CAP_DAC_OVERRIDE))
			bits = 6;
		right = (bits & 6) == 6 ? ROOT_WRITE
			: bits & 4	? ROOT_READ
					: ROOT_CLOSED;
	}
	free(full);
	return right;
}

char *root_mode(const struct root *root, const char *path)
{
	char *full = root_path(root, path), *words = NULL;
	struct stat found;

	if (full && !stat(full, &found) &&
	    asprintf(&words, "mode %04o, owner %u", found.st_mode & 07777u,
		     root->is_here ? (unsigned)found.st_uid : 0) < 0)
		words = NULL;
	free(full);
	return words;
}
