/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See qll_awake.h. There are few stretches: as many as a link falls asleep
 * between what has been planned.
 */
#include "model/sandy-bridge-ep/qll_awake.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

enum { FIRST_ROOM = 8 };

void awake_free(struct awake *awake)
{
	free(awake->stretches);
	*awake = (struct awake){ .stretches = NULL };
}

static void grow(struct awake *awake)
{
	awake->room = awake->room ? awake->room * 2 : FIRST_ROOM;
	awake->stretches = realloc(awake->stretches,
				   awake->room * sizeof(*awake->stretches));
	if (!awake->stretches)
		bug_no_memory();
}

static void forget(struct awake *awake, uint64_t now)
{
	unsigned past = 0;

	while (past < awake->num && awake->stretches[past].to < now)
		past++;
	awake->num -= past;
	if (past && awake->num)
		memmove(awake->stretches, awake->stretches + past,
			awake->num * sizeof(*awake->stretches));
}

/* The first stretch that ends at `at` or later. */
static unsigned find(const struct awake *awake, uint64_t at)
{
	unsigned i = awake->num;

	while (i && awake->stretches[i - 1].to >= at)
		i--;
	return i;
}

void awake_add(struct awake *awake, uint64_t now, uint64_t from, uint64_t to,
	       awake_fn *tell, void *object)
{
	struct stretch_awake merged = { from, to };
	unsigned first, end;

	forget(awake, now);
	first = end = find(awake, from);
	for (; end < awake->num && awake->stretches[end].from <= to; end++) {
		const struct stretch_awake *old = &awake->stretches[end];

		if (from < old->from)
			tell(object, from, old->from);
		from = old->to > from ? old->to : from;
		merged.from = old->from < merged.from ? old->from : merged.from;
		merged.to = old->to > merged.to ? old->to : merged.to;
	}
	if (from < to)
		tell(object, from, to);
	if (first == end && awake->num == awake->room)
		grow(awake);
	memmove(awake->stretches + first + 1, awake->stretches + end,
		(awake->num - end) * sizeof(merged));
	awake->stretches[first] = merged;
	awake->num += 1 + first - end;
}

uint64_t awake_from(const struct awake *awake, uint64_t at)
{
	unsigned i = find(awake, at + 1);

	if (i == awake->num)
		return UINT64_MAX;
	return awake->stretches[i].from > at ? awake->stretches[i].from : at;
}
