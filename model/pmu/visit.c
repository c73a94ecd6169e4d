/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See visit.h. Records stand in an array in the order in which they were kept;
 * when it is full, those that are past leave it, and it grows until three
 * quarters of it are free.
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

enum { FIRST_ROOM = 16, LINE_BYTES = 64 };

/* A bank of some visits. */
struct visits_seat {
	struct visits *visits;
	struct tap_bank *own;
	uint64_t *told; /* by signal */
	struct visits_seat *next_of_bank, *next_of_visits;
};

static char *new_room(unsigned num, unsigned size)
{
	size_t bytes = (size_t)num * size;

	return aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES *
						 LINE_BYTES);
}

static void set_room(struct visits *visits, char *first, unsigned room)
{
	visits->first = first;
	visits->room = room;
	visits->end = first + (size_t)room * visits->size;
}

struct visits *visits_new(struct sigbank *bank, size_t size)
{
	struct visits *visits = calloc(1, sizeof(*visits));

	if (!visits)
		return NULL;
	visits->size = (unsigned)(size + 7) / 8 * 8;
	visits->bank = bank;
	set_room(visits, new_room(FIRST_ROOM, visits->size), FIRST_ROOM);
	visits->next = visits->first;
	if (visits->first && visits_join(visits, bank))
		return visits;
	free(visits->first);
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

static void leave(struct visits_seat *seat)
{
	struct visits *visits = seat->visits;
	struct visits_seat **link = &visits->seats;

	while (*link != seat)
		link = &(*link)->next_of_visits;
	*link = seat->next_of_visits;
	free(seat->told);
	free(seat);
	if (visits->seats)
		return;
	free(visits->first);
	free(visits);
}

void visits_leave(struct tap_bank *own)
{
	while (own->seats) {
		struct visits_seat *seat = own->seats;

		own->seats = seat->next_of_bank;
		leave(seat);
	}
}

static void grow(struct visits *visits)
{
	size_t used = (size_t)(visits->next - visits->first);
	char *first = new_room(visits->room * 2, visits->size);

	if (!first)
		bug_no_memory();
	memcpy(first, visits->first, used);
	free(visits->first);
	visits->next = first + used;
	set_room(visits, first, visits->room * 2);
}

void visits_make_room(struct visits *visits)
{
	uint64_t now = sim_now(visits->bank->sim);
	unsigned size = visits->size;
	char *left = visits->first;

	for (char *at = visits->first; at != visits->next; at += size) {
		if (((struct visit *)at)->last + 1 < now)
			continue;
		if (left != at)
			memcpy(left, at, size);
		left += size;
	}
	visits->next = left;
	if ((size_t)(left - visits->first) > visits->room / 4u * size)
		grow(visits);
}

/* Somebody begins to listen, or asks for levels */

/* Those of the signals that have not heard of the visit, as if they alone were
 * listened to. */
static void listen(const struct visits_seat *seat, const struct visit *visit,
		   unsigned first, unsigned num)
{
	const struct tap_bank *own = seat->own;

	for (unsigned id = first; id < first + num; id++)
		own->only[id] =
			!own->heard[id] && seat->told[id] <= visit->number;
}

/* The banks hear what `only` says, in which they hear nothing, or all. */
static void hear_only(const struct visits *visits, bool only)
{
	for (struct visits_seat *seat = visits->seats; seat;
	     seat = seat->next_of_visits)
		seat->own->bank.heard =
			only ? seat->own->only : seat->own->heard;
}

static void bring_seat(struct visits_seat *seat, unsigned first, unsigned num)
{
	struct visits *visits = seat->visits;
	struct tap_bank *own = seat->own;

	hear_only(visits, true);
	for (char *at = visits->first; at != visits->next; at += visits->size) {
		const struct visit *visit = (const struct visit *)at;

		if (visit->last + 1 < sim_now(own->bank.sim))
			continue;
		listen(seat, visit, first, num);
		visit->tell(visits->bank, visit);
	}
	memset(&own->only[first], 0, num * sizeof(own->only[0]));
	hear_only(visits, false);
	for (unsigned id = first; id < first + num; id++)
		seat->told[id] = visits->number;
}

void visits_bring(struct tap_bank *own, unsigned id, bool with_others)
{
	unsigned first = with_others ? 0 : id;
	unsigned num = with_others ? own->bank.num_signals : 1;

	if (own->heard[id])
		return;
	for (struct visits_seat *seat = own->seats; seat;
	     seat = seat->next_of_bank)
		if (seat->told[id] < seat->visits->number)
			bring_seat(seat, first, num);
}

void visits_hear(struct tap_bank *own, unsigned id, bool is_heard)
{
	if (own->heard[id] == is_heard)
		return;
	own->heard[id] = is_heard;
	for (struct visits_seat *seat = own->seats; seat;
	     seat = seat->next_of_bank) {
		seat->told[id] = seat->visits->number;
		if (is_heard)
			seat->visits->num_heard++;
		else
			seat->visits->num_heard--;
	}
}
