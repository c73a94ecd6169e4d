/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events that should not take turns: those whose counts would be wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule/problem.h"

/* An occupancy of the S-Box starts from 0 when its counter is set up, whatever
 * the queue holds, so in turns it would be too low. */
static bool wants_to_be_steady(const struct uncore_event *event)
{
	return event->row && event->row->tally_bits;
}

/* Whether the steady events have this unit's box. */
static bool is_beside_steady(const struct problem *problem,
			     const struct unit *unit)
{
	for (size_t p = 0; p < problem->num_places; p++) {
		const uint64_t *place = problem->places[p].set;

		if (set_meets(place, unit->set, problem->num_words) &&
		    set_meets(place, problem->steady, problem->num_words))
			return true;
	}
	return false;
}

static bool leaves_room(struct problem *problem, const uint64_t *nothing)
{
	if (!problem_fits(problem, nothing, problem->steady))
		return false;
	for (size_t u = 0; u < problem->num_units; u++)
		if (is_beside_steady(problem, &problem->units[u]) &&
		    !problem_fits(problem, problem->steady,
				  problem->units[u].set))
			return false;
	return true;
}

/* A unit that is part of another one needs no slice of its own. */
static void drop_parts(struct problem *problem)
{
	size_t kept = 0;

	for (size_t u = 0; u < problem->num_units; u++) {
		struct unit unit = problem->units[u];
		bool is_part = false;

		for (size_t v = 0; v < problem->num_units && !is_part; v++)
			if (v < kept || v > u)
				is_part = set_within(unit.set,
						     problem->units[v].set,
						     problem->num_words);
		if (is_part)
			free(unit.set);
		else
			problem->units[kept++] = unit;
	}
	problem->num_units = kept;
}

static void join(struct problem *problem)
{
	for (size_t u = 0; u < problem->num_units; u++)
		if (is_beside_steady(problem, &problem->units[u]))
			set_join(problem->units[u].set, problem->steady,
				 problem->num_words);
	drop_parts(problem);
}

bool problem_find_steady(struct problem *problem,
			 struct uncore_event *const *events)
{
	size_t size = (problem->num_words + 1) * sizeof(uint64_t);
	uint64_t *nothing = calloc(1, size);
	bool any = false;

	problem->steady = calloc(1, size);
	for (size_t e = 0; problem->steady && e < problem->num_events; e++)
		if (wants_to_be_steady(events[e])) {
			set_add(problem->steady, e);
			any = true;
		}
	if (nothing && problem->steady && any) {
		if (leaves_room(problem, nothing))
			join(problem);
		else
			memset(problem->steady, 0, size);
	}
	free(nothing);
	return nothing && problem->steady;
}
