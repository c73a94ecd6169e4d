/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A fault to find: the main thread fills two arrays, so all their pages are in
 * the memory of its socket; then threads on both sockets smooth them, with
 * OpenMP. -DMENDED: each thread fills what it will work on.
 */
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 1 << 21, PASSES = 2 };

static void fill(double *from, double *to)
{
#ifdef MENDED
#pragma omp parallel for schedule(static)
#endif
	for (int i = 0; i < CELLS; i++) {
		from[i] = i % 1000;
		to[i] = 1;
	}
}

static void smooth(const double *from, double *to)
{
#pragma omp parallel for schedule(static)
	for (int i = 1; i < CELLS - 1; i++)
		to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
}

int main(void)
{
	double *from = malloc(CELLS * sizeof(*from));
	double *to = malloc(CELLS * sizeof(*to));

	if (!from || !to)
		return 1;
	fill(from, to);
	for (int i = 0; i < PASSES; i++) {
		double *before = from;

		smooth(from, to);
		from = to;
		to = before;
	}
	printf("%g\n", from[CELLS / 2]);
	free(from);
	free(to);
	return 0;
}
