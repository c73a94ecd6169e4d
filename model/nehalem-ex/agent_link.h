/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What passes over the links of an S-Box in the cycles to come: packets, and
 * idle flits with credits. It is known, not given out: who owns the link says
 * when a packet passes.
 *
 * A credit that falls due while its link carries a packet travels in one of the
 * flits of that packet; else it takes an idle flit of its own, which all
 * credits of a cycle share. Idle flits fill cycles that nobody wanted, so they
 * hold up nothing: a credit is usable at once, as if it had been on its way
 * before. A packet of a transaction that starts later may still want the cycle
 * of an idle flit; then both pass.
 *
 * A cycle has a bit for each link and thing, in one word of all links.
 *
 * Invariants
 * 1. Words stand for the cycles base .. base + LINK_CYCLES - 1; base is a
 *    multiple of 64 and not after now. It moves when something lies too far
 *    ahead.
 * 2. Of what begins behind base + LINK_REACH - 1 nothing is known; nobody asks
 *    for what is before base.
 */
#ifndef UNCORE_AGENT_LINK_H
#define UNCORE_AGENT_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/signal.h"

/* The direct links and those of the R-Box's port. */
enum agent_link { LINK_TO_R, LINK_TO_B, LINK_FROM_R, LINK_FROM_B };

enum { LINK_CYCLES = 4096, LINK_REACH = LINK_CYCLES - 64 };

/* Of link 0; those of the others are shifted by their number. */
enum {
	LINK_PACKET = 1 << 0,
	LINK_IDLE = 1 << 4,
	LINK_BYPASS = 1 << 8, /* the link's bypass carries something */
};

struct agent_links {
	uint64_t base, end; /* end: from there on nothing is known */
	uint16_t cycles[LINK_CYCLES];
};

/* What is past makes way for a cycle; whether that is known of. */
SIG_SLOW bool links_move(struct agent_links *links, uint64_t now,
			 uint64_t cycle);

/* Marks some cycles (up to 32) with a bit; those that had it not: bit 0 is for
 * `from`. */
SIG_SLOW unsigned links_mark_some(struct agent_links *links, uint64_t from,
				  unsigned cycles, unsigned bit);

/* Whether a cycle is known of. */
static inline bool links_know(struct agent_links *links, uint64_t now,
			      uint64_t cycle)
{
	return cycle < links->end || links_move(links, now, cycle);
}

static inline uint16_t *links_at(struct agent_links *links, uint64_t cycle)
{
	return &links->cycles[cycle % LINK_CYCLES];
}

/* No packet passes in a cycle. */
static inline bool link_is_free(struct agent_links *links, enum agent_link link,
				uint64_t now, uint64_t at)
{
	return !links_know(links, now, at) ||
	       !(*links_at(links, at) & LINK_PACKET << link);
}

/* The same with LINK_*, shifted, for what passes; from is not before `base`. */
static inline unsigned links_mark(struct agent_links *links, uint64_t now,
				  uint64_t from, unsigned cycles, unsigned bit)
{
	uint16_t *cycle = links_at(links, from), had = *cycle;

	if (!links_know(links, now, from))
		return UINT32_MAX >> (32 - cycles);
	if (cycles > 1)
		return links_mark_some(links, from, cycles, bit);
	*cycle |= (uint16_t)bit;
	return !(had & bit);
}

/* A credit is sent; true: in an idle flit of its own. */
static inline bool link_takes_idle(struct agent_links *links,
				   enum agent_link link, uint64_t now,
				   uint64_t at)
{
	uint16_t *cycle = links_at(links, at);

	if (!links_know(links, now, at))
		return true;
	if (*cycle & (LINK_PACKET | LINK_IDLE) << link)
		return false;
	*cycle |= (uint16_t)(LINK_IDLE << link);
	return true;
}

#endif
