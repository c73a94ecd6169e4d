/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of `uncore stat`, shared by its files.
 */
#ifndef UNCORE_TOOL_STAT_H
#define UNCORE_TOOL_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "tool/compare/compare.h"
#include "tool/counting.h"
#include "tool/event_set.h"
#include "tool/metrics.h"
#include "tool/run.h"
#include "tool/target.h"
#include "tool/verdict.h"
#include "uncore/metric.h"
#include "uncore/program.h"

struct baseline;
struct json_object;
struct report_row;
struct uncore_sampling;
struct uncore_schedule;
struct uncore_session;

/* --- stat_settings.c --- */

enum { STAT_MAX_RUNS = 1000 };

/* Seconds, of the model where there is one; 0: not asked for. */
struct stat_times {
	double interval;
	double delay;
	double timeout;
};

struct stat_settings {
	struct target_settings target;
	struct event_list events;
	const char *metrics; /* names and categories; NULL: none given */
	struct option_texts metric_files;
	struct option_texts sweeps;
	const char *jobs, *shard;
	size_t num_jobs, shard_index, shard_of; /* the same */
	const char *output, *html, *log_fd;
	const char *baseline, *fail_above, *markdown;
	const char *separator;
	const char *repeat;
	unsigned runs; /* the same */
	const char *interval, *delay, *timeout;
	struct stat_times times; /* the same */
	bool json, per_box, per_socket, zeros, appends, replace, is_verbose;
	bool no_multiplex, takes_turns, force;
	bool all_cpus; /* as perf has it; it says nothing here */
};

/* Fills in a struct stat_settings. */
extern const struct options stat_options;

/* Whether the ways to print go together; an exit code. */
int stat_settings_check(struct stat_settings *settings);

/* --- regions.c: what was counted between the marks of a program
 * (uncore/mark.h), region by region: the sum over all times that it was open. A
 * region that several threads are in, or that one has entered again, is open
 * once, until the last mark that ends it. Marks without a name pair up as
 * regions 1, 2, ... in the order in which they begin. --- */

/* Unnamed pairs that have a region of their own; the last one has all others,
 * too. */
enum { REGIONS_MAX_UNNAMED = 1000 };

struct region {
	char name[UNCORE_PROGRAM_REGION_BYTES];
	uint64_t entered;	       /* marks that began it */
	struct uncore_metric_run time; /* that passed in it */
	uint64_t *counts; /* as uncore_session_count() numbers them */
	unsigned inside;  /* marks that began it and have no end yet */
};

/* Begins as all zero. */
struct regions {
	struct uncore_session *session; /* NULL: only time passes */
	struct region *list; /* in the order in which they began first */
	size_t num;
	size_t num_counts;
	size_t num_unnamed;
	struct regions_open {
		unsigned thread;
		size_t region;
	} * open; /* pairs of unnamed marks, the latest last */
	size_t num_open;
};

/* A mark was reached at that time, at which the session was read. */
void regions_mark(struct regions *regions,
		  const struct uncore_program_mark *mark,
		  const struct uncore_metric_run *now);

/* A region that no mark begins is entered. */
void regions_enter(struct regions *regions, const char *name,
		   const struct uncore_metric_run *now);

/* What was counted in a region is forgotten, while it is not open. */
void regions_clear(const struct regions *regions, struct region *region);

/* The program has ended, and the session was read: what is open ends. */
void regions_end(struct regions *regions, const struct uncore_metric_run *now);

/* Whether one is open. */
bool regions_is_in_one(const struct regions *regions);

/* NULL: no such region was entered. */
struct region *regions_find(const struct regions *regions, const char *name);

/* "'first', 'second' and 3 more"; to be freed. */
char *regions_names(const struct regions *regions);

void regions_free(struct regions *regions);

/* --- report.c: what -r N makes of N runs: rows of reports come in the same
 * order in each of them --- */

struct repeats {
	unsigned num;	/* runs in all */
	unsigned run;	/* the present one, from 0 on */
	double *values; /* row by row, num each; NAN: not valid */
	size_t num_rows;
	struct uncore_sampling *details; /* of each run, if it has one */
	size_t num_details;
	bool is_over; /* the present run is the last, whatever num says */
	bool failed;  /* other rows than in the first run */
};

bool repeats_is_last(const struct repeats *repeats);

/* The rows of the present run. In the last one their values become means over
 * the runs in which they were valid, with the standard errors of those: NAN of
 * a single value. */
void repeats_rows(struct repeats *repeats, struct report_row *rows, size_t num);

/* How much of the present run was in detail, where windows were looked at. */
void repeats_detail(struct repeats *repeats,
		    const struct uncore_sampling *detail);

void repeats_free(struct repeats *repeats);

/* --- report.c, stat_verdict.c, out_text.c, out_csv.c, out_json.c: what was
 * found, as rows that are made once and then printed in one of three
 * ways --- */

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
	double link_use; /* per cent, of the busiest direction; or NAN */
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

/* Whose memory most accesses beyond the private caches are to, of those to
 * another socket's memory, or of all, in the whole run (region NULL) or in a
 * region: the site, to be freed, and its part, a quarter at least; NULL: there
 * is none. And a sentence on it, with a blank before it; or "". */
char *report_memory(const struct report *report, const char *region,
		    bool is_remote, double *part);
char *report_memory_text(const struct report *report, const char *region);

typedef void report_print(FILE *file, const struct report *report);
report_print out_text, out_csv, out_json;

/* Fault number index of a faulty model: how often it was injected; false past
 * the last one. */
bool report_fault(const struct report *report, size_t index, const char **name,
		  uint64_t *times);

/* --- sweep.c, sweep_axis.c, sweep_settings.c, sweep_table.c: --sweep
 * NAME=VALUES, the same count again and again, with each of these values;
 * several of them make a grid. Each point is a process of its own that counts
 * as `uncore stat` does without --sweep, so a point that fails, or dies, is a
 * row of the table, and the others go on. --- */

enum { SWEEP_MOST_POINTS = 1000, SWEEP_MOST_JOBS = 256 };

/* A name, and the values that it takes. */
struct sweep_axis {
	char *name;
	char **values;
	size_t num;
};

/* One count. */
struct sweep_point {
	size_t number;		/* in the grid, whose last axis runs fastest */
	struct results results; /* runs 0: there are none */
	int status;		/* as that of `uncore stat` */
	char *why;		/* it failed; NULL: it did not */
	bool has_run;
	pid_t child; /* 0: it does not run */
	FILE *counts, *sentences;
};

struct sweep {
	const struct stat_settings *settings;
	struct sweep_axis *axes;
	size_t num_axes;
	size_t num_grid;	    /* points of all shards */
	struct sweep_point *points; /* of this shard */
	size_t num_points, num_running;
	bool is_interrupted;
	size_t num_run; /* fewer where the user has had enough: the first ones
			 * then, as the others are left out */
};

/* The whole sweep, printed to file; an exit code. */
int sweep_run(const struct stat_settings *settings, FILE *file);

/* "llc.ways=4..24:4", "size=1M..64M:*2", "place=compact,scatter"; an exit code.
 * The axis is to be freed in any case. */
int sweep_axis_read(const char *text, struct sweep_axis *axis);
void sweep_axis_free(struct sweep_axis *axis);

/* Which value of an axis the point with this number has. */
size_t sweep_index(const struct sweep *sweep, size_t number, size_t axis);

/* Gives settings the values of one point, in a process of its own: what they
 * need besides is never freed. */
void sweep_settings_set(struct stat_settings *settings,
			const struct sweep *sweep, size_t number);

/* Whether the values have a place to go to; an exit code. */
int sweep_settings_check(const struct sweep *sweep);

/* Prints the table as the settings say. */
void sweep_print(const struct sweep *sweep, FILE *file);

/* --- cmd_stat.c, stat_count.c: a run, which is counted and printed --- */

/* Everything that must be undone at the end. */
struct stat {
	const struct stat_settings *settings;
	struct counting counting;
	struct uncore_metric_run
		since;	/* the start of counting; of the run at its
				   * end: how much of all passed */
	double elapsed; /* here, in real time */
	struct regions regions;
	int regions_status;  /* an exit code: could not be counted */
	struct regions laps; /* of -I: one region, again and again */
	uint64_t num_laps, num_left_out;
	struct repeats *repeats;
	struct baseline *baseline; /* NULL: none */
	int exit_status;	   /* of the program */
	FILE *file;		   /* that all is printed to */

	/* By the clock of what runs: its start, and in seconds since then the
	 * end of the interval (INFINITY: none). */
	double start, next_lap;
	bool counts, is_over;
	int status; /* of what is done while it runs; an exit code */
};

/* Where it prints without -o: what a program prints stays its own. */
FILE *stat_standard(const struct stat_settings *settings);

/* Counts as often as the settings say, without a look at --sweep, and prints to
 * *file, which is opened where it is NULL; an exit code. */
int stat_run(struct stat_settings *settings, FILE **file);

/* Before the target is prepared: what is done at which time of its run. */
void stat_arrange(struct stat *stat);

/* Runs it, counts and prints to stat->file; an exit code. */
int stat_count(struct stat *stat);

/* --- baseline.c: a run against the result of an earlier one, for CI. It is the
 * comparison of `uncore compare`, whose second side is this run. --- */

struct baseline {
	struct compare_settings how;
	struct results sides[2]; /* the baseline, and this run */
	struct json_object *json;
};

/* Reads it and opens the page of Markdown, before anything runs; an exit code.
 * In any case baseline_close() is to be called, which returns one, too: status,
 * if the page can be written. */
int baseline_open(struct baseline *baseline,
		  const struct stat_settings *settings);
int baseline_close(struct baseline *baseline, int status);

/* Whether it is of the machine that is to be counted on; an exit code. */
int baseline_check(const struct baseline *baseline,
		   const struct counting *counting);

/* Compares, and prints what is different; TOOL_DIFFERS: more than is allowed.
 */
int baseline_compare(struct baseline *baseline, const struct report *report,
		     FILE *file);

#endif
