/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Machines of which all signals of the PCUs are summed up. Their uncore has
 * the clock of the PCU, so that sums of both are comparable; a step of the
 * frequency takes the voltage VOLT cycles, a switch of the clock SWITCH.
 */
#ifndef UNCORE_TESTS_PCU_RIG_H
#define UNCORE_TESTS_PCU_RIG_H

#include "../model/system_rig.h"
#include "signals.h"

enum { VOLT = 100, SWITCH = 1000, RIG_SETTINGS = 10, RIG_MHZ = 2900 };

struct pcu_rig {
	struct system system;
	uint64_t before[2][NUM_SIG_PCU];
};

/* The machine after reset, with these settings besides (up to the first NULL),
 * its scripts as they stand in rig->system. */
void rig_start(struct pcu_rig *rig, unsigned sockets,
	       const char *const *settings);
void rig_stop(struct pcu_rig *rig);

/* Runs on, to a cycle. */
void rig_run_to(struct pcu_rig *rig, uint64_t cycle);

/* What a signal has been so far, summed over cycles. */
uint64_t rig_sum(struct pcu_rig *rig, unsigned socket, unsigned id);

/* A core that computes so many times 1000 instructions, each a core cycle; one
 * that sleeps so often, with 1000 instructions in between. */
struct script rig_computes(unsigned times);
struct script rig_sleeps(unsigned times);

#endif
