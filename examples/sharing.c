/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The second program of docs/first-hour.md: two threads throw dice of four
 * faces and count what they get, each in counts of its own. No lock, and
 * neither thread ever looks at what the other one writes - and yet they take
 * turns, since the counts of both are in one line of 64 bytes, and a core has
 * to have the line for itself to write to it. With FIXED each thread's counts
 * have a line of their own.
 */
#include <pthread.h>
#include <stdio.h>

enum {
	NUM_THREADS = 2,
	NUM_THROWS = 40000, /* of each thread */
	NUM_FACES = 4,
	LINE_BYTES = 64,
};

struct counts {
#ifdef FIXED
	_Alignas(LINE_BYTES)
#endif
		unsigned of_face[NUM_FACES];
};

static _Alignas(LINE_BYTES) struct counts counts[NUM_THREADS];
static pthread_barrier_t all_here;

/* Not inlined, so that a report by function shows it. */
__attribute__((noinline)) static void throw_dice(struct counts *mine,
						 unsigned random)
{
	for (unsigned i = 0; i < NUM_THROWS; i++) {
		random = random * 1664525u + 1013904223u;
		mine->of_face[(random >> 16) % NUM_FACES]++;
	}
}

static void *work(void *argument)
{
	struct counts *mine = argument;

	pthread_barrier_wait(&all_here);
	throw_dice(mine, (unsigned)(mine - counts));
	return NULL;
}

int main(void)
{
	pthread_t threads[NUM_THREADS];

	if (pthread_barrier_init(&all_here, NULL, NUM_THREADS))
		return 1;
	for (unsigned t = 0; t < NUM_THREADS; t++)
		if (pthread_create(&threads[t], NULL, work, &counts[t]))
			return 1;
	for (unsigned t = 0; t < NUM_THREADS; t++)
		pthread_join(threads[t], NULL);
	for (unsigned face = 0; face < NUM_FACES; face++) {
		unsigned sum = 0;

		for (unsigned t = 0; t < NUM_THREADS; t++)
			sum += counts[t].of_face[face];
		printf("face %u: %u times\n", face + 1, sum);
	}
	return 0;
}
