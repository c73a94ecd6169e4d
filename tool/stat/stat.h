/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A run of `uncore stat`: what is opened for it (stat_open.c), what is done at
 * which time of it (stat_time.c), and what is counted and printed
 * (stat_count.c).
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
struct stat {
	const struct stat_settings *settings;
	struct counting counting;
	struct stat_time {
		double start;	 /* of the run */
		double next_lap; /* since then; INFINITY: none */
		bool counts, is_over;
		int status; /* an exit code: what was done failed */
	} time;
	struct passed {
		struct region_time since; /* the start of counting */
		double elapsed;		  /* here, in real time */
	} passed;
	struct regions regions;
	int regions_status;  /* an exit code: could not be counted */
	struct regions laps; /* of -I: one region, again and again */
	uint64_t num_laps;
	struct repeats *repeats;
	int exit_status; /* of the program */
	FILE *file;	 /* that all is printed to */
};

/* Registers or model, events, metrics, session: an exit code. In any case
 * stat_close() is to be called, which returns status or what --check found. */
int stat_open(struct stat *stat);
int stat_close(struct stat *stat, int status);

/* Before the subject is prepared: what is done at which time of its run. */
void stat_arrange(struct stat *stat);

/* The run begins; counting, too, unless it is delayed (an exit code). Seconds
 * since then; and struct run.turn. */
int stat_time_start(struct stat *stat);
double stat_time_now(const struct stat *stat);
double stat_time_pass(void *stat);

/* Then: counting begins, and an interval ends; exit codes. */
int stat_begin(struct stat *stat, double now);
int stat_lap(struct stat *stat);

/* Runs it, counts and prints to stat->file; an exit code. */
int stat_count(struct stat *stat);

#endif
