/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Marks of uncore/mark.h: regions of the program that are counted for
 * themselves. The model is told in the stream where they begin and end; names
 * stand in a list in the arena.
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

void region_mark(UWord mark, UWord name)
{
	bool begins =
		mark == UNCORE_MARK_BEGIN || mark == UNCORE_MARK_BEGIN_NAMED;
	bool is_named = mark == UNCORE_MARK_BEGIN_NAMED ||
			mark == UNCORE_MARK_END_NAMED;

	if (front.is_off || (!begins && mark != UNCORE_MARK_END &&
			     mark != UNCORE_MARK_END_NAMED))
		return;
	stream_event(begins ? ARENA_BEGIN : ARENA_END, front.core_number,
		     region_of(is_named ? (const HChar *)name : ""));
}
