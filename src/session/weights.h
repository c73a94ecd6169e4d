/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How much each window of a sampled run stands for, so that the windows
 * together have as many accesses of each class as the stretches between them
 * had. docs/sampled.md derives it. Events are not known here: the weights
 * cannot depend on them.
 */
#ifndef UNCORE_SESSION_WEIGHTS_H
#define UNCORE_SESSION_WEIGHTS_H

#include <stddef.h>

/* All accesses, which are reproduced exactly, and the cycles that cores
 * computed; the others come behind them. */
enum { WEIGHTS_ACCESSES, WEIGHTS_COMPUTED, WEIGHTS_COMMON };

enum { WEIGHTS_BEYOND = 2 };

enum {
	WEIGHTS_MAX_CLASSES = 64,
	WEIGHTS_MAX_COLUMNS = 12,
	WEIGHTS_PER_COLUMN = 3, /* windows that a column needs */
};

/* What they are made from: matrices row by row, a row for each window. */
struct weights_counts {
	size_t num;	       /* windows */
	size_t num_classes;    /* 1 to WEIGHTS_MAX_CLASSES */
	const double *classes; /* num x num_classes: accesses of a window */
	const double *near;    /* num: accesses between windows that were
				 * nearest to this one; 0: it stands for
				 * itself alone */
	const double *totals;  /* num_classes: between windows */
};

struct weights {
	size_t num;	    /* windows */
	size_t num_used;    /* that stand for more than themselves */
	size_t num_columns; /* of classes, put together */
	double *weights;    /* num, none below 0: how many times what happened
			     * in it happened between windows */
	double *spreads;    /* num: what a residual of 1 adds to the error */
	double *roots;	    /* num: of how much a residual counts */
	double *basis;	    /* num_columns x (num + WEIGHTS_MAX_COLUMNS) */
	double gaps[WEIGHTS_MAX_COLUMNS]; /* what classes are missed by */
	double unseen; /* part of the accesses whose class no window shows, and
			* of the computing */
};

/* Makes them; 0, or UNCORE_ERR_NO_MEMORY. weights_clear() frees what is
 * within, also after an error. Nothing within may have been made before. */
int weights_make(const struct weights_counts *counts, struct weights *weights);
void weights_clear(struct weights *weights);

/* How far the total moves when one window is left out, for each of them, and
 * behind them WEIGHTS_BEYOND more: when those classes come out exactly that
 * only nearly do, and when unseen accesses are unlike all others. `values`
 * (num) are an event's counts in the windows. The sum of the squares is the
 * variance of the event's total. */
void weights_influences(const struct weights *weights, const double *values,
			double *influences);

#endif
