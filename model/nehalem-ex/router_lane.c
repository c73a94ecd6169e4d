/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Timetables where something is not free at once, or that grow.
 */
#include "model/nehalem-ex/router_lane.h"

#include <stdlib.h>
#include <string.h>

#include "model/pmu/signal.h"
#include "model/sim/bug.h"

enum { FIRST_SLOTS = 16 };

static struct lane_slot *new_slots(uint64_t num)
{
	size_t bytes = num * sizeof(struct lane_slot);
	struct lane_slot *slots = aligned_alloc(sizeof(*slots), bytes);

	if (!slots)
		bug_no_memory();
	return memset(slots, 0, bytes);
}

void lane_init(struct lane *lane)
{
	lane->slots = new_slots(FIRST_SLOTS);
	lane->mask = FIRST_SLOTS - 1;
}

void lane_free(struct lane *lane)
{
	free(lane->slots);
}

/* Two stretches that are not past would share a slot. */
static SIG_SLOW struct lane_slot *grow(struct lane *lane, uint64_t present,
				       uint64_t number)
{
	uint64_t mask = 2 * lane->mask + 1;
	struct lane_slot *slots = new_slots(mask + 1);

	for (uint64_t i = 0; i <= lane->mask; i++) {
		const struct lane_slot *slot = &lane->slots[i];

		if (slot->owner > present)
			slots[(slot->owner - 1) & mask] = *slot;
	}
	free(lane->slots);
	lane->slots = slots;
	lane->mask = mask;
	return lane_renew(lane, present, number);
}

struct lane_slot *lane_renew(struct lane *lane, uint64_t present,
			     uint64_t number)
{
	struct lane_slot *slot = &lane->slots[number & lane->mask];

	if (slot->owner > present)
		return grow(lane, present, number);
	*slot = (struct lane_slot){ .owner = number + 1 };
	return slot;
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
