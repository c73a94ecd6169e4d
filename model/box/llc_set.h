/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A set of the LLC: the tags of its ways, then what else is known of them, 8
 * bytes a way. 24 ways are three lines of the host's caches, which is what a
 * look-up costs once instructions are few; so sets begin where such a line does
 * and have room for a multiple of 8 ways.
 *
 * Invariants
 * 1. The tag of an empty way is 0, also of those behind the last one that are
 *    only room.
 * 2. The ages of ways that are not empty are 0 for the one used last, up to one
 *    less than there are of them, each once: true LRU. Those of empty ways mean
 *    nothing, so that all 0 is an empty set.
 */
#ifndef UNCORE_LLC_SET_H
#define UNCORE_LLC_SET_H

#include "model/box/llc.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LLC_SET_WAY_BYTES = 8, LLC_SET_STEP = 8 };

_Static_assert(sizeof(uint32_t) + sizeof(struct llc_way) == LLC_SET_WAY_BYTES,
	       "a way of the LLC is packed");

/* The ways of a set behind its tags. */
static inline struct llc_way *llc_set_ways(uint32_t *tags, unsigned room)
{
	return (struct llc_way *)(tags + room);
}

#ifdef __SSE2__

/* The first way with the tag; `room`: none. */
static inline unsigned llc_set_find(const uint32_t *tags, unsigned room,
				    uint32_t tag)
{
	const __m128i *four = (const __m128i *)tags;
	__m128i wanted = _mm_set1_epi32((int)tag);

#pragma GCC unroll 3
	for (unsigned i = 0; i < room; i += LLC_SET_STEP, four += 2) {
		__m128i low = _mm_cmpeq_epi32(four[0], wanted);
		__m128i high = _mm_cmpeq_epi32(four[1], wanted);
		int same = _mm_movemask_epi8(_mm_packs_epi32(low, high));

		if (same)
			return i + (unsigned)__builtin_ctz((unsigned)same) / 2;
	}
	return room;
}

enum { LLC_AGE_SHIFT = 32 - LLC_AGE_BITS }; /* age is the last field */

static inline __m128i llc_set_ages(__m128i four)
{
	return _mm_srli_epi32(four, LLC_AGE_SHIFT);
}

/* All ways are in use: the one that was used before all others. */
static inline unsigned llc_set_oldest(const struct llc_way *ways, unsigned num)
{
	const __m128i *four = (const __m128i *)ways;
	__m128i age = _mm_set1_epi32((int)num - 1);

	for (unsigned i = 0;; i += 4, four++) {
		__m128i oldest = _mm_cmpeq_epi32(llc_set_ages(*four), age);
		int which = _mm_movemask_epi8(oldest);

		if (which)
			return i + (unsigned)__builtin_ctz((unsigned)which) / 4;
	}
}

/* Ages below that one grow by 1. */
static inline void llc_set_grow(struct llc_way *ways, unsigned room,
				unsigned age)
{
	__m128i *four = (__m128i *)ways;
	__m128i limit = _mm_set1_epi32((int)age);
	__m128i one = _mm_set1_epi32(1 << LLC_AGE_SHIFT);

#pragma GCC unroll 3
	for (unsigned i = 0; i < room; i += LLC_SET_STEP, four += 2) {
		__m128i low = _mm_cmplt_epi32(llc_set_ages(four[0]), limit);
		__m128i high = _mm_cmplt_epi32(llc_set_ages(four[1]), limit);

		four[0] = _mm_add_epi32(four[0], _mm_and_si128(low, one));
		four[1] = _mm_add_epi32(four[1], _mm_and_si128(high, one));
	}
}

#else

static inline unsigned llc_set_find(const uint32_t *tags, unsigned room,
				    uint32_t tag)
{
	unsigned i = 0;

	while (i < room && tags[i] != tag)
		i++;
	return i;
}

static inline unsigned llc_set_oldest(const struct llc_way *ways, unsigned num)
{
	unsigned i = 0;

	while (ways[i].age < num - 1)
		i++;
	return i;
}

static inline void llc_set_grow(struct llc_way *ways, unsigned room,
				unsigned age)
{
	for (unsigned i = 0; i < room; i++)
		if (ways[i].age < age)
			ways[i].age++;
}

#endif

/* As above; most sets have room for so many ways, which saves counting. */
enum { LLC_SET_USUAL = 24 };

static inline void llc_set_make_older(struct llc_way *ways, unsigned room,
				      unsigned age)
{
	if (room == LLC_SET_USUAL)
		llc_set_grow(ways, LLC_SET_USUAL, age);
	else
		llc_set_grow(ways, room, age);
}

static inline unsigned llc_set_look_for(const uint32_t *tags, unsigned room,
					uint32_t tag)
{
	return room == LLC_SET_USUAL ? llc_set_find(tags, LLC_SET_USUAL, tag)
				     : llc_set_find(tags, room, tag);
}

/* The way, of some age, is the one used last. */
static inline void llc_set_use(struct llc_way *ways, unsigned room,
			       unsigned way)
{
	unsigned age = ways[way].age;

	if (!age)
		return;
	llc_set_make_older(ways, room, age);
	ways[way].age = 0;
}

/* A way that was empty is used; there are `num` in the set. */
static inline void llc_set_enter(struct llc_way *ways, unsigned room,
				 unsigned way, unsigned num)
{
	llc_set_make_older(ways, room, num);
	ways[way].age = 0;
}

/* The way becomes empty: those older than it are not as old any more. */
static inline void llc_set_leave(struct llc_way *ways, unsigned num,
				 unsigned way)
{
	unsigned age = ways[way].age;

	if (age + 1 >= num) /* none is older */
		return;
	for (unsigned i = 0; i < num; i++)
		if (ways[i].age > age)
			ways[i].age--;
}

#endif
