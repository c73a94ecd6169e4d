/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See qll_credit.h. Mostly all that is in the list leaves room for one more;
 * only where it does not, the list is looked at.
 */
#include "model/sandy-bridge-ep/qll_credit.h"

#include <stdlib.h>

#include "model/sim/bug.h"

enum { FIRST_ROOM = 64 };

void qll_credits_init(struct qll_credits *credits, unsigned vna)
{
	*credits = (struct qll_credits){ .vna = vna };
}

void qll_credits_free(struct qll_credits *credits)
{
	free(credits->stays);
}

static void forget(struct qll_credits *credits, uint64_t now)
{
	unsigned kept = 0;

	credits->held = 0;
	for (unsigned i = 0; i < credits->num; i++) {
		if (credits->stays[i].until <= now)
			continue;
		credits->held += credits->stays[i].num;
		credits->stays[kept++] = credits->stays[i];
	}
	credits->num = kept;
}

/* Flits of stays that end after a cycle, and when the first of them does. */
static unsigned held_behind(const struct qll_credits *credits, uint64_t at,
			    uint64_t *first)
{
	unsigned flits = 0;

	*first = UINT64_MAX;
	for (unsigned i = 0; i < credits->num; i++) {
		const struct stay *stay = &credits->stays[i];

		if (stay->until <= at)
			continue;
		flits += stay->num;
		if (stay->until < *first)
			*first = stay->until;
	}
	return flits;
}

/* From when on there is VNA; UINT64_MAX: never. */
static uint64_t vna_from(const struct qll_credits *credits, uint64_t from,
			 unsigned flits)
{
	uint64_t next;

	if (flits > credits->vna)
		return UINT64_MAX;
	while (held_behind(credits, from, &next) + flits > credits->vna)
		from = next;
	return from;
}

static void grow(struct qll_credits *credits)
{
	credits->room = credits->room ? credits->room * 2 : FIRST_ROOM;
	credits->stays = realloc(credits->stays,
				 credits->room * sizeof(*credits->stays));
	if (!credits->stays)
		bug_no_memory();
}

struct qll_grant qll_credits_ask(struct qll_credits *credits, uint64_t now,
				 uint64_t from, unsigned cls, unsigned flits)
{
	struct qll_grant grant = { .at = from, .is_vna = true };
	uint64_t vn0 = credits->vn0_until[cls], vna;

	if (credits->held + flits > credits->vna ||
	    credits->num == credits->room)
		forget(credits, now);
	if (credits->num == credits->room)
		grow(credits);
	if (credits->held + flits <= credits->vna)
		return grant;
	vna = vna_from(credits, from, flits);
	grant.lacked_vna = vna > from;
	grant.lacked_vn0 = grant.lacked_vna && vn0 > from;
	grant.is_vna = vna <= (vn0 > from ? vn0 : from);
	grant.at = grant.is_vna ? vna : vn0 > from ? vn0 : from;
	return grant;
}

void qll_credits_hold(struct qll_credits *credits,
		      const struct qll_grant *grant, unsigned cls,
		      unsigned flits, uint64_t until)
{
	if (!grant->is_vna) {
		credits->vn0_until[cls] = until;
		return;
	}
	credits->stays[credits->num++] =
		(struct stay){ grant->at, until, flits };
	credits->held += flits;
}

void qll_credits_tell_out(const struct qll_credits *credits,
			  qll_credits_out_fn *tell, void *object)
{
	const struct stay *latest = &credits->stays[credits->num - 1];
	uint64_t next;

	if (credits->held < credits->vna)
		return;
	for (uint64_t at = latest->from; at < latest->until; at = next) {
		next = latest->until;
		if (stays_at(credits->stays, credits->num, at, &next) ==
		    credits->vna)
			tell(object, at, next);
	}
}

bool qll_credits_are_back(const struct qll_credits *credits, uint64_t at)
{
	uint64_t first;

	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++)
		if (credits->vn0_until[cls] > at)
			return false;
	return !held_behind(credits, at, &first);
}
