/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What samples refer to: events, positions, threads, stacks and data, each
 * written once, and what is said about the whole recording.
 */
#include "record/recorder.h"

/* The id that a search finds, or -1. */
static long find(sqlite3_stmt *search)
{
	long id = -1;

	if (sqlite3_step(search) == SQLITE_ROW)
		id = sql_id(search, 0);
	sqlite3_reset(search);
	return id;
}

int uncore_recorder_meta(struct uncore_recorder *recorder, const char *key,
			 const char *value, char **error)
{
	enum recorder_statement which = value ? INSERT_META : DELETE_META;
	sqlite3_stmt *statement = recorder_statement(recorder, which);

	sql_bind_text(statement, 1, key);
	if (value)
		sql_bind_text(statement, 2, value);
	return recorder_run(recorder, which, error);
}

int uncore_recorder_event(struct uncore_recorder *recorder,
			  const struct uncore_recorded_event *event, size_t *id,
			  char **error)
{
	sqlite3_stmt *insert = recorder_statement(recorder, INSERT_EVENT);
	int result;

	sqlite3_bind_int64(insert, 1, (sqlite3_int64)recorder->num_events);
	sql_bind_text(insert, 2, event->text);
	sql_bind_text(insert, 3, event->canonical);
	sql_bind_text(insert, 4, event->box);
	sqlite3_bind_int64(insert, 5, event->multiplier);
	sqlite3_bind_int64(insert, 6, (sqlite3_int64)event->period);
	result = recorder_run(recorder, INSERT_EVENT, error);
	if (!result)
		*id = recorder->num_events++;
	return result;
}

int uncore_recorder_thin(struct uncore_recorder *recorder, size_t event,
			 uint64_t period, uint64_t *num, char **error)
{
	sqlite3_stmt *thin = recorder_statement(recorder, THIN_SAMPLES);
	sqlite3_stmt *lengthen = recorder_statement(recorder, LENGTHEN_PERIOD);
	int code;

	sqlite3_bind_int64(thin, 1, (sqlite3_int64)event);
	sqlite3_bind_int64(lengthen, 1, (sqlite3_int64)period);
	sqlite3_bind_int64(lengthen, 2, (sqlite3_int64)event);
	code = recorder_run(recorder, THIN_SAMPLES, error);
	if (!code)
		*num += (uint64_t)sqlite3_changes(recorder->sql.db);
	return code ? code : recorder_run(recorder, LENGTHEN_PERIOD, error);
}

/* From `place` on, as both statements have them. */
static void bind_position(sqlite3_stmt *statement, int place,
			  const struct uncore_position *position)
{
	sqlite3_bind_int64(statement, place, (sqlite3_int64)position->address);
	sql_bind_text(statement, place + 1, position->object);
	sql_bind_text(statement, place + 2, position->symbol);
	sqlite3_bind_int64(statement, place + 3,
			   (sqlite3_int64)position->offset);
	sql_bind_text(statement, place + 4, position->source);
}

int uncore_recorder_position(struct uncore_recorder *recorder,
			     const struct uncore_position *position, long *id,
			     char **error)
{
	sqlite3_stmt *statement = recorder_statement(recorder, FIND_POSITION);
	int result;

	if (recorder->failure)
		return recorder_failed(recorder, error);
	bind_position(statement, 1, position);
	*id = find(statement);
	if (*id >= 0)
		return 0;
	statement = recorder_statement(recorder, INSERT_POSITION);
	sqlite3_bind_int64(statement, 1, recorder->num_positions);
	bind_position(statement, 2, position);
	result = recorder_run(recorder, INSERT_POSITION, error);
	if (!result)
		*id = recorder->num_positions++;
	return result;
}

static void bind_thread(sqlite3_stmt *statement, int place, long process,
			long thread, const char *name)
{
	sqlite3_bind_int64(statement, place, process);
	sqlite3_bind_int64(statement, place + 1, thread);
	sql_bind_text(statement, place + 2, name);
}

int uncore_recorder_thread(struct uncore_recorder *recorder, long process,
			   long thread, const char *name, long *id,
			   char **error)
{
	sqlite3_stmt *statement = recorder_statement(recorder, FIND_THREAD);
	int result;

	if (recorder->failure)
		return recorder_failed(recorder, error);
	bind_thread(statement, 1, process, thread, name);
	*id = find(statement);
	if (*id >= 0)
		return 0;
	statement = recorder_statement(recorder, INSERT_THREAD);
	sqlite3_bind_int64(statement, 1, recorder->num_threads);
	bind_thread(statement, 2, process, thread, name);
	result = recorder_run(recorder, INSERT_THREAD, error);
	if (!result)
		*id = recorder->num_threads++;
	return result;
}

int uncore_recorder_stack(struct uncore_recorder *recorder, long position,
			  long caller, long *id, char **error)
{
	sqlite3_stmt *statement = recorder_statement(recorder, FIND_STACK);
	int result;

	if (recorder->failure)
		return recorder_failed(recorder, error);
	sqlite3_bind_int64(statement, 1, position);
	sql_bind_id(statement, 2, caller);
	*id = find(statement);
	if (*id >= 0)
		return 0;
	statement = recorder_statement(recorder, INSERT_STACK);
	sqlite3_bind_int64(statement, 1, recorder->num_stacks);
	sqlite3_bind_int64(statement, 2, position);
	sql_bind_id(statement, 3, caller);
	result = recorder_run(recorder, INSERT_STACK, error);
	if (!result)
		*id = recorder->num_stacks++;
	return result;
}

static void bind_datum(sqlite3_stmt *statement, int place,
		       const struct uncore_datum *datum)
{
	sql_bind_text(statement, place, sql_datum_kinds[datum->kind]);
	sql_bind_text(statement, place + 1, datum->object);
	sql_bind_text(statement, place + 2, datum->symbol);
}

int uncore_recorder_datum(struct uncore_recorder *recorder,
			  const struct uncore_datum *datum, long *id,
			  char **error)
{
	sqlite3_stmt *statement = recorder_statement(recorder, FIND_DATUM);
	int result;

	if (recorder->failure)
		return recorder_failed(recorder, error);
	bind_datum(statement, 1, datum);
	*id = find(statement);
	if (*id >= 0)
		return 0;
	statement = recorder_statement(recorder, INSERT_DATUM);
	sqlite3_bind_int64(statement, 1, recorder->num_data);
	bind_datum(statement, 2, datum);
	result = recorder_run(recorder, INSERT_DATUM, error);
	if (!result)
		*id = recorder->num_data++;
	return result;
}

int uncore_recorder_state(struct uncore_recorder *recorder,
			  const struct uncore_state *state, char **error)
{
	sqlite3_stmt *insert = recorder_statement(recorder, INSERT_STATE);

	sql_bind_text(insert, 1, sql_state_kinds[state->kind]);
	sqlite3_bind_int64(insert, 2, state->socket);
	sql_bind_text(insert, 3, state->box);
	sqlite3_bind_int64(insert, 4, state->instance);
	sql_bind_text(insert, 5, state->name);
	sqlite3_bind_int64(insert, 6, (sqlite3_int64)state->value);
	return recorder_run(recorder, INSERT_STATE, error);
}
