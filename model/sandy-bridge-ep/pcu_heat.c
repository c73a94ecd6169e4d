/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Temperatures. A core goes to `ambient`, in C0 to `rise` above that at the
 * nominal clock and with its power at others; the cores' voltage regulator to
 * regulator_rise above it at the limit of the current, with the current's
 * square. Neighbours do not warm each other.
 */
#include "model/box/socket.h"
#include "model/sandy-bridge-ep/pcu_parts.h"
#include "model/sandy-bridge-ep/ubox.h"

enum { BODY_BITS = 8 };

/* Where the temperature would end. */
static double end_of(const struct pcu *pcu, unsigned body)
{
	double share = pcu_current(pcu) / pcu->current_limit;

	if (body == PCU_REGULATOR)
		return pcu->ambient + pcu->regulator_rise * share * share;
	if (pcu->cores[body].state != POWER_C0)
		return pcu->ambient;
	return pcu->ambient + pcu->rise * pcu->power[pcu->ratio];
}

double pcu_temperature(const struct pcu *pcu, unsigned number)
{
	const struct pcu_body *body = &pcu->bodies[number];

	return heat_after(body->degrees, end_of(pcu, number),
			  pcu_now(pcu) - body->at, body->tau_cycles);
}

void pcu_heat(struct pcu *pcu, unsigned number)
{
	pcu->bodies[number].degrees = pcu_temperature(pcu, number);
	pcu->bodies[number].at = pcu_now(pcu);
}

/* A sensor changes now, unless it has been looked at again meanwhile. */
static void cross(void *object, uint64_t argument)
{
	struct pcu *pcu = object;
	unsigned number = argument & ((1u << BODY_BITS) - 1);

	if (pcu->bodies[number].latest != argument >> BODY_BITS)
		return;
	pcu_heat(pcu, number);
	if (pcu_watch(pcu, number))
		pcu_decide(pcu);
}

bool pcu_watch(struct pcu *pcu, unsigned number)
{
	struct pcu_body *body = &pcu->bodies[number];
	bool before = body->sensor.is_above;
	bool is_above = heat_feels(&body->sensor, body->degrees);
	double cycles;

	body->sensor.is_above = is_above;
	cycles = heat_crossing(&body->sensor, body->degrees,
			       end_of(pcu, number), body->tau_cycles);
	body->latest++;
	if (cycles < heat_ever_cycles)
		sim_at(pcu->ep->engine.sim, pcu_now(pcu) + (uint64_t)cycles + 1,
		       cross, pcu,
		       number | (uint64_t)body->latest << BODY_BITS);
	if (number == PCU_REGULATOR)
		return is_above != before;
	pcu->num_hot += is_above;
	pcu->num_hot -= before;
	pcu->cores[number].was_hot |= is_above;
	if (is_above && !before)
		ubox_tell(pcu->ep, pcu->socket->index, UBOX_OTHER,
			  pcu_now(pcu));
	return is_above != before;
}

static void make_body(struct pcu *pcu, unsigned number, enum param target,
		      enum param tau)
{
	const double *p = pcu->socket->param;

	pcu->bodies[number] = (struct pcu_body){
		.sensor = { .threshold = p[target],
			    .hysteresis = p[PARAM_HEAT_HYSTERESIS] },
		.degrees = pcu->ambient,
		.at = pcu_now(pcu),
		.tau_cycles = p[tau],
	};
}

void pcu_heat_init(struct pcu *pcu)
{
	const double *p = pcu->socket->param;

	pcu->ambient = p[PARAM_HEAT_AMBIENT];
	pcu->rise = p[PARAM_HEAT_RISE];
	pcu->regulator_rise = p[PARAM_PCU_REGULATOR_RISE];
	make_body(pcu, PCU_REGULATOR, PARAM_PCU_REGULATOR_TARGET,
		  PARAM_PCU_REGULATOR_TAU_CYCLES);
	for (unsigned i = 0; i < pcu->num_cores; i++)
		make_body(pcu, i, PARAM_HEAT_TARGET, PARAM_HEAT_TAU_CYCLES);
}
