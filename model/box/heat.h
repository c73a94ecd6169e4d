/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Things that become warmer or cooler exponentially, and sensors with a
 * threshold. When a sensor changes can be computed, so nothing is stepped.
 * Temperatures are in degrees C; the same on any host to the last bit.
 */
#ifndef UNCORE_HEAT_H
#define UNCORE_HEAT_H

#include <stdbool.h>
#include <stdint.h>

/* A change that takes longer than this never comes. */
extern const double heat_ever_cycles;

/* What something at `start` has become on its way to `end`, in `tau_cycles` of
 * which it comes 63 % nearer. */
double heat_after(double start, double end, uint64_t cycles, double tau_cycles);

/* A sensor at its threshold; once there it lets go `hysteresis` below. */
struct heat_sensor {
	double threshold, hysteresis;
	bool is_above;
};

/* Whether it is above now. */
bool heat_feels(const struct heat_sensor *sensor, double degrees);

/* Cycles until it changes; heat_ever_cycles: it does not. */
double heat_crossing(const struct heat_sensor *sensor, double degrees,
		     double end, double tau_cycles);

#endif
