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

struct report_row;
struct uncore_sampling;

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

#endif
