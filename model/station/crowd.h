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
 * 2. Steps that are over are forgotten only by crowd_forget(); nobody asks for
 *    a time before that any more.
 */
#ifndef UNCORE_CROWD_H
#define UNCORE_CROWD_H

#include <stdint.h>

struct crowd_step {
	uint64_t at;
	unsigned count;
};

/* All 0: nobody is inside. Grows as it has to. */
struct crowd {
	struct crowd_step *steps;
	unsigned num, room;
};

/* Some steps: of crowd->steps[first] up to that of `end`, which begins when
 * they are over. */
struct crowd_steps {
	unsigned first, end;
};

void crowd_free(struct crowd *crowd);

/* What is over before `now` is of no interest. */
void crowd_forget(struct crowd *crowd, uint64_t now);

/* `by` more (less) are inside from a time until a later one. Returns the steps
 * that this has changed. */
struct crowd_steps crowd_enter(struct crowd *crowd, uint64_t from,
			       uint64_t until, int by);

/* How many are inside. */
unsigned crowd_at(const struct crowd *crowd, uint64_t time);

/* The first time from `from` on with at most `limit` inside. */
uint64_t crowd_falls_to(const struct crowd *crowd, uint64_t from,
			unsigned limit);

#endif
