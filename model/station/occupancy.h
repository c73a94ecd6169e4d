/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: a queue of which it matters how many are in it, and when. It is kept
 * as steps: from a time on so many are inside, until the next step. Who enters
 * says from when until when, in any order.
 *
 * Invariants
 * 1. The times of steps rise strictly. Nobody is inside before the first one,
 *    the last one has no end.
 * 2. Steps that are over are forgotten only by occupancy_forget(); nobody asks
 *    for a time before that any more.
 */
#ifndef UNCORE_OCCUPANCY_H
#define UNCORE_OCCUPANCY_H

#include <stdint.h>

struct occupancy_step {
	uint64_t at;
	unsigned count;
};

/* All 0: nobody is inside. Grows as it has to. */
struct occupancy {
	struct occupancy_step *steps;
	unsigned num, room;
};

/* Some steps: of occupancy->steps[first] up to that of `end`, which begins when
 * they are over. */
struct occupancy_steps {
	unsigned first, end;
};

void occupancy_free(struct occupancy *occupancy);

/* What is over before `now` is of no interest. */
void occupancy_forget(struct occupancy *occupancy, uint64_t now);

/* `by` more (less) are inside from a time until a later one. Returns the steps
 * that this has changed. */
struct occupancy_steps occupancy_enter(struct occupancy *occupancy,
				       uint64_t from, uint64_t until, int by);

/* How many are inside. */
unsigned occupancy_at(const struct occupancy *occupancy, uint64_t time);

/* The first time from `from` on with at most `limit` inside. */
uint64_t occupancy_falls_to(const struct occupancy *occupancy, uint64_t from,
			    unsigned limit);

#endif
