/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Steps are looked for from the back: most who come are the last to leave.
 */
#include "model/station/occupancy.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

enum { FIRST_ROOM = 64 };

void occupancy_free(struct occupancy *occupancy)
{
	free(occupancy->steps);
	*occupancy = (struct occupancy){ .steps = NULL };
}

void occupancy_forget(struct occupancy *occupancy, uint64_t now)
{
	unsigned past = 0;

	while (past + 1 < occupancy->num &&
	       occupancy->steps[past + 1].at <= now)
		past++;
	if (!past)
		return;
	occupancy->num -= past;
	memmove(occupancy->steps, occupancy->steps + past,
		occupancy->num * sizeof(*occupancy->steps));
}

/* How many steps begin up to a time: the last of them is the one it is in. */
static unsigned steps_until(const struct occupancy *occupancy, uint64_t time)
{
	unsigned num = occupancy->num;

	while (num && occupancy->steps[num - 1].at > time)
		num--;
	return num;
}

static unsigned count_of(const struct occupancy *occupancy, unsigned num)
{
	return num ? occupancy->steps[num - 1].count : 0;
}

static void grow(struct occupancy *occupancy)
{
	occupancy->room = occupancy->room ? occupancy->room * 2 : FIRST_ROOM;
	occupancy->steps = realloc(occupancy->steps,
				   occupancy->room * sizeof(*occupancy->steps));
	if (!occupancy->steps)
		bug_no_memory();
}

/* The step that begins at a time, which may have to be made. */
static unsigned split(struct occupancy *occupancy, uint64_t time)
{
	unsigned num = steps_until(occupancy, time);
	struct occupancy_step step = { time, count_of(occupancy, num) };

	if (num && occupancy->steps[num - 1].at == time)
		return num - 1;
	if (occupancy->num == occupancy->room)
		grow(occupancy);
	memmove(occupancy->steps + num + 1, occupancy->steps + num,
		(occupancy->num++ - num) * sizeof(step));
	occupancy->steps[num] = step;
	return num;
}

struct occupancy_steps occupancy_enter(struct occupancy *occupancy,
				       uint64_t from, uint64_t until, int by)
{
	struct occupancy_steps steps;

	steps.first = split(occupancy, from);
	steps.end = split(occupancy, until);
	for (unsigned i = steps.first; i < steps.end; i++)
		occupancy->steps[i].count += (unsigned)by;
	return steps;
}

unsigned occupancy_at(const struct occupancy *occupancy, uint64_t time)
{
	return count_of(occupancy, steps_until(occupancy, time));
}

uint64_t occupancy_falls_to(const struct occupancy *occupancy, uint64_t from,
			    unsigned limit)
{
	unsigned num = steps_until(occupancy, from);

	if (count_of(occupancy, num) <= limit)
		return from;
	while (num < occupancy->num && occupancy->steps[num].count > limit)
		num++;
	return occupancy->steps[num].at;
}
