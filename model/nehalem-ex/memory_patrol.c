/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What comes due without the B-Box, beside what every memory controller has:
 * the patrol scrub, writes that have waited, a look at the temperatures.
 *
 * Choices: the scrubber reads line after line, each from the first clock of its
 * time on; while the M-Box is full it waits for its next turn.
 */
#include "model/nehalem-ex/memory_parts.h"

static uint64_t clock_of(const struct memory *memory, uint64_t cycle)
{
	return cycle == SIM_NEVER ? MC_NEVER
				  : memory_clock_after(memory, cycle);
}

static uint64_t first(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t memory_next(const struct mc *mc)
{
	const struct memory *memory = mc->owner;
	uint64_t next = first(memory->patrol_cycle, memory->write_alarm);

	if (memory->heat.is_watched)
		next = first(next, memory->heat.next_look);
	return clock_of(memory, next);
}

/* The line that is scrubbed now. */
uint64_t memory_patrol_line(struct memory *memory)
{
	uint64_t line = memory->patrol_line++;

	if (memory->patrol_line == memory->mc.map.num_lines)
		memory->patrol_line = 0;
	return line;
}

static void scrub(struct memory *memory, uint64_t at)
{
	memory->patrol_cycle += memory->config.patrol_interval_cycles;
	if (memory_full_until(memory, at) <= at)
		memory_patrol(memory, memory_patrol_line(memory), at);
}

/* One thing that comes due in a clock. */
void memory_work_off(struct mc *mc, uint64_t clock)
{
	struct memory *memory = mc->owner;
	uint64_t cycle = memory_cycle(memory, clock);

	memory->moment = sim_later(memory->moment, cycle);
	if (clock_of(memory, memory->patrol_cycle) == clock)
		scrub(memory, cycle);
	else if (clock_of(memory, memory->write_alarm) == clock)
		memory_write_due(memory, cycle);
	else
		memory_heat_look(memory, cycle);
}

void memory_patrol_start(struct memory *memory)
{
	uint64_t interval = memory->config.patrol_interval_cycles;

	memory->patrol_cycle = interval ? interval : SIM_NEVER;
}
