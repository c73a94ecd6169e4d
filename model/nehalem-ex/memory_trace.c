/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The M-Box's DRAM commands for those who check or record them.
 */
#include "model/nehalem-ex/memory_parts.h"

int memory_trace_new(struct memory *memory)
{
	if (!memory->config.has_check)
		return 0;
	memory->trace = dram_trace_new(&memory->config.dram);
	return memory->trace ? 0 : -1;
}

int memory_trace(struct memory *memory, dram_trace_fn *fn, void *object)
{
	if (!memory->trace)
		memory->trace = dram_trace_new(NULL);
	if (!memory->trace)
		return -1;
	memory->watches = true;
	dram_trace_record(memory->trace, fn, object);
	return 0;
}

const char *memory_check(const struct memory *memory)
{
	return memory->trace ? dram_trace_fault(memory->trace) : NULL;
}

void memory_trace_add(struct memory *memory, enum dram_cmd cmd, unsigned bank,
		      const struct memory_txn *txn, uint64_t clock)
{
	const struct dram_config *d = &memory->config.dram;
	unsigned rank = bank >> memory->banks->bank_bits;

	dram_trace_add(memory->trace,
		       (struct dram_command){
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
	dram_trace_stays_open(
		memory->trace,
		memory_bus(memory, bank >> memory->banks->bank_bits), clock);
}

void memory_trace_excuse(struct memory *memory, uint64_t clock, uint64_t until)
{
	if (memory->trace)
		dram_trace_excuse(memory->trace, clock, until);
}
