/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See dram_trace.h.
 */
#include "model/station/dram_trace.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"
#include "model/station/dram_check.h"

/* Stands for a stretch without frames, `row` of them from its clock on. */
enum { NO_FRAMES = 0, FIRST_ROOM = 256 };

struct dram_trace {
	struct dram_check *check; /* NULL: not asked for */
	dram_trace_fn *fn;	  /* NULL: nobody records */
	void *object;
	unsigned first, end; /* of those that wait, by clock */
	unsigned room;
	struct dram_command *commands;
};

struct dram_trace *dram_trace_new(const struct dram_config *checked)
{
	struct dram_trace *trace = calloc(1, sizeof(*trace));

	if (!trace || !checked)
		return trace;
	trace->check = dram_check_new(checked);
	if (trace->check)
		return trace;
	free(trace);
	return NULL;
}

void dram_trace_free(struct dram_trace *trace)
{
	if (!trace)
		return;
	dram_check_free(trace->check);
	free(trace->commands);
	free(trace);
}

void dram_trace_record(struct dram_trace *trace, dram_trace_fn *fn,
		       void *object)
{
	trace->fn = fn;
	trace->object = object;
}

const char *dram_trace_fault(const struct dram_trace *trace)
{
	return trace->check ? dram_check_fault(trace->check) : NULL;
}

/* Room for one more at the end. */
static void make_room(struct dram_trace *trace)
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

void dram_trace_add(struct dram_trace *trace, struct dram_command command)
{
	unsigned i;

	make_room(trace);
	for (i = trace->end++;
	     i > trace->first && trace->commands[i - 1].clock > command.clock;
	     i--)
		trace->commands[i] = trace->commands[i - 1];
	trace->commands[i] = command;
}

void dram_trace_stays_open(struct dram_trace *trace, unsigned bus,
			   uint64_t clock)
{
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

void dram_trace_excuse(struct dram_trace *trace, uint64_t clock, uint64_t until)
{
	dram_trace_add(trace, (struct dram_command){
				      .clock = clock,
				      .row = (uint32_t)(until - clock),
				      .cmd = NO_FRAMES,
			      });
}

static void show(struct dram_trace *trace, const struct dram_command *command)
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

void dram_trace_until(struct dram_trace *trace, uint64_t clock)
{
	while (trace->first < trace->end &&
	       trace->commands[trace->first].clock < clock)
		show(trace, &trace->commands[trace->first++]);
}
