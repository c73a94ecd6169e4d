/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Samples become a list. When it is full, it is sorted and equal accesses are
 * added up; it only grows if that leaves more than half of it. Positions become
 * places first: what reports show are lines of source, not instructions.
 */
#include "accesses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/uncore.h"

enum { FIRST_ROOM = 1 << 14 };

/* The order of a and b by the first field in which they differ. */
#define ORDER(a, b, field)                                                     \
	if ((a)->field != (b)->field)                                          \
	return (a)->field < (b)->field ? -1 : 1

static int compare(const void *first, const void *second)
{
	const struct access *a = first, *b = second;

	ORDER(b, a, is_known);
	ORDER(a, b, line);
	ORDER(a, b, event);
	ORDER(a, b, address);
	ORDER(a, b, place);
	ORDER(a, b, core);
	ORDER(a, b, thread);
	ORDER(a, b, socket);
	ORDER(a, b, home);
	ORDER(a, b, use);
	ORDER(a, b, stack);
	ORDER(a, b, datum);
	ORDER(a, b, offset);
	return 0;
}

static void add_up(struct accesses *accesses)
{
	struct access *list = accesses->list;
	size_t num = 0;

	if (accesses->num)
		qsort(list, accesses->num, sizeof(*list), compare);
	for (size_t i = 0; i < accesses->num; i++)
		if (num && !compare(&list[num - 1], &list[i]))
			list[num - 1].samples += list[i].samples;
		else
			list[num++] = list[i];
	accesses->num = num;
}

static bool make_room(struct accesses *accesses)
{
	size_t room = accesses->room ? 2 * accesses->room : FIRST_ROOM;
	struct access *list;

	if (accesses->num < accesses->room)
		return true;
	add_up(accesses);
	if (accesses->room && accesses->num < accesses->room / 2)
		return true;
	list = realloc(accesses->list, room * sizeof(*list));
	if (!list)
		return false;
	accesses->list = list;
	accesses->room = room;
	return true;
}

static long socket_of(const struct accesses *accesses,
		      const struct uncore_sample *sample)
{
	long core = sample->access.core;

	return core >= 0 && accesses->cores ? core / accesses->cores
					    : (long)sample->socket;
}

static void take(void *context, const struct uncore_sample *sample,
		 const struct uncore_sample_count *counts, size_t num_counts)
{
	struct accesses *accesses = context;
	const struct uncore_sampled_access *access = &sample->access;
	struct access *new;

	(void)counts;
	(void)num_counts;
	if (sample->kind != UNCORE_SAMPLE_PERIOD || sample->event < 0 ||
	    (size_t)sample->event >= accesses->history->num_events ||
	    accesses->failed)
		return;
	if (!make_room(accesses)) {
		accesses->failed = true;
		return;
	}
	new = &accesses->list[accesses->num++];
	*new = (struct access){
		.event = (size_t)sample->event,
		.place = sample->position,
		.thread = sample->thread,
		.core = -1,
		.socket = socket_of(accesses, sample),
		.home = -1,
		.stack = -1,
		.datum = -1,
		.samples = 1,
	};
	if (!access->is_known)
		return;
	new->is_known = true;
	new->line = access->line;
	new->address = access->address;
	new->core = access->core;
	new->home = access->home;
	new->stack = access->stack;
	new->datum = access->datum;
	new->offset = access->offset;
	new->use = access->use;
}

/* From positions to places. */

struct named {
	long position;
	struct place place;
	long number; /* of the place */
};

static int by_position(const void *a, const void *b)
{
	const struct named *first = a, *second = b;

	return (first->position > second->position) -
	       (first->position < second->position);
}

static int compare_places(const struct place *a, const struct place *b)
{
	int order = strcmp(a->symbol, b->symbol);

	if (!order)
		order = strcmp(a->object, b->object);
	return order ? order : strcmp(a->source, b->source);
}

static int by_place(const void *a, const void *b)
{
	const struct named *first = a, *second = b;

	return compare_places(&first->place, &second->place);
}

static bool read_place(struct history *history, long position,
		       struct place *place)
{
	struct uncore_position found = { 0 };
	char address[32];

	if (uncore_recording_position(history->recording, (size_t)position,
				      &found))
		snprintf(address, sizeof(address), "0x%llx",
			 (unsigned long long)(found.object ? found.offset
							   : found.address));
	else
		snprintf(address, sizeof(address), "[not known]");
	place->symbol = strdup(found.symbol ? found.symbol : address);
	place->object = strdup(found.object ? found.object : "");
	place->source = strdup(found.source ? found.source : "");
	return place->symbol && place->object && place->source;
}

static void free_place(struct place *place)
{
	free(place->symbol);
	free(place->object);
	free(place->source);
}

/* The positions that samples have, each once. */
static struct named *collect(const struct accesses *accesses, size_t *num)
{
	struct named *list = calloc(accesses->num + 1, sizeof(*list));
	size_t all = 0;

	*num = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < accesses->num; i++)
		if (accesses->list[i].place >= 0)
			list[all++].position = accesses->list[i].place;
	qsort(list, all, sizeof(*list), by_position);
	for (size_t i = 0; i < all; i++)
		if (!*num || list[*num - 1].position != list[i].position)
			list[(*num)++].position = list[i].position;
	return list;
}

/* Gives equal names the same number. */
static bool name_places(struct accesses *accesses, struct named *list,
			size_t num)
{
	accesses->places = calloc(num + 1, sizeof(*accesses->places));
	for (size_t i = 0; i < num; i++)
		if (!read_place(accesses->history, list[i].position,
				&list[i].place) ||
		    !accesses->places) {
			for (size_t j = 0; j <= i; j++)
				free_place(&list[j].place);
			return false;
		}
	qsort(list, num, sizeof(*list), by_place);
	for (size_t i = 0; i < num; i++) {
		size_t last = accesses->num_places;

		if (last && !compare_places(&accesses->places[last - 1],
					    &list[i].place))
			free_place(&list[i].place);
		else
			accesses->places[accesses->num_places++] =
				list[i].place;
		list[i].number = (long)accesses->num_places - 1;
	}
	qsort(list, num, sizeof(*list), by_position);
	return true;
}

static bool find_places(struct accesses *accesses)
{
	size_t num;
	struct named *list = collect(accesses, &num);
	bool done = list && name_places(accesses, list, num);

	for (size_t i = 0; done && i < accesses->num; i++) {
		const struct named wanted = {
			.position = accesses->list[i].place,
		};
		const struct named *found =
			wanted.position < 0
				? NULL
				: bsearch(&wanted, list, num, sizeof(*list),
					  by_position);

		accesses->list[i].place = found ? found->number : -1;
	}
	free(list);
	return done;
}

int accesses_gather(struct history *history, struct accesses *accesses)
{
	const char *cores = uncore_recording_meta(history->recording, "cores");
	unsigned long number = cores ? strtoul(cores, NULL, 10) : 0;
	int status;

	*accesses = (struct accesses){
		.history = history,
		.cores = number <= UINT16_MAX ? (unsigned)number : 0,
	};
	status = history_each(history, take, accesses);
	if (status)
		return status;
	add_up(accesses);
	if (accesses->failed || !find_places(accesses))
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	add_up(accesses);
	return TOOL_OK;
}

void accesses_free(struct accesses *accesses)
{
	for (size_t i = 0; i < accesses->num_places; i++)
		free_place(&accesses->places[i]);
	free(accesses->places);
	free(accesses->list);
}

const struct place *accesses_place(const struct accesses *accesses, long place)
{
	static const struct place none = { "[not known]", "", "" };

	return place >= 0 ? &accesses->places[place] : &none;
}
