/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The retry queue (guide 2.7.4.4, PGT): commands that met a conflict wait here,
 * per bank in the order of arrival, until the conflict has ended. A command
 * that finds older ones waiting for its bank goes behind them.
 *
 * Choices the guide leaves open: every placement in the queue and every vain
 * attempt is one retry; the queue is starved from a number of waiting commands
 * on, and at a larger number ("badly starved") the M-Box is full and takes
 * nothing more from the B-Box until some have gone.
 */
#include "model/box/mbox_parts.h"

static void update_levels(struct mbox *mbox)
{
	const struct mbox_config *c = &mbox->config;
	bool starved = mbox->num_retries >= c->retry_starve_entries;
	bool full =
		mbox->num_retries >= c->retry_queue_entries ||
		(mbox->is_full && mbox->num_retries > c->retry_resume_entries);

	if (starved != mbox->is_starved) {
		mbox->is_starved = starved;
		sig_set(mbox->signals, SIG_MBOX_RETRYQ_STARVED, starved);
	}
	if (full == mbox->is_full)
		return;
	mbox->is_full = full;
	sig_set(mbox->signals, SIG_MBOX_MFULL, full);
	if (!full && mbox->on_ready)
		sim_at(mbox->sim, sim_now(mbox->sim), mbox->on_ready,
		       mbox->on_ready_object, mbox->on_ready_argument);
}

/* A retry is detected. */
void mbox_retry_count(struct mbox *mbox, const struct mbox_txn *txn)
{
	sig_pulse(mbox->signals, SIG_MBOX_RETRIES, 1);
	if (!txn->is_patrol)
		sig_pulse(mbox->signals,
			  SIG_MBOX_RETRIES_FVID +
				  mbox_named(&mbox->config, txn->fvid),
			  1);
	if (mbox->is_starved)
		sig_pulse(mbox->signals, SIG_MBOX_RETRY_STARVE, 1);
	if (mbox->is_full)
		sig_pulse(mbox->signals, SIG_MBOX_RETRY_MFULL, 1);
}

static void wait_for_room(struct mbox *mbox, unsigned index, unsigned direction)
{
	struct mbox_bank *bank = &mbox->banks[index];

	if (bank->is_waiting[direction])
		return;
	bank->is_waiting[direction] = true;
	bank->waiting_next[direction] = MBOX_NO_BANK;
	if (mbox->waiting_first[direction] == MBOX_NO_BANK)
		mbox->waiting_first[direction] = (uint8_t)index;
	else
		mbox->banks[mbox->waiting_last[direction]]
			.waiting_next[direction] = (uint8_t)index;
	mbox->waiting_last[direction] = (uint8_t)index;
}

/* Counts the reads among those that wait for the bank. */
static void change_reads(struct mbox *mbox, const struct mbox_txn *txn, int by)
{
	struct mbox_bank *bank = &mbox->banks[txn->place.bank];
	struct mbox_bus *bus = mbox_bus_of(mbox, txn->place.bank);

	if (txn->direction != MBOX_READ)
		return;
	bank->num_retry_reads = (uint16_t)(bank->num_retry_reads + by);
	if (bank->num_retry_reads)
		bus->held_reads |= mbox_bit_of(mbox, txn->place.bank);
	else
		bus->held_reads &= ~mbox_bit_of(mbox, txn->place.bank);
}

static void put(struct mbox *mbox, struct mbox_txn *txn)
{
	struct mbox_bank *bank = &mbox->banks[txn->place.bank];

	mbox_append(&bank->retries, txn);
	mbox->num_retries++;
	update_levels(mbox);
	mbox_retry_count(mbox, txn);
	if (txn->direction != MBOX_READ)
		return;
	/* A write that holds up a read becomes urgent. */
	change_reads(mbox, txn, 1);
	if (bank->dispatched.first &&
	    bank->dispatched.first->direction == MBOX_WRITE)
		mbox_iss_wake(mbox, mbox->next_frame);
}

/* A new transaction comes from MAP. */
void mbox_enter(struct mbox *mbox, struct mbox_txn *txn)
{
	enum mbox_verdict verdict = VERDICT_CONFLICT;

	if (!mbox->banks[txn->place.bank].retries.first)
		verdict = mbox_dispatch(mbox, txn);
	if (verdict == VERDICT_DISPATCHED)
		return;
	if (verdict == VERDICT_NO_ROOM)
		wait_for_room(mbox, txn->place.bank, txn->direction);
	put(mbox, txn);
}

/* Tries the oldest one of a bank; false if it has to go on waiting. */
static bool retry_first(struct mbox *mbox, unsigned index)
{
	struct mbox_bank *bank = &mbox->banks[index];
	struct mbox_txn *txn = mbox_take(&bank->retries);
	enum mbox_verdict verdict;

	/* Taken out first: being dispatched uses the same link. */
	change_reads(mbox, txn, -1);
	verdict = mbox_dispatch(mbox, txn);
	if (verdict == VERDICT_DISPATCHED) {
		mbox->num_retries--;
		return true;
	}
	change_reads(mbox, txn, 1);
	txn->next = bank->retries.first;
	bank->retries.first = txn;
	if (!bank->retries.last)
		bank->retries.last = txn;
	if (verdict == VERDICT_NO_ROOM)
		wait_for_room(mbox, index, txn->direction);
	mbox_retry_count(mbox, txn);
	return false;
}

/* The bank may be free for those that wait for it. */
void mbox_retry_bank(struct mbox *mbox, unsigned bank)
{
	bool changed = false;

	while (mbox->banks[bank].retries.first && retry_first(mbox, bank))
		changed = true;
	if (changed)
		update_levels(mbox);
}

/* There is room in the dispatch queue of a direction. */
void mbox_retry_room(struct mbox *mbox, unsigned direction)
{
	while (mbox->waiting_first[direction] != MBOX_NO_BANK &&
	       mbox->num_queued[direction] < mbox->capacity[direction]) {
		unsigned index = mbox->waiting_first[direction];
		struct mbox_bank *bank = &mbox->banks[index];

		mbox->waiting_first[direction] = bank->waiting_next[direction];
		bank->is_waiting[direction] = false;
		mbox_retry_bank(mbox, index);
	}
}

/* The refresh of a rank is over. */
void mbox_retry_rank(struct mbox *mbox, unsigned rank)
{
	unsigned num = mbox->dram.config.banks;

	for (unsigned i = rank * num; i < (rank + 1) * num; i++)
		mbox_retry_bank(mbox, i);
}
