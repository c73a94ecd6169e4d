/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Marks of uncore/mark.h: regions of the program that are counted for
 * themselves. The model is told in the stream where they begin and end; names
 * stand in a list in the arena.
 *
 * Where the program starts off, nothing but regions reaches caches and model:
 * accesses are passed over while none is open, and the instructions between the
 * last region's end and the next one's beginning are taken out of every core's
 * count since its latest record, so that they take no time there. Which thread
 * runs, and where pages lie, is decided as ever.
 */
#include "bridge/valgrind/core.h"

#include "uncore/mark.h"
#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>

/* The number of a name; it is made if it is new. The last one stands for all
 * that do not fit. */
static uint32_t region_of(const HChar *name)
{
	uint32_t num = atomic_load(&arena->num_regions);
	HChar text[ARENA_REGION_BYTES];
	uint32_t i;

	VG_(memset)(text, 0, sizeof(text));
	for (i = 0; i + 1 < sizeof(text); i++) {
		if (!VG_(am_is_valid_for_client)((Addr)name + i, 1,
						 VKI_PROT_READ) ||
		    !name[i])
			break;
		text[i] = name[i];
	}
	for (i = 0; i < num; i++)
		if (VG_(strcmp)(arena->regions[i], text) == 0)
			return i;
	if (num == ARENA_MAX_REGIONS)
		return num - 1;
	VG_(memcpy)(arena->regions[num], text, sizeof(text));
	atomic_store(&arena->num_regions, num + 1);
	return num;
}

void region_look(void)
{
	uint64_t is_outside = arena->starts_off && !arena->num_open;

	/* what the shortcuts mean here, they do not there */
	if (is_outside != front.is_outside)
		access_forget();
	front.is_outside = is_outside;
}

/* The first region begins. */
static void come_in(void)
{
	unsigned num = front_num_cores();
	unsigned i;

	stream_settle();
	for (i = 0; i < num; i++) {
		struct arena_core *core = &arena->cores[i];

		core->last_instructions += atomic_load(&core->instructions) -
					   core->out_instructions;
		core->last_cycles += core->cycles - core->out_cycles;
		core->out_clock += core->clock;
	}
	region_look();
	turns_tell_idle();
}

/* The last one has ended. */
static void go_out(void)
{
	unsigned num = front_num_cores();
	unsigned i;

	stream_settle();
	for (i = 0; i < num; i++) {
		struct arena_core *core = &arena->cores[i];

		core->out_instructions = atomic_load(&core->instructions);
		core->out_cycles = core->cycles;
		core->out_clock -= core->clock;
	}
	region_look();
}

static void begin(uint32_t region)
{
	arena->open[region]++;
	arena->num_open++;
	if (front.is_outside)
		come_in();
	stream_event(ARENA_BEGIN, front.core_number, region);
}

static void end(uint32_t region)
{
	stream_event(ARENA_END, front.core_number, region);
	arena->open[region]--;
	arena->num_open--;
	if (arena->starts_off && !arena->num_open)
		go_out();
}

void region_mark(UWord mark, UWord name)
{
	bool begins =
		mark == UNCORE_MARK_BEGIN || mark == UNCORE_MARK_BEGIN_NAMED;
	bool is_named = mark == UNCORE_MARK_BEGIN_NAMED ||
			mark == UNCORE_MARK_END_NAMED;
	uint32_t region;

	if (front.is_off || (!begins && mark != UNCORE_MARK_END &&
			     mark != UNCORE_MARK_END_NAMED))
		return;
	access_fence();
	region = region_of(is_named ? (const HChar *)name : "");
	if (begins)
		begin(region);
	else if (arena->open[region]) /* an end without a beginning is none */
		end(region);
}
