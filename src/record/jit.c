/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See jit.h. Anybody may write to /tmp: what is read there is somebody's word
 * on names and nothing else.
 */
#include "record/jit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

#define MOST_BYTES (64 << 20)

struct code {
	uint64_t start, size;
	size_t order; /* in the file: later ones lie where earlier ones were */
	char *name;
};

struct jit {
	char path[64];
	struct code *codes; /* by start */
	size_t num;
};

static FILE *open_map(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;

	if (file < 0)
		return NULL;
	if (!fstat(file, &status) && S_ISREG(status.st_mode) &&
	    status.st_uid == geteuid() && status.st_size <= MOST_BYTES)
		return fdopen(file, "r");
	close(file);
	return NULL;
}

static bool add(struct jit *jit, char *line)
{
	struct code code = { .order = jit->num };
	int name = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &code.start, &code.size,
		   &name) != 2 ||
	    !name || !line[name])
		return true; /* no line of a map */
	if (!array_room(&jit->codes, jit->num, sizeof(code)))
		return false;
	code.name = strdup(line + name);
	if (!code.name)
		return false;
	jit->codes[jit->num++] = code;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct code *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return one->order < other->order ? -1 : one->order > other->order;
}

static void read_map(struct jit *jit, long process)
{
	char *line = NULL;
	size_t size = 0, left = MOST_BYTES;
	ssize_t length;
	FILE *file;

	snprintf(jit->path, sizeof(jit->path), "/tmp/perf-%ld.map", process);
	file = open_map(jit->path);
	if (!file)
		return;
	/* it may grow while it is read */
	while ((length = getline(&line, &size, file)) > 0 &&
	       (size_t)length <= left && add(jit, line))
		left -= (size_t)length;
	free(line);
	fclose(file);
	if (jit->num)
		qsort(jit->codes, jit->num, sizeof(*jit->codes), by_start);
}

static void free_map(struct jit *jit)
{
	for (size_t i = 0; i < jit->num; i++)
		free(jit->codes[i].name);
	free(jit->codes);
}

/* The last one that begins at or before the address, if it goes as far. */
static const struct code *find(const struct jit *jit, uint64_t address)
{
	size_t from = 0, until = jit->num;

	while (from < until) {
		size_t middle = from + (until - from) / 2;

		if (jit->codes[middle].start <= address)
			from = middle + 1;
		else
			until = middle;
	}
	if (!from ||
	    address - jit->codes[from - 1].start >= jit->codes[from - 1].size)
		return NULL;
	return &jit->codes[from - 1];
}

static int name_all(struct sql *sql, const struct jit *jit, long process)
{
	sqlite3_stmt *select = sql_prepare(sql, sql_unnamed);
	sqlite3_stmt *update =
		sql_prepare(sql, "UPDATE position SET object = ?, symbol = ?,"
				 " offset = ? WHERE id = ?");
	int code = select && update ? SQLITE_OK : SQLITE_ERROR;

	if (!code)
		sqlite3_bind_int64(select, 1, process);
	while (!code && (code = sqlite3_step(select)) == SQLITE_ROW) {
		uint64_t address = (uint64_t)sqlite3_column_int64(select, 1);
		const struct code *found = find(jit, address);

		code = SQLITE_OK;
		if (!found)
			continue;
		sql_bind_text(update, 1, jit->path);
		sql_bind_text(update, 2, found->name);
		sqlite3_bind_int64(update, 3,
				   (sqlite3_int64)(address - found->start));
		sqlite3_bind_int64(update, 4, sqlite3_column_int64(select, 0));
		code = sql_step(update) == SQLITE_DONE ? SQLITE_OK
						       : SQLITE_ERROR;
	}
	sqlite3_finalize(select);
	sqlite3_finalize(update);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

int jit_name(struct sql *sql)
{
	sqlite3_stmt *select =
		sql_prepare(sql, "SELECT DISTINCT process FROM thread");
	int code = select ? SQLITE_OK : SQLITE_ERROR;

	while (!code && (code = sqlite3_step(select)) == SQLITE_ROW) {
		long process = (long)sqlite3_column_int64(select, 0);
		struct jit jit = { 0 };

		if (process > 0)
			read_map(&jit, process);
		code = jit.num ? name_all(sql, &jit, process) : SQLITE_OK;
		free_map(&jit);
	}
	sqlite3_finalize(select);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}
