/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Station: the lines that are under way somewhere, each until some cycle. The
 * places are those of a struct places beside it, or numbers of the owner's.
 *
 * Invariants
 * 1. A place holds one line at a time, and its bit is in that line's bucket.
 * 2. A line may be in several places.
 */
#ifndef UNCORE_LINES_H
#define UNCORE_LINES_H

#include <stdbool.h>
#include <stdint.h>

enum { LINES_MAX = 64, LINES_BUCKETS = 32 };

struct lines {
	uint64_t line[LINES_MAX];
	uint64_t until[LINES_MAX];
	uint64_t places[LINES_BUCKETS]; /* bit per place */
};

static inline unsigned lines_bucket(uint64_t line)
{
	return (unsigned)((line ^ line >> 5) % LINES_BUCKETS);
}

/* Where a line is under way beyond cycle `at`: a bit for each place. */
static inline uint64_t lines_find(const struct lines *lines, uint64_t line,
				  uint64_t at)
{
	uint64_t left = lines->places[lines_bucket(line)], found = 0;

	for (; left; left &= left - 1) {
		unsigned place = (unsigned)__builtin_ctzll(left);

		if (lines->line[place] == line && lines->until[place] > at)
			found |= left & -left;
	}
	return found;
}

static inline void lines_drop(struct lines *lines, unsigned place)
{
	lines->places[lines_bucket(lines->line[place])] &=
		~(UINT64_C(1) << place);
}

/* The line is under way in a place, which may have held another one before. */
static inline void lines_put(struct lines *lines, unsigned place, uint64_t line,
			     uint64_t until)
{
	lines_drop(lines, place);
	lines->line[place] = line;
	lines->until[place] = until;
	lines->places[lines_bucket(line)] |= UINT64_C(1) << place;
}

#endif
