/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whose memory it is that accesses beyond the private caches are to: of one in
 * some, drawn so that no pattern of a program meets it, the allocation site is
 * looked up and added to those of the run, and of each region that is open. A
 * few sites are kept of each. One that is new takes the place of the one with
 * least, and its number, of which it is known how much of it may be too many:
 * what has more than its part of all is never lost (Metwally, Agrawal and El
 * Abbadi, "Efficient computation of frequent and top-k elements", 2005).
 *
 * Which file the code of a site is from is told while the process knows.
 */
#include "bridge/valgrind/core.h"

#include <pub_tool_aspacemgr.h>

enum { MEAN_GAP = 64 };

static bool is_remote(uint64_t line)
{
	uint64_t frame = line / ARENA_LINES_PER_PAGE;

	return frame - arena->first_frame[front.socket] >=
	       arena->num_frames[front.socket];
}

static void add(struct arena_shares *shares, uint32_t site, bool is_far)
{
	struct arena_share *least = &shares->sites[0];
	uint32_t i;

	shares->looks++;
	shares->remote += is_far;
	if (!site)
		return;
	for (i = 0; i < ARENA_SHARES && least->site != site; i++)
		if (shares->sites[i].site == site ||
		    shares->sites[i].looks < least->looks)
			least = &shares->sites[i];
	if (least->site != site) {
		least->site = site;
		least->over = least->looks;
		least->remote = 0;
	}
	least->looks++;
	least->remote += is_far;
}

void shares_look(const struct privcache_request *request, Addr data,
		 enum arena_use use)
{
	uint32_t drawn = (uint32_t)arena->next * UINT32_C(0x9e3779b1);
	uint32_t num = atomic_load(&arena->num_regions);
	uint32_t site, i;
	bool is_far;

	arena->next_look = arena->next + 1 + (drawn >> 16) % (2 * MEAN_GAP);
	if (request->kind == UNCORE_ACCESS_NONE)
		return;
	site = use == ARENA_FETCH ? 0 : objects_at(data).site;
	is_far = is_remote(request->line);
	add(&arena->used[ARENA_MAX_REGIONS], site, is_far);
	for (i = 0; arena->num_open && i < num; i++)
		if (arena->open[i])
			add(&arena->used[i], site, is_far);
}

static bool is_of(const NSegment *segment, const NSegment *other)
{
	return other && other->kind == SkFileC && other->dev == segment->dev &&
	       other->ino == segment->ino;
}

/* All of the file that lies there in one piece. */
static void find_file(const NSegment *segment, struct arena_caller *caller)
{
	const NSegment *next = segment;

	VG_(snprintf)
	(caller->file, sizeof(caller->file), "%s",
	 VG_(am_get_filename)(segment));
	for (; is_of(segment, next);
	     next = VG_(am_find_nsegment)(caller->start - 1))
		caller->start = next->start;
	for (next = segment; is_of(segment, next);
	     next = VG_(am_find_nsegment)(caller->end))
		caller->end = next->end + 1;
}

static bool is_told(uint32_t site)
{
	uint32_t i;

	for (i = 0; i < arena->num_callers; i++)
		if (arena->callers[i].site == site)
			return true;
	return false;
}

void shares_tell(uint32_t site)
{
	const struct arena_stack *stack = &arena->site_stacks[site];
	const NSegment *segment = VG_(am_find_nsegment)(stack->frames[0]);

	if (!site || !objects_has_made(stack) || !segment ||
	    segment->kind != SkFileC || !VG_(am_get_filename)(segment) ||
	    arena->num_callers >= ARENA_CALLERS || is_told(site))
		return;
	find_file(segment, &arena->callers[arena->num_callers]);
	arena->callers[arena->num_callers++].site = site;
}

void shares_end(void)
{
	uint32_t num = atomic_load(&arena->num_regions);
	uint32_t i, j;

	for (i = 0; i < ARENA_SHARES; i++) {
		shares_tell(arena->used[ARENA_MAX_REGIONS].sites[i].site);
		for (j = 0; j < num; j++)
			shares_tell(arena->used[j].sites[i].site);
	}
}
