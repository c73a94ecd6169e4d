/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Power of a socket, as far as all kinds of processor have it: states and
 * clocks of its cores, temperatures with their sensors, PROCHOT from outside.
 * Who may run how fast is for the kind to decide, which it is asked whenever
 * something changes that decides about it. So nothing happens but at changes.
 *
 * Neighbours do not warm each other. A temperature is brought up to the present
 * (power_heat()) before anything that decides where it goes changes, and its
 * sensors are looked at after that (power_watch()). Looking at it must not do
 * so: it would be rounded once more.
 */
#ifndef UNCORE_POWER_H
#define UNCORE_POWER_H

#include "model/box/heat.h"
#include "model/box/socket.h"

/* What gets warm, by number: the cores, and one thing more. */
enum { POWER_OTHER = SOCKET_MAX_CORES, POWER_MAX_BODIES };

struct power_kind {
	/* Where a body's temperature would end. */
	double (*end_of)(const void *object, unsigned body);
	/* Whatever decides about clocks has changed. */
	void (*decide)(void *object);
	/* A core has become hot, or PROCHOT is asserted. NULL: nobody is told.
	 */
	void (*alarm)(void *object);
};

/* The first sensor of a core is at the target temperature: it is hot. */
struct power_body {
	struct heat_sensor sensors[2];
	unsigned num_sensors;
	double degrees; /* in the cycle `at` */
	uint64_t at;
	double tau_cycles;
	uint32_t latest; /* number of its next crossing; others are void */
};

struct power_core {
	struct core *core;
	enum power_state state;
	uint64_t since;	    /* the state began */
	uint64_t c6_cycles; /* of past stays */
	bool was_hot;
	uint64_t hz;	  /* of its clock; */
	uint64_t busy_at; /* busy cycles of the core when it got that */
	unsigned __int128 clocked; /* sum of busy cycles times hz up to then */
};

struct power {
	struct socket *socket;
	const struct power_kind *kind;
	void *object;
	struct sigbank *bank;
	unsigned num_cores, num_hot;
	struct power_core cores[SOCKET_MAX_CORES];
	unsigned num_in[POWER_C6 + 1]; /* cores in each state */
	struct power_body bodies[POWER_MAX_BODIES];
	double ambient, rise;
	uint64_t nominal_hz, uncore_hz, check_cycles, forced_cycles;
	bool has_news, is_forced, was_forced;
};

/* The cores, in C1 and at the nominal clock, each a body with a sensor. */
void power_init(struct power *power, struct socket *socket,
		const struct power_kind *kind, void *object,
		struct sigbank *bank);
void power_add_body(struct power *power, unsigned body, double tau_cycles);
void power_add_sensor(struct power *power, unsigned body, double threshold);

static inline uint64_t power_now(const struct power *power)
{
	return sim_now(power->socket->sim);
}

static inline void power_after(const struct power *power, uint64_t cycles,
			       sim_fn *fn)
{
	sim_at(power->socket->sim, power_now(power) + cycles, fn, power->object,
	       0);
}

static inline bool power_is_above(const struct power *power, unsigned body,
				  unsigned sensor)
{
	return power->bodies[body].sensors[sensor].is_above;
}

/* A core changes its state; how long the one before was. */
uint64_t power_enter(struct power *power, unsigned core,
		     enum power_state state);

/* A core has another clock. */
void power_set_clock(struct power *power, unsigned core, uint64_t hz);

double power_temperature(const struct power *power, unsigned body);
void power_heat(struct power *power, unsigned body);
/* Whether a sensor has changed. */
bool power_watch(struct power *power, unsigned body);

/* What happens in one cycle is looked at together, in the next: cores that
 * begin and end in it wish for nothing. */
void power_expect_news(struct power *power);

/* As kind->read_power() and clear_power_log(), but for the clock that is set
 * and for energy. */
void power_read(const struct power *power, unsigned core,
		struct power_reading *reading);
void power_clear_log(struct power *power, unsigned core, bool hot, bool forced);

#endif
