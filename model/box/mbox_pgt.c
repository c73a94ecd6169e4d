/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * PGT, the page table (guide 2.7.4.4): knows the open row of every bank, finds
 * what a transaction needs (hit: CAS; empty: RAS, CAS; miss: PRE, RAS, CAS) and
 * whether it may go to the dispatch queue now. It translates one command a
 * cycle.
 *
 * Choices the guide leaves open: a transaction for the row and direction that
 * its bank is at work for joins it and counts as multi-CAS and hit; any other
 * for that bank is a conflict. The adaptive policy looks at windows of
 * translations: it turns to closed pages when less than a quarter ask for the
 * row that was last used in their bank, and back when more than half do.
 */
#include "model/box/mbox_parts.h"

static void publish_policy(struct mbox *mbox)
{
	sig_set(mbox->signals, SIG_MBOX_PGT_STATE_CLOSED,
		mbox->is_closed_policy);
	sig_set(mbox->signals, SIG_MBOX_PGT_STATE_OPEN,
		!mbox->is_closed_policy);
}

void mbox_pgt_start(struct mbox *mbox)
{
	mbox->is_closed_policy = mbox->config.page_policy == MBOX_PAGE_CLOSED;
	for (unsigned i = 0; i < DRAM_MAX_BANKS; i++)
		mbox->banks[i].last_row = -1;
	for (unsigned i = 0; i < 2; i++)
		mbox->waiting_first[i] = MBOX_NO_BANK;
	publish_policy(mbox);
}

static void change_policy(struct mbox *mbox)
{
	mbox->is_closed_policy = !mbox->is_closed_policy;
	sig_pulse(mbox->signals,
		  mbox->is_closed_policy ? SIG_MBOX_PGT_PAGE_EV_OPN2CLS
					 : SIG_MBOX_PGT_PAGE_EV_CLS2OPN,
		  1);
	publish_policy(mbox);
}

/* Counts the translations that find the row of the one before, or would. */
static void watch_pages(struct mbox *mbox, bool same_row)
{
	unsigned window = mbox->config.page_window;
	unsigned hits;

	if (mbox->config.page_policy != MBOX_PAGE_ADAPTIVE)
		return;
	mbox->page_window_hits += same_row;
	if (++mbox->page_window < window)
		return;
	hits = mbox->page_window_hits;
	mbox->page_window = 0;
	mbox->page_window_hits = 0;
	if (mbox->is_closed_policy ? hits * 2 > window : hits * 4 < window)
		change_policy(mbox);
}

/* The adaptive scheduling mode follows the share of writes. */
static void watch_mode(struct mbox *mbox, unsigned direction)
{
	unsigned window = mbox->config.mode_window;
	unsigned writes;

	if (mbox->config.sched != MBOX_SCHED_ADAPTIVE)
		return;
	mbox->mode_window_writes += direction == MBOX_WRITE;
	if (++mbox->mode_window < window)
		return;
	writes = mbox->mode_window_writes;
	mbox->mode_window = 0;
	mbox->mode_window_writes = 0;
	if (writes * 2 > window)
		mbox_turn_mode(mbox, MBOX_SCHED_WRPRIO);
	else if (writes * 4 > window)
		mbox_turn_mode(mbox, MBOX_SCHED_TRADEOFF);
	else
		mbox_turn_mode(mbox, MBOX_SCHED_RDPRIO);
}

/* Which of the three it is; `cycle` is the translator's. */
static void classify(struct mbox *mbox, const struct mbox_txn *txn,
		     uint64_t cycle)
{
	struct mbox_bank *bank = &mbox->banks[txn->place.bank];
	int64_t open_row = mbox->dram.banks[txn->place.bank].row;
	bool same_row = bank->last_row == (int64_t)txn->place.row;

	if (bank->dispatched.first) {
		mbox_pulse(mbox, SIG_MBOX_MULTICAS, cycle);
		mbox_pulse(mbox, SIG_MBOX_PAGE_HIT, cycle);
		watch_pages(mbox, true);
		return;
	}
	if (open_row == (int64_t)txn->place.row)
		mbox_pulse(mbox, SIG_MBOX_PAGE_HIT, cycle);
	else if (open_row < 0)
		mbox_pulse(mbox, SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY, cycle);
	else
		mbox_pulse(mbox, SIG_MBOX_PAGE_MISS, cycle);
	watch_pages(mbox, same_row);
	bank->last_row = txn->place.row;
}

static enum mbox_verdict judge(const struct mbox *mbox,
			       const struct mbox_txn *txn)
{
	const struct mbox_txn *first =
		mbox->banks[txn->place.bank].dispatched.first;
	unsigned rank = dram_rank_of(&mbox->dram, txn->place.bank);

	if (mbox->ranks[rank].refresh != REFRESH_NONE)
		return VERDICT_REFRESH;
	if (mbox->heat.num_hot && mbox_heat_throttles(mbox, rank))
		return VERDICT_HEAT;
	if (first && (first->direction != txn->direction ||
		      first->place.row != txn->place.row))
		return VERDICT_CONFLICT;
	if (mbox->num_queued[txn->direction] == mbox->capacity[txn->direction])
		return VERDICT_NO_ROOM;
	return VERDICT_DISPATCHED;
}

/* The rank is not to be had: a refresh, or a script. */
static void meet_refresh(struct mbox *mbox, struct mbox_txn *txn)
{
	unsigned index = dram_rank_of(&mbox->dram, txn->place.bank);

	if (mbox->ranks[index].script) {
		mbox_rank_wake(mbox, index);
	} else if (!txn->met_refresh) {
		txn->met_refresh = true;
		sig_pulse(mbox->signals, SIG_MBOX_REFRESH_CONFLICT, 1);
	}
}

/* Puts the transaction into the dispatch queue, or says why it has to wait. */
enum mbox_verdict mbox_dispatch(struct mbox *mbox, struct mbox_txn *txn)
{
	enum mbox_verdict verdict = judge(mbox, txn);
	uint64_t cycle = sim_now(mbox->sim);

	if (cycle < mbox->translate_cycle)
		cycle = mbox->translate_cycle;
	if (verdict == VERDICT_REFRESH)
		meet_refresh(mbox, txn);
	if (verdict == VERDICT_HEAT && !txn->met_heat) {
		txn->met_heat = true;
		sig_pulse(mbox->signals, SIG_MBOX_TT_CMD_CONFLICT, 1);
	}
	if (verdict != VERDICT_DISPATCHED)
		return verdict;
	mbox->translate_cycle = cycle + 1;
	classify(mbox, txn, cycle);
	watch_mode(mbox, txn->direction);
	mbox_dsp_add(mbox, txn, cycle);
	return verdict;
}
