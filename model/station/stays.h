/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: who was in a queue, and when, as a list in no order, for those who
 * seldom look. One look at a cycle goes through the list.
 */
#ifndef UNCORE_STAYS_H
#define UNCORE_STAYS_H

#include <stdint.h>

/* So many are in it from a cycle until another. */
struct stay {
	uint64_t from, until;
	unsigned num;
};

/* How many are in it in a cycle, and until when it stays so, if that is before
 * *next. */
static inline unsigned stays_at(const struct stay *stays, unsigned num,
				uint64_t at, uint64_t *next)
{
	unsigned inside = 0;

	for (const struct stay *stay = stays; stay < stays + num; stay++) {
		uint64_t edge = stay->from > at ? stay->from : stay->until;

		if (edge <= at)
			continue;
		inside += stay->from <= at ? stay->num : 0;
		*next = edge < *next ? edge : *next;
	}
	return inside;
}

#endif
