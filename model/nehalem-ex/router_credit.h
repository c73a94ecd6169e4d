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
 * has more than 8 bits with at most CREDITS_MAX_VNA flits.
 *
 * Mostly all that is held at whatever time leaves room for one more packet. So
 * who has VNA is a list of stays; only when somebody has to look closer they
 * are added up in the timetable, for the time that he needs. Places are in it
 * alone.
 */
#ifndef UNCORE_ROUTER_CREDIT_H
#define UNCORE_ROUTER_CREDIT_H

#include "model/nehalem-ex/router_lane.h"

enum {
	CREDITS_MAX_VNA = 127,
	CREDITS_STAYS = 192, /* at first */
	CREDITS_PER_WORD = 8,
	CREDITS_GROUPS = 512, /* of a stay, mostly, at most */
	CREDITS_VNA = 2,      /* packet.vn; below it a place of VN0 or VN1 */
	CREDITS_BID = 2,      /* of a plain packet, and its class behind; */
	CREDITS_BID_VAIN = 1, /* it fails. 0: somebody else tells of it */
	CREDITS_BID_CLASS = 2,
};

#define CREDITS_EACH UINT64_C(0x0101010101010101)

/* Words of the timetable: flits of VNA taken, a byte per group; and a byte for
 * each place, with a bit per group. */
enum { CREDITS_FLITS, CREDITS_PLACES };

struct credits {
	unsigned flits;	   /* of VNA */
	unsigned held;	   /* by stays, */
	unsigned num;	   /* so many; of them: */
	unsigned num_told; /* whose bids are levels */
	unsigned room;
	unsigned shift; /* cycles per group, as a power of two */
	struct credits_stay {
		uint64_t from;
		uint32_t cycles;
		uint8_t flits;
		uint8_t bid; /* CREDITS_BID_*; not the credit's business */
	} * stays;
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
void credits_fini(struct credits *credits);

/* need->from, if there is a credit (*vn says which), else the next cycle worth
 * trying. */
uint64_t credits_from(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn);

/* Takes a credit, if there is one; returns what credits_from() does. */
uint64_t credits_take(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn);

/* What was taken last, for something that is not to be. */
void credits_put_back(struct credits *credits, uint64_t now,
		      const struct credits_need *need, unsigned vn);

/* Slow path: what is over is forgotten; there is room from a cycle on. */
bool credits_forget(struct credits *credits, uint64_t now, uint64_t from,
		    unsigned flits);

/* There is VNA from a cycle on, for however long. */
static inline bool credits_have(struct credits *credits, uint64_t now,
				uint64_t from, unsigned flits)
{
	return credits->held + flits <= credits->flits ||
	       credits_forget(credits, now, from, flits);
}

/* Takes VNA, when credits_have() it. */
static inline void credits_hold(struct credits *credits, uint64_t from,
				uint64_t to, unsigned flits, unsigned bid)
{
	credits->stays[credits->num++] = (struct credits_stay){
		from,
		(uint32_t)(to - from),
		(uint8_t)flits,
		(uint8_t)bid,
	};
	credits->held += flits;
}

#endif
