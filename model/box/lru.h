/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The order in which the ways of a set were used, true LRU for up to eight of
 * them in one word: four bits for each way, its age, 0 for the one used last,
 * up to one less than there are ways. No way moves when it is used. What is
 * kept is the age exclusive-or the way's number, so that all zero is an order,
 * too: way 0 the latest. And the search for the way that has a word.
 */
#ifndef UNCORE_LRU_H
#define UNCORE_LRU_H

#include <stdint.h>

#define LRU_NUMBERS 0x76543210u
#define LRU_ONES    0x11111111u
#define LRU_TOPS    0x88888888u

/* The way becomes the latest. */
static inline void lru_use(uint32_t *order, unsigned way)
{
	uint32_t ages = *order ^ LRU_NUMBERS;
	uint32_t age = ages >> 4 * way & 7;
	/* a top bit stays where the age is that of the way, or more */
	uint32_t younger = ~((ages | LRU_TOPS) - age * LRU_ONES) & LRU_TOPS;

	ages += younger >> 3;
	ages &= ~(0xfu << 4 * way);
	*order = ages ^ LRU_NUMBERS;
}

/* The way that was used before all others becomes the latest, and is returned;
 * `ways`: 4 or 8. */
static inline unsigned lru_renew_oldest(uint32_t *order, unsigned ways)
{
	uint32_t all = LRU_ONES >> (32 - 4 * ways);
	uint32_t ages = *order ^ LRU_NUMBERS;
	/* The top bit comes up where the age is ways - 1, or more: that is one
	 * way, and those that are not there, behind it. */
	uint32_t last = (ages + (9 - ways) * LRU_ONES) & LRU_TOPS;
	unsigned shift = (unsigned)__builtin_ctz(last) - 3;

	ages = (ages + all) & ~(0xfu << shift);
	*order = ages ^ LRU_NUMBERS;
	return shift / 4;
}

/* The way becomes the oldest. */
static inline void lru_retire(uint32_t *order, unsigned way, unsigned ways)
{
	uint32_t ages = *order ^ LRU_NUMBERS;
	uint32_t age = ages >> 4 * way & 7;
	uint32_t older = ~((age | 8) * LRU_ONES - ages) & LRU_TOPS;

	if (ways < 8)
		older &= (1u << 4 * ways) - 1;
	ages -= older >> 3;
	ages &= ~(0xfu << 4 * way);
	ages |= (ways - 1) << 4 * way;
	*order = ages ^ LRU_NUMBERS;
}

typedef char lru_chars __attribute__((vector_size(16)));

/* The same of up to sixteen ways, a byte for each: age exclusive-or number. */
typedef int8_t lru_bytes __attribute__((vector_size(16)));
#define LRU_PLACES                                                             \
	(lru_bytes)                                                            \
	{                                                                      \
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15           \
	}

/* Bit n of the result: byte n is not 0. */
static inline unsigned lru_bits(lru_bytes bytes)
{
#ifdef __SSE2__
	return (unsigned)__builtin_ia32_pmovmskb128((lru_chars)bytes);
#else
	unsigned bits = 0;

	for (unsigned i = 0; i < 16; i++)
		bits |= (bytes[i] & 1u) << i;
	return bits;
#endif
}

static inline void lru_use_wide(lru_bytes *order, unsigned way)
{
	lru_bytes ages = *order ^ LRU_PLACES;
	int8_t age = (int8_t)(((const int8_t *)order)[way] ^ (int)way);

	*order = (ages - (lru_bytes)(ages < age)) ^ LRU_PLACES;
	((int8_t *)order)[way] = (int8_t)way;
}

static inline unsigned lru_renew_oldest_wide(lru_bytes *order, unsigned ways)
{
	lru_bytes ages = *order ^ LRU_PLACES;
	lru_bytes last = (lru_bytes)(ages == (int8_t)(ways - 1));
	lru_bytes younger = (lru_bytes)(ages < (int8_t)(ways - 1));

	*order = ((ages - younger) & ~last) ^ LRU_PLACES;
	return (unsigned)__builtin_ctz(lru_bits(last));
}

static inline void lru_retire_wide(lru_bytes *order, unsigned way,
				   unsigned ways)
{
	lru_bytes ages = *order ^ LRU_PLACES;
	int8_t age = (int8_t)(((const int8_t *)order)[way] ^ (int)way);

	*order = (ages + (lru_bytes)((ages > age) & (ages < (int8_t)ways))) ^
		 LRU_PLACES;
	((int8_t *)order)[way] = (int8_t)((int)(ways - 1) ^ (int)way);
}

/* Four ways at once, in C that any compiler with vector extensions knows. */
typedef uint32_t lru_words
	__attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t lru_lanes __attribute__((vector_size(16)));
typedef int16_t lru_shorts __attribute__((vector_size(16)));

/* Bit n of the result: way n of the 4 or 8 has the word, in the bits of
 * `mask`; the word has no others. */
static inline unsigned lru_match(const uint32_t *words, uint32_t word,
				 uint32_t mask, unsigned ways)
{
	lru_lanes low = (lru_lanes)((*(const lru_words *)words & mask) == word);
	lru_lanes high = { 0 };

	if (ways > 4)
		high = (lru_lanes)((*(const lru_words *)(words + 4) & mask) ==
				   word);
#ifdef __SSE2__
	lru_shorts packed = __builtin_ia32_packssdw128(low, high);

	return (unsigned)__builtin_ia32_pmovmskb128(
		       (lru_chars)__builtin_ia32_packsswb128(packed, packed)) &
	       0xff;
#else
	unsigned bits = 0;

	for (unsigned i = 0; i < 4; i++)
		bits |= (low[i] & 1u) << i | (high[i] & 1u) << (i + 4);
	return bits;
#endif
}

#endif
