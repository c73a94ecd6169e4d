/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One memory channel and the sums of all its signals. The checker of DRAM
 * commands is always on. Unless a test says so a cycle of the uncore is a clock
 * of the memory, nothing is refreshed, nobody sleeps and pages stay open.
 */
#ifndef TESTS_IMC_RIG_H
#define TESTS_IMC_RIG_H

#include "model/sandy-bridge-ep/imc.h"
#include "signals.h"

enum { RIG_MAX_COMMANDS = 1 << 18 };

struct imc_rig {
	double param[NUM_PARAMS];
	bool wants_totals_only; /* nothing is told in its cycle */
	struct fault_plan plan;
	struct socket socket;
	struct ep ep;
	struct sigbank *bank;
	struct imc *imc;
	struct dram_command commands[RIG_MAX_COMMANDS];
	unsigned num_commands;
	uint64_t random;
};

extern struct imc_rig rig;

/* Settings, to be changed before rig_start(). */
void rig_defaults(void);

/* The channel, with a fault injected (NULL: none). */
void rig_start(const char *fault);

/* Demands that the checker saw nothing, and that nothing is left. */
void rig_stop(void);

void rig_run_to(uint64_t cycle);

/* A line of the channel by its place. */
uint64_t rig_line(unsigned rank, unsigned bank, unsigned row, unsigned column);

/* A request that arrives in a cycle, or when there is room: what becomes of
 * it. */
uint64_t rig_read(uint64_t line, uint64_t at);
uint64_t rig_underfill(uint64_t line, uint64_t at);
uint64_t rig_isoch(uint64_t line, uint64_t at);
void rig_write(uint64_t line, uint64_t at);

/* What a signal has been in all clocks before now: events, or level times
 * clocks. */
uint64_t rig_sum(unsigned id);

/* Clocks in which there was any. */
uint64_t rig_busy(unsigned id);

/* Commands of a code so far, and the clock of the n-th; UINT64_MAX: none. */
unsigned rig_count(enum dram_cmd cmd);
uint64_t rig_clock_of(enum dram_cmd cmd, unsigned n);

uint64_t rig_random(uint64_t below);

#endif
