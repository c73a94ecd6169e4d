/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How likely a difference is where there is none: docs/compare.md has the
 * formulas and where they come from.
 */
#ifndef UNCORE_TOOL_CHANCE_H
#define UNCORE_TOOL_CHANCE_H

/* A number, and how sure it is. */
struct significance_value {
	double value;
	double variance; /* of it; 0: it is exact */
	double freedom;	 /* degrees of freedom of the variance; INFINITY: that
			  * is exact, too */
};

struct significance {
	double first, second;  /* variances that were reckoned with */
	double difference;     /* of the second from the first */
	double standard_error; /* of it */
	double freedom;	       /* degrees of freedom of that */
	double p; /* probability of such a difference, or a bigger one, where
		   * there is none */
};

/* Whether two numbers are the same (Welch's test). */
struct significance significance_test(const struct significance_value *first,
				      const struct significance_value *second);

/* The same where the variance of one is an estimate from the other: both have
 * the degrees of freedom of that in common. */
struct significance
significance_test_common(const struct significance_value *first,
			 const struct significance_value *second,
			 double freedom);

/* Of num samples this many were of the one that is asked for; `total` events
 * are behind them all. */
struct significance_samples {
	double hits, num, total;
};

/* Whether two of them stand for the same number of events. */
struct significance
significance_test_samples(const struct significance_samples *first,
			  const struct significance_samples *second);

/* The probability that something with Student's distribution is not between
 * -t and t. */
double significance_outside(double t, double freedom);

/* The number of standard errors within which it is with this probability. */
double significance_within(double probability, double freedom);

/* The degrees of freedom of an interval that is as many standard errors wide
 * on either side as significance_within() says: its reverse in the second
 * argument. INFINITY where the interval is not wider than that of a normal
 * distribution. */
double significance_freedom(double probability, double errors);

#endif
