/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * With y what an event was in a window, w the window's weight and h its
 * leverage (weights.c), and e the residual of y:
 *
 *     value = start + sum((1 + w) y)
 *     u = e / (1 - h) sqrt(w (1 + w))       what the window moves it by
 *     variance = 1.5^2 (n - 1) / n sum(u^2) likeness
 *     error = t(95 %, n - columns) * sqrt(variance)
 *
 * Leaving window i out moves the estimate by w e / (1 - h), exactly, without
 * making the weights again. What the event would change by if all classes came
 * out exactly stands beside the u as one more, and so does what accesses may be
 * off whose class no three windows' worth had. What the windows cannot show of
 * rare events adds to the variance as it does for turns.
 */
#include <math.h>

#include "base/random.h"
#include "session/spread.h"
#include "session/windows_parts.h"

/* Found by trying (docs/sampled.md). */
#define CAUTION 1.5

/* The most that "fewer than" is said of. */
#define MOST_FEWER 1000

/* Behind the influences of windows: those of weights_influences(), and what all
 * windows may have too many. */
enum { BEYOND = WEIGHTS_BEYOND + 1 };

/* A sum of events. */
struct sum {
	double start;
	double seen; /* in windows */
	double step;
	double values[WINDOWS_MAX];
	double influences[WINDOWS_MAX + BEYOND];
	double alike; /* see likeness() */
};

/* How many times the variance what windows have in common with those behind
 * them makes it: phases outlast windows. As Newey and West have it, and never
 * less than 1. */
static double likeness(const double *influences, size_t num)
{
	size_t most = (size_t)cbrt((double)num);
	double sum = 0, squares = 0;

	for (size_t i = 0; i < num; i++)
		squares += influences[i] * influences[i];
	for (size_t lag = 1; lag <= most; lag++)
		for (size_t i = lag; i < num; i++)
			sum += (1 - (double)lag / (double)(most + 1)) *
			       influences[i] * influences[i - lag];
	return squares > 0 ? fmax(1, 1 + 2 * sum / squares) : 1;
}

/* What windows say of the stretches. */
static double expected(const struct windows *windows, const double *values)
{
	double sum = 0;

	for (size_t i = 0; i < windows->num; i++)
		sum += windows->weights.weights[i] * values[i];
	return sum;
}

static void add_up(const struct windows *windows, const size_t *indices,
		   size_t num, struct sum *sum)
{
	double doubt = 0;

	sum->start = sum->seen = 0;
	sum->step = 1;
	for (size_t i = 0; i < windows->num; i++)
		sum->values[i] = 0;
	for (size_t e = 0; e < num; e++) {
		const uint64_t *from = windows->events + indices[e];

		sum->start += (double)windows->start[indices[e]];
		sum->step = fmax(sum->step, windows->steps[indices[e]]);
		doubt = fmax(doubt, windows->doubts[indices[e]]);
		for (size_t i = 0; i < windows->num; i++)
			sum->values[i] += (double)from[i * windows->num_events];
	}
	for (size_t i = 0; i < windows->num; i++)
		sum->seen += sum->values[i];
	weights_influences(&windows->weights, sum->values, sum->influences);
	sum->influences[windows->num + WEIGHTS_BEYOND] =
		doubt * expected(windows, sum->values);
	sum->alike = likeness(sum->influences, windows->num);
}

void windows_doubt(struct windows *windows, size_t event, double off)
{
	struct sum sum;

	add_up(windows, &event, 1, &sum);
	windows->weights.unseen += off / fmax(1, expected(windows, sum.values));
}

static bool is_used(const struct windows *windows, size_t window)
{
	return windows->weights.roots[window] > 0;
}

/* How many times the variance of influences the error is made from. */
static double caution(const struct windows *windows)
{
	double num = (double)windows->weights.num_used;

	return CAUTION * CAUTION * (num - 1) / num;
}

static double variance_of(const struct windows *windows, const struct sum *sum)
{
	double squares = 0;

	for (size_t i = 0; i < windows->num + BEYOND; i++)
		squares += sum->influences[i] * sum->influences[i] *
			   (i < windows->num ? sum->alike : 1);
	return caution(windows) * squares;
}

/* The part of the accesses that windows which stand for others had of those
 * they stand for. */
static double used_share(const struct windows *windows)
{
	double accesses = 0;

	for (size_t i = 0; i < windows->num; i++)
		if (is_used(windows, i))
			accesses += windows->classes[i * windows->num_classes];
	return accesses / (accesses + windows->totals[WEIGHTS_ACCESSES]);
}

/* The rests of cells, to which windows are dealt with signs that are drawn, or
 * what neighbours have in common would add up. So, on average, they show the
 * variance that the windows do (spread_variance()), the same way for all
 * events. */
static void set_rests(const struct windows *windows, const struct sum *sum,
		      struct uncore_estimate *estimate)
{
	double num = (double)estimate->num_cells;
	double scale = sqrt(caution(windows) / (1 - estimate->share) *
			    (num - 1) / num);
	double alike = sqrt(sum->alike);
	size_t rank = 0;

	for (size_t i = 0; i < windows->num; i++)
		if (is_used(windows, i))
			estimate->rests[rank++ % estimate->num_cells] +=
				sum->influences[i] * alike *
				(random_mix(i + 1) % 2 ? scale : -scale);
	for (size_t i = 0; i < BEYOND; i++)
		estimate->rests[rank++ % estimate->num_cells] +=
			scale * sum->influences[windows->num + i];
}

/* The parts of cells, one window after another, to show what comes in bursts:
 * what is there beyond what the classes explain, and the rest of the value
 * evenly, since the classes of the whole run are known. */
static void set_parts(const struct windows *windows, const struct sum *sum,
		      struct uncore_estimate *estimate)
{
	const struct weights *weights = &windows->weights;
	double known = 0;
	size_t rank = 0;

	for (size_t i = 0; i < windows->num; i++) {
		double weight = weights->weights[i], beyond = 0;

		if (!is_used(windows, i))
			continue;
		if (weight > 0)
			beyond = fmax(0, sum->influences[i]) *
				 sqrt((1 + weight) / weight);
		known += (1 + weight) * sum->values[i] - beyond;
		estimate->parts[rank++ * estimate->num_cells /
				weights->num_used] += beyond;
	}
	for (size_t i = 0; i < estimate->num_cells; i++)
		estimate->parts[i] +=
			fmax(0, known) / (double)estimate->num_cells;
}

static void set_cells(const struct windows *windows, const struct sum *sum,
		      struct uncore_estimate *estimate)
{
	const struct weights *weights = &windows->weights;

	estimate->num_cells = weights->num_used - weights->num_columns + 1;
	if (estimate->num_cells > UNCORE_MAX_CELLS)
		estimate->num_cells = UNCORE_MAX_CELLS;
	for (size_t i = 0; i < windows->num; i++)
		if (is_used(windows, i))
			estimate->seen += sum->values[i] / sum->step;
	set_rests(windows, sum, estimate);
	set_parts(windows, sum, estimate);
}

/* False where windows stand for nothing, or do not tell the error. */
static bool estimate_sum_of(const struct windows *windows,
			    const struct sum *sum,
			    struct uncore_estimate *estimate)
{
	const struct weights *weights = &windows->weights;

	*estimate = (struct uncore_estimate){
		.value = sum->start,
		.level = SPREAD_WINDOWS,
		.num_windows = weights->num_used,
	};
	for (size_t i = 0; i < windows->num; i++)
		estimate->value += sum->values[i] * (1 + weights->weights[i]);
	if (weights->num_used < weights->num_columns + 1 ||
	    weights->num_used < SPREAD_FEWEST_CELLS)
		return false;
	estimate->share = used_share(windows);
	estimate->step = sum->step / estimate->share;
	set_cells(windows, sum, estimate);
	return true;
}

bool windows_estimate(const struct windows *windows, const size_t *indices,
		      size_t num, struct uncore_estimate *estimate)
{
	struct sum sum;

	add_up(windows, indices, num, &sum);
	return estimate_sum_of(windows, &sum, estimate);
}

/* Whether nothing went the quick way. */
static bool is_exact(const struct windows *windows)
{
	for (size_t i = 0; i < windows->num_classes; i++)
		if (windows->totals[i] > 0)
			return false;
	return true;
}

static void set_errors(const struct windows *windows, const struct sum *sum,
		       const struct uncore_estimate *estimate,
		       struct uncore_count *count)
{
	double variance = variance_of(windows, sum);

	variance += spread_unshown(estimate, variance);
	count->standard_error = sqrt(variance);
	count->error = windows->student * count->standard_error;
	if (estimate->seen <= 0)
		count->error =
			ceil(SPREAD_UNSEEN * (estimate->step - sum->step));
}

/* Why an estimate cannot be told like that; NULL if it can. */
static const char *doubt(const struct uncore_estimate *estimate,
			 const struct uncore_count *count)
{
	bool is_few = estimate->num_windows < SPREAD_FEWEST_WINDOWS;

	if (count->error <= SPREAD_MOST_GOOD * estimate->value)
		return NULL;
	if (estimate->seen >= SPREAD_BURST_EVENTS && spread_is_burst(estimate))
		return "nearly all of it was seen in a short part of the run, "
		       "so nobody knows how much was missed";
	if (count->telling != UNCORE_TELL_FEWER)
		return NULL;
	if (is_few)
		return "too few windows were looked at in detail";
	if (estimate->seen <= 0 || estimate->value + count->error < MOST_FEWER)
		return NULL;
	return SPREAD_UNEVEN;
}

/* Windows are too few to tell how they differ, but most of the run was in
 * detail: what the rest is taken for is what may be missing of it, or may be
 * there once more. */
static void suppose(struct uncore_count *count)
{
	double value = (double)count->seen / count->share;

	if (count->share < 0.5 || !count->seen)
		return;
	count->value = (uint64_t)llround(value);
	count->error = value - (double)count->seen;
	count->standard_error = count->error / 2;
	count->telling = UNCORE_TELL_ABOUT;
	count->valid = true;
	count->reason = "";
}

void windows_count(const struct windows *windows, const size_t *indices,
		   size_t num, struct uncore_count *count)
{
	struct uncore_estimate estimate;
	const char *doubts;
	struct sum sum;
	bool has_error;

	add_up(windows, indices, num, &sum);
	has_error = estimate_sum_of(windows, &sum, &estimate);
	count->value = (uint64_t)llround(estimate.value);
	count->seen = (uint64_t)(sum.start + sum.seen);
	count->share = windows_share(windows);
	count->is_estimate = !is_exact(windows);
	count->standard_error = count->error = count->is_estimate ? NAN : 0;
	count->telling = UNCORE_TELL_VALUE;
	count->valid = has_error || !count->is_estimate;
	count->reason =
		count->valid ? "" : "too few windows were looked at in detail";
	if (!has_error && count->is_estimate && !windows->is_part)
		suppose(count);
	if (!has_error || !count->is_estimate)
		return;
	set_errors(windows, &sum, &estimate, count);
	count->telling = spread_telling(estimate.value, count->error,
					estimate.num_windows);
	doubts = doubt(&estimate, count);
	count->valid = !doubts;
	count->reason = doubts ? doubts : "";
}
