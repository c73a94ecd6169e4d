/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore report` reads: a recording, and what is added up over it.
 */
#ifndef UNCORE_TOOL_HISTORY_H
#define UNCORE_TOOL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run.h"
#include "table.h"
#include "uncore/recording.h"

struct option_texts;
struct uncore_family;

struct reader_event {
	char *text;
	char *box;
	uint64_t period;      /* 0: it does not sample */
	double total;	      /* NAN: it was not counted */
	uint64_t num_samples; /* overflows of it */
	bool is_estimate;     /* it took turns: its values are scaled */
	bool has_gaps;	      /* its turn did not come in all samples */
};

/* An event in one instance of its box, and what is known of it there. */
struct reader_spot {
	size_t event;
	unsigned socket, instance;
	double sum;	      /* of its samples */
	double total;	      /* the same of the whole recording */
	double seconds;	      /* length of the samples in which its turn came */
	double counted;	      /* of these, the seconds in which it counted */
	double scale;	      /* from these to the whole recording */
	uint64_t num_samples; /* overflows there */
	bool is_counted;      /* else it only overflowed */
};

struct reader {
	struct uncore_recording *recording;
	struct reader_event *events;
	size_t num_events;
	struct reader_spot *spots; /* by event, socket, instance */
	size_t num_spots;
	size_t next_spot; /* where the next one looked for is likely to be */
	double seconds;	  /* from the first sample's begin to the last one */
	uint64_t num_samples;
	uint64_t num_lost;
	unsigned num_sockets;
	bool has_positions;
	bool is_estimate; /* some event took turns */
	int socket;	  /* only this one; -1: all */
	double slower;	  /* times as much time is taken for metrics */
};

/* Opens a recording and goes over it once; an exit code. In any case
 * reader_close() is to be called. */
int reader_open(struct reader *reader, const char *path, int socket);
void reader_close(struct reader *reader);

/* What it says of random bytes. */
struct run_random reader_random(const struct reader *reader);

/* The family of the machine that was recorded, or NULL and a sentence. */
const struct uncore_family *reader_family(const struct reader *reader);

/* Calls `take` for each sample in order of time; an exit code. */
int reader_each(struct reader *reader,
		void (*take)(void *context, const struct uncore_sample *sample,
			     const struct uncore_sample_count *counts,
			     size_t num_counts),
		void *context);

/* What was counted in equal steps of time: the growth in a sample, evenly over
 * the time since the sample before. In SQL this takes five to ten times as
 * long. */
enum reader_columns {
	READER_SPOTS,
	READER_EVENTS,
	READER_SOCKETS, /* of each the events */
};
struct reader_tally {
	struct reader *reader;
	enum reader_columns of;
	unsigned num_steps;
	double step_seconds;
	size_t num_columns;
	/* [step][column]; seconds are those of the samples in which the event's
	 * turn came */
	double *values, *seconds;
};

/* An exit code; to be freed in any case. */
int reader_tally(struct reader *reader, enum reader_columns of,
		 unsigned num_steps, struct reader_tally *tally);
void reader_tally_free(struct reader_tally *tally);

/* Tables; an exit code. The table is to be freed in any case. */
int reader_events(struct reader *reader, struct table *table);
int reader_boxes(struct reader *reader, struct table *table);
int reader_time(struct reader *reader, unsigned num_steps, bool per_socket,
		struct table *table);

/* One that is a question to the recording, a section of tool/views.sql. */
struct reader_view {
	const char *word; /* of --by, "": none; NULL behind the last one */
	const char *name, *title, *columns, *text;
	const char *name_below, *columns_below, *below; /* NULL: nothing is
							 * below its rows */
};
extern const struct reader_view reader_views[];

/* By its table's name, which there is; so many rows, and rows below each, 0:
 * all. */
struct reader_limits {
	size_t rows, below;
};
int reader_view(struct reader *reader, const char *name,
		const struct reader_limits *limits, struct table *table);

/* The metrics that are wanted; names NULL: all whose events are recorded. */
struct reader_metrics {
	const char *names;
	const struct option_texts *files;
};

/* A list of these, to be closed in any case; and their values in equal steps of
 * time, step by step, to be freed; NAN: there is none. Exit codes. */
struct metric_list;
int reader_metric_list(struct reader *reader,
		       const struct reader_metrics *wanted,
		       struct metric_list *list);
int reader_values(struct reader *reader, const struct metric_list *list,
		  unsigned num_steps, double **values);

/* At how many times samples were taken that hold counts; an exit code. */
int reader_intervals(struct reader *reader, size_t *num);

/* One row for each, or (num_steps not 0) one for each step of time. */
int reader_metrics(struct reader *reader, const struct reader_metrics *wanted,
		   unsigned num_steps, struct table *table);

#endif
