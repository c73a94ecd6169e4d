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

/* Clocks */

static void keep_clocks(struct pcu *pcu)
{
	uint64_t hz = pcu_hz(pcu, pcu->ratio);

	for (unsigned i = 0; i < pcu->num_cores; i++) {
		struct pcu_core *core = &pcu->cores[i];
		uint64_t busy = core_busy_cycles(core->core);

		core->clocked += (unsigned __int128)(busy - core->busy_at) * hz;
		core->busy_at = busy;
	}
}

uint64_t pcu_clocks(const struct pcu *pcu, const struct pcu_core *core)
{
	uint64_t busy = core_busy_cycles(core->core) - core->busy_at;

	return (uint64_t)((core->clocked +
			   (unsigned __int128)busy * pcu_hz(pcu, pcu->ratio)) /
			  pcu->uncore_hz);
}

void pcu_set_clock(struct pcu *pcu)
{
	double slower =
		(double)pcu->nominal_hz / (double)pcu_hz(pcu, pcu->ratio);

	for (unsigned i = 0; i < pcu->num_cores; i++)
		core_set_clock(pcu->cores[i].core, slower);
	sig_set(pcu->bank, SIG_PCU_FREQUENCY, pcu->ratio);
}

/* Changes */

static void next_phase(void *object, uint64_t unused);

static void begin(struct pcu *pcu, enum pcu_phase phase)
{
	uint64_t cycles = phase == PCU_SWITCHING
				  ? pcu->switch_cycles
				  : pcu->steps * pcu->volt_cycles;

	pcu->phase = phase;
	sig_set(pcu->bank, SIG_PCU_VOLT_TRANS_CYCLES_INCREASE,
		phase == PCU_RAISING);
	sig_set(pcu->bank, SIG_PCU_FREQ_TRANS_CYCLES, phase == PCU_SWITCHING);
	sig_set(pcu->bank, SIG_PCU_VOLT_TRANS_CYCLES_DECREASE,
		phase == PCU_LOWERING);
	sig_set(pcu->bank, SIG_PCU_VOLT_TRANS_CYCLES_CHANGE,
		phase == PCU_RAISING || phase == PCU_LOWERING);
	if (phase == PCU_SWITCHING && pcu->is_ring_with_cores)
		qll_hold(pcu->ep, pcu->socket->index, pcu_now(pcu),
			 pcu_now(pcu) + cycles);
	if (phase != PCU_STEADY)
		sim_at(pcu->ep->engine.sim, pcu_now(pcu) + cycles, next_phase,
		       pcu, 0);
}

static void switch_clock(struct pcu *pcu)
{
	keep_clocks(pcu);
	pcu_charge(pcu);
	for (unsigned i = 0; i < pcu->num_cores; i++)
		pcu_heat(pcu, i);
	pcu_heat(pcu, PCU_REGULATOR);
	pcu->ratio = pcu->next;
	pcu_set_clock(pcu);
	for (unsigned i = 0; i < pcu->num_cores; i++)
		pcu_watch(pcu, i);
	pcu_watch(pcu, PCU_REGULATOR);
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
