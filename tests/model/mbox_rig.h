/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One M-Box, a listener to all that it says (mbox_probe.h), its DRAM commands
 * and its answers. The checker of DRAM commands is always on.
 */
#ifndef TESTS_MBOX_RIG_H
#define TESTS_MBOX_RIG_H

#include "mbox_probe.h"

enum { RIG_MAX_COMMANDS = 65536, RIG_MAX_ANSWERS = 4096, RIG_CLOCK = 5 };

struct mbox_rig {
	struct mbox_probe probe;
	struct fault_plan plan;
	struct faults faults;
	struct dram_command commands[RIG_MAX_COMMANDS];
	unsigned num_commands;
	uint64_t answers[RIG_MAX_ANSWERS]; /* cycle, by number; 0: none */
	enum mbox_response responses[RIG_MAX_ANSWERS];
	unsigned num_answers;
	unsigned num_errors[2]; /* by enum mbox_error */
};

extern struct mbox_rig rig;

/* No refresh, no scrub, pages stay open: nothing but what the test asks for. */
struct mbox_config rig_config(void);

/* An M-Box in which the faults happen ("smi-crc:count=1 ecc:at=5000"; NULL:
 * none). */
void rig_start(struct mbox_config config, const char *faults);
void rig_stop(void); /* demands that the checker saw nothing */

void rig_run(uint64_t cycles);
uint64_t rig_now(void);

/* A line by its place; the bank counts over all ranks and buses. */
uint64_t rig_line(unsigned bank, unsigned row, unsigned column);
void rig_command(unsigned command, uint64_t line, unsigned number);
void rig_read(uint64_t line, unsigned number);
void rig_write(uint64_t line, unsigned number);

/* Commands of a code so far, and the clock of the n-th; UINT64_MAX: none. */
unsigned rig_count(enum dram_cmd cmd);
uint64_t rig_clock_of(enum dram_cmd cmd, unsigned n);

#endif
