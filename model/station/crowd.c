/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Steps are looked for from the back: most who come are the last to leave.
 */
#include "model/station/crowd.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

enum { FIRST_ROOM = 64 };

void crowd_free(struct crowd *crowd)
{
	free(crowd->steps);
	*crowd = (struct crowd){ .steps = NULL };
}

void crowd_forget(struct crowd *crowd, uint64_t now)
{
	unsigned past = 0;

	while (past + 1 < crowd->num && crowd->steps[past + 1].at <= now)
		past++;
	if (!past)
		return;
	crowd->num -= past;
	memmove(crowd->steps, crowd->steps + past,
		crowd->num * sizeof(*crowd->steps));
}

/* How many steps begin up to a time: the last of them is the one it is in. */
static unsigned steps_until(const struct crowd *crowd, uint64_t time)
{
	unsigned num = crowd->num;

	while (num && crowd->steps[num - 1].at > time)
		num--;
	return num;
}

static unsigned count_of(const struct crowd *crowd, unsigned num)
{
	return num ? crowd->steps[num - 1].count : 0;
}

static void grow(struct crowd *crowd)
{
	crowd->room = crowd->room ? crowd->room * 2 : FIRST_ROOM;
	crowd->steps =
		realloc(crowd->steps, crowd->room * sizeof(*crowd->steps));
	if (!crowd->steps)
		bug_no_memory();
}

/* The step that begins at a time, which may have to be made. */
static unsigned split(struct crowd *crowd, uint64_t time)
{
	unsigned num = steps_until(crowd, time);
	struct crowd_step step = { time, count_of(crowd, num) };

	if (num && crowd->steps[num - 1].at == time)
		return num - 1;
	if (crowd->num == crowd->room)
		grow(crowd);
	memmove(crowd->steps + num + 1, crowd->steps + num,
		(crowd->num++ - num) * sizeof(step));
	crowd->steps[num] = step;
	return num;
}

struct crowd_steps crowd_enter(struct crowd *crowd, uint64_t from,
			       uint64_t until, int by)
{
	struct crowd_steps steps;

	steps.first = split(crowd, from);
	steps.end = split(crowd, until);
	for (unsigned i = steps.first; i < steps.end; i++)
		crowd->steps[i].count += (unsigned)by;
	return steps;
}

unsigned crowd_at(const struct crowd *crowd, uint64_t time)
{
	return count_of(crowd, steps_until(crowd, time));
}

uint64_t crowd_falls_to(const struct crowd *crowd, uint64_t from,
			unsigned limit)
{
	unsigned num = steps_until(crowd, from);

	if (count_of(crowd, num) <= limit)
		return from;
	while (num < crowd->num && crowd->steps[num].count > limit)
		num++;
	return crowd->steps[num].at;
}
