/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: the lines that are under way somewhere, each until some cycle. The
 * places are those of a struct places beside it, or numbers of the owner's.
 *
 * Invariants
 * 1. A place holds one line at a time and stands in the chain of its bucket.
 * 2. Of places with the same line the one with the lowest number is found.
 */
#ifndef UNCORE_LINES_H
#define UNCORE_LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { LINES_MAX = 64, LINES_BUCKETS = 64, LINES_NONE = -1 };

struct lines {
	uint64_t line[LINES_MAX];
	uint64_t until[LINES_MAX];
	uint8_t next[LINES_MAX]; /* place + 1 */
	uint8_t first[LINES_BUCKETS];
	uint64_t used; /* bit per place: in a chain */
};

static inline unsigned lines_bucket(uint64_t line)
{
	return (unsigned)((line ^ line >> 6 ^ line >> 12) % LINES_BUCKETS);
}

/* The place of a line that is under way beyond cycle `at`, or LINES_NONE. */
static inline int lines_find(const struct lines *lines, uint64_t line,
			     uint64_t at)
{
	unsigned place = lines->first[lines_bucket(line)], found = LINES_MAX;

	for (; place; place = lines->next[place - 1])
		if (place <= found && lines->line[place - 1] == line &&
		    lines->until[place - 1] > at)
			found = place - 1;
	return found < LINES_MAX ? (int)found : LINES_NONE;
}

static inline void lines_drop(struct lines *lines, unsigned place)
{
	uint8_t *link = &lines->first[lines_bucket(lines->line[place])];

	if (!(lines->used >> place & 1))
		return;
	while (*link != place + 1)
		link = &lines->next[*link - 1];
	*link = lines->next[place];
	lines->used &= ~(UINT64_C(1) << place);
}

/* The line is under way in a place, which held another one before. */
static inline void lines_put(struct lines *lines, unsigned place,
			     uint64_t line, uint64_t until)
{
	uint8_t *first = &lines->first[lines_bucket(line)];

	lines_drop(lines, place);
	lines->line[place] = line;
	lines->until[place] = until;
	lines->next[place] = *first;
	*first = (uint8_t)(place + 1);
	lines->used |= UINT64_C(1) << place;
}

#endif
