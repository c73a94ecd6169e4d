/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See heat.h.
 */
#include "model/box/heat.h"

#include <math.h>

/* exp() and log() of the host's library may differ in the last bit from one
 * processor to the next, and a crossing then falls into another cycle. These
 * only add, multiply and divide, which is the same anywhere. */

/* exp(-x) for x >= 0 */
static double decay(double x)
{
	double sum = 1, term = 1;
	unsigned halvings = 0;

	if (x > 700)
		return 0;
	for (; x > 0.0625; x /= 2)
		halvings++;
	for (unsigned n = 1; n <= 10; n++) {
		term *= -x / n;
		sum += term;
	}
	while (halvings--)
		sum *= sum;
	return sum;
}

/* ln(x) for x >= 1: that of the power of two below, and twice the inverse
 * hyperbolic tangent of (m - 1) / (m + 1) for what is left. */
static double logarithm(double x)
{
	const double ln2 = 0.693147180559945309417;
	int exponent;
	double m = frexp(x, &exponent) * 2, z = (m - 1) / (m + 1);
	double power = z, sum = 0;

	for (unsigned n = 1; n <= 39; n += 2) {
		sum += power / n;
		power *= z * z;
	}
	return (exponent - 1) * ln2 + 2 * sum;
}

/* Crossings are computed in doubles: this near is there. */
static const double near_degrees = 1e-6;
const double heat_ever_cycles = 1e15;

double heat_after(double start, double end, uint64_t cycles, double tau_cycles)
{
	if (!cycles)
		return start;
	return end + (start - end) * decay((double)cycles / tau_cycles);
}

bool heat_feels(const struct heat_sensor *sensor, double degrees)
{
	return degrees >= sensor->threshold - near_degrees -
				  (sensor->is_above ? sensor->hysteresis : 0) +
				  (sensor->is_above ? 2 * near_degrees : 0);
}

double heat_crossing(const struct heat_sensor *sensor, double degrees,
		     double end, double tau_cycles)
{
	double at =
		sensor->threshold - (sensor->is_above ? sensor->hysteresis : 0);
	double share;

	if (sensor->is_above ? end > at - near_degrees
			     : end < at + near_degrees)
		return heat_ever_cycles;
	share = (end - degrees) / (end - at);
	return share > 1 ? tau_cycles * logarithm(share) : 0;
}
