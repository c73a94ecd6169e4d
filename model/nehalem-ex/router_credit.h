/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The credits of an input buffer (Table 2-38): flits of VNA that the classes
 * share, and one packet of each class on VN0 and on VN1. A packet takes VNA if
 * there is room for its flits, else its place.
 *
 * A buffer is a timetable of groups of cycles, since a packet that is looked at
 * now may need a credit earlier than one that was looked at before. What is
 * held in any cycle of a group counts for all of it. A credit has to be there
 * for as long as the packet needs it.
 *
 * Eight groups of VNA are added and compared at a time: a byte each, and no sum
 * has more than 8 bits with at most CREDITS_MAX_VNA flits. What would be too
 * much is found when it has been added, and is taken back.
 */
#ifndef UNCORE_ROUTER_CREDIT_H
#define UNCORE_ROUTER_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CREDITS_MAX_VNA = 127,
	CREDITS_PER_WORD = 8,
	CREDITS_WORDS = 64,
	CREDITS_GROUPS = CREDITS_WORDS * CREDITS_PER_WORD,
	CREDITS_VNA = 2, /* packet.vn; below it a place of VN0 or VN1 */
};

#define CREDITS_EACH UINT64_C(0x0101010101010101)

/* Invariants
 * 1. A word that does not have the number asked for is stale, and empty.
 * 2. When a credit is needed further ahead than the words reach, groups become
 *    twice as long, with what is the more in two of them; so it may be more
 * than is held, never less.
 */
struct credits {
	unsigned shift; /* cycles per group, as a power of two */
	unsigned flits; /* of VNA */
	uint64_t spare; /* in each byte: what is missing to 127 */
	struct credits_word {
		uint64_t number; /* of the eight groups */
		uint64_t vna;	 /* flits taken, a byte per group */
	} words[CREDITS_WORDS];
	uint64_t places_from, places_to; /* other groups have none taken */
	uint16_t places[CREDITS_GROUPS]; /* bit per network and class: taken */
};

/* Who asks for a credit, and from when to when (not including it). */
struct credits_need {
	uint64_t from, to;
	uint8_t flits, cls;
	uint8_t network; /* whose place it may take */
	uint8_t shift;	 /* of the timetable when it was taken */
};

/* Credits for so many flits of VNA; the timetable reaches so far. */
void credits_init(struct credits *credits, unsigned flits, unsigned cycles);

/* need->from, if there is a credit (*vn says which), else the next cycle worth
 * trying. */
uint64_t credits_from(struct credits *credits, uint64_t now,
		      struct credits_need *need, uint8_t *vn);

/* Slow paths (router_credit.c). */
uint64_t credits_take_slowly(struct credits *credits, uint64_t now,
			     struct credits_need *need, uint8_t *vn);

/* What was taken for something that is not to be; it stays taken where groups
 * have become longer meanwhile. */
void credits_put_back(struct credits *credits, struct credits_need *need,
		      unsigned vn);

/* The first word that is too far ahead. */
static inline uint64_t credits_limit(const struct credits *credits,
				     uint64_t now)
{
	return (now >> credits->shift) / CREDITS_PER_WORD + CREDITS_WORDS;
}

static inline uint64_t credits_vna(const struct credits *credits,
				   uint64_t number)
{
	const struct credits_word *word =
		&credits->words[number % CREDITS_WORDS];

	return word->number == number ? word->vna : 0;
}

static inline struct credits_word *credits_word(struct credits *credits,
						uint64_t number)
{
	struct credits_word *word = &credits->words[number % CREDITS_WORDS];

	if (word->number != number)
		*word = (struct credits_word){ .number = number };
	return word;
}

/* Takes a credit, if there is one; returns what credits_from() does. Mostly it
 * is VNA, and within a few words. */
static inline uint64_t credits_take(struct credits *credits, uint64_t now,
				    struct credits_need *need, uint8_t *vn)
{
	uint64_t first = need->from >> credits->shift;
	uint64_t last = (need->to - 1) >> credits->shift;
	uint64_t word = first / CREDITS_PER_WORD, end = last / CREDITS_PER_WORD;
	uint64_t bytes = CREDITS_EACH * need->flits, over = 0, sum;
	uint64_t spare = credits->spare;
	uint64_t mask = UINT64_MAX << first % CREDITS_PER_WORD * 8;
	uint64_t last_mask =
		UINT64_MAX >>
		(CREDITS_PER_WORD - 1 - last % CREDITS_PER_WORD) * 8;

	need->shift = (uint8_t)credits->shift;
	if (end >= credits_limit(credits, now))
		return credits_take_slowly(credits, now, need, vn);
	for (; word < end; word++) {
		sum = credits_word(credits, word)->vna += bytes & mask;
		over |= sum + spare;
		mask = UINT64_MAX;
	}
	sum = credits_word(credits, word)->vna += bytes & mask & last_mask;
	over |= sum + spare;
	*vn = CREDITS_VNA;
	if (!(over & CREDITS_EACH << 7))
		return need->from;
	credits_put_back(credits, need, CREDITS_VNA);
	return credits_take_slowly(credits, now, need, vn);
}

#endif
