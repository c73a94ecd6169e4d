/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The frames of the SMI link, by what is in them, and who listens. A frame goes
 * in every DRAM clock, whether there is something to send or not. What each was
 * stands in the calendars of model/station/bank.h, so frames are counted by the
 * word, when somebody looks. Only while a counter follows them cycle by cycle
 * an event in the last cycle of each frame looks at it.
 *
 *  - Every frame is one beat (ISS_SCHED.FRAME_BEAT).
 *  - A frame of one command and no data is 1CMD, one of more 3CMD, one with
 *    data WDAT.
 *  - SYNC: one in every `sync_frames` frames, which the memory buffers answer
 *    with their status. It takes the first frame of its period that has nothing
 *    else in it; where there is none it goes with the commands or the data of
 *    the last, if that is sent at all, which is a SYNC frame then and no other.
 *  - TRKL: the command of a frame of write data that has no other.
 *  - All others without command or data are NOP.
 */
#include "model/nehalem-ex/memory_parts.h"
#include "model/pmu/tap.h"

static const uint16_t endless[] = {
	SIG_MBOX_ISS_SCHED_FRAME_BEAT, SIG_MBOX_FRM_TYPE_NOP,
	SIG_MBOX_FRM_TYPE_SYNC,	       SIG_MBOX_FRM_TYPE_1CMD,
	SIG_MBOX_FRM_TYPE_3CMD,	       SIG_MBOX_FRM_TYPE_WDAT,
	SIG_MBOX_DRAM_CMD_OTHER,       SIG_MBOX_DRAM_MISC_VALID,
};

enum { NUM_ENDLESS = sizeof(endless) / sizeof(endless[0]) };

static bool is_endless(unsigned id)
{
	for (unsigned i = 0; i < NUM_ENDLESS; i++)
		if (endless[i] == id)
			return true;
	return false;
}

/* Somebody wants to know the cycle, not only the sum. */
static bool is_followed(const struct memory *memory, unsigned id)
{
	return tap_is_ordered(memory->signals, id);
}

static bool are_followed(const struct memory *memory)
{
	for (unsigned i = 0; i < NUM_ENDLESS; i++)
		if (is_followed(memory, endless[i]))
			return true;
	return false;
}

/* Counting */

static void count(struct memory *memory, unsigned id, uint64_t n)
{
	if (n && memory->shows_frame)
		sig_pulse(memory->signals, id, (unsigned)n);
	else if (n)
		sig_past(memory->signals, id, n);
}

static void count_packets(struct memory *memory, enum dram_cmd cmd, uint64_t n)
{
	struct sig_header header = memory_header(memory, cmd);

	if (n && memory->shows_frame)
		sig_packet(memory->signals, SIG_MBOX_DRAM_CMD_OTHER, &header);
	else if (n)
		sig_past_packets(memory->signals, SIG_MBOX_DRAM_CMD_OTHER, n,
				 &header);
}

static unsigned ones(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

/* The frame of the SYNC of a period, as a bit: the first empty one, or the last
 * of all. 0: none of these. */
static uint64_t sync_frame(uint64_t mask, uint64_t empty, bool ends_period)
{
	if (empty)
		return empty & -empty;
	return ends_period ? mask & ~(mask >> 1) : 0;
}

/* Frames of one word and one SYNC period: those of the mask. */
static void count_word(struct memory *memory, const struct banks_link *link,
		       uint64_t mask, bool ends_period)
{
	uint64_t cmd = link->cmd[0] | link->cmd[1];
	uint64_t sent = mask & ~link->shut;
	uint64_t empty = sent & ~link->data & ~cmd, sync = 0, plain, trkl;

	if (!memory->has_sync)
		sync = sent & sync_frame(mask, empty, ends_period);
	memory->has_sync |= sync != 0;
	count(memory, SIG_MBOX_ISS_SCHED_FRAME_BEAT, ones(sent));
	count(memory, SIG_MBOX_FRM_TYPE_SYNC, sync != 0);
	count_packets(memory, DRAM_SYNC, sync != 0);
	sent &= ~sync;
	plain = sent & ~link->data;
	trkl = sent & link->data & ~cmd;
	count(memory, SIG_MBOX_FRM_TYPE_NOP, ones(empty & ~sync));
	count(memory, SIG_MBOX_FRM_TYPE_1CMD,
	      ones(plain & (link->cmd[0] ^ link->cmd[1])));
	count(memory, SIG_MBOX_FRM_TYPE_3CMD,
	      ones(plain & link->cmd[0] & link->cmd[1]));
	count(memory, SIG_MBOX_FRM_TYPE_WDAT, ones(sent & link->data));
	count(memory, SIG_MBOX_DRAM_MISC_VALID, ones(trkl));
	count_packets(memory, DRAM_TRKL, ones(trkl));
}

/* Whole periods without anything in them. */
static void count_periods(struct memory *memory, uint64_t periods,
			  unsigned frames)
{
	count(memory, SIG_MBOX_FRM_TYPE_SYNC, periods);
	count_packets(memory, DRAM_SYNC, periods);
	count(memory, SIG_MBOX_ISS_SCHED_FRAME_BEAT, periods * frames);
	count(memory, SIG_MBOX_FRM_TYPE_NOP, periods * (frames - 1));
}

static const struct banks_link nothing;

/* The frames from memory->frames up to a clock, or some of them. */
static void count_some(struct memory *memory, uint64_t clock)
{
	unsigned period = memory->config.sync_frames;
	uint64_t from = memory->frames, end = (from | 63) + 1;
	uint64_t next = period ? from - from % period + period : SIM_NEVER;
	uint64_t periods = period ? (clock - from) / period : 0;
	uint64_t mask;

	if (periods && from + period == next && from >= memory->mc.banks->end) {
		count_periods(memory, periods, period);
		memory->frames += periods * period;
		return;
	}
	end = end < next ? end : next;
	end = end < clock ? end : clock;
	mask = UINT64_MAX >> (64 - (end - from)) << from % 64;
	count_word(memory,
		   from < memory->mc.banks->end
			   ? banks_at(memory->mc.banks, from)
			   : &nothing,
		   mask, end == next);
	memory->has_sync = !period || (memory->has_sync && end != next);
	memory->frames = end;
}

/* All frames before a clock. */
void memory_frames_until(struct memory *memory, uint64_t clock)
{
	while (memory->frames < clock)
		count_some(memory, clock);
}

/* Following */

static void frame_event(void *object, uint64_t clock)
{
	struct memory *memory = object;
	uint64_t last = memory_cycle(memory, clock + 2) - 1;

	memory->frame_alarm = SIM_NEVER;
	if (!are_followed(memory))
		return;
	memory_enter(memory, sim_now(memory->sim));
	memory->shows_frame = true;
	memory_frames_until(memory, clock + 1);
	memory->shows_frame = false;
	memory->frame_alarm = last;
	sim_at(memory->sim, last, frame_event, memory, clock + 1);
}

static void follow_frames(struct memory *memory)
{
	uint64_t clock = memory_clock(memory, memory->now);

	if (memory->frame_alarm != SIM_NEVER)
		return;
	memory->frame_alarm = memory_cycle(memory, clock + 1) - 1;
	sim_at(memory->sim, memory->frame_alarm, frame_event, memory, clock);
}

static void tapped(void *object, unsigned id)
{
	struct memory *memory = object;

	memory->now = sim_now(memory->sim);
	if (!is_followed(memory, id))
		return;
	for (unsigned i = 0;
	     id == SIG_MBOX_DRAM_CMD && i < memory->mc.map.num_banks; i++)
		memory_follow_column(memory, i);
	mc_listen(&memory->mc);
	if (is_endless(id))
		follow_frames(memory);
}

void memory_frame_start(struct memory *memory)
{
	memory->frame_alarm = SIM_NEVER;
	memory->signals->on_tap = tapped;
	memory->signals->on_tap_object = memory;
	for (unsigned id = 0; id < memory->signals->num_signals; id++)
		if (sig_is_tapped(memory->signals, id))
			tapped(memory, id);
}
