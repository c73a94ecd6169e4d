/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is to be told, by the cycle in which it is due: changes are put in in
 * any order of times and taken out in order. A heap, whose first change is the
 * one that comes before all others; within a cycle that goes by kind, and of
 * those of a kind the one that was put in first comes first, so that ties have
 * one answer.
 */
#ifndef UNCORE_TIMELINE_H
#define UNCORE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "model/pmu/signal.h"

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
	uint64_t due;
	uint64_t number; /* timeline.c alone */
	uint64_t weight; /* see tap_bank.h */
	uint64_t requester;
	struct sig_header header;
	int32_t n;
	uint16_t id;
	uint8_t kind; /* enum change_kind, which is the rank */
};

/* All 0: empty. */
struct timeline {
	struct change *heap;
	size_t num, room;
	uint64_t num_put;
	uint64_t base; /* all that is due before has been taken */
};

void timeline_free(struct timeline *timeline);

/* What would be due before base is due at base. */
void timeline_put(struct timeline *timeline, struct change change);

/* Takes the first change that is due at `now` or before out. False: there is
 * none, and base is now. */
bool timeline_take(struct timeline *timeline, uint64_t now,
		   struct change *taken);

/* When the first change is due, or SIM_NEVER. */
static inline uint64_t timeline_first(const struct timeline *timeline)
{
	return timeline->num ? timeline->heap[0].due : SIM_NEVER;
}

#endif
