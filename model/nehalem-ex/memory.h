/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An M-Box, the memory controller with two SMI channels in lockstep, and the
 * DDR3 devices behind it (guide 2.7).
 */
#ifndef UNCORE_MEMORY_H
#define UNCORE_MEMORY_H

#include "model/nehalem-ex/ex.h"
#include "model/nehalem-ex/mbox.h" /* struct mbox_config, commands, responses */

struct memory;

/* NULL without memory. Refresh, idle frames, patrol scrubs and power states are
 * worked out when somebody comes, or looks, and now and then in a long rest. */
struct memory *memory_new(struct ex *ex, struct sigbank *bank,
			  const struct mbox_config *config);
void memory_free(struct memory *memory);

/* From which cycle on (not before `from`) a command is taken. */
uint64_t memory_ready_from(struct ex *ex, struct memory *memory, uint64_t from);

/* A command of the B-Box (enum mbox_command, with MBOX_POISONED) that arrives
 * in the cycle `at`; see mbox_command(). Returns the cycle in which it is
 * answered: the data are at the B-Box, the write has its place, the line is in
 * its buffer. *response says how it ended. */
uint64_t memory_command(struct ex *ex, struct memory *memory, unsigned command,
			uint64_t line, uint64_t address, unsigned fvid,
			uint64_t at, enum mbox_response *response);

/* A command for a line while time stands: its row is open behind it; what that
 * took is a matter of time, and told it is by memory_command(). */
void memory_pass(struct memory *memory, unsigned command, uint64_t line);

/* Cycles that pass while time stands: the patrol scrubber reads in them. */
void memory_pass_cycles(struct memory *memory, uint64_t cycles);

/* Publishes all that has happened by itself in cycles before now, not before
 * engine_now(). Is the bank's `settle`, to be called before anybody looks at
 * sums and before anybody begins or ceases to listen. */
void memory_settle(struct memory *memory, uint64_t now);

/* Nothing is under way in a cycle: every read answered, every write in the
 * DIMMs, patrol reads apart. */
bool memory_is_idle(const struct memory *memory, uint64_t now);

/* Lines that this M-Box has. */
uint64_t memory_num_lines(const struct memory *memory);

/* The temperature of a DIMM (0 to 3: bus * 2 + place, of both channels) when
 * its sensor was read last, degrees Celsius. */
double memory_temperature(const struct memory *memory, unsigned dimm);

/* A sentence about the first DRAM command before the last call that broke a
 * rule; NULL if none did, or if the config does not ask for checks. */
const char *memory_check(const struct memory *memory);

/* Every DRAM command from now on is shown to fn, in the order of their clocks,
 * once no earlier one can come; 0, or -1 without memory. */
int memory_trace(struct memory *memory, dram_trace_fn *fn, void *object);

#endif
