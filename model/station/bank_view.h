/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * For bank.c and bank_view.c alone: how clocks are looked for and marked in the
 * view, inlined.
 */
#ifndef UNCORE_BANK_VIEW_H
#define UNCORE_BANK_VIEW_H

#include "model/station/bank.h"

/* From a word of a map to the next, in words. */
enum {
	LINK_STRIDE = sizeof(struct banks_link) / sizeof(uint64_t),
	RANK_STRIDE = sizeof(struct banks_rank) / sizeof(uint64_t),
	GROUP_STRIDE = sizeof(struct banks_group) / sizeof(uint64_t),
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline void raise_to(uint64_t *earliest, uint64_t clock)
{
	if (*earliest < clock)
		*earliest = clock;
}

/* What a command is for. */
struct wanted {
	unsigned rank, bus, group, direction;
};

/* In which clocks of a word of the view it must not be, a bit each. */
typedef uint64_t ruled_out_fn(const struct banks *banks, unsigned word,
			      struct wanted wanted);

static inline uint64_t no_command(const struct banks *banks, unsigned word,
				  struct wanted wanted)
{
	const struct banks_link *link = &banks->link[word];

	return link->shut | link->cmd[wanted.bus] |
	       (link->data & link->cmd[!wanted.bus]);
}

static inline uint64_t no_activate(const struct banks *banks, unsigned word,
				   struct wanted wanted)
{
	return no_command(banks, word, wanted) |
	       banks->ranks[wanted.rank * banks->words + word].no_act |
	       banks->groups[wanted.group * banks->words + word].no_act;
}

static inline uint64_t no_column(const struct banks *banks, unsigned word,
				 struct wanted wanted)
{
	unsigned direction = wanted.direction;

	return no_command(banks, word, wanted) |
	       banks->link[word].no_column[wanted.bus][direction] |
	       banks->ranks[wanted.rank * banks->words + word]
		       .no_column[direction] |
	       banks->groups[wanted.group * banks->words + word]
		       .no_column[direction];
}

static inline uint64_t no_data(const struct banks *banks, unsigned word,
			       struct wanted wanted)
{
	const struct banks_link *link = &banks->link[word];

	(void)wanted;
	return link->shut | link->data | (link->cmd[0] & link->cmd[1]);
}

static inline uint64_t no_frame(const struct banks *banks, unsigned word,
				struct wanted wanted)
{
	const struct banks_link *link = &banks->link[word];

	(void)wanted;
	return link->shut | link->data | link->cmd[0] | link->cmd[1];
}

/* Sets the bits of the clocks from .. until - 1 that are in view; `from` may
 * be below 0. */
void banks_mark(struct banks *banks, uint64_t *map, unsigned stride,
		uint64_t from, uint64_t until);

/* The first word of a rank, and the one of a clock. */
static inline struct banks_rank *ranks_of(const struct banks *banks,
					  unsigned rank)
{
	return &banks->ranks[rank * banks->words];
}

static inline struct banks_rank *rank_at(const struct banks *banks,
					 unsigned rank, uint64_t clock)
{
	return ranks_of(banks, rank) + banks_word(banks, clock);
}

/* The group of a bank, over all ranks; its first word. */
static inline unsigned group_of(const struct banks *banks, unsigned bank)
{
	unsigned groups = banks->config.groups;

	return (bank >> banks->bank_bits) * groups + (bank & (groups - 1));
}

static inline struct banks_group *groups_of(const struct banks *banks,
					    unsigned bank)
{
	return &banks->groups[group_of(banks, bank) * banks->words];
}

/* Looks so far ahead that a command may be given in a clock; false: it lies too
 * far ahead, or (at first) there is no memory. */
bool banks_grow(struct banks *banks, uint64_t clock);

/* The first clock from one on that is not ruled out, however far. */
uint64_t banks_search(struct banks *banks, uint64_t clock,
		      ruled_out_fn *ruled_out, struct wanted wanted);

/* The first clock from `from` on that is not ruled out; inlined, so that the
 * function it calls is. */
__attribute__((always_inline)) static inline uint64_t
first_free(struct banks *banks, uint64_t from, ruled_out_fn *ruled_out,
	   struct wanted wanted)
{
	uint64_t clock = later(from, banks->base);

	if (clock < banks->base + banks->view) {
		unsigned word = banks_word(banks, clock);
		uint64_t free = ~ruled_out(banks, word, wanted) >> clock % 64;

		if (free)
			return clock + (unsigned)__builtin_ctzll(free);
	}
	return banks_search(banks, clock, ruled_out, wanted);
}

/* Marks what a command in a clock of the view keeps away. */
static inline void keep_away(struct banks *banks, uint64_t *map,
			     unsigned stride, uint64_t clock,
			     const struct banks_reach *reach)
{
	uint64_t from = clock - reach->back, until = from + reach->clocks;

	if (!reach->clocks)
		return;
	if (from < banks->base || from % 64 + reach->clocks > 64) {
		banks_mark(banks, map, stride, from, until);
		return;
	}
	raise_to(&banks->end, until);
	map[banks_word(banks, from) * stride] |=
		UINT64_MAX >> (64 - reach->clocks) << from % 64;
}

static inline void take_slot(struct banks *banks, unsigned bus, uint64_t clock)
{
	if (clock >= banks->base + banks->view)
		return;
	raise_to(&banks->end, clock + 128);
	banks->link[banks_word(banks, clock)].cmd[bus] |= UINT64_C(1)
							  << clock % 64;
}

#endif
