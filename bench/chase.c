/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Benchmark program: follows pointers through 64 MiB, each line once a round,
 * in an order that no cache and no prefetcher foresees. The next line is known
 * when the line is there: nothing overlaps.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LINES /* fewer in tests/house/front_cost.py */
#define LINES (1 << 20)
#endif

enum { ROUNDS = 2 };

struct line {
	uint32_t next;
	char rest[60];
};

/* One circle through all lines (Sattolo's shuffle). */
static void lay(struct line *lines)
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < LINES; i++)
		lines[i].next = i;
	for (uint32_t i = LINES - 1; i; i--) {
		uint32_t other, next;

		state = state * UINT64_C(6364136223846793005) + 1;
		other = (uint32_t)((state >> 33) % i);
		next = lines[i].next;
		lines[i].next = lines[other].next;
		lines[other].next = next;
	}
}

int main(void)
{
	struct line *lines = calloc(LINES, sizeof(*lines));
	uint32_t at = 0;

	if (!lines)
		return 1;
	lay(lines);
	for (uint32_t i = 0; i < ROUNDS * LINES; i++)
		at = lines[at].next;
	printf("%u\n", at);
	free(lines);
	return 0;
}
