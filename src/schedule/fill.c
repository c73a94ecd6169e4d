/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From the slices of each component to those of the socket. There are as many
 * as the component with most of them needs; what all fits into one slice is in
 * each of them, other slices are spread over them. Then the units that run
 * least get what room is left, one turn at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"
#include "uncore/error.h"

/* The slice of a component's packing that belongs into a slice, or NULL. */
static const uint64_t *part_of(const struct uncore_schedule *schedule,
			       size_t component, size_t slice)
{
	const struct packing *packing = &schedule->packings[component];

	for (size_t n = 0; n < packing->num; n++)
		if (packing->num == 1 ||
		    n * schedule->num_slices / packing->num == slice)
			return packing_set(packing, schedule->problem, n);
	return NULL;
}

static int make_slices(struct uncore_schedule *schedule)
{
	struct problem *problem = schedule->problem;

	schedule->slices =
		calloc(schedule->num_slices, sizeof(*schedule->slices));
	if (!schedule->slices)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t s = 0; s < schedule->num_slices; s++) {
		struct schedule_slice *slice = &schedule->slices[s];

		slice->set = calloc(problem->num_words, sizeof(uint64_t));
		slice->shut = calloc(problem->num_words, sizeof(uint64_t));
		slice->items = calloc(problem->num_events, sizeof(long));
		if (!slice->set || !slice->shut || !slice->items)
			return UNCORE_ERR_NO_MEMORY;
		for (size_t c = 0; c < problem->num_components; c++) {
			const uint64_t *part = part_of(schedule, c, s);

			if (part)
				set_join(slice->set, part, problem->num_words);
		}
		set_join(slice->set, problem->steady, problem->num_words);
		problem_shut(problem, slice->set, slice->set, slice->shut);
	}
	return 0;
}

static bool runs_in(const struct uncore_schedule *schedule,
		    const struct unit *unit, size_t slice)
{
	const uint64_t *set = schedule->slices[slice].set;

	return set_has(set, unit->first) &&
	       set_within(unit->set, set, schedule->problem->num_words);
}

static size_t turns_of(const struct uncore_schedule *schedule,
		       const struct unit *unit)
{
	size_t turns = 0;

	for (size_t s = 0; s < schedule->num_slices; s++)
		turns += runs_in(schedule, unit, s);
	return turns;
}

/* What a unit misses in a slice that does not take it is kept out for good if
 * it is one event. */
static void learn(const struct problem *problem, const struct unit *unit,
		  struct schedule_slice *slice)
{
	uint64_t last = 0;
	size_t word = 0;

	for (size_t w = 0; w < problem->num_words; w++) {
		uint64_t missing = unit->set[w] & ~slice->set[w];

		if (missing && (last || (missing & (missing - 1))))
			return;
		if (missing) {
			last = missing;
			word = w;
		}
	}
	slice->shut[word] |= last;
}

/* One more turn for a unit, in a slice from *next on; false if there is no
 * room. A slice only gets fuller, so none is looked at twice. */
static bool add_turn(struct uncore_schedule *schedule, const struct unit *unit,
		     size_t *next)
{
	struct problem *problem = schedule->problem;

	while (*next < schedule->num_slices) {
		size_t s = (*next)++;
		struct schedule_slice *slice = &schedule->slices[s];

		if (set_has(slice->shut, unit->first) ||
		    set_meets(slice->shut, unit->set, problem->num_words) ||
		    runs_in(schedule, unit, s))
			continue;
		if (!problem_fits(problem, slice->set, unit->set)) {
			learn(problem, unit, slice);
			continue;
		}
		set_join(slice->set, unit->set, problem->num_words);
		problem_shut(problem, slice->set, unit->set, slice->shut);
		return true;
	}
	return false;
}

/* The units with fewest turns get one more each, as long as there is room. */
static int fill_units(struct uncore_schedule *schedule,
		      const struct unit *units, size_t num)
{
	size_t *turns = calloc(num + 1, sizeof(*turns));
	size_t *next = calloc(num + 1, sizeof(*next));
	int result = turns && next ? 0 : UNCORE_ERR_NO_MEMORY;

	for (size_t u = 0; u < num && !result; u++)
		turns[u] = turns_of(schedule, &units[u]);
	for (size_t n = 0; n < schedule->num_slices && !result; n++)
		for (size_t u = 0; u < num; u++)
			if (turns[u] == n)
				turns[u] +=
					add_turn(schedule, &units[u], &next[u]);
	free(turns);
	free(next);
	return result;
}

/* Events by themselves, too: one of a group may run where the group does not.
 * They are units of one event here. */
static int fill_events(struct uncore_schedule *schedule)
{
	struct problem *problem = schedule->problem;
	size_t num = problem->num_events * problem->num_words;
	uint64_t *sets = calloc(num + 1, sizeof(*sets));
	struct unit *units = calloc(problem->num_events, sizeof(*units));
	int result = UNCORE_ERR_NO_MEMORY;

	if (sets && units) {
		for (size_t e = 0; e < problem->num_events; e++) {
			units[e].set = sets + e * problem->num_words;
			set_add(units[e].set, e);
			units[e].first = e;
		}
		result = fill_units(schedule, units, problem->num_events);
	}
	free(sets);
	free(units);
	return result;
}

int schedule_fill(struct uncore_schedule *schedule)
{
	const struct problem *problem = schedule->problem;
	int result = make_slices(schedule);

	if (!result)
		result = fill_units(schedule, problem->units,
				    problem->num_units);
	if (!result && problem->num_units < problem->num_events)
		result = fill_events(schedule);
	return result;
}
