/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Steps are looked for from the back: most who come are the last to leave.
 */
#include "model/station/crowd.h"

#include <string.h>

#include "model/sim/bug.h"

void crowd_init(struct crowd *crowd)
{
	crowd->num = 1;
	crowd->at[0] = 0;
	crowd->count[0] = 0;
}

void crowd_forget(struct crowd *crowd, uint64_t now)
{
	unsigned past = 0;

	while (past + 1 < crowd->num && crowd->at[past + 1] <= now)
		past++;
	if (!past)
		return;
	crowd->num -= past;
	memmove(crowd->at, crowd->at + past, crowd->num * sizeof(*crowd->at));
	memmove(crowd->count, crowd->count + past, crowd->num);
}

/* The step in which a time is. */
static unsigned step_of(const struct crowd *crowd, uint64_t time)
{
	unsigned i = crowd->num - 1;

	while (i && crowd->at[i] > time)
		i--;
	return i;
}

/* The step that begins at a time, which may have to be made. */
static unsigned split(struct crowd *crowd, uint64_t time)
{
	unsigned i = step_of(crowd, time);

	if (crowd->at[i] >= time)
		return i;
	if (crowd->num == CROWD_STEPS)
		BUG("a queue of the memory has too many steps");
	for (unsigned k = crowd->num++; k > i + 1; k--) {
		crowd->at[k] = crowd->at[k - 1];
		crowd->count[k] = crowd->count[k - 1];
	}
	crowd->at[i + 1] = time;
	crowd->count[i + 1] = crowd->count[i];
	return i + 1;
}

struct crowd_steps crowd_enter(struct crowd *crowd, uint64_t from,
			       uint64_t until, int by)
{
	struct crowd_steps steps;

	steps.first = split(crowd, from);
	steps.end = split(crowd, until);
	for (unsigned i = steps.first; i < steps.end; i++)
		crowd->count[i] = (uint8_t)(crowd->count[i] + by);
	return steps;
}

unsigned crowd_at(const struct crowd *crowd, uint64_t time)
{
	return crowd->count[step_of(crowd, time)];
}

uint64_t crowd_room_from(const struct crowd *crowd, uint64_t from,
			 unsigned limit, uint64_t mark, unsigned more)
{
	if (2 * crowd->num + more < limit) /* ends fall together in pairs */
		return from;
	for (unsigned i = crowd->num - 1; i-- > 0;) {
		unsigned extra = crowd->at[i] >= mark ? more : 0;

		if (crowd->at[i + 1] <= from)
			break;
		if (crowd->count[i] + extra >= limit)
			return crowd->at[i + 1];
	}
	return from;
}

uint64_t crowd_falls_to(const struct crowd *crowd, uint64_t from,
			unsigned limit)
{
	unsigned i = step_of(crowd, from);

	if (crowd->count[i] <= limit)
		return from;
	while (i + 1 < crowd->num && crowd->count[i] > limit)
		i++;
	return crowd->at[i];
}
