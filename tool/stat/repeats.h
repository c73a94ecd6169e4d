/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore stat -r N` makes of N runs: rows of reports come in the same
 * order in each of them.
 */
#ifndef UNCORE_TOOL_REPEATS_H
#define UNCORE_TOOL_REPEATS_H

#include <stdbool.h>
#include <stddef.h>

struct uncore_sampling;

struct repeats {
	unsigned num;	/* runs in all */
	unsigned run;	/* the present one, from 0 on */
	size_t row;	/* the next one of it */
	double *values; /* row by row, num each; NAN: not valid */
	size_t num_rows;
	struct uncore_sampling *samplings; /* of each run, if it has one */
	unsigned num_samplings;
	bool is_over; /* the present run is the last, whatever num says */
	bool failed;  /* no memory, or other rows than in the first run */
};

/* The next run begins; the first one, too. */
void repeats_begin(struct repeats *repeats);

/* The next row of this run. In the last one *value becomes the mean over the
 * runs in which it was valid, and the standard error of that mean is returned;
 * before, and of a single value, NAN. */
double repeats_take(struct repeats *repeats, bool valid, double *value);

/* How much of the present run was in detail, where windows were looked at. */
void repeats_sampling(struct repeats *repeats,
		      const struct uncore_sampling *sampling);

bool repeats_is_last(const struct repeats *repeats);
void repeats_free(struct repeats *repeats);

#endif
