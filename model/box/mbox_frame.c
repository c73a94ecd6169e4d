/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an SMI link sends without being asked. A frame goes in every DRAM clock,
 * whether there is something to send or not, so the frames that carry nothing
 * are worked out only while somebody listens: an event in the last cycle of
 * each frame looks at what the frame was. What it finds does not depend on when
 * somebody began to listen.
 *
 *  - Every frame is one beat (ISS_SCHED.FRAME_BEAT).
 *  - SYNC: one in every `sync_frames` frames, which the memory buffers answer
 *    with their status. It takes the first frame of its period that has nothing
 *    else in it; where there is none it goes with the commands of the last.
 *  - TRKL: the command of a frame of write data that has no other.
 *  - All others without command or data are NOP.
 */
#include "model/box/mbox_parts.h"

static const uint16_t endless[] = {
	SIG_MBOX_ISS_SCHED_FRAME_BEAT, SIG_MBOX_FRM_TYPE_NOP,
	SIG_MBOX_FRM_TYPE_SYNC,	       SIG_MBOX_DRAM_CMD_OTHER,
	SIG_MBOX_DRAM_MISC_VALID,
};

static bool is_endless(unsigned id)
{
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++)
		if (endless[i] == id)
			return true;
	return false;
}

static bool is_wanted(const struct mbox *mbox)
{
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++)
		if (sig_is_tapped(mbox->signals, endless[i]))
			return true;
	return false;
}

/* Commands of normal operation have a signal of their own (mbox_iss.c). */
void mbox_frame_other(struct mbox *mbox, enum dram_cmd cmd)
{
	struct sig_header header = { .dram_cmd = (uint8_t)cmd };

	if (!sig_is_tapped(mbox->signals, SIG_MBOX_DRAM_CMD_OTHER))
		return;
	header.sched_mode = (uint8_t)mbox->config.sched;
	sig_packet(mbox->signals, SIG_MBOX_DRAM_CMD_OTHER, &header);
}

static bool is_data(const struct mbox *mbox, uint64_t clock)
{
	return clock >= mbox->data_start && clock < mbox->data_free;
}

static bool is_within(const struct mbox_run *run, uint64_t clock)
{
	return clock >= run->start && clock < run->end;
}

static bool is_busy(const struct mbox *mbox, uint64_t clock)
{
	return is_within(&mbox->busy, clock) ||
	       is_within(&mbox->was_busy, clock);
}

/* All frames from `first` up to this one were busy. */
static bool has_been_busy(const struct mbox *mbox, uint64_t first,
			  uint64_t clock)
{
	const struct mbox_run *run = &mbox->busy;

	if (run->start >= clock)
		run = &mbox->was_busy;
	return first == clock || (run->start <= first && run->end >= clock);
}

/* Whether the SYNC of the frame's period goes in this frame. */
static bool is_sync(const struct mbox *mbox, uint64_t clock)
{
	unsigned period = mbox->config.sync_frames;
	uint64_t first;

	if (!period)
		return false;
	first = clock - clock % period;
	if (is_busy(mbox, clock) && clock - first != period - 1)
		return false;
	return has_been_busy(mbox, first, clock);
}

static void show_frame(struct mbox *mbox, uint64_t clock)
{
	bool is_empty = !is_busy(mbox, clock);

	sig_pulse(mbox->signals, SIG_MBOX_ISS_SCHED_FRAME_BEAT, 1);
	if (is_sync(mbox, clock)) {
		sig_pulse(mbox->signals, SIG_MBOX_FRM_TYPE_SYNC, 1);
		mbox_frame_other(mbox, DRAM_SYNC);
	} else if (is_empty) {
		sig_pulse(mbox->signals, SIG_MBOX_FRM_TYPE_NOP, 1);
	}
	if (!is_data(mbox, clock) || mbox->command_clock == clock)
		return;
	sig_pulse(mbox->signals, SIG_MBOX_DRAM_MISC_VALID, 1);
	mbox_frame_other(mbox, DRAM_TRKL);
}

static uint64_t last_cycle(const struct mbox *mbox, uint64_t clock)
{
	return mbox_cycle_of(mbox, clock + 1) - 1;
}

static void frame_event(void *object, uint64_t clock)
{
	struct mbox *mbox = object;

	mbox->shows_frames = is_wanted(mbox);
	if (!mbox->shows_frames)
		return;
	if (clock >= mbox->link_up || clock < mbox->link_down)
		show_frame(mbox, clock);
	sim_at(mbox->sim, last_cycle(mbox, clock + 1), frame_event, mbox,
	       clock + 1);
}

static void begin(struct mbox *mbox)
{
	uint64_t clock =
		sim_now(mbox->sim) / mbox->config.dram.cycles_per_clock;

	if (mbox->shows_frames)
		return;
	mbox->shows_frames = true;
	sim_at(mbox->sim, last_cycle(mbox, clock), frame_event, mbox, clock);
}

static void tapped(void *object, unsigned id)
{
	if (is_endless(id))
		begin(object);
}

void mbox_frame_start(struct mbox *mbox)
{
	mbox->signals->on_tap = tapped;
	mbox->signals->on_tap_object = mbox;
	mbox->command_clock = MBOX_NO_CLOCK;
	mbox->link_down = MBOX_NO_CLOCK;
	if (is_wanted(mbox))
		begin(mbox);
}
