/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A listener to all signals of one M-Box, for its tests: adds up pulses and
 * packets, and levels over cycles. It takes the place of the PMU, so that these
 * tests depend on nothing but the event queue.
 */
#ifndef TESTS_MBOX_PROBE_H
#define TESTS_MBOX_PROBE_H

#include "model/box/mbox.h"
#include "signals.h"

struct mbox_probe {
	struct sim *sim;
	struct sigbank bank;
	struct sig_entry log[1]; /* full with each entry */
	struct signal signals[NUM_SIG_MBOX];
	bool driven[NUM_SIG_MBOX];
	uint64_t pulses[NUM_SIG_MBOX]; /* packets too */
	uint64_t area[NUM_SIG_MBOX];   /* level times cycles, up to `since` */
	uint64_t since[NUM_SIG_MBOX];
	uint64_t commands[32]; /* packets of SIG_MBOX_DRAM_CMD by code */
	struct mbox *mbox;
};

/* An M-Box that the probe listens to; the config must be good. */
void mbox_probe_start(struct mbox_probe *probe,
		      const struct mbox_config *config);
void mbox_probe_stop(struct mbox_probe *probe);

/* Level times cycles of a signal until now. */
uint64_t mbox_probe_area(const struct mbox_probe *probe, unsigned id);

#endif
