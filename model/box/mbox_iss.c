/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * ISS, the issue logic (guide 2.7.4.4): in every DRAM clock one SMI frame goes
 * to the memory buffers, with up to three commands, or with one command and a
 * quarter of a line of write data. A bus takes one command a clock. Column
 * commands go before row commands, older before younger; mbox_turn.c says
 * whether reads or writes go first. Writes also go when no read is dispatched,
 * or when a read or a refresh waits for their bank.
 *
 * As in the processor, the queue shows what each bank needs next as bits, so a
 * decision costs a few operations on sets whatever the number of transactions.
 * Decisions are made only in clocks in which something may go.
 *
 * Choices: write data leave as soon as the write is dispatched and wait in the
 * memory buffer. A frame of one command and no data counts as 1CMD, one of more
 * as 3CMD, one with data as WDAT. mbox_frame.c has the other frames.
 */
#include "model/box/mbox_parts.h"

enum { FRAME_COMMANDS = 3, DATA_FRAME_COMMANDS = 1 };

#define BIT(cmd) (UINT32_C(1) << (cmd))

/* Commands with a signal of their own, besides that of all. */
#define OTHERS                                                                 \
	(BIT(DRAM_MRS) | BIT(DRAM_EMRS) | BIT(DRAM_EMRS2) | BIT(DRAM_EMRS3) |  \
	 BIT(DRAM_ENSR) | BIT(DRAM_EXSR) | BIT(DRAM_NOP) | BIT(DRAM_GENDRM) |  \
	 BIT(DRAM_POLL) | BIT(DRAM_CKEH) | BIT(DRAM_CKEL) | BIT(DRAM_IBD) |    \
	 BIT(DRAM_SFT_RST) | BIT(DRAM_NOWPE) | BIT(DRAM_WCR) | BIT(DRAM_RCR))

void mbox_iss_start(struct mbox *mbox)
{
	mbox_alarm_start(&mbox->wake);
	mbox->next_frame = 1;
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
	mbox_frame_busy(mbox, mbox->data_free,
			mbox->data_free + mbox->config.write_frames);
	for (unsigned i = 0; i < mbox->config.write_frames; i++)
		mbox_pulse(mbox, SIG_MBOX_FRM_TYPE_WDAT,
			   mbox_cycle_of(mbox, mbox->data_free++));
	return mbox->data_free;
}

/* Gives a command to the DRAM and shows it to PLD's events. */
void mbox_iss_command(struct mbox *mbox, enum dram_cmd cmd, unsigned bank,
		      const struct mbox_txn *txn, uint64_t clock)
{
	struct sig_header header;

	dram_issue(&mbox->dram, cmd, bank, txn ? txn->place.row : 0,
		   txn ? txn->place.column : 0, clock);
	mbox->command_clock = clock;
	mbox_frame_busy(mbox, clock, clock + 1);
	sig_pulse(mbox->signals, SIG_MBOX_DRAM_MISC_VALID, 1);
	if (OTHERS >> cmd & 1) {
		mbox_frame_other(mbox, cmd);
		if (cmd == DRAM_NOP)
			return;
	}
	sig_pulse(mbox->signals, SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, 1);
	if (mbox->heat.is_watched)
		mbox_heat_add(mbox, cmd, bank);
	if (!sig_is_tapped(mbox->signals, SIG_MBOX_DRAM_CMD))
		return;
	header = (struct sig_header){ .dram_cmd = (uint8_t)cmd };
	header.sched_mode = (uint8_t)mbox->config.sched;
	header.address = txn ? txn->address : 0;
	header.fvid = txn ? txn->fvid : 0;
	sig_packet(mbox->signals, SIG_MBOX_DRAM_CMD, &header);
}

/* After a column command: the answer, the turn, and who waited for this. */
static void finish_column(struct mbox *mbox, unsigned bank,
			  struct mbox_txn *txn, uint64_t clock)
{
	const struct dram_config *d = &mbox->config.dram;
	bool is_read = txn->direction == MBOX_READ;

	if (is_read) {
		uint64_t data = clock + d->cl_clocks + d->burst_clocks;
		uint64_t cycle = mbox_cycle_of(mbox, data) +
				 2 * mbox->config.smi_cycles +
				 mbox->config.response_cycles;

		if (!mbox->read_faults || !mbox_error_read(mbox, txn, cycle))
			mbox_answer(mbox, txn, cycle);
		if (mbox->owed_reads)
			mbox->owed_reads--;
	} else if (mbox->turn_writes) {
		mbox->turn_writes--;
	}
	mbox_dsp_remove(mbox, bank);
	if (!mbox->banks[bank].dispatched.first)
		mbox_page_touch(mbox, bank, clock);
	mbox_turn_update(mbox);
	/* Without reads every write may go, of the other bus too. */
	if (is_read && !mbox->num_queued[MBOX_READ] &&
	    mbox->num_queued[MBOX_WRITE])
		mbox_iss_wake(mbox, mbox->next_frame);
}

/* The banks whose next command the turn allows. */
static uint64_t allowed(const struct mbox *mbox, const struct mbox_bus *bus)
{
	uint64_t reads = bus->active[MBOX_READ];
	uint64_t writes = bus->active[MBOX_WRITE];
	uint64_t open = ~bus->blocked;

	if (mbox->writes_first)
		reads &= ~bus->column;
	else if (mbox->num_queued[MBOX_READ])
		writes &= bus->held_reads | bus->refresh;
	return (reads | writes) & open;
}

/* Of a set of banks that need the same command, those whose rank may have it in
 * this clock. *next is lowered to the first clock for one of the others. */
static inline uint64_t admitted(const struct mbox *mbox, unsigned bus,
				uint64_t set, enum dram_cmd cmd, uint64_t clock,
				uint64_t *next)
{
	unsigned bits = mbox->dram.bank_bits;
	unsigned first = bus << mbox->dram.rank_bits;
	uint64_t of_rank = (UINT64_C(1) << mbox->config.dram.banks) - 1;
	uint64_t all = dram_bus_earliest(&mbox->dram, cmd, bus);
	uint64_t result = set;

	if (all > clock) {
		*next = all < *next ? all : *next;
		return 0;
	}
	while (set) {
		unsigned rank = (unsigned)__builtin_ctzll(set) >> bits;
		uint64_t banks = of_rank << (rank << bits);
		uint64_t earliest =
			dram_shared_earliest(&mbox->dram, cmd, first + rank);

		set &= ~banks;
		if (earliest <= clock)
			continue;
		result &= ~banks;
		if (earliest < *next)
			*next = earliest;
	}
	return result;
}

/* Notes which of a set of banks have become ready by this clock; returns the
 * first clock in which one of the others will be. */
static uint64_t ripen(struct mbox_bus *bus, uint64_t set, uint64_t clock)
{
	uint64_t next = MBOX_NO_CLOCK;

	for (uint64_t green = set & ~bus->mature; green; green &= green - 1) {
		uint64_t ready = bus->ready[__builtin_ctzll(green)];

		if (ready <= clock)
			bus->mature |= green & -green;
		else if (ready < next)
			next = ready;
	}
	return next;
}

/* Where the commands of a bus stand in a clock. */
struct offer {
	uint64_t columns, rows; /* banks that may have one now */
	uint64_t next;		/* first clock of one that may not */
};

static struct offer look(struct mbox *mbox, unsigned index, uint64_t clock)
{
	struct mbox_bus *bus = &mbox->buses[index];
	uint64_t set = allowed(mbox, bus);
	struct offer offer = { .next = MBOX_NO_CLOCK };
	uint64_t rows, columns;

	if (set & ~bus->mature)
		offer.next = ripen(bus, set, clock);
	set &= bus->mature;
	if (!set)
		return offer;
	rows = set & bus->row;
	columns = set & bus->column;
	offer.rows = set & ~columns & ~rows;
	if (columns & bus->active[MBOX_READ])
		offer.columns =
			admitted(mbox, index, columns & bus->active[MBOX_READ],
				 DRAM_CAS_RD, clock, &offer.next);
	if (columns & bus->active[MBOX_WRITE])
		offer.columns |=
			admitted(mbox, index, columns & bus->active[MBOX_WRITE],
				 DRAM_CAS_WR, clock, &offer.next);
	if (rows)
		offer.rows |= admitted(mbox, index, rows, DRAM_RAS, clock,
				       &offer.next);
	return offer;
}

static unsigned oldest(const struct mbox_bus *bus, uint64_t set)
{
	unsigned found = (unsigned)__builtin_ctzll(set);

	for (set &= set - 1; set; set &= set - 1) {
		unsigned at = (unsigned)__builtin_ctzll(set);

		if (bus->order[at] < bus->order[found])
			found = at;
	}
	return found;
}

/* Closes an idle page of the bus, if one may be closed. */
static bool close_idle(struct mbox *mbox, unsigned index, uint64_t clock)
{
	struct mbox_bus *bus = &mbox->buses[index];
	unsigned first = index << mbox_bus_bits(mbox);

	for (uint64_t rest = bus->closing; rest; rest &= rest - 1) {
		unsigned bank = first + (unsigned)__builtin_ctzll(rest);

		if (mbox->dram.banks[bank].pre > clock)
			continue;
		bus->closing &= ~mbox_bit_of(mbox, bank);
		sig_pulse(mbox->signals, SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS, 1);
		mbox_iss_command(mbox, DRAM_PRE, bank, NULL, clock);
		return true;
	}
	return false;
}

/* Gives one of the commands that may go. */
static void give(struct mbox *mbox, unsigned index, const struct offer *offer,
		 uint64_t clock)
{
	struct mbox_bus *bus = &mbox->buses[index];
	unsigned bank =
		(index << mbox_bus_bits(mbox)) +
		oldest(bus, offer->columns ? offer->columns : offer->rows);
	struct mbox_txn *txn = mbox->banks[bank].dispatched.first;

	if (mbox->command_faults && mbox_error_command(mbox, bank, clock))
		return;
	mbox_iss_command(mbox, mbox_dsp_next(mbox, bank), bank, txn, clock);
	if (offer->columns)
		finish_column(mbox, bank, txn, clock);
	else
		mbox_dsp_offer(mbox, bank);
}

/* At most one command for a bus; true if there was one, else *next is lowered
 * to the first clock in which there may be one. */
static bool issue(struct mbox *mbox, unsigned index, uint64_t clock,
		  uint64_t *next)
{
	struct mbox_bus *bus = &mbox->buses[index];
	struct offer offer = { .next = MBOX_NO_CLOCK };

	if (mbox->num_due && mbox_refresh_step(mbox, index, clock))
		return true;
	if (bus->active[MBOX_READ] | bus->active[MBOX_WRITE]) {
		offer = look(mbox, index, clock);
		if (offer.columns | offer.rows) {
			give(mbox, index, &offer, clock);
			return true;
		}
	}
	if (bus->closing && close_idle(mbox, index, clock))
		return true;
	if (bus->closing)
		offer.next = clock + 1;
	if (offer.next < *next)
		*next = offer.next;
	return false;
}

/* The first clock from this one on in which a bus may have a command. */
static uint64_t next_of(struct mbox *mbox, unsigned index, uint64_t clock)
{
	const struct mbox_bus *bus = &mbox->buses[index];
	struct offer offer;

	if (bus->closing)
		return clock;
	if (!(bus->active[MBOX_READ] | bus->active[MBOX_WRITE]))
		return MBOX_NO_CLOCK;
	offer = look(mbox, index, clock);
	return offer.columns | offer.rows ? clock : offer.next;
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
	unsigned room = has_data ? DATA_FRAME_COMMANDS : FRAME_COMMANDS;
	unsigned num = 0, changed = 0;
	uint64_t next = MBOX_NO_CLOCK;

	if (clock < mbox->next_frame) { /* the link has gone down */
		mbox_iss_wake(mbox, mbox->next_frame);
		return;
	}
	mbox->is_deciding = true;
	mbox->wanted_clock = MBOX_NO_CLOCK;
	mbox->next_frame = clock + 1;
	mbox_page_expire(mbox, clock);
	for (unsigned i = 0; i < buses; i++) {
		unsigned bus = (unsigned)(clock + i) & (buses - 1);

		if (num == room || mbox->next_frame != clock + 1 ||
		    issue(mbox, bus, clock, &next)) {
			changed |= 1u << bus;
			num += num < room;
		}
	}
	publish_frame(mbox, num, has_data);
	for (; changed; changed &= changed - 1) {
		uint64_t at = next_of(mbox, (unsigned)__builtin_ctz(changed),
				      clock + 1);

		next = at < next ? at : next;
	}
	if (mbox->num_due)
		mbox_iss_wake(mbox, mbox_refresh_earliest(mbox));
	mbox_iss_wake(mbox, mbox_page_deadline(mbox));
	mbox->is_deciding = false;
	mbox_iss_wake(mbox,
		      next < mbox->wanted_clock ? next : mbox->wanted_clock);
}

static void wake_event(void *object, uint64_t cycle)
{
	struct mbox *mbox = object;

	if (mbox_alarm_rings(&mbox->wake, cycle))
		decide(mbox, cycle / mbox->config.dram.cycles_per_clock);
}

/* Asks for a decision in a clock, or in the first one after that which is not
 * decided yet. */
void mbox_iss_wake(struct mbox *mbox, uint64_t clock)
{
	uint64_t cycle;

	if (mbox->is_deciding) {
		if (clock < mbox->wanted_clock)
			mbox->wanted_clock = clock;
		return;
	}
	if (clock == MBOX_NO_CLOCK)
		return;
	if (clock < mbox->next_frame)
		clock = mbox->next_frame;
	cycle = mbox_cycle_of(mbox, clock);
	if (cycle < sim_now(mbox->sim))
		cycle = mbox_cycle_of(
			mbox, mbox_clock_after(mbox, sim_now(mbox->sim)));
	mbox_alarm_set(mbox, &mbox->wake, cycle, wake_event);
}
