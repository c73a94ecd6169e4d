/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: the lines that are under way somewhere, each until some cycle. The
 * places are those of a struct places beside it, or numbers of the owner's.
 *
 * Invariants
 * 1. A place holds one line at a time and stands in the chain of its bucket.
 * 2. A line may be in several places.
 */
#ifndef UNCORE_LINES_H
#define UNCORE_LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { LINES_MAX = 64, LINES_BUCKETS = 64 };

struct lines {
	uint64_t line[LINES_MAX];
	uint64_t until[LINES_MAX];
	uint8_t next[LINES_MAX]; /* place + 1 */
	uint8_t first[LINES_BUCKETS];
	uint64_t used; /* bit per place: in a chain */
};

static inline unsigned lines_bucket(uint64_t line)
{
	return (unsigned)((line ^ line >> 6) % LINES_BUCKETS);
}

/* Where a line is under way beyond cycle `at`: a bit for each place. */
static inline uint64_t lines_find(const struct lines *lines, uint64_t line,
				  uint64_t at)
{
	unsigned place = lines->first[lines_bucket(line)];
	uint64_t places = 0;

	for (; place; place = lines->next[place - 1])
		if (lines->line[place - 1] == line &&
		    lines->until[place - 1] > at)
			places |= UINT64_C(1) << (place - 1);
	return places;
}

static inline void lines_drop(struct lines *lines, unsigned place)
{
	uint8_t *link;

	if (!(lines->used >> place & 1))
		return;
	link = &lines->first[lines_bucket(lines->line[place])];
	while (*link != place + 1)
		link = &lines->next[*link - 1];
	*link = lines->next[place];
	lines->used &= ~(UINT64_C(1) << place);
}

/* The line is under way in a place, which may have held another one before. */
static inline void lines_put(struct lines *lines, unsigned place,
			     uint64_t line, uint64_t until)
{
	uint8_t *first = &lines->first[lines_bucket(line)];

	lines->until[place] = until;
	if (lines->line[place] == line && lines->used >> place & 1)
		return;
	lines_drop(lines, place);
	lines->line[place] = line;
	lines->next[place] = *first;
	*first = (uint8_t)(place + 1);
	lines->used |= UINT64_C(1) << place;
}

#endif
