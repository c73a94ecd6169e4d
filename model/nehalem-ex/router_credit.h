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

#include "model/nehalem-ex/router_lane.h"

enum {
	CREDITS_MAX_VNA = 127,
	CREDITS_PER_WORD = 8,
	CREDITS_GROUPS = 512, /* of a stay, mostly, at most */
	CREDITS_VNA = 2,      /* packet.vn; below it a place of VN0 or VN1 */
};

#define CREDITS_EACH UINT64_C(0x0101010101010101)

/* Words of the timetable: flits of VNA taken, a byte per group; and a byte for
 * each place, with a bit per group. */
enum { CREDITS_FLITS, CREDITS_PLACES };

struct credits {
	unsigned shift; /* cycles per group, as a power of two */
	unsigned flits; /* of VNA */
	uint64_t spare; /* in each byte: what is missing to 127 */
	struct lane lane;
};

/* Who asks for a credit, and from when to when (not including it). */
struct credits_need {
	uint64_t from, to;
	uint8_t flits, cls;
	uint8_t network; /* whose place it may take */
};

/* Credits for so many flits of VNA, which are mostly held for so long. */
void credits_init(struct credits *credits, unsigned flits, unsigned cycles);

/* need->from, if there is a credit (*vn says which), else the next cycle worth
 * trying. */
uint64_t credits_from(const struct credits *credits,
		      const struct credits_need *need, uint8_t *vn);

/* Slow paths (router_credit.c). */
uint64_t credits_take_slowly(struct credits *credits, uint64_t now,
			     const struct credits_need *need, uint8_t *vn);

/* What was taken for something that is not to be. */
void credits_put_back(struct credits *credits, uint64_t now,
		      const struct credits_need *need, unsigned vn);

/* The eight groups of a word, to be written. */
static inline struct lane_slot *credits_slot(struct credits *credits,
					     uint64_t now, uint64_t number)
{
	return lane_slot(&credits->lane,
			 (now >> credits->shift) / CREDITS_PER_WORD, number);
}

/* Takes a credit, if there is one; returns what credits_from() does. Mostly it
 * is VNA. */
static inline uint64_t credits_take(struct credits *credits, uint64_t now,
				    const struct credits_need *need,
				    uint8_t *vn)
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

	if (need->flits > credits->flits)
		return credits_take_slowly(credits, now, need, vn);
	for (; word < end; word++) {
		sum = credits_slot(credits, now, word)->bits[CREDITS_FLITS] +=
			bytes & mask;
		over |= sum + spare;
		mask = UINT64_MAX;
	}
	sum = credits_slot(credits, now, word)->bits[CREDITS_FLITS] +=
		bytes & mask & last_mask;
	over |= sum + spare;
	*vn = CREDITS_VNA;
	if (!(over & CREDITS_EACH << 7))
		return need->from;
	credits_put_back(credits, now, need, CREDITS_VNA);
	return credits_take_slowly(credits, now, need, vn);
}

#endif
