/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counters of threads (the argument is how many), all in one line or each two
 * lines from the next; with plain increments and locked ones. And one line of
 * two threads, on sockets far from each other or on one.
 */
#include "proof/pairs/pairs.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum {
	MAX_THREADS = 8,
	INCREMENTS = 100000,
	APART = 2 * LINE_BYTES / sizeof(uint64_t),
	NEAR_CPU = 1,
	FAR_CPU = 15, /* of the second socket, on each machine that has two */
};

static volatile uint64_t *counters;
static size_t apart;
static int other_cpu; /* of the second thread; 0: as it comes */
static pthread_barrier_t all_there;

static void *count(void *counter)
{
	volatile uint64_t *mine = counter;

	pthread_barrier_wait(&all_there);
	for (size_t i = 0; i < INCREMENTS; i++)
		++*mine;
	return NULL;
}

static void *count_locked(void *counter)
{
	volatile uint64_t *mine = counter;

	pthread_barrier_wait(&all_there);
	for (size_t i = 0; i < INCREMENTS; i++)
		__atomic_fetch_add(mine, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void lay(enum side side, size_t num)
{
	counters = pairs_memory(0, 4096);
	apart = side == BAD ? 1 : APART;
	for (size_t i = 0; i < num; i++)
		counters[i * apart] = 0;
}

static void lay_far(enum side side, size_t num)
{
	lay(BAD, num);
	other_cpu = side == BAD ? FAR_CPU : NEAR_CPU;
}

static void place(pthread_attr_t *attributes, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_attr_setaffinity_np(attributes, sizeof(one), &one);
}

static void start(size_t num, void *(*work)(void *))
{
	pthread_t threads[MAX_THREADS];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_barrier_init(&all_there, NULL, (unsigned)num);
	for (size_t i = 0; i < num; i++) {
		if (other_cpu)
			place(&attributes, i ? other_cpu : 0);
		if (pthread_create(&threads[i], &attributes, work,
				   (void *)&counters[i * apart]))
			exit(1);
	}
	for (size_t i = 0; i < num; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&all_there);
	pthread_attr_destroy(&attributes);
}

static void start_plain(size_t num)
{
	start(num, count);
}

static void start_locked(size_t num)
{
	start(num, count_locked);
}

static double result(size_t num)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < num; i++)
		sum += counters[i * apart];
	return (double)sum;
}

#define PLAIN                                                                  \
	{                                                                      \
		start_plain, start_plain                                       \
	}
#define LOCKED                                                                 \
	{                                                                      \
		start_locked, start_locked                                     \
	}

const struct pair thread_pairs[] = {
	{ "counters", 4, lay, PLAIN, result, false },
	{ "counters-2", 2, lay, PLAIN, result, false },
	{ "counters-8", 8, lay, PLAIN, result, false },
	{ "counters-locked", 4, lay, LOCKED, result, false },
	{ "counters-far", 2, lay_far, LOCKED, result, false },
	{ 0 },
};
