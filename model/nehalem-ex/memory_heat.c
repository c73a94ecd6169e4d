/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * THR: temperatures of the DIMMs, trip points and throttling (guide 2.7.4.4).
 *
 * A DIMM is one thermal mass: its temperature goes towards ambient + power *
 * resistance with one time constant. Power is a constant and the energy of the
 * commands since the last look, so between two looks it is taken as constant
 * and the temperature follows in closed form. The sensors are read at fixed
 * intervals, and only where the hottest traffic, or a fault that somebody has
 * asked for, can reach a trip point at all.
 *
 * A reading is below LO, between LO and MID, or above MID and falling or rising
 * (Table 2-77). Choices: a crossing counts for the condition that is entered;
 * for one that cannot be entered in that direction (below LO and falling when
 * going up, rising when going down) when it is left. A rank whose DIMM is above
 * MID rests half of the time: what comes for it then waits in the retry queue.
 * Both channels carry the same commands, so DIMM n + 4 is as warm as DIMM n.
 */
#include "model/box/heat.h"
#include "model/nehalem-ex/memory_parts.h"

enum { CHANNEL_DIMMS = 4 };

static const uint16_t up[] = {
	[TRIP_BELOW_LO] = SIG_MBOX_THERM_TRP_UP_LT_LO,
	[TRIP_LO] = SIG_MBOX_THERM_TRP_UP_GT_LO,
	[TRIP_MID_FALL] = SIG_MBOX_THERM_TRP_UP_GT_MID_FALL,
	[TRIP_MID_RISE] = SIG_MBOX_THERM_TRP_UP_GT_MID_RISE,
};

static const uint16_t down[] = {
	[TRIP_BELOW_LO] = SIG_MBOX_THERM_TRP_DN_LT_LO,
	[TRIP_LO] = SIG_MBOX_THERM_TRP_DN_GT_LO,
	[TRIP_MID_FALL] = SIG_MBOX_THERM_TRP_DN_GT_MID_FALL,
	[TRIP_MID_RISE] = SIG_MBOX_THERM_TRP_DN_GT_MID_RISE,
};

static double temperature(const struct memory *memory,
			  const struct memory_dimm *dimm)
{
	return memory->config.heat.ambient_c + dimm->rise_k + dimm->extra_k;
}

double memory_temperature(const struct memory *memory, unsigned dimm)
{
	return temperature(memory,
			   &memory->heat.pairs[dimm % MEMORY_MAX_PAIRS]);
}

/* All that commands can ever take, W. */
static double most_power(const struct memory *memory)
{
	const struct mbox_heat_config *c = &memory->config.heat;
	const struct dram_config *d = &memory->config.dram;
	double clock_ns = c->cycle_ns * d->cycles_per_clock;
	unsigned gap = d->burst_clocks + d->trtrs_clocks;
	double nj =
		4 * c->row_nj / d->tfaw_clocks +
		c->column_nj / (gap < d->tccd_clocks ? gap : d->tccd_clocks);

	if (d->trefi_clocks)
		nj += c->refresh_nj * d->ranks / d->trefi_clocks;
	return c->idle_w + nj / clock_ns;
}

static bool can_be_reached(const struct memory *memory)
{
	const struct mbox_heat_config *c = &memory->config.heat;

	return fault_is_active(memory->config.faults, FAULT_HEAT) ||
	       c->ambient_c + most_power(memory) * c->resistance_k_per_w >=
		       c->lo_c;
}

/* The energy of a command, kept until the next look. */
void memory_heat_add(struct memory *memory, enum dram_cmd cmd, unsigned bank)
{
	const struct mbox_heat_config *c = &memory->config.heat;
	unsigned rank = dram_rank_of(&memory->mc.map, bank);
	double *energy = &memory->heat.pairs[rank / memory->heat.ranks_of_pair]
				  .energy_nj;

	switch (cmd) {
	case DRAM_RAS: *energy += c->row_nj; break;
	case DRAM_CAS_RD:
	case DRAM_CAS_WR:
	case DRAM_CASPRE_RD:
	case DRAM_CASPRE_WR: *energy += c->column_nj; break;
	case DRAM_RFR: *energy += c->refresh_nj; break;
	default: break;
	}
}

/* Injected heat comes and goes as a ramp. */
static void move_ramp(struct memory *memory, struct memory_dimm *dimm,
		      double cycles)
{
	const struct mbox_heat_config *c = &memory->config.heat;
	double step = c->fault_k * cycles / (double)c->fault_cycles;

	dimm->extra_k += dimm->is_heating ? step : -step;
	if (dimm->extra_k >= c->fault_k) {
		dimm->extra_k = c->fault_k;
		dimm->is_heating = false;
	}
	if (dimm->extra_k < 0)
		dimm->extra_k = 0;
}

static void follow(struct memory *memory, struct memory_dimm *dimm,
		   double cycles)
{
	const struct mbox_heat_config *c = &memory->config.heat;
	double power = c->idle_w + dimm->energy_nj / (cycles * c->cycle_ns);
	double aim = power * c->resistance_k_per_w;

	dimm->rise_k =
		heat_after(dimm->rise_k, aim, (uint64_t)cycles, c->tau_cycles);
	dimm->energy_nj = 0;
	move_ramp(memory, dimm, cycles);
}

static enum memory_trip judge(const struct memory *memory,
			      const struct memory_dimm *dimm, double now_c)
{
	const struct mbox_heat_config *c = &memory->config.heat;

	if (now_c < c->lo_c)
		return TRIP_BELOW_LO;
	if (now_c < c->mid_c)
		return TRIP_LO;
	if (now_c == dimm->last_c && dimm->trip >= TRIP_MID_FALL)
		return dimm->trip;
	return now_c < dimm->last_c ? TRIP_MID_FALL : TRIP_MID_RISE;
}

static void show(struct memory *memory, const uint16_t *signals, unsigned trip,
		 unsigned pair)
{
	uint64_t cycle = memory->heat.looked;

	memory_pulse(memory, signals[trip] + pair, cycle);
	memory_pulse(memory, signals[trip] + pair + CHANNEL_DIMMS, cycle);
}

static void cross(struct memory *memory, unsigned pair, unsigned old,
		  unsigned new)
{
	if (new > old) {
		show(memory, up, new, pair);
		if (old == TRIP_BELOW_LO || old == TRIP_MID_FALL)
			show(memory, up, old, pair);
	} else {
		show(memory, down, new, pair);
		if (old == TRIP_MID_RISE)
			show(memory, down, old, pair);
	}
	memory_link_debug(memory,
			  memory_clock_after(memory, memory->heat.looked));
	memory->heat.num_hot += (new >= TRIP_MID_FALL);
	memory->heat.num_hot -= (old >= TRIP_MID_FALL);
}

/* DIMMs of a bus; one that has a single rank has a single DIMM. */
static unsigned num_dimms(const struct memory *memory)
{
	return memory->config.dram.ranks > 1 ? memory->config.heat.dimms : 1;
}

/* Where a pair of DIMMs stands: bus * 2 + place. */
static unsigned slot_of(const struct memory *memory, unsigned pair)
{
	unsigned dimms = num_dimms(memory);

	return pair / dimms * 2 + pair % dimms;
}

static void read_sensors(struct memory *memory, uint64_t now)
{
	struct memory_heat *heat = &memory->heat;
	double cycles = (double)(now - heat->looked);

	heat->looked = now;
	for (unsigned i = 0; i < heat->num_pairs; i++) {
		struct memory_dimm *dimm = &heat->pairs[i];
		enum memory_trip trip;
		double now_c;

		follow(memory, dimm, cycles);
		now_c = temperature(memory, dimm);
		trip = judge(memory, dimm, now_c);
		dimm->last_c = now_c;
		if (trip != dimm->trip)
			cross(memory, slot_of(memory, i), dimm->trip, trip);
		dimm->trip = (uint8_t)trip;
	}
}

/* Hot DIMMs rest in every second of these intervals. */
static bool is_rest(const struct memory *memory, uint64_t cycle)
{
	return cycle / memory->config.heat.throttle_cycles & 1;
}

/* From which cycle on (not before this one) a rank takes transactions. */
uint64_t memory_heat_rest(const struct memory *memory, unsigned rank,
			  uint64_t cycle)
{
	const struct memory_heat *heat = &memory->heat;
	uint64_t rest = memory->config.heat.throttle_cycles;

	if (heat->pairs[rank / heat->ranks_of_pair].trip < TRIP_MID_FALL ||
	    !is_rest(memory, cycle))
		return cycle;
	return (cycle / rest + 1) * rest;
}

/* The sensors are read in a cycle. */
void memory_heat_look(struct memory *memory, uint64_t cycle)
{
	read_sensors(memory, cycle);
	memory->heat.next_look = cycle + memory->config.heat.look_cycles;
}

/* Not while the pair whose turn it is still becomes warmer. */
bool memory_heat_can_strike(const struct memory *memory)
{
	const struct memory_heat *heat = &memory->heat;

	return !heat->pairs[heat->num_strikes % heat->num_pairs].is_heating;
}

/* One pair of DIMMs gets warmer for a while. */
void memory_heat_strike(struct memory *memory)
{
	struct memory_heat *heat = &memory->heat;

	heat->pairs[heat->num_strikes++ % heat->num_pairs].is_heating = true;
}

void memory_heat_start(struct memory *memory)
{
	const struct mbox_heat_config *c = &memory->config.heat;
	struct memory_heat *heat = &memory->heat;

	heat->num_pairs = num_dimms(memory) * memory->config.dram.buses;
	heat->ranks_of_pair = memory->mc.map.num_ranks / heat->num_pairs;
	for (unsigned i = 0; i < heat->num_pairs; i++) {
		struct memory_dimm *dimm = &heat->pairs[i];

		/* as idle for long */
		dimm->rise_k = c->idle_w * c->resistance_k_per_w;
		dimm->last_c = temperature(memory, dimm);
		dimm->trip = (uint8_t)judge(memory, dimm, dimm->last_c);
		heat->num_hot += dimm->trip >= TRIP_MID_FALL;
	}
	heat->is_watched = can_be_reached(memory);
	heat->next_look = c->look_cycles;
}
