/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Benchmark program: sorts 2 million integers, then visits all of them with a
 * stride that leaves each cache line at once, several times over. The sort is
 * work for the core, the walk is work for the last-level cache: together some
 * 25 million lines enter and leave the private caches.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef COUNT /* fewer in tests/house/front_cost.py */
#define COUNT 2000000
#endif
#ifndef PASSES
#define PASSES 11
#endif

/* Prime, so that a pass visits each integer once. */
enum { STRIDE = 4099 };

static int compare(const void *left, const void *right)
{
	const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

	return (a > b) - (a < b);
}

static void fill(int32_t *cells)
{
	uint64_t state = 1;

	for (int i = 0; i < COUNT; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		cells[i] = (int32_t)(state >> 33);
	}
}

static uint64_t walk(const int32_t *cells)
{
	uint64_t sum = 0;
	size_t at = 0;

	for (long i = 0; i < (long)COUNT * PASSES; i++) {
		sum += (uint64_t)cells[at];
		at += STRIDE;
		if (at >= COUNT)
			at -= COUNT;
	}
	return sum;
}

int main(void)
{
	int32_t *cells = malloc(COUNT * sizeof(*cells));

	if (!cells)
		return 1;
	fill(cells);
	qsort(cells, COUNT, sizeof(*cells), compare);
	printf("%llu\n", (unsigned long long)walk(cells));
	free(cells);
	return 0;
}
