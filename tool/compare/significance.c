/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Student's distribution, by the incomplete beta function: with x = f/(f + t²)
 *
 *     P(|T| > t) = I(x; f/2, 1/2)
 *
 * and I by its continued fraction, which converges quickly where x is below
 * (a + 1)/(a + b + 2); elsewhere I(x; a, b) = 1 - I(1 - x; b, a).
 */
#include "compare.h"

#include <math.h>
#include <stdbool.h>

enum {
	MOST_STEPS = 500,	/* of the fraction */
	HALVINGS = 200,		/* of an interval with a solution */
	MUCH_FREEDOM = 1 << 20, /* as good as a normal distribution */
};

static const double TINY = 1e-300, EPSILON = 1e-15;

static double not_zero(double number)
{
	return fabs(number) < TINY ? TINY : number;
}

/* Factor number `step` of the fraction's even or odd terms. */
static double term(double step, bool is_odd, double x, double a, double b)
{
	if (is_odd)
		return -(a + step) * (a + b + step) * x /
		       ((a + 2 * step) * (a + 2 * step + 1));
	return step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step));
}

/* Lentz's way: from the front, a step at a time. */
static double fraction(double x, double a, double b)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1));
	double value = d;

	for (int i = 2; i < MOST_STEPS; i++) {
		double factor = term(floor(i / 2.), i % 2, x, a, b);

		d = 1 / not_zero(1 + factor * d);
		c = not_zero(1 + factor / c);
		value *= c * d;
		if (fabs(c * d - 1) < EPSILON)
			break;
	}
	return value;
}

static double incomplete_beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * fraction(x, a, b) / a;
	return 1 - front * fraction(1 - x, b, a) / b;
}

double significance_outside(double t, double freedom)
{
	if (isnan(t) || !(freedom > 0))
		return NAN;
	if (isinf(t))
		return 0;
	if (freedom > MUCH_FREEDOM)
		return erfc(fabs(t) / sqrt(2));
	return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double significance_within(double probability, double freedom)
{
	double low = 0, high = 1;

	while (significance_outside(high, freedom) > 1 - probability &&
	       high < 1e30)
		high *= 2;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (significance_outside(middle, freedom) > 1 - probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double significance_freedom(double probability, double errors)
{
	double low = 1, high = MUCH_FREEDOM;

	if (errors <= significance_within(probability, INFINITY) * 1.0001)
		return INFINITY;
	for (int i = 0; i < HALVINGS && high - low > 1e-6 * low; i++) {
		double middle = sqrt(low * high);

		if (significance_within(probability, middle) > errors)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct significance
significance_test_common(const struct significance_value *first,
			 const struct significance_value *second,
			 double freedom)
{
	struct significance significance = {
		.first = first->variance,
		.second = second->variance,
		.difference = second->value - first->value,
		.standard_error = sqrt(first->variance + second->variance),
		.freedom = freedom,
		.p = 1,
	};

	if (significance.difference != 0)
		significance.p = significance_outside(
			significance.difference / significance.standard_error,
			freedom);
	return significance;
}

struct significance significance_test(const struct significance_value *first,
				      const struct significance_value *second)
{
	double a = first->variance, b = second->variance;
	double weight = a * a / first->freedom + b * b / second->freedom;

	return significance_test_common(first, second,
					weight > 0 ? (a + b) * (a + b) / weight
						   : INFINITY);
}

/* Events that a sample stands for. */
static double each(const struct significance_samples *samples)
{
	return samples->total / samples->num;
}

/* Of the number of events, if `events` of them were of the one asked for. */
static double variance(const struct significance_samples *samples,
		       double events)
{
	double share = fmin(1, events / samples->total);

	return samples->total * samples->total * share * (1 - share) /
	       samples->num;
}

/* The variance is that of no difference: of as many events in either as both
 * together show. Samples come whole: half of one is taken off on each side,
 * which makes the test right for few of them. */
struct significance
significance_test_samples(const struct significance_samples *first,
			  const struct significance_samples *second)
{
	double common = (first->hits + second->hits) /
			(1 / each(first) + 1 / each(second));
	double step = (each(first) + each(second)) / 2;
	struct significance significance = {
		.first = variance(first, common),
		.second = variance(second, common),
		.difference =
			second->hits * each(second) - first->hits * each(first),
		.freedom = INFINITY,
	};
	double rest;

	significance.standard_error =
		sqrt(significance.first + significance.second);
	rest = fmax(0, fabs(significance.difference) - step);
	significance.p = rest > 0 ? significance_outside(
					    rest / significance.standard_error,
					    significance.freedom)
				  : 1;
	return significance;
}
