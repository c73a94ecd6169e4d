/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The fewest slices for the units of a component.
 */
#ifndef UNCORE_SCHEDULE_SEARCH_H
#define UNCORE_SCHEDULE_SEARCH_H

#include "schedule/problem.h"

/* Slices of one component: sets of events. */
struct packing {
	uint64_t *sets; /* num of problem->num_words each */
	size_t num;
	bool is_optimal; /* proven: fewer would not do */
};

/* Every unit alone must fit. False without memory; *packing is then empty. */
bool search(struct problem *problem, size_t component, struct packing *packing);

static inline uint64_t *packing_set(const struct packing *packing,
				    const struct problem *problem, size_t n)
{
	return packing->sets + n * problem->num_words;
}

#endif
