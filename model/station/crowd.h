/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: a queue of which it matters how many are in it, and when. It is kept
 * as steps: from a time on so many are inside, until the next step. Who enters
 * says from when until when, in any order.
 *
 * Invariants
 * 1. at[] rises strictly, at[0] is not after what anybody asks for; the last
 *    step has no end.
 * 2. Steps that are over are forgotten only by crowd_forget().
 */
#ifndef UNCORE_CROWD_H
#define UNCORE_CROWD_H

#include <stdbool.h>
#include <stdint.h>

enum { CROWD_STEPS = 2000 };

struct crowd {
	unsigned num;
	uint64_t at[CROWD_STEPS];
	uint8_t count[CROWD_STEPS];
};

/* Some steps: of crowd->at[first] up to that of `end`, which begins when they
 * are over. */
struct crowd_steps {
	unsigned first, end;
};

/* Nobody is inside. */
void crowd_init(struct crowd *crowd);

/* What is over before `now` is of no interest. */
void crowd_forget(struct crowd *crowd, uint64_t now);

/* `by` more (less) are inside from a time until a later one. Returns the steps
 * that this has changed. */
struct crowd_steps crowd_enter(struct crowd *crowd, uint64_t from,
			       uint64_t until, int by);

/* How many are inside. */
unsigned crowd_at(const struct crowd *crowd, uint64_t time);

/* The first time from `from` on after which there are always less than
 * `limit`; from `mark` on there are `more` whom the steps do not know of, and
 * they are less than `limit`. */
uint64_t crowd_room_from(const struct crowd *crowd, uint64_t from,
			 unsigned limit, uint64_t mark, unsigned more);

/* The first time from `from` on with at most `limit` inside. */
uint64_t crowd_falls_to(const struct crowd *crowd, uint64_t from,
			unsigned limit);

#endif
