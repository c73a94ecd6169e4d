/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Ten small programs of four threads that do the same whenever they are run:
 * nothing in them asks for the time, a process id or a random number. Who comes
 * first at a lock is all that is left open. The argument names the program:
 *
 *   split      each sums its share of an array; no lock
 *   barrier    rounds of a stencil over an array, with barriers in between
 *   mutex      a histogram under one mutex
 *   queue      one produces, three consume, with condition variables
 *   rwlock     a table that is read by all and written now and then
 *   semaphore  a ring of threads that wake each other
 *   merge      each sorts its share, pairs of shares are merged
 *   handover   two pairs hand words over, spinning
 *   malloc     each allocates, fills and frees, in an order of its own
 *   atomic     a work list handed out by an atomic counter
 *
 * It ends with 1 if a result is not what it has to be.
 */
#include <pthread.h>
#include <semaphore.h>

#include "tests/tool/traffic.h"

enum {
	THREADS = 4,
	WORDS = 1 << 15, /* of each array: 256 KB */
	SHARE = WORDS / THREADS,
	ROUNDS = 4,
	ITEMS = 2000,
	BINS = 64,
	ROOM = 16, /* of the queue */
};

static uint64_t from[WORDS];
static uint64_t to[WORDS];
static uint64_t results[THREADS];
static uint64_t bins[BINS];
static volatile uint64_t total;
static _Alignas(PAGE) volatile uint64_t turns[2][LINE / sizeof(uint64_t)];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t wake[THREADS];

static struct {
	pthread_cond_t filled, emptied;
	uint64_t items[ROOM];
	unsigned num, first;
	int is_closed;
} queue = { .filled = PTHREAD_COND_INITIALIZER,
	    .emptied = PTHREAD_COND_INITIALIZER };

/* Numbers without an order, the same ones every time. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
	x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return x ^ x >> 33;
}

static void fill(void)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		from[i] = mix(i);
}

static uint64_t sum(const uint64_t *words, size_t num)
{
	uint64_t result = 0;

	while (num--)
		result += *words++;
	return result;
}

static uint64_t results_sum(void)
{
	return sum(results, THREADS);
}

static void split(unsigned me)
{
	results[me] = sum(from + me * SHARE, SHARE);
}

static int check_split(void)
{
	return results_sum() == sum(from, WORDS);
}

/* Every round each word becomes the sum of its neighbours' words. */
static void stencil(unsigned me)
{
	uint64_t *a = from;
	uint64_t *b = to;
	unsigned round;

	for (round = 0; round < ROUNDS; round++) {
		uint64_t *swap = a;
		size_t i;

		for (i = me * SHARE; i < (me + 1U) * SHARE; i++)
			b[i] = a[(i + 1) % WORDS] + a[(i + WORDS - 1) % WORDS];
		pthread_barrier_wait(&barrier);
		a = b;
		b = swap;
	}
}

/* The sum doubles each round. */
static int check_stencil(void)
{
	uint64_t start = 0;
	size_t i;

	for (i = 0; i < WORDS; i++)
		start += mix(i);
	return sum(ROUNDS % 2 ? to : from, WORDS) == start << ROUNDS;
}

static void histogram(unsigned me)
{
	size_t i;

	for (i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		bins[from[me * SHARE + i] % BINS]++;
		pthread_mutex_unlock(&mutex);
	}
}

static int check_histogram(void)
{
	return sum(bins, BINS) == THREADS * ITEMS;
}

static void produce(void)
{
	uint64_t i;

	for (i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (queue.num == ROOM)
			pthread_cond_wait(&queue.emptied, &mutex);
		queue.items[(queue.first + queue.num++) % ROOM] = from[i];
		pthread_cond_signal(&queue.filled);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	queue.is_closed = 1;
	pthread_cond_broadcast(&queue.filled);
	pthread_mutex_unlock(&mutex);
}

/* The next item; 0 when there will be none. */
static int take(uint64_t *item)
{
	int is_there;

	pthread_mutex_lock(&mutex);
	while (!queue.num && !queue.is_closed)
		pthread_cond_wait(&queue.filled, &mutex);
	is_there = queue.num != 0;
	if (is_there) {
		*item = queue.items[queue.first];
		queue.first = (queue.first + 1) % ROOM;
		queue.num--;
		pthread_cond_signal(&queue.emptied);
	}
	pthread_mutex_unlock(&mutex);
	return is_there;
}

static void work_queue(unsigned me)
{
	uint64_t item;

	if (me == 0) {
		produce();
		return;
	}
	while (take(&item))
		results[me] += item;
}

static int check_queue(void)
{
	return results_sum() == sum(from, ITEMS);
}

/* Every 16th use adds 1 to one word and takes 1 from another, so that the sum
 * that the others see is always the same. */
static void use_table(unsigned me)
{
	uint64_t i;

	for (i = 0; i < ITEMS / 4; i++) {
		if (i % 16 == me) {
			pthread_rwlock_wrlock(&rwlock);
			bins[i % BINS]++;
			bins[(i + 7) % BINS]--;
			pthread_rwlock_unlock(&rwlock);
			continue;
		}
		pthread_rwlock_rdlock(&rwlock);
		results[me] |= sum(bins, BINS);
		pthread_rwlock_unlock(&rwlock);
	}
}

/* No thread has seen anything wrong. */
static int check_nothing(void)
{
	return results_sum() == 0;
}

static void pass_on(unsigned me)
{
	unsigned i;

	for (i = 0; i < ITEMS / THREADS; i++) {
		sem_wait(&wake[me]);
		total++;
		sem_post(&wake[(me + 1) % THREADS]);
	}
}

static int check_total(void)
{
	return total == ITEMS;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void merge(const uint64_t *in, size_t half, uint64_t *out)
{
	const uint64_t *a = in;
	const uint64_t *b = in + half;

	while (a < in + half && b < in + 2 * half)
		*out++ = *a <= *b ? *a++ : *b++;
	while (a < in + half)
		*out++ = *a++;
	while (b < in + 2 * half)
		*out++ = *b++;
}

static void sort(unsigned me)
{
	qsort(from + me * SHARE, SHARE, sizeof(*from), compare);
	pthread_barrier_wait(&barrier);
	if (me % 2 == 0)
		merge(from + me * SHARE, SHARE, to + me * SHARE);
	pthread_barrier_wait(&barrier);
	if (me == 0)
		merge(to, 2 * SHARE, from);
}

static int check_sorted(void)
{
	size_t i;

	for (i = 1; i < WORDS; i++)
		if (from[i - 1] > from[i])
			return 0;
	return 1;
}

static void hand_over(unsigned me)
{
	volatile uint64_t *word = turns[me / 2];
	uint64_t mine = me % 2;
	unsigned i;

	for (i = 0; i < ITEMS / 4; i++, mine += 2) {
		while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != mine)
			__asm__ volatile("pause");
		__atomic_store_n(word, mine + 1, __ATOMIC_RELEASE);
	}
}

static int check_turns(void)
{
	return turns[0][0] == ITEMS / 2 && turns[1][0] == ITEMS / 2;
}

static void allocate(unsigned me)
{
	enum { KEPT = 16 };
	uint8_t *kept[KEPT] = { NULL };
	unsigned i;

	for (i = 0; i < ITEMS / 4; i++) {
		uint64_t random = mix(me * ITEMS + i);
		size_t size = 16 + random % 4096;
		unsigned slot = random >> 32 & (KEPT - 1);

		if (kept[slot])
			results[me] += kept[slot][0] != me;
		free(kept[slot]);
		kept[slot] = malloc(size);
		if (!kept[slot])
			exit(WRONG);
		memset(kept[slot], (int)me, size);
	}
	for (i = 0; i < KEPT; i++)
		free(kept[i]);
}

static void take_work(unsigned me)
{
	uint64_t i;

	while ((i = __atomic_fetch_add(&total, 1, __ATOMIC_ACQ_REL)) < ITEMS)
		results[me] += from[i];
}

struct program {
	const char *name;
	void (*work)(unsigned me);
	int (*check)(void);
};

static const struct program *program;

static void *run(void *number)
{
	program->work((unsigned)(uintptr_t)number);
	return NULL;
}

static int run_program(void)
{
	pthread_t threads[THREADS];
	uintptr_t i;

	fill();
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		sem_init(&wake[i], 0, i == 0);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return REFUSED;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return program->check() ? 0 : WRONG;
}

int main(int argc, char **argv)
{
	static const struct program programs[] = {
		{ "split", split, check_split },
		{ "barrier", stencil, check_stencil },
		{ "mutex", histogram, check_histogram },
		{ "queue", work_queue, check_queue },
		{ "rwlock", use_table, check_nothing },
		{ "semaphore", pass_on, check_total },
		{ "merge", sort, check_sorted },
		{ "handover", hand_over, check_turns },
		{ "malloc", allocate, check_nothing },
		{ "atomic", take_work, check_queue },
		{ NULL, NULL, NULL },
	};

	for (program = programs; program->name; program++)
		if (argc == 2 && strcmp(program->name, argv[1]) == 0)
			return run_program();
	fprintf(stderr, "%s: see the head of its source\n", argv[0]);
	return USAGE;
}
