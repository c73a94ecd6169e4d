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
 * before. A packet of a journey that starts later may still want the cycle of
 * an idle flit; then both pass.
 *
 * Invariants
 * 1. Bits stand for the cycles base .. base + LINK_CYCLES - 1; base is a
 *    multiple of 64 and not after now. It moves when something lies too far
 *    ahead.
 * 2. Of what begins outside of base .. base + LINK_REACH - 1 nothing is known.
 */
#ifndef UNCORE_AGENT_LINK_H
#define UNCORE_AGENT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/pmu/signal.h"

/* The direct links and those of the R-Box's port. */
enum agent_link {
	LINK_TO_R,
	LINK_TO_B,
	LINK_FROM_R,
	LINK_FROM_B,
	LINK_NUM,
};

enum {
	LINK_WORDS = 16,
	LINK_CYCLES = LINK_WORDS * 64,
	LINK_REACH = LINK_CYCLES - 64,
};

/* Of 64 cycles of a link. */
struct link_word {
	uint64_t packets, idle;
	uint64_t bypass; /* the link's bypass carries something */
	uint64_t unused;
};

struct agent_links {
	uint64_t base;
	struct link_word words[LINK_WORDS][LINK_NUM];
};

/* Whether a cycle is known of, when what is past has made way for it. */
SIG_SLOW bool links_move(struct agent_links *links, uint64_t now,
			 uint64_t cycle);

static inline struct link_word *link_word(struct agent_links *links,
					  enum agent_link link, uint64_t cycle)
{
	return &links->words[cycle / 64 % LINK_WORDS][link];
}

/* The word of a cycle, or NULL if that is not known of. */
static inline struct link_word *link_at(struct agent_links *links,
					enum agent_link link, uint64_t now,
					uint64_t cycle)
{
	if (cycle - links->base >= LINK_REACH && !links_move(links, now, cycle))
		return NULL;
	return link_word(links, link, cycle);
}

/* No packet passes in a cycle. */
static inline bool link_is_free(struct agent_links *links, enum agent_link link,
				uint64_t now, uint64_t at)
{
	const struct link_word *word = link_at(links, link, now, at);

	return !word || !(word->packets >> at % 64 & 1);
}

/* A packet passes, of up to 64 flits. */
static inline void link_carries(struct agent_links *links, enum agent_link link,
				uint64_t now, uint64_t from, unsigned flits)
{
	uint64_t mask = (UINT64_C(2) << (flits - 1)) - 1;
	struct link_word *word = link_at(links, link, now, from);

	if (!word)
		return;
	word->packets |= mask << from % 64;
	if (from % 64 + flits > 64)
		link_word(links, link, from + 63)->packets |=
			mask >> (64 - from % 64);
}

/* A credit is sent; true: in an idle flit of its own. */
static inline bool link_takes_idle(struct agent_links *links,
				   enum agent_link link, uint64_t now,
				   uint64_t at)
{
	struct link_word *word = link_at(links, link, now, at);
	uint64_t bit = UINT64_C(1) << at % 64;

	if (!word)
		return true;
	if ((word->packets | word->idle) & bit)
		return false;
	word->idle |= bit;
	return true;
}

/* Something takes the bypass of the link for some cycles (up to 64). Returns
 * those in which it was not in use before: bit 0 is for `from`. */
static inline uint64_t link_bypass(struct agent_links *links,
				   enum agent_link link, uint64_t now,
				   uint64_t from, unsigned cycles)
{
	struct link_word *word = link_at(links, link, now, from);
	uint64_t mask = (UINT64_C(2) << (cycles - 1)) - 1, had;

	if (!word)
		return mask;
	had = word->bypass >> from % 64;
	word->bypass |= mask << from % 64;
	if (from % 64 + cycles > 64) {
		word = link_word(links, link, from + 63);
		had |= word->bypass << (64 - from % 64);
		word->bypass |= mask >> (64 - from % 64);
	}
	return mask & ~had;
}

#endif
