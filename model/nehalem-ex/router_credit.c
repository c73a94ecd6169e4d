/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Credits where more is to be done than to write a stay down.
 */
#include "model/nehalem-ex/router_credit.h"

#include <string.h>

#include "model/nehalem-ex/ex.h"

enum { PER_WORD = CREDITS_PER_WORD };

void credits_init(struct credits *credits, unsigned flits, unsigned cycles)
{
	memset(credits, 0, sizeof(*credits));
	lane_init(&credits->lane);
	credits->flits = flits;
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

/* Takes or gives back; false: that is more than there is of VNA. */
static bool change(struct credits *credits, uint64_t now,
		   const struct credits_need *need, unsigned vn, bool takes)
{
	struct groups groups = groups_of(credits, need);
	struct place own = place(vn % CREDITS_VNA, need->cls);
	uint64_t flits = CREDITS_EACH * need->flits, over = 0;

	credits->table_until = ex_later(credits->table_until,
					(groups.last + 1) << credits->shift);
	for (; part(&groups); groups.word++) {
		struct lane_slot *slot = lane_slot(
			&credits->lane, (now >> credits->shift) / PER_WORD,
			groups.word);
		uint64_t some = flits & bytes(&groups);

		if (vn != CREDITS_VNA) {
			slot->bits[own.word] ^= place_bits(own, &groups);
			continue;
		}
		slot->bits[CREDITS_FLITS] += takes ? some : -some;
		over |= slot->bits[CREDITS_FLITS] + credits->spare;
	}
	return !(over & CREDITS_EACH << 7);
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
	return beside <= credits->flits && left < CREDITS_STAYS;
}

/* All stays go into the timetable. */
static void settle(struct credits *credits, uint64_t now)
{
	uint64_t group = begin_of_group(credits, now);

	for (unsigned i = 0; i < credits->num; i++) {
		const struct credits_stay *stay = &credits->stays[i];
		struct credits_need need = {
			.from = ex_later(stay->from, group),
			.to = stay->from + stay->cycles,
			.flits = stay->flits,
		};

		if (need.to > group)
			change(credits, now, &need, CREDITS_VNA, true);
	}
	credits->num = credits->held = credits->num_told = 0;
}

uint64_t credits_from(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn)
{
	*vn = CREDITS_VNA;
	if (credits_have(credits, now, need->from, need->flits))
		return need->from;
	settle(credits, now);
	return look_from(credits, need, vn);
}

uint64_t credits_take(struct credits *credits, uint64_t now,
		      const struct credits_need *need, uint8_t *vn)
{
	uint64_t from;

	*vn = CREDITS_VNA;
	if (credits_have(credits, now, need->from, need->flits)) {
		credits_hold(credits, need->from, need->to, need->flits, 0);
		return need->from;
	}
	settle(credits, now);
	if (need->flits <= credits->flits) {
		if (change(credits, now, need, CREDITS_VNA, true))
			return need->from;
		change(credits, now, need, CREDITS_VNA, false);
	}
	from = look_from(credits, need, vn);
	if (from == need->from)
		change(credits, now, need, *vn, true);
	return from;
}

void credits_put_back(struct credits *credits, uint64_t now,
		      const struct credits_need *need, unsigned vn)
{
	if (!credits->num) {
		change(credits, now, need, vn, false);
		return;
	}
	credits->held -= credits->stays[--credits->num].flits;
	if (credits->num_told > credits->num)
		credits->num_told = credits->num;
}
