/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Temperatures. Each core goes exponentially towards what its power would lead
 * to: ambient while it is halted, and `rise` above that in C0 at the nominal
 * clock, with the square of the clock (the voltage follows) and the share of
 * the time in which it runs. So when it crosses a threshold can be computed,
 * and nothing has to be stepped. Neighbours do not warm each other.
 *
 * A sensor that has reached its threshold lets go `hysteresis` degrees below.
 */
#include <math.h>

#include "model/box/wbox_parts.h"

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
/* A change that takes longer than this never comes. */
static const double ever_cycles = 1e15;

static uint64_t now_of(const struct wbox *wbox)
{
	return sim_now(wbox->socket->sim);
}

/* Where the temperature would end. */
static double destination(const struct wbox *wbox, const struct wbox_core *core)
{
	double clock = (double)wbox->ratio_hz[core->ratio] /
		       (double)wbox->ratio_hz[WBOX_NOMINAL];

	if (core->state != POWER_C0)
		return wbox->ambient;
	return wbox->ambient +
	       wbox->rise * clock * clock * wbox_duty(wbox, core);
}

double wbox_temperature(const struct wbox *wbox, const struct wbox_core *core)
{
	uint64_t cycles = now_of(wbox) - core->heated_at;
	double end = destination(wbox, core);

	if (!cycles)
		return core->temperature;
	return end + (core->temperature - end) *
			     decay((double)cycles / wbox->tau_cycles);
}

void wbox_heat(const struct wbox *wbox, struct wbox_core *core)
{
	core->temperature = wbox_temperature(wbox, core);
	core->heated_at = now_of(wbox);
}

/* Cycles until the temperature is at a threshold on its way. */
static double cycles_until(const struct wbox *wbox,
			   const struct wbox_core *core, double threshold)
{
	double end = destination(wbox, core);
	double share = (end - core->temperature) / (end - threshold);

	return share > 1 ? wbox->tau_cycles * logarithm(share) : 0;
}

static void cross(void *object, uint64_t argument)
{
	struct wbox *wbox = object;
	struct wbox_core *core = wbox_core_of(wbox, WBOX_CROSSING, argument);

	if (!core)
		return;
	wbox_heat(wbox, core);
	wbox_watch(wbox, core);
}

/* The sensor of a threshold, as it stands at this temperature. */
static bool feel(const struct wbox *wbox, double temperature, double threshold,
		 bool was_above)
{
	return temperature >= threshold - near_degrees -
				      (was_above ? wbox->hysteresis : 0) +
				      (was_above ? 2 * near_degrees : 0);
}

/* The soonest time at which a sensor changes. */
static double next_crossing(const struct wbox *wbox,
			    const struct wbox_core *core)
{
	const double thresholds[] = { wbox->turbo_limit, wbox->target };
	const bool is_above[] = { core->is_warm, core->is_hot };
	double end = destination(wbox, core), soonest = ever_cycles;

	for (unsigned i = wbox->has_turbo ? 0 : 1; i < 2; i++) {
		double at =
			thresholds[i] - (is_above[i] ? wbox->hysteresis : 0);
		double cycles;

		if (is_above[i] ? end > at - near_degrees
				: end < at + near_degrees)
			continue;
		cycles = cycles_until(wbox, core, at);
		if (cycles < soonest)
			soonest = cycles;
	}
	return soonest;
}

void wbox_watch(struct wbox *wbox, struct wbox_core *core)
{
	bool warm = wbox->has_turbo && feel(wbox, core->temperature,
					    wbox->turbo_limit, core->is_warm);
	bool hot = feel(wbox, core->temperature, wbox->target, core->is_hot);
	double cycles;

	if (warm != core->is_warm || hot != core->is_hot) {
		core->is_warm = warm;
		wbox->num_hot += hot;
		wbox->num_hot -= core->is_hot;
		core->is_hot = hot;
		core->was_hot |= hot;
		wbox_decide(wbox);
		return; /* which has come back here */
	}
	cycles = next_crossing(wbox, core);
	if (cycles < ever_cycles)
		wbox_ask(wbox, core, WBOX_CROSSING, (uint64_t)cycles + 1,
			 cross);
	else
		wbox_call_off(core, WBOX_CROSSING);
}
