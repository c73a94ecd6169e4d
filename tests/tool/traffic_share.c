/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Threads that share lines, one CPU of each named ("any": wherever it is put):
 *
 *   handover-pause N CPU CPU   two threads give a word to each other, N times
 *                              each, and wait for it with PAUSE
 *   handover-spin N CPU CPU    ... with nothing in the loop
 *   handover-yield N CPU CPU   ... with sched_yield
 *   packed N CPU CPU           each adds N times to a word of its own; both
 *                              words are in one line
 *   padded N CPU CPU           ... each in a line of its own
 *   one-word N CPU...          ... all to the same word, and lose some
 *   packed-far N CPU...        packed, and before each addition a load of a
 *                              line that is in no private cache
 *   padded-far N CPU...        ... each word in a line of its own
 *   xadd N CPU...              each adds N times to the same word (LOCK XADD)
 *   xadd-ten N CPU...          ... in a loop of ten additions
 *   mutex N CPU...             each takes a mutex N times and adds to a word
 *   reads N CPU...             each reads the same word N times
 *
 * With N = 0 all of it happens but the sharing. It ends with 1 if a sum is not
 * what it has to be.
 */
#include <pthread.h>

#include "tests/tool/traffic.h"

enum wait { WAIT_SPIN, WAIT_PAUSE, WAIT_YIELD };

struct thread {
	pthread_t handle;
	const char *cpu;
	size_t count;
	unsigned number;
	void (*work)(struct thread *thread);
	enum wait wait;
	size_t stride; /* of the words of `packed` and `padded` */
};

enum { FAR_LINES = 16384 }; /* 1 MiB, four times the L2 */

/* Pages apart, so that nothing else is in the line of the word. */
static struct {
	_Alignas(PAGE) volatile uint64_t word;
	_Alignas(PAGE) volatile uint64_t words[PAGE / sizeof(uint64_t)];
	_Alignas(PAGE) pthread_mutex_t mutex;
	_Alignas(PAGE) pthread_barrier_t start;
} shared = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static char far[MAX_THREADS][FAR_LINES * LINE];

static void wait_for(uint64_t value, enum wait wait)
{
	while (__atomic_load_n(&shared.word, __ATOMIC_ACQUIRE) != value) {
		if (wait == WAIT_PAUSE)
			__asm__ volatile("pause");
		else if (wait == WAIT_YIELD)
			sched_yield();
	}
}

/* The word is 2 i when it is the first one's turn, 2 i + 1 when the other's. */
static void hand_over(struct thread *thread)
{
	uint64_t mine = thread->number;
	size_t i;

	for (i = 0; i < thread->count; i++, mine += 2) {
		wait_for(mine, thread->wait);
		__atomic_store_n(&shared.word, mine + 1, __ATOMIC_RELEASE);
	}
}

static void add_apart(struct thread *thread)
{
	volatile uint64_t *word =
		shared.words + thread->number * thread->stride;
	size_t i;

	for (i = 0; i < thread->count; i++)
		++*word;
}

static void add_far(struct thread *thread)
{
	volatile uint64_t *word =
		shared.words + thread->number * thread->stride;
	volatile char *lines = far[thread->number];
	size_t i;

	memset(far[thread->number], 1, sizeof(far[0]));
	for (i = 0; i < thread->count; i++) {
		lines[i % FAR_LINES * LINE];
		++*word;
	}
}

static void add_locked(struct thread *thread)
{
	size_t i;

	for (i = 0; i < thread->count; i++) {
		uint64_t one = 1;

		__asm__ volatile("lock xaddq %0, %1"
				 : "+r"(one), "+m"(shared.word)
				 :
				 : "memory");
	}
}

#define ADD "lock incq %0\n\t"
static void add_tens(struct thread *thread)
{
	size_t i;

	for (i = 0; i < thread->count; i += 10)
		__asm__ volatile(ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
				 : "+m"(shared.word)
				 :
				 : "memory");
}

static void add_in_turn(struct thread *thread)
{
	size_t i;

	for (i = 0; i < thread->count; i++) {
		pthread_mutex_lock(&shared.mutex);
		shared.word++;
		pthread_mutex_unlock(&shared.mutex);
	}
}

static void read_only(struct thread *thread)
{
	size_t i;

	for (i = 0; i < thread->count; i++)
		(void)shared.word;
}

static void *run(void *argument)
{
	struct thread *thread = argument;

	pin(thread->cpu);
	pthread_barrier_wait(&shared.start);
	thread->work(thread);
	return NULL;
}

/* All threads at the same time; the number of threads. */
static size_t run_all(const struct thread *model, int argc, char **argv)
{
	static struct thread threads[MAX_THREADS];
	unsigned num = (unsigned)argc - 1;
	unsigned i;

	if (num > MAX_THREADS)
		exit(USAGE);
	pthread_barrier_init(&shared.start, NULL, num);
	for (i = 0; i < num; i++) {
		threads[i] = *model;
		threads[i].count = number(argv[0]);
		threads[i].cpu = argv[1 + i];
		threads[i].number = i;
		if (pthread_create(&threads[i].handle, NULL, run, &threads[i]))
			exit(REFUSED);
	}
	for (i = 0; i < num; i++)
		pthread_join(threads[i].handle, NULL);
	return num;
}

static int handover(enum wait wait, int argc, char **argv)
{
	const struct thread model = { .work = hand_over, .wait = wait };

	if (argc != 3)
		return USAGE;
	run_all(&model, argc, argv);
	return shared.word == 2 * number(argv[0]) ? 0 : WRONG;
}

static int handover_spin(int argc, char **argv)
{
	return handover(WAIT_SPIN, argc, argv);
}

static int handover_pause(int argc, char **argv)
{
	return handover(WAIT_PAUSE, argc, argv);
}

static int handover_yield(int argc, char **argv)
{
	return handover(WAIT_YIELD, argc, argv);
}

static int words_apart(size_t stride, void (*work)(struct thread *), int argc,
		       char **argv)
{
	const struct thread model = { .work = work, .stride = stride };
	size_t num;

	if ((size_t)argc - 1 > PAGE / LINE)
		return USAGE;
	num = run_all(&model, argc, argv);
	while (num--)
		if (shared.words[num * stride] != number(argv[0]))
			return WRONG;
	return 0;
}

static int packed(int argc, char **argv)
{
	return words_apart(1, add_apart, argc, argv);
}

static int padded(int argc, char **argv)
{
	return words_apart(LINE / sizeof(uint64_t), add_apart, argc, argv);
}

static int one_plain_word(int argc, char **argv)
{
	const struct thread model = { .work = add_apart };

	run_all(&model, argc, argv);
	return 0;
}

static int packed_far(int argc, char **argv)
{
	return words_apart(1, add_far, argc, argv);
}

static int padded_far(int argc, char **argv)
{
	return words_apart(LINE / sizeof(uint64_t), add_far, argc, argv);
}

static int one_word(void (*work)(struct thread *), int argc, char **argv)
{
	const struct thread model = { .work = work };
	size_t num = run_all(&model, argc, argv);

	return shared.word == num * number(argv[0]) ? 0 : WRONG;
}

static int xadd(int argc, char **argv)
{
	return one_word(add_locked, argc, argv);
}

static int xadd_ten(int argc, char **argv)
{
	return one_word(add_tens, argc, argv);
}

static int mutex(int argc, char **argv)
{
	return one_word(add_in_turn, argc, argv);
}

static int reads(int argc, char **argv)
{
	const struct thread model = { .work = read_only };

	shared.word = 1;
	run_all(&model, argc, argv);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct deed deeds[] = {
		{ "handover-pause", handover_pause, 3 },
		{ "handover-spin", handover_spin, 3 },
		{ "handover-yield", handover_yield, 3 },
		{ "packed", packed, 2 },
		{ "padded", padded, 2 },
		{ "one-word", one_plain_word, 2 },
		{ "packed-far", packed_far, 2 },
		{ "padded-far", padded_far, 2 },
		{ "xadd", xadd, 2 },
		{ "xadd-ten", xadd_ten, 2 },
		{ "mutex", mutex, 2 },
		{ "reads", reads, 2 },
		{ NULL, NULL, 0 },
	};

	return do_deed(deeds, argc, argv);
}
