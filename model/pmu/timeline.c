/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See timeline.h.
 */
#include "model/pmu/timeline.h"

#include <stdlib.h>

#include "model/sim/bug.h"

enum { WORDS = TIMELINE_CYCLES / 64, CHANGES_PER_BLOCK = 63 };

struct block {
	struct block *next;
	struct change changes[CHANGES_PER_BLOCK];
};

struct timeline *timeline_new(uint64_t base)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline)
		return NULL;
	timeline->base = base;
	timeline->first = timeline->far_first = SIM_NEVER;
	timeline_more(timeline);
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	struct block *block = timeline ? timeline->blocks : NULL;

	while (block) {
		struct block *next = block->next;

		free(block);
		block = next;
	}
	free(timeline);
}

/* The new ones come behind the first free one, if there is one. */
void timeline_more(struct timeline *timeline)
{
	struct block *block = malloc(sizeof(*block));
	struct change *list = NULL;

	if (!block)
		bug_no_memory();
	block->next = timeline->blocks;
	timeline->blocks = block;
	for (unsigned i = 0; i < CHANGES_PER_BLOCK; i++) {
		block->changes[i].next = list;
		list = &block->changes[i];
	}
	if (timeline->free)
		timeline->free->next = list;
	else
		timeline->free = list;
}

void timeline_put_far(struct timeline *timeline, struct change *change)
{
	change->next = timeline->far;
	timeline->far = change;
	if (change->due < timeline->far_first)
		timeline->far_first = change->due;
}

/* Brings base to a cycle, and into the wheel what it now covers. */
void timeline_advance(struct timeline *timeline, uint64_t base)
{
	struct change *change = timeline->far;

	timeline->base = base;
	if (timeline->far_first - base >= TIMELINE_CYCLES)
		return;
	timeline->far = NULL;
	timeline->far_first = SIM_NEVER;
	while (change) {
		struct change *next = change->next;

		if (change->due - base < TIMELINE_CYCLES)
			timeline_put(timeline, change);
		else
			timeline_put_far(timeline, change);
		change = next;
	}
}

/* The first cycle from `first` on that has a list; there is nothing before. */
void timeline_find_first(struct timeline *timeline)
{
	uint64_t first = timeline->first;
	unsigned word = first / 64 % WORDS;
	uint64_t bits = timeline->occupied[word] >> first % 64;

	if (bits) {
		timeline->first = first + (unsigned)__builtin_ctzll(bits);
		return;
	}
	first -= first % 64;
	for (unsigned i = 1; i <= WORDS; i++) {
		bits = timeline->occupied[(word + i) % WORDS];
		if (bits) {
			timeline->first = first + i * 64 +
					  (unsigned)__builtin_ctzll(bits);
			return;
		}
	}
	timeline->first = timeline->far_first;
}
