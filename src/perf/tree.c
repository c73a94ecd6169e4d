/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From a folder or a capture to texts by path. Of a folder only that is read
 * which says what a PMU is and where its CPUs are, so a capture stays small.
 */
#include "perf/tree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "uncore/error.h"

enum { LARGEST_FILE = 4096, LARGEST_CAPTURE = 16 << 20 };

/* More than any folder has that a kernel shows. */
enum { MOST_FILES = 1 << 18 };

static bool add(struct perf_tree *tree, const char *path, const char *text)
{
	struct perf_file file = { 0 };

	if (tree->num == MOST_FILES)
		return false;
	file.path = strdup(path);
	file.text = strdup(text);
	if (!file.path || !file.text ||
	    !array_room(&tree->files, tree->num, sizeof(file))) {
		free(file.path);
		free(file.text);
		return false;
	}
	tree->files[tree->num++] = file;
	return true;
}

/* Why something could not be added. */
static int not_added(const struct perf_tree *tree, const char *place,
		     char **error)
{
	if (tree->num < MOST_FILES)
		return UNCORE_ERR_NO_MEMORY;
	return text_error(UNCORE_ERR_BAD_SYNTAX, error,
			  "%s shows more than %d files of PMUs", place,
			  MOST_FILES);
}

static int by_path(const void *a, const void *b)
{
	const struct perf_file *one = a, *other = b;

	return strcmp(one->path, other->path);
}

/* Folders */

/* A path as printf() makes it; "" where it would be too long. */
static void join(char path[PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void join(char path[PATH_MAX], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(path, PATH_MAX, format, arguments) >= PATH_MAX)
		path[0] = '\0';
	va_end(arguments);
}

/* The first line of a file, if it is one that can be read. */
static bool take(struct perf_tree *tree, const char *place, const char *path)
{
	char name[PATH_MAX];
	bool has_room;
	char *line;

	join(name, "%s/%s", place, path);
	line = file_text(name, LARGEST_FILE, NULL);
	if (!line)
		return true;
	line[strcspn(line, "\n")] = '\0';
	has_room = add(tree, path, line);
	free(line);
	return has_room;
}

/* Calls `each` with the path of every entry of a folder; false without memory.
 */
static bool walk(struct perf_tree *tree, const char *place, const char *folder,
		 bool (*each)(struct perf_tree *tree, const char *place,
			      const char *path))
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool has_room = true;
	DIR *list;

	join(path, "%s/%s", place, folder);
	list = opendir(path);
	/* nobody else has this stream */
	/* cppcheck-suppress readdirCalled */
	while (list && has_room && (entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		join(path, "%s/%s", folder, entry->d_name);
		has_room = each(tree, place, path);
	}
	if (list)
		closedir(list);
	return has_room;
}

static bool take_pmu(struct perf_tree *tree, const char *place, const char *pmu)
{
	static const char *const files[] = { "type", "cpumask", "identifier" };
	char path[PATH_MAX];
	bool has_room = true;

	for (unsigned i = 0; i < 3 && has_room; i++) {
		join(path, "%s/%s", pmu, files[i]);
		has_room = take(tree, place, path);
	}
	join(path, "%s/format", pmu);
	has_room = has_room && walk(tree, place, path, take);
	join(path, "%s/events", pmu);
	return has_room && walk(tree, place, path, take);
}

static bool take_cpu(struct perf_tree *tree, const char *place, const char *cpu)
{
	char path[PATH_MAX];

	join(path, "%s/topology/physical_package_id", cpu);
	return take(tree, place, path);
}

static int read_folder(struct perf_tree *tree, const char *place, char **error)
{
	char path[PATH_MAX];

	join(path, "%s/" PERF_DEVICES, place);
	if (access(path, R_OK | X_OK))
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "cannot look into %s, where the kernel shows "
				  "its PMUs: %s",
				  path, strerror(errno));
	if (!walk(tree, place, PERF_DEVICES, take_pmu) ||
	    !walk(tree, place, "devices/system/cpu", take_cpu))
		return not_added(tree, place, error);
	return 0;
}

/* Captures */

static int add_line(struct perf_tree *tree, const char *place, char *line,
		    unsigned number, char **error)
{
	char *equals;

	line[strcspn(line, "\r")] = '\0';
	equals = strstr(line, " = ");
	if (!*line || *line == '#')
		return 0;
	if (!equals)
		return text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "%s:%u: '%.60s' is no line of a capture, "
				  "which are written PATH = TEXT",
				  place, number, line);
	*equals = '\0';
	return add(tree, line, equals + 3) ? 0 : not_added(tree, place, error);
}

/* Of two texts of one file nobody knows which is meant. */
static int look_for_twins(const struct perf_tree *tree, const char *place,
			  char **error)
{
	for (size_t i = 1; i < tree->num; i++) {
		const struct perf_file *one = &tree->files[i - 1];
		const struct perf_file *other = &tree->files[i];

		if (!by_path(one, other) && strcmp(one->text, other->text))
			return text_error(UNCORE_ERR_BAD_SYNTAX, error,
					  "%s has %.200s twice, as '%.60s' and "
					  "as '%.60s': leave one out",
					  place, one->path, one->text,
					  other->text);
	}
	return 0;
}

/* The lines of a text, which is cut into them. */
static int read_lines(struct perf_tree *tree, const char *place, char *text,
		      char **error)
{
	unsigned number = 0;
	int code = 0;
	char *line;

	while (!code && (line = strsep(&text, "\n")))
		code = add_line(tree, place, line, ++number, error);
	if (tree->num)
		qsort(tree->files, tree->num, sizeof(*tree->files), by_path);
	return code ? code : look_for_twins(tree, place, error);
}

static int read_capture(struct perf_tree *tree, const char *place, char **error)
{
	char *text = file_text(place, LARGEST_CAPTURE, error);
	int code;

	if (!text)
		return UNCORE_ERR_NO_HARDWARE;
	code = read_lines(tree, place, text, error);
	free(text);
	return code;
}

int perf_tree_parse(struct perf_tree *tree, const char *text, char **error)
{
	char *copy;
	int code;

	*tree = (struct perf_tree){ 0 };
	if (strlen(text) > LARGEST_CAPTURE)
		return text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "the capture is larger than %d MB",
				  LARGEST_CAPTURE >> 20);
	copy = strdup(text);
	if (!copy)
		return UNCORE_ERR_NO_MEMORY;
	code = read_lines(tree, "the capture", copy, error);
	free(copy);
	return code;
}

int perf_tree_read(struct perf_tree *tree, const char *place, char **error)
{
	struct stat status;
	int code;

	*tree = (struct perf_tree){ 0 };
	if (stat(place, &status))
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "cannot open %s: %s", place, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return read_capture(tree, place, error);
	code = read_folder(tree, place, error);
	if (tree->num)
		qsort(tree->files, tree->num, sizeof(*tree->files), by_path);
	return code;
}

void perf_tree_free(struct perf_tree *tree)
{
	for (size_t i = 0; i < tree->num; i++) {
		free(tree->files[i].path);
		free(tree->files[i].text);
	}
	free(tree->files);
	*tree = (struct perf_tree){ 0 };
}

size_t perf_tree_first(const struct perf_tree *tree, const char *path)
{
	size_t low = 0, high = tree->num;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(tree->files[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *perf_tree_text(const struct perf_tree *tree, const char *format,
			   ...)
{
	char path[PATH_MAX];
	va_list arguments;
	size_t at;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	at = perf_tree_first(tree, path);
	return at < tree->num && !strcmp(tree->files[at].path, path)
		       ? tree->files[at].text
		       : NULL;
}

char *perf_tree_say(const struct perf_tree *tree)
{
	struct text text = { 0 };

	for (size_t i = 0; i < tree->num; i++)
		text_add(&text, "%s = %s\n", tree->files[i].path,
			 tree->files[i].text);
	return text_take(&text);
}
