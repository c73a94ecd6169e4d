/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Refresh, calibration, power-down and self-refresh of ranks.
 *
 * A refresh of each rank comes due once in tREFI, the ranks' turns evenly
 * spread. It may be put off while the rank is in use, up to eight (JEDEC
 * JESD79-3, 4.16); a rank that is idle for long enough gets all that it is
 * owed. From refresh_high on one goes before a request for another row than the
 * open one, and before writes; when refresh_panic are owed, as soon as what has
 * clocks already has gone. After some thousand refreshes a rank gets a short
 * calibration in the same way.
 *
 * Power-down and self-refresh are scripts: sequences of commands with a time
 * after each, while which the rank takes nothing. An idle rank is powered down,
 * with its pages closed before; a request or a refresh wakes it. Ranks of a
 * channel that is idle for longer refresh themselves.
 *
 * Choice: active power-down, with open pages, is left out.
 */
#include "model/parts/memory/mc.h"
#include "model/pmu/tap.h"

static const struct mc_step self_refresh[] = { { DRAM_ENSR, MC_ONE },
					       { DRAM_CKEL, MC_CKE },
					       { 0 } };
static const struct mc_step leave_self_refresh[] = { { DRAM_CKEH, MC_ONE },
						     { DRAM_EXSR, MC_XS },
						     { DRAM_NOP, MC_DLLK },
						     { 0 } };

static unsigned clocks_of(const struct mc *mc, enum mc_wait wait)
{
	const struct dram_config *d = &mc->config.dram;

	switch (wait) {
	case MC_MRD: return d->tmrd_clocks;
	case MC_MOD: return d->tmod_clocks;
	case MC_ZQINIT: return d->tzqinit_clocks;
	case MC_DLLK: return d->tdllk_clocks;
	case MC_XS: return d->txs_clocks;
	case MC_XP: return d->txp_clocks;
	case MC_CKE: return d->tcke_clocks;
	default: return 1;
	}
}

static void tell(struct mc *mc, enum dram_cmd cmd, unsigned rank,
		 uint64_t clock)
{
	unsigned bank = mc_first_bank(mc, rank);

	mc->kind->tell(mc, cmd, bank, clock);
	mc_show(mc, cmd, bank, NULL, clock);
}

/* Runs a script from a clock on, once the rank has nothing else to do. A new
 * mode register 0 has the DLL lock again. */
void mc_rank_run(struct mc *mc, unsigned index, const struct mc_step *step,
		 uint64_t clock)
{
	struct mc_rank *rank = &mc->ranks[index];
	uint64_t dll = 0;

	clock = sim_later(clock, rank->busy_until);
	mc_close_rank(mc, index, clock);
	clock = banks_quiet_from(mc->banks, index, clock);
	for (; step->cmd; step++) {
		clock = banks_command(mc->banks, index >> mc->banks->rank_bits,
				      clock);
		tell(mc, step->cmd, index, clock);
		if (step->cmd == DRAM_MRS)
			dll = clock + mc->config.dram.tdllk_clocks;
		clock += clocks_of(mc, step->wait);
	}
	clock = sim_later(clock, dll);
	banks_hold(mc->banks, index, clock);
	rank->busy_until = clock;
	rank->is_script = true;
}

/* Somebody needs a rank that sleeps. */
void mc_rank_wake(struct mc *mc, unsigned index, uint64_t clock)
{
	struct mc_rank *rank = &mc->ranks[index];
	bool was_deep = rank->sleep == MC_SELF_REFRESH;

	mc_rank_run(mc, index,
		    was_deep ? leave_self_refresh : mc->kind->power_up, clock);
	rank->sleep = MC_AWAKE;
	if (was_deep && mc->config.dram.trefi_clocks) {
		rank->refresh = rank->busy_until + mc->config.dram.trefi_clocks;
		rank->owed = 0;
	}
	mc_due_by(mc, mc_rank_next(mc, index));
	mc_rank_due(mc, index);
}

static void fall_asleep(struct mc *mc, unsigned index, uint64_t clock)
{
	struct mc_rank *rank = &mc->ranks[index];
	uint64_t deep = mc->config.self_refresh_clocks;
	bool is_deep = deep && mc->last_use + deep <= clock;

	if (rank->sleep == MC_POWER_DOWN)
		mc_rank_wake(mc, index, clock);
	rank->sleep = is_deep ? MC_SELF_REFRESH : MC_POWER_DOWN;
	mc_rank_run(mc, index, is_deep ? self_refresh : mc->kind->power_down,
		    clock);
}

/* Something that the rank is busy with for so many clocks. */
static uint64_t occupy(struct mc *mc, unsigned index, enum dram_cmd cmd,
		       unsigned clocks, uint64_t clock)
{
	clock = banks_occupy(mc->banks, index, clocks, clock);
	tell(mc, cmd, index, clock);
	mc->ranks[index].busy_until = clock + clocks;
	return clock + clocks;
}

/* One refresh, as soon as the rank takes commands from a clock on. */
static void refresh(struct mc *mc, unsigned index, uint64_t clock)
{
	const struct dram_config *d = &mc->config.dram;
	struct mc_rank *rank = &mc->ranks[index];

	if (rank->sleep == MC_POWER_DOWN)
		mc_rank_wake(mc, index, clock);
	clock = sim_later(clock, rank->busy_until);
	mc_close_rank(mc, index, clock);
	clock = occupy(mc, index, DRAM_RFR, d->trfc_clocks, clock);
	rank->owed--;
	rank->num_done++;
	rank->is_script = false;
	if (d->zqcal_refreshes && rank->num_done % d->zqcal_refreshes == 0)
		occupy(mc, index, DRAM_ZQCAL, d->tzqcs_clocks, clock);
}

/* When a rank that is owed a refresh gets it if nobody comes. */
static uint64_t opportunity(const struct mc *mc, const struct mc_rank *rank)
{
	uint64_t clock = rank->last_use + mc->config.refresh_idle_clocks;

	clock = sim_later(clock, rank->busy_until);
	return sim_later(clock, rank->refresh - mc->config.dram.trefi_clocks);
}

static uint64_t sleep_due(const struct mc *mc, const struct mc_rank *rank)
{
	const struct mc_config *c = &mc->config;
	uint64_t due = MC_NEVER;

	if (c->self_refresh_clocks)
		due = mc->last_use + c->self_refresh_clocks;
	if (c->has_power_down && rank->sleep == MC_AWAKE &&
	    rank->last_use + c->power_down_clocks < due)
		due = rank->last_use + c->power_down_clocks;
	return sim_later(due, rank->busy_until);
}

uint64_t mc_rank_next(const struct mc *mc, unsigned index)
{
	const struct mc_rank *rank = &mc->ranks[index];
	uint64_t next = rank->refresh, other;

	if (rank->sleep == MC_SELF_REFRESH)
		return MC_NEVER;
	if (rank->owed && (other = opportunity(mc, rank)) < next)
		next = other;
	other = sleep_due(mc, rank);
	return other < next ? other : next;
}

static void step(struct mc *mc, unsigned index, uint64_t clock)
{
	struct mc_rank *rank = &mc->ranks[index];

	if (clock == rank->refresh) {
		rank->refresh += mc->config.dram.trefi_clocks;
		if (++rank->owed >= mc->config.refresh_panic)
			refresh(mc, index, clock);
	} else if (rank->owed && clock == opportunity(mc, rank)) {
		refresh(mc, index, clock);
	} else {
		fall_asleep(mc, index, clock);
	}
}

void mc_rank_until(struct mc *mc, unsigned index, uint64_t clock)
{
	uint64_t next;

	while ((next = mc_rank_next(mc, index)) <= clock)
		step(mc, index, next);
}

uint64_t mc_rank_pass(struct mc *mc, const struct mc_txn *txn, uint64_t clock)
{
	struct mc_rank *rank = &mc->ranks[txn->rank];

	mc_rank_until(mc, txn->rank, clock);
	if (rank->sleep)
		mc_rank_wake(mc, txn->rank, clock);
	if (rank->owed >= mc->config.refresh_high &&
	    (txn->is_write || !mc_is_hit(mc, txn)))
		refresh(mc, txn->rank, clock);
	clock = sim_later(clock, rank->busy_until);
	mc_rank_use(mc, txn->rank, clock);
	return clock;
}

void mc_rank_use(struct mc *mc, unsigned index, uint64_t clock)
{
	struct mc_rank *rank = &mc->ranks[index];

	rank->last_use = sim_later(rank->last_use, clock);
	mc->last_use = sim_later(mc->last_use, clock);
}

void mc_rank_age(struct mc *mc, unsigned index, uint64_t clocks)
{
	struct mc_rank *rank = &mc->ranks[index];
	uint64_t most = mc->config.power_down_clocks;

	if (rank->sleep == MC_POWER_DOWN && clocks < most)
		mc_rank_wake(mc, index, mc->present);
	if (rank->sleep != MC_AWAKE)
		return;
	if (mc->config.has_power_down && clocks >= most) /* sleeps at once */
		clocks = most ? most - 1 : 0;
	rank->last_use = mc->present > clocks ? mc->present - clocks : 0;
	mc->last_use = sim_later(mc->last_use, rank->last_use);
	mc_rank_due(mc, index);
}

void mc_rank_start(struct mc *mc)
{
	uint64_t trefi = mc->config.dram.trefi_clocks;
	unsigned num = mc->map.num_ranks;

	mc->ranks_due = MC_NEVER;
	for (unsigned i = 0; i < num; i++) {
		mc->ranks[i].refresh = trefi ? (i + 1) * trefi / num : MC_NEVER;
		mc_rank_due(mc, i);
	}
}

/* Nothing is under way, nobody wants the cycle of anything, and no rank sleeps
 * or will: then a rank gets its refreshes and nothing else. */
static bool is_at_rest(const struct mc *mc)
{
	const struct mc_config *c = &mc->config;

	if (c->has_power_down || c->self_refresh_clocks || mc->trace ||
	    mc->is_timely || mc->idle_due != MC_NEVER ||
	    tap_is_any_ordered(mc->signals))
		return false;
	for (unsigned i = 0; i < mc->map.num_ranks; i++) {
		const struct mc_rank *rank = &mc->ranks[i];

		if (rank->owed || banks_is_open(mc->banks, i) ||
		    rank->busy_until > rank->refresh ||
		    rank->last_use + c->refresh_idle_clocks > rank->refresh)
			return false;
	}
	return true;
}

static uint64_t first_refresh(const struct mc *mc)
{
	uint64_t first = MC_NEVER;

	for (unsigned i = 0; i < mc->map.num_ranks; i++)
		if (mc->ranks[i].refresh < first)
			first = mc->ranks[i].refresh;
	return first;
}

/* So many of each rank, and the calibrations that come with them. */
static void refresh_all(struct mc *mc, uint64_t rounds)
{
	const struct dram_config *d = &mc->config.dram;
	uint64_t num_calibrations = 0;

	for (unsigned i = 0; i < mc->map.num_ranks; i++) {
		struct mc_rank *rank = &mc->ranks[i];
		uint64_t done = rank->num_done + rounds;

		if (d->zqcal_refreshes)
			num_calibrations += done / d->zqcal_refreshes -
					    rank->num_done / d->zqcal_refreshes;
		rank->num_done = (unsigned)done;
		rank->refresh += rounds * d->trefi_clocks;
	}
	mc->kind->tell_past(mc, DRAM_RFR, rounds * mc->map.num_ranks);
	mc->kind->tell_past(mc, DRAM_ZQCAL, num_calibrations);
}

/* In whole rounds of all ranks; the latest are left. */
void mc_rest(struct mc *mc, uint64_t until)
{
	uint64_t trefi = mc->config.dram.trefi_clocks, other;
	uint64_t first = first_refresh(mc), margin = MC_REST_ROUNDS * trefi;

	if (!trefi || until < first + margin || !is_at_rest(mc))
		return;
	other = mc->kind->rest ? mc->kind->rest(mc, until - margin)
			       : mc->kind->next(mc);
	until = other < until ? other : until;
	if (until >= first + 2 * trefi)
		refresh_all(mc, (until - first) / trefi - 1);
}
