/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the tests of programs run. The first argument says what it
 * does:
 *
 *   load N            one load in each of N lines of memory, a word of each
 *                     page of which was written before
 *   store N           one store in each of N lines of fresh memory
 *   chase N           N loads, each of the address that the one before brought
 *   spin N            N rounds of a loop that needs no memory
 *   threads N         N threads at the same time that store to 64 KB each
 *   readers N         two threads at the same time that load from the same N
 *                     lines
 *   fork N            N children that do, one of them before it executes itself
 *   spawn N           N children by posix_spawn(), one after the other
 *   exit N            ends with that code
 *   signal N          ends by that signal
 *   forever           loads and stores until it is killed
 *   leave N           leaves a child behind that runs N seconds
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LINE_BYTES = 64,
	PAGE_BYTES = 4096,
	THREAD_BYTES = 64 * 1024,
	MAX_THREADS = 256,
	BIG_BYTES = 16 << 20,
	ORDER_STEP = 7919, /* a prime: visits every line of a power of two */
};

static volatile char *fresh(size_t size_bytes)
{
	void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(99);
	return memory;
}

static int load(size_t num)
{
	volatile char *memory = fresh(num * LINE_BYTES);
	size_t i;

	for (i = 0; i < num * LINE_BYTES; i += PAGE_BYTES)
		memory[i] = 1;
	for (i = 0; i < num; i++)
		(void)memory[i * LINE_BYTES];
	return 0;
}

static int store(size_t num)
{
	volatile char *memory = fresh(num * LINE_BYTES);
	size_t i;

	for (i = 0; i < num; i++)
		memory[i * LINE_BYTES] = 1;
	return 0;
}

static int chase(size_t num)
{
	volatile char *memory = fresh(num * LINE_BYTES);
	volatile void *at = memory;
	size_t i;

	for (i = 0; i < num; i++) {
		size_t next = (i + 1) * ORDER_STEP % num;

		*(volatile void *volatile *)(memory + i * ORDER_STEP % num *
							      LINE_BYTES) =
			memory + next * LINE_BYTES;
	}
	for (i = 0; i < num; i++)
		at = *(volatile void *volatile *)at;
	return at != memory;
}

static int spin(size_t num)
{
	while (num)
		__asm__ volatile("dec %0" : "+r"(num));
	return 0;
}

static void *fill(void *barrier)
{
	store(THREAD_BYTES / LINE_BYTES);
	if (barrier)
		pthread_barrier_wait(barrier);
	return NULL;
}

static int threads(size_t num)
{
	pthread_t thread[MAX_THREADS];
	pthread_barrier_t barrier;
	size_t i;

	pthread_barrier_init(&barrier, NULL, (unsigned)num);
	for (i = 0; i < num && i < MAX_THREADS; i++)
		if (pthread_create(&thread[i], NULL, fill, &barrier))
			return 99;
	for (i = 0; i < num && i < MAX_THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static struct {
	volatile char *memory;
	size_t num;
	pthread_barrier_t barrier;
} shared;

/* One is never further from the other than a small part of the L2. */
static void *read_shared(void *unused)
{
	enum { TOGETHER = 512 };
	size_t i;

	(void)unused;
	for (i = 0; i < shared.num; i++) {
		if (i % TOGETHER == 0)
			pthread_barrier_wait(&shared.barrier);
		(void)shared.memory[i * LINE_BYTES];
	}
	return NULL;
}

static int readers(size_t num)
{
	pthread_t other;
	size_t i;

	shared.memory = fresh(num * LINE_BYTES);
	shared.num = num;
	for (i = 0; i < num * LINE_BYTES; i += PAGE_BYTES)
		shared.memory[i] = 1;
	pthread_barrier_init(&shared.barrier, NULL, 2);
	if (pthread_create(&other, NULL, read_shared, NULL))
		return 99;
	read_shared(NULL);
	return pthread_join(other, NULL);
}

static int forks(size_t num)
{
	int sum = 0;
	int status;
	size_t i;

	for (i = 0; i < num; i++) {
		if (fork() == 0) {
			fill(NULL);
			if (i == 0)
				execl("/proc/self/exe", "guest", "exit", "1",
				      (char *)NULL);
			_exit(1);
		}
	}
	while (wait(&status) > 0)
		sum += WEXITSTATUS(status);
	return sum;
}

/* Until each child executes itself, its parent waits in the kernel. */
static int spawn(size_t num)
{
	char *words[] = { "guest", "exit", "1", NULL };
	int sum = 0;
	int status;
	size_t i;

	for (i = 0; i < num; i++) {
		pid_t child;

		if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words,
				environ) ||
		    waitpid(child, &status, 0) != child)
			return 99;
		sum += WEXITSTATUS(status);
	}
	return sum;
}

static void forever(void)
{
	volatile char *memory = fresh(BIG_BYTES);
	size_t at;

	for (at = 0;; at = (at + LINE_BYTES) % BIG_BYTES)
		memory[at]++;
}

static int leave(size_t seconds)
{
	time_t end = time(NULL) + (time_t)seconds;
	volatile char *memory = fresh(BIG_BYTES);
	size_t at;

	if (fork())
		return 3;
	for (at = 0; time(NULL) < end; at = (at + LINE_BYTES) % BIG_BYTES)
		(void)memory[at];
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	size_t num = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	if (strcmp(what, "load") == 0)
		return load(num);
	if (strcmp(what, "store") == 0)
		return store(num);
	if (strcmp(what, "chase") == 0)
		return chase(num);
	if (strcmp(what, "spin") == 0)
		return spin(num);
	if (strcmp(what, "threads") == 0)
		return threads(num);
	if (strcmp(what, "readers") == 0)
		return readers(num);
	if (strcmp(what, "fork") == 0)
		return forks(num);
	if (strcmp(what, "spawn") == 0)
		return spawn(num);
	if (strcmp(what, "exit") == 0)
		return (int)num;
	if (strcmp(what, "signal") == 0)
		return raise((int)num);
	if (strcmp(what, "forever") == 0)
		forever();
	if (strcmp(what, "leave") == 0)
		return leave(num);
	fprintf(stderr, "guest: what is '%s'?\n", what);
	return 98;
}
