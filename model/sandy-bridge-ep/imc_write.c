/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writes and write mode. A write is complete for all others once it is in WPQ
 * (guide p. 70). In read mode it goes to the DRAM when no read has been known
 * for imc.write_idle (WR_RMM); else it waits there, without clocks for its
 * commands. When as many wait as imc.write_high, they go in a run until
 * imc.write_low are left: that is write mode (WR_WMM), which begins behind the
 * last read that has a clock and in which no other read gets one. They are
 * chosen as reads are (imc_read.c): first the one whose column command can go
 * first, of several the oldest; but one that so many others have passed goes
 * before all. Rows are closed and opened for it before it begins. Those that
 * wait look again when the time without reads has come.
 *
 * A write that waits is published as being in WPQ up to that cycle; what proves
 * to be wrong of it is taken back before its time comes.
 *
 * In a quick stretch as many wait as before it, and a write that comes sends
 * the oldest to the DRAM. What waits behind the stretch are the latest: the
 * writes that follow are of the same rows, as they are where no stretch was.
 *
 * Choices: a write for a line that is in WPQ takes the older one's place, also
 * when that has its clocks already. One that comes in write mode joins it while
 * nothing has a clock behind it, up to as many as WPQ holds.
 */
#include "model/sandy-bridge-ep/imc_parts.h"

/* The write gets its commands, the first now at the earliest, the one that
 * moves the data not before a clock. */
static uint64_t give(struct imc *imc, struct imc_write *write, uint64_t from)
{
	struct imc_txn *txn = &write->txn;
	uint64_t start = sim_later(write->start, imc->now_from);
	uint64_t column = imc_issue(imc, txn, start, sim_later(start, from));

	if (column >= imc->turn_from && column < imc->turn_until)
		txn->is_drained = true;
	places_hold(&imc->wpq, write->place, column);
	imc->lines.until[write->place] = column;
	imc_stay(imc, SIG_IMC_WPQ_OCCUPANCY, write->shown, column);
	imc_tell(imc, txn);
	imc_done(imc, column);
	imc->writes_until = sim_later(imc->writes_until, column);
	return column;
}

/* Of those that wait the one whose column command can go first, not before a
 * clock; of several the oldest. */
static unsigned first_ready(const struct imc *imc, uint64_t from)
{
	uint64_t best = IMC_NEVER;
	unsigned first = 0;

	for (unsigned i = 0; i < imc->num_waiting && best > from; i++) {
		const struct imc_write *write = &imc->waiting[i];
		uint64_t start = sim_later(write->start, imc->now_from), column;

		column = mc_column_from(&imc->mc, &write->txn.dram, start,
					sim_later(start, from));
		if (write->num_passed >= IMC_MOST_PASSED)
			column = 0;
		if (column >= best)
			continue;
		best = column;
		first = i;
	}
	return first;
}

/* One of those that wait. */
static uint64_t give_next(struct imc *imc, uint64_t from, bool is_drained)
{
	unsigned next = first_ready(imc, from);
	struct imc_write write = imc->waiting[next];
	uint64_t before = sim_act_for(imc->ep->engine.sim, write.requester),
		 column;

	imc->num_waiting--;
	for (unsigned i = 0; i < next; i++)
		imc->waiting[i].num_passed++;
	for (unsigned i = next; i < imc->num_waiting; i++)
		imc->waiting[i] = imc->waiting[i + 1];
	imc->pages[write.txn.dram.place.bank].num_waiting--;
	write.txn.is_drained = is_drained;
	column = give(imc, &write, from);
	sim_act_for(imc->ep->engine.sim, before);
	return column;
}

/* Write mode */

/* It lasts from a clock until another, or longer than was known. */
static void extend_turn(struct imc *imc, uint64_t from, uint64_t until)
{
	if (from >= until)
		return;
	imc_mode(imc, SIG_IMC_MAJOR_MODES_WRITE, from, until);
	banks_no_reads(imc->mc.banks, from, until);
	imc->turn_until = until;
}

/* It is over, and read mode begins if no other turn begins at once. */
static void end_turn(struct imc *imc, uint64_t next)
{
	if (imc->has_turn && imc->turn_until < next)
		imc_tell_read_mode(imc, imc->turn_until);
	imc->has_turn = false;
}

static void watch_turn(struct imc *imc);

static void turn_event(void *object, uint64_t unused)
{
	struct imc *imc = object;

	(void)unused;
	imc_enter(imc, engine_now(&imc->ep->engine));
	if (!imc->has_turn)
		return;
	if (imc->turn_until > imc->now_from)
		watch_turn(imc);
	else
		end_turn(imc, IMC_NEVER);
}

static void watch_turn(struct imc *imc)
{
	sim_at(imc->ep->engine.sim, imc_cycle(imc, imc->turn_until), turn_event,
	       imc, 0);
}

static void drain(struct imc *imc)
{
	uint64_t from = sim_later(imc->now_from, imc->turn_until), last;

	from = sim_later(from,
			 sim_later(imc->reads_until, imc->writes_until) + 1);
	last = from;
	while (imc->num_waiting > imc->config.write_low)
		last = sim_later(last, give_next(imc, from, true));
	end_turn(imc, from);
	imc->turn_from = from;
	imc->turn_left = IMC_WPQ;
	imc->has_turn = true;
	extend_turn(imc, from, last + 1);
	watch_turn(imc);
}

static bool joins_turn(const struct imc *imc, uint64_t start)
{
	return start >= imc->turn_from && start < imc->turn_until &&
	       imc->turn_left && imc->reads_until < imc->turn_from &&
	       imc->writes_until < imc->turn_until;
}

/* Waiting */

/* From this clock on writes go in read mode, as far as reads are known. */
static uint64_t quiet_from(const struct imc *imc)
{
	if (imc->num_reads)
		return imc->now_from + 1 + imc->config.write_idle;
	return imc->reads_until ? imc->reads_until + imc->config.write_idle : 0;
}

static void alarm_event(void *object, uint64_t unused)
{
	struct imc *imc = object;

	(void)unused;
	imc_enter(imc, engine_now(&imc->ep->engine));
	imc_write_alarm(imc);
}

/* All that wait are in the queue up to the alarm at least. */
static void show(struct imc *imc)
{
	for (unsigned i = 0; i < imc->num_waiting; i++) {
		struct imc_write *write = &imc->waiting[i];
		uint64_t before;

		if (write->shown >= imc->alarm)
			continue;
		before = sim_act_for(imc->ep->engine.sim, write->requester);
		imc_stay(imc, SIG_IMC_WPQ_OCCUPANCY, write->shown, imc->alarm);
		write->shown = imc->alarm;
		sim_act_for(imc->ep->engine.sim, before);
	}
}

static void set_alarm(struct imc *imc)
{
	imc->has_alarm = true;
	imc->alarm = quiet_from(imc);
	sim_at(imc->ep->engine.sim, imc_cycle(imc, imc->alarm), alarm_event,
	       imc, 0);
}

/* The reads have gone that were known when the alarm was set. */
void imc_write_alarm(struct imc *imc)
{
	imc->has_alarm = false;
	if (!imc->num_waiting)
		return;
	if (quiet_from(imc) > imc->alarm) {
		set_alarm(imc);
		show(imc);
		return;
	}
	while (imc->num_waiting)
		give_next(imc, imc->now_from, false);
}

static void wait(struct imc *imc, const struct imc_write *write)
{
	imc->waiting[imc->num_waiting++] = *write;
	imc->pages[write->txn.dram.place.bank].num_waiting++;
	imc->lines.until[write->place] = IMC_NEVER;
	if (!imc->has_alarm)
		set_alarm(imc);
	show(imc);
	if (imc->num_waiting >= imc->config.write_high)
		drain(imc);
}

/* It is in the queue; when does it go? */
static void place_write(struct imc *imc, struct imc_write *write)
{
	uint64_t column;

	if (write->txn.kind == IMC_WRITE_ISOCH) {
		column = give(imc, write, write->start);
		imc_reserve(imc, SIG_IMC_MAJOR_MODES_ISOCH,
			    write->txn.dram.entry, column);
	} else if (joins_turn(imc, write->start)) {
		imc->turn_left--;
		write->txn.is_drained = true;
		column = give(imc, write, write->start);
		extend_turn(imc, imc->turn_until, column + 1);
	} else if (quiet_from(imc) <= write->start) {
		give(imc, write, write->start);
	} else {
		wait(imc, write);
	}
}

void imc_write(struct imc *imc, enum imc_request kind, uint64_t local,
	       uint64_t at)
{
	struct imc_write write = { .txn = imc_txn(imc, kind, local, at) };
	uint64_t *entry = &write.txn.dram.entry;
	int older;

	imc_enter(imc, engine_now(&imc->ep->engine));
	older = imc_find_write(imc, local, *entry);
	if (older >= 0) {
		*entry = sim_later(*entry, imc->entries[older]);
		imc_pulse(imc, SIG_IMC_WPQ_WRITE_HIT, *entry);
		imc_done(imc, *entry);
		return;
	}
	write.place = places_take(&imc->wpq, imc->now_from, entry);
	write.start = *entry + imc->config.front_clocks;
	write.shown = *entry;
	write.requester = sim_requester(imc->ep->engine.sim);
	imc->entries[write.place] = *entry;
	lines_put(&imc->lines, write.place, local, *entry);
	imc_pulse(imc, SIG_IMC_WPQ_INSERTS, *entry);
	place_write(imc, &write);
}

/* While time stands */

/* Of those that waited and all that came since, in their order. */
static uint64_t line_in_order(const struct imc *imc, unsigned number)
{
	if (number < imc->num_waiting)
		return imc->lines.line[imc->waiting[number].place];
	return imc->passed_writes[(number - imc->num_waiting) % IMC_WPQ];
}

uint64_t imc_write_pass(struct imc *imc, uint64_t local)
{
	uint64_t oldest;

	if (!imc->num_waiting)
		return local;
	oldest = line_in_order(imc, imc->num_passed_writes);
	imc->passed_writes[imc->num_passed_writes++ % IMC_WPQ] = local;
	return oldest;
}

void imc_write_go_on(struct imc *imc)
{
	unsigned num = imc->num_passed_writes;

	for (unsigned i = 0; num && i < imc->num_waiting; i++) {
		struct imc_write *write = &imc->waiting[i];
		uint64_t local = line_in_order(imc, num + i);

		imc->pages[write->txn.dram.place.bank].num_waiting--;
		write->txn.dram =
			mc_txn(&imc->mc, local, true, write->txn.dram.entry);
		imc->pages[write->txn.dram.place.bank].num_waiting++;
		lines_put(&imc->lines, write->place, local, IMC_NEVER);
	}
	imc->num_passed_writes = 0;
}
