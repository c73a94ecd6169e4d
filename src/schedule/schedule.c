/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Slices that take turns, as few as there can be (docs/estimates.md): a
 * problem of units and places (problem.c), solved component by component
 * (fit.c, search.c, bound.c), put together and filled up (fill.c), planned
 * (place.c), explained (reason.c).
 */
#include "schedule/schedule.h"

#include <stdlib.h>

#include "uncore/error.h"

/* The component that needs most slices. */
static struct packing *largest(const struct uncore_schedule *schedule)
{
	struct packing *most = &schedule->packings[0];

	for (size_t c = 1; c < schedule->problem->num_components; c++)
		if (schedule->packings[c].num > most->num)
			most = &schedule->packings[c];
	return most;
}

/* Only the component that needs most slices is worth the work of a search. */
static int find_packings(struct uncore_schedule *schedule)
{
	struct problem *problem = schedule->problem;
	struct packing *most;

	schedule->packings =
		calloc(problem->num_components, sizeof(*schedule->packings));
	if (!schedule->packings)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t c = 0; c < problem->num_components; c++)
		if (!search_first(problem, c, &schedule->packings[c]))
			return UNCORE_ERR_NO_MEMORY;
	while (!(most = largest(schedule))->is_final)
		if (!search_improve(problem,
				    (size_t)(most - schedule->packings), most))
			return UNCORE_ERR_NO_MEMORY;
	return 0;
}

static int solve(struct uncore_schedule *schedule, char **error)
{
	struct problem *problem = schedule->problem;
	int result = 0;

	for (size_t u = 0; u < problem->num_units && !result; u++)
		result = schedule_refuse(problem, &problem->units[u], error);
	if (!result)
		result = find_packings(schedule);
	if (result)
		return result;
	schedule->num_slices = largest(schedule)->num;
	for (size_t c = 0; c < problem->num_components; c++)
		if (schedule->packings[c].num == schedule->num_slices)
			schedule->is_optimal |=
				schedule->packings[c].is_optimal;
	return 0;
}

int uncore_schedule_new(const struct uncore_family *family,
			struct uncore_event *const *events, size_t num_events,
			const struct uncore_group *groups, size_t num_groups,
			struct uncore_schedule **schedule, char **error)
{
	struct uncore_schedule *new;
	int result;

	if (!num_events)
		return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
				  "there is no event to count");
	new = calloc(1, sizeof(*new));
	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	new->problem = problem_new(family_row(family), events, num_events,
				   groups, num_groups);
	result = new->problem ? solve(new, error) : UNCORE_ERR_NO_MEMORY;
	if (!result)
		result = schedule_fill(new);
	if (!result)
		result = schedule_plan(new, error);
	if (!result)
		result = schedule_explain(new);
	if (result)
		uncore_schedule_free(new);
	else
		*schedule = new;
	return result;
}

static void free_slices(struct uncore_schedule *schedule)
{
	for (size_t s = 0; schedule->slices && s < schedule->num_slices; s++) {
		uncore_plan_free(schedule->slices[s].plan);
		free(schedule->slices[s].items);
		free(schedule->slices[s].set);
		free(schedule->slices[s].shut);
	}
	free(schedule->slices);
}

void uncore_schedule_free(struct uncore_schedule *schedule)
{
	if (!schedule)
		return;
	free_slices(schedule);
	for (size_t c = 0;
	     schedule->packings && c < schedule->problem->num_components; c++)
		free(schedule->packings[c].sets);
	free(schedule->packings);
	for (size_t r = 0; r < schedule->num_reasons; r++)
		free(schedule->reasons[r]);
	free(schedule->reasons);
	problem_free(schedule->problem);
	free(schedule);
}

size_t uncore_schedule_slices(const struct uncore_schedule *schedule)
{
	return schedule->num_slices;
}

bool uncore_schedule_is_optimal(const struct uncore_schedule *schedule)
{
	return schedule->is_optimal;
}

const struct uncore_plan *
uncore_schedule_plan(const struct uncore_schedule *schedule, size_t slice)
{
	return schedule->slices[slice].plan;
}

long uncore_schedule_item(const struct uncore_schedule *schedule, size_t slice,
			  size_t event)
{
	return schedule->slices[slice].items[event];
}

double uncore_schedule_share(const struct uncore_schedule *schedule,
			     size_t event)
{
	size_t turns = 0;

	for (size_t s = 0; s < schedule->num_slices; s++)
		turns += schedule->slices[s].items[event] >= 0;
	return (double)turns / (double)schedule->num_slices;
}

const char *uncore_schedule_reason(const struct uncore_schedule *schedule,
				   size_t index)
{
	return index < schedule->num_reasons ? schedule->reasons[index] : NULL;
}

uint64_t uncore_schedule_work(const struct uncore_schedule *schedule)
{
	return schedule->problem->work;
}
