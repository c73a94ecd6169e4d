/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore stat` found, and the three ways to print it. Each output is a
 * table of the same four calls.
 */
#ifndef UNCORE_TOOL_REPORT_H
#define UNCORE_TOOL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/run.h"
#include "uncore/metric.h"

struct event_row;
struct metric_list;
struct region;
struct regions;
struct repeats;
struct uncore_event;
struct uncore_model;
struct uncore_session;
struct uncore_sampling;

#define REPORT_SCHEMA "uncore-stat-1"

struct report {
	const char *machine;
	const char *origin;  /* model, msr, msr:FOLDER, socket:PATH */
	bool is_modelled;    /* by a model, here or there */
	const char *because; /* where nobody said where: why there; NULL */
	const char *what;    /* the program or workload that ran */
	unsigned num_sockets;
	const struct uncore_family *family;
	const struct uncore_session *session; /* NULL: nothing counted */
	/* What all is about, with the time below: NULL: the whole run. */
	const struct region *region;
	bool has_windows; /* of the region, which tell what is estimated */
	/* The same of an interval; `time` seconds from the start to its end. */
	const struct region *lap;
	double time;
	bool is_first_lap, is_last_lap;
	/* Shown behind, each for itself; NULL: none. */
	const struct regions *regions;
	const struct event_row *events;
	size_t num_events;
	const struct metric_list *metrics;
	struct uncore_metric_run run;
	uint64_t cycles;
	bool per_socket, per_box;
	bool zeros;	/* of boxes are worth a line of text, too */
	bool summary;	/* metrics alone, without the counts behind them */
	bool offers;	/* categories: what is 0 is not worth a line of text */
	double elapsed; /* seconds, here */
	struct repeats *repeats;	   /* -r; NULL: a single run */
	struct run_random random;	   /* so far */
	const char *separator;		   /* of the separated output */
	const struct uncore_model *faulty; /* where --inject was given */
};

/* Regions that are shown behind the whole run. */
size_t report_num_regions(const struct report *report);

/* On real hardware nobody knows them unless the fixed counter counted. */
bool report_knows_cycles(const struct report *report);

/* Whether events took turns; and why, sentence number index, NULL past the last
 * one. */
bool report_took_turns(const struct report *report);
const char *report_reason(const struct report *report, size_t index);

/* Fault number index of a faulty model: how often it was injected; false past
 * the last one. */
bool report_fault(const struct report *report, size_t index, const char **name,
		  uint64_t *times);

struct report_count {
	const char *event;
	const char *unit; /* what it is a number of: each is so much */
	double scale;	  /* of another unit; "": nothing is known of that */
	const char *scaled;
	char box[24];	       /* cbox, or cbox3 where split by box */
	int socket;	       /* -1: all together */
	unsigned num_counters; /* that were summed */
	bool valid;
	uint64_t value;
	const char *note; /* "" if none; the reason where not valid */
	bool is_estimate; /* it took turns with others, or is of windows: */
	double share;	  /* of the time in which it counted */
	double seconds;	  /* the same in time */
	double standard_error, error; /* NAN: not known */
	enum uncore_telling telling;
	uint64_t seen;	     /* without what was estimated */
	double spread;	     /* standard error of the mean of -r; NAN: none */
	const char *doubt;   /* why the error is not known */
	const char *wrapped; /* why it may be too low, or NULL */
};

struct report_metric {
	struct uncore_metric metric;
	int socket;   /* -1: all together */
	int instance; /* of metric.box; -1: all */
	bool valid;
	double value;
	double largest; /* of all parts that it is split into; NAN: not split */
	double share;	/* of the time in which its events counted together */
	double spread;	/* as of a count */
	double standard_error, error; /* 0 where nothing took turns */
	enum uncore_telling telling;
	const char *reason; /* why not valid, or doubtful; "" if neither */
	bool is_empty;	    /* not valid: nothing happened to make it of */
};

/* What is NULL says nothing. */
struct report_output {
	bool laps_are_whole; /* each has its begin() and end() */
	bool shows_sums;     /* of metrics, beside what they are split into */
	void (*begin)(FILE *file, const struct report *report);
	void (*count)(FILE *file, const struct report *report,
		      const struct report_count *count);
	void (*metric)(FILE *file, const struct report *report,
		       const struct report_metric *metric);
	/* Before an interval. */
	void (*lap)(FILE *file, const struct report *report);
	/* After the metrics, of the whole or of a region. */
	void (*metrics_end)(FILE *file, const struct report *report);
	/* What follows is about part->region. NULL: regions are not shown. */
	void (*region)(FILE *file, const struct report *report,
		       const struct report *part);
	void (*end)(FILE *file, const struct report *report);
};

extern const struct report_output out_text, out_csv, out_json;

/* A run of -r that is not the last: its rows are taken and not printed. */
void report_take(const struct report *report,
		 const struct report_output *output);

/* One interval of a run. */
void report_lap(const struct report *report, const struct report_output *output,
		FILE *file, const struct region *lap);

/* How much of the run, or of each of several, was in detail; false: it was not
 * looked at in windows, or there are no more runs. */
bool report_sampling(const struct report *report, size_t run,
		     struct uncore_sampling *how);

/* Whether rows have errors: events took turns, or windows stand for others; and
 * how many times in 100 the true value lies within. */
enum { REPORT_TURNS_HOLD = 99, REPORT_WINDOWS_HOLD = 95 };
bool report_has_errors(const struct report *report);
unsigned report_errors_hold(const struct report *report);

void report_print(const struct report *report,
		  const struct report_output *output, FILE *file);

#endif
