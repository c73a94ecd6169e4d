/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The credits of an input buffer (Table 2-38): flits of VNA that the classes
 * share, and one packet of each class on VN0 and on VN1. A packet takes VNA if
 * there is room for its flits, else its place.
 *
 * Invariants
 * 1. Who has a credit is a list of stays, since a packet that is looked at now
 *    may need one earlier than one that was looked at before. A credit has to
 *    be there for as long as the packet needs it. Time has steps of
 *    CREDITS_STEP cycles: what is held in one of them is held in all.
 * 2. `held` are the flits of all stays with VNA, at whatever time: mostly they
 *    leave room for one more packet, and nobody has to look closer.
 * 3. Stays that have ended by `now` may be forgotten.
 */
#ifndef UNCORE_ROUTER_CREDIT_H
#define UNCORE_ROUTER_CREDIT_H

#include "model/box/packet.h"

enum {
	CREDITS_VNA = 2, /* packet.vn; below it a place of VN0 or VN1 */
	CREDITS_STEP = 4,
};

/* Who asks for a credit, and from when to when (not including it). */
struct credits_need {
	uint64_t from, to;
	uint8_t flits, cls;
	uint8_t network; /* whose place it may take */
};

struct credits {
	unsigned flits; /* of VNA */
	unsigned held, num, room;
	struct credits_stay {
		uint64_t from, to;
		uint8_t flits, cls, vn;
	} * stays;
};

static inline uint64_t credits_step(uint64_t cycle)
{
	return cycle / CREDITS_STEP * CREDITS_STEP;
}

/* Credits for so many flits of VNA. */
void credits_init(struct credits *credits, unsigned flits);
void credits_fini(struct credits *credits);

/* There is VNA from a cycle on, however long it is needed. Slow path, which
 * forgets what has ended. */
bool credits_look(struct credits *credits, uint64_t now, uint64_t from,
		  unsigned flits);
static inline bool credits_suffice(struct credits *credits, uint64_t now,
				   uint64_t from, unsigned flits)
{
	return credits->held + flits <= credits->flits ||
	       credits_look(credits, now, from, flits);
}

/* Slow path: there is room for one more stay. */
void credits_make_room(struct credits *credits, uint64_t now);

/* Takes VNA, when they suffice. */
static inline void credits_hold(struct credits *credits, uint64_t now,
				uint64_t from, uint64_t to, unsigned flits)
{
	if (credits->num == credits->room)
		credits_make_room(credits, now);
	credits->stays[credits->num++] = (struct credits_stay){
		from, to, (uint8_t)flits, 0, CREDITS_VNA,
	};
	credits->held += flits;
}

/* need->from, if there is a credit (*vn says which), else the next cycle worth
 * trying. */
uint64_t credits_from(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn);

/* Takes a credit, if there is one; returns what credits_from() does. */
uint64_t credits_take(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn);

/* What was taken last is not needed. */
void credits_put_back(struct credits *credits);

#endif
