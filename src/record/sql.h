/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What writer and reader of recordings share: the tables, and SQLite in the few
 * ways in which it is used here.
 */
#ifndef UNCORE_RECORD_SQL_H
#define UNCORE_RECORD_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/recording.h"

/* In the header of the file: "uncR". */
enum { SQL_APPLICATION = 0x756e6352 };

/* The tables of docs/formats.md. */
extern const char sql_schema[];

/* Others of recording.sql. */
extern const char sql_no_tables[], sql_not_of_first[], sql_not_of_second[],
	sql_not_of_third[], sql_unnamed[];

/* One connection, and what it is called in messages. */
struct sql {
	sqlite3 *db;
	char *path;
	int lock; /* held (flock) by the one who writes */
	bool has_lock;
};

/* Opens; SQLite's own flags. On error nothing is left open. */
int sql_open(struct sql *sql, const char *path, int flags, char **error);
void sql_close(struct sql *sql);

/* Text without results. Returns SQLite's code. */
int sql_run(struct sql *sql, const char *text);

/* A statement, or NULL. */
sqlite3_stmt *sql_prepare(struct sql *sql, const char *text);

/* Steps a statement that has no rows to give, and resets it. Returns SQLite's
 * code, SQLITE_DONE if all went well. */
int sql_step(sqlite3_stmt *statement);

/* Binds: an unknown value (-1, NULL) becomes SQL's NULL. */
void sql_bind_id(sqlite3_stmt *statement, int place, long id);
void sql_bind_text(sqlite3_stmt *statement, int place, const char *text);

/* The other way round. */
long sql_id(sqlite3_stmt *statement, int column);
const char *sql_text(sqlite3_stmt *statement, int column);

/* The names of kinds, as they are stored; the kind of a name, or -1. */
extern const char *const sql_sample_kinds[];
extern const char *const sql_uses[];
extern const char *const sql_datum_kinds[];
extern const char *const sql_state_kinds[];
int sql_kind(const char *const *kinds, const char *name);

/* What the last call's failure was, for people; UNCORE_ERR_IO. */
const char *sql_reason(const struct sql *sql);

/* Makes an empty recording (create.c). */
int sql_create(struct sql *sql, const char *path, bool replace, char **error);

#endif
