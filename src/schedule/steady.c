/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events that should not take turns: those whose counts would be wrong. As many
 * of them as leave room for each other event run all the time; groups that do
 * not fit beside them are taken apart.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule/problem.h"

/* An occupancy by a tally starts from 0 when its counter is set up, whatever
 * the queue holds, so in turns it would be too low. Those for which no counter
 * is left take turns all the same, and the session says that nobody knows
 * them. */
static bool wants_to_be_steady(const struct uncore_event *event)
{
	return event->row && event->row->tally_bits;
}

/* The events of all boxes of which the set has one, until the next call. */
static const uint64_t *beside(const struct problem *problem,
			      const uint64_t *set)
{
	uint64_t *found = problem->present;
	size_t words = problem->num_words;

	memset(found, 0, words * sizeof(*found));
	for (size_t p = 0; p < problem->num_places; p++)
		if (set_meets(problem->places[p].set, set, words))
			set_join(found, problem->places[p].set, words);
	return found;
}

/* Whether every event that can count at all can do so beside these. */
static bool leaves_room(struct problem *problem, uint64_t *one)
{
	const uint64_t *others = beside(problem, problem->steady);
	bool fits = problem_fits(problem, problem->nothing, problem->steady);

	for (size_t e = 0; e < problem->num_events && fits; e++) {
		set_add(one, e);
		fits = !set_has(others, e) ||
		       problem_fits(problem, problem->steady, one) ||
		       !problem_fits(problem, problem->nothing, one);
		set_remove(one, e);
	}
	return fits;
}

/* As many as leave room for each of the others, the first of them first. */
static void choose(struct problem *problem, struct uncore_event *const *events,
		   uint64_t *one)
{
	for (size_t e = 0; e < problem->num_events; e++) {
		if (!wants_to_be_steady(events[e]))
			continue;
		set_add(problem->steady, e);
		if (!leaves_room(problem, one))
			set_remove(problem->steady, e);
	}
}

/* Whether a unit could run, but not beside the steady events. */
static bool is_in_the_way(struct problem *problem, const uint64_t *unit)
{
	return set_meets(unit, beside(problem, problem->steady),
			 problem->num_words) &&
	       problem_fits(problem, problem->nothing, unit) &&
	       !problem_fits(problem, problem->steady, unit);
}

/* Groups that find no room beside them are taken apart: a figure can be made
 * from events of different turns, but not from an occupancy of unknown start.
 * Their events are units of their own at the end. */
static bool take_apart(struct problem *problem)
{
	size_t whole = problem->num_units;
	struct unit *units =
		reallocarray(problem->units, whole + problem->num_events + 1,
			     sizeof(*units));
	uint64_t *apart = calloc(problem->num_words + 1, sizeof(*apart));
	bool fine = units && apart;

	if (units)
		problem->units = units;
	if (fine)
		problem->num_units = 0;
	for (size_t u = 0; u < whole && fine; u++) {
		struct unit unit = problem->units[u];

		if (!is_in_the_way(problem, unit.set)) {
			problem->units[problem->num_units++] = unit;
			continue;
		}
		set_join(apart, unit.set, problem->num_words);
		free(unit.set);
	}
	fine = fine && problem_add_events(problem, apart);
	free(apart);
	return fine;
}

/* A unit that is part of another one needs no slice of its own. */
static void drop_parts(struct problem *problem)
{
	size_t kept = 0;

	for (size_t u = 0; u < problem->num_units; u++) {
		struct unit unit = problem->units[u];
		bool is_part = false;

		for (size_t v = 0; v < problem->num_units && !is_part; v++)
			if ((v < kept || v > u) &&
			    set_has(problem->units[v].set, unit.first))
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
	const uint64_t *others = beside(problem, problem->steady);

	for (size_t u = 0; u < problem->num_units; u++) {
		uint64_t *set = problem->units[u].set;

		if (set_meets(set, others, problem->num_words) &&
		    problem_fits(problem, problem->nothing, set))
			set_join(set, problem->steady, problem->num_words);
	}
	drop_parts(problem);
}

bool problem_find_steady(struct problem *problem,
			 struct uncore_event *const *events)
{
	size_t words = problem->num_words;
	uint64_t *one = calloc(words + 1, sizeof(*one));
	bool fine;

	problem->steady = calloc(words + 1, sizeof(*problem->steady));
	fine = one && problem->steady;
	if (fine)
		choose(problem, events, one);
	if (fine && set_meets(problem->steady, problem->steady, words)) {
		fine = take_apart(problem);
		if (fine)
			join(problem);
	}
	free(one);
	return fine;
}
