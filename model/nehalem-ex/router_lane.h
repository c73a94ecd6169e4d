/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A timetable: some words for each stretch of time, of which the user says how
 * long it is and what they mean. They are in a ring, a line of the host's cache
 * for each stretch. A slot of it says whose words it has; those of a past
 * stretch are stale and count as empty, so nothing moves on or is cleared as
 * time goes by. Where two stretches that are not past would share a slot, the
 * ring doubles.
 *
 * Invariants
 * 1. Nobody asks for a stretch before the present one, which never goes back.
 * 2. A stretch is in its own slot, number % slots, or nowhere.
 */
#ifndef UNCORE_ROUTER_LANE_H
#define UNCORE_ROUTER_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANE_KINDS = 7 };

struct lane_slot {
	uint64_t owner; /* number of the stretch, and one more; 0: none */
	uint64_t bits[LANE_KINDS];
};

struct lane {
	struct lane_slot *slots;
	uint64_t mask; /* slots, a power of two, less one */
};

/* Nothing is taken. */
void lane_init(struct lane *lane);
void lane_free(struct lane *lane);

/* Slow path: the slot has the words of another stretch. */
struct lane_slot *lane_renew(struct lane *lane, uint64_t present,
			     uint64_t number);

/* Stretches of 64 cycles, with a bit for each: the first cycles from `from` on
 * in which both are free, `num` of them (at most 64). */
uint64_t lane_free_from(const struct lane *a, unsigned kind_a,
			const struct lane *b, unsigned kind_b, uint64_t from,
			unsigned num);

static inline uint64_t lane_mask(unsigned num)
{
	return UINT64_MAX >> (64 - num);
}

/* To be read; NULL: it is empty. */
static inline const struct lane_slot *lane_find(const struct lane *lane,
						uint64_t number)
{
	const struct lane_slot *slot = &lane->slots[number & lane->mask];

	return slot->owner == number + 1 ? slot : NULL;
}

static inline uint64_t lane_word(const struct lane *lane, unsigned kind,
				 uint64_t number)
{
	const struct lane_slot *slot = lane_find(lane, number);

	return slot ? slot->bits[kind] : 0;
}

/* To be written, before the next one is asked for. */
static inline struct lane_slot *lane_slot(struct lane *lane, uint64_t present,
					  uint64_t number)
{
	struct lane_slot *slot = &lane->slots[number & lane->mask];

	return slot->owner == number + 1 ? slot
					 : lane_renew(lane, present, number);
}

/* Bit n: cycle at + n, for 64 of them. */
static inline uint64_t lane_look(const struct lane *lane, unsigned kind,
				 uint64_t at)
{
	return lane_word(lane, kind, at / 64) >> at % 64 |
	       lane_word(lane, kind, at / 64 + 1) << 1 << (63 - at % 64);
}

/* Bits, of which the lowest is for the cycle `from`: one of them is set; sets
 * all. */
static inline bool lane_meets(const struct lane *lane, unsigned kind,
			      uint64_t from, uint64_t bits)
{
	uint64_t behind = bits >> 1 >> (63 - from % 64);

	return lane_word(lane, kind, from / 64) & bits << from % 64 ||
	       (behind && lane_word(lane, kind, from / 64 + 1) & behind);
}

static inline void lane_set(struct lane *lane, unsigned kind, uint64_t now,
			    uint64_t from, uint64_t bits)
{
	uint64_t behind = bits >> 1 >> (63 - from % 64);

	lane_slot(lane, now / 64, from / 64)->bits[kind] |= bits << from % 64;
	if (behind)
		lane_slot(lane, now / 64, from / 64 + 1)->bits[kind] |= behind;
}

#endif
