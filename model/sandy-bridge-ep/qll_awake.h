/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * When a link does not save power: stretches of cycles that are added in any
 * order and may overlap. Who adds one is told of what of it is new.
 *
 * Invariants
 * 1. Stretches are in order and do not touch.
 * 2. Those that have ended by `now` may be forgotten; nobody asks for them.
 */
#ifndef UNCORE_QLL_AWAKE_H
#define UNCORE_QLL_AWAKE_H

#include <stdbool.h>
#include <stdint.h>

struct stretch_awake {
	uint64_t from, to; /* `to` is the first cycle behind it */
};

/* All 0: always asleep. */
struct awake {
	struct stretch_awake *stretches;
	unsigned num, room;
};

void awake_free(struct awake *awake);

/* Told of cycles from .. to - 1, which were asleep before. */
typedef void awake_fn(void *object, uint64_t from, uint64_t to);

void awake_add(struct awake *awake, uint64_t now, uint64_t from, uint64_t to,
	       awake_fn *tell, void *object);

/* Whether it is awake in a cycle; the first cycle from `at` on in which it is,
 * or UINT64_MAX. */
uint64_t awake_from(const struct awake *awake, uint64_t at);
static inline bool awake_at(const struct awake *awake, uint64_t at)
{
	const struct stretch_awake *last;

	if (!awake->num)
		return false;
	last = &awake->stretches[awake->num - 1];
	if (at >= last->from)
		return at < last->to;
	return awake_from(awake, at) == at;
}

#endif
