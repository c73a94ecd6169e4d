/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What happens without the B-Box: refresh and the patrol scrub. Both share one
 * timer.
 *
 * Refresh: every rank has its turn once in tREFI, evenly spread. From then on
 * the rank takes no new transactions; when those dispatched are done its open
 * banks are closed (PREALL) and the refresh is given (RFR). After some thousand
 * refreshes a rank gets a short calibration (ZQCAL) in the same way.
 *
 * Choices: a refresh is never postponed for traffic. The scrubber reads line
 * after line; while the M-Box is full it waits for its next turn.
 */
#include "model/box/mbox_parts.h"

static void timer_event(void *object, uint64_t cycle);

/* Asks for a look at the clock in a cycle. */
void mbox_timer_arm(struct mbox *mbox, uint64_t cycle)
{
	mbox_alarm_set(mbox, &mbox->timer, cycle, timer_event);
}

/* The cycle in which refresh number n (of all ranks) comes due. */
static uint64_t refresh_cycle(const struct mbox *mbox)
{
	const struct dram_config *d = &mbox->config.dram;

	if (!d->trefi_clocks)
		return SIM_NEVER;
	return mbox_cycle_of(mbox, (mbox->refresh_number + 1) *
					   d->trefi_clocks /
					   mbox->dram.num_ranks);
}

/* The banks of a rank in the sets of its bus. */
static uint64_t banks_of(const struct mbox *mbox, unsigned index)
{
	uint64_t all = (UINT64_C(1) << mbox->config.dram.banks) - 1;

	return all * mbox_bit_of(mbox, index << mbox->dram.bank_bits);
}

/* The rank takes no more transactions: commands of its own are to come. */
void mbox_timer_begin(struct mbox *mbox, unsigned index,
		      enum mbox_refresh refresh)
{
	struct mbox_bus *bus = &mbox->buses[index >> mbox->dram.rank_bits];

	mbox->ranks[index].refresh = refresh;
	mbox->num_due++;
	bus->refresh |= banks_of(mbox, index);
	if (mbox_rank_is_urgent(&mbox->ranks[index]))
		bus->blocked |= banks_of(mbox, index);
	mbox->num_refreshing++;
	mbox_iss_wake(mbox, mbox->next_frame);
}

/* The last of them has been given and takes until a clock. */
void mbox_timer_run(struct mbox *mbox, unsigned index, uint64_t end_clock)
{
	mbox->ranks[index].refresh = REFRESH_RUNNING;
	mbox->ranks[index].end_clock = end_clock;
	mbox->num_due--;
	mbox_timer_arm(mbox, mbox_cycle_of(mbox, end_clock));
}

static void begin_refresh(struct mbox *mbox, unsigned index)
{
	mbox_timer_begin(mbox, index, REFRESH_DUE);
}

static void refresh_is_due(struct mbox *mbox)
{
	unsigned number = mbox->refresh_number++ % mbox->dram.num_ranks;

	if (mbox_rank_takes_refresh(mbox, number))
		return;
	if (mbox->ranks[number].refresh == REFRESH_NONE)
		begin_refresh(mbox, number);
	else
		mbox->ranks[number].num_owed++;
}

/* The rank takes transactions again. */
static void release(struct mbox *mbox, unsigned index)
{
	struct mbox_bus *bus = &mbox->buses[index >> mbox->dram.rank_bits];

	mbox->num_refreshing--;
	bus->refresh &= ~banks_of(mbox, index);
	if (bus->blocked) {
		bus->blocked &= ~banks_of(mbox, index);
		mbox_iss_wake(mbox, mbox->next_frame);
	}
	mbox->ranks[index].refresh = REFRESH_NONE;
}

static void end_refresh(struct mbox *mbox, unsigned index)
{
	const struct dram_config *d = &mbox->config.dram;
	struct mbox_rank *rank = &mbox->ranks[index];
	bool was_refresh = !rank->script && !rank->is_calibration;

	release(mbox, index);
	if ((rank->script || rank->wants_init) &&
	    mbox_rank_is_over(mbox, index))
		return;
	rank->is_calibration = was_refresh && d->zqcal_refreshes &&
			       rank->num_done % d->zqcal_refreshes == 0;
	if (rank->is_calibration) {
		begin_refresh(mbox, index);
	} else if (rank->num_owed) {
		rank->num_owed--;
		begin_refresh(mbox, index);
	} else {
		mbox_retry_rank(mbox, index);
	}
}

static bool step_rank(struct mbox *mbox, unsigned index, uint64_t clock)
{
	const struct dram_config *d = &mbox->config.dram;
	struct mbox_rank *rank = &mbox->ranks[index];
	unsigned bank = index << mbox->dram.bank_bits;
	enum dram_cmd cmd = DRAM_RFR;

	if (rank->refresh == REFRESH_SCRIPT)
		return mbox_rank_step(mbox, index, clock);
	if (mbox->dram.ranks[index].num_open)
		cmd = DRAM_PREALL;
	else if (rank->is_calibration)
		cmd = DRAM_ZQCAL;
	if (dram_earliest(&mbox->dram, cmd, bank) > clock)
		return false;
	mbox_iss_command(mbox, cmd, bank, NULL, clock);
	if (cmd == DRAM_PREALL) {
		for (unsigned i = bank; i < bank + d->banks; i++)
			mbox_page_forget(mbox, i);
		return true;
	}
	if (cmd == DRAM_RFR) {
		rank->num_done++;
		sig_pulse(mbox->signals, SIG_MBOX_REFRESH, 1);
	}
	mbox_timer_run(
		mbox, index,
		clock + (cmd == DRAM_RFR ? d->trfc_clocks : d->tzqcs_clocks));
	return true;
}

static bool is_waiting(const struct mbox_rank *rank)
{
	if (rank->refresh == REFRESH_DUE || rank->refresh == REFRESH_SCRIPT)
		return !rank->num_dispatched || mbox_rank_is_urgent(rank);
	return false;
}

/* Gives a bus the next command of a refresh, if one may be given. */
bool mbox_refresh_step(struct mbox *mbox, unsigned bus, uint64_t clock)
{
	unsigned num = mbox->config.dram.ranks;

	for (unsigned i = bus * num; i < (bus + 1) * num; i++)
		if (is_waiting(&mbox->ranks[i]) && step_rank(mbox, i, clock))
			return true;
	return false;
}

/* The first clock in which a refresh may need a command. */
uint64_t mbox_refresh_earliest(const struct mbox *mbox)
{
	uint64_t earliest = MBOX_NO_CLOCK;

	for (unsigned i = 0; i < mbox->dram.num_ranks; i++) {
		bool is_open = mbox->dram.ranks[i].num_open;
		uint64_t clock;

		if (!is_waiting(&mbox->ranks[i]))
			continue;
		clock = mbox->ranks[i].refresh == REFRESH_SCRIPT
				? mbox_rank_earliest(mbox, i)
				: dram_earliest(&mbox->dram,
						is_open ? DRAM_PREALL
							: DRAM_RFR,
						i << mbox->dram.bank_bits);
		if (clock < earliest)
			earliest = clock;
	}
	return earliest;
}

static void scrub(struct mbox *mbox, uint64_t now)
{
	mbox->patrol_cycle = now + mbox->config.patrol_interval_cycles;
	if (!mbox_ready(mbox))
		return;
	mbox_patrol(mbox, mbox->patrol_line);
	mbox->patrol_line = (mbox->patrol_line + 1) % mbox->dram.num_lines;
}

static void arm_next(struct mbox *mbox)
{
	mbox_timer_arm(mbox, refresh_cycle(mbox));
	mbox_timer_arm(mbox, mbox->patrol_cycle);
	mbox_timer_arm(mbox, mbox_rank_deadline(mbox));
	if (!mbox->num_refreshing)
		return;
	for (unsigned i = 0; i < mbox->dram.num_ranks; i++)
		if (mbox->ranks[i].refresh == REFRESH_RUNNING)
			mbox_timer_arm(
				mbox,
				mbox_cycle_of(mbox, mbox->ranks[i].end_clock));
}

static void timer_event(void *object, uint64_t cycle)
{
	struct mbox *mbox = object;

	if (!mbox_alarm_rings(&mbox->timer, cycle))
		return;
	for (unsigned i = 0; mbox->num_refreshing && i < mbox->dram.num_ranks;
	     i++)
		if (mbox->ranks[i].refresh == REFRESH_RUNNING &&
		    mbox_cycle_of(mbox, mbox->ranks[i].end_clock) <= cycle)
			end_refresh(mbox, i);
	if (refresh_cycle(mbox) <= cycle)
		refresh_is_due(mbox);
	if (mbox->patrol_cycle <= cycle)
		scrub(mbox, cycle);
	mbox_rank_expire(mbox, cycle);
	arm_next(mbox);
}

void mbox_timer_start(struct mbox *mbox)
{
	uint64_t interval = mbox->config.patrol_interval_cycles;

	mbox_alarm_start(&mbox->timer);
	mbox->patrol_cycle = interval ? interval : SIM_NEVER;
	arm_next(mbox);
}
