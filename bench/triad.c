/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Benchmark program: two threads compute a = b + s * c over arrays that no
 * cache holds, each its own half. Nearly every line comes from memory.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef COUNT /* fewer in tests/house/front_cost.py */
#define COUNT 2000000
#endif
#ifndef PASSES
#define PASSES 14
#endif

enum { THREADS = 2 };

struct part {
	double *a;
	const double *b, *c;
	size_t first, end;
};

static void *triad(void *argument)
{
	const struct part *part = argument;

	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = part->first; i < part->end; i++)
			part->a[i] = part->b[i] + 3.0 * part->c[i];
	return NULL;
}

int main(void)
{
	double *cells = calloc(3 * (size_t)COUNT, sizeof(*cells));
	pthread_t threads[THREADS];
	struct part parts[THREADS];

	if (!cells)
		return 1;
	for (size_t i = COUNT; i < 3 * (size_t)COUNT; i++)
		cells[i] = (double)(i % 100);
	for (size_t t = 0; t < THREADS; t++) {
		parts[t] = (struct part){ .a = cells,
					  .b = cells + COUNT,
					  .c = cells + 2 * (size_t)COUNT,
					  .first = t * COUNT / THREADS,
					  .end = (t + 1) * COUNT / THREADS };
		if (pthread_create(&threads[t], NULL, triad, &parts[t]))
			return 1;
	}
	for (size_t t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	printf("%g\n", cells[COUNT - 1]);
	free(cells);
	return 0;
}
