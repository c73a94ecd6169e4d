/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Throttling. The PCU may forbid the use of all ranks for a part of each period
 * (imc.throttle); those of a hot DIMM rest for another part. While a DIMM is
 * above the critical temperature all traffic of the channel is blocked (guide
 * p. 67). A rank counts as throttled as long as such a limit holds, whether
 * anybody wants it or not.
 *
 * DIMMs have the temperature of the air but for injected faults, which heat one
 * after the other: in imc.fault_time up by imc.fault_rise, in as long down
 * again, both evenly. So it is known beforehand when a trip point is crossed.
 */
#include "model/sandy-bridge-ep/imc_parts.h"

void imc_heat_start(struct imc *imc)
{
	const struct imc_heat_config *c = &imc->config.heat;

	imc->next_look = fault_is_active(&imc->socket->faults, FAULT_HEAT)
				 ? c->look_clocks
				 : IMC_NEVER;
	for (unsigned i = 0; c->percent && i < imc->mc.map.num_ranks; i++)
		sig_set(imc->signals, SIG_IMC_POWER_THROTTLE_CYCLES_RANK0 + i,
			1);
}

/* From when until when a DIMM that is heated from a clock on is above a trip
 * point; nothing where it does not get there. */
static struct span above(const struct imc_heat_config *c, double trip_c,
			 uint64_t clock)
{
	double part = (trip_c - c->ambient_c) / c->fault_k;
	uint64_t wait;

	if (part >= 1)
		return (struct span){ clock, clock };
	wait = part > 0 ? (uint64_t)(part * (double)c->fault_clocks) : 0;
	return (struct span){ clock + wait,
			      clock + 2 * c->fault_clocks - wait };
}

static void strike(struct imc *imc, uint64_t clock)
{
	const struct imc_heat_config *c = &imc->config.heat;
	unsigned num = imc->config.ranks_of_dimm;
	unsigned first = imc->num_strikes * num % imc->mc.map.num_ranks;
	struct span hot = above(c, c->hot_c, clock);
	struct span critical = above(c, c->critical_c, clock);

	imc->num_strikes++;
	for (unsigned i = first; i < first + num; i++) {
		imc->ranks[i].hot_from = hot.from;
		imc->ranks[i].hot_until = hot.to;
		sig_span(imc->signals, SIG_IMC_POWER_THROTTLE_CYCLES_RANK0 + i,
			 imc_cycle(imc, hot.from), imc_cycle(imc, hot.to), 1);
	}
	imc->critical_from = critical.from;
	imc->critical_until = critical.to;
	sig_span(imc->signals, SIG_IMC_POWER_CRITICAL_THROTTLE_CYCLES,
		 imc_cycle(imc, critical.from), imc_cycle(imc, critical.to), 1);
}

/* The sensors are read: an opportunity for faults, unless a DIMM is still being
 * heated. */
void imc_heat_look(struct mc *mc, uint64_t clock)
{
	struct imc *imc = mc->owner;
	const struct imc_heat_config *c = &imc->config.heat;

	if (!fault_strikes(&imc->socket->faults, FAULT_HEAT, imc->number,
			   imc->now)) {
		imc->next_look = clock + c->look_clocks;
		return;
	}
	strike(imc, clock);
	imc->next_look = clock + 2 * c->fault_clocks + c->look_clocks;
}

uint64_t imc_heat_next(const struct mc *mc)
{
	const struct imc *imc = mc->owner;

	return imc->next_look;
}

/* The first clock from one on in which the rank may be used. */
uint64_t imc_heat_rest(const struct imc *imc, unsigned index, uint64_t clock)
{
	const struct imc_heat_config *c = &imc->config.heat;
	const struct imc_rank *rank = &imc->ranks[index];
	unsigned percent = c->percent;
	uint64_t phase, rest;

	if (clock >= imc->critical_from && clock < imc->critical_until)
		clock = imc->critical_until;
	if (clock >= rank->hot_from && clock < rank->hot_until &&
	    c->hot_percent > percent)
		percent = c->hot_percent;
	if (!percent)
		return clock;
	phase = clock % c->period_clocks;
	rest = c->period_clocks * percent / 100;
	return phase < rest ? clock + rest - phase : clock;
}
