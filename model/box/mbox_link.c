/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The SMI link itself: commands to the memory buffers rather than to the DRAMs,
 * each in a channel frame of its own, and the times in which the link is down.
 */
#include "model/box/dram_check.h"
#include "model/box/mbox_parts.h"

static void command_event(void *object, uint64_t argument)
{
	struct mbox *mbox = object;
	uint64_t clock =
		sim_now(mbox->sim) / mbox->config.dram.cycles_per_clock;

	sig_pulse(mbox->signals, SIG_MBOX_FRM_TYPE_CHNL, 1);
	mbox_iss_command(mbox, (enum dram_cmd)argument, 0, NULL, clock);
}

/* A command to the memory buffers in a clock that is not past. */
void mbox_link_command(struct mbox *mbox, enum dram_cmd cmd, uint64_t clock)
{
	sim_at(mbox->sim, mbox_cycle_of(mbox, clock), command_event, mbox, cmd);
}

/* No frames of the issue logic from a clock until another. */
void mbox_link_stop(struct mbox *mbox, uint64_t clock, uint64_t end_clock)
{
	dram_check_excuse(mbox->dram.check, end_clock - clock);
	mbox->link_down = clock;
	mbox->link_up = end_clock;
	if (mbox->next_frame < end_clock)
		mbox->next_frame = end_clock;
}

static void debug_event(void *object, uint64_t argument)
{
	struct mbox *mbox = object;

	(void)argument;
	sig_pulse(mbox->signals, SIG_MBOX_SMI_NB_TRIG, 1);
}

/* A status frame comes with the bit for a debug event set, and the memory
 * buffer is asked what it was. */
void mbox_link_debug(struct mbox *mbox, uint64_t clock)
{
	sim_at(mbox->sim, mbox_cycle_of(mbox, clock), debug_event, mbox, 0);
	mbox_link_command(mbox, DRAM_IBD, clock);
}
