/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "session/spread.h"

#include <math.h>

/* A burst comes in fewer cells than so many, if there are enough of them. */
#define BURST_NUM 2.5

/* With what probability Student's t lies within -t and t: the sums of cosines
 * of Abramowitz and Stegun, 26.7.3 and 26.7.4, which are exact. */
static double probability(double t, size_t freedom)
{
	double angle = atan(t / sqrt((double)freedom));
	double cosine = cos(angle), sum = 0;
	double term = freedom % 2 ? cosine : 1;

	for (size_t i = 2 + freedom % 2; i <= freedom; i += 2) {
		sum += term;
		term *= cosine * cosine * (double)(i - 1) / (double)i;
	}
	if (freedom % 2)
		return (angle + sin(angle) * sum) * 2 / acos(-1);
	return sin(angle) * sum;
}

/* With more it is the normal distribution's, to five digits. */
enum { MOST_FREEDOM = 100000 };

double spread_student(size_t freedom, double level)
{
	double low = 0, high = 1;

	if (!freedom)
		return INFINITY;
	if (freedom > MOST_FREEDOM)
		freedom = MOST_FREEDOM;
	while (probability(high, freedom) < level)
		high *= 2;
	for (double middle = high / 2; low < middle && middle < high;
	     middle = (low + high) / 2) {
		if (probability(middle, freedom) < level)
			low = middle;
		else
			high = middle;
	}
	return high;
}

enum uncore_telling spread_telling(double value, double error,
				   size_t num_windows)
{
	if (!num_windows || error <= 0)
		return UNCORE_TELL_VALUE;
	if (error >= fabs(value))
		return UNCORE_TELL_FEWER;
	if (error > SPREAD_MOST_GOOD * fabs(value) ||
	    num_windows < SPREAD_FEWEST_WINDOWS)
		return UNCORE_TELL_ABOUT;
	return UNCORE_TELL_VALUE;
}

double spread_variance(const double *rests, size_t num_cells, double missed)
{
	double squares = 0;

	if (num_cells < SPREAD_FEWEST_CELLS)
		return NAN;
	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++)
		squares += rests[i] * rests[i];
	return missed * squares * (double)num_cells / (double)(num_cells - 1);
}

double spread_num(const struct uncore_estimate *estimate)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++) {
		sum += estimate->parts[i];
		squares += estimate->parts[i] * estimate->parts[i];
	}
	return squares > 0 ? sum * sum / squares : INFINITY;
}

bool spread_is_burst(const struct uncore_estimate *estimate)
{
	return estimate->share < 1 &&
	       spread_num(estimate) <
		       fmin(BURST_NUM, (double)estimate->num_cells / 2);
}

/* Of events that come at random, with some more for those that were not seen
 * at all. What was seen in a few cells only is no more than so many events,
 * each of the size that such a cell has on average. */
static double rare_variance(const struct uncore_estimate *estimate)
{
	double rare = 0, sum = 0, num = spread_num(estimate), size;

	for (size_t i = 0; i < UNCORE_MAX_CELLS; i++)
		sum += estimate->parts[i];
	size = sum / num;
	if (estimate->seen < SPREAD_FEW_EVENTS)
		rare = (estimate->seen + SPREAD_UNSEEN) * estimate->step *
		       estimate->step;
	if (num < SPREAD_FEW_EVENTS && 3 * num < (double)estimate->num_cells)
		rare = fmax(rare, (num + SPREAD_UNSEEN) * size * size);
	return rare * (1 - estimate->share);
}

double spread_unshown(const struct uncore_estimate *estimate, double shown)
{
	double unseen = SPREAD_UNSEEN * (1 - estimate->share) * estimate->step *
			estimate->step;

	return fmax(unseen, rare_variance(estimate) - shown) + estimate->lost;
}
