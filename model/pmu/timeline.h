/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is to be told, by the cycle in which it is due: changes are put in in
 * any order of times and taken out in order. A wheel with a list for each cycle
 * of the near future; what is further away waits in one list of its own.
 *
 * Invariants
 * 1. base is a cycle before which nothing is due; it never goes back.
 * 2. The wheel holds what is due in base .. base + TIMELINE_CYCLES - 1, the far
 *    list what is due later.
 * 3. Within a cycle changes stand by rank, otherwise in no order.
 */
#ifndef UNCORE_TIMELINE_H
#define UNCORE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/pmu/signal.h"

enum { TIMELINE_CYCLES = 2048 };

/* Pulses of a cycle are told in the next one, before its levels; and what
 * leaves a queue leaves before something enters. */
enum change_kind {
	CHANGE_PULSE,	    /* the cycle before the one in which it is due */
	CHANGE_PACKET,	    /* likewise, for those without a filter */
	CHANGE_HEADER,	    /* likewise, for those with one */
	CHANGE_DOWN,	    /* of a level */
	CHANGE_HEADER_DOWN, /* of one with a header, for filters */
	CHANGE_UP,
	CHANGE_HEADER_UP
};

struct change {
	struct sig_header header;
	uint64_t weight; /* see tap_bank.h */
	uint64_t requester;
	int32_t n;
	uint16_t id;
	uint8_t kind; /* enum change_kind, which is the rank */
	struct change *next;
	uint64_t due;
};

struct timeline {
	uint64_t base;
	uint64_t first;	    /* cycle of the first change, or SIM_NEVER */
	uint64_t far_first; /* the same of the far list */
	struct change *far;
	struct change *free;
	void *blocks; /* of memory */
	uint64_t occupied[TIMELINE_CYCLES / 64];
	struct change *lists[TIMELINE_CYCLES];
};

/* Empty, from a cycle on; NULL without memory. */
struct timeline *timeline_new(uint64_t base);
void timeline_free(struct timeline *timeline);

/* Slow paths (timeline.c). */
void timeline_more(struct timeline *timeline);
void timeline_put_far(struct timeline *timeline, struct change *change);
void timeline_advance(struct timeline *timeline, uint64_t base);
void timeline_find_first(struct timeline *timeline);

static inline void timeline_put(struct timeline *timeline,
				struct change *change)
{
	unsigned index = change->due % TIMELINE_CYCLES;
	struct change **at = &timeline->lists[index];

	timeline->occupied[index / 64] |= UINT64_C(1) << index % 64;
	while (*at && (*at)->kind < change->kind)
		at = &(*at)->next;
	change->next = *at;
	*at = change;
}

/* A new change; what would be due before base is due at base. The caller fills
 * in weight, n, id and the like before he puts in another one. */
static inline struct change *timeline_add(struct timeline *timeline,
					  uint64_t due, enum change_kind kind)
{
	struct change *change = timeline->free;

	if (!change->next) /* the last one stays */
		timeline_more(timeline);
	timeline->free = change->next;
	if (due < timeline->base)
		due = timeline->base;
	if (due < timeline->first)
		timeline->first = due;
	change->due = due;
	change->kind = (uint8_t)kind;
	if (due - timeline->base < TIMELINE_CYCLES)
		timeline_put(timeline, change);
	else
		timeline_put_far(timeline, change);
	return change;
}

/* Takes the first change that is due at `now` or before out; it is there until
 * another one is put in. NULL: there is none, and base is now. */
static inline const struct change *timeline_take(struct timeline *timeline,
						 uint64_t now)
{
	unsigned index = timeline->first % TIMELINE_CYCLES;
	struct change *change;

	if (timeline->first > now) {
		timeline_advance(timeline, now);
		return NULL;
	}
	if (timeline->first - timeline->base >= TIMELINE_CYCLES)
		timeline_advance(timeline, timeline->first);
	change = timeline->lists[index];
	timeline->lists[index] = change->next;
	if (!change->next) {
		timeline->occupied[index / 64] &= ~(UINT64_C(1) << index % 64);
		timeline_find_first(timeline);
	}
	change->next = timeline->free;
	timeline->free = change;
	return change;
}

/* When the first change is due, or SIM_NEVER. */
static inline uint64_t timeline_first(const struct timeline *timeline)
{
	return timeline->first;
}

#endif
