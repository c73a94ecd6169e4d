/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Credits where more is to be done than to add some bytes: VNA has no room, or
 * the packet needs it further ahead than the timetable reaches.
 */
#include "model/nehalem-ex/router_credit.h"

#include <string.h>

#include "model/box/packet.h"

enum { PER_WORD = CREDITS_PER_WORD };

void credits_init(struct credits *credits, unsigned flits, unsigned cycles)
{
	memset(credits, 0, sizeof(*credits));
	credits->flits = flits;
	credits->spare = CREDITS_EACH * (CREDITS_MAX_VNA - flits);
	for (credits->shift = 2; cycles >> credits->shift > CREDITS_GROUPS;)
		credits->shift++;
}

static unsigned place(unsigned network, unsigned cls)
{
	return 1u << (network * PACKET_NUM_CLASSES + cls);
}

static void raise(struct credits *credits, uint64_t group, uint64_t flits)
{
	struct credits_word *word = credits_word(credits, group / PER_WORD);
	unsigned bit = group % PER_WORD * 8;

	if ((word->vna >> bit & UINT8_MAX) >= flits)
		return;
	word->vna &= ~(UINT64_C(0xff) << bit);
	word->vna |= flits << bit;
}

static void widen_vna(struct credits *credits, uint64_t now)
{
	uint64_t first = (now >> credits->shift) / PER_WORD;
	struct credits_word old[CREDITS_WORDS];

	memcpy(old, credits->words, sizeof(old));
	memset(credits->words, 0, sizeof(credits->words));
	for (unsigned i = 0; i < CREDITS_WORDS; i++) {
		uint64_t group = old[i].number * PER_WORD;

		if (old[i].number < first)
			continue;
		for (; old[i].vna; old[i].vna >>= 8, group++)
			raise(credits, group / 2, old[i].vna & UINT8_MAX);
	}
}

static void widen_places(struct credits *credits)
{
	uint64_t from = credits->places_from, to = credits->places_to;
	uint16_t old[CREDITS_GROUPS];

	memcpy(old, credits->places, sizeof(old));
	memset(credits->places, 0, sizeof(credits->places));
	for (uint64_t i = from; i < to; i++)
		credits->places[i / 2 % CREDITS_GROUPS] |=
			old[i % CREDITS_GROUPS];
	credits->places_from = from / 2;
	credits->places_to = (to + 1) / 2;
}

static void reach(struct credits *credits, uint64_t now, uint64_t to)
{
	while (((to - 1) >> credits->shift) / PER_WORD >=
	       credits_limit(credits, now)) {
		widen_vna(credits, now);
		widen_places(credits);
		credits->shift++;
	}
}

/* Places in groups that are past are free. */
static void forget_places(struct credits *credits, uint64_t now)
{
	uint64_t group = now >> credits->shift;

	while (credits->places_from < group &&
	       credits->places_from < credits->places_to)
		credits->places[credits->places_from++ % CREDITS_GROUPS] = 0;
	if (credits->places_from < group)
		credits->places_from = credits->places_to = group;
}

/* The groups first .. last of a word, as a mask of bytes. */
static uint64_t part(uint64_t word, uint64_t first, uint64_t last)
{
	uint64_t mask = UINT64_MAX;

	if (word == first / PER_WORD)
		mask <<= first % PER_WORD * 8;
	if (word == last / PER_WORD)
		mask &= UINT64_MAX >> (PER_WORD - 1 - last % PER_WORD) * 8;
	return mask;
}

/* The group after the last one of first .. last without room for the flits; 0:
 * all have it. */
static uint64_t vna_after(const struct credits *credits, uint64_t first,
			  uint64_t last, unsigned flits)
{
	uint64_t spare = credits->spare + CREDITS_EACH * flits;
	uint64_t after = 0;

	if (flits > credits->flits)
		return last + 1;
	for (uint64_t word = first / PER_WORD; word <= last / PER_WORD;
	     word++) {
		uint64_t over = (credits_vna(credits, word) + spare) &
				CREDITS_EACH << 7 & part(word, first, last);

		if (over)
			after = word * PER_WORD + PER_WORD -
				(unsigned)__builtin_clzll(over) / 8;
	}
	return after;
}

static uint64_t place_after(const struct credits *credits, uint64_t first,
			    uint64_t last, unsigned place)
{
	uint64_t after = 0;

	for (uint64_t i = first; i <= last && i < credits->places_to; i++)
		if (credits->places[i % CREDITS_GROUPS] & place)
			after = i + 1;
	return after;
}

uint64_t credits_from(struct credits *credits, uint64_t now,
		      struct credits_need *need, uint8_t *vn)
{
	uint64_t first, last, vna, own;

	reach(credits, now, need->to);
	forget_places(credits, now);
	first = need->from >> credits->shift;
	last = (need->to - 1) >> credits->shift;
	vna = vna_after(credits, first, last, need->flits);
	*vn = CREDITS_VNA;
	if (!vna)
		return need->from;
	own = place_after(credits, first, last,
			  place(need->network, need->cls));
	*vn = need->network;
	if (!own)
		return need->from;
	return (vna < own ? vna : own) << credits->shift;
}

static void hold_places(struct credits *credits, uint64_t first, uint64_t last,
			unsigned place)
{
	if (last >= credits->places_to)
		credits->places_to = last + 1;
	for (; first <= last; first++)
		credits->places[first % CREDITS_GROUPS] |= (uint16_t)place;
}

static void add(struct credits *credits, uint64_t first, uint64_t last,
		uint64_t bytes)
{
	for (uint64_t word = first / PER_WORD; word <= last / PER_WORD; word++)
		credits_word(credits, word)->vna +=
			bytes & part(word, first, last);
}

uint64_t credits_take_slowly(struct credits *credits, uint64_t now,
			     struct credits_need *need, uint8_t *vn)
{
	uint64_t from = credits_from(credits, now, need, vn);
	uint64_t first = need->from >> credits->shift;
	uint64_t last = (need->to - 1) >> credits->shift;

	need->shift = (uint8_t)credits->shift;
	if (from > need->from)
		return from;
	if (*vn == CREDITS_VNA)
		add(credits, first, last, CREDITS_EACH * need->flits);
	else
		hold_places(credits, first, last, place(*vn, need->cls));
	return from;
}

void credits_put_back(struct credits *credits, struct credits_need *need,
		      unsigned vn)
{
	uint64_t first = need->from >> credits->shift;
	uint64_t last = (need->to - 1) >> credits->shift;
	uint64_t bytes = CREDITS_EACH * need->flits;

	if (need->shift != credits->shift)
		return;
	for (uint64_t word = first / PER_WORD;
	     vn == CREDITS_VNA && word <= last / PER_WORD; word++)
		credits_word(credits, word)->vna -=
			bytes & part(word, first, last);
	for (; vn != CREDITS_VNA && first <= last; first++)
		credits->places[first % CREDITS_GROUPS] &=
			(uint16_t)~place(vn, need->cls);
}
