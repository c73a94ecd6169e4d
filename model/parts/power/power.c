/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See power.h.
 */
#include "model/parts/power/power.h"

#include <math.h>

enum { BODY_BITS = 8 };

/* States and clocks */

uint64_t power_enter(struct power *power, unsigned index,
		     enum power_state state)
{
	struct power_core *core = &power->cores[index];
	uint64_t stay = power_now(power) - core->since;

	if (core->state == POWER_C6)
		core->c6_cycles += stay;
	power->num_in[core->state]--;
	core->state = state;
	core->since = power_now(power);
	power->num_in[state]++;
	return stay;
}

static unsigned __int128 clocked(const struct power_core *core)
{
	uint64_t busy = core_busy_cycles(core->core) - core->busy_at;

	return core->clocked + (unsigned __int128)busy * core->hz;
}

void power_set_clock(struct power *power, unsigned index, uint64_t hz)
{
	struct power_core *core = &power->cores[index];

	if (hz == core->hz)
		return;
	core->clocked = clocked(core);
	core->busy_at = core_busy_cycles(core->core);
	core->hz = hz;
	core_set_clock(core->core, (double)power->nominal_hz / (double)hz);
}

/* Temperatures */

double power_temperature(const struct power *power, unsigned number)
{
	const struct power_body *body = &power->bodies[number];

	return heat_after(body->degrees,
			  power->kind->end_of(power->object, number),
			  power_now(power) - body->at, body->tau_cycles);
}

void power_heat(struct power *power, unsigned number)
{
	power->bodies[number].degrees = power_temperature(power, number);
	power->bodies[number].at = power_now(power);
}

/* A sensor changes now, unless it has been looked at again meanwhile. */
static void cross(void *object, uint64_t argument)
{
	struct power *power = object;
	unsigned number = argument & ((1u << BODY_BITS) - 1);

	if (power->bodies[number].latest != argument >> BODY_BITS)
		return;
	power_heat(power, number);
	if (power_watch(power, number))
		power->kind->decide(power->object);
}

static void note_heat(struct power *power, unsigned core, bool is_hot)
{
	power->num_hot += is_hot ? 1 : -1u;
	power->cores[core].was_hot |= is_hot;
	if (is_hot && power->kind->alarm)
		power->kind->alarm(power->object);
}

bool power_watch(struct power *power, unsigned number)
{
	struct power_body *body = &power->bodies[number];
	double end = power->kind->end_of(power->object, number);
	double soonest = heat_ever_cycles;
	bool was_hot = body->sensors[0].is_above, has_changed = false;

	for (unsigned i = 0; i < body->num_sensors; i++) {
		struct heat_sensor *sensor = &body->sensors[i];
		bool is_above = heat_feels(sensor, body->degrees);

		has_changed |= is_above != sensor->is_above;
		sensor->is_above = is_above;
		soonest = fmin(soonest, heat_crossing(sensor, body->degrees,
						      end, body->tau_cycles));
	}
	body->latest++;
	if (soonest < heat_ever_cycles)
		sim_at(power->socket->sim,
		       power_now(power) + (uint64_t)soonest + 1, cross, power,
		       number | (uint64_t)body->latest << BODY_BITS);
	if (number != POWER_OTHER && body->sensors[0].is_above != was_hot)
		note_heat(power, number, !was_hot);
	return has_changed;
}

/* PROCHOT (FORCEPR) from outside */

static void force(struct power *power, bool is_forced)
{
	for (unsigned i = 0; i < POWER_MAX_BODIES; i++)
		if (power->bodies[i].num_sensors)
			power_heat(power, i);
	power->is_forced = is_forced;
	power->was_forced |= is_forced;
	if (is_forced && power->kind->alarm)
		power->kind->alarm(power->object);
	power->kind->decide(power->object);
}

static void let_go(void *object, uint64_t unused)
{
	(void)unused;
	force(object, false);
}

static void look_for_fault(void *object, uint64_t unused)
{
	struct power *power = object;
	struct socket *socket = power->socket;
	uint64_t now = power_now(power);

	(void)unused;
	if (!power->is_forced &&
	    fault_strikes(&socket->faults, FAULT_PROCHOT, 0, now)) {
		sim_at(socket->sim, now + power->forced_cycles, let_go, power,
		       0);
		force(power, true);
	}
	sim_at(socket->sim, now + power->check_cycles, look_for_fault, power,
	       0);
}

/* News */

static void look_at_news(void *object, uint64_t unused)
{
	struct power *power = object;

	(void)unused;
	power->has_news = false;
	power->kind->decide(power->object);
}

void power_expect_news(struct power *power)
{
	if (power->has_news)
		return;
	power->has_news = true;
	sim_at(power->socket->sim, power_now(power) + 1, look_at_news, power,
	       0);
}

/* Registers */

void power_read(const struct power *power, unsigned index,
		struct power_reading *reading)
{
	const struct power_core *core = &power->cores[index];
	bool is_in_c6 = core->state == POWER_C6;

	*reading = (struct power_reading){
		.clocks = (uint64_t)(clocked(core) / power->uncore_hz),
		.c6_cycles = core->c6_cycles +
			     (is_in_c6 ? power_now(power) - core->since : 0),
		.temperature = power_temperature(power, index),
		.is_hot = power_is_above(power, index, 0),
		.was_hot = core->was_hot,
		.is_forced = power->is_forced || power->num_hot,
		.was_forced = power->was_forced,
	};
}

void power_clear_log(struct power *power, unsigned index, bool hot, bool forced)
{
	if (hot)
		power->cores[index].was_hot = power_is_above(power, index, 0);
	if (forced)
		power->was_forced = power->is_forced;
}

/* Construction */

void power_add_body(struct power *power, unsigned body, double tau_cycles)
{
	power->bodies[body] = (struct power_body){
		.degrees = power->ambient,
		.at = power_now(power),
		.tau_cycles = tau_cycles,
	};
}

void power_add_sensor(struct power *power, unsigned index, double threshold)
{
	struct power_body *body = &power->bodies[index];
	double hysteresis = power->socket->param[PARAM_HEAT_HYSTERESIS];

	body->sensors[body->num_sensors++] =
		(struct heat_sensor){ threshold, hysteresis, false };
}

static void add_core(struct power *power, unsigned index)
{
	const double *p = power->socket->param;

	power->cores[index] = (struct power_core){
		.core = &power->socket->cores[index],
		.state = POWER_C1,
		.since = power_now(power),
		.hz = power->nominal_hz,
	};
	power->num_in[POWER_C1]++;
	power_add_body(power, index, p[PARAM_HEAT_TAU_CYCLES]);
	power_add_sensor(power, index, p[PARAM_HEAT_TARGET]);
}

void power_init(struct power *power, struct socket *socket,
		const struct power_kind *kind, void *object,
		struct sigbank *bank)
{
	const double *p = socket->param;

	power->socket = socket;
	power->kind = kind;
	power->object = object;
	power->bank = bank;
	power->num_cores = socket->num_cores;
	power->ambient = p[PARAM_HEAT_AMBIENT];
	power->rise = p[PARAM_HEAT_RISE];
	power->nominal_hz = (uint64_t)llround(p[PARAM_CORE_CLOCK] * 1e6);
	power->uncore_hz = (uint64_t)llround(p[PARAM_UNCORE_CLOCK] * 1e6);
	power->check_cycles = (uint64_t)p[PARAM_FAULT_CHECK_CYCLES];
	power->forced_cycles = (uint64_t)p[PARAM_HEAT_FORCEPR_CYCLES];
	for (unsigned i = 0; i < power->num_cores; i++)
		add_core(power, i);
	if (fault_is_active(&socket->faults, FAULT_PROCHOT))
		sim_at(socket->sim, power_now(power) + power->check_cycles,
		       look_for_fault, power, 0);
}
