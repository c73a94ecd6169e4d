/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * DSP, the dispatch queue (guide 2.7.4.4): holds what PGT has translated, in a
 * read and a write queue, until the column command of each is given. What a
 * bank needs next (PRE, RAS or CAS) follows from its open row; the queue offers
 * it to the issue logic with the first clock in which it may be given.
 */
#include "model/box/mbox_parts.h"

static const struct {
	uint16_t full, empty;
} levels[] = {
	{ SIG_MBOX_DSP_RDQ_FULL, SIG_MBOX_DSP_RDQ_EMPTY },
	{ SIG_MBOX_DSP_WRQ_FULL, SIG_MBOX_DSP_WRQ_EMPTY },
};

static void change_num(struct mbox *mbox, unsigned direction, int by)
{
	unsigned num = mbox->num_queued[direction] += (unsigned)by;

	sig_set(mbox->signals, levels[direction].full,
		num == mbox->capacity[direction]);
	sig_set(mbox->signals, levels[direction].empty, num == 0);
}

void mbox_dsp_start(struct mbox *mbox)
{
	mbox->capacity[MBOX_READ] = mbox->config.read_queue_entries;
	mbox->capacity[MBOX_WRITE] = mbox->config.write_queue_entries;
	change_num(mbox, MBOX_READ, 0);
	change_num(mbox, MBOX_WRITE, 0);
}

/* What the bank needs next. */
enum dram_cmd mbox_dsp_next(const struct mbox *mbox, unsigned bank)
{
	const struct mbox_txn *txn = mbox->banks[bank].dispatched.first;
	int64_t row = mbox->dram.banks[bank].row;
	bool closes = mbox->is_closed_policy && !txn->next;

	if (row < 0)
		return DRAM_RAS;
	if (row != (int64_t)txn->place.row)
		return DRAM_PRE;
	if (txn->direction == MBOX_WRITE)
		return closes ? DRAM_CASPRE_WR : DRAM_CAS_WR;
	return closes ? DRAM_CASPRE_RD : DRAM_CAS_RD;
}

/* Shows the issue logic what the bank needs next. */
void mbox_dsp_offer(struct mbox *mbox, unsigned bank)
{
	const struct mbox_txn *txn = mbox->banks[bank].dispatched.first;
	enum dram_cmd cmd = mbox_dsp_next(mbox, bank);
	struct mbox_bus *bus = mbox_bus_of(mbox, bank);
	uint64_t bit = mbox_bit_of(mbox, bank);
	unsigned at = (unsigned)__builtin_ctzll(bit);
	uint64_t ready = dram_bank_earliest(&mbox->dram, cmd, bank);
	uint64_t own = txn->start_clock;

	bus->column &= ~bit;
	bus->row &= ~bit;
	bus->mature &= ~bit;
	if (cmd == DRAM_RAS) {
		bus->row |= bit;
	} else if (cmd != DRAM_PRE) {
		bus->column |= bit;
		own = txn->data_clock;
	}
	bus->ready[at] = ready > own ? ready : own;
	bus->order[at] = txn->order;
}

/* The bank gets something to do. */
static void begin_bank(struct mbox *mbox, unsigned bank, unsigned direction)
{
	mbox_page_forget(mbox, bank);
	mbox->ranks[dram_rank_of(&mbox->dram, bank)].num_dispatched++;
	mbox_bus_of(mbox, bank)->active[direction] |= mbox_bit_of(mbox, bank);
	mbox_dsp_offer(mbox, bank);
}

/* The bank has nothing more to do. */
static void end_bank(struct mbox *mbox, unsigned bank, unsigned direction)
{
	unsigned rank = dram_rank_of(&mbox->dram, bank);

	mbox_bus_of(mbox, bank)->active[direction] &= ~mbox_bit_of(mbox, bank);
	if (!--mbox->ranks[rank].num_dispatched)
		mbox_rank_idle(mbox, rank);
}

/* Takes a transaction that PGT has translated in the given cycle. */
void mbox_dsp_add(struct mbox *mbox, struct mbox_txn *txn, uint64_t cycle)
{
	struct mbox_bank *bank = &mbox->banks[txn->place.bank];

	mbox_pulse(mbox, SIG_MBOX_TRANS_CMDS, cycle);
	mbox_pulse(mbox, SIG_MBOX_SCHED_INFLIGHT_CMDS, cycle);
	txn->order = mbox->order++;
	txn->start_clock =
		mbox_clock_after(mbox, cycle + mbox->config.front_cycles);
	if (txn->direction == MBOX_WRITE) {
		uint64_t sent = mbox_iss_send_data(mbox);

		txn->data_clock =
			sent > txn->start_clock ? sent : txn->start_clock;
		mbox_answer(mbox, txn, cycle + mbox->config.response_cycles);
	} else {
		txn->data_clock = txn->start_clock;
	}
	mbox_append(&bank->dispatched, txn);
	if (bank->dispatched.first == txn)
		begin_bank(mbox, txn->place.bank, txn->direction);
	change_num(mbox, txn->direction, 1);
	mbox_turn_update(mbox);
	mbox_iss_wake(mbox, txn->start_clock);
}

/* The first transaction of the bank has given its column command. */
void mbox_dsp_remove(struct mbox *mbox, unsigned index)
{
	struct mbox_bank *bank = &mbox->banks[index];
	struct mbox_txn *txn = mbox_take(&bank->dispatched);
	unsigned direction = txn->direction;

	change_num(mbox, direction, -1);
	if (txn->fate == MBOX_FATE_NONE)
		mbox_txn_free(mbox, txn);
	if (bank->dispatched.first) {
		mbox_dsp_offer(mbox, index);
	} else {
		end_bank(mbox, index, direction);
		mbox_retry_bank(mbox, index);
	}
	mbox_retry_room(mbox, direction);
}
