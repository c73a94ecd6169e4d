/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The fewest slices for the units of a component.
 */
#ifndef UNCORE_SCHEDULE_SEARCH_H
#define UNCORE_SCHEDULE_SEARCH_H

#include <string.h>

#include "schedule/problem.h"

/* Slices of one component: sets of events. */
struct packing {
	uint64_t *sets; /* num of problem->num_words each */
	size_t num;
	size_t bound;	 /* fewer would not do */
	bool is_final;	 /* search_improve() has been here */
	bool is_optimal; /* proven: fewer would not do */
};

/* Slices found at once. Every unit alone must fit. False without memory. */
bool search_first(struct problem *problem, size_t component,
		  struct packing *packing);

/* Fewer of them, if they can be found; false without memory. */
bool search_improve(struct problem *problem, size_t component,
		    struct packing *packing);

static inline uint64_t *packing_set(const struct packing *packing,
				    const struct problem *problem, size_t n)
{
	return packing->sets + n * problem->num_words;
}

/* What the files of the search share. */

struct search {
	struct problem *problem;
	size_t *units; /* of the component, by index */
	size_t num;
	uint64_t *sets; /* of the slices that are being filled */
	uint64_t *shut; /* per slice of a first fit: what it keeps out */
	size_t num_slices;
	size_t *slice_of;  /* per unit, of the last first fit */
	uint64_t *open;	   /* per unit: slices it could go into */
	bool *placed;	   /* per unit */
	uint64_t *saved;   /* open[] and a set, of each depth */
	uint64_t deadline; /* of problem->work */
	bool out_of_work;
};

bool search_open(struct search *search, struct problem *problem,
		 size_t component);
void search_close(struct search *search);

static inline uint64_t *search_set(const struct search *search, size_t slice)
{
	return search->sets + slice * search->problem->num_words;
}

static inline const uint64_t *search_unit(const struct search *search, size_t n)
{
	return search->problem->units[search->units[n]].set;
}

static inline uint64_t *search_shut(const struct search *search, size_t slice)
{
	return search->shut + slice * search->problem->num_words;
}

static inline void search_clear(const struct search *search, size_t slice)
{
	memset(search_shut(search, slice), 0,
	       search->problem->num_words * sizeof(uint64_t));
	memset(search_set(search, slice), 0,
	       search->problem->num_words * sizeof(uint64_t));
}

/* The slices of the search become those of the packing. */
void search_keep(const struct search *search, size_t num,
		 struct packing *packing);

/* First fit: in several orders; and again from the slices of a packing
 * (fit.c). */
void search_orders(struct search *search, struct packing *packing);
void search_again(struct search *search, struct packing *packing);

#endif
