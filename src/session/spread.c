/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "session/spread.h"

#include <math.h>

/* Where none was seen, 95 times in 100 there were no more than so many. */
enum { UNSEEN = 3 };

/* A burst comes in fewer cells than so many, if there are enough of them. */
#define BURST_NUM 2.5

/* Half of the 1 % that may lie outside, for a number of degrees of freedom. */
double spread_student(size_t freedom)
{
	static const double table[] = { 0,     63.657, 9.925, 5.841, 4.604,
					4.032, 3.707,  3.499, 3.355, 3.250 };
	const double z = 2.5758293, z3 = z * z * z, z5 = z3 * z * z,
		     z7 = z5 * z * z;
	double n = (double)freedom;

	if (freedom < sizeof(table) / sizeof(table[0]))
		return table[freedom];
	return z + (z3 + z) / 4 / n + (5 * z5 + 16 * z3 + 3 * z) / 96 / n / n +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / n / n / n;
}

double spread_rest(const struct uncore_estimate *estimate, size_t cell)
{
	return estimate->parts[cell] -
	       estimate->value * estimate->weights[cell];
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
	double rare = 0, num = spread_num(estimate);
	double size = estimate->value / num;

	if (estimate->seen < SPREAD_FEW_EVENTS)
		rare = (estimate->seen + UNSEEN) * estimate->step *
		       estimate->step;
	if (num < SPREAD_FEW_EVENTS && 3 * num < (double)estimate->num_cells)
		rare = fmax(rare, (num + UNSEEN) * size * size);
	return rare * (1 - estimate->share);
}

double spread_unshown(const struct uncore_estimate *estimate, double shown)
{
	double unseen = UNSEEN * (1 - estimate->share) * estimate->step *
			estimate->step;

	return fmax(unseen, rare_variance(estimate) - shown) + estimate->lost;
}
