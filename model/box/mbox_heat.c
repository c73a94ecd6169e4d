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
#include <math.h>
#include <string.h>

#include "model/box/mbox_parts.h"

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

static double temperature(const struct mbox *mbox, const struct mbox_dimm *dimm)
{
	return mbox->config.heat.ambient_c + dimm->rise_k + dimm->extra_k;
}

double mbox_temperature(const struct mbox *mbox, unsigned dimm)
{
	return temperature(mbox, &mbox->heat.pairs[dimm % MBOX_MAX_PAIRS]);
}

/* All that commands can ever take, W. */
static double most_power(const struct mbox *mbox)
{
	const struct mbox_heat_config *c = &mbox->config.heat;
	const struct dram_config *d = &mbox->config.dram;
	double clock_ns = c->cycle_ns * d->cycles_per_clock;
	unsigned gap = d->burst_clocks + d->trtrs_clocks;
	double nj =
		4 * c->row_nj / d->tfaw_clocks +
		c->column_nj / (gap < d->tccd_clocks ? gap : d->tccd_clocks);

	if (d->trefi_clocks)
		nj += c->refresh_nj * d->ranks / d->trefi_clocks;
	return c->idle_w + nj / clock_ns;
}

static bool can_be_reached(const struct mbox *mbox)
{
	const struct mbox_heat_config *c = &mbox->config.heat;

	return fault_is_active(mbox->config.faults, FAULT_HEAT) ||
	       c->ambient_c + most_power(mbox) * c->resistance_k_per_w >=
		       c->lo_c;
}

/* The energy of a command, kept until the next look. */
void mbox_heat_add(struct mbox *mbox, enum dram_cmd cmd, unsigned bank)
{
	const struct mbox_heat_config *c = &mbox->config.heat;
	unsigned rank = dram_rank_of(&mbox->dram, bank);
	double *energy =
		&mbox->heat.pairs[rank / mbox->heat.ranks_of_pair].energy_nj;

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
static void move_ramp(struct mbox *mbox, struct mbox_dimm *dimm, double cycles)
{
	const struct mbox_heat_config *c = &mbox->config.heat;
	double step = c->fault_k * cycles / (double)c->fault_cycles;

	dimm->extra_k += dimm->is_heating ? step : -step;
	if (dimm->extra_k >= c->fault_k) {
		dimm->extra_k = c->fault_k;
		dimm->is_heating = false;
	}
	if (dimm->extra_k < 0)
		dimm->extra_k = 0;
}

static void follow(struct mbox *mbox, struct mbox_dimm *dimm, double cycles)
{
	const struct mbox_heat_config *c = &mbox->config.heat;
	double power = c->idle_w + dimm->energy_nj / (cycles * c->cycle_ns);
	double aim = power * c->resistance_k_per_w;

	dimm->rise_k =
		aim + (dimm->rise_k - aim) * exp(-cycles / c->tau_cycles);
	dimm->energy_nj = 0;
	move_ramp(mbox, dimm, cycles);
}

static enum mbox_trip judge(const struct mbox *mbox,
			    const struct mbox_dimm *dimm, double now_c)
{
	const struct mbox_heat_config *c = &mbox->config.heat;

	if (now_c < c->lo_c)
		return TRIP_BELOW_LO;
	if (now_c < c->mid_c)
		return TRIP_LO;
	if (now_c == dimm->last_c && dimm->trip >= TRIP_MID_FALL)
		return dimm->trip;
	return now_c < dimm->last_c ? TRIP_MID_FALL : TRIP_MID_RISE;
}

static void show(struct mbox *mbox, const uint16_t *signals, unsigned trip,
		 unsigned pair)
{
	sig_pulse(mbox->signals, signals[trip] + pair, 1);
	sig_pulse(mbox->signals, signals[trip] + pair + CHANNEL_DIMMS, 1);
}

static void cross(struct mbox *mbox, unsigned pair, unsigned old, unsigned new)
{
	if (new > old) {
		show(mbox, up, new, pair);
		if (old == TRIP_BELOW_LO || old == TRIP_MID_FALL)
			show(mbox, up, old, pair);
	} else {
		show(mbox, down, new, pair);
		if (old == TRIP_MID_RISE)
			show(mbox, down, old, pair);
	}
	mbox_link_debug(mbox, mbox_clock_after(mbox, sim_now(mbox->sim)));
	mbox->heat.num_hot += (new >= TRIP_MID_FALL);
	mbox->heat.num_hot -= (old >= TRIP_MID_FALL);
}

/* DIMMs of a bus; one that has a single rank has a single DIMM. */
static unsigned num_dimms(const struct mbox *mbox)
{
	return mbox->config.dram.ranks > 1 ? mbox->config.heat.dimms : 1;
}

/* Where a pair of DIMMs stands: bus * 2 + place. */
static unsigned slot_of(const struct mbox *mbox, unsigned pair)
{
	unsigned dimms = num_dimms(mbox);

	return pair / dimms * 2 + pair % dimms;
}

static void read_sensors(struct mbox *mbox, uint64_t now)
{
	struct mbox_heat *heat = &mbox->heat;
	double cycles = (double)(now - heat->looked);

	heat->looked = now;
	for (unsigned i = 0; i < heat->num_pairs; i++) {
		struct mbox_dimm *dimm = &heat->pairs[i];
		enum mbox_trip trip;
		double now_c;

		follow(mbox, dimm, cycles);
		now_c = temperature(mbox, dimm);
		trip = judge(mbox, dimm, now_c);
		dimm->last_c = now_c;
		if (trip != dimm->trip)
			cross(mbox, slot_of(mbox, i), dimm->trip, trip);
		dimm->trip = (uint8_t)trip;
	}
}

/* Hot DIMMs rest in every second of these intervals. */
static bool is_rest(const struct mbox *mbox, uint64_t cycle)
{
	return cycle / mbox->config.heat.throttle_cycles & 1;
}

bool mbox_heat_throttles(const struct mbox *mbox, unsigned rank)
{
	const struct mbox_heat *heat = &mbox->heat;

	return heat->pairs[rank / heat->ranks_of_pair].trip >= TRIP_MID_FALL &&
	       is_rest(mbox, sim_now(mbox->sim));
}

static void heat_event(void *object, uint64_t cycle);

static void arm(struct mbox *mbox, uint64_t now)
{
	uint64_t rest = mbox->config.heat.throttle_cycles;

	mbox_alarm_set(mbox, &mbox->heat.alarm, mbox->heat.next_look,
		       heat_event);
	if (mbox->heat.num_hot)
		mbox_alarm_set(mbox, &mbox->heat.alarm, (now / rest + 1) * rest,
			       heat_event);
}

static void heat_event(void *object, uint64_t cycle)
{
	struct mbox *mbox = object;
	bool had_hot = mbox->heat.num_hot;

	if (!mbox_alarm_rings(&mbox->heat.alarm, cycle))
		return;
	if (mbox->heat.next_look <= cycle) {
		read_sensors(mbox, cycle);
		mbox->heat.next_look = cycle + mbox->config.heat.look_cycles;
	}
	arm(mbox, cycle);
	if (!had_hot || (mbox->heat.num_hot && is_rest(mbox, cycle)))
		return;
	for (unsigned i = 0; i < mbox->dram.num_ranks; i++)
		if (mbox->ranks[i].refresh == REFRESH_NONE)
			mbox_retry_rank(mbox, i);
}

/* Not while the pair whose turn it is still becomes warmer. */
bool mbox_heat_can_strike(const struct mbox *mbox)
{
	const struct mbox_heat *heat = &mbox->heat;

	return !heat->pairs[heat->num_strikes % heat->num_pairs].is_heating;
}

/* One pair of DIMMs gets warmer for a while. */
void mbox_heat_strike(struct mbox *mbox)
{
	struct mbox_heat *heat = &mbox->heat;

	heat->pairs[heat->num_strikes++ % heat->num_pairs].is_heating = true;
}

void mbox_heat_start(struct mbox *mbox)
{
	const struct mbox_heat_config *c = &mbox->config.heat;
	struct mbox_heat *heat = &mbox->heat;

	mbox_alarm_start(&heat->alarm);
	heat->num_pairs = num_dimms(mbox) * mbox->config.dram.buses;
	heat->ranks_of_pair = mbox->dram.num_ranks / heat->num_pairs;
	for (unsigned i = 0; i < heat->num_pairs; i++) {
		struct mbox_dimm *dimm = &heat->pairs[i];

		/* as idle for long */
		dimm->rise_k = c->idle_w * c->resistance_k_per_w;
		dimm->last_c = temperature(mbox, dimm);
		dimm->trip = (uint8_t)judge(mbox, dimm, dimm->last_c);
		heat->num_hot += dimm->trip >= TRIP_MID_FALL;
	}
	heat->is_watched = can_be_reached(mbox);
	heat->next_look = c->look_cycles;
	if (heat->is_watched)
		arm(mbox, 0);
}
