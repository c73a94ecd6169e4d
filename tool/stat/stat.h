/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A run of `uncore stat`: what is counted and printed (stat_count.c).
 */
#ifndef UNCORE_TOOL_STAT_H
#define UNCORE_TOOL_STAT_H

#include <stdbool.h>
#include <stdio.h>

#include "regions.h"
#include "repeats.h"
#include "report.h"
#include "stat_settings.h"
#include "tool/counting.h"

/* Everything that must be undone at the end. */
struct baseline;

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
	uint64_t num_laps;
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

#endif
