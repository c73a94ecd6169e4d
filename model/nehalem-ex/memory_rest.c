/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The patrol scrubs of a rest (mc_rest()), in which nothing else
 * comes but refreshes: all that a scrub does follows from its clock. It finds
 * its bank closed, so it is an activate and a column command; the page is
 * closed by that, by its idle time, or by the next refresh of the rank. Where
 * a refresh of its rank is under way it waits until that is over.
 *
 * Commands for one bus that want the same clock take turns, and that moves none
 * of a scrub's: the refresh of another rank is the one that comes later. On two
 * buses they share a frame.
 *
 * Scrubs near a calibration, and those that may meet the one before, are worked
 * off one after the other.
 */
#include "model/nehalem-ex/memory_parts.h"

/* The scrubs of a rest: what they have done, and the present one. */
struct scrubs {
	struct memory *memory;
	uint64_t num, conflicts, queued_cycles;
	uint64_t timed, refreshed; /* pages that were closed for being idle, and
				      those that a refresh closed before */
	uint64_t pairs;		   /* frames of two commands */
	struct dram_place place;
	unsigned rank;
	uint64_t clock; /* in which it is dispatched */
	/* Clocks of tREFI: that one, and those in which refreshes come due. */
	uint64_t phase, trefi, due[DRAM_MAX_RANKS];
};

/* Clocks from the first command that a scrub may have to the last that it makes
 * necessary, at most, refreshes between them as well. */
static unsigned scrub_clocks(const struct memory *memory)
{
	const struct dram_config *d = &memory->config.dram;

	return (unsigned)memory_clock_after(memory,
					    memory->config.front_cycles) +
	       d->trcd_clocks + d->tras_clocks + d->trtp_clocks +
	       d->trp_clocks + d->trfc_clocks + d->tzqcs_clocks + 8;
}

/* Nothing is under way when the next comes, each is over long before another,
 * and what a refresh of one rank makes of it before that of another. */
static bool are_apart(const struct memory *memory)
{
	const struct mbox_config *c = &memory->config;
	uint64_t trefi = c->dram.trefi_clocks;

	for (unsigned i = 0; i < memory->mc.map.num_ranks; i++)
		if (memory_cycle(memory, memory->mc.ranks[i].busy_until) >
		    memory->patrol_cycle)
			return false;
	return c->patrol_interval_cycles >=
		       memory_cycle(memory, MC_REST_ROUNDS * trefi) &&
	       trefi / memory->mc.map.num_ranks > scrub_clocks(memory) &&
	       c->read_queue_entries > 1 && c->retry_starve_entries > 1 &&
	       memory_is_idle(memory, memory->patrol_cycle);
}

/* The first clock in which a rank may be calibrated. */
static uint64_t calibration(const struct mc *mc)
{
	const struct dram_config *d = &mc->config.dram;
	uint64_t first = MC_NEVER;

	for (unsigned i = 0; d->zqcal_refreshes && i < mc->map.num_ranks; i++) {
		const struct mc_rank *rank = &mc->ranks[i];
		uint64_t others = d->zqcal_refreshes - 1 -
				  rank->num_done % d->zqcal_refreshes;
		uint64_t clock = rank->refresh + others * d->trefi_clocks;

		first = clock < first ? clock : first;
	}
	return first;
}

static void begin(struct scrubs *scrubs, struct memory *memory)
{
	const struct mc *mc = &memory->mc;

	scrubs->memory = memory;
	scrubs->trefi = mc->config.dram.trefi_clocks;
	for (unsigned i = 0; i < mc->map.num_ranks; i++)
		scrubs->due[i] = mc->ranks[i].refresh % scrubs->trefi;
}

static void set_clock(struct scrubs *scrubs, uint64_t clock)
{
	scrubs->clock = clock;
	scrubs->phase = clock % scrubs->trefi;
}

/* Clocks from the scrub's to a rank's next refresh; 0: it comes due then. */
static uint64_t until_refresh(const struct scrubs *scrubs, unsigned rank)
{
	uint64_t left = scrubs->due[rank] + scrubs->trefi - scrubs->phase;

	return left < scrubs->trefi ? left : left - scrubs->trefi;
}

/* Its rank is busy with a refresh. */
static void wait(struct scrubs *scrubs)
{
	unsigned busy = scrubs->memory->config.dram.trfc_clocks;
	uint64_t left = until_refresh(scrubs, scrubs->rank);
	uint64_t since = left ? scrubs->trefi - left : 0;

	if (since >= busy)
		return;
	scrubs->conflicts++;
	set_clock(scrubs, scrubs->clock + busy - since);
}

/* What the page table learns. */
static void translate(const struct scrubs *scrubs)
{
	struct memory *memory = scrubs->memory;
	struct memory_bank *bank = &memory->pages[scrubs->place.bank];
	uint64_t cycle = memory_cycle(memory, scrubs->clock);

	memory_watch_pages(memory, bank->row == (int64_t)scrubs->place.row,
			   cycle);
	memory_watch_modes(memory, false, cycle);
	bank->row = scrubs->place.row;
	bank->is_write = false;
}

/* Of its commands, so long after its clock, those that share their frame with a
 * refresh for the other bus. */
static unsigned num_pairs(const struct scrubs *scrubs, const uint64_t *after,
			  unsigned num)
{
	const struct memory *memory = scrubs->memory;
	unsigned bus = memory_bus(memory, scrubs->rank), found = 0;

	for (unsigned i = 0; i < memory->mc.map.num_ranks; i++) {
		uint64_t left = until_refresh(scrubs, i);

		for (unsigned j = 0; j < num; j++)
			found += after[j] == left &&
				 memory_bus(memory, i) != bus;
	}
	return found;
}

static void command(struct scrubs *scrubs)
{
	struct memory *memory = scrubs->memory;
	const struct dram_config *d = &memory->config.dram;
	unsigned front = memory->config.front_cycles;
	uint64_t activate = memory_clock_after(memory, front);
	uint64_t column = activate + d->trcd_clocks;
	uint64_t idle = column + memory->mc.page_idle;
	uint64_t closed = sim_later(idle, sim_later(activate + d->tras_clocks,
						    column + d->trtp_clocks));
	uint64_t commands[] = { activate, column, closed };
	bool stays_open = !memory->is_closed_policy;
	bool is_timed = stays_open && memory->mc.page_idle &&
			idle <= until_refresh(scrubs, scrubs->rank);

	scrubs->num++;
	scrubs->queued_cycles += memory_cycle(memory, column);
	scrubs->timed += is_timed;
	scrubs->refreshed += stays_open && !is_timed;
	scrubs->pairs += num_pairs(scrubs, commands, 2 + is_timed);
	memory->reads_until = memory_cycle(memory, scrubs->clock + column);
	mc_rank_use(&memory->mc, scrubs->rank, scrubs->clock + column);
}

/* The packets of its commands. */
static void publish_packets(struct memory *memory, uint64_t line)
{
	struct sig_header header = memory_header(memory, DRAM_RAS);

	header.address = line * 64;
	header.fvid = MEMORY_PATROL_FVID;
	if (!memory->signals->heard[SIG_MBOX_DRAM_CMD])
		return;
	sig_past_packets(memory->signals, SIG_MBOX_DRAM_CMD, 1, &header);
	header.dram_cmd =
		memory->is_closed_policy ? DRAM_CASPRE_RD : DRAM_CAS_RD;
	sig_past_packets(memory->signals, SIG_MBOX_DRAM_CMD, 1, &header);
}

/* The next of all, if it comes before a clock. */
static bool scrub_next(struct scrubs *scrubs, uint64_t limit)
{
	struct memory *memory = scrubs->memory;
	const struct dram *map = &memory->mc.map;
	uint64_t clock = memory_clock_after(memory, memory->patrol_cycle), line;

	if (clock >= limit)
		return false;
	memory->patrol_cycle += memory->config.patrol_interval_cycles;
	line = memory_patrol_line(memory);
	scrubs->place = dram_place_of(map, line);
	scrubs->rank = dram_rank_of(map, scrubs->place.bank);
	set_clock(scrubs, clock);
	wait(scrubs);
	translate(scrubs);
	command(scrubs);
	publish_packets(memory, line);
	return true;
}

static void publish(struct memory *memory, const struct scrubs *scrubs)
{
	static const uint16_t each[] = {
		SIG_MBOX_PATROL_TXNS,
		SIG_MBOX_BCMD_READS,
		SIG_MBOX_BBOX_CMDS_ALL,
		SIG_MBOX_INFLIGHT_CMDS,
		SIG_MBOX_TRANS_CMDS,
		SIG_MBOX_SCHED_INFLIGHT_CMDS,
		SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY,
	};
	struct sigbank *bank = memory->signals;

	for (unsigned i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		sig_past(bank, each[i], scrubs->num);
	sig_past(bank, SIG_MBOX_REFRESH_CONFLICT, scrubs->conflicts);
	sig_past(bank, SIG_MBOX_RETRIES, scrubs->conflicts);
	sig_past(bank, SIG_MBOX_DSP_RDQ_EMPTY, 0 - scrubs->queued_cycles);
	memory_past_commands(memory, 2 * scrubs->num);
	memory_tell_past(&memory->mc, DRAM_PRE, scrubs->timed);
	memory_tell_past(&memory->mc, DRAM_PREALL, scrubs->refreshed);
	sig_past(bank, SIG_MBOX_FRM_TYPE_NOP, scrubs->pairs);
	sig_past(bank, SIG_MBOX_FRM_TYPE_1CMD, 0 - 2 * scrubs->pairs);
	sig_past(bank, SIG_MBOX_FRM_TYPE_3CMD, scrubs->pairs);
}

/* Where a SYNC may not find an empty frame, or temperatures follow commands,
 * not even refreshes have a closed form. */
uint64_t memory_rest(struct mc *mc, uint64_t until)
{
	enum { FEW_FRAMES = 8 };
	struct memory *memory = mc->owner;
	unsigned period = memory->config.sync_frames;
	struct scrubs scrubs = { 0 };
	uint64_t limit = calibration(mc) - mc->config.dram.trefi_clocks;

	if (memory->heat.is_watched || (period && period < FEW_FRAMES))
		return 0;
	limit = until < limit ? until : limit;
	if (are_apart(memory)) {
		begin(&scrubs, memory);
		while (scrub_next(&scrubs, limit))
			;
		publish(memory, &scrubs);
	}
	return memory_next(mc);
}
