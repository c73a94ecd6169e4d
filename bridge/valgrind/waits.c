/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a core waits for besides what its blocks cost: its own L2, and
 * translation. All of it follows from the order of accesses and from the cycles
 * that are counted here, never from what the model answers.
 *
 *   L2 to L1   one way for all lines, those that are written back too. As many
 *              as there are fill buffers may wait for it; then the core does.
 *   walker     takes one walk at a time; meanwhile the core goes on to the end
 *              of its window.
 *   latency    of the L2, of the second-level TLB and of a walk: hidden, but
 *              where a load needs what it brought a round before (weigh.c).
 *
 * Left out: that the way and the walker come to rest while the core waits for
 * the uncore.
 */
#include "bridge/valgrind/core.h"

static uint64_t now(void)
{
	return front.core->cycles + (front.executed >> 32);
}

uint64_t waits_now(void)
{
	return now() >> UNCORE_CYCLES_SHIFT;
}

/* Half of what there is room for is for the blocks of a turn. */
static void stand(uint64_t cycles)
{
	front.executed += cycles << 32;
	if (front.executed >> 63)
		stream_settle();
}

void waits_for(unsigned cycles)
{
	stand((uint64_t)cycles << UNCORE_CYCLES_SHIFT);
}

/* Something is busy for so long once more, and the core goes on until it lies
 * so far behind. */
static void use(uint64_t *is_free, uint64_t cycles, uint64_t hidden)
{
	uint64_t begin = now();

	if (*is_free < begin)
		*is_free = begin;
	*is_free += cycles << UNCORE_CYCLES_SHIFT;
	hidden = begin + (hidden << UNCORE_CYCLES_SHIFT);
	if (*is_free > hidden)
		stand(*is_free - hidden);
}

void waits_for_lines(unsigned num)
{
	use(&front.core->way_free, num * arena->line_cycles,
	    arena->fill_buffers * arena->line_cycles);
}

void waits_for_walk(unsigned cycles, Bool is_chained)
{
	use(&front.core->walker_free, cycles, is_chained ? 0 : arena->window);
}
