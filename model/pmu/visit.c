/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See visit.h. Records stand in blocks, a list in the order in which they were
 * begun. When the latest one is full, the oldest of which all records are past
 * is begun anew; a new one only if there is none.
 *
 * Invariant: of a signal that somebody listens to all records are told. Of
 * another one those before `told` are, that were kept while somebody did or
 * before its level was asked for; they are in the log, or gone from it.
 */
#include "model/pmu/visit.h"

#include <stdlib.h>
#include <string.h>

#include "model/pmu/tap_bank.h"
#include "model/sim/bug.h"

enum { LINE_BYTES = 64, BLOCK_RECORDS = 64 };

struct visits_block {
	struct visits_block *next;
	uint64_t number; /* of its first record, among all of these visits */
	uint64_t last;	 /* of all its records, when it is full */
	char *end;
	_Alignas(LINE_BYTES) char records[];
};

/* A bank of some visits. */
struct visits_seat {
	struct visits *visits;
	struct tap_bank *own;
	uint64_t *told; /* by signal */
	struct visits_seat *next_of_bank, *next_of_visits;
};

/* How many records there have been so far. */
static uint64_t number_of(const struct visits *visits)
{
	const struct visits_block *latest = visits->latest;

	return latest->number +
	       (uint64_t)(visits->next - latest->records) / visits->size;
}

static struct visits_block *new_block(const struct visits *visits)
{
	size_t bytes = (size_t)BLOCK_RECORDS * visits->size;
	struct visits_block *block = aligned_alloc(
		LINE_BYTES, sizeof(*block) + (bytes + LINE_BYTES - 1) /
						     LINE_BYTES * LINE_BYTES);

	if (block)
		block->end = block->records + bytes;
	return block;
}

/* A block, in no list, for the records from a number on. */
static void begin_block(struct visits *visits, struct visits_block *block,
			uint64_t number)
{
	block->next = NULL;
	block->number = number;
	if (visits->latest)
		visits->latest->next = block;
	else
		visits->first = block;
	visits->latest = block;
	visits->next = block->records;
	visits->end = block->end;
}

struct visits *visits_new(struct sigbank *bank, size_t size)
{
	struct visits *visits = calloc(1, sizeof(*visits));
	struct visits_block *block;

	if (!visits)
		return NULL;
	visits->size = (unsigned)(size + 7) / 8 * 8;
	visits->bank = bank;
	block = new_block(visits);
	if (block) {
		begin_block(visits, block, 0);
		if (visits_join(visits, bank))
			return visits;
	}
	free(block);
	free(visits);
	return NULL;
}

bool visits_join(struct visits *visits, struct sigbank *bank)
{
	struct tap_bank *own = own_of(bank);
	struct visits_seat *seat = calloc(1, sizeof(*seat));

	if (!seat)
		return false;
	seat->told = calloc(bank->num_signals + 1, sizeof(*seat->told));
	if (!seat->told) {
		free(seat);
		return false;
	}
	seat->visits = visits;
	seat->own = own;
	seat->next_of_bank = own->seats;
	own->seats = seat;
	seat->next_of_visits = visits->seats;
	visits->seats = seat;
	for (unsigned id = 0; id < bank->num_signals; id++)
		visits->num_heard += bank->heard[id];
	return true;
}

static void free_all(struct visits *visits)
{
	while (visits->first) {
		struct visits_block *block = visits->first;

		visits->first = block->next;
		free(block);
	}
	free(visits);
}

static void leave(struct visits_seat *seat)
{
	struct visits *visits = seat->visits;
	struct visits_seat **link = &visits->seats;

	while (*link != seat)
		link = &(*link)->next_of_visits;
	*link = seat->next_of_visits;
	free(seat->told);
	free(seat);
	if (!visits->seats)
		free_all(visits);
}

void visits_leave(struct tap_bank *own)
{
	while (own->seats) {
		struct visits_seat *seat = own->seats;

		own->seats = seat->next_of_bank;
		leave(seat);
	}
}

/* A block without records, taken out of the list or new. */
static struct visits_block *empty_block(struct visits *visits)
{
	const struct tap_bank *own = own_of(visits->bank);
	uint64_t now = bank_now(own);
	struct visits_block **link = &visits->first, *block;

	for (; *link != visits->latest; link = &(*link)->next) {
		block = *link;
		if (bank_cycle(own, block->last) + 1 >= now)
			continue;
		*link = block->next;
		return block;
	}
	block = new_block(visits);
	if (!block)
		bug_no_memory();
	return block;
}

void visits_end_block(struct visits *visits)
{
	struct visits_block *block = visits->latest;
	const char *at = block->records;
	uint64_t last = 0;

#pragma GCC unroll 4
	for (unsigned i = 0; i < BLOCK_RECORDS; i++, at += visits->size) {
		const struct visit *visit = (const struct visit *)at;

		last = visit->last > last ? visit->last : last;
	}
	block->last = last;
	begin_block(visits, empty_block(visits), block->number + BLOCK_RECORDS);
}

void visits_tell(struct visits *visits)
{
	const struct visit *visit =
		(const struct visit *)(visits->next - visits->size);

	visit->tell(visits->bank, visit);
}

/* Somebody begins to listen, or asks for levels */

/* Those of the signals that have not heard of the visit with a number, as if
 * they alone were listened to. */
static void listen(const struct visits_seat *seat, uint64_t number,
		   unsigned first, unsigned num)
{
	const struct tap_bank *own = seat->own;

	for (unsigned id = first; id < first + num; id++)
		own->only[id] = !own->heard[id] && seat->told[id] <= number;
}

/* The banks hear what `only` says, in which they hear nothing, or all. */
static void hear_only(const struct visits *visits, bool only)
{
	for (struct visits_seat *seat = visits->seats; seat;
	     seat = seat->next_of_visits)
		seat->own->bank.heard =
			only ? seat->own->only : seat->own->heard;
}

static void bring_block(struct visits_seat *seat,
			const struct visits_block *block, unsigned first,
			unsigned num)
{
	const struct visits *visits = seat->visits;
	uint64_t now = bank_now(seat->own), number = block->number;
	const char *end = block->next ? block->end : visits->next;

	for (const char *at = block->records; at != end;
	     at += visits->size, number++) {
		const struct visit *visit = (const struct visit *)at;

		if (bank_cycle(seat->own, visit->last) + 1 < now)
			continue;
		listen(seat, number, first, num);
		visit->tell(visits->bank, visit);
	}
}

static void bring_seat(struct visits_seat *seat, unsigned first, unsigned num)
{
	struct visits *visits = seat->visits;
	struct tap_bank *own = seat->own;
	/* On whose behalf a visit was is not kept. */
	uint64_t before = sim_act_for(own->bank.sim, 0);

	hear_only(visits, true);
	for (const struct visits_block *block = visits->first; block;
	     block = block->next)
		bring_block(seat, block, first, num);
	memset(&own->only[first], 0, num * sizeof(own->only[0]));
	hear_only(visits, false);
	sim_act_for(own->bank.sim, before);
	for (unsigned id = first; id < first + num; id++)
		seat->told[id] = number_of(visits);
}

void visits_bring(struct tap_bank *own, unsigned id, bool with_others)
{
	unsigned first = with_others ? 0 : id;
	unsigned num = with_others ? own->bank.num_signals : 1;

	if (own->heard[id])
		return;
	for (struct visits_seat *seat = own->seats; seat;
	     seat = seat->next_of_bank)
		if (seat->told[id] < number_of(seat->visits))
			bring_seat(seat, first, num);
}

void visits_hear(struct tap_bank *own, unsigned id, bool is_heard)
{
	if (own->heard[id] == is_heard)
		return;
	own->heard[id] = is_heard;
	for (struct visits_seat *seat = own->seats; seat;
	     seat = seat->next_of_bank) {
		seat->told[id] = number_of(seat->visits);
		if (is_heard)
			seat->visits->num_heard++;
		else
			seat->visits->num_heard--;
	}
}
