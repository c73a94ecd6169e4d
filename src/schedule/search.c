/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Branch and bound: whether one slice fewer would do than first fit needs
 * (fit.c). The unit with the fewest slices left to it goes next, into each of
 * them in turn, and a unit that has none left ends the branch. All empty slices
 * are alike. That goes on until one slice fewer is proven not to do, or until
 * the work that a schedule may take is done.
 */
#include "schedule/search.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_SLICES = 64,    /* of a search: bits of a word */
	MAX_CLIQUE = 80,    /* units of which every pair is looked at */
	WORK_LIMIT = 20000, /* checks */
};

void search_keep(const struct search *search, size_t num,
		 struct packing *packing)
{
	packing->num = num;
	memcpy(packing->sets, search->sets,
	       num * search->problem->num_words * sizeof(uint64_t));
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
				!problem_fits(problem, search_unit(search, i),
					      search_unit(search, j));
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
		if (!problem_fits(search->problem, search_set(search, slice),
				  search_unit(search, n)))
			search->open[n] &= ~bit;
		if (!search->open[n])
			return false;
	}
	return true;
}

static bool is_empty(const struct search *search, size_t slice)
{
	const uint64_t *set = search_set(search, slice);

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
		uint64_t *set = search_set(search, s);

		if (!(saved[n] >> s & 1) || was_empty || search->out_of_work)
			continue;
		was_empty = is_empty(search, s);
		memcpy(saved + search->num, set, words * sizeof(uint64_t));
		set_join(set, search_unit(search, n), words);
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
		search_clear(search, s);
	for (size_t n = 0; n < search->num; n++) {
		search->open[n] = uc_bits((unsigned)num_slices - 1, 0);
		search->placed[n] = false;
	}
	return descend(search, 0);
}

bool search_open(struct search *search, struct problem *problem,
		 size_t component)
{
	size_t most = problem->num_units + 1, words = problem->num_words;

	*search = (struct search){ .problem = problem };
	search->units = calloc(most, sizeof(size_t));
	search->sets = calloc(most * words, sizeof(uint64_t));
	search->shut = calloc(most * words, sizeof(uint64_t));
	search->slice_of = calloc(most, sizeof(size_t));
	search->open = calloc(most, sizeof(uint64_t));
	search->placed = calloc(most, sizeof(bool));
	if (!search->units || !search->sets || !search->shut ||
	    !search->slice_of || !search->open || !search->placed)
		return false;
	for (size_t u = 0; u < problem->num_units; u++)
		if (problem->units[u].component == component)
			search->units[search->num++] = u;
	search->saved = calloc((search->num + 1) * (search->num + words),
			       sizeof(uint64_t));
	return search->saved;
}

void search_close(struct search *search)
{
	free(search->units);
	free(search->sets);
	free(search->shut);
	free(search->slice_of);
	free(search->open);
	free(search->placed);
	free(search->saved);
}

bool search_first(struct problem *problem, size_t component,
		  struct packing *packing)
{
	struct search search;
	bool fine = search_open(&search, problem, component);

	*packing = (struct packing){
		.sets = calloc(search.num * problem->num_words + 1,
			       sizeof(uint64_t)),
		.bound = problem_bound(problem, component),
	};
	fine = fine && packing->sets;
	if (fine)
		search_orders(&search, packing);
	search_close(&search);
	packing->is_optimal = fine && packing->num == packing->bound;
	return fine && packing->num;
}

static void try_fewer(struct search *search, struct packing *packing)
{
	size_t other;

	search->deadline = search->problem->work + WORK_LIMIT;
	other = clique(search);
	if (other > packing->bound)
		packing->bound = other;
	while (packing->num > packing->bound &&
	       packing->num <= MAX_SLICES + 1 &&
	       try_slices(search, packing->num - 1))
		search_keep(search, packing->num - 1, packing);
	packing->is_optimal =
		packing->num == packing->bound ||
		(packing->num <= MAX_SLICES + 1 && !search->out_of_work);
}

bool search_improve(struct problem *problem, size_t component,
		    struct packing *packing)
{
	struct search search;
	bool fine = true;

	packing->is_final = true;
	if (packing->is_optimal)
		return true;
	fine = search_open(&search, problem, component);
	if (fine) {
		search_again(&search, packing);
		try_fewer(&search, packing);
	}
	search_close(&search);
	return fine;
}
