/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The view of the near future: how it moves, and what concerns the link alone.
 */
#include <string.h>

#include "model/station/bank_view.h"

static void clear_word(struct banks *banks, uint64_t clock)
{
	unsigned word = clock / 64 % BANKS_WORDS;
	size_t num_ranks = banks->config.buses * banks->config.ranks;

	banks->link[word] = (struct banks_link){ 0 };
	for (size_t i = 0; i < num_ranks; i++)
		banks->ranks[i][word] = (struct banks_rank){ 0 };
}

/* A word that comes into view. */
static void shut_far(struct banks *banks, uint64_t clock)
{
	uint64_t *shut = &banks->link[clock / 64 % BANKS_WORDS].shut;

	if (clock >= banks->far)
		return;
	*shut |= banks->far - clock < 64
			 ? (UINT64_C(1) << (banks->far - clock)) - 1
			 : UINT64_MAX;
	raise_to(&banks->end, clock + 64);
}

void banks_move(struct banks *banks, uint64_t clock)
{
	uint64_t base = clock & ~UINT64_C(63);
	uint64_t view = banks->base + BANKS_CLOCKS;

	for (uint64_t c = banks->base; c < base && c < banks->end; c += 64)
		clear_word(banks, c);
	banks->base = base;
	for (uint64_t c = later(view, base);
	     c < banks->far && c < base + BANKS_CLOCKS; c += 64)
		shut_far(banks, c);
}

void banks_mark(struct banks *banks, uint64_t *map, unsigned stride,
		uint64_t from, uint64_t until)
{
	uint64_t last = until - 1;
	unsigned word, bit = from % 64;

	if ((int64_t)(from - banks->base) < 0)
		from = banks->base, bit = 0;
	if (last >= banks->base + BANKS_CLOCKS)
		last = banks->base + BANKS_CLOCKS - 1;
	if ((int64_t)(last - from) < 0)
		return;
	raise_to(&banks->end, last + 1);
	for (word = from / 64 % BANKS_WORDS; from / 64 != last / 64;
	     from = (from | 63) + 1, bit = 0) {
		map[word * stride] |= UINT64_MAX << bit;
		word = (word + 1) % BANKS_WORDS;
	}
	map[word * stride] |=
		(UINT64_MAX << bit) & (UINT64_MAX >> (63 - last % 64));
}

/* Past the view: one after the other, at a distance that suits all rules. */
static uint64_t take_far(struct banks *banks, uint64_t from)
{
	from = later(from, banks->base + BANKS_CLOCKS + banks->gap);
	from = later(from, banks->far);
	banks->far = from + banks->gap;
	return from;
}

uint64_t banks_search(struct banks *banks, uint64_t clock,
		      ruled_out_fn *ruled_out, struct wanted wanted)
{
	uint64_t from = clock;

	for (clock = (clock | 63) + 1; clock < banks->base + banks->view;
	     clock += 64) {
		unsigned word = clock / 64 % BANKS_WORDS;
		uint64_t free = ~ruled_out(banks, word, wanted);

		if (free)
			return clock + (unsigned)__builtin_ctzll(free);
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
	unsigned word = from / 64 % BANKS_WORDS;
	uint64_t bits = ((UINT64_C(1) << num % 64) - 1) << from % 64;

	if (num + from % 64 <= 64 && is_near(banks, from) &&
	    !(no_data(banks, word, (struct wanted){ 0 }) & bits)) {
		raise_to(&banks->end, from + num);
		banks->link[word].data |= bits;
		return from + num;
	}
	while (num--)
		from = send_one(banks, from);
	return from;
}

uint64_t banks_frame(struct banks *banks, uint64_t from)
{
	uint64_t clock =
		first_free(banks, from, no_frame, (struct wanted){ 0 });

	if (clock >= banks->base + BANKS_CLOCKS) /* no rule but its own */
		banks->far = clock + 1;
	banks_mark(banks, &banks->link->shut, LINK_STRIDE, clock, clock + 1);
	return clock;
}

void banks_shut(struct banks *banks, uint64_t from, uint64_t until)
{
	if (until > banks->base + BANKS_CLOCKS)
		raise_to(&banks->far, until);
	banks_mark(banks, &banks->link->shut, LINK_STRIDE, from, until);
}

void banks_no_reads(struct banks *banks, uint64_t from, uint64_t until)
{
	for (unsigned i = 0; i < banks->config.buses; i++)
		banks_mark(banks, &banks->link->no_column[i][0], LINK_STRIDE,
			   from, until);
}
