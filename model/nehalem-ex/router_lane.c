/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Timetables of ports that are not free at once, or that are asked for far
 * ahead.
 */
#include "model/nehalem-ex/router_lane.h"

/* The first cycle from `from` on that is not in the far part, or `from` if a
 * row from there ends before it. */
static uint64_t past_far(const struct lane *lane, uint64_t from, unsigned num)
{
	bool meets = lane->far > from && lane->far_from < from + num;

	return meets ? lane->far : from;
}

uint64_t lane_free_from(const struct lane *a, unsigned kind_a,
			const struct lane *b, unsigned kind_b, uint64_t now,
			uint64_t from, unsigned num)
{
	uint64_t mask = lane_mask(num), taken;

	for (;;) {
		uint64_t next = past_far(a, past_far(b, from, num), num);

		if (next != from) {
			from = next;
			continue;
		}
		if (from >= lane_limit(now) + 64)
			return from; /* no row of bits ends there or later */
		taken = (lane_look(a, kind_a, from) |
			 lane_look(b, kind_b, from)) &
			mask;
		if (!taken)
			return from;
		from += 64 - (unsigned)__builtin_clzll(taken);
	}
}

void lane_take_far(struct lane *lane, uint64_t now, uint64_t from, unsigned num)
{
	if (lane->far <= now || from < lane->far_from)
		lane->far_from = from;
	if (lane->far < from + num)
		lane->far = from + num;
}
