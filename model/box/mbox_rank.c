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
 * NOP with which DDR3 enters power-down.
 */
#include "model/box/mbox_parts.h"

enum wait { ONE, MRD, MOD, ZQINIT, DLLK, XS, XP, CKE };

struct step {
	uint8_t cmd, wait;
};

struct mbox_script {
	enum mbox_refresh then; /* NONE or ASLEEP */
	bool is_urgent;		/* does not wait for what is dispatched */
	bool needs_refresh;	/* asleep: somebody has to refresh it */
	struct step steps[8];	/* up to a cmd of 0 */
};

static const struct mbox_script init = {
	REFRESH_NONE,
	true,
	false,
	{ { DRAM_NOP, ONE },
	  { DRAM_CKEH, XS },
	  { DRAM_EMRS2, MRD },
	  { DRAM_EMRS3, MRD },
	  { DRAM_EMRS, MRD },
	  { DRAM_MRS, MOD },
	  { DRAM_ZQCAL, ZQINIT },
	  { DRAM_GENDRM, MOD } },
};

/* The clock never stopped, but nobody knows what the registers hold. */
static const struct mbox_script init_again = {
	REFRESH_NONE,
	true,
	false,
	{ { DRAM_EMRS2, MRD },
	  { DRAM_EMRS3, MRD },
	  { DRAM_EMRS, MRD },
	  { DRAM_MRS, MOD },
	  { DRAM_ZQCAL, ZQINIT } },
};

static const struct mbox_script power_down = {
	REFRESH_ASLEEP,
	false,
	true,
	{ { DRAM_NOWPE, ONE }, { DRAM_CKEL, CKE } },
};

static const struct mbox_script power_up = {
	REFRESH_NONE,
	false,
	false,
	{ { DRAM_CKEH, ONE }, { DRAM_NOP, XP } },
};

static const struct mbox_script self_refresh = {
	REFRESH_ASLEEP,
	false,
	false,
	{ { DRAM_ENSR, ONE }, { DRAM_CKEL, CKE } },
};

static const struct mbox_script leave_self_refresh = {
	REFRESH_NONE,
	false,
	false,
	{ { DRAM_CKEH, ONE }, { DRAM_EXSR, XS }, { DRAM_NOP, DLLK } },
};

static unsigned clocks_of(const struct mbox *mbox, enum wait wait)
{
	const struct dram_config *d = &mbox->config.dram;

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

static unsigned first_bank(const struct mbox *mbox, unsigned rank)
{
	return rank << mbox->dram.bank_bits;
}

bool mbox_rank_is_urgent(const struct mbox_rank *rank)
{
	return rank->refresh == REFRESH_SCRIPT && rank->script->is_urgent;
}

static void start(struct mbox *mbox, unsigned index,
		  const struct mbox_script *script, uint64_t clock)
{
	struct mbox_rank *rank = &mbox->ranks[index];

	rank->script = script;
	rank->step = 0;
	rank->step_clock = clock;
	mbox_timer_begin(mbox, index, REFRESH_SCRIPT);
}

/* Pages that the script closes may be needed by what is dispatched. */
static void close_pages(struct mbox *mbox, unsigned index, uint64_t clock)
{
	unsigned bank = first_bank(mbox, index);

	mbox_iss_command(mbox, DRAM_PREALL, bank, NULL, clock);
	for (unsigned i = bank; i < bank + mbox->config.dram.banks; i++) {
		mbox_page_forget(mbox, i);
		if (mbox->banks[i].dispatched.first)
			mbox_dsp_offer(mbox, i);
	}
}

/* The first clock in which the script may go on. */
uint64_t mbox_rank_earliest(const struct mbox *mbox, unsigned index)
{
	const struct mbox_rank *rank = &mbox->ranks[index];
	unsigned bank = first_bank(mbox, index);
	uint64_t clock =
		mbox->dram.buses[dram_bus_of(&mbox->dram, bank)].command;
	uint64_t own = rank->step_clock;

	if (mbox->dram.ranks[index].num_open)
		own = dram_earliest(&mbox->dram, DRAM_PREALL, bank);
	else if (!rank->step)
		own = dram_earliest(&mbox->dram, DRAM_RFR, bank);
	if (own < rank->step_clock)
		own = rank->step_clock;
	return own > clock ? own : clock;
}

/* Gives the next command of the rank's script, if it may be given. */
bool mbox_rank_step(struct mbox *mbox, unsigned index, uint64_t clock)
{
	struct mbox_rank *rank = &mbox->ranks[index];
	const struct step *step = &rank->script->steps[rank->step];

	if (mbox_rank_earliest(mbox, index) > clock)
		return false;
	if (mbox->dram.ranks[index].num_open) {
		close_pages(mbox, index, clock);
		return true;
	}
	mbox_iss_command(mbox, step->cmd, first_bank(mbox, index), NULL, clock);
	rank->step_clock = clock + clocks_of(mbox, step->wait);
	if (step->cmd == DRAM_MRS)
		rank->dll_clock = clock + mbox->config.dram.tdllk_clocks;
	rank->step++;
	if (rank->step == 8 || !step[1].cmd) {
		if (rank->step_clock < rank->dll_clock)
			rank->step_clock = rank->dll_clock;
		mbox_timer_run(mbox, index, rank->step_clock);
	}
	return true;
}

static bool is_wanted(const struct mbox *mbox, unsigned index)
{
	unsigned bank = first_bank(mbox, index);

	if (mbox->ranks[index].num_owed || mbox->ranks[index].wants_init)
		return true;
	for (unsigned i = bank; i < bank + mbox->config.dram.banks; i++)
		if (mbox->banks[i].retries.first)
			return true;
	return false;
}

/* The script is over. True if the rank is no longer to be had: it sleeps, or
 * the next script runs. */
bool mbox_rank_is_over(struct mbox *mbox, unsigned index)
{
	struct mbox_rank *rank = &mbox->ranks[index];
	uint64_t clock = mbox_clock_after(mbox, sim_now(mbox->sim));

	if (rank->script && rank->script->then == REFRESH_ASLEEP) {
		rank->refresh = REFRESH_ASLEEP;
		if (is_wanted(mbox, index))
			mbox_rank_wake(mbox, index);
		return true;
	}
	rank->script = NULL;
	if (!rank->wants_init)
		return false;
	rank->wants_init = false;
	start(mbox, index, &init_again, clock);
	return true;
}

/* Somebody needs a rank that sleeps. */
void mbox_rank_wake(struct mbox *mbox, unsigned index)
{
	struct mbox_rank *rank = &mbox->ranks[index];

	if (rank->refresh != REFRESH_ASLEEP)
		return;
	start(mbox, index,
	      rank->script == &power_down ? &power_up : &leave_self_refresh,
	      mbox_clock_after(mbox, sim_now(mbox->sim)));
}

/* A refresh of a rank comes due. True if it is dealt with here. */
bool mbox_rank_takes_refresh(struct mbox *mbox, unsigned index)
{
	struct mbox_rank *rank = &mbox->ranks[index];

	if (rank->refresh != REFRESH_ASLEEP)
		return false;
	if (rank->script->needs_refresh) {
		rank->num_owed++;
		mbox_rank_wake(mbox, index);
	}
	return true;
}

/* The link has to be trained, and then every rank gets its registers. */
static void init_link(struct mbox *mbox, uint64_t clock)
{
	static const uint8_t commands[] = { DRAM_SFT_RST, DRAM_POLL, DRAM_WCR,
					    DRAM_RCR };
	unsigned gap = mbox->config.link_init_frames / 4;

	for (unsigned i = 0; i < 4; i++)
		mbox_link_command(mbox, commands[i], clock + i * gap);
	mbox_link_stop(mbox, clock, clock + mbox->config.link_init_frames);
}

/* Whether a rank still has to get its registers. */
bool mbox_is_initialising(const struct mbox *mbox)
{
	for (unsigned i = 0; i < mbox->dram.num_ranks; i++) {
		const struct mbox_rank *rank = &mbox->ranks[i];

		if (rank->script == &init || rank->script == &init_again)
			return true;
		if (rank->wants_init && rank->refresh != REFRESH_ASLEEP)
			return true;
	}
	return false;
}

void mbox_rank_init(struct mbox *mbox, uint64_t clock)
{
	bool is_first = !mbox->is_started;

	init_link(mbox, clock);
	for (unsigned i = 0; i < mbox->dram.num_ranks; i++) {
		struct mbox_rank *rank = &mbox->ranks[i];

		if (rank->refresh == REFRESH_NONE)
			start(mbox, i, is_first ? &init : &init_again,
			      mbox->link_up);
		else
			rank->wants_init = true;
	}
}

/* Sleep */

static bool may_sleep(const struct mbox *mbox)
{
	return mbox->config.power_down_cycles ||
	       mbox->config.self_refresh_cycles;
}

/* The rank has nothing to do from now on. */
void mbox_rank_idle(struct mbox *mbox, unsigned index)
{
	if (!may_sleep(mbox))
		return;
	mbox->ranks[index].idle_cycle = sim_now(mbox->sim);
	mbox_timer_arm(mbox, mbox_rank_deadline(mbox));
}

/* The cycle in which the rank goes to sleep, or sleeps deeper. */
static uint64_t deadline_of(const struct mbox *mbox,
			    const struct mbox_rank *rank)
{
	const struct mbox_config *c = &mbox->config;
	bool is_down =
		rank->refresh == REFRESH_ASLEEP && rank->script == &power_down;
	uint64_t wait = SIM_NEVER;

	if (rank->num_dispatched || (rank->refresh != REFRESH_NONE && !is_down))
		return SIM_NEVER;
	if (c->self_refresh_cycles)
		wait = c->self_refresh_cycles;
	if (!is_down && c->power_down_cycles && c->power_down_cycles < wait)
		wait = c->power_down_cycles;
	return wait == SIM_NEVER ? wait : rank->idle_cycle + wait;
}

uint64_t mbox_rank_deadline(const struct mbox *mbox)
{
	uint64_t first = SIM_NEVER;

	for (unsigned i = 0; may_sleep(mbox) && i < mbox->dram.num_ranks; i++) {
		uint64_t cycle = deadline_of(mbox, &mbox->ranks[i]);

		first = cycle < first ? cycle : first;
	}
	return first;
}

/* Puts ranks to sleep that have been idle for long enough. */
void mbox_rank_expire(struct mbox *mbox, uint64_t cycle)
{
	uint64_t deep = mbox->config.self_refresh_cycles;

	for (unsigned i = 0; may_sleep(mbox) && i < mbox->dram.num_ranks; i++) {
		struct mbox_rank *rank = &mbox->ranks[i];

		if (deadline_of(mbox, rank) > cycle)
			continue;
		if (rank->refresh == REFRESH_ASLEEP)
			mbox_rank_wake(mbox, i); /* to sleep deeper */
		else
			start(mbox, i,
			      deep && rank->idle_cycle + deep <= cycle
				      ? &self_refresh
				      : &power_down,
			      mbox_clock_after(mbox, cycle));
	}
}

void mbox_rank_start(struct mbox *mbox)
{
	if (mbox->config.has_init)
		mbox_rank_init(mbox, 1);
	mbox->is_started = true;
}
