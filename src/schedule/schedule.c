/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Slices that take turns: each group goes into the first slice that has room
 * for all of it.
 */
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uncore/error.h"
#include "uncore/event.h"

static bool has_event(const struct schedule_slice *slice, size_t event)
{
	for (size_t i = 0; i < slice->num_events; i++)
		if (slice->events[i] == event)
			return true;
	return false;
}

/* The slice with a group's events in the order of the list. */
static int join(struct schedule_slice *slice, size_t num_events,
		const struct uncore_group *group)
{
	size_t *events = calloc(num_events, sizeof(*events));
	size_t num = 0;

	if (!events)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t e = 0; e < num_events; e++) {
		bool wanted = has_event(slice, e);

		for (size_t i = 0; i < group->num_events && !wanted; i++)
			wanted = group->events[i] == e;
		if (wanted)
			events[num++] = e;
	}
	free(slice->events);
	slice->events = events;
	slice->num_events = num;
	return 0;
}

static int plan_slice(const struct uncore_family *family,
		      struct uncore_event *const *events,
		      const struct schedule_slice *slice,
		      struct uncore_plan **plan, char **error)
{
	struct uncore_event **chosen =
		calloc(slice->num_events, sizeof(struct uncore_event *));
	int result = chosen ? 0 : UNCORE_ERR_NO_MEMORY;

	for (size_t i = 0; i < slice->num_events && !result; i++)
		chosen[i] = events[slice->events[i]];
	if (!result)
		result = uncore_plan_new(family, chosen, slice->num_events,
					 plan, error);
	free(chosen);
	return result;
}

static int try_slice(const struct uncore_family *family,
		     struct uncore_event *const *events, size_t num_events,
		     struct schedule_slice *slice,
		     const struct uncore_group *group, char **error)
{
	struct schedule_slice trial = { NULL, NULL, slice->num_events };
	int result;

	trial.events = calloc(num_events, sizeof(*trial.events));
	if (!trial.events)
		return UNCORE_ERR_NO_MEMORY;
	if (slice->num_events)
		memcpy(trial.events, slice->events,
		       slice->num_events * sizeof(*trial.events));
	result = join(&trial, num_events, group);
	if (!result)
		result = plan_slice(family, events, &trial, &trial.plan, error);
	if (result) {
		free(trial.events);
		return result;
	}
	uncore_plan_free(slice->plan);
	free(slice->events);
	*slice = trial;
	return 0;
}

static int add_reason(struct uncore_schedule *schedule, char *reason)
{
	char **reasons = realloc(schedule->reasons,
				 (schedule->num_reasons + 1) * sizeof(char *));

	if (!reasons) {
		free(reason);
		return UNCORE_ERR_NO_MEMORY;
	}
	schedule->reasons = reasons;
	schedule->reasons[schedule->num_reasons++] = reason;
	return 0;
}

static int place_group(struct uncore_schedule *schedule,
		       const struct uncore_family *family,
		       struct uncore_event *const *events,
		       const struct uncore_group *group, char **error)
{
	size_t num = schedule->num_slices;
	struct schedule_slice *slices;
	int result = 0;

	for (size_t s = 0; s < num; s++) {
		char *why = NULL;

		result = try_slice(family, events, schedule->num_events,
				   &schedule->slices[s], group, &why);
		if (!result || result == UNCORE_ERR_NO_MEMORY) {
			free(why);
			return result;
		}
		if (why)
			result = add_reason(schedule, why);
	}
	slices = realloc(schedule->slices, (num + 1) * sizeof(*slices));
	if (!slices)
		return UNCORE_ERR_NO_MEMORY;
	schedule->slices = slices;
	slices[num] = (struct schedule_slice){ 0 };
	schedule->num_slices++;
	return try_slice(family, events, schedule->num_events, &slices[num],
			 group, error);
}

static bool in_group(const struct uncore_group *groups, size_t num_groups,
		     size_t event)
{
	for (size_t g = 0; g < num_groups; g++)
		for (size_t i = 0; i < groups[g].num_events; i++)
			if (groups[g].events[i] == event)
				return true;
	return false;
}

int uncore_schedule_new(const struct uncore_family *family,
			struct uncore_event *const *events, size_t num_events,
			const struct uncore_group *groups, size_t num_groups,
			struct uncore_schedule **schedule, char **error)
{
	struct uncore_schedule *new;
	int result = 0;

	if (!num_events)
		return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
				  "there is no event to count");
	new = calloc(1, sizeof(*new));
	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	new->num_events = num_events;
	for (size_t g = 0; g < num_groups && !result; g++)
		result = place_group(new, family, events, &groups[g], error);
	for (size_t e = 0; e < num_events && !result; e++) {
		struct uncore_group alone = { &e, 1, NULL };

		if (!in_group(groups, num_groups, e))
			result = place_group(new, family, events, &alone,
					     error);
	}
	if (result) {
		uncore_schedule_free(new);
		return result;
	}
	new->is_optimal = new->num_slices == 1;
	*schedule = new;
	return 0;
}

void uncore_schedule_free(struct uncore_schedule *schedule)
{
	if (!schedule)
		return;
	for (size_t s = 0; s < schedule->num_slices; s++) {
		uncore_plan_free(schedule->slices[s].plan);
		free(schedule->slices[s].events);
	}
	for (size_t r = 0; r < schedule->num_reasons; r++)
		free(schedule->reasons[r]);
	free(schedule->reasons);
	free(schedule->slices);
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
	const struct schedule_slice *of = &schedule->slices[slice];

	for (size_t i = 0; i < of->num_events; i++)
		if (of->events[i] == event)
			return (long)i;
	return -1;
}

double uncore_schedule_share(const struct uncore_schedule *schedule,
			     size_t event)
{
	size_t in = 0;

	for (size_t s = 0; s < schedule->num_slices; s++)
		in += uncore_schedule_item(schedule, s, event) >= 0;
	return (double)in / (double)schedule->num_slices;
}

const char *uncore_schedule_reason(const struct uncore_schedule *schedule,
				   size_t index)
{
	if (schedule->num_slices < 2 || index >= schedule->num_reasons)
		return NULL;
	return schedule->reasons[index];
}
