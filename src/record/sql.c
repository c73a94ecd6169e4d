/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Small helpers around SQLite.
 */
#include "record/sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "uncore/error.h"

const char *const sql_sample_kinds[] = {
	[UNCORE_SAMPLE_PERIOD] = "period",
	[UNCORE_SAMPLE_INTERVAL] = "interval",
	[UNCORE_SAMPLE_FREEZE] = "freeze",
	[UNCORE_SAMPLE_END] = "end",
	[UNCORE_SAMPLE_THINNED] = "thinned",
	NULL,
};

const char *const sql_uses[] = {
	[UNCORE_SAMPLED_LOAD] = "load",
	[UNCORE_SAMPLED_STORE] = "store",
	[UNCORE_SAMPLED_FETCH] = "fetch",
	[UNCORE_SAMPLED_PREFETCH] = "prefetch",
	[UNCORE_SAMPLED_LOCK] = "lock",
	[UNCORE_SAMPLED_FLUSH] = "flush",
	[UNCORE_SAMPLED_STREAM] = "stream",
	[UNCORE_SAMPLED_WALK] = "walk",
	[UNCORE_SAMPLED_KERNEL] = "kernel",
	NULL,
};

const char *const sql_datum_kinds[] = {
	[UNCORE_DATUM_SYMBOL] = "symbol",
	[UNCORE_DATUM_FILE] = "file",
	[UNCORE_DATUM_HEAP] = "heap",
	[UNCORE_DATUM_STACK] = "stack",
	[UNCORE_DATUM_ANONYMOUS] = "anonymous",
	[UNCORE_DATUM_ALLOCATED] = "allocated",
	NULL,
};

const char *const sql_state_kinds[] = {
	[UNCORE_STATE_STATUS] = "status",
	[UNCORE_STATE_COUNT] = "count",
	[UNCORE_STATE_LEVEL] = "level",
	NULL,
};

int sql_kind(const char *const *kinds, const char *name)
{
	for (int i = 0; name && kinds[i]; i++)
		if (!strcmp(kinds[i], name))
			return i;
	return -1;
}

int sql_open(struct sql *sql, const char *path, int flags, char **error)
{
	int code = sqlite3_open_v2(path, &sql->db, flags, NULL);

	sql->path = strdup(path);
	if (code == SQLITE_OK && sql->path)
		return 0;
	if (!access(path, F_OK) || errno != ENOENT)
		code = text_error(UNCORE_ERR_IO, error, "cannot open '%s': %s",
				  path,
				  sql->db ? sql_reason(sql) : "out of memory");
	else
		code = text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "there is no recording '%s'; 'uncore record "
				  "-o %s PROGRAM' makes one",
				  path, path);
	sql_close(sql);
	return code;
}

void sql_close(struct sql *sql)
{
	sqlite3_close(sql->db);
	if (sql->has_lock)
		close(sql->lock); /* not before: SQLite's locks would go */
	free(sql->path);
	*sql = (struct sql){ 0 };
}

int sql_run(struct sql *sql, const char *text)
{
	return sqlite3_exec(sql->db, text, NULL, NULL, NULL);
}

sqlite3_stmt *sql_prepare(struct sql *sql, const char *text)
{
	sqlite3_stmt *statement = NULL;

	sqlite3_prepare_v2(sql->db, text, -1, &statement, NULL);
	return statement;
}

int sql_step(sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);

	sqlite3_reset(statement);
	return code;
}

void sql_bind_id(sqlite3_stmt *statement, int place, long id)
{
	if (id < 0)
		sqlite3_bind_null(statement, place);
	else
		sqlite3_bind_int64(statement, place, id);
}

void sql_bind_text(sqlite3_stmt *statement, int place, const char *text)
{
	/* NULL binds SQL's NULL */
	sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

long sql_id(sqlite3_stmt *statement, int column)
{
	if (sqlite3_column_type(statement, column) == SQLITE_NULL)
		return -1;
	return (long)sqlite3_column_int64(statement, column);
}

const char *sql_text(sqlite3_stmt *statement, int column)
{
	return (const char *)sqlite3_column_text(statement, column);
}

const char *sql_reason(const struct sql *sql)
{
	switch (sqlite3_errcode(sql->db)) {
	case SQLITE_FULL: return "the disk is full";
	case SQLITE_BUSY: return "somebody else uses it without end";
	case SQLITE_NOTADB: return "it is no SQLite file";
	case SQLITE_CORRUPT:
		return "the file is damaged; what is left of it can be had by "
		       "sqlite3's command .recover";
	case SQLITE_READONLY:
		return "it was cut off while it was being written, and is to "
		       "be put right by the file '-journal' beside it, which "
		       "needs leave to write; copy both of them";
	case SQLITE_CANTOPEN:
		return sqlite3_system_errno(sql->db)
			       ? strerror(sqlite3_system_errno(sql->db))
			       : sqlite3_errmsg(sql->db);
	case SQLITE_IOERR:
		/* where SQLite cannot tell: a limit of the size of files */
		return sqlite3_system_errno(sql->db)
			       ? strerror(sqlite3_system_errno(sql->db))
			       : "the disk is full or does not work";
	default: return sqlite3_errmsg(sql->db);
	}
}
