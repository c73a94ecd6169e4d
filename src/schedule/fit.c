/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * First fit: each unit into the first slice that has room, in several orders;
 * then again and again with the units slice by slice, in another order of the
 * slices. That never needs more slices, since what was in one slice fits into
 * one, and often fewer.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule/search.h"

enum { WORK_PER_UNIT = 80 }; /* checks of all orders of slices */

/* The number of slices that first-fit needs in this order. */
static size_t first_fit(struct search *search, const size_t *order)
{
	struct problem *problem = search->problem;
	size_t num = 0;

	for (size_t i = 0; i < search->num; i++) {
		const struct unit *unit =
			&problem->units[search->units[order[i]]];
		size_t s = 0;

		while (s < num &&
		       !problem_fits_beside(problem, search_set(search, s),
					    search_shut(search, s), unit))
			s++;
		if (s == num)
			search_clear(search, num++);
		set_join(search_set(search, s), unit->set, problem->num_words);
		problem_shut(problem, search_set(search, s), unit->set,
			     search_shut(search, s));
		search->slice_of[order[i]] = s;
	}
	return num;
}

/* How hard a unit is to place. */
struct weight {
	size_t unit; /* index in search->units */
	size_t by[3];
};

static void weigh(const struct search *search, size_t n, struct weight *weight)
{
	const struct problem *problem = search->problem;
	size_t conflicts = 0, scarce = 0, events = 0;

	const uint64_t *unit = search_unit(search, n);

	for (size_t e = 0;
	     (e = set_next(unit, e, problem->num_words)) != SIZE_MAX; e++) {
		const uint64_t *others =
			problem->conflicts + e * problem->num_words;

		events++;
		scarce += 33u - (unsigned)__builtin_popcount(
					problem->needs[e].counters);
		for (size_t w = 0; w < problem->num_words; w++)
			conflicts += (size_t)__builtin_popcountll(others[w]);
	}
	*weight = (struct weight){ n, { conflicts, scarce, events } };
}

/* Larger first; of equals the earlier. */
static void sort(struct weight *weights, size_t num, unsigned by, size_t *order)
{
	for (size_t i = 0; i < num; i++) {
		size_t at = i;

		for (; at > 0 &&
		       weights[order[at - 1]].by[by] < weights[i].by[by];
		     at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

void search_orders(struct search *search, struct packing *packing)
{
	struct weight *weights = calloc(search->num, sizeof(*weights));
	size_t *order = calloc(search->num, sizeof(*order));

	for (size_t i = 0; weights && order && i < search->num; i++) {
		weigh(search, i, &weights[i]);
		order[i] = i;
	}
	for (unsigned round = 0; weights && order && round < 4; round++) {
		size_t num;

		if (round)
			sort(weights, search->num, round - 1, order);
		num = first_fit(search, order);
		if (!packing->num || num < packing->num)
			search_keep(search, num, packing);
		if (packing->num <= packing->bound)
			break;
	}
	free(weights);
	free(order);
}

/* Slices in a new order: turned round, or drawn. */
static void reorder(size_t *slices, size_t num, uint64_t *random)
{
	for (size_t s = 0; s < num; s++)
		slices[s] = num - 1 - s;
	for (size_t s = num; s > 1 && *random; s--) {
		size_t other, slice = slices[s - 1];

		*random = *random * 6364136223846793005u + 1442695040888963407u;
		other = (size_t)(*random >> 33) % s;
		slices[s - 1] = slices[other];
		slices[other] = slice;
	}
	*random |= 1;
}

/* Where the units of a packing are. */
static void find_slices(struct search *search, const struct packing *packing)
{
	for (size_t i = 0; i < search->num; i++) {
		size_t s = 0;

		while (!set_within(search_unit(search, i),
				   packing_set(packing, search->problem, s),
				   search->problem->num_words))
			s++;
		search->slice_of[i] = s;
	}
}

/* The units of the last first fit, slice by slice. */
static void order_by_slices(const struct search *search, const size_t *slices,
			    size_t num, size_t *order)
{
	size_t at = 0;

	for (size_t s = 0; s < num; s++)
		for (size_t i = 0; i < search->num; i++)
			if (search->slice_of[i] == slices[s])
				order[at++] = i;
}

void search_again(struct search *search, struct packing *packing)
{
	uint64_t deadline = search->problem->work + WORK_PER_UNIT * search->num;
	size_t *order = calloc(search->num, sizeof(*order));
	size_t *slices = calloc(search->num, sizeof(*slices));
	size_t num = packing->num;
	uint64_t random = 0;

	find_slices(search, packing);
	while (order && slices && packing->num > packing->bound &&
	       search->problem->work < deadline) {
		reorder(slices, num, &random);
		order_by_slices(search, slices, num, order);
		num = first_fit(search, order);
		if (num < packing->num)
			search_keep(search, num, packing);
	}
	free(order);
	free(slices);
}
