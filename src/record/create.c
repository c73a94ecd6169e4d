/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An empty recording. What stands in the way is never taken away unless it is a
 * recording itself and replacing it was asked for.
 *
 * A rollback journal, not a write-ahead log: the file alone holds everything
 * that is committed, also after a kill, and it can be read where no byte can be
 * written any more; a log is a second file that is needed to read the first,
 * and reading makes a third one. The price is that a reader waits while the
 * writer commits, for some milliseconds twice in a second.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "record/sql.h"
#include "uncore/error.h"

/* SQLite's header: 100 bytes, the application's number at byte 68. */
enum { HEADER_BYTES = 100, APPLICATION_AT = 68 };

static bool is_recording(const char *path)
{
	unsigned char bytes[HEADER_BYTES];
	FILE *file = fopen(path, "rb");
	const unsigned char *id = bytes + APPLICATION_AT;
	size_t num;

	if (!file)
		return false;
	num = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return num == sizeof(bytes) && !memcmp(bytes, "SQLite format 3", 16) &&
	       ((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 |
		(uint32_t)id[2] << 8 | id[3]) == SQL_APPLICATION;
}

/* An old journal would be played into the new file. */
static void remove_journal(const char *path)
{
	char *name;

	if (asprintf(&name, "%s-journal", path) < 0)
		return;
	unlink(name);
	free(name);
}

/* Whoever writes a recording holds a lock: replaced under its hands, its
 * journal would be played into the new file. */
static bool is_written(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool is_held;

	if (file < 0)
		return false;
	is_held = flock(file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	close(file);
	return is_held;
}

static int make_way(const char *path, bool replace, char **error)
{
	struct stat found;

	if (lstat(path, &found))
		return 0;
	if (!S_ISREG(found.st_mode))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "'%s' is no file that a recording could be "
				  "written to",
				  path);
	if (!replace)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "'%s' exists already; give another name or "
				  "--replace",
				  path);
	if (found.st_size && !is_recording(path))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "'%s' is no recording, and is not replaced "
				  "by one; remove it yourself",
				  path);
	if (is_written(path))
		return text_error(UNCORE_ERR_IO, error,
				  "'%s' is being written by another 'uncore "
				  "record'; give another name",
				  path);
	if (unlink(path))
		return text_error(UNCORE_ERR_IO, error,
				  "cannot replace '%s': %s", path,
				  strerror(errno));
	return 0;
}

static int make_file(const char *path, int *lock, char **error)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (file < 0)
		return text_error(errno == ENOSPC || errno == EDQUOT
					  ? UNCORE_ERR_IO
					  : UNCORE_ERR_BAD_OPTION,
				  error, "cannot make '%s': %s", path,
				  strerror(errno));
	flock(file, LOCK_EX | LOCK_NB); /* where there are locks */
	*lock = file;
	remove_journal(path);
	return 0;
}

static bool make_tables(struct sql *sql)
{
	char pragma[80];

	snprintf(pragma, sizeof(pragma),
		 "PRAGMA application_id=%d; PRAGMA user_version=%d",
		 SQL_APPLICATION, UNCORE_RECORDING_VERSION);
	return sql_run(sql, "PRAGMA journal_mode=DELETE;"
			    "PRAGMA synchronous=FULL;"
			    /* no lock before the commit */
			    "PRAGMA cache_spill=OFF;"
			    "BEGIN") == SQLITE_OK &&
	       sql_run(sql, pragma) == SQLITE_OK &&
	       sql_run(sql, sql_schema) == SQLITE_OK;
}

int sql_create(struct sql *sql, const char *path, bool replace, char **error)
{
	int result = make_way(path, replace, error);
	int lock = -1;

	if (!result)
		result = make_file(path, &lock, error);
	if (result)
		return result;
	result = sql_open(sql, path, SQLITE_OPEN_READWRITE, error);
	if (result) {
		close(lock);
		return result;
	}
	sql->lock = lock;
	sql->has_lock = true;
	if (make_tables(sql))
		return 0;
	result = text_error(UNCORE_ERR_IO, error, "cannot write '%s': %s", path,
			    sql_reason(sql));
	sql_close(sql);
	unlink(path);
	return result;
}
