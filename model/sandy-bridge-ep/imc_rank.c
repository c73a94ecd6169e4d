/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Refresh, power-down and self-refresh of ranks.
 *
 * A refresh of each rank comes due once in tREFI, the ranks' turns evenly
 * spread. It is put off while the rank is in use, up to eight (JEDEC JESD79-3,
 * 4.16); a rank idle for imc.refresh_idle gets all that it is owed. From
 * imc.refresh_high on one goes before a request for another row than the open
 * one, and before writes (HIGH); when imc.refresh_panic are owed, as soon as
 * what has clocks already has gone (PANIC). The others have no unit mask.
 *
 * Power-down and self-refresh are sequences of commands with a time after each,
 * while which the rank takes nothing. An idle rank is powered down, with its
 * pages closed before; a request or a refresh wakes it. A channel idle for
 * longer refreshes itself, rank by rank.
 *
 * What all ranks are in is a level that counts those that are, and those that
 * are not there; the events count cycles in which it is eight.
 *
 * Choices: active power-down, with open pages, is left out. Self-refresh begins
 * by the channel's own timer; that which the PCU asks for comes with package C
 * states, in which DCLK stands still and nothing counts (guide p. 67).
 */
#include "model/sandy-bridge-ep/imc_parts.h"

enum wait { ONE, CKE, XP, XS, DLLK };

struct step {
	uint8_t cmd, wait;
};

enum { MAX_STEPS = 4 };

static const struct step power_down[MAX_STEPS] = { { DRAM_CKEL, CKE } };
static const struct step power_up[MAX_STEPS] = { { DRAM_CKEH, XP } };
static const struct step self_refresh[MAX_STEPS] = { { DRAM_ENSR, ONE },
						     { DRAM_CKEL, CKE } };
static const struct step leave_self_refresh[MAX_STEPS] = { { DRAM_CKEH, ONE },
							   { DRAM_EXSR, XS },
							   { DRAM_NOP, DLLK } };

static unsigned clocks_of(const struct imc *imc, enum wait wait)
{
	const struct dram_config *d = &imc->config.dram;

	switch (wait) {
	case CKE: return d->tcke_clocks;
	case XP: return d->txp_clocks;
	case XS: return d->txs_clocks;
	case DLLK: return d->tdllk_clocks;
	default: return 1;
	}
}

/* All pages of the rank, as they are in a clock. */
static void close_rank(struct imc *imc, unsigned index, uint64_t clock)
{
	unsigned num = imc->config.dram.banks;

	for (unsigned i = index * num; i < (index + 1) * num; i++) {
		imc_page_settle(imc, i, clock);
		imc->idle &= ~(UINT64_C(1) << i);
		imc->pages[i].closed_row = imc->pages[i].timed_row = -1;
	}
	if (!banks_is_open(imc->banks, index))
		return;
	clock = banks_precharge_all(imc->banks, index, clock);
	imc_pulse(imc, SIG_IMC_DRAM_PRE_ALL, clock);
	imc_show(imc, DRAM_PREALL, index * num, 0, clock);
}

/* The rank's clock enable goes off or on: what that is a sign of, too. */
static void tell_enable(struct imc *imc, unsigned index, int by, uint64_t clock)
{
	bool is_deep = imc->ranks[index].sleep == IMC_SELF_REFRESH;
	unsigned id = is_deep ? SIG_IMC_POWER_SELF_REFRESH
			      : SIG_IMC_POWER_CHANNEL_PPD;

	imc_level(imc, SIG_IMC_POWER_CKE_CYCLES_RANK0 + index, clock, by);
	imc_level(imc, id, clock, -by);
	if (!is_deep && imc->config.power == IMC_POWER_SLOW)
		imc_level(imc, SIG_IMC_POWER_CHANNEL_DLLOFF, clock, -by);
}

/* Runs a script from a clock on, once the rank has nothing else to do. */
static void run(struct imc *imc, unsigned index, const struct step *step,
		uint64_t clock)
{
	struct imc_rank *rank = &imc->ranks[index];
	unsigned bank = index * imc->config.dram.banks;

	clock = sim_later(clock, rank->busy_until);
	close_rank(imc, index, clock);
	clock = banks_quiet_from(imc->banks, index, clock);
	for (; step->cmd; step++) {
		clock = banks_command(imc->banks, 0, clock);
		imc_show(imc, step->cmd, bank, 0, clock);
		if (step->cmd == DRAM_CKEL || step->cmd == DRAM_CKEH)
			tell_enable(imc, index, step->cmd == DRAM_CKEH ? 1 : -1,
				    clock);
		clock += clocks_of(imc, step->wait);
	}
	banks_hold(imc->banks, index, clock);
	rank->busy_until = clock;
}

static void wake(struct imc *imc, unsigned index, uint64_t clock)
{
	struct imc_rank *rank = &imc->ranks[index];
	bool was_deep = rank->sleep == IMC_SELF_REFRESH;

	run(imc, index, was_deep ? leave_self_refresh : power_up, clock);
	rank->sleep = IMC_AWAKE;
	if (was_deep && imc->config.dram.trefi_clocks) {
		rank->refresh =
			rank->busy_until + imc->config.dram.trefi_clocks;
		rank->owed = 0;
	}
	imc_due_by(imc, imc_rank_next(imc, index));
}

static void fall_asleep(struct imc *imc, unsigned index, uint64_t clock)
{
	struct imc_rank *rank = &imc->ranks[index];
	uint64_t deep = imc->config.self_refresh_clocks;
	bool is_deep = deep && imc->last_use + deep <= clock;

	if (rank->sleep == IMC_POWER_DOWN)
		wake(imc, index, clock);
	rank->sleep = is_deep ? IMC_SELF_REFRESH : IMC_POWER_DOWN;
	run(imc, index, is_deep ? self_refresh : power_down, clock);
}

/* One refresh, as soon as the rank takes commands from a clock on. */
static void refresh(struct imc *imc, unsigned index, uint64_t clock)
{
	struct imc_rank *rank = &imc->ranks[index];
	unsigned clocks = imc->config.dram.trfc_clocks;

	if (rank->sleep == IMC_POWER_DOWN)
		wake(imc, index, clock);
	clock = sim_later(clock, rank->busy_until);
	close_rank(imc, index, clock);
	clock = banks_occupy(imc->banks, index, clocks, clock);
	imc_show(imc, DRAM_RFR, index * imc->config.dram.banks, 0, clock);
	if (rank->owed >= imc->config.refresh_panic)
		imc_pulse(imc, SIG_IMC_DRAM_REFRESH_PANIC, clock);
	else if (rank->owed >= imc->config.refresh_high)
		imc_pulse(imc, SIG_IMC_DRAM_REFRESH_HIGH, clock);
	rank->owed--;
	rank->busy_until = clock + clocks;
}

/* When a rank that is owed a refresh gets it if nobody comes. */
static uint64_t opportunity(const struct imc *imc, const struct imc_rank *rank)
{
	uint64_t clock = rank->last_use + imc->config.refresh_idle_clocks;

	clock = sim_later(clock, rank->busy_until);
	return sim_later(clock, rank->refresh - imc->config.dram.trefi_clocks);
}

static uint64_t sleep_due(const struct imc *imc, const struct imc_rank *rank)
{
	const struct imc_config *c = &imc->config;
	uint64_t due = IMC_NEVER;

	if (c->self_refresh_clocks)
		due = imc->last_use + c->self_refresh_clocks;
	if (c->power && rank->sleep == IMC_AWAKE &&
	    rank->last_use + c->power_down_clocks < due)
		due = rank->last_use + c->power_down_clocks;
	return sim_later(due, rank->busy_until);
}

/* The clock in which the rank does something by itself. */
uint64_t imc_rank_next(const struct imc *imc, unsigned index)
{
	const struct imc_rank *rank = &imc->ranks[index];
	uint64_t next = rank->refresh, other;

	if (rank->sleep == IMC_SELF_REFRESH)
		return IMC_NEVER;
	if (rank->owed && (other = opportunity(imc, rank)) < next)
		next = other;
	other = sleep_due(imc, rank);
	return other < next ? other : next;
}

static void step(struct imc *imc, unsigned index, uint64_t clock)
{
	struct imc_rank *rank = &imc->ranks[index];

	if (clock == rank->refresh) {
		rank->refresh += imc->config.dram.trefi_clocks;
		if (++rank->owed >= imc->config.refresh_panic)
			refresh(imc, index, clock);
	} else if (rank->owed && clock == opportunity(imc, rank)) {
		refresh(imc, index, clock);
	} else {
		fall_asleep(imc, index, clock);
	}
}

/* All that the rank does by itself up to a clock, which may lie ahead. */
void imc_rank_until(struct imc *imc, unsigned index, uint64_t clock)
{
	uint64_t next;

	while ((next = imc_rank_next(imc, index)) <= clock)
		step(imc, index, next);
}

/* The first clock from one on in which nothing that is known of hinders the
 * request any more. */
static uint64_t pass(struct imc *imc, const struct imc_txn *txn, uint64_t clock)
{
	struct imc_rank *rank = &imc->ranks[txn->rank];

	imc_rank_until(imc, txn->rank, clock);
	if (rank->sleep)
		wake(imc, txn->rank, clock);
	if (rank->owed >= imc->config.refresh_high &&
	    (imc_is_write(txn) || !imc_is_hit(imc, txn)))
		refresh(imc, txn->rank, clock);
	clock = imc_heat_rest(imc, txn->rank,
			      sim_later(clock, rank->busy_until));
	rank->last_use = sim_later(rank->last_use, clock);
	imc->last_use = sim_later(imc->last_use, clock);
	return clock;
}

void imc_rank_age(struct imc *imc, unsigned index, uint64_t clocks)
{
	struct imc_rank *rank = &imc->ranks[index];
	uint64_t most = imc->config.power_down_clocks;

	if (rank->sleep == IMC_POWER_DOWN && clocks < most)
		wake(imc, index, imc->present);
	if (rank->sleep != IMC_AWAKE)
		return;
	if (imc->config.power && clocks >= most) /* it sleeps at once */
		clocks = most ? most - 1 : 0;
	rank->last_use = imc->present > clocks ? imc->present - clocks : 0;
	imc->last_use = sim_later(imc->last_use, rank->last_use);
}

uint64_t imc_rank_ready(struct imc *imc, const struct imc_txn *txn,
			uint64_t clock)
{
	uint64_t next;

	while ((next = pass(imc, txn, clock)) != clock)
		clock = next;
	return clock;
}

void imc_rank_start(struct imc *imc)
{
	uint64_t trefi = imc->config.dram.trefi_clocks;
	unsigned num = imc->map.num_ranks;
	int others = IMC_MAX_RANKS - (int)num;

	sig_set(imc->signals, SIG_IMC_POWER_CHANNEL_PPD, others);
	sig_set(imc->signals, SIG_IMC_POWER_CHANNEL_DLLOFF, others);
	sig_set(imc->signals, SIG_IMC_POWER_SELF_REFRESH, others);
	for (unsigned i = 0; i < num; i++) {
		imc->ranks[i].refresh =
			trefi ? (i + 1) * trefi / num : IMC_NEVER;
		sig_set(imc->signals, SIG_IMC_POWER_CKE_CYCLES_RANK0 + i, 1);
	}
}
