/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads and writes take turns, since handing a bus from one to the other costs
 * time: reads are first until the dispatched writes reach a high watermark,
 * then the writes have a turn that brings them to the low one (or lets as many
 * pass as their queue holds), then the reads that waited have theirs. The
 * scheduling mode of ISS (Table 2-74) sets the watermarks.
 *
 * Choice: the adaptive mode is one of the three static ones at a time, by the
 * share of writes among the last transactions. It stays "adaptive" in the
 * events; ISS_SCHED.CHANGES counts the steps between the three.
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

void mbox_turn_start(struct mbox *mbox)
{
	enum mbox_sched mode = mbox->config.sched;

	sig_set(mbox->signals, mode_levels[mode], 1);
	set_watermarks(mbox,
		       mode == MBOX_SCHED_ADAPTIVE ? MBOX_SCHED_RDPRIO : mode);
}

/* The adaptive mode chooses one of the others. */
void mbox_turn_mode(struct mbox *mbox, enum mbox_sched mode)
{
	if (mode == mbox->mode)
		return;
	set_watermarks(mbox, mode);
	sig_pulse(mbox->signals, SIG_MBOX_ISS_SCHED_CHANGES, 1);
}

/* Begins or ends a turn of the writes, where it is time. */
void mbox_turn_update(struct mbox *mbox)
{
	const unsigned *num = mbox->num_queued;

	if (mbox->writes_first &&
	    (!mbox->turn_writes || num[MBOX_WRITE] <= mbox->low)) {
		mbox->writes_first = false;
		mbox->owed_reads = num[MBOX_READ];
		mbox_iss_wake(mbox, mbox->next_frame);
	}
	if (!num[MBOX_READ])
		mbox->owed_reads = 0;
	if (!mbox->writes_first && !mbox->owed_reads &&
	    num[MBOX_WRITE] >= mbox->high) {
		mbox->writes_first = true;
		mbox->turn_writes = mbox->config.write_queue_entries;
		mbox_iss_wake(mbox, mbox->next_frame);
	}
}
