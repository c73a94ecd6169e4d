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
	const struct problem *problem = schedule->problem;

	schedule->slices =
		calloc(schedule->num_slices, sizeof(*schedule->slices));
	if (!schedule->slices)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t s = 0; s < schedule->num_slices; s++) {
		struct schedule_slice *slice = &schedule->slices[s];

		slice->set = calloc(problem->num_words, sizeof(uint64_t));
		slice->items = calloc(problem->num_events, sizeof(long));
		if (!slice->set || !slice->items)
			return UNCORE_ERR_NO_MEMORY;
		for (size_t c = 0; c < problem->num_components; c++) {
			const uint64_t *part = part_of(schedule, c, s);

			if (part)
				set_join(slice->set, part, problem->num_words);
		}
		set_join(slice->set, problem->steady, problem->num_words);
	}
	return 0;
}

static bool runs_in(const struct uncore_schedule *schedule,
		    const struct unit *unit, size_t slice)
{
	return set_within(unit->set, schedule->slices[slice].set,
			  schedule->problem->num_words);
}

static size_t turns_of(const struct uncore_schedule *schedule,
		       const struct unit *unit)
{
	size_t turns = 0;

	for (size_t s = 0; s < schedule->num_slices; s++)
		turns += runs_in(schedule, unit, s);
	return turns;
}

/* One more turn for a unit; false if there is no room in any slice. A slice
 * only gets fuller, so what did not fit before (`tried`) is not tried again. */
static bool add_turn(struct uncore_schedule *schedule, const struct unit *unit,
		     bool *tried)
{
	for (size_t s = 0; s < schedule->num_slices; s++) {
		uint64_t *set = schedule->slices[s].set;

		if (tried[s] || runs_in(schedule, unit, s))
			continue;
		tried[s] = true;
		if (!problem_fits(schedule->problem, set, unit->set))
			continue;
		set_join(set, unit->set, schedule->problem->num_words);
		return true;
	}
	return false;
}

/* The unit with fewest turns among those that may get more, or num. */
static size_t poorest(const struct uncore_schedule *schedule,
		      const size_t *turns, size_t num)
{
	size_t best = num;

	for (size_t u = 0; u < num; u++)
		if (turns[u] < schedule->num_slices &&
		    (best == num || turns[u] < turns[best]))
			best = u;
	return best;
}

static int fill_units(struct uncore_schedule *schedule,
		      const struct unit *units, size_t num)
{
	size_t *turns = calloc(num + 1, sizeof(*turns)), u;
	bool *tried = calloc(num * schedule->num_slices + 1, sizeof(*tried));
	int result = turns && tried ? 0 : UNCORE_ERR_NO_MEMORY;

	for (u = 0; u < num && !result; u++)
		turns[u] = turns_of(schedule, &units[u]);
	while (!result && (u = poorest(schedule, turns, num)) < num) {
		if (add_turn(schedule, &units[u],
			     tried + u * schedule->num_slices))
			turns[u]++;
		else
			turns[u] = SIZE_MAX;
	}
	free(turns);
	free(tried);
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
