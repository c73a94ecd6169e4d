/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * First the units are put into the first slice that has room, in several
 * orders. Where the best of these needs more than the bound, one slice fewer is
 * tried by branch and bound: the unit with the fewest slices left to it goes
 * next, into each of them in turn, and a unit that has none left ends the
 * branch. All empty slices are alike. That goes on until one slice fewer is
 * proven not to do, or until the work a schedule may take is done.
 */
#include "schedule/search.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_SLICES = 64,    /* of a search: bits of a word */
	MAX_CLIQUE = 80,    /* units of which every pair is looked at */
	WORK_LIMIT = 20000, /* checks of one search */
};

struct search {
	struct problem *problem;
	size_t *units; /* of the component, by index */
	size_t num;
	uint64_t *sets; /* of the slices that are being filled */
	size_t num_slices;
	uint64_t *open;	   /* per unit: slices it could go into */
	bool *placed;	   /* per unit */
	uint64_t *saved;   /* open[] of each depth */
	uint64_t deadline; /* of problem->work */
	bool out_of_work;
};

static uint64_t *set_of(const struct search *search, size_t slice)
{
	return search->sets + slice * search->problem->num_words;
}

static const uint64_t *unit_set(const struct search *search, size_t n)
{
	return search->problem->units[search->units[n]].set;
}

static void clear(const struct search *search, size_t slice)
{
	memset(set_of(search, slice), 0,
	       search->problem->num_words * sizeof(uint64_t));
}

/* The number of slices that first-fit needs in this order. */
static size_t first_fit(struct search *search, const size_t *order)
{
	struct problem *problem = search->problem;
	size_t num = 0;

	for (size_t i = 0; i < search->num; i++) {
		const uint64_t *unit = unit_set(search, order[i]);
		size_t s = 0;

		while (s < num &&
		       !problem_fits(problem, set_of(search, s), unit))
			s++;
		if (s == num)
			clear(search, num++);
		set_join(set_of(search, s), unit, problem->num_words);
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

	for (size_t e = 0; e < problem->num_events; e++) {
		const uint64_t *others =
			problem->conflicts + e * problem->num_words;

		if (!set_has(unit_set(search, n), e))
			continue;
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

static void keep(struct search *search, size_t num, struct packing *packing)
{
	packing->num = num;
	memcpy(packing->sets, search->sets,
	       num * search->problem->num_words * sizeof(uint64_t));
}

static bool try_orders(struct search *search, size_t bound,
		       struct packing *packing)
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
			keep(search, num, packing);
		if (packing->num <= bound)
			break;
	}
	free(weights);
	free(order);
	return packing->num > 0;
}

/* Units of which no two fit together. */
static size_t clique(struct search *search)
{
	struct problem *problem = search->problem;
	size_t num = search->num, most = 1;
	bool *apart;

	if (num > MAX_CLIQUE)
		return 1;
	apart = calloc(num * num, sizeof(*apart));
	for (size_t i = 0; apart && i < num; i++)
		for (size_t j = 0; j < i; j++)
			apart[i * num + j] = apart[j * num + i] =
				!problem_fits(problem, unit_set(search, i),
					      unit_set(search, j));
	for (size_t first = 0; apart && first < num; first++) {
		size_t picked[MAX_CLIQUE], n = 1;

		picked[0] = first;
		for (size_t i = 0; i < num; i++) {
			bool fits = i != first;

			for (size_t j = 0; j < n && fits; j++)
				fits = apart[i * num + picked[j]];
			if (fits)
				picked[n++] = i;
		}
		if (n > most)
			most = n;
	}
	free(apart);
	return most;
}

/* The unit with the fewest slices left, or search->num if all are placed. */
static size_t hardest(const struct search *search)
{
	size_t best = search->num;

	for (size_t n = 0; n < search->num; n++)
		if (!search->placed[n] &&
		    (best == search->num ||
		     __builtin_popcountll(search->open[n]) <
			     __builtin_popcountll(search->open[best])))
			best = n;
	return best;
}

/* After a slice has got more: which of the others still fit into it. False if
 * one has no slice left. */
static bool narrow(struct search *search, size_t slice)
{
	uint64_t bit = UINT64_C(1) << slice;

	for (size_t n = 0; n < search->num; n++) {
		if (search->placed[n] || !(search->open[n] & bit))
			continue;
		if (!problem_fits(search->problem, set_of(search, slice),
				  unit_set(search, n)))
			search->open[n] &= ~bit;
		if (!search->open[n])
			return false;
	}
	return true;
}

static bool is_empty(const struct search *search, size_t slice)
{
	const uint64_t *set = set_of(search, slice);

	return !set_meets(set, set, search->problem->num_words);
}

static bool descend(struct search *search, size_t depth)
{
	size_t words = search->problem->num_words;
	uint64_t *saved = search->saved + depth * (search->num + words);
	size_t n = hardest(search);
	bool was_empty = false, done = false;

	if (n == search->num)
		return true;
	if (search->problem->work > search->deadline) {
		search->out_of_work = true;
		return false;
	}
	memcpy(saved, search->open, search->num * sizeof(uint64_t));
	search->placed[n] = true;
	for (size_t s = 0; s < search->num_slices && !done; s++) {
		uint64_t *set = set_of(search, s);

		if (!(saved[n] >> s & 1) || was_empty || search->out_of_work)
			continue;
		was_empty = is_empty(search, s);
		memcpy(saved + search->num, set, words * sizeof(uint64_t));
		set_join(set, unit_set(search, n), words);
		done = narrow(search, s) && descend(search, depth + 1);
		if (done)
			break;
		memcpy(set, saved + search->num, words * sizeof(uint64_t));
		memcpy(search->open, saved, search->num * sizeof(uint64_t));
	}
	search->placed[n] = done;
	return done;
}

/* Whether so many slices do; the answer is in search->sets. */
static bool try_slices(struct search *search, size_t num_slices)
{
	search->num_slices = num_slices;
	for (size_t s = 0; s < num_slices; s++)
		clear(search, s);
	for (size_t n = 0; n < search->num; n++) {
		search->open[n] = uc_bits((unsigned)num_slices - 1, 0);
		search->placed[n] = false;
	}
	return descend(search, 0);
}

static void improve(struct search *search, size_t bound,
		    struct packing *packing)
{
	search->deadline = search->problem->work + WORK_LIMIT;
	if (packing->num > bound) {
		size_t other = clique(search);

		if (other > bound)
			bound = other;
	}
	while (packing->num > bound && packing->num <= MAX_SLICES + 1) {
		if (!try_slices(search, packing->num - 1))
			break;
		keep(search, packing->num - 1, packing);
	}
	packing->is_optimal =
		packing->num == bound ||
		(packing->num <= MAX_SLICES + 1 && !search->out_of_work);
}

static bool prepare(struct search *search, size_t component,
		    struct packing *packing)
{
	const struct problem *problem = search->problem;
	size_t most = problem->num_units + 1, words = problem->num_words;

	search->units = calloc(most, sizeof(size_t));
	search->sets = calloc(most * words, sizeof(uint64_t));
	search->open = calloc(most, sizeof(uint64_t));
	search->placed = calloc(most, sizeof(bool));
	packing->sets = calloc(most * words, sizeof(uint64_t));
	if (!search->units || !search->sets || !search->open ||
	    !search->placed || !packing->sets)
		return false;
	for (size_t u = 0; u < problem->num_units; u++)
		if (problem->units[u].component == component)
			search->units[search->num++] = u;
	search->saved = calloc((search->num + 1) * (search->num + words),
			       sizeof(uint64_t));
	return search->saved;
}

bool search(struct problem *problem, size_t component, struct packing *packing)
{
	struct search search = { .problem = problem };
	size_t bound = problem_bound(problem, component);
	bool fine;

	*packing = (struct packing){ 0 };
	fine = prepare(&search, component, packing) &&
	       try_orders(&search, bound, packing);
	if (fine)
		improve(&search, bound, packing);
	free(search.units);
	free(search.sets);
	free(search.open);
	free(search.placed);
	free(search.saved);
	if (!fine) {
		free(packing->sets);
		*packing = (struct packing){ 0 };
	}
	return fine;
}
