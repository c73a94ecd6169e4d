/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore stat` found, as rows that are made once (report.c) and then
 * printed in one of three ways.
 */
#ifndef UNCORE_TOOL_REPORT_H
#define UNCORE_TOOL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "regions.h"
#include "tool/run.h"
#include "tool/verdict.h"
#include "uncore/metric.h"

struct event_set;
struct repeats;
struct stat_settings;
struct target;
struct uncore_schedule;
struct uncore_session;

#define REPORT_SCHEMA "uncore-stat-1"

/* How many times in 100 the true value lies within an error: of events that
 * took turns, and of windows that stand for others. */
enum { REPORT_TURNS_HOLD = 99, REPORT_WINDOWS_HOLD = 95 };

/* A count or a metric, of the machine or of a part of it. */
struct report_row {
	bool is_metric;
	const char *name; /* text of an event */
	const char *unit; /* what it is a number of */
	char box[24];	  /* cbox, or cbox3 where split by box; "" of metrics
			   * that are not */
	int socket;	  /* -1: all together */
	bool is_sum;	  /* of a metric: what it is split into follows */
	bool valid;
	double value;
	uint64_t count;	  /* the same of an event */
	char *note;	  /* why not valid, or what is to be said; "": none */
	bool is_estimate; /* it took turns with others, or is of windows: */
	double share;	  /* of the time in which it counted */
	double seconds;	  /* the same in time; else all of it */
	double standard_error, error; /* NAN: not known */
	enum uncore_telling telling;
	double spread; /* standard error of the mean of -r; NAN: none */

	/* Of an event. */
	unsigned num_counters; /* that were summed */
	double scale;	       /* each is so much of another unit */
	const char *scaled;    /* which; "": nothing is known of that */
	uint64_t seen;	       /* without what was estimated */
	const char *doubt;     /* why the error is not known */
	const char *wrapped;   /* why it may be too low, or NULL */

	/* Of a metric. */
	const char *brief;
	bool is_total; /* it grows with time */
	bool is_empty; /* not valid: nothing happened to make it of */
};

/* What was counted in the whole run, a region or an interval. */
struct report_part {
	const struct region *region; /* NULL: the whole run */
	struct uncore_metric_run time;
	bool has_windows; /* of the region, which tell what is estimated */
	bool has_detail;  /* not all was in detail, for a part of it: */
	struct uncore_sampling detail;
	struct report_row *rows; /* counts before metrics */
	size_t num_rows;
};

struct report {
	const struct stat_settings *settings;
	const struct target *target;
	const struct event_set *set;
	const struct uncore_session *session;  /* NULL: nothing counted */
	const struct uncore_schedule *turns;   /* that were taken; NULL: none */
	const struct regions *regions;	       /* that parts are of */
	const struct uncore_model *faulty;     /* where --inject was given */
	struct repeats *repeats;	       /* -r; NULL: a single run */
	const struct uncore_sampling *details; /* of each run */
	size_t num_details;
	bool is_sampled; /* one of them */
	const char *machine;
	const char *origin; /* model, msr, msr:FOLDER, socket:PATH */
	unsigned num_sockets;
	struct run_random random;      /* so far */
	struct uncore_metric_run time; /* of the run */
	double elapsed;		       /* seconds, here */
	uint64_t lap;		       /* of -I, from 1 on; 0: none */
	double lap_end;		       /* seconds since the start of the run */
	bool is_last_lap;
	struct report_part about;  /* the run, the interval, or a region */
	struct report_part *parts; /* regions that are shown behind it */
	size_t num_parts;	   /* as many as they are to be */
	struct verdict verdicts[VERDICT_MOST]; /* of a whole run */
	size_t num_verdicts;
};

/* Fills in the parts, `about` with this region (NULL: the whole run); of -r the
 * means are made, too, once the last run is there. An exit code; in any case
 * report_free() is to be called. */
int report_make(struct report *report, const struct region *region);
void report_free(struct report *report);

/* What there is to say of a run, once its rows are made. */
void report_verdict(struct report *report);

typedef void report_print(FILE *file, const struct report *report);
report_print out_text, out_csv, out_json;

/* Fault number index of a faulty model: how often it was injected; false past
 * the last one. */
bool report_fault(const struct report *report, size_t index, const char **name,
		  uint64_t *times);

#endif
