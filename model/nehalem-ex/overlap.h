/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: a level that is 1 in each cycle in which at least so many of some
 * stays overlap, with the stays told in any order.
 *
 * Invariants
 * 1. Nobody tells of a cycle before `now`, and `now` never goes back.
 * 2. Bits stand for the cycles base .. base + OVERLAP_CYCLES - 1; base is a
 *    multiple of 64 and not after now. What lies more than OVERLAP_CYCLES - 64
 *    ahead of now is not seen.
 * 3. Bit c of layer i: in cycle c there are more than i stays.
 */
#ifndef UNCORE_OVERLAP_H
#define UNCORE_OVERLAP_H

#include <stdint.h>

#include "model/pmu/signal.h"

enum { OVERLAP_WORDS = 64, OVERLAP_CYCLES = OVERLAP_WORDS * 64 };
enum { OVERLAP_MAX = 3 };

struct overlap {
	uint64_t base;
	unsigned enough; /* stays for the level; 1 to OVERLAP_MAX */
	uint64_t layers[OVERLAP_WORDS][OVERLAP_MAX];
};

/* All other members 0: there are no stays. */
static inline void overlap_init(struct overlap *overlap, unsigned enough)
{
	overlap->enough = enough;
}

/* Any stay (overlap.c). */
void overlap_add_slowly(struct overlap *overlap, struct sigbank *bank,
			unsigned signal, uint64_t now, uint64_t from,
			uint64_t to);

/* A stay in cycles from .. to - 1; mostly one cycle, and alone. */
static inline void overlap_add(struct overlap *overlap, struct sigbank *bank,
			       unsigned signal, uint64_t now, uint64_t from,
			       uint64_t to)
{
	uint64_t *layer = overlap->layers[from / 64 % OVERLAP_WORDS];
	uint64_t bit = UINT64_C(1) << from % 64;

	if (to == from + 1 && from < overlap->base + OVERLAP_CYCLES &&
	    overlap->enough > 1 && !(*layer & bit))
		*layer |= bit;
	else
		overlap_add_slowly(overlap, bank, signal, now, from, to);
}

#endif
