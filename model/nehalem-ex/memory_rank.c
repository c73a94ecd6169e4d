/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is done to a whole rank apart from refresh: the initialisation of DDR3,
 * power-down and self-refresh. Each is a script, a sequence of commands with a
 * time after each; while it runs the rank takes no transactions.
 *
 * Initialisation begins with the link to the memory buffers (soft reset, poll,
 * write and read of their configuration), then every rank gets what JEDEC
 * JESD79-3, 3.3 asks for: clock enable, mode registers 2, 3, 1 and 0, and a
 * long calibration. An idle rank may be put into power-down, and after a longer
 * time into self-refresh, where it needs no refresh commands; a transaction or
 * a refresh wakes it.
 *
 * Choices: codes of Table 2-79 that the guide does not explain. POLL asks
 * whether the buffers are there, GENDRM is the training of a rank, NOWPE is the
 * NOP with which DDR3 enters power-down. What has its clocks already is given
 * although the link goes down.
 */
#include "model/nehalem-ex/memory_parts.h"

enum wait { ONE, MRD, MOD, ZQINIT, DLLK, XS, XP, CKE };

struct step {
	uint8_t cmd, wait;
};

enum { MAX_STEPS = 9 };

static const struct step init[MAX_STEPS] = {
	{ DRAM_NOP, ONE },	{ DRAM_CKEH, XS },    { DRAM_EMRS2, MRD },
	{ DRAM_EMRS3, MRD },	{ DRAM_EMRS, MRD },   { DRAM_MRS, MOD },
	{ DRAM_ZQCAL, ZQINIT }, { DRAM_GENDRM, MOD },
};

/* The clock never stopped, but nobody knows what the registers hold. */
static const struct step init_again[MAX_STEPS] = {
	{ DRAM_EMRS2, MRD }, { DRAM_EMRS3, MRD },    { DRAM_EMRS, MRD },
	{ DRAM_MRS, MOD },   { DRAM_ZQCAL, ZQINIT },
};

static const struct step power_down[MAX_STEPS] = { { DRAM_NOWPE, ONE },
						   { DRAM_CKEL, CKE } };

static const struct step power_up[MAX_STEPS] = { { DRAM_CKEH, ONE },
						 { DRAM_NOP, XP } };

static const struct step self_refresh[MAX_STEPS] = { { DRAM_ENSR, ONE },
						     { DRAM_CKEL, CKE } };

static const struct step leave_self_refresh[MAX_STEPS] = { { DRAM_CKEH, ONE },
							   { DRAM_EXSR, XS },
							   { DRAM_NOP, DLLK } };

static unsigned clocks_of(const struct memory *memory, enum wait wait)
{
	const struct dram_config *d = &memory->config.dram;

	switch (wait) {
	case MRD: return d->tmrd_clocks;
	case MOD: return d->tmod_clocks;
	case ZQINIT: return d->tzqinit_clocks;
	case DLLK: return d->tdllk_clocks;
	case XS: return d->txs_clocks;
	case XP: return d->txp_clocks;
	case CKE: return d->tcke_clocks;
	default: return 1;
	}
}

/* Runs a script from a cycle on, once the rank has nothing else to do. */
static void run(struct memory *memory, unsigned index, const struct step *step,
		uint64_t cycle)
{
	struct memory_rank *rank = &memory->ranks[index];
	unsigned bank = index << memory->banks->bank_bits;
	uint64_t clock, dll = 0;

	cycle = sim_later(cycle, rank->busy_until);
	memory_close_rank(memory, index, cycle);
	clock = banks_quiet_from(memory->banks, index,
				 memory_clock_after(memory, cycle));
	for (; step->cmd; step++) {
		clock = banks_command(memory->banks, memory_bus(memory, index),
				      clock);
		memory_show(memory, step->cmd, bank, clock);
		if (step->cmd == DRAM_MRS)
			dll = clock + memory->config.dram.tdllk_clocks;
		clock += clocks_of(memory, step->wait);
	}
	clock = sim_later(clock, dll);
	banks_hold(memory->banks, index, clock);
	rank->busy_until = memory_cycle(memory, clock);
	rank->is_script = true;
}

/* The link */

/* A command to the memory buffers, in a channel frame of its own. */
void memory_link_command(struct memory *memory, enum dram_cmd cmd,
			 uint64_t clock)
{
	memory_pulse(memory, SIG_MBOX_FRM_TYPE_CHNL,
		     memory_cycle(memory, clock));
	memory_show(memory, cmd, 0, clock);
}

/* No frames from a clock until another. */
void memory_link_stop(struct memory *memory, uint64_t clock, uint64_t until)
{
	memory_trace_excuse(memory, clock, until);
	banks_shut(memory->banks, clock, until);
}

/* A status frame comes with the bit for a debug event set, and the memory
 * buffer is asked what it was. */
void memory_link_debug(struct memory *memory, uint64_t clock)
{
	memory_pulse(memory, SIG_MBOX_SMI_NB_TRIG, memory_cycle(memory, clock));
	clock = banks_frame(memory->banks, clock + 1);
	memory_pulse(memory, SIG_MBOX_ISS_SCHED_FRAME_BEAT,
		     memory_cycle(memory, clock));
	memory_link_command(memory, DRAM_IBD, clock);
}

/* Initialisation */

/* The link is trained, and then every rank gets its registers. */
void memory_rank_init(struct memory *memory, uint64_t clock, bool is_first)
{
	static const uint8_t commands[] = { DRAM_SFT_RST, DRAM_POLL, DRAM_WCR,
					    DRAM_RCR };
	unsigned frames = memory->config.link_init_frames;
	uint64_t up = memory_cycle(memory, clock + frames);

	for (unsigned i = 0; i < 4; i++)
		memory_link_command(memory, commands[i],
				    clock + i * (frames / 4));
	memory_link_stop(memory, clock, clock + frames);
	for (unsigned i = 0; i < memory->map.num_ranks; i++) {
		if (memory->ranks[i].sleep != MEMORY_AWAKE)
			memory_rank_wake(memory, i, up);
		run(memory, i, is_first ? init : init_again, up);
		memory->init_until = sim_later(memory->init_until,
					       memory->ranks[i].busy_until);
	}
}

void memory_rank_start(struct memory *memory)
{
	memory->may_sleep = memory->config.power_down_cycles ||
			    memory->config.self_refresh_cycles;
	if (memory->config.has_init)
		memory_rank_init(memory, 1, true);
}

/* Sleep */

/* A transaction has its column command in a clock. */
void memory_rank_use(struct memory *memory, unsigned index, uint64_t clock)
{
	struct memory_rank *rank = &memory->ranks[index];
	uint64_t cycle = memory_cycle(memory, clock);

	rank->idle_cycle = sim_later(rank->idle_cycle, cycle);
	memory_due_by(memory, memory_rank_due(memory));
}

/* Somebody needs a rank that sleeps. */
void memory_rank_wake(struct memory *memory, unsigned index, uint64_t cycle)
{
	struct memory_rank *rank = &memory->ranks[index];
	bool was_deep = rank->sleep == MEMORY_SELF_REFRESH;

	rank->sleep = MEMORY_AWAKE;
	run(memory, index, was_deep ? leave_self_refresh : power_up, cycle);
	memory_due_by(memory, memory_rank_due(memory));
}

/* The cycle in which a rank goes to sleep, or sleeps deeper. */
static uint64_t due(const struct memory *memory, const struct memory_rank *rank)
{
	const struct mbox_config *c = &memory->config;
	bool is_awake = rank->sleep == MEMORY_AWAKE;
	uint64_t wait = SIM_NEVER;

	if (rank->sleep == MEMORY_SELF_REFRESH)
		return SIM_NEVER;
	if (c->self_refresh_cycles)
		wait = c->self_refresh_cycles;
	if (is_awake && c->power_down_cycles && c->power_down_cycles < wait)
		wait = c->power_down_cycles;
	if (wait == SIM_NEVER)
		return SIM_NEVER;
	return sim_later(rank->idle_cycle + wait, rank->busy_until);
}

uint64_t memory_rank_due(const struct memory *memory)
{
	uint64_t first = SIM_NEVER;

	for (unsigned i = 0; memory->may_sleep && i < memory->map.num_ranks;
	     i++) {
		uint64_t cycle = due(memory, &memory->ranks[i]);

		first = cycle < first ? cycle : first;
	}
	return first;
}

static bool has_parked(const struct memory *memory, unsigned index)
{
	unsigned num = memory->config.dram.banks;

	for (unsigned i = index * num; i < (index + 1) * num; i++)
		if (memory->pages[i].num_parked)
			return true;
	return false;
}

static void sleep_now(struct memory *memory, unsigned index, uint64_t cycle)
{
	struct memory_rank *rank = &memory->ranks[index];
	uint64_t deep = memory->config.self_refresh_cycles;
	bool is_deep = deep && rank->idle_cycle + deep <= cycle;

	run(memory, index, is_deep ? self_refresh : power_down, cycle);
	rank->sleep = is_deep ? MEMORY_SELF_REFRESH : MEMORY_POWER_DOWN;
}

/* Puts a rank to sleep that has been idle for long enough. */
void memory_rank_sleep(struct memory *memory, uint64_t cycle)
{
	for (unsigned i = 0; i < memory->map.num_ranks; i++) {
		struct memory_rank *rank = &memory->ranks[i];

		if (due(memory, rank) != cycle)
			continue;
		if (has_parked(memory, i))
			rank->idle_cycle = cycle;
		else if (rank->sleep != MEMORY_AWAKE)
			memory_rank_wake(memory, i, cycle); /* to go deeper */
		else
			sleep_now(memory, i, cycle);
		return;
	}
}
