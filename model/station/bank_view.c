/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The view of the near future: how it moves, and what concerns the link alone.
 */
#include <stdlib.h>
#include <string.h>

#include "model/station/bank_view.h"

static unsigned num_ranks(const struct banks *banks)
{
	return banks->config.buses * banks->config.ranks;
}

static unsigned num_groups(const struct banks *banks)
{
	return num_ranks(banks) * banks->config.groups;
}

static struct banks_group *group_at(const struct banks *banks, unsigned group,
				    uint64_t clock)
{
	return &banks->groups[group * banks->words + banks_word(banks, clock)];
}

static void clear_word(struct banks *banks, uint64_t clock)
{
	banks->link[banks_word(banks, clock)] = (struct banks_link){ 0 };
	for (unsigned i = 0; i < num_ranks(banks); i++)
		*rank_at(banks, i, clock) = (struct banks_rank){ 0 };
	for (unsigned i = 0; i < num_groups(banks); i++)
		*group_at(banks, i, clock) = (struct banks_group){ 0 };
}

/* A word that comes into view. */
static void shut_far(struct banks *banks, uint64_t clock)
{
	uint64_t *shut = &banks->link[banks_word(banks, clock)].shut;

	if (clock >= banks->far)
		return;
	*shut |= banks->far - clock < 64
			 ? (UINT64_C(1) << (banks->far - clock)) - 1
			 : UINT64_MAX;
	raise_to(&banks->end, clock + 64);
}

static uint64_t end_of(const struct banks *banks)
{
	return banks->base + UINT64_C(64) * banks->words;
}

void banks_move(struct banks *banks, uint64_t clock)
{
	uint64_t base = clock & ~UINT64_C(63), end = end_of(banks);

	for (uint64_t c = banks->base; c < base && c < banks->end; c += 64)
		clear_word(banks, c);
	banks->base = base;
	for (uint64_t c = later(end, base); c < banks->far && c < end_of(banks);
	     c += 64)
		shut_far(banks, c);
}

static void *lines_of(size_t num, size_t size)
{
	void *lines = aligned_alloc(64, (num * size + 63) / 64 * 64);

	return lines ? memset(lines, 0, num * size) : NULL;
}

/* All words that there were are those of the same clocks. */
static void copy_words(struct banks *banks, const struct banks *old)
{
	for (uint64_t c = old->base; c < end_of(old); c += 64) {
		banks->link[banks_word(banks, c)] = *banks_at(old, c);
		for (unsigned i = 0; i < num_ranks(old); i++)
			*rank_at(banks, i, c) = *rank_at(old, i, c);
		for (unsigned i = 0; i < num_groups(old); i++)
			*group_at(banks, i, c) = *group_at(old, i, c);
	}
}

bool banks_grow(struct banks *banks, uint64_t clock)
{
	unsigned margin = (banks->gap + 63) / 64 * 64;
	unsigned words = BANKS_FIRST_WORDS;
	struct banks old = *banks;

	while (clock - old.base + margin >= UINT64_C(64) * words)
		words *= 2;
	if (words > BANKS_MOST_WORDS)
		return false;
	banks->link = lines_of(words, sizeof(*banks->link));
	banks->ranks =
		lines_of(words * num_ranks(banks), sizeof(*banks->ranks));
	banks->groups =
		lines_of(words * num_groups(banks), sizeof(*banks->groups));
	if (!banks->link || !banks->ranks || !banks->groups) {
		free(banks->link);
		free(banks->ranks);
		free(banks->groups);
		*banks = old;
		return false;
	}
	banks->words = words;
	banks->view = words * 64 - margin;
	copy_words(banks, &old);
	free(old.link);
	free(old.ranks);
	free(old.groups);
	for (uint64_t c = end_of(&old); c < banks->far && c < end_of(banks);
	     c += 64)
		shut_far(banks, c);
	return true;
}

void banks_mark(struct banks *banks, uint64_t *map, unsigned stride,
		uint64_t from, uint64_t until)
{
	uint64_t last = until - 1;
	unsigned word, bit = from % 64;

	if ((int64_t)(from - banks->base) < 0)
		from = banks->base, bit = 0;
	if (last >= end_of(banks))
		last = end_of(banks) - 1;
	if ((int64_t)(last - from) < 0)
		return;
	raise_to(&banks->end, last + 1);
	for (word = banks_word(banks, from); from / 64 != last / 64;
	     from = (from | 63) + 1, bit = 0) {
		map[word * stride] |= UINT64_MAX << bit;
		word = (word + 1) & (banks->words - 1);
	}
	map[word * stride] |=
		(UINT64_MAX << bit) & (UINT64_MAX >> (63 - last % 64));
}

/* Past the view: one after the other, at a distance that suits all rules. */
static uint64_t take_far(struct banks *banks, uint64_t from)
{
	from = later(from, end_of(banks) + banks->gap);
	from = later(from, banks->far);
	banks->far = from + banks->gap;
	return from;
}

uint64_t banks_search(struct banks *banks, uint64_t clock,
		      ruled_out_fn *ruled_out, struct wanted wanted)
{
	uint64_t from = clock;

	while (clock < banks->base + banks->view || banks_grow(banks, clock)) {
		uint64_t free =
			~ruled_out(banks, banks_word(banks, clock), wanted) &
			UINT64_MAX << clock % 64;

		if (free)
			return (clock & ~UINT64_C(63)) +
			       (unsigned)__builtin_ctzll(free);
		clock = (clock | 63) + 1;
	}
	return take_far(banks, from);
}

uint64_t banks_command(struct banks *banks, unsigned bus, uint64_t from)
{
	uint64_t clock = first_free(banks, from, no_command,
				    (struct wanted){ .bus = bus });

	take_slot(banks, bus, clock);
	return clock;
}

static uint64_t send_one(struct banks *banks, uint64_t from)
{
	uint64_t clock = first_free(banks, from, no_data, (struct wanted){ 0 });

	banks_mark(banks, &banks->link->data, LINK_STRIDE, clock, clock + 1);
	return clock + 1;
}

uint64_t banks_send(struct banks *banks, uint64_t from, unsigned num)
{
	while (num--)
		from = send_one(banks, from);
	return from;
}

uint64_t banks_frame(struct banks *banks, uint64_t from)
{
	uint64_t clock =
		first_free(banks, from, no_frame, (struct wanted){ 0 });

	if (clock >= end_of(banks)) /* no rule but its own */
		banks->far = clock + 1;
	banks_mark(banks, &banks->link->shut, LINK_STRIDE, clock, clock + 1);
	return clock;
}

void banks_shut(struct banks *banks, uint64_t from, uint64_t until)
{
	if (until > end_of(banks) && !banks_grow(banks, until))
		raise_to(&banks->far, until);
	banks_mark(banks, &banks->link->shut, LINK_STRIDE, from, until);
}

void banks_no_reads(struct banks *banks, uint64_t from, uint64_t until)
{
	for (unsigned i = 0; i < banks->config.buses; i++)
		banks_mark(banks, &banks->link->no_column[i][0], LINK_STRIDE,
			   from, until);
}
