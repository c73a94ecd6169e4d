/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Plans of the slices, with as few changes from one to the next as can be: an
 * event wishes for the counter and the slot that it had last. Where another one
 * must have these in a later slice, all slices are planned once more, with what
 * came out as the wish.
 */
#include <stdlib.h>
#include <string.h>

#include "event/plan.h"
#include "schedule/schedule.h"
#include "uncore/error.h"

enum { MAX_ROUNDS = 4 };

struct placing {
	struct uncore_schedule *schedule;
	struct plan_item *latest; /* per event; places NULL: none yet */
	struct plan_wish *wishes; /* of the events of a slice */
	const struct need **needs;
	bool *always; /* per event */
	bool moved;   /* an event that always runs has changed its place */
};

static size_t size_of_places(const struct need *need)
{
	return (need->last - need->first + 1) * sizeof(struct plan_place);
}

/* Keeps where an event was put, since plans come and go. */
static void remember(struct placing *placing, size_t event,
		     const struct plan_item *item)
{
	struct plan_item *latest = &placing->latest[event];
	size_t size = size_of_places(item->need);

	if (latest->need && placing->always[event])
		placing->moved |=
			memcmp(latest->places, item->places, size) != 0;
	latest->need = item->need;
	memcpy(latest->places, item->places, size);
}

static int plan_slice(struct placing *placing, struct schedule_slice *slice,
		      char **error)
{
	const struct problem *problem = placing->schedule->problem;
	size_t num = 0;
	int result;

	for (size_t e = 0; e < problem->num_events; e++) {
		slice->items[e] = -1;
		if (!set_has(slice->set, e))
			continue;
		slice->items[e] = (long)num;
		placing->needs[num] = &problem->needs[e];
		placing->wishes[num++] = (struct plan_wish){
			placing->latest[e].need ? &placing->latest[e] : NULL,
			placing->always[e],
		};
	}
	uncore_plan_free(slice->plan);
	slice->plan = NULL;
	result = plan_new(problem->family, placing->needs, num, placing->wishes,
			  &slice->plan, error);
	for (size_t e = 0; e < problem->num_events && !result; e++)
		if (slice->items[e] >= 0)
			remember(placing, e,
				 &slice->plan->items[slice->items[e]]);
	return result;
}

static bool prepare(struct placing *placing)
{
	const struct uncore_schedule *schedule = placing->schedule;
	size_t num = schedule->problem->num_events;

	placing->latest = calloc(num, sizeof(*placing->latest));
	placing->wishes = calloc(num, sizeof(*placing->wishes));
	placing->needs = calloc(num, sizeof(*placing->needs));
	placing->always = calloc(num, sizeof(*placing->always));
	if (!placing->latest || !placing->wishes || !placing->needs ||
	    !placing->always)
		return false;
	for (size_t e = 0; e < num; e++) {
		placing->latest[e].places =
			malloc(size_of_places(&schedule->problem->needs[e]));
		if (!placing->latest[e].places)
			return false;
		placing->always[e] = true;
		for (size_t s = 0; s < schedule->num_slices; s++)
			placing->always[e] &=
				set_has(schedule->slices[s].set, e);
	}
	return true;
}

int schedule_plan(struct uncore_schedule *schedule, char **error)
{
	struct placing placing = { .schedule = schedule, .moved = true };
	int result = prepare(&placing) ? 0 : UNCORE_ERR_NO_MEMORY;

	for (unsigned n = 0; n < MAX_ROUNDS && placing.moved && !result; n++) {
		placing.moved = false;
		for (size_t s = 0; s < schedule->num_slices && !result; s++)
			result = plan_slice(&placing, &schedule->slices[s],
					    error);
	}
	for (size_t e = 0; placing.latest && e < schedule->problem->num_events;
	     e++)
		free(placing.latest[e].places);
	free(placing.latest);
	free(placing.wishes);
	free(placing.needs);
	free(placing.always);
	return result;
}
