/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writes a recording. A transaction is always open; it is committed every half
 * second of wall time in which samples come, and at the end. What is committed
 * is written. A commit that a reader holds up is tried again later, since
 * nothing is lost by that but time.
 *
 *     new --sample()...--> open transaction --commit()--> the same, empty
 *                              |                 |
 *                              +----- a write that fails: the transaction is
 *                                     undone, `failure` says why, for ever
 */
#include "record/recorder.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/jit.h"
#include "uncore/error.h"
#include "uncore/target.h"

static const double usual_seconds = 0.5, least_seconds = 1e-3;

enum { WAIT_MS = 200, LAST_WAIT_MS = 10000 };

static const char *const texts[NUM_STATEMENTS] = {
	[INSERT_META] = "INSERT OR REPLACE INTO meta VALUES (?, ?)",
	[DELETE_META] = "DELETE FROM meta WHERE key = ?",
	[INSERT_EVENT] = "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)",
	[FIND_POSITION] = "SELECT id FROM position WHERE address = ? AND"
			  " object IS ? AND symbol IS ? AND offset = ? AND"
			  " source IS ?",
	[INSERT_POSITION] = "INSERT INTO position VALUES"
			    " (?, ?, ?, ?, ?, ?, ?, ?)",
	[FIND_THREAD] = "SELECT id FROM thread WHERE process = ? AND"
			" thread = ? AND name IS ?",
	[INSERT_THREAD] = "INSERT INTO thread VALUES (?, ?, ?, ?)",
	[FIND_STACK] = "SELECT id FROM stack WHERE position = ? AND"
		       " caller IS ?",
	[INSERT_STACK] = "INSERT INTO stack VALUES (?, ?, ?)",
	[FIND_DATUM] = "SELECT id FROM datum WHERE kind = ? AND object IS ?"
		       " AND symbol IS ? AND stack IS ? AND thread IS ?",
	[INSERT_DATUM] = "INSERT INTO datum VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	[SIZE_DATUM] = "UPDATE datum SET size = ?, objects = ? WHERE id = ?",
	[INSERT_SAMPLE] = "INSERT INTO sample VALUES"
			  " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[INSERT_ACCESS] = "INSERT INTO access VALUES"
			  " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[INSERT_COUNT] = "INSERT INTO count VALUES (?, ?, ?, ?, ?)",
	[INSERT_STATE] = "INSERT INTO state VALUES (NULL, ?, ?, ?, ?, ?, ?)",
	[THIN_SAMPLES] =
		"UPDATE sample SET kind = 'thinned', event = NULL, instance ="
		" NULL WHERE id IN (SELECT id FROM (SELECT id, row_number()"
		" OVER (PARTITION BY socket, instance ORDER BY id) AS number"
		" FROM sample WHERE kind = 'period' AND event = ?)"
		" WHERE number % 2)",
	[LENGTHEN_PERIOD] = "UPDATE event SET period = ? WHERE id = ?",
};

int recorder_failed(const struct uncore_recorder *recorder, char **error)
{
	return text_error(UNCORE_ERR_IO, error, "%s", recorder->failure);
}

int recorder_fail(struct uncore_recorder *recorder, char **error)
{
	unsigned long long lost = recorder->num_samples - recorder->num_written;
	char *sentence = NULL;

	text_error(0, &sentence,
		   recorder->num_samples
			   ? "cannot write '%s': %s; the %llu samples written "
			     "before are kept, the last %llu are not"
			   : "cannot write '%s': %s; no sample had come yet",
		   recorder->sql.path, sql_reason(&recorder->sql),
		   (unsigned long long)recorder->num_written, lost);
	for (unsigned i = 0; i < NUM_STATEMENTS; i++)
		sqlite3_reset(recorder->statements[i]);
	if (!sqlite3_get_autocommit(recorder->sql.db))
		sql_run(&recorder->sql, "ROLLBACK");
	recorder->failure = sentence ? sentence : strdup("out of memory");
	return recorder_failed(recorder, error);
}

sqlite3_stmt *recorder_statement(struct uncore_recorder *recorder,
				 enum recorder_statement which)
{
	sqlite3_clear_bindings(recorder->statements[which]);
	return recorder->statements[which];
}

int recorder_run(struct uncore_recorder *recorder,
		 enum recorder_statement which, char **error)
{
	if (recorder->failure)
		return recorder_failed(recorder, error);
	if (sql_step(recorder->statements[which]) == SQLITE_DONE)
		return 0;
	return recorder_fail(recorder, error);
}

/* `wait_ms` is how long readers may hold it up. Whether it was done; not: try
 * again, or *code says what failed. */
static bool commit(struct uncore_recorder *recorder, int wait_ms, int *code,
		   char **error)
{
	int result;

	*code = recorder->failure ? recorder_failed(recorder, error) : 0;
	if (*code)
		return false;
	sqlite3_busy_timeout(recorder->sql.db, wait_ms);
	result = sql_run(&recorder->sql, "COMMIT");
	recorder->next_commit = clock_now_seconds() + recorder->every_seconds;
	if (result == SQLITE_BUSY)
		return false;
	if (result == SQLITE_OK) {
		recorder->num_written = recorder->num_samples;
		result = sql_run(&recorder->sql, "BEGIN");
	}
	if (result != SQLITE_OK)
		*code = recorder_fail(recorder, error);
	return result == SQLITE_OK;
}

static int prepare_all(struct uncore_recorder *recorder, char **error)
{
	for (unsigned i = 0; i < NUM_STATEMENTS; i++) {
		recorder->statements[i] = sql_prepare(&recorder->sql, texts[i]);
		if (!recorder->statements[i])
			return recorder_fail(recorder, error);
	}
	return 0;
}

int uncore_recorder_new(const char *path, bool replace, const char *const *meta,
			struct uncore_recorder **recorder, char **error)
{
	struct uncore_recorder *new = calloc(1, sizeof(*new));
	int result = UNCORE_ERR_NO_MEMORY;

	if (!new)
		return result;
	new->every_seconds = usual_seconds;
	result = sql_create(&new->sql, path, replace, error);
	if (!result)
		result = prepare_all(new, error);
	for (; !result && meta && meta[0]; meta += 2)
		result = uncore_recorder_meta(new, meta[0], meta[1], error);
	if (!result)
		result = uncore_recorder_commit(new, error);
	if (result)
		uncore_recorder_free(new);
	else
		*recorder = new;
	return result;
}

static int add_count(struct uncore_recorder *recorder,
		     const struct uncore_sample_count *count, char **error)
{
	sqlite3_stmt *insert = recorder_statement(recorder, INSERT_COUNT);

	sqlite3_bind_int64(insert, 1, (sqlite3_int64)recorder->num_samples);
	sqlite3_bind_int64(insert, 2, (sqlite3_int64)count->event);
	sqlite3_bind_int64(insert, 3, count->instance);
	sqlite3_bind_int64(insert, 4, (sqlite3_int64)count->value);
	sqlite3_bind_double(insert, 5, count->seconds);
	return recorder_run(recorder, INSERT_COUNT, error);
}

static int add_sample(struct uncore_recorder *recorder,
		      const struct uncore_sample *sample, char **error)
{
	sqlite3_stmt *insert = recorder_statement(recorder, INSERT_SAMPLE);

	sqlite3_bind_int64(insert, 1, (sqlite3_int64)recorder->num_samples);
	sql_bind_text(insert, 2, sql_sample_kinds[sample->kind]);
	sqlite3_bind_int64(insert, 3, sample->socket);
	if (sample->cycle != UNCORE_NO_CYCLE)
		sqlite3_bind_int64(insert, 4, (sqlite3_int64)sample->cycle);
	sqlite3_bind_double(insert, 5, sample->seconds);
	sqlite3_bind_double(insert, 6, sample->length_seconds);
	sql_bind_id(insert, 7, sample->event);
	sql_bind_id(insert, 8, sample->instance);
	sqlite3_bind_int64(insert, 9, (sqlite3_int64)sample->overrun);
	sqlite3_bind_int64(insert, 10, (sqlite3_int64)sample->lost);
	sql_bind_id(insert, 11, sample->core);
	sql_bind_id(insert, 12, sample->position);
	sql_bind_id(insert, 13, sample->thread);
	return recorder_run(recorder, INSERT_SAMPLE, error);
}

static int add_access(struct uncore_recorder *recorder,
		      const struct uncore_sampled_access *access, char **error)
{
	sqlite3_stmt *insert = recorder_statement(recorder, INSERT_ACCESS);

	sqlite3_bind_int64(insert, 1, (sqlite3_int64)recorder->num_samples);
	sql_bind_text(insert, 2, sql_uses[access->use]);
	sqlite3_bind_int64(insert, 3, (sqlite3_int64)access->address);
	sqlite3_bind_int64(insert, 4, (sqlite3_int64)access->line);
	sql_bind_id(insert, 5, access->core);
	sql_bind_id(insert, 6, access->home);
	sql_bind_id(insert, 7, access->stack);
	sql_bind_id(insert, 8, access->datum);
	sqlite3_bind_int64(insert, 9, (sqlite3_int64)access->offset);
	sql_bind_id(insert, 10, access->touch_core);
	sql_bind_id(insert, 11, access->touch_thread);
	sql_bind_text(insert, 12, access->answered);
	if (access->latency_seconds > 0)
		sqlite3_bind_double(insert, 13, access->latency_seconds);
	sql_bind_text(insert, 14, access->field);
	return recorder_run(recorder, INSERT_ACCESS, error);
}

int uncore_recorder_sample(struct uncore_recorder *recorder,
			   const struct uncore_sample *sample,
			   const struct uncore_sample_count *counts,
			   size_t num_counts, char **error)
{
	int result = add_sample(recorder, sample, error);
	double now;

	if (!result && sample->access.is_known)
		result = add_access(recorder, &sample->access, error);
	for (size_t i = 0; i < num_counts && !result; i++)
		result = add_count(recorder, &counts[i], error);
	if (result)
		return result;
	recorder->num_samples++;
	now = clock_now_seconds();
	if (now >= recorder->next_commit)
		commit(recorder, WAIT_MS, &result, error);
	return result;
}

int uncore_recorder_commit(struct uncore_recorder *recorder, char **error)
{
	int result;

	commit(recorder, WAIT_MS, &result, error);
	return result;
}

void uncore_recorder_every(struct uncore_recorder *recorder, double seconds)
{
	recorder->every_seconds =
		seconds > least_seconds ? seconds : least_seconds;
	recorder->next_commit = clock_now_seconds() + recorder->every_seconds;
}

uint64_t uncore_recorder_written(const struct uncore_recorder *recorder)
{
	return recorder->num_written;
}

int uncore_recorder_finish(struct uncore_recorder *recorder, char **error)
{
	int result = recorder->failure ? recorder_failed(recorder, error) : 0;

	if (!result && jit_name(&recorder->sql))
		result = recorder_fail(recorder, error);
	if (!result)
		result = uncore_recorder_meta(recorder, "complete", "1", error);
	if (!result && !commit(recorder, LAST_WAIT_MS, &result, error) &&
	    !result)
		result = recorder_fail(recorder, error);
	uncore_recorder_free(recorder);
	return result;
}

void uncore_recorder_free(struct uncore_recorder *recorder)
{
	if (!recorder)
		return;
	for (unsigned i = 0; i < NUM_STATEMENTS; i++)
		sqlite3_finalize(recorder->statements[i]);
	sql_close(&recorder->sql);
	free(recorder->failure);
	free(recorder);
}
