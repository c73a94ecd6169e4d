/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How the frequency changes: by one change at a time, whose goal stays what it
 * was when it began. Upwards the voltage rises, then the clock switches;
 * downwards the clock switches, then the voltage falls.
 *
 * The cores go on at the old clock until it has switched; where the ring's
 * clock is theirs (uncore.domain) nothing crosses from the links to it
 * meanwhile. The voltage takes a time for each 100 MHz.
 */
#include "model/box/socket.h"
#include "model/sandy-bridge-ep/pcu_parts.h"
#include "model/sandy-bridge-ep/qll.h"
#include "signals.h"

void pcu_set_clock(struct pcu *pcu)
{
	for (unsigned i = 0; i < pcu->power.num_cores; i++)
		power_set_clock(&pcu->power, i, pcu_hz(pcu, pcu->ratio));
	sig_set(pcu->power.bank, SIG_PCU_FREQUENCY, pcu->ratio);
}

static void next_phase(void *object, uint64_t unused);

static void begin(struct pcu *pcu, enum pcu_phase phase)
{
	uint64_t cycles = phase == PCU_SWITCHING
				  ? pcu->switch_cycles
				  : pcu->steps * pcu->volt_cycles;

	pcu->phase = phase;
	sig_set(pcu->power.bank, SIG_PCU_VOLT_TRANS_CYCLES_INCREASE,
		phase == PCU_RAISING);
	sig_set(pcu->power.bank, SIG_PCU_FREQ_TRANS_CYCLES,
		phase == PCU_SWITCHING);
	sig_set(pcu->power.bank, SIG_PCU_VOLT_TRANS_CYCLES_DECREASE,
		phase == PCU_LOWERING);
	sig_set(pcu->power.bank, SIG_PCU_VOLT_TRANS_CYCLES_CHANGE,
		phase == PCU_RAISING || phase == PCU_LOWERING);
	if (phase == PCU_SWITCHING && pcu->is_ring_with_cores)
		qll_hold(pcu->ep, pcu->power.socket->index, pcu_now(pcu),
			 pcu_now(pcu) + cycles);
	if (phase != PCU_STEADY)
		power_after(&pcu->power, cycles, next_phase);
}

static void switch_clock(struct pcu *pcu)
{
	struct power *power = &pcu->power;

	pcu_charge(pcu);
	for (unsigned i = 0; i < power->num_cores; i++)
		power_heat(power, i);
	power_heat(power, POWER_OTHER);
	pcu->ratio = pcu->next;
	pcu_set_clock(pcu);
	for (unsigned i = 0; i < power->num_cores; i++)
		power_watch(power, i);
	power_watch(power, POWER_OTHER);
}

static void next_phase(void *object, uint64_t unused)
{
	struct pcu *pcu = object;
	bool is_lower = pcu->next < pcu->ratio;

	(void)unused;
	if (pcu->phase == PCU_RAISING) {
		begin(pcu, PCU_SWITCHING);
		return;
	}
	if (pcu->phase == PCU_SWITCHING)
		switch_clock(pcu);
	else
		is_lower = false; /* and so is the voltage */
	begin(pcu, is_lower ? PCU_LOWERING : PCU_STEADY);
	pcu_decide(pcu);
}

void pcu_change(struct pcu *pcu)
{
	unsigned goal = pcu->verdict.ratio;

	if (pcu->phase != PCU_STEADY || goal == pcu->ratio)
		return;
	pcu->next = goal;
	pcu->steps = goal > pcu->ratio ? goal - pcu->ratio : pcu->ratio - goal;
	begin(pcu, goal > pcu->ratio ? PCU_RAISING : PCU_SWITCHING);
}
