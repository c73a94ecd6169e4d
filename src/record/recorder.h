/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of a recorder, shared by its files.
 */
#ifndef UNCORE_RECORD_RECORDER_H
#define UNCORE_RECORD_RECORDER_H

#include "record/sql.h"

enum recorder_statement {
	INSERT_META,
	DELETE_META,
	INSERT_EVENT,
	FIND_POSITION,
	INSERT_POSITION,
	FIND_THREAD,
	INSERT_THREAD,
	FIND_STACK,
	INSERT_STACK,
	FIND_DATUM,
	INSERT_DATUM,
	SIZE_DATUM,
	INSERT_SAMPLE,
	INSERT_ACCESS,
	INSERT_COUNT,
	INSERT_STATE,
	THIN_SAMPLES,
	LENGTHEN_PERIOD,
	NUM_STATEMENTS
};

struct uncore_recorder {
	struct sql sql;
	sqlite3_stmt *statements[NUM_STATEMENTS];
	size_t num_events;
	long num_positions, num_threads, num_stacks, num_data;
	uint64_t num_samples; /* added */
	uint64_t num_written; /* committed */
	double every_seconds; /* between two commits */
	double next_commit;   /* on the wall clock */
	char *failure;	      /* why nothing can be written any more */
};

/* The statement, with nothing bound. */
sqlite3_stmt *recorder_statement(struct uncore_recorder *recorder,
				 enum recorder_statement which);

/* Runs it. From the first failure on nothing is written any more: what was
 * committed is kept, and every call returns the same sentence. */
int recorder_run(struct uncore_recorder *recorder,
		 enum recorder_statement which, char **error);

/* The end of writing: UNCORE_ERR_IO and the sentence. */
int recorder_fail(struct uncore_recorder *recorder, char **error);
int recorder_failed(const struct uncore_recorder *recorder, char **error);

#endif
