/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writes, and the turns that they and the reads take, since handing a bus from
 * one to the other costs time. While reads are dispatched a write stays in its
 * queue: it is parked, without a clock for its commands. Parked writes go
 *
 *  - in a run, when as many as the high watermark are there, down to the low
 *    one; the scheduling mode of ISS (Table 2-74) sets both;
 *  - when their bank or rank is wanted for something else;
 *  - when the last read has gone: that cycle comes due by itself, and whether
 *    others have come since is seen then.
 *
 * A parked write is published as being in its queue up to that cycle; what
 * proves to be wrong of it is taken back before its time comes.
 *
 * Choices: write data leave as soon as the write is dispatched and wait in the
 * memory buffer. The adaptive mode is one of the three static ones at a time,
 * by the share of writes among the last transactions. It stays "adaptive" in
 * the events; ISS_SCHED.CHANGES counts the steps between the three.
 */
#include "model/nehalem-ex/memory_parts.h"

static const uint16_t mode_levels[] = {
	[MBOX_SCHED_TRADEOFF] = SIG_MBOX_SCHED_MODE_TRADEOFF,
	[MBOX_SCHED_RDPRIO] = SIG_MBOX_SCHED_MODE_RDPRIO,
	[MBOX_SCHED_WRPRIO] = SIG_MBOX_SCHED_MODE_WRPRIO,
	[MBOX_SCHED_ADAPTIVE] = SIG_MBOX_SCHED_MODE_ADAPTIVE,
};

/* An index is used again: it no longer stands for its write. */
void memory_release(struct memory *memory, unsigned fvid, uint64_t cycle)
{
	struct memory_held *held = &memory->held[fvid];

	memory_hold(memory, held->command, fvid, held->until,
		    sim_later(cycle, held->from));
	if (!held->is_parked)
		return;
	held->is_parked = false;
	for (unsigned i = 0; i < memory->num_writes; i++)
		if (memory->writes[i].txn.fvid == fvid)
			memory->writes[i].has_index = false;
}

/* Modes */

static void set_watermarks(struct memory *memory, enum mbox_sched mode)
{
	const struct mbox_config *c = &memory->config;

	memory->mode = mode;
	switch (mode) {
	case MBOX_SCHED_WRPRIO:
		memory->high = 1;
		memory->low = 0;
		break;
	case MBOX_SCHED_TRADEOFF:
		memory->high = c->write_high_entries;
		memory->low = c->write_low_entries;
		break;
	default:
		memory->high = c->write_queue_entries;
		memory->low = c->write_queue_entries * 3 / 4;
	}
}

void memory_write_start(struct memory *memory)
{
	enum mbox_sched mode = memory->config.sched;

	memory->write_alarm = SIM_NEVER;
	memory->mode_window = memory_window(memory->config.mode_window);
	sig_set(memory->signals, mode_levels[mode], 1);
	set_watermarks(memory,
		       mode == MBOX_SCHED_ADAPTIVE ? MBOX_SCHED_RDPRIO : mode);
}

static void change_mode(struct memory *memory, enum mbox_sched mode,
			uint64_t cycle)
{
	if (mode == memory->mode)
		return;
	set_watermarks(memory, mode);
	memory_pulse(memory, SIG_MBOX_ISS_SCHED_CHANGES, cycle);
}

/* The adaptive mode follows the share of writes in a window of transactions. */
void memory_watch_modes(struct memory *memory, bool is_write, uint64_t cycle)
{
	unsigned window = memory->config.mode_window;
	unsigned writes = memory->mode_window.hits += is_write;

	if (memory->config.sched != MBOX_SCHED_ADAPTIVE ||
	    --memory->mode_window.left)
		return;
	memory->mode_window = memory_window(window);
	if (writes * 2 > window)
		change_mode(memory, MBOX_SCHED_WRPRIO, cycle);
	else if (writes * 4 > window)
		change_mode(memory, MBOX_SCHED_TRADEOFF, cycle);
	else
		change_mode(memory, MBOX_SCHED_RDPRIO, cycle);
}

/* A write gets its commands, its first not before a clock. It has been
 * published to be in its queue until write->shown. */
static uint64_t give(struct memory *memory, struct memory_write *write,
		     uint64_t from)
{
	struct memory_txn *txn = &write->txn;
	struct memory_held *held = &memory->held[txn->fvid];
	uint64_t start = sim_later(write->start, from), cycle;

	txn->has_arrival = txn->has_dispatch = false;
	cycle = memory_issue(memory, txn, start, sim_later(write->data, start));
	memory_queue_leave(memory, txn, write->place, write->shown, cycle);
	memory_tell(memory, txn);
	if (!write->has_index)
		return cycle;
	memory_hold(memory, txn->command, txn->fvid, held->until, cycle);
	held->until = cycle;
	held->is_parked = false;
	return cycle;
}

/* The write that has a place in the list gets its commands. */
static uint64_t give_parked(struct memory *memory, unsigned index,
			    uint64_t from)
{
	struct memory_write write = memory->writes[index];
	uint64_t before = sim_act_for(memory->sim, write.requester), cycle;

	memory->num_writes--;
	for (unsigned i = index; i < memory->num_writes; i++)
		memory->writes[i] = memory->writes[i + 1];
	memory->pages[write.txn.dram.place.bank].num_parked--;
	cycle = give(memory, &write, from);
	sim_act_for(memory->sim, before);
	return cycle;
}

/* All go, as there are no reads. */
static void give_all(struct memory *memory, uint64_t from)
{
	while (memory->num_writes)
		give_parked(memory, 0, from);
}

/* The first clock of the turn of a write: of the present turn, or of another
 * one once the reads that waited for its end have had theirs. */
static uint64_t take_turn(struct memory *memory, uint64_t from)
{
	uint64_t cycle = memory_cycle(memory, from);

	if (cycle >= memory->turn_until || !memory->turn_writes) {
		memory->turn_writes = memory->config.write_queue_entries;
		cycle = sim_later(cycle, sim_later(memory->owed_until,
						   memory->turn_until));
	}
	memory->turn_writes--;
	return memory_clock_after(memory, cycle);
}

/* The oldest have their turn until so many are left; reads without a clock wait
 * for its end. */
static void run(struct memory *memory, unsigned left, uint64_t from)
{
	uint64_t last = 0;

	while (memory->num_writes > left) {
		from = take_turn(memory, from);
		last = sim_later(last, give_parked(memory, 0, from));
		banks_no_reads(memory->mc.banks, from,
			       memory_clock(memory, last));
		memory->turn_until = sim_later(memory->turn_until, last);
	}
}

/* Something else wants a bank: its writes go, from a cycle on. */
void memory_write_bank(struct memory *memory, unsigned bank, uint64_t cycle)
{
	uint64_t from = memory_clock_after(memory, cycle);

	for (unsigned i = 0; i < memory->num_writes;) {
		if (memory->writes[i].txn.dram.place.bank == bank)
			give_parked(memory, i, from);
		else
			i++;
	}
}

void memory_write_rank(struct mc *mc, unsigned rank, uint64_t clock)
{
	struct memory *memory = mc->owner;
	unsigned first = mc_first_bank(mc, rank);

	for (unsigned i = first; i < first + mc->config.dram.banks; i++)
		if (memory->pages[i].num_parked)
			memory_write_bank(memory, i,
					  memory_cycle(memory, clock));
}

static void alarm_event(void *object, uint64_t unused)
{
	struct memory *memory = object;

	(void)unused;
	memory_enter(memory, sim_now(memory->sim));
}

/* Somebody looks then, if nobody comes before. */
static void set_alarm(struct memory *memory, uint64_t cycle)
{
	memory->write_alarm = cycle;
	mc_due_by(&memory->mc, memory_clock(memory, cycle));
	sim_at(memory->sim, cycle, alarm_event, memory, 0);
}

/* Parked writes are in their queue up to the alarm at least, and until they are
 * dispatched. */
static void stay(struct memory *memory, struct memory_write *write)
{
	struct memory_held *held = &memory->held[write->txn.fvid];
	uint64_t until = memory->write_alarm, before;

	if (until > write->shown) {
		memory_queue_change(memory, true, write->shown, until);
		write->shown = until;
	}
	if (!write->has_index || write->shown <= held->until)
		return;
	before = sim_act_for(memory->sim, write->requester);
	memory_hold(memory, write->txn.command, write->txn.fvid, held->until,
		    write->shown);
	sim_act_for(memory->sim, before);
	held->until = write->shown;
}

/* The reads that were known have gone by a cycle. */
void memory_write_due(struct memory *memory, uint64_t cycle)
{
	memory->write_alarm = SIM_NEVER;
	if (!memory->num_writes)
		return;
	if (memory->reads_until <= cycle) {
		give_all(memory, memory_clock_after(memory, cycle));
		return;
	}
	set_alarm(memory, memory->reads_until);
	for (unsigned i = 0; i < memory->num_writes; i++)
		stay(memory, &memory->writes[i]);
}

static void park(struct memory *memory, const struct memory_txn *txn,
		 uint64_t start, uint64_t data)
{
	struct memory_write *write = &memory->writes[memory->num_writes++];

	*write = (struct memory_write){
		.txn = *txn,
		.start = start,
		.data = data,
		.shown = txn->dispatched,
		.requester = sim_requester(memory->sim),
		.place = memory_queue_take(memory, txn),
		.has_index = !txn->is_patrol,
	};
	if (write->has_index)
		memory->held[txn->fvid].is_parked = true;
	if (memory->write_alarm == SIM_NEVER)
		set_alarm(memory, memory->reads_until);
	stay(memory, write);
	if (memory->mc.pages[txn->dram.place.bank].closes) /* it has joined */
		mc_keep_open(&memory->mc, txn->dram.place.bank);
	memory->pages[txn->dram.place.bank].num_parked++;
	if (memory->num_writes >= memory->high)
		run(memory, memory->low, start);
}

/* Nothing is in its way: its commands have their clocks at once. */
static void give_now(struct memory *memory, struct memory_txn *txn,
		     uint64_t start, uint64_t data)
{
	struct memory_held *held = &memory->held[txn->fvid];
	unsigned place = memory_queue_take(memory, txn);
	uint64_t cycle =
		memory_issue(memory, txn, start, sim_later(data, start));

	memory_queue_leave(memory, txn, place, txn->dispatched, cycle);
	if (txn->is_patrol)
		return;
	memory_hold(memory, txn->command, txn->fvid, txn->at, cycle);
	held->until = cycle;
}

/* The cycle in which a write has its place in the queue. */
uint64_t memory_write(struct memory *memory, struct memory_txn *txn,
		      uint64_t at)
{
	uint64_t cycle = memory_dispatch(memory, txn, at);
	uint64_t start =
		memory_clock_after(memory, cycle + memory->config.front_cycles);
	uint64_t data =
		banks_send(memory->mc.banks, memory_clock_after(memory, cycle),
			   memory->config.write_frames);

	if (memory->reads_until > memory_cycle(memory, start))
		park(memory, txn, start, data);
	else
		give_now(memory, txn, start, data);
	return cycle;
}
