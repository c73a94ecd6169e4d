/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What passes over a link of the S-Box in the cycles of the near past and
 * future: packets, and idle flits with credits. It is known, not given out: who
 * owns the link says when a packet passes.
 *
 * A credit that falls due while its link carries a packet travels in one of the
 * flits of that packet; else it takes an idle flit of its own, which all
 * credits of a cycle share. Idle flits fill cycles that nobody wanted, so they
 * hold up nothing: a credit is usable at once, as if it had been on its way
 * before. A packet of a journey that starts later may still want the cycle of
 * an idle flit; then both pass.
 */
#ifndef UNCORE_AGENT_LINK_H
#define UNCORE_AGENT_LINK_H

#include <stdbool.h>
#include <stdint.h>

enum { LINK_WORDS = 16 };

/* Of 64 cycles; a word is for the last ones that somebody asked for. */
struct link_word {
	uint64_t of; /* cycle / 64 */
	uint64_t packets, idle;
	uint64_t bypass; /* the link's bypass carries something */
};

struct agent_link {
	struct link_word words[LINK_WORDS];
};

static inline struct link_word *link_word(struct agent_link *link,
					  uint64_t cycle)
{
	struct link_word *word = &link->words[cycle / 64 % LINK_WORDS];

	if (word->of != cycle / 64)
		*word = (struct link_word){ .of = cycle / 64 };
	return word;
}

/* No packet passes in a cycle. */
static inline bool link_is_free(struct agent_link *link, uint64_t at)
{
	return !(link_word(link, at)->packets >> at % 64 & 1);
}

/* A packet passes, of up to 64 flits. */
static inline void link_carries(struct agent_link *link, uint64_t from,
				unsigned flits)
{
	uint64_t mask = UINT64_MAX >> (64 - flits);

	link_word(link, from)->packets |= mask << from % 64;
	if (from % 64 + flits > 64)
		link_word(link, from + flits)->packets |=
			mask >> (64 - from % 64);
}

/* A credit is sent; true: in an idle flit of its own. */
static inline bool link_takes_idle(struct agent_link *link, uint64_t at)
{
	struct link_word *word = link_word(link, at);
	uint64_t bit = UINT64_C(1) << at % 64;

	if ((word->packets | word->idle) & bit)
		return false;
	word->idle |= bit;
	return true;
}

/* Something takes the bypass of the link for some cycles (up to 64). Returns
 * those in which it was not in use before: bit 0 is for `from`. */
static inline uint64_t link_bypass(struct agent_link *link, uint64_t from,
				   unsigned cycles)
{
	struct link_word *word = link_word(link, from);
	uint64_t mask = UINT64_MAX >> (64 - cycles);
	uint64_t had = word->bypass >> from % 64;

	word->bypass |= mask << from % 64;
	if (from % 64 + cycles > 64) {
		word = link_word(link, from + cycles);
		had |= word->bypass << (64 - from % 64);
		word->bypass |= mask >> (64 - from % 64);
	}
	return mask & ~had;
}

#endif
