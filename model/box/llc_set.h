/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A set of the LLC: the tags of its ways, their ages, a byte each, then what
 * else is known of them. A look-up costs lines of the host's caches once
 * instructions are few; so sets begin where such a line does, and of 24 ways
 * tags and ages are two lines, all the rest two.
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

/* Room is for a multiple of LLC_SET_STEP ways; ages are worked off as many at
 * once as LLC_AGE_STEP. */
enum { LLC_SET_STEP = 8, LLC_AGE_STEP = 16 };

_Static_assert(sizeof(struct llc_way) == sizeof(uint32_t),
	       "a way of the LLC is packed");

/* The ages of a set, and how many words behind its tags the ways begin. */
static inline uint8_t *llc_set_ages(uint32_t *tags, unsigned room)
{
	return (uint8_t *)(tags + room);
}

static inline unsigned llc_set_way_words(unsigned room)
{
	unsigned ages = (room + LLC_AGE_STEP - 1) / LLC_AGE_STEP * LLC_AGE_STEP;

	return room + ages / (unsigned)sizeof(uint32_t);
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

/* If all `num` ways are in use, the one that was used before all others; else
 * none that is in use. */
static inline unsigned llc_set_oldest(const uint8_t *ages, unsigned num)
{
	const __m128i *some = (const __m128i *)ages;
	__m128i age = _mm_set1_epi8((char)(num - 1));

	for (unsigned i = 0; i < num; i += LLC_AGE_STEP, some++) {
		int which = _mm_movemask_epi8(_mm_cmpeq_epi8(*some, age));

		if (which)
			return i + (unsigned)__builtin_ctz((unsigned)which);
	}
	return num;
}

/* Ages below that one grow by 1. */
static inline void llc_set_grow(uint8_t *ages, unsigned room, unsigned age)
{
	__m128i *some = (__m128i *)ages;
	__m128i limit = _mm_set1_epi8((char)age);

#pragma GCC unroll 2
	for (unsigned i = 0; i < room; i += LLC_AGE_STEP, some++)
		*some = _mm_sub_epi8(*some, _mm_cmplt_epi8(*some, limit));
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

static inline unsigned llc_set_oldest(const uint8_t *ages, unsigned num)
{
	unsigned i = 0;

	while (i < num && ages[i] != num - 1)
		i++;
	return i;
}

static inline void llc_set_grow(uint8_t *ages, unsigned room, unsigned age)
{
	for (unsigned i = 0; i < room; i++)
		if (ages[i] < age)
			ages[i]++;
}

#endif

/* As above; most sets have room for so many ways, which saves counting. */
enum { LLC_SET_USUAL = 24 };

static inline void llc_set_make_older(uint8_t *ages, unsigned room,
				      unsigned age)
{
	if (room == LLC_SET_USUAL)
		llc_set_grow(ages, LLC_SET_USUAL, age);
	else
		llc_set_grow(ages, room, age);
}

static inline unsigned llc_set_look_for(const uint32_t *tags, unsigned room,
					uint32_t tag)
{
	return room == LLC_SET_USUAL ? llc_set_find(tags, LLC_SET_USUAL, tag)
				     : llc_set_find(tags, room, tag);
}

/* The way, of some age, is the one used last. */
static inline void llc_set_use(uint8_t *ages, unsigned room, unsigned way)
{
	if (!ages[way])
		return;
	llc_set_make_older(ages, room, ages[way]);
	ages[way] = 0;
}

/* A way that was empty is used; there are `num` in the set. */
static inline void llc_set_enter(uint8_t *ages, unsigned room, unsigned way,
				 unsigned num)
{
	llc_set_make_older(ages, room, num);
	ages[way] = 0;
}

/* The way becomes empty: those older than it are not as old any more. */
static inline void llc_set_leave(uint8_t *ages, unsigned num, unsigned way)
{
	uint8_t age = ages[way];

	if (age + 1u >= num) /* none is older */
		return;
	for (unsigned i = 0; i < num; i++)
		if (ages[i] > age)
			ages[i]--;
}

#endif
