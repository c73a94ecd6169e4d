/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore stat` does at which time of a run: begins to count, lets events
 * take turns, ends an interval, stops.
 */
#ifndef UNCORE_TOOL_STAT_TIME_H
#define UNCORE_TOOL_STAT_TIME_H

#include <stdbool.h>

struct counting;

/* Seconds, of the model where there is one; 0: not asked for. */
struct stat_times {
	double interval;
	double delay;
	double timeout;
};

struct stat_time {
	const struct stat_times *asked;
	struct counting *counting;
	/* Counting begins, and an interval ends that is as long as it should
	 * be; exit codes. */
	int (*begin)(void *context, double now);
	int (*lap)(void *context);
	void *context;
	int status; /* of the two */

	double start;	 /* of the run */
	double next_lap; /* since then; INFINITY: none */
	bool counts, is_over;
};

/* The run begins; counting, too, unless it is delayed. An exit code. */
int stat_time_start(struct stat_time *time);

/* Seconds since the run began. */
double stat_time_now(const struct stat_time *time);

/* struct run.turn */
double stat_time_pass(void *time);

#endif
