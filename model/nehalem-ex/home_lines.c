/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The lines of a home that something is still to come of: a request that is
 * under way, data on their way to memory. Guide 2.4 says that the home orders
 * requests for a line; since every earlier transaction has been worked off, a
 * line needs no more than the times at which the last of them is out of the
 * way.
 *
 * Lines stand in chains by a hash. One whose times have passed is taken out
 * when somebody comes by; when the pool is empty all such are.
 */
#include <stdlib.h>

#include "model/nehalem-ex/home_parts.h"
#include "model/sim/bug.h"

enum { FIRST_ROOM = HOME_BUCKETS + 64, MAX_ROOM = 1 << 15 };

static void add_room(struct home_lines *lines, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		lines->pool[i].next = lines->free;
		lines->free = (uint16_t)i;
	}
	lines->num = to;
}

bool home_lines_init(struct home_lines *lines)
{
	lines->pool = calloc(FIRST_ROOM, sizeof(*lines->pool));
	if (!lines->pool)
		return false;
	add_room(lines, HOME_BUCKETS, FIRST_ROOM);
	return true;
}

void home_lines_fini(struct home_lines *lines)
{
	free(lines->pool);
}

/* Takes those out of a chain that have passed, but for the first. */
static void tidy(struct home_lines *lines, unsigned bucket, uint64_t now)
{
	uint16_t *link = &lines->pool[bucket].next, i;

	while ((i = *link)) {
		struct home_line *entry = &lines->pool[i];

		if (!home_line_has_passed(entry, now)) {
			link = &entry->next;
			continue;
		}
		*link = entry->next;
		entry->next = lines->free;
		lines->free = i;
	}
}

static void make_room(struct home_lines *lines, uint64_t now)
{
	unsigned room = 2 * lines->num;

	for (unsigned i = 0; i < HOME_BUCKETS; i++)
		tidy(lines, i, now);
	if (lines->free)
		return;
	if (room > MAX_ROOM)
		BUG("more lines under way than requests");
	lines->pool = realloc(lines->pool, room * sizeof(*lines->pool));
	if (!lines->pool)
		bug_no_memory();
	add_room(lines, lines->num, room);
}

static unsigned put(struct home_lines *lines, uint64_t now, uint64_t line,
		    unsigned bucket)
{
	struct home_line *first;
	unsigned place = bucket;

	if (!home_line_has_passed(&lines->pool[bucket], now)) {
		if (!lines->free)
			make_room(lines, now);
		place = lines->free;
		lines->free = lines->pool[place].next;
		first = &lines->pool[bucket];
		lines->pool[place].next = first->next;
		first->next = (uint16_t)place;
	}
	lines->pool[place].line = line;
	lines->pool[place].until = lines->pool[place].written = 0;
	lines->pool[place].first = NULL;
	lines->pool[place].is_held = false;
	return place;
}

unsigned home_line_seek(struct home_lines *lines, uint64_t now, uint64_t line,
			unsigned bucket)
{
	unsigned place = bucket;

	tidy(lines, bucket, now);
	do {
		if (lines->pool[place].line == line &&
		    !home_line_has_passed(&lines->pool[place], now))
			return place;
		place = lines->pool[place].next;
	} while (place);
	return put(lines, now, line, bucket);
}
