/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Power states of the cores. C0 and C1 are one to the PCU, and to its events.
 * A core that sleeps wants C6; it is given what would have paid the last time
 * it slept: less than c3_cycles C1, less than c6_cycles C3. That is a demotion.
 * It is in transition while it saves its state before, and gets it back after.
 */
#include "model/box/socket.h"
#include "model/sandy-bridge-ep/pcu_parts.h"
#include "signals.h"

static void show(struct pcu *pcu)
{
	const unsigned *num = pcu->power.num_in;

	sig_set(pcu->power.bank, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C0,
		num[POWER_C0] + num[POWER_C1]);
	sig_set(pcu->power.bank, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C3,
		num[POWER_C3]);
	sig_set(pcu->power.bank, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C6,
		num[POWER_C6]);
	sig_set(pcu->power.bank, SIG_PCU_SOME_CORE_C3, num[POWER_C3] > 0);
	sig_set(pcu->power.bank, SIG_PCU_SOME_CORE_C6, num[POWER_C6] > 0);
}

void pcu_core_moves(struct pcu *pcu, unsigned index, bool is_moving)
{
	struct pcu_core *core = &pcu->cores[index];

	if (core->is_moving == is_moving)
		return;
	core->is_moving = is_moving;
	if (index < NUM_PCU_CORE_TRANSITION_CYCLES)
		sig_add(pcu->power.bank, PCU_CORE_TRANSITION_CYCLES(index),
			is_moving ? 1 : -1);
	sig_add(pcu->power.bank, SIG_PCU_TOTAL_TRANSITION_CYCLES,
		is_moving ? 1 : -1);
}

/* What a core is given. */
static enum power_state
given(const struct pcu *pcu, const struct pcu_core *core, enum power_state wish)
{
	if (wish != POWER_C6 || core->last_sleep >= pcu->c6_cycles)
		return wish;
	return core->last_sleep >= pcu->c3_cycles ? POWER_C3 : POWER_C1;
}

static void enter(struct pcu *pcu, unsigned index, enum power_state wish)
{
	struct pcu_core *core = &pcu->cores[index];
	struct power *power = &pcu->power;
	uint64_t stay = power_now(power) - power->cores[index].since;
	enum power_state state;

	if (core->is_asleep)
		core->last_sleep = stay;
	core->is_asleep = wish == POWER_C6;
	state = given(pcu, core, wish);
	power_enter(power, index, state);
	if (state != wish && index < NUM_PCU_DEMOTIONS_CORE)
		sig_pulse(power->bank, PCU_DEMOTIONS_CORE(index), 1);
}

/* The other sockets' frequencies may depend on whether anybody works here. */
static void tell_peers(const struct pcu *pcu)
{
	for (unsigned i = 0; i < pcu->ep->num_sockets; i++) {
		struct pcu *other = pcu->ep->sockets[i].pcu;

		if (other && other != pcu && other->idle_cycles)
			power_expect_news(&other->power);
	}
}

static void become_idle(void *object, uint64_t number)
{
	struct pcu *pcu = object;

	if (pcu->idle_number != number || pcu->power.num_in[POWER_C0])
		return;
	pcu->is_idle = true;
	pcu_decide(pcu);
}

static void wait_for_idleness(struct pcu *pcu)
{
	if (pcu->idle_cycles)
		sim_at(pcu->ep->engine.sim, pcu_now(pcu) + pcu->idle_cycles,
		       become_idle, pcu, ++pcu->idle_number);
}

/* Somebody begins to work, or nobody does any more. */
static void note_work(struct pcu *pcu)
{
	if (pcu->power.num_in[POWER_C0])
		pcu->is_idle = false;
	else
		wait_for_idleness(pcu);
	tell_peers(pcu);
}

static bool is_news(const struct pcu *pcu)
{
	struct pcu_verdict verdict = pcu_judge(pcu);

	return verdict.ratio != pcu->verdict.ratio ||
	       verdict.limit != pcu->verdict.limit;
}

void pcu_core_state(struct pcu *pcu, unsigned index, enum power_state state)
{
	struct power *power = &pcu->power;
	bool worked = power->num_in[POWER_C0];
	bool has_changed;

	if (!pcu->cores[index].is_asleep ? power->cores[index].state == state
					 : state == POWER_C6)
		return;
	pcu_charge(pcu);
	power_heat(power, index);
	power_heat(power, POWER_OTHER);
	enter(pcu, index, state);
	show(pcu);
	if (worked != (power->num_in[POWER_C0] > 0))
		note_work(pcu);
	has_changed = power_watch(power, index);
	has_changed |= power_watch(power, POWER_OTHER);
	if (has_changed || is_news(pcu))
		power_expect_news(power);
}

void pcu_states_begin(struct pcu *pcu)
{
	for (unsigned i = 0; i < EP_MAX_CORES; i++)
		pcu->cores[i].last_sleep = SIM_NEVER;
	show(pcu);
	wait_for_idleness(pcu);
}
