/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore stat --sweep NAME=VALUES`: the same count again and again, with each
 * of these values; several of them make a grid. Each point is a process of its
 * own that counts as `uncore stat` does without --sweep, so a point that fails,
 * or dies, is a row of the table, and the others go on.
 */
#ifndef UNCORE_TOOL_SWEEP_H
#define UNCORE_TOOL_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "tool/compare/compare.h"

struct stat_settings;

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

#endif
