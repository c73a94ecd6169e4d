/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/router_credit.h"

#include <stdlib.h>

#include "model/sim/bug.h"

enum { FIRST_ROOM = 64 };

void credits_init(struct credits *credits, unsigned flits)
{
	*credits = (struct credits){ .flits = flits };
}

void credits_fini(struct credits *credits)
{
	free(credits->stays);
}

static uint64_t step_behind(uint64_t to)
{
	return credits_step(to + CREDITS_STEP - 1);
}

bool credits_look(struct credits *credits, uint64_t now, uint64_t from,
		  unsigned flits)
{
	uint64_t present = credits_step(now), step = credits_step(from);
	unsigned left = 0;

	credits->held = 0;
	for (unsigned i = 0; i < credits->num; i++) {
		const struct credits_stay stay = credits->stays[i];

		if (stay.to <= present)
			continue;
		credits->stays[left++] = stay;
		if (stay.vn != CREDITS_VNA)
			continue;
		credits->held += stay.flits;
		if (stay.to > step)
			flits += stay.flits;
	}
	credits->num = left;
	return flits <= credits->flits;
}

/* The end of the last of the steps from .. to - 1 in which there is no VNA for
 * somebody; 0: there is in all. Where a stay ends something becomes free, so
 * only the step before is looked at. */
static uint64_t lacks_vna_until(const struct credits *credits, uint64_t from,
				uint64_t to, unsigned needed)
{
	for (;;) {
		unsigned flits = needed, all = needed;
		uint64_t next = from;

		for (unsigned i = 0; i < credits->num; i++) {
			const struct credits_stay *stay = &credits->stays[i];

			if (stay->vn != CREDITS_VNA || stay->to <= from ||
			    stay->from >= to)
				continue;
			all += stay->flits;
			if (stay->to > to - CREDITS_STEP)
				flits += stay->flits;
			else if (stay->to > next)
				next = stay->to;
		}
		if (flits > credits->flits)
			return to;
		if (all <= credits->flits)
			return 0;
		to = step_behind(next);
	}
}

static uint64_t lacks_place_until(const struct credits *credits, uint64_t from,
				  uint64_t to, const struct credits_need *need)
{
	uint64_t until = 0;

	for (unsigned i = 0; i < credits->num; i++) {
		const struct credits_stay *stay = &credits->stays[i];

		if (stay->vn == need->network && stay->cls == need->cls &&
		    stay->from < to && stay->to > from)
			until = sim_later(until, step_behind(stay->to));
	}
	return until;
}

uint64_t credits_from(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn)
{
	uint64_t from = credits_step(need->from), to = step_behind(need->to);
	uint64_t vna = UINT64_MAX, place;

	*vn = CREDITS_VNA;
	if (credits_suffice(credits, now, need->from, need->flits))
		return need->from;
	if (need->flits <= credits->flits)
		vna = lacks_vna_until(credits, from, to, need->flits);
	if (!vna)
		return need->from;
	*vn = need->network;
	place = lacks_place_until(credits, from, to, need);
	if (!place)
		return need->from;
	return vna < place ? vna : place;
}

void credits_make_room(struct credits *credits, uint64_t now)
{
	credits_look(credits, now, now, 0);
	if (credits->num < credits->room)
		return;
	credits->room = credits->room ? credits->room * 2 : FIRST_ROOM;
	credits->stays = realloc(credits->stays,
				 credits->room * sizeof(*credits->stays));
	if (!credits->stays)
		bug_no_memory();
}

uint64_t credits_take(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn)
{
	uint64_t from = credits_from(credits, now, need, vn);

	if (from > need->from)
		return from;
	credits_hold(credits, now, need->from, need->to, need->flits);
	if (*vn == CREDITS_VNA)
		return from;
	credits->stays[credits->num - 1].cls = need->cls;
	credits->stays[credits->num - 1].vn = *vn;
	credits->held -= need->flits;
	return from;
}

void credits_put_back(struct credits *credits)
{
	const struct credits_stay *last = &credits->stays[--credits->num];

	if (last->vn == CREDITS_VNA)
		credits->held -= last->flits;
}
