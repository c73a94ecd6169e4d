/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How many slices a component needs at least. Events that can share neither a
 * counter nor a slot with each other are counted; so many fit into a slice as
 * there are counters, or slots, or, of events that exclude each other, one.
 */
#include "schedule/problem.h"

#include <stdlib.h>
#include <string.h>

/* Whether the units at a place, which are all of one component, are of this.
 */
static bool is_of(const struct problem *problem, size_t component,
		  const struct place *place)
{
	for (size_t u = 0; u < problem->num_units; u++)
		if (set_meets(problem->units[u].set, place->set,
			      problem->num_words))
			return problem->units[u].component == component;
	return false;
}

/* Events of units at a place; of those that need the same, which are never
 * apart, the first one. */
static size_t events_of(const struct problem *problem, const uint64_t *united,
			const struct place *place, size_t *events)
{
	size_t num = 0;

	for (size_t e = 0; e < problem->num_events; e++)
		if (set_has(place->set, e) && set_has(united, e) &&
		    problem->needs[e].same == e)
			events[num++] = e;
	return num;
}

static bool exclude(const struct problem *problem, size_t a, size_t b)
{
	return set_has(problem->conflicts + a * problem->num_words, b);
}

/* Whether the two can never be one another's counter. */
static bool apart(const struct problem *problem, size_t a, size_t b)
{
	return problem->needs[a].kind != problem->needs[b].kind ||
	       exclude(problem, a, b);
}

static size_t ceil_of(size_t num, unsigned room)
{
	return room ? (num + room - 1) / room : 0;
}

/* Events that need one of some counters, each of them for itself. */
static size_t by_counters(const struct problem *problem, const size_t *events,
			  size_t num, uint32_t counters, size_t *picked)
{
	size_t n = 0;

	for (size_t i = 0; i < num; i++) {
		bool fits = !(problem->needs[events[i]].counters & ~counters);

		for (size_t j = 0; j < n && fits; j++)
			fits = apart(problem, events[i], picked[j]);
		if (fits)
			picked[n++] = events[i];
	}
	return ceil_of(n, (unsigned)__builtin_popcount(counters));
}

static bool apart_in_slots(const struct problem *problem, size_t a, size_t b)
{
	return problem->needs[a].holds[0].content !=
		       problem->needs[b].holds[0].content ||
	       exclude(problem, a, b);
}

/* Contents for the slots of one family. */
static size_t by_slots(const struct problem *problem, const size_t *events,
		       size_t num, unsigned family, size_t *picked)
{
	unsigned slots = 0;
	size_t n = 0;

	for (size_t i = 0; i < num; i++) {
		const struct need *need = &problem->needs[events[i]];
		bool fits = need->has_home && need->holds[0].family == family;

		if (fits)
			slots |= need->holds[0].slots;
		for (size_t j = 0; j < n && fits; j++)
			fits = apart_in_slots(problem, events[i], picked[j]);
		if (fits)
			picked[n++] = events[i];
	}
	return ceil_of(n, (unsigned)__builtin_popcount(slots));
}

/* Whether the two can never run in one slice, as far as is seen at once. */
static bool never(const struct problem *problem, size_t a, size_t b)
{
	uint32_t one = problem->needs[a].counters;

	return exclude(problem, a, b) ||
	       (one == problem->needs[b].counters && !(one & (one - 1)) &&
		problem->needs[a].kind != problem->needs[b].kind);
}

/* Whether there may be events of which never() is true. */
static bool excludes(const struct problem *problem, size_t event)
{
	const uint64_t *others =
		problem->conflicts + event * problem->num_words;
	uint32_t counters = problem->needs[event].counters;

	return !(counters & (counters - 1)) ||
	       set_meets(others, others, problem->num_words);
}

/* Events that exclude each other, gathered from each of them on. */
static size_t by_exclusion(const struct problem *problem, const size_t *events,
			   size_t num, size_t *picked)
{
	size_t most = 0;

	for (size_t first = 0; first < num; first++) {
		size_t n = 1;

		if (most && !excludes(problem, events[first]))
			continue;
		picked[0] = events[first];
		for (size_t i = 0; i < num; i++) {
			bool fits = i != first;

			for (size_t j = 0; j < n && fits; j++)
				fits = never(problem, events[i], picked[j]);
			if (fits)
				picked[n++] = events[i];
		}
		if (n > most)
			most = n;
	}
	return most;
}

static void raise(size_t *bound, size_t other)
{
	if (other > *bound)
		*bound = other;
}

static void bound_place(const struct problem *problem, const size_t *events,
			size_t num, size_t *picked, size_t *bound)
{
	uint32_t done[32] = { 0 }, all = 0;
	uint64_t families = 0;
	unsigned num_done = 0;

	for (size_t i = 0; i < num; i++) {
		const struct need *need = &problem->needs[events[i]];
		unsigned d = 0;

		all |= need->counters;
		if (need->has_home)
			families |= UINT64_C(1) << need->holds[0].family;
		while (d < num_done && done[d] != need->counters)
			d++;
		if (d < num_done || num_done == 32)
			continue;
		done[num_done++] = need->counters;
		raise(bound, by_counters(problem, events, num, need->counters,
					 picked));
	}
	raise(bound, by_counters(problem, events, num, all, picked));
	for (unsigned f = 0; f < 64; f++)
		if (families >> f & 1)
			raise(bound, by_slots(problem, events, num, f, picked));
	raise(bound, by_exclusion(problem, events, num, picked));
}

size_t problem_bound(struct problem *problem, size_t component)
{
	size_t *events = calloc(2 * problem->num_events + 1, sizeof(*events));
	uint64_t *united = problem->present;
	size_t bound = 1;

	memset(united, 0, problem->num_words * sizeof(*united));
	for (size_t u = 0; u < problem->num_units; u++)
		set_join(united, problem->units[u].set, problem->num_words);
	for (size_t p = 0; events && p < problem->num_places; p++) {
		const struct place *place = &problem->places[p];

		if (is_of(problem, component, place))
			bound_place(problem, events,
				    events_of(problem, united, place, events),
				    events + problem->num_events, &bound);
	}
	free(events);
	return bound;
}
