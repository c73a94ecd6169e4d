/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From events and groups to units, places and conflicts.
 */
#include "schedule/problem.h"

#include <stdlib.h>
#include <string.h>

#include "event/assign.h"

static uint64_t *new_set(const struct problem *problem)
{
	return calloc(problem->num_words + 1, sizeof(uint64_t));
}

size_t problem_gather(const struct problem *problem, const struct place *place,
		      const uint64_t *a, const uint64_t *b)
{
	size_t num = 0;

	for (size_t w = 0; w < problem->num_words; w++)
		for (uint64_t rest = place->set[w] & (a[w] | b[w]); rest;
		     rest &= rest - 1)
			problem->scratch[num++] =
				&problem->needs[w * 64 +
						(size_t)__builtin_ctzll(rest)];
	return num;
}

/* Whether an event of the unit needs a register otherwise than one that runs,
 * or than another one of the unit. */
static bool is_contrary(const struct problem *problem, const uint64_t *set,
			const uint64_t *unit)
{
	for (size_t w = 0; w < problem->num_words; w++)
		for (uint64_t rest = unit[w]; rest; rest &= rest - 1) {
			size_t e = w * 64 + (size_t)__builtin_ctzll(rest);
			const uint64_t *others =
				problem->conflicts + e * problem->num_words;

			if (set_meets(others, set, problem->num_words) ||
			    set_meets(others, unit, problem->num_words))
				return true;
		}
	return false;
}

/* Whether for each event of the unit another one that needs the same is in the
 * set: it then is wherever that one is. */
static bool has_alike(const struct problem *problem, const uint64_t *set,
		      const uint64_t *unit)
{
	for (size_t w = 0; w < problem->num_words; w++)
		for (uint64_t rest = unit[w]; rest; rest &= rest - 1) {
			size_t e = w * 64 + (size_t)__builtin_ctzll(rest);

			size_t first = problem->needs[e].same;

			if (first == e || !set_has(set, first))
				return false;
		}
	return true;
}

/* Whether a unit has an event at a place that the set has not. */
static bool adds_to(const struct problem *problem, const struct place *place,
		    const uint64_t *set, const uint64_t *unit)
{
	for (size_t w = 0; w < problem->num_words; w++)
		if (place->set[w] & unit[w] & ~set[w])
			return true;
	return false;
}

bool problem_fits(struct problem *problem, const uint64_t *set,
		  const uint64_t *unit)
{
	problem->work++;
	if (has_alike(problem, set, unit))
		return true;
	if (is_contrary(problem, set, unit))
		return false;
	for (size_t p = 0; p < problem->num_places; p++) {
		const struct place *place = &problem->places[p];
		size_t num;

		if (!adds_to(problem, place, set, unit))
			continue;
		num = problem_gather(problem, place, set, unit);
		if (!assign_fits(problem->scratch, num))
			return false;
	}
	return true;
}

bool problem_fits_beside(struct problem *problem, const uint64_t *set,
			 const uint64_t *shut, const struct unit *unit)
{
	if (!set_has(shut, unit->first) &&
	    !set_meets(shut, unit->set, problem->num_words))
		return problem_fits(problem, set, unit->set);
	problem->work++;
	return false;
}

enum { MAX_KINDS = 33 };

/* Counters that are taken: so many kinds can have no others. */
static uint32_t taken(const uint32_t *kinds, unsigned num)
{
	uint32_t all = 0, found = 0;

	for (unsigned i = 0; i < num; i++)
		all |= kinds[i];
	for (unsigned i = 0; i <= num; i++) {
		uint32_t counters = i < num ? kinds[i] : all;
		unsigned inside = 0;

		for (unsigned k = 0; k < num && (counters & ~found); k++)
			inside += !(kinds[k] & ~counters);
		if (inside && inside >= (unsigned)__builtin_popcount(counters))
			found |= counters;
	}
	return found;
}

/* Keeps out what is of none of the kinds of a set and finds no counter. */
static void shut_place(struct problem *problem, const struct place *place,
		       const uint64_t *set, uint64_t *shut)
{
	uint64_t *present = problem->present;
	size_t words = problem->num_words;
	uint32_t kinds[MAX_KINDS], counters;
	unsigned num = 0;

	memset(present, 0, words * sizeof(*present));
	for (size_t w = 0; w < words; w++)
		for (uint64_t rest = place->set[w] & set[w] & ~present[w];
		     rest && num < MAX_KINDS; rest &= ~present[w]) {
			size_t e = w * 64 + (size_t)__builtin_ctzll(rest);

			set_join(present,
				 problem->kinds +
					 problem->needs[e].kind * words,
				 words);
			kinds[num++] = problem->needs[e].counters;
		}
	counters = taken(kinds, num);
	for (size_t c = 0; c < problem->num_choices && counters; c++) {
		const struct choice_of *choice = &problem->choices[c];

		if (choice->box != place->box || (choice->counters & ~counters))
			continue;
		for (size_t w = 0; w < words; w++)
			shut[w] |= place->set[w] & choice->set[w] & ~present[w];
	}
}

void problem_shut(struct problem *problem, const uint64_t *set,
		  const uint64_t *unit, uint64_t *shut)
{
	size_t words = problem->num_words;

	for (size_t w = 0; w < words; w++)
		for (uint64_t rest = unit[w]; rest; rest &= rest - 1)
			set_join(shut,
				 problem->conflicts +
					 (w * 64 +
					  (size_t)__builtin_ctzll(rest)) *
						 words,
				 words);
	for (size_t p = 0; p < problem->num_places; p++)
		if (set_meets(problem->places[p].set, unit, words))
			shut_place(problem, &problem->places[p], set, shut);
}

static bool add_choice(struct problem *problem, size_t e)
{
	const struct need *need = &problem->needs[e];
	struct choice_of *choice = problem->choices;
	struct choice_of *end = choice + problem->num_choices;

	while (choice < end && (choice->box != need->event->box_index ||
				choice->counters != need->counters))
		choice++;
	if (choice == end) {
		*choice =
			(struct choice_of){ need->event->box_index,
					    need->counters, new_set(problem) };
		if (!choice->set)
			return false;
		problem->num_choices++;
	}
	set_add(choice->set, e);
	return true;
}

static bool find_kinds(struct problem *problem)
{
	problem->nothing = new_set(problem);
	problem->kinds = calloc(problem->num_events * problem->num_words + 1,
				sizeof(uint64_t));
	problem->present = new_set(problem);
	problem->choices =
		calloc(problem->num_events + 1, sizeof(*problem->choices));
	if (!problem->kinds || !problem->present || !problem->nothing ||
	    !problem->choices)
		return false;
	for (size_t e = 0; e < problem->num_events; e++) {
		set_add(problem->kinds +
				problem->needs[e].kind * problem->num_words,
			e);
		if (!add_choice(problem, e))
			return false;
	}
	return true;
}

static bool differ(const struct need *a, const struct need *b)
{
	enum uc_role role;
	unsigned bit;

	return a->event->box == b->event->box && need_meets(a, b) &&
	       need_differs(a, b, &role, &bit);
}

/* Adds an event and those behind it that need the same; next[e] is the one
 * behind e, or SIZE_MAX. */
static void add_alike(uint64_t *set, const size_t *next, size_t event)
{
	for (; event != SIZE_MAX; event = next[event])
		set_add(set, event);
}

/* Whether an event needs something of a register that others may need, too. */
static bool claims(const struct need *need)
{
	for (unsigned i = UC_FIRST_SHARED_ROLE; i < UC_NUM_ROLES; i++)
		if (need->view.claimed[i])
			return true;
	return false;
}

static void compare_first(struct problem *problem, const size_t *next, size_t i)
{
	const struct need *needs = problem->needs;
	size_t words = problem->num_words;

	for (size_t j = 0; j < i; j++) {
		if (needs[j].same != j || !differ(&needs[i], &needs[j]))
			continue;
		add_alike(problem->conflicts + i * words, next, j);
		add_alike(problem->conflicts + j * words, next, i);
	}
}

/* Of events that need the same the first one is compared; the others have its
 * set. */
static void compare_firsts(struct problem *problem, const size_t *next)
{
	const struct need *needs = problem->needs;
	uint64_t *sets = problem->conflicts;
	size_t words = problem->num_words;

	for (size_t i = 0; i < problem->num_events; i++)
		if (needs[i].same == i && claims(&needs[i]))
			compare_first(problem, next, i);
	for (size_t i = 0; i < problem->num_events; i++)
		if (needs[i].same != i)
			memcpy(sets + i * words, sets + needs[i].same * words,
			       words * sizeof(*sets));
}

static bool find_conflicts(struct problem *problem)
{
	size_t num = problem->num_events;
	size_t *next = calloc(num + 1, sizeof(*next));
	bool fine;

	problem->conflicts =
		calloc(num * problem->num_words + 1, sizeof(uint64_t));
	fine = next && problem->conflicts;
	for (size_t i = num; fine && i-- > 0;) {
		size_t first = problem->needs[i].same;

		/* from the last to the first, which comes at last */
		if (first == i) {
			next[i] = next[i] ? next[i] - 1 : SIZE_MAX;
			continue;
		}
		next[i] = next[first] ? next[first] - 1 : SIZE_MAX;
		next[first] = i + 1;
	}
	if (fine)
		compare_firsts(problem, next);
	free(next);
	return fine;
}

/* A box instance, unless one with the same events is there or it has none. */
static bool add_place(struct problem *problem, unsigned box, unsigned instance)
{
	struct place *place = &problem->places[problem->num_places];
	size_t size = problem->num_words * sizeof(uint64_t);
	bool any = false;

	*place = (struct place){ new_set(problem), box, instance };
	if (!place->set)
		return false;
	problem->num_places++;
	for (size_t e = 0; e < problem->num_events; e++) {
		const struct need *need = &problem->needs[e];

		if (need->event->box_index != box || instance < need->first ||
		    instance > need->last)
			continue;
		set_add(place->set, e);
		any = true;
	}
	for (size_t p = 0; any && p + 1 < problem->num_places; p++)
		any = memcmp(problem->places[p].set, place->set, size) != 0;
	if (!any) {
		free(place->set);
		problem->num_places--;
	}
	return true;
}

static bool find_places(struct problem *problem)
{
	const struct uc_family *family = problem->family;
	size_t most = 0;

	for (unsigned b = 0; b < family->num_boxes; b++)
		most += family->boxes[b].num_instances;
	problem->places = calloc(most + 1, sizeof(*problem->places));
	if (!problem->places)
		return false;
	for (unsigned b = 0; b < family->num_boxes; b++)
		for (unsigned i = 0; i < family->boxes[b].num_instances; i++)
			if (!add_place(problem, b, i))
				return false;
	return true;
}

/* A unit, unless it is part of one that is there; units that are part of it
 * are left out later. */
static bool add_unit(struct problem *problem, const size_t *events, size_t num,
		     const char *name)
{
	struct unit *unit = &problem->units[problem->num_units];

	*unit = (struct unit){ .set = new_set(problem), .name = name };
	if (!unit->set)
		return false;
	for (size_t i = 0; i < num; i++)
		set_add(unit->set, events[i]);
	unit->first = num ? events[0] : 0;
	for (size_t u = 0; u < problem->num_units && num; u++)
		if (set_has(problem->units[u].set, unit->first) &&
		    set_within(unit->set, problem->units[u].set,
			       problem->num_words))
			num = 0;
	if (num)
		problem->num_units++;
	else
		free(unit->set);
	return true;
}

/* Larger groups first: what is part of another one is no unit. */
static const struct uncore_group *next_group(const struct uncore_group *groups,
					     size_t num_groups, bool *done)
{
	const struct uncore_group *next = NULL;

	for (size_t g = 0; g < num_groups; g++)
		if (!done[g] &&
		    (!next || groups[g].num_events > next->num_events))
			next = &groups[g];
	if (next)
		done[next - groups] = true;
	return next;
}

bool problem_add_events(struct problem *problem, const uint64_t *set)
{
	for (size_t e = 0;
	     (e = set_next(set, e, problem->num_words)) != SIZE_MAX; e++) {
		struct unit *unit = &problem->units[problem->num_units];

		*unit = (struct unit){ .set = new_set(problem), .first = e };
		if (!unit->set)
			return false;
		set_add(unit->set, e);
		problem->num_units++;
	}
	return true;
}

/* The events that are in no group. */
static bool add_single_events(struct problem *problem)
{
	uint64_t *single = new_set(problem);
	bool fine;

	for (size_t e = 0; single && e < problem->num_events; e++)
		set_add(single, e);
	for (size_t u = 0; single && u < problem->num_units; u++)
		for (size_t w = 0; w < problem->num_words; w++)
			single[w] &= ~problem->units[u].set[w];
	fine = single && problem_add_events(problem, single);
	free(single);
	return fine;
}

static bool find_units(struct problem *problem,
		       const struct uncore_group *groups, size_t num_groups)
{
	bool *done = calloc(num_groups + 1, sizeof(*done));
	const struct uncore_group *group;
	bool fine = done;

	problem->units = calloc(num_groups + problem->num_events + 1,
				sizeof(*problem->units));
	fine = fine && problem->units;
	while (fine && (group = next_group(groups, num_groups, done)))
		fine = add_unit(problem, group->events, group->num_events,
				group->name);
	fine = fine && add_single_events(problem);
	free(done);
	return fine;
}

/* Units that meet at a place are of one component. */
static bool find_components(struct problem *problem)
{
	uint64_t *reach = new_set(problem);

	if (!reach)
		return false;
	for (size_t u = 0; u < problem->num_units; u++)
		problem->units[u].component = SIZE_MAX;
	for (size_t u = 0; u < problem->num_units; u++) {
		bool more = problem->units[u].component == SIZE_MAX;

		if (!more)
			continue;
		memcpy(reach, problem->units[u].set,
		       problem->num_words * sizeof(uint64_t));
		while (more) {
			more = false;
			for (size_t p = 0; p < problem->num_places; p++)
				if (set_meets(reach, problem->places[p].set,
					      problem->num_words))
					set_join(reach, problem->places[p].set,
						 problem->num_words);
			for (size_t v = 0; v < problem->num_units; v++) {
				struct unit *unit = &problem->units[v];

				if (unit->component != SIZE_MAX ||
				    !set_meets(reach, unit->set,
					       problem->num_words))
					continue;
				unit->component = problem->num_components;
				set_join(reach, unit->set, problem->num_words);
				more = true;
			}
		}
		problem->num_components++;
	}
	free(reach);
	return true;
}

struct problem *problem_new(const struct uc_family *family,
			    struct uncore_event *const *events,
			    size_t num_events,
			    const struct uncore_group *groups,
			    size_t num_groups)
{
	struct problem *problem = calloc(1, sizeof(*problem));

	if (!problem)
		return NULL;
	problem->family = family;
	problem->num_events = num_events;
	problem->num_words = (num_events + 63) / 64;
	problem->needs = needs_new(events, num_events);
	problem->scratch = calloc(num_events + 1, sizeof(*problem->scratch));
	if (problem->needs && problem->scratch && find_conflicts(problem) &&
	    find_kinds(problem) && find_places(problem) &&
	    find_units(problem, groups, num_groups) &&
	    problem_find_steady(problem, events) && find_components(problem))
		return problem;
	problem_free(problem);
	return NULL;
}

void problem_free(struct problem *problem)
{
	if (!problem)
		return;
	for (size_t u = 0; u < problem->num_units; u++)
		free(problem->units[u].set);
	for (size_t p = 0; p < problem->num_places; p++)
		free(problem->places[p].set);
	free(problem->units);
	free(problem->steady);
	free(problem->places);
	free(problem->conflicts);
	for (size_t c = 0; c < problem->num_choices; c++)
		free(problem->choices[c].set);
	free(problem->choices);
	free(problem->kinds);
	free(problem->present);
	free(problem->nothing);
	free(problem->scratch);
	free(problem->needs);
	free(problem);
}
