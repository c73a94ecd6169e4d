/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: a timetable of stretches of any length, for what happens rarely and
 * may be asked for in any order: who has a way to himself, when somebody was
 * there at all.
 *
 * Invariants
 * 1. Nobody asks for a cycle before `now`, and `now` never goes back. What has
 *    ended by then is forgotten.
 * 2. Spans are in order and do not touch.
 * 3. When there would be more than SPANS_MAX, the narrowest gap counts as
 *    taken.
 */
#ifndef UNCORE_SPANS_H
#define UNCORE_SPANS_H

#include <stdbool.h>
#include <stdint.h>

enum { SPANS_MAX = 32 };

struct span {
	uint64_t from, to; /* `to` is the first cycle behind it */
};

/* All 0: nothing is taken. */
struct spans {
	unsigned num;
	struct span spans[SPANS_MAX + 1]; /* the last one: while one is added */
};

/* Takes the first `num` free cycles in a row from `from` on; the first of them.
 */
uint64_t spans_take(struct spans *spans, uint64_t now, uint64_t from,
		    uint64_t num);

/* Takes cycles from .. to - 1, free or not. */
void spans_add(struct spans *spans, uint64_t now, uint64_t from, uint64_t to);

/* Of cycles *from .. to - 1 the first that are free: *from to *end - 1. False:
 * there are none. */
bool spans_gap(const struct spans *spans, uint64_t *from, uint64_t to,
	       uint64_t *end);

#endif
