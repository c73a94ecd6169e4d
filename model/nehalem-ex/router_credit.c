/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Credits where more is to be done than to write a stay down.
 */
#include "model/nehalem-ex/router_credit.h"

#include <stdlib.h>
#include <string.h>

#include "model/nehalem-ex/ex.h"
#include "model/sim/bug.h"

enum { PER_WORD = CREDITS_PER_WORD };

static void make_room(struct credits *credits, unsigned room)
{
	credits->room = room;
	credits->stays =
		realloc(credits->stays, room * sizeof(*credits->stays));
	if (!credits->stays)
		bug_no_memory();
}

void credits_fini(struct credits *credits)
{
	lane_free(&credits->lane);
	free(credits->stays);
}

void credits_init(struct credits *credits, unsigned flits, unsigned cycles)
{
	memset(credits, 0, sizeof(*credits));
	lane_init(&credits->lane);
	credits->flits = flits;
	make_room(credits, CREDITS_STAYS);
	credits->spare = CREDITS_EACH * (CREDITS_MAX_VNA - flits);
	for (credits->shift = 2; cycles >> credits->shift > CREDITS_GROUPS;)
		credits->shift++;
}

/* Groups of cycles, and those of a word. */
struct groups {
	uint64_t first, last;
	uint64_t word;
	unsigned low, high; /* of those of the word */
};

static struct groups groups_of(const struct credits *credits,
			       const struct credits_need *need)
{
	struct groups groups = {
		.first = need->from >> credits->shift,
		.last = (need->to - 1) >> credits->shift,
	};

	groups.word = groups.first / PER_WORD;
	return groups;
}

/* For each word, from the first one on; false behind the last one. */
static bool part(struct groups *groups)
{
	groups->low = 0;
	groups->high = PER_WORD - 1;
	if (groups->word > groups->last / PER_WORD)
		return false;
	if (groups->word == groups->first / PER_WORD)
		groups->low = groups->first % PER_WORD;
	if (groups->word == groups->last / PER_WORD)
		groups->high = groups->last % PER_WORD;
	return true;
}

static uint64_t bytes(const struct groups *groups)
{
	return UINT64_MAX << groups->low * 8 &
	       UINT64_MAX >> (PER_WORD - 1 - groups->high) * 8;
}

/* A place has a byte of one of the words behind that of VNA. */
struct place {
	unsigned word, shift;
};

static struct place place(unsigned network, unsigned cls)
{
	unsigned n = network * PACKET_NUM_CLASSES + cls;

	return (struct place){ CREDITS_PLACES + n / PER_WORD,
			       n % PER_WORD * 8 };
}

static uint64_t place_bits(struct place place, const struct groups *groups)
{
	unsigned bits = UINT8_MAX << groups->low & UINT8_MAX;

	bits &= (unsigned)UINT8_MAX >> (PER_WORD - 1 - groups->high);
	return (uint64_t)bits << place.shift;
}

/* The group behind the latest one of a word whose byte has a bit. */
static uint64_t behind(uint64_t word, uint64_t bits)
{
	return word * PER_WORD + PER_WORD - (unsigned)__builtin_clzll(bits) / 8;
}

/* As the timetable says. */
static uint64_t look_from(const struct credits *credits,
			  const struct credits_need *need, uint8_t *vn)
{
	struct groups groups = groups_of(credits, need);
	struct place own = place(need->network, need->cls);
	uint64_t spare = credits->spare + CREDITS_EACH * need->flits;
	bool fits = need->flits <= credits->flits;
	uint64_t vna_from = fits ? 0 : UINT64_MAX, own_from = 0;

	for (; part(&groups); groups.word++) {
		const struct lane_slot *slot =
			lane_find(&credits->lane, groups.word);
		uint64_t over, taken;

		if (!slot)
			continue;
		over = (slot->bits[CREDITS_FLITS] + spare) & CREDITS_EACH << 7 &
		       bytes(&groups);
		taken = slot->bits[own.word] & place_bits(own, &groups);
		if (fits && over)
			vna_from = behind(groups.word, over);
		if (taken)
			own_from = groups.word * PER_WORD + 64 - own.shift -
				   (unsigned)__builtin_clzll(taken);
	}
	*vn = vna_from ? need->network : CREDITS_VNA;
	if (!vna_from || !own_from)
		return need->from;
	return (vna_from < own_from ? vna_from : own_from) << credits->shift;
}

static struct lane_slot *slot_of(struct credits *credits, uint64_t now,
				 uint64_t word)
{
	return lane_slot(&credits->lane, (now >> credits->shift) / PER_WORD,
			 word);
}

/* Takes a place, or gives it back. */
static void change_place(struct credits *credits, uint64_t now,
			 const struct credits_need *need, unsigned network)
{
	struct groups groups = groups_of(credits, need);
	struct place own = place(network, need->cls);

	for (; part(&groups); groups.word++)
		slot_of(credits, now, groups.word)->bits[own.word] ^=
			place_bits(own, &groups);
}

static uint64_t begin_of_group(const struct credits *credits, uint64_t cycle)
{
	return cycle >> credits->shift << credits->shift;
}

bool credits_forget(struct credits *credits, uint64_t now, uint64_t from,
		    unsigned flits)
{
	uint64_t present = begin_of_group(credits, now);
	uint64_t group = begin_of_group(credits, from);
	unsigned left = 0, told = 0, held = 0, beside = flits;

	for (unsigned i = 0; i < credits->num; i++) {
		struct credits_stay *stay = &credits->stays[i];
		uint64_t to = stay->from + stay->cycles;

		if (to <= present)
			continue;
		told += i < credits->num_told;
		held += stay->flits;
		beside += to > group ? stay->flits : 0;
		if (left != i)
			credits->stays[left] = *stay;
		left++;
	}
	credits->num = left;
	credits->num_told = told;
	credits->held = held;
	if (left == credits->room)
		make_room(credits, 2 * left);
	return beside <= credits->flits;
}

/* The flits of a stay while somebody needs a credit. */
static void add_up(struct credits *credits, uint64_t now,
		   const struct credits_need *need,
		   const struct credits_stay *stay)
{
	uint64_t to = stay->from + stay->cycles;
	struct credits_need both = {
		.from = sim_later(stay->from,
				  begin_of_group(credits, need->from)),
		.to = to < need->to ? to : need->to,
	};
	struct groups groups = groups_of(credits, &both);

	for (; part(&groups); groups.word++)
		slot_of(credits, now, groups.word)->bits[CREDITS_FLITS] +=
			CREDITS_EACH * stay->flits & bytes(&groups);
}

/* What was added up for somebody else who needed a credit then. */
static void forget_flits(struct credits *credits,
			 const struct credits_need *need)
{
	struct groups groups = groups_of(credits, need);

	for (; part(&groups); groups.word++) {
		uint64_t number = groups.word & credits->lane.mask;
		struct lane_slot *slot = &credits->lane.slots[number];

		if (slot->owner == groups.word + 1)
			slot->bits[CREDITS_FLITS] = 0;
	}
}

/* In a group of cycles in which somebody needs a credit. */
static inline bool is_beside(const struct credits *credits,
			     const struct credits_stay *stay,
			     const struct credits_need *need)
{
	unsigned shift = credits->shift;

	return (stay->from + stay->cycles - 1) >> shift >= need->from >>
		       shift &&
	       stay->from >> shift <= (need->to - 1) >> shift;
}

static uint64_t look_closer(struct credits *credits, uint64_t now,
			    const struct credits_need *need, uint8_t *vn)
{
	unsigned beside = need->flits;

	if (need->flits > credits->flits)
		return look_from(credits, need, vn);
	for (unsigned i = 0; i < credits->num; i++)
		if (is_beside(credits, &credits->stays[i], need))
			beside += credits->stays[i].flits;
	if (beside <= credits->flits)
		return need->from;
	forget_flits(credits, need);
	for (unsigned i = 0; i < credits->num; i++)
		if (is_beside(credits, &credits->stays[i], need))
			add_up(credits, now, need, &credits->stays[i]);
	return look_from(credits, need, vn);
}

uint64_t credits_from(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn)
{
	*vn = CREDITS_VNA;
	if (credits_have(credits, now, need->from, need->flits))
		return need->from;
	return look_closer(credits, now, need, vn);
}

uint64_t credits_take(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn)
{
	uint64_t from = credits_from(credits, now, need, vn);

	if (from > need->from)
		return from;
	if (*vn == CREDITS_VNA)
		credits_hold(credits, need->from, need->to, need->flits, 0);
	else
		change_place(credits, now, need, *vn);
	return from;
}

void credits_put_back(struct credits *credits, uint64_t now,
		      const struct credits_need *need, unsigned vn)
{
	if (vn != CREDITS_VNA) {
		change_place(credits, now, need, vn);
		return;
	}
	credits->held -= credits->stays[--credits->num].flits;
	if (credits->num_told > credits->num)
		credits->num_told = credits->num;
}
