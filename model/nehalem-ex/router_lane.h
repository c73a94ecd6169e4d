/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The timetable of a port: what is taken in each cycle, of several things. A
 * slot has the bits of 64 cycles and says which 64; those of others are stale
 * and count as empty, so nothing moves on or is cleared as time goes by.
 *
 * Invariants
 * 1. Nobody asks for a cycle before now.
 * 2. Slots stand for cycles before lane_limit(); what is taken there and later
 *    is taken one after the other: all of far_from .. far - 1 counts as taken.
 */
#ifndef UNCORE_ROUTER_LANE_H
#define UNCORE_ROUTER_LANE_H

#include <stdbool.h>
#include <stdint.h>

enum { LANE_SLOTS = 64, LANE_KINDS = 3, LANE_CYCLES = 64 * LANE_SLOTS };

struct lane {
	uint64_t far_from, far;
	struct lane_slot {
		uint64_t number; /* of the 64 cycles */
		uint64_t bits[LANE_KINDS];
	} slots[LANE_SLOTS];
};

/* Slow paths (router_lane.c). The first cycles from `from` on in which both are
 * free; `num` of them (at most 64). */
uint64_t lane_free_from(const struct lane *a, unsigned kind_a,
			const struct lane *b, unsigned kind_b, uint64_t now,
			uint64_t from, unsigned num);
void lane_take_far(struct lane *lane, uint64_t now, uint64_t from,
		   unsigned num);

/* Slots have the bits of all 64 cycles from those before it on. */
static inline uint64_t lane_limit(uint64_t now)
{
	return now + LANE_CYCLES - 128;
}

static inline uint64_t lane_mask(unsigned num)
{
	return UINT64_MAX >> (64 - num);
}

static inline uint64_t lane_word(const struct lane *lane, unsigned kind,
				 uint64_t number)
{
	const struct lane_slot *slot = &lane->slots[number % LANE_SLOTS];

	return slot->number == number ? slot->bits[kind] : 0;
}

/* Bit n: cycle at + n, for 64 of them. */
static inline uint64_t lane_look(const struct lane *lane, unsigned kind,
				 uint64_t at)
{
	return lane_word(lane, kind, at / 64) >> at % 64 |
	       lane_word(lane, kind, at / 64 + 1) << 1 << (63 - at % 64);
}

/* The same, at least for `num` of them. */
static inline uint64_t lane_peek(const struct lane *lane, unsigned kind,
				 uint64_t at, unsigned num)
{
	if (at % 64 + num > 64)
		return lane_look(lane, kind, at);
	return lane_word(lane, kind, at / 64) >> at % 64;
}

static inline struct lane_slot *lane_slot(struct lane *lane, uint64_t number)
{
	struct lane_slot *slot = &lane->slots[number % LANE_SLOTS];

	if (slot->number != number)
		*slot = (struct lane_slot){ .number = number };
	return slot;
}

static inline void lane_set(struct lane *lane, unsigned kind, uint64_t from,
			    unsigned num)
{
	uint64_t mask = lane_mask(num);

	lane_slot(lane, from / 64)->bits[kind] |= mask << from % 64;
	if (from % 64 + num > 64)
		lane_slot(lane, from / 64 + 1)->bits[kind] |=
			mask >> (64 - from % 64);
}

#endif
