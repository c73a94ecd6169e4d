/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See travel.h.
 */
#include "bridge/valgrind/travel.h"

#include <stddef.h>

/* A word that was stored so many latencies ago is still loaded from the buffer:
 * others are, which were stored since. */
enum { FRESH_LATENCIES = 2 };

struct travel_claim *travel_find(struct travel *travel, uint64_t line)
{
	uint32_t i;

	for (i = 0; i < travel->num; i++)
		if (travel->claims[i].line == line + 1)
			return &travel->claims[i];
	return NULL;
}

static bool is_free(const struct travel_claim *claim, uint64_t now,
		    uint64_t calm)
{
	return !claim->line || claim->until <= now ||
	       (claim->until == TRAVEL_NEVER && claim->from + calm <= now);
}

struct travel_claim *travel_claim(struct travel *travel, uint64_t line,
				  uint64_t now, uint64_t calm,
				  struct travel_claim *lost)
{
	struct travel_claim *claim = travel_find(travel, line);
	uint32_t i;

	*lost = (struct travel_claim){ 0 };
	if (claim)
		return claim;
	for (i = 0; i < TRAVEL_CLAIMS; i++) {
		claim = &travel->claims[i];
		if (!is_free(claim, now, calm))
			continue;
		if (claim->line && claim->until <= now)
			*lost = *claim;
		*claim = (struct travel_claim){ .line = line + 1,
						.until = TRAVEL_NEVER };
		if (travel->num <= i)
			travel->num = i + 1;
		return claim;
	}
	return NULL;
}

uint64_t travel_reaches(const struct travel_claim *owner, uint64_t now,
			uint64_t half, uint64_t half_home)
{
	uint64_t reaches = now + half;
	uint64_t earliest = 0;

	if (owner)
		earliest = owner->from + (owner->stood ? half_home : 0);
	return reaches > earliest ? reaches : earliest;
}

static void note(struct travel_claim *claim, struct travel_use use,
		 uint64_t now)
{
	uint8_t word = (uint8_t)(1u << use.word);

	if (use.kind == TRAVEL_LOAD) {
		claim->looked_at |= word;
		return;
	}
	claim->looked_at &= (uint8_t)~word;
	claim->words[use.word].stored = now;
	claim->words[use.word].value = use.value;
}

/* The program runs in one order, so the word may have another core's value by
 * now, which this core cannot see: not while its own store waits for the line,
 * nor where it has not looked since it stored. Who waits for an answer looks
 * before there is one. */
bool travel_is_own(const struct travel_claim *claim, struct travel_use use,
		   uint64_t now)
{
	uint64_t stored = claim->words[use.word].stored;

	if (use.kind != TRAVEL_LOAD || !stored)
		return false;
	return claim->words[use.word].value == use.value ||
	       !(claim->looked_at >> use.word & 1) ||
	       (claim->waiting && now < claim->from && stored >= claim->asked);
}

bool travel_is_newer(const struct travel_claim *owner, struct travel_use use)
{
	return owner->words[use.word].stored >= owner->asked;
}

/* The line is on its way. */
static enum travel_next wait(struct travel_claim *claim, struct travel_use use,
			     uint32_t buffer, uint64_t *time)
{
	if (claim->waiting && travel_is_own(claim, use, *time))
		return TRAVEL_DONE;
	if (use.kind == TRAVEL_STORE && claim->waiting < buffer) {
		claim->waiting++;
		return TRAVEL_HAS;
	}
	claim->waiting = 0;
	claim->stood |= use.kind != TRAVEL_STORE;
	*time = claim->from;
	return TRAVEL_HAS;
}

/* It is gone. */
static enum travel_next miss(struct travel_claim *claim, struct travel_use use,
			     uint64_t latency, uint64_t *time)
{
	uint64_t stored = claim->words[use.word].stored;

	if (travel_is_own(claim, use, *time) &&
	    *time - stored <= FRESH_LATENCIES * latency)
		return TRAVEL_DONE;
	if (claim->used >= claim->until)
		*time = claim->until;
	return TRAVEL_ASKS;
}

enum travel_next travel_use(struct travel_claim *claim, struct travel_use use,
			    uint64_t now, uint32_t buffer, uint64_t latency,
			    uint64_t *time)
{
	enum travel_next next = TRAVEL_HAS;

	*time = now;
	claim->is_asked = false;
	if (now < claim->from)
		next = wait(claim, use, buffer, time);
	else if (now >= claim->until)
		next = miss(claim, use, latency, time);
	if (next == TRAVEL_ASKS)
		return next;
	if (next == TRAVEL_HAS)
		claim->used = *time;
	note(claim, use, *time);
	return next;
}

uint64_t travel_asked(struct travel_claim *claim, struct travel_use use,
		      uint64_t now, uint64_t from)
{
	claim->asked = now;
	claim->from = from;
	claim->until = TRAVEL_NEVER;
	claim->is_asked = false;
	claim->stood = use.kind != TRAVEL_STORE;
	claim->waiting = use.kind == TRAVEL_STORE;
	now = use.kind == TRAVEL_STORE ? now : from;
	claim->used = now;
	note(claim, use, now);
	return now;
}

static uint64_t moved(uint64_t time, int64_t cycles)
{
	if (time == TRAVEL_NEVER || !time)
		return time;
	return cycles < 0 && time < -(uint64_t)cycles ? 1
						      : time + (uint64_t)cycles;
}

void travel_shift(struct travel *travel, int64_t cycles)
{
	unsigned word;
	uint32_t i;

	for (i = 0; i < travel->num; i++) {
		struct travel_claim *claim = &travel->claims[i];

		claim->asked = moved(claim->asked, cycles);
		claim->from = moved(claim->from, cycles);
		claim->used = moved(claim->used, cycles);
		for (word = 0; word < TRAVEL_WORDS; word++)
			claim->words[word].stored =
				moved(claim->words[word].stored, cycles);
		claim->until = moved(claim->until, cycles);
	}
}
