/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * ISS, the issue logic (guide 2.7.4.4): in every DRAM clock one SMI frame goes
 * to the memory buffers, with up to three commands, or with one command and a
 * quarter of a line of write data. A bus takes one command a clock. Column
 * commands go before row commands, older before younger.
 *
 * Reads and writes take turns, since handing a bus from one to the other costs
 * time: reads are first until the writes reach a high watermark, then the writes
 * have a turn that brings them to the low one, then the reads that waited have
 * theirs. The scheduling mode sets the watermarks. Writes also go when no read
 * is dispatched, or when a read or a refresh waits for their bank.
 *
 * Choices: write data leave as soon as the write is dispatched and wait in the
 * memory buffer. A frame of one command and no data counts as 1CMD, one of more
 * as 3CMD, one with data as WDAT. SYNC, channel and empty frames are left out.
 */
#include "model/box/mbox_parts.h"

static const uint16_t mode_levels[] = {
	[MBOX_SCHED_TRADEOFF] = SIG_MBOX_SCHED_MODE_TRADEOFF,
	[MBOX_SCHED_RDPRIO] = SIG_MBOX_SCHED_MODE_RDPRIO,
	[MBOX_SCHED_WRPRIO] = SIG_MBOX_SCHED_MODE_WRPRIO,
	[MBOX_SCHED_ADAPTIVE] = SIG_MBOX_SCHED_MODE_ADAPTIVE,
};

static void set_watermarks(struct mbox *mbox, enum mbox_sched mode)
{
	const struct mbox_config *c = &mbox->config;

	mbox->mode = mode;
	switch (mode) {
	case MBOX_SCHED_WRPRIO:
		mbox->high = 1;
		mbox->low = 0;
		break;
	case MBOX_SCHED_TRADEOFF:
		mbox->high = c->write_high_entries;
		mbox->low = c->write_low_entries;
		break;
	default:
		mbox->high = c->write_queue_entries;
		mbox->low = c->write_queue_entries * 3 / 4;
	}
}

void mbox_iss_start(struct mbox *mbox)
{
	enum mbox_sched mode = mbox->config.sched;

	sig_set(mbox->signals, mode_levels[mode], 1);
	set_watermarks(mbox,
		       mode == MBOX_SCHED_ADAPTIVE ? MBOX_SCHED_RDPRIO : mode);
	mbox_alarm_start(&mbox->wake);
	mbox->next_frame = 1;
}

/* The adaptive mode chooses one of the others. */
void mbox_iss_mode(struct mbox *mbox, enum mbox_sched mode)
{
	if (mode == mbox->mode)
		return;
	set_watermarks(mbox, mode);
	sig_pulse(mbox->signals, SIG_MBOX_ISS_SCHED_CHANGES, 1);
}

/* Begins or ends a turn of the writes, where it is time. */
void mbox_iss_turn(struct mbox *mbox)
{
	const unsigned *num = mbox->num_queued;

	if (mbox->writes_first && (!mbox->batch_writes || !num[MBOX_WRITE])) {
		mbox->writes_first = false;
		mbox->owed_reads = num[MBOX_READ];
	}
	if (!num[MBOX_READ])
		mbox->owed_reads = 0;
	if (!mbox->writes_first && !mbox->owed_reads &&
	    num[MBOX_WRITE] >= mbox->high) {
		mbox->writes_first = true;
		mbox->batch_writes = num[MBOX_WRITE] - mbox->low;
		mbox_iss_wake(mbox, mbox->next_frame);
	}
}

/* Reserves the frames for the data of a write; returns the first clock in which
 * all of it has been sent. */
uint64_t mbox_iss_send_data(struct mbox *mbox)
{
	uint64_t start = mbox_clock_after(mbox, sim_now(mbox->sim));

	if (start < mbox->next_frame)
		start = mbox->next_frame;
	if (start > mbox->data_free)
		mbox->data_start = mbox->data_free = start;
	for (unsigned i = 0; i < mbox->config.write_frames; i++)
		mbox_pulse(mbox, SIG_MBOX_FRM_TYPE_WDAT,
			   mbox_cycle_of(mbox, mbox->data_free++));
	return mbox->data_free;
}

/* Gives a command to the DRAM and shows it to PLD's events. */
void mbox_iss_command(struct mbox *mbox, enum dram_cmd cmd, unsigned bank,
		      const struct mbox_txn *txn, uint64_t clock)
{
	struct sig_header header = { .dram_cmd = (uint8_t)cmd };

	dram_issue(&mbox->dram, cmd, bank, txn ? txn->place.row : 0,
		   txn ? txn->place.column : 0, clock);
	sig_pulse(mbox->signals, SIG_MBOX_DRAM_MISC_VALID, 1);
	sig_pulse(mbox->signals, SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, 1);
	if (!sig_is_tapped(mbox->signals, SIG_MBOX_DRAM_CMD))
		return;
	header.sched_mode = (uint8_t)mbox->config.sched;
	header.address = txn ? txn->address : 0;
	header.fvid = txn ? txn->fvid : 0;
	sig_packet(mbox->signals, SIG_MBOX_DRAM_CMD, &header);
}

static bool is_column(enum dram_cmd cmd)
{
	return cmd != DRAM_RAS && cmd != DRAM_PRE;
}

/* After a column command: the answer, the turn, and who waited for this. */
static void finish_column(struct mbox *mbox, unsigned bank,
			  const struct mbox_txn *txn, uint64_t clock)
{
	const struct dram_config *d = &mbox->config.dram;
	unsigned direction = txn->direction;

	if (direction == MBOX_READ) {
		uint64_t data = clock + d->cl_clocks + d->burst_clocks;

		mbox_answer(mbox, txn,
			    mbox_cycle_of(mbox, data) +
				    2 * mbox->config.smi_cycles +
				    mbox->config.response_cycles);
		if (mbox->owed_reads)
			mbox->owed_reads--;
	} else if (mbox->batch_writes) {
		mbox->batch_writes--;
	}
	mbox_dsp_remove(mbox, bank);
	if (!mbox->banks[bank].dispatched.first)
		mbox_page_touch(mbox, bank);
	mbox_iss_turn(mbox);
}

/* Whether the turn allows the bank its next command. */
static bool may_go(const struct mbox *mbox, unsigned direction, unsigned bank)
{
	if (direction == MBOX_READ)
		return !mbox->writes_first ||
		       !is_column(mbox_dsp_next(mbox, bank));
	return mbox->writes_first || !mbox->num_queued[MBOX_READ] ||
	       mbox_dsp_is_urgent(mbox, bank);
}

/* The best command of a scan list for this clock; lower keys are better. */
static unsigned choose(struct mbox *mbox, struct mbox_scan *scan,
		       unsigned direction, uint64_t clock, uint64_t *best)
{
	unsigned chosen = MBOX_NO_BANK;

	for (unsigned i = 0; i < scan->num; i++) {
		unsigned bank = scan->bank[i];
		uint64_t key = scan->order[i];

		if (scan->ready[i] > clock || !may_go(mbox, direction, bank))
			continue;
		scan->ready[i] = mbox_dsp_earliest(mbox, bank);
		if (scan->ready[i] > clock)
			continue;
		if (!is_column(mbox_dsp_next(mbox, bank)))
			key |= UINT64_C(1) << 63;
		if (key < *best) {
			*best = key;
			chosen = bank;
		}
	}
	return chosen;
}

/* Closes an idle page of the bus, if one may be closed. */
static bool close_idle(struct mbox *mbox, unsigned bus, uint64_t clock)
{
	unsigned first = bus << (mbox->dram.bank_bits + mbox->dram.rank_bits);

	for (uint64_t rest = mbox->closing[bus]; rest; rest &= rest - 1) {
		unsigned at = (unsigned)__builtin_ctzll(rest);

		if (dram_earliest(&mbox->dram, DRAM_PRE, first + at) > clock)
			continue;
		mbox->closing[bus] &= ~(UINT64_C(1) << at);
		sig_pulse(mbox->signals, SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS, 1);
		mbox_iss_command(mbox, DRAM_PRE, first + at, NULL, clock);
		return true;
	}
	return false;
}

/* At most one command for a bus; true if there was one. */
static bool issue(struct mbox *mbox, unsigned bus, uint64_t clock)
{
	uint64_t best = UINT64_MAX;
	const struct mbox_txn *txn;
	unsigned bank, write;
	enum dram_cmd cmd;

	if (mbox->num_refreshing && mbox_refresh_step(mbox, bus, clock))
		return true;
	bank = choose(mbox, &mbox->scans[bus][MBOX_READ], MBOX_READ, clock,
		      &best);
	write = choose(mbox, &mbox->scans[bus][MBOX_WRITE], MBOX_WRITE, clock,
		       &best);
	if (write != MBOX_NO_BANK)
		bank = write;
	if (bank == MBOX_NO_BANK)
		return mbox->closing[bus] && close_idle(mbox, bus, clock);
	txn = mbox->banks[bank].dispatched.first;
	cmd = mbox_dsp_next(mbox, bank);
	mbox_iss_command(mbox, cmd, bank, txn, clock);
	if (is_column(cmd))
		finish_column(mbox, bank, txn, clock);
	return true;
}

/* The first clock after this one in which something of a scan list may go. */
static uint64_t next_of(struct mbox *mbox, struct mbox_scan *scan,
			unsigned direction, uint64_t clock)
{
	uint64_t next = MBOX_NO_CLOCK;

	for (unsigned i = 0; i < scan->num; i++) {
		if (!may_go(mbox, direction, scan->bank[i]))
			continue;
		if (scan->ready[i] <= clock) {
			scan->ready[i] = mbox_dsp_earliest(mbox, scan->bank[i]);
			if (scan->ready[i] <= clock)
				scan->ready[i] = clock + 1;
		}
		if (scan->ready[i] < next)
			next = scan->ready[i];
	}
	return next;
}

static uint64_t next_decision(struct mbox *mbox, uint64_t clock)
{
	uint64_t next = MBOX_NO_CLOCK;

	if (mbox->num_refreshing)
		next = mbox_refresh_earliest(mbox);
	for (unsigned bus = 0; bus < mbox->config.dram.buses; bus++) {
		for (unsigned way = 0; way < 2; way++) {
			uint64_t at = next_of(mbox, &mbox->scans[bus][way], way,
					      clock);

			next = at < next ? at : next;
		}
		if (mbox->closing[bus] && next > clock + 1)
			next = clock + 1;
	}
	return next;
}

static void publish_frame(struct mbox *mbox, unsigned num, bool has_data)
{
	if (num && !has_data)
		sig_pulse(mbox->signals,
			  num == 1 ? SIG_MBOX_FRM_TYPE_1CMD
				   : SIG_MBOX_FRM_TYPE_3CMD,
			  1);
}

/* Fills one frame. */
static void decide(struct mbox *mbox, uint64_t clock)
{
	unsigned buses = mbox->config.dram.buses;
	bool has_data = clock >= mbox->data_start && clock < mbox->data_free;
	unsigned room = has_data ? 1 : 3;
	unsigned num = 0;

	mbox->is_deciding = true;
	mbox->next_frame = clock + 1;
	for (unsigned i = 0; i < buses && num < room; i++)
		num += issue(mbox, (unsigned)(clock + i) & (buses - 1), clock);
	publish_frame(mbox, num, has_data);
	mbox->is_deciding = false;
	mbox_iss_wake(mbox, next_decision(mbox, clock));
}

static void wake_event(void *object, uint64_t cycle)
{
	struct mbox *mbox = object;

	if (mbox_alarm_rings(&mbox->wake, cycle))
		decide(mbox, cycle / mbox->config.dram.cycles_per_clock);
}

/* Asks for a decision in a clock, or in the first one after that which is not
 * decided yet. Whatever may go later is found again by that decision. */
void mbox_iss_wake(struct mbox *mbox, uint64_t clock)
{
	uint64_t cycle;

	if (mbox->is_deciding || clock == MBOX_NO_CLOCK)
		return;
	if (clock < mbox->next_frame)
		clock = mbox->next_frame;
	cycle = mbox_cycle_of(mbox, clock);
	if (cycle < sim_now(mbox->sim))
		cycle = mbox_cycle_of(
			mbox, mbox_clock_after(mbox, sim_now(mbox->sim)));
	mbox_alarm_set(mbox, &mbox->wake, cycle, wake_event);
}
