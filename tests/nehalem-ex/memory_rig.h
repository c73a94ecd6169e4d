/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One M-Box and the sums of all its signals. The checker of DRAM commands is
 * always on, unless a test asks for none.
 */
#ifndef TESTS_MEMORY_RIG_H
#define TESTS_MEMORY_RIG_H

#include "mbox_defaults.h"
#include "model/nehalem-ex/memory.h"
#include "model/pmu/tap.h"
#include "signals.h"

enum { RIG_MAX_COMMANDS = 1 << 18, RIG_MAX_ANSWERS = 4096, RIG_CLOCK = 5 };

struct memory_rig {
	struct ex ex;
	struct sigbank *bank;
	uint64_t before[NUM_SIG_MBOX]; /* somebody listened */
	struct memory *memory;
	struct fault_plan plan;
	struct faults faults;
	struct dram_command commands[RIG_MAX_COMMANDS];
	unsigned num_commands;
	unsigned num_errors[2];	     /* by enum mbox_error */
	enum mbox_response response; /* of the last command */
	/* Of those that were sent by rig_send(), by number: */
	uint64_t answers[RIG_MAX_ANSWERS]; /* cycle; 0: not sent */
	enum mbox_response responses[RIG_MAX_ANSWERS];
	unsigned num_sent;
	uint64_t all_answers[RIG_MAX_ANSWERS * 2];
};

extern struct memory_rig rig;

/* No refresh, no scrub, pages stay open: nothing but what the test asks for. */
struct mbox_config rig_config(void);

/* An M-Box in which the faults happen ("smi-crc:count=1 ecc:at=5000"; NULL:
 * none), to whose signals somebody listens, or nobody. */
void rig_start(struct mbox_config config, const char *faults, bool is_heard);
void rig_stop(void); /* demands that the checker saw nothing */

void rig_run_to(uint64_t cycle);
uint64_t rig_now(void);

/* A line by its place; the bank counts over all ranks and buses. */
uint64_t rig_line(unsigned bank, unsigned row, unsigned column);

/* Each returns the cycle of the answer to a command that arrives in a cycle. */
uint64_t rig_command(unsigned command, uint64_t line, unsigned fvid,
		     uint64_t at);
uint64_t rig_read(uint64_t line, unsigned fvid, uint64_t at);
uint64_t rig_write(uint64_t line, unsigned fvid, uint64_t at);

/* A command that arrives now, its number in place of the index; whether it
 * would be taken; how many have been answered by now. */
void rig_send(unsigned command, uint64_t line, unsigned number);
bool rig_is_ready(void);
unsigned rig_num_answers(void);

void rig_run(uint64_t cycles);

/* Somebody listens to a signal from now on. */
void rig_listen(unsigned id);

/* What a signal has been in all cycles before now: events, or level times
 * cycles. */
uint64_t rig_sum(unsigned id);

/* Commands of a code so far, and the clock of the n-th; UINT64_MAX: none. */
unsigned rig_count(enum dram_cmd cmd);
uint64_t rig_clock_of(enum dram_cmd cmd, unsigned n);

#endif
