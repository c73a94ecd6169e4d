/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A memory-hungry program for the guest of guest-image, where it is called
 * walk: threads on processors of their own step through memory that they have
 * touched before, and the marks of uncore/mark.h stand round the steps. What it
 * prints are the lines that it went to, so that counts can be held against it.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uncore/mark.h"

enum { MAX_THREADS = 128, LINE_BYTES = 64 };

static size_t size_bytes = (size_t)32 << 20, stride_bytes = LINE_BYTES;
static unsigned num_passes = 1, num_threads = 1;
static bool store, shared;
static unsigned char *memory;
static pthread_barrier_t ready, begin, end;

static int num_processors(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* The threads are spread over all processors, so two of them lie in two
 * sockets. */
static void stay_on_one(unsigned thread)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((int)thread * num_processors() / (int)num_threads, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void step(volatile unsigned char *from, size_t bytes)
{
	for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += stride_bytes)
		if (store)
			*(volatile uint64_t *)(from + at) = at;
		else
			(void)*(volatile uint64_t *)(from + at);
}

static void *walk(void *argument)
{
	unsigned thread = (unsigned)(uintptr_t)argument;
	size_t bytes = shared ? size_bytes : size_bytes / num_threads;
	unsigned char *from = shared ? memory : memory + thread * bytes;

	stay_on_one(thread);
	if (!shared || thread == 0)
		memset(from, 1, bytes);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&begin);
	for (unsigned pass = 0; pass < num_passes; pass++)
		step(from, bytes);
	pthread_barrier_wait(&end);
	return NULL;
}

static void run(void)
{
	pthread_t threads[MAX_THREADS] = { 0 };

	pthread_barrier_init(&ready, NULL, num_threads + 1);
	pthread_barrier_init(&begin, NULL, num_threads + 1);
	pthread_barrier_init(&end, NULL, num_threads + 1);
	for (unsigned i = 0; i < num_threads; i++)
		if (pthread_create(&threads[i], NULL, walk,
				   (void *)(uintptr_t)i)) {
			fprintf(stderr, "walk: cannot start thread %u\n", i);
			exit(1);
		}
	pthread_barrier_wait(&ready);
	uncore_mark_begin();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	uncore_mark_end();
	for (unsigned i = 0; i < num_threads; i++)
		pthread_join(threads[i], NULL);
}

static void usage(void)
{
	fputs("usage: walk [-m MIB] [-k STRIDE] [-p PASSES] [-t THREADS] "
	      "[-s] [-w]\n"
	      "  -s  all threads walk the same memory\n"
	      "  -w  store instead of load\n",
	      stderr);
	exit(2);
}

static unsigned number(const char *text, unsigned most)
{
	char *after;
	unsigned long value = strtoul(text, &after, 0);

	if (*after || after == text || value < 1 || value > most)
		usage();
	return (unsigned)value;
}

static void options(int count, char **words)
{
	for (int c; (c = getopt(count, words, "m:k:p:t:sw")) != -1;)
		switch (c) {
		case 'm':
			size_bytes = (size_t)number(optarg, 1 << 20) << 20;
			break;
		case 'k': stride_bytes = number(optarg, 1 << 30); break;
		case 'p': num_passes = number(optarg, 1 << 20); break;
		case 't': num_threads = number(optarg, MAX_THREADS); break;
		case 's': shared = true; break;
		case 'w': store = true; break;
		default: usage();
		}
	if (optind < count)
		usage();
}

int main(int count, char **words)
{
	size_t steps;

	options(count, words);
	memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		fprintf(stderr, "walk: no %zu MiB: %s\n", size_bytes >> 20,
			strerror(errno));
		return 1;
	}
	run();
	steps = size_bytes / stride_bytes * num_passes *
		(shared ? num_threads : 1);
	printf("walk: %zu %s of %zu lines\n", steps, store ? "stores" : "loads",
	       size_bytes /
		       (stride_bytes > LINE_BYTES ? stride_bytes : LINE_BYTES));
	return 0;
}
