/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads a recording. The file may still be written to: what is read is what was
 * committed when the first row was asked for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/sql.h"
#include "uncore/error.h"
#include "uncore/target.h"

enum { WAIT_MS = 10000, MAX_INDEX = UINT16_MAX, MAX_ID = INT32_MAX };

enum { META, EVENT, POSITION, THREAD, STATE, SAMPLES, COUNTS, NUM_QUERIES };

static const char *const texts[NUM_QUERIES] = {
	[META] = "SELECT value FROM meta WHERE key = ?",
	[EVENT] = "SELECT text, canonical, box, multiplier, period FROM event"
		  " WHERE id = ?",
	[POSITION] = "SELECT address, object, symbol, offset FROM position"
		     " WHERE id = ?",
	[THREAD] = "SELECT process, thread, name FROM thread WHERE id = ?",
	[STATE] = "SELECT socket, box, instance, name, value, kind FROM state"
		  " WHERE id = ?",
	[SAMPLES] = "SELECT id, kind, socket, cycle, seconds, length, event,"
		    " instance, overrun, lost, core, position, thread"
		    " FROM sample ORDER BY seconds, id",
	[COUNTS] = "SELECT event, instance, value, seconds FROM count"
		   " WHERE sample = ? ORDER BY event, instance",
};

struct uncore_recording {
	struct sql sql;
	sqlite3_stmt *queries[NUM_QUERIES];
	struct uncore_sample_count *counts;
	size_t size_counts;
};

static long pragma(struct sql *sql, const char *text)
{
	sqlite3_stmt *query = sql_prepare(sql, text);
	long value = -1;

	if (query && sqlite3_step(query) == SQLITE_ROW)
		value = sql_id(query, 0);
	sqlite3_finalize(query);
	return value;
}

static int check(struct uncore_recording *recording, char **error)
{
	struct sql *sql = &recording->sql;
	long application = pragma(sql, "PRAGMA application_id");
	long version = pragma(sql, "PRAGMA user_version");

	if (application < 0)
		return text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "cannot read '%s': %s", sql->path,
				  sql_reason(sql));
	if (application != SQL_APPLICATION)
		return text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "'%s' is no recording of 'uncore record'",
				  sql->path);
	if (version != UNCORE_RECORDING_VERSION)
		return text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "'%s' is a recording of version %ld; this "
				  "program knows version %d",
				  sql->path, version, UNCORE_RECORDING_VERSION);
	return 0;
}

static int prepare_all(struct uncore_recording *recording, char **error)
{
	for (unsigned i = 0; i < NUM_QUERIES; i++) {
		recording->queries[i] = sql_prepare(&recording->sql, texts[i]);
		if (!recording->queries[i])
			return text_error(UNCORE_ERR_BAD_RECORDING, error,
					  "cannot read '%s': %s",
					  recording->sql.path,
					  sql_reason(&recording->sql));
	}
	return 0;
}

int uncore_recording_open(const char *path, struct uncore_recording **recording,
			  char **error)
{
	struct uncore_recording *new = calloc(1, sizeof(*new));
	int result;

	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	/* Writing is for what a killed recorder left half done. */
	result = sql_open(&new->sql, path, SQLITE_OPEN_READWRITE, error);
	if (!result) {
		sqlite3_busy_timeout(new->sql.db, WAIT_MS);
		result = check(new, error);
	}
	if (!result)
		result = prepare_all(new, error);
	if (result)
		uncore_recording_free(new);
	else
		*recording = new;
	return result;
}

void uncore_recording_free(struct uncore_recording *recording)
{
	if (!recording)
		return;
	for (unsigned i = 0; i < NUM_QUERIES; i++)
		sqlite3_finalize(recording->queries[i]);
	sql_close(&recording->sql);
	free(recording->counts);
	free(recording);
}

/* The row with an id, or NULL. Its text is good until the next call. */
static sqlite3_stmt *row(struct uncore_recording *recording, unsigned query,
			 size_t id)
{
	sqlite3_stmt *statement = recording->queries[query];

	sqlite3_reset(statement);
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
	if (sqlite3_step(statement) == SQLITE_ROW)
		return statement;
	sqlite3_reset(statement);
	return NULL;
}

const char *uncore_recording_meta(struct uncore_recording *recording,
				  const char *key)
{
	sqlite3_stmt *statement = recording->queries[META];

	sqlite3_reset(statement);
	sql_bind_text(statement, 1, key);
	if (sqlite3_step(statement) == SQLITE_ROW)
		return sql_text(statement, 0);
	sqlite3_reset(statement);
	return NULL;
}

bool uncore_recording_is_complete(struct uncore_recording *recording)
{
	return uncore_recording_meta(recording, "complete");
}

bool uncore_recording_event(struct uncore_recording *recording, size_t index,
			    struct uncore_recorded_event *event)
{
	sqlite3_stmt *found = row(recording, EVENT, index);

	if (!found)
		return false;
	*event = (struct uncore_recorded_event){
		.text = sql_text(found, 0),
		.canonical = sql_text(found, 1),
		.box = sql_text(found, 2),
		.multiplier = (unsigned)sqlite3_column_int64(found, 3),
		.period = (uint64_t)sqlite3_column_int64(found, 4),
	};
	return true;
}

bool uncore_recording_position(struct uncore_recording *recording, size_t index,
			       struct uncore_position *position)
{
	sqlite3_stmt *found = row(recording, POSITION, index);

	if (!found)
		return false;
	*position = (struct uncore_position){
		.address = (uint64_t)sqlite3_column_int64(found, 0),
		.object = sql_text(found, 1),
		.symbol = sql_text(found, 2),
		.offset = (uint64_t)sqlite3_column_int64(found, 3),
	};
	return true;
}

bool uncore_recording_thread(struct uncore_recording *recording, size_t index,
			     long *process, long *thread, const char **name)
{
	sqlite3_stmt *found = row(recording, THREAD, index);

	if (!found)
		return false;
	*process = (long)sqlite3_column_int64(found, 0);
	*thread = (long)sqlite3_column_int64(found, 1);
	*name = sql_text(found, 2);
	return true;
}

bool uncore_recording_state(struct uncore_recording *recording, size_t index,
			    struct uncore_state *state)
{
	/* its ids are SQLite's own and start at 1 */
	sqlite3_stmt *found = row(recording, STATE, index + 1);

	int kind = found ? sql_kind(sql_state_kinds, sql_text(found, 5)) : -1;

	if (kind < 0)
		return false;
	*state = (struct uncore_state){
		.kind = (enum uncore_state_kind)kind,
		.socket = (unsigned)sqlite3_column_int64(found, 0),
		.box = sql_text(found, 1),
		.instance = (unsigned)sqlite3_column_int64(found, 2),
		.name = sql_text(found, 3),
		.value = (uint64_t)sqlite3_column_int64(found, 4),
	};
	return true;
}

static bool make_room(struct uncore_recording *recording, size_t num)
{
	struct uncore_sample_count *counts;
	size_t size = recording->size_counts ? 2 * recording->size_counts : 64;

	if (num <= recording->size_counts)
		return true;
	counts = realloc(recording->counts, size * sizeof(*counts));
	if (!counts)
		return false;
	recording->counts = counts;
	recording->size_counts = size;
	return true;
}

/* Readers use numbers of rows, sockets and instances as indices. */
static bool is_number(sqlite3_stmt *query, int column, long most)
{
	sqlite3_int64 number = sqlite3_column_int64(query, column);

	return number >= 0 && number <= most;
}

static bool makes_sense(sqlite3_stmt *query)
{
	static const int ids[] = { 6, 7, 10, 11, 12 };
	bool fine = is_number(query, 2, MAX_INDEX);

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		fine = fine && is_number(query, ids[i], MAX_ID);
	return fine && isfinite(sqlite3_column_double(query, 4)) &&
	       isfinite(sqlite3_column_double(query, 5));
}

static int no_sense(const struct uncore_recording *recording, char **error)
{
	return text_error(UNCORE_ERR_BAD_RECORDING, error,
			  "'%s' has numbers that no recorder writes: somebody "
			  "has changed it",
			  recording->sql.path);
}

static int read_failed(const struct uncore_recording *recording, char **error)
{
	return text_error(UNCORE_ERR_BAD_RECORDING, error,
			  "cannot read '%s': %s", recording->sql.path,
			  sql_reason(&recording->sql));
}

static int read_counts(struct uncore_recording *recording, sqlite3_int64 sample,
		       size_t *num_counts, char **error)
{
	sqlite3_stmt *query = recording->queries[COUNTS];
	int code;

	*num_counts = 0;
	sqlite3_reset(query);
	sqlite3_bind_int64(query, 1, sample);
	while ((code = sqlite3_step(query)) == SQLITE_ROW) {
		if (!make_room(recording, *num_counts + 1))
			return UNCORE_ERR_NO_MEMORY;
		if (!is_number(query, 0, MAX_INDEX) ||
		    !is_number(query, 1, MAX_INDEX))
			return no_sense(recording, error);
		recording->counts[(*num_counts)++] =
			(struct uncore_sample_count){
				.event = (size_t)sqlite3_column_int64(query, 0),
				.instance = (unsigned)sqlite3_column_int64(
					query, 1),
				.value = (uint64_t)sqlite3_column_int64(query,
									2),
				.seconds = sqlite3_column_double(query, 3),
			};
	}
	sqlite3_reset(query);
	return code == SQLITE_DONE ? 1 : read_failed(recording, error);
}

static void take_sample(sqlite3_stmt *query, struct uncore_sample *sample)
{
	long cycle = sql_id(query, 3);

	*sample = (struct uncore_sample){
		.socket = (unsigned)sqlite3_column_int64(query, 2),
		.cycle = cycle < 0 ? UNCORE_NO_CYCLE : (uint64_t)cycle,
		.seconds = sqlite3_column_double(query, 4),
		.length_seconds = sqlite3_column_double(query, 5),
		.event = sql_id(query, 6),
		.instance = sql_id(query, 7),
		.overrun = (uint64_t)sqlite3_column_int64(query, 8),
		.lost = (uint64_t)sqlite3_column_int64(query, 9),
		.core = sql_id(query, 10),
		.position = sql_id(query, 11),
		.thread = sql_id(query, 12),
	};
}

int uncore_recording_next(struct uncore_recording *recording,
			  struct uncore_sample *sample,
			  const struct uncore_sample_count **counts,
			  size_t *num_counts, char **error)
{
	sqlite3_stmt *query = recording->queries[SAMPLES];
	int code = sqlite3_step(query), kind;

	if (code == SQLITE_DONE)
		return 0;
	if (code != SQLITE_ROW)
		return read_failed(recording, error);
	if (!makes_sense(query))
		return no_sense(recording, error);
	take_sample(query, sample);
	kind = sql_kind(sql_sample_kinds, sql_text(query, 1));
	if (kind < 0)
		return text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "'%s' has a sample of an unknown kind",
				  recording->sql.path);
	sample->kind = (enum uncore_sample_kind)kind;
	code = read_counts(recording, sqlite3_column_int64(query, 0),
			   num_counts, error);
	*counts = recording->counts;
	return code;
}

void uncore_recording_rewind(struct uncore_recording *recording)
{
	sqlite3_reset(recording->queries[SAMPLES]);
}
