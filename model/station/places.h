/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: a queue, a table, a pool of credits. It has so many places; each is
 * held from some cycle until another one, which is known when the transaction
 * that holds it has been worked off. The time until one is free is what the
 * guide calls full, blocked or without a credit.
 *
 * Invariants
 * 1. Nobody asks for a cycle before `now`, and `now` never goes back.
 * 2. A place that is marked free is so from `now` on; all others are taken up
 *    to their `until`, also before the stay begins that ends then: what lies
 *    between two stays is not given out any more. So that little is lost, a
 *    place marked free is taken first, else of those that are free by then the
 *    one that became so last, else the one that is free first.
 * 3. Between places_take() and places_hold() a place is held for ever. Where
 *    all are, there is none to take: places_from() says PLACES_NEVER.
 */
#ifndef UNCORE_PLACES_H
#define UNCORE_PLACES_H

#include <assert.h>
#include <stdint.h>

#define PLACES_NEVER UINT64_MAX

enum { PLACES_MAX = 64 };

struct places {
	uint64_t free; /* bit per place */
	unsigned num;  /* of places; credits in their stead come back alike */
	uint64_t until[PLACES_MAX];
};

/* All free; 1 to PLACES_MAX of them. */
static inline void places_init(struct places *places, unsigned num)
{
	places->num = num;
	places->free = UINT64_MAX >> (64 - num);
	for (unsigned i = 0; i < num; i++)
		places->until[i] = 0;
}

/* None is marked free: the place that became free last of those that are so in
 * cycle `from`, else the one that is free first. Marks what is free now. */
__attribute__((noinline, unused)) static unsigned
places_search(struct places *places, uint64_t now, uint64_t from)
{
	unsigned first = 0, fit = PLACES_MAX;
	uint64_t soonest = PLACES_NEVER, latest = 0, free = places->free;

	for (unsigned i = 0; i < places->num; i++) {
		uint64_t until = places->until[i];

		if (until > from) {
			first = until < soonest ? i : first;
			soonest = until < soonest ? until : soonest;
			continue;
		}
		free |= (uint64_t)(until <= now) << i;
		if (until >= latest) {
			latest = until;
			fit = i;
		}
	}
	places->free = free;
	return fit < PLACES_MAX ? fit : first;
}

/* The first cycle from `from` on (not before now) in which one is free. */
static inline uint64_t places_from(struct places *places, uint64_t now,
				   uint64_t from)
{
	uint64_t until;

	if (places->free)
		return from;
	until = places->until[places_search(places, now, from)];
	return until > from ? until : from;
}

/* Takes a place that is free then, or else the one that is free first; *from
 * becomes the cycle from which it is held. Returns its number, for
 * places_hold(). There is one that is not held for ever. */
static inline unsigned places_take(struct places *places, uint64_t now,
				   uint64_t *from)
{
	unsigned first;

	if (places->free) {
		first = (unsigned)__builtin_ctzll(places->free);
	} else {
		first = places_search(places, now, *from);
		assert(places->until[first] != PLACES_NEVER);
		if (places->until[first] > *from)
			*from = places->until[first];
	}
	places->free &= ~(UINT64_C(1) << first);
	places->until[first] = PLACES_NEVER;
	return first;
}

/* The place is free again from a cycle on. */
static inline void places_hold(struct places *places, unsigned place,
			       uint64_t until)
{
	places->until[place] = until;
}

/* Those not marked free. */
static inline uint64_t places_held(const struct places *places)
{
	return ~places->free & UINT64_MAX >> (64 - places->num);
}

/* How many cannot be had in a cycle that is not before now: those held, and
 * those that wait for a stay which begins later. */
static inline unsigned places_taken(const struct places *places, uint64_t at)
{
	uint64_t left = places_held(places);
	unsigned num = 0;

	for (; left; left &= left - 1)
		num += places->until[__builtin_ctzll(left)] > at;
	return num;
}

#endif
