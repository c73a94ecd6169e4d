/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Long stretches in which nobody comes: then nothing happens but refreshes and
 * reads of the patrol scrubber, far apart, and all that they do follows from
 * their cycles. A refresh is one command. A scrub finds its bank closed, so it
 * is an activate and a column command, and a precharge sooner or later; where
 * it meets a refresh of its rank it waits until that is over.
 *
 * The refreshes of rank r of R are due at the clocks
 *	(r + jR + 1) * tREFI / R = (r + 1) * tREFI / R + j * tREFI,
 * so what a scrub meets depends on its cycle modulo tREFI alone.
 *
 * Simpler than in short stretches: each command has a frame of its own.
 */
#include "model/nehalem-ex/memory_parts.h"
#include "model/pmu/tap.h"

/* What scrubs and refreshes have done. */
struct tally {
	uint64_t scrubs, opened, auto_closed, conflicts, queued_cycles;
	uint64_t refreshes, calibrations;
};

/* Nothing is under way after a cycle. */
bool memory_may_skip(const struct memory *memory, uint64_t cycle)
{
	const struct mbox_config *c = &memory->config;

	if (!c->dram.trefi_clocks ||
	    (c->patrol_interval_cycles &&
	     c->patrol_interval_cycles <
		     memory_cycle(memory, c->dram.trefi_clocks)) ||
	    memory->may_sleep || memory->trace || memory->heat.is_watched ||
	    memory->command_faults || memory->read_faults ||
	    memory->spare.is_busy || memory->num_writes ||
	    tap_is_any_ordered(memory->signals) ||
	    memory->idle_due != SIM_NEVER)
		return false;
	for (unsigned i = 0; i < memory->map.num_ranks; i++)
		if (memory->ranks[i].busy_until > cycle ||
		    banks_is_open(memory->banks, i))
			return false;
	return memory->reads_until <= cycle &&
	       memory->banks->end <= memory_clock(memory, cycle);
}

/* Refreshes that come due before a cycle, in whole rounds of all ranks. */
static void skip_refreshes(struct memory *memory, struct tally *tally,
			   uint64_t until)
{
	const struct dram_config *d = &memory->config.dram;
	unsigned ranks = memory->map.num_ranks;
	uint64_t period = memory_cycle(memory, d->trefi_clocks);
	uint64_t rounds = (until - memory_refresh_due(memory)) / period;

	for (unsigned i = 0; i < ranks; i++) {
		struct memory_rank *rank = &memory->ranks[i];
		uint64_t done = rank->num_done + rounds;

		if (d->zqcal_refreshes)
			tally->calibrations +=
				done / d->zqcal_refreshes -
				rank->num_done / d->zqcal_refreshes;
		rank->num_done = (unsigned)done;
		rank->refresh_cycle += rounds * period;
	}
	tally->refreshes = rounds * ranks;
}

/* Cycles until the next refresh of a rank, 1 at least: all are a whole number
 * of tREFI before or after the one that it has in mind. */
static uint64_t until_refresh(const struct memory *memory, unsigned rank,
			      uint64_t at, uint64_t period)
{
	uint64_t due = memory->ranks[rank].refresh_cycle;

	return due > at ? due - at : period - (at - due) % period;
}

/* One scrub in a cycle. */
static void scrub(struct memory *memory, struct tally *tally, unsigned rank,
		  uint64_t at)
{
	const struct mbox_config *c = &memory->config;
	const struct dram_config *d = &c->dram;
	uint64_t period = memory_cycle(memory, d->trefi_clocks);
	uint64_t next = until_refresh(memory, rank, at, period);
	uint64_t busy = memory_cycle(memory, d->trfc_clocks);
	uint64_t idle = memory_cycle(memory, memory->idle_clocks);
	uint64_t cycle = at, column;

	if (next + busy > period) { /* the last one is not over */
		tally->conflicts++;
		cycle += next + busy - period;
		next = period - busy;
	}
	column = memory_cycle(
		memory, memory_clock_after(memory, cycle + c->front_cycles) +
				d->trcd_clocks);
	tally->queued_cycles += column - cycle;
	tally->scrubs++;
	if (memory->is_closed_policy)
		return;
	tally->opened++;
	if (idle)
		tally->auto_closed += column - cycle + idle <= next;
}

/* The packets of a scrub's commands, for filters by address too. */
static void publish_packets(struct memory *memory, uint64_t line)
{
	struct sig_header header = {
		.address = line * 64,
		.fvid = MEMORY_PATROL_FVID,
		.sched_mode = (uint8_t)memory->config.sched,
		.dram_cmd = DRAM_RAS,
	};

	sig_past_packets(memory->signals, SIG_MBOX_DRAM_CMD, 1, &header);
	header.dram_cmd =
		memory->is_closed_policy ? DRAM_CASPRE_RD : DRAM_CAS_RD;
	sig_past_packets(memory->signals, SIG_MBOX_DRAM_CMD, 1, &header);
}

/* The scrubs before a cycle. */
static struct tally skip_scrubs(struct memory *memory, uint64_t until)
{
	struct tally tally = { .scrubs = 0 };

	for (; memory->patrol_cycle < until;
	     memory->patrol_cycle += memory->config.patrol_interval_cycles) {
		struct dram_place place =
			dram_place_of(&memory->map, memory->patrol_line);
		struct memory_bank *bank = &memory->pages[place.bank];
		uint64_t at = memory->patrol_cycle;

		scrub(memory, &tally, place.bank >> memory->banks->bank_bits,
		      at);
		if (sig_is_tapped(memory->signals, SIG_MBOX_DRAM_CMD))
			publish_packets(memory, memory->patrol_line);
		memory_watch_pages(memory, bank->row == (int64_t)place.row, at);
		memory_watch_modes(memory, MEMORY_READ, at);
		bank->row = place.row;
		if (++memory->patrol_line == memory->map.num_lines)
			memory->patrol_line = 0;
	}
	return tally;
}

static void publish_scrubs(struct memory *memory, const struct tally *tally)
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
		sig_past(bank, each[i], tally->scrubs);
	sig_past(bank, SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS, tally->auto_closed);
	sig_past(bank, SIG_MBOX_REFRESH_CONFLICT, tally->conflicts);
	sig_past(bank, SIG_MBOX_RETRIES, tally->conflicts);
	sig_past(bank, SIG_MBOX_DSP_RDQ_EMPTY, 0 - tally->queued_cycles);
}

static void publish_commands(struct memory *memory, enum dram_cmd cmd,
			     uint64_t n)
{
	struct sig_header header = {
		.sched_mode = (uint8_t)memory->config.sched,
		.dram_cmd = (uint8_t)cmd,
	};

	sig_past_packets(memory->signals, SIG_MBOX_DRAM_CMD, n, &header);
}

/* A page that its idle time has not closed is closed by the next refresh. */
static uint64_t publish_all(struct memory *memory, const struct tally *tally)
{
	struct sigbank *bank = memory->signals;
	uint64_t commands = 2 * tally->scrubs + tally->opened +
			    tally->refreshes + tally->calibrations;

	publish_scrubs(memory, tally);
	publish_commands(memory, DRAM_PRE, tally->auto_closed);
	publish_commands(memory, DRAM_PREALL,
			 tally->opened - tally->auto_closed);
	publish_commands(memory, DRAM_RFR, tally->refreshes);
	publish_commands(memory, DRAM_ZQCAL, tally->calibrations);
	sig_past(bank, SIG_MBOX_REFRESH, tally->refreshes);
	sig_past(bank, SIG_MBOX_DRAM_MISC_VALID, commands);
	sig_past(bank, SIG_MBOX_DRAM_MISC_NON_NOP_TRKL, commands);
	return commands;
}

/* Nobody has come up to a cycle: leaves the last few refreshes and scrubs. */
void memory_skip(struct memory *memory, uint64_t cycle)
{
	uint64_t margin =
		memory_cycle(memory, memory->config.dram.trefi_clocks * 2);
	uint64_t until = cycle - margin;
	struct tally tally = skip_scrubs(memory, until);
	uint64_t commands;

	skip_refreshes(memory, &tally, until);
	commands = publish_all(memory, &tally);
	memory_frames_skip(memory,
			   memory_clock(memory, memory_refresh_due(memory)) - 1,
			   commands);
	banks_forget(memory->banks, memory->frames - memory->banks->gap);
}
