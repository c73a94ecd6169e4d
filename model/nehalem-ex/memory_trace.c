/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The DRAM commands in the order of their clocks, for those who check or record
 * them. A command is known here before its clock, and others may still be put
 * before it: it waits in a list until no earlier one can come.
 */
#include <stdlib.h>
#include <string.h>

#include "model/box/dram_check.h"
#include "model/nehalem-ex/memory_parts.h"
#include "model/sim/bug.h"

/* Stands for a stretch without frames, `row` of them from its clock on. */
enum { NO_FRAMES = 0, FIRST_ROOM = 256 };

struct memory_trace {
	struct dram_check *check; /* NULL: not asked for */
	dram_trace_fn *fn;	  /* NULL: nobody records */
	void *object;
	unsigned first, end; /* of those that wait, by clock */
	unsigned room;
	struct dram_command *commands;
};

static int make(struct memory *memory)
{
	if (!memory->trace)
		memory->trace = calloc(1, sizeof(*memory->trace));
	return memory->trace ? 0 : -1;
}

int memory_trace_new(struct memory *memory)
{
	if (!memory->config.has_check)
		return 0;
	if (make(memory))
		return -1;
	memory->trace->check = dram_check_new(&memory->config.dram);
	return memory->trace->check ? 0 : -1;
}

void memory_trace_free(struct memory *memory)
{
	if (!memory->trace)
		return;
	dram_check_free(memory->trace->check);
	free(memory->trace->commands);
	free(memory->trace);
}

int memory_trace(struct memory *memory, dram_trace_fn *fn, void *object)
{
	if (make(memory))
		return -1;
	memory->watches = true;
	memory->trace->fn = fn;
	memory->trace->object = object;
	return 0;
}

const char *memory_check(const struct memory *memory)
{
	if (!memory->trace || !memory->trace->check)
		return NULL;
	return dram_check_fault(memory->trace->check);
}

/* Room for one more at the end. */
static void make_room(struct memory_trace *trace)
{
	unsigned num = trace->end - trace->first;

	if (trace->end < trace->room)
		return;
	if (trace->first)
		memmove(trace->commands, trace->commands + trace->first,
			num * sizeof(*trace->commands));
	trace->first = 0;
	trace->end = num;
	if (trace->room && num <= trace->room / 2)
		return;
	trace->room = trace->room ? trace->room * 2 : FIRST_ROOM;
	trace->commands = realloc(trace->commands,
				  trace->room * sizeof(*trace->commands));
	if (!trace->commands)
		bug_no_memory();
}

static void insert(struct memory_trace *trace, struct dram_command command)
{
	unsigned i;

	make_room(trace);
	for (i = trace->end++;
	     i > trace->first && trace->commands[i - 1].clock > command.clock;
	     i--)
		trace->commands[i] = trace->commands[i - 1];
	trace->commands[i] = command;
}

void memory_trace_add(struct memory *memory, enum dram_cmd cmd, unsigned bank,
		      const struct memory_txn *txn, uint64_t clock)
{
	const struct dram_config *d = &memory->config.dram;
	unsigned rank = bank >> memory->banks->bank_bits;

	insert(memory->trace, (struct dram_command){
				      .clock = clock,
				      .row = txn ? txn->place.row : 0,
				      .column = txn ? txn->place.column : 0,
				      .cmd = (uint8_t)cmd,
				      .bus = (uint8_t)memory_bus(memory, rank),
				      .rank = (uint8_t)(rank & (d->ranks - 1)),
				      .bank = (uint8_t)(bank & (d->banks - 1)),
			      });
}

/* A column command that was to close its page does not. */
void memory_trace_stays_open(struct memory *memory, unsigned bank,
			     uint64_t clock)
{
	struct memory_trace *trace = memory->trace;
	unsigned bus = memory_bus(memory, bank >> memory->banks->bank_bits);

	for (unsigned i = trace->first; i < trace->end; i++) {
		struct dram_command *command = &trace->commands[i];

		if (command->clock != clock || command->bus != bus)
			continue;
		if (command->cmd == DRAM_CASPRE_RD)
			command->cmd = DRAM_CAS_RD;
		if (command->cmd == DRAM_CASPRE_WR)
			command->cmd = DRAM_CAS_WR;
	}
}

/* Nothing can be sent from a clock until another: refreshes may be as much
 * later. */
void memory_trace_excuse(struct memory *memory, uint64_t clock, uint64_t until)
{
	if (memory->trace)
		insert(memory->trace, (struct dram_command){
					      .clock = clock,
					      .row = (uint32_t)(until - clock),
					      .cmd = NO_FRAMES,
				      });
}

static void show(struct memory_trace *trace, const struct dram_command *command)
{
	if (command->cmd == NO_FRAMES) {
		dram_check_excuse(trace->check, command->row);
		return;
	}
	if (trace->fn)
		trace->fn(trace->object, command);
	if (trace->check)
		dram_check_command(trace->check, command);
}

/* Shows all that comes before a clock. */
void memory_trace_until(struct memory *memory, uint64_t clock)
{
	struct memory_trace *trace = memory->trace;

	while (trace->first < trace->end &&
	       trace->commands[trace->first].clock < clock)
		show(trace, &trace->commands[trace->first++]);
}
