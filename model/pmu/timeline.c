/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See timeline.h.
 */
#include "model/pmu/timeline.h"

#include <stdlib.h>

#include "model/sim/bug.h"

enum { FIRST_ROOM = 64 };

void timeline_free(struct timeline *timeline)
{
	free(timeline->heap);
}

static bool is_before(const struct change *a, const struct change *b)
{
	if (a->due != b->due)
		return a->due < b->due;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return a->number < b->number;
}

static void make_room(struct timeline *timeline)
{
	timeline->room = timeline->room ? timeline->room * 2 : FIRST_ROOM;
	timeline->heap = realloc(timeline->heap,
				 timeline->room * sizeof(*timeline->heap));
	if (!timeline->heap)
		bug_no_memory();
}

void timeline_put(struct timeline *timeline, struct change change)
{
	struct change *heap;
	size_t at = timeline->num++, up;

	if (change.due < timeline->base)
		change.due = timeline->base;
	change.number = timeline->num_put++;
	if (at == timeline->room)
		make_room(timeline);
	for (heap = timeline->heap; at; at = up) {
		up = (at - 1) / 2;
		if (!is_before(&change, &heap[up]))
			break;
		heap[at] = heap[up];
	}
	heap[at] = change;
}

/* The last one goes down from the top until none below is before it. */
static void close_gap(struct change *heap, size_t num)
{
	const struct change *last = &heap[num];
	size_t at = 0, down;

	while ((down = 2 * at + 1) < num) {
		if (down + 1 < num && is_before(&heap[down + 1], &heap[down]))
			down++;
		if (!is_before(&heap[down], last))
			break;
		heap[at] = heap[down];
		at = down;
	}
	heap[at] = *last;
}

bool timeline_take(struct timeline *timeline, uint64_t now,
		   struct change *taken)
{
	if (timeline_first(timeline) > now) {
		timeline->base = now;
		return false;
	}
	*taken = timeline->heap[0];
	close_gap(timeline->heap, --timeline->num);
	return true;
}
