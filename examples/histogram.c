/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The program of docs/first-hour.md: four threads count the kinds of records,
 * again and again, each thread in its own part of them and with counts of its
 * own. No lock, nothing shared, every thread busy - and yet it takes nearly
 * twice as long as it should, for a reason that stands nowhere in the code: the
 * thread that makes the records decides in which socket's memory they lie. With
 * FIRST_TOUCH each thread makes the records that it will read.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	NUM_THREADS = 4,
	NUM_RECORDS = 1 << 16,
	PART = NUM_RECORDS / NUM_THREADS,
	NUM_PASSES = 4,
	NUM_KINDS = 4,
	LINE_BYTES = 64,
};

struct record {
	unsigned kind;
	char more[LINE_BYTES - sizeof(unsigned)];
};

/* A line for each thread, or they would take it away from each other. */
struct counts {
	_Alignas(LINE_BYTES) unsigned of_kind[NUM_KINDS];
};

static struct counts counts[NUM_THREADS];
static struct record *records;
static pthread_barrier_t all_made;

/* Not inlined, so that a report by function tells them apart. */
__attribute__((noinline)) static void make_records(unsigned first, unsigned end)
{
	unsigned random = first + 1;

	for (unsigned i = first; i < end; i++) {
		random = random * 1664525u + 1013904223u;
		records[i].kind = random >> 16;
	}
}

__attribute__((noinline)) static void
count_records(struct counts *mine, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		mine->of_kind[records[i].kind % NUM_KINDS]++;
}

static void *work(void *argument)
{
	struct counts *mine = argument;
	unsigned first = (unsigned)(mine - counts) * PART;

#ifdef FIRST_TOUCH
	make_records(first, first + PART);
#else
	if (!first)
		make_records(0, NUM_RECORDS);
#endif
	pthread_barrier_wait(&all_made);
	for (int pass = 0; pass < NUM_PASSES; pass++)
		count_records(mine, first, first + PART);
	return NULL;
}

int main(void)
{
	pthread_t threads[NUM_THREADS];
	unsigned sum = 0;

	records = aligned_alloc(LINE_BYTES, NUM_RECORDS * sizeof(*records));
	if (!records || pthread_barrier_init(&all_made, NULL, NUM_THREADS))
		return 1;
	for (unsigned t = 0; t < NUM_THREADS; t++)
		if (pthread_create(&threads[t], NULL, work, &counts[t]))
			return 1;
	for (unsigned t = 0; t < NUM_THREADS; t++)
		pthread_join(threads[t], NULL);
	for (unsigned kind = 0; kind < NUM_KINDS; kind++) {
		for (unsigned t = 0; t < NUM_THREADS; t++)
			sum += counts[t].of_kind[kind];
		printf("up to kind %u: %u found\n", kind, sum);
	}
	free(records);
	return 0;
}
