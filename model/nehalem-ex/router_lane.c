/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Timetables where something is not free at once, or that are asked for far
 * ahead.
 */
#include "model/nehalem-ex/router_lane.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

/* The first in the list that is not before a stretch. */
static unsigned place_of(const struct lane *lane, uint64_t number)
{
	unsigned first = 0, behind = lane->num_far;

	while (first < behind) {
		unsigned middle = (first + behind) / 2;

		if (lane->far[middle].number < number)
			first = middle + 1;
		else
			behind = middle;
	}
	return first;
}

struct lane_slot *lane_far_find(const struct lane *lane, uint64_t number)
{
	unsigned place = place_of(lane, number);

	if (place == lane->num_far || lane->far[place].number != number)
		return NULL;
	return &lane->far[place];
}

static void remove_far(struct lane *lane, unsigned first, unsigned num)
{
	struct lane_slot *gone = lane->far + first;

	lane->num_far -= num;
	memmove(gone, gone + num, (lane->num_far - first) * sizeof(*gone));
}

static struct lane_slot *insert_far(struct lane *lane, uint64_t number)
{
	unsigned place = place_of(lane, number);
	struct lane_slot *slot;

	if (lane->num_far == lane->room_far) {
		lane->room_far = lane->room_far ? 2 * lane->room_far : 16;
		lane->far =
			realloc(lane->far, lane->room_far * sizeof(*lane->far));
		if (!lane->far)
			bug_no_memory();
	}
	slot = lane->far + place;
	memmove(slot + 1, slot, (lane->num_far++ - place) * sizeof(*slot));
	*slot = (struct lane_slot){ .number = number };
	return slot;
}

struct lane_slot *lane_far_slot(struct lane *lane, uint64_t present,
				uint64_t number)
{
	struct lane_slot *slot = &lane->slots[number % LANE_SLOTS], *far;

	if (lane->num_far)
		remove_far(lane, 0, place_of(lane, present));
	far = lane->num_far ? lane_far_find(lane, number) : NULL;
	if (number - present >= LANE_SLOTS)
		return far ? far : insert_far(lane, number);
	*slot = (struct lane_slot){ .number = number };
	if (far) {
		*slot = *far;
		remove_far(lane, (unsigned)(far - lane->far), 1);
	}
	return slot;
}

void lane_free(struct lane *lane)
{
	free(lane->far);
}

uint64_t lane_free_from(const struct lane *a, unsigned kind_a,
			const struct lane *b, unsigned kind_b, uint64_t from,
			unsigned num)
{
	uint64_t mask = lane_mask(num), taken;

	for (;;) {
		taken = (lane_look(a, kind_a, from) |
			 lane_look(b, kind_b, from)) &
			mask;
		if (!taken)
			return from;
		from += 64 - (unsigned)__builtin_clzll(taken);
	}
}
