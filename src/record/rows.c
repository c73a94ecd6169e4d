/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What samples refer to: events, positions, threads, stacks and data, each
 * written once, and what is said about the whole recording.
 */
#include "record/recorder.h"

/* Rows that are written once: `find`, which has been bound, looks for one, and
 * `insert`, which has been bound from its second place on, writes it with the
 * next number if there is none. */
static int once(struct uncore_recorder *recorder, enum recorder_statement find,
		enum recorder_statement insert, long *num, long *id,
		char **error)
{
	sqlite3_stmt *search = recorder->statements[find];
	int result;

	if (recorder->failure)
		return recorder_failed(recorder, error);
	*id = sqlite3_step(search) == SQLITE_ROW ? sql_id(search, 0) : -1;
	sqlite3_reset(search);
	if (*id >= 0)
		return 0;
	sqlite3_bind_int64(recorder->statements[insert], 1, *num);
	result = recorder_run(recorder, insert, error);
	if (!result)
		*id = (*num)++;
	return result;
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
	sqlite3_stmt *insert = recorder_statement(recorder, INSERT_POSITION);

	bind_position(recorder_statement(recorder, FIND_POSITION), 1, position);
	bind_position(insert, 2, position);
	sql_bind_text(insert, 7, position->folder);
	sql_bind_text(insert, 8, position->inlined);
	return once(recorder, FIND_POSITION, INSERT_POSITION,
		    &recorder->num_positions, id, error);
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
	bind_thread(recorder_statement(recorder, FIND_THREAD), 1, process,
		    thread, name);
	bind_thread(recorder_statement(recorder, INSERT_THREAD), 2, process,
		    thread, name);
	return once(recorder, FIND_THREAD, INSERT_THREAD,
		    &recorder->num_threads, id, error);
}

static void bind_stack(sqlite3_stmt *statement, int place, long position,
		       long caller)
{
	sqlite3_bind_int64(statement, place, position);
	sql_bind_id(statement, place + 1, caller);
}

int uncore_recorder_stack(struct uncore_recorder *recorder, long position,
			  long caller, long *id, char **error)
{
	bind_stack(recorder_statement(recorder, FIND_STACK), 1, position,
		   caller);
	bind_stack(recorder_statement(recorder, INSERT_STACK), 2, position,
		   caller);
	return once(recorder, FIND_STACK, INSERT_STACK, &recorder->num_stacks,
		    id, error);
}

static void bind_datum(sqlite3_stmt *statement, int place,
		       const struct uncore_datum *datum)
{
	sql_bind_text(statement, place, sql_datum_kinds[datum->kind]);
	sql_bind_text(statement, place + 1, datum->object);
	sql_bind_text(statement, place + 2, datum->symbol);
	sql_bind_id(statement, place + 3, datum->stack);
	sql_bind_id(statement, place + 4, datum->thread);
}

/* 0: it is not known. */
static void bind_size(sqlite3_stmt *statement, int place, uint64_t size_bytes,
		      uint64_t num_objects)
{
	if (size_bytes)
		sqlite3_bind_int64(statement, place, (sqlite3_int64)size_bytes);
	if (num_objects)
		sqlite3_bind_int64(statement, place + 1,
				   (sqlite3_int64)num_objects);
}

int uncore_recorder_datum(struct uncore_recorder *recorder,
			  const struct uncore_datum *datum, long *id,
			  char **error)
{
	bind_datum(recorder_statement(recorder, FIND_DATUM), 1, datum);
	bind_datum(recorder_statement(recorder, INSERT_DATUM), 2, datum);
	bind_size(recorder->statements[INSERT_DATUM], 7, datum->size_bytes,
		  datum->num_objects);
	return once(recorder, FIND_DATUM, INSERT_DATUM, &recorder->num_data, id,
		    error);
}

int uncore_recorder_datum_size(struct uncore_recorder *recorder, long id,
			       uint64_t size_bytes, uint64_t num_objects,
			       char **error)
{
	sqlite3_stmt *update = recorder_statement(recorder, SIZE_DATUM);

	bind_size(update, 1, size_bytes, num_objects);
	sqlite3_bind_int64(update, 3, id);
	return recorder_run(recorder, SIZE_DATUM, error);
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
