/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How far estimates may be off: docs/estimates.md derives it.
 */
#ifndef UNCORE_SESSION_SPREAD_H
#define UNCORE_SESSION_SPREAD_H

#include "uncore/session.h"

/* Fewer cells tell nothing about how much they differ. */
enum { SPREAD_FEWEST_CELLS = 3 };

/* Below so many events seen the spread of rare events is put in the place of
 * theirs. */
enum { SPREAD_FEW_EVENTS = 32 };

/* Where none was seen, 95 times in 100 there were no more than so many. */
enum { SPREAD_UNSEEN = 3 };

/* Fewer that were seen make no burst. */
enum { SPREAD_BURST_EVENTS = 8 };

/* How often an interval is to hold what is true. */
#define SPREAD_TURNS   0.99 /* of events that took turns */
#define SPREAD_WINDOWS 0.95 /* of what windows of a run were measured for */

/* Student's t, two-sided: what lies within -t and t with the probability
 * `level`, for a number of degrees of freedom from 1 on. */
double spread_student(size_t freedom, double level);

/* With fewer windows nothing is more than "about"; above this relative error
 * nothing is either. */
enum { SPREAD_FEWEST_WINDOWS = 20 };
#define SPREAD_MOST_GOOD 0.2

/* Why what should be told as FEWER cannot be told at all. */
#define SPREAD_UNEVEN "it came too unevenly to be told from windows"

/* How an estimate from so many windows is told: FEWER where its error is as
 * large as itself, or larger. Of turns (0 windows) always with its error. */
enum uncore_telling spread_telling(double value, double error,
				   size_t num_windows);

/* The variance of the rests of cells, of which `missed` is the part of the run
 * that was not seen. */
double spread_variance(const double *rests, size_t num_cells, double missed);

/* In how many cells, all alike, it would have been as uneven as it was: 1 for
 * what was seen in one of them only; infinite if it was not seen. */
double spread_num(const struct uncore_estimate *estimate);

/* Whether what was seen came in one stretch of the run, in fewer than three
 * cells' worth (of few cells in less than half of them), so that nobody knows
 * whether there was another while others had their turn. */
bool spread_is_burst(const struct uncore_estimate *estimate);

/* Variance that the cells do not show: of rare events, and of sub-counters. It
 * adds to `shown`, that of the cells. */
double spread_unshown(const struct uncore_estimate *estimate, double shown);

#endif
