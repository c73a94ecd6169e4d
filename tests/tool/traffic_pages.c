/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where pages are, and who has the same ones. SIZE may end in K or M.
 *
 *   zero SIZE                 loads from pages that nobody has written
 *   touch SIZE CPU CPU        one thread stores to each line, after it another
 *                             one, on the second CPU, loads each
 *   mbind SIZE NODE           stores to each line of pages bound to NODE
 *   mempolicy SIZE NODE       ... of pages that a policy of the thread binds
 *   inherited SIZE NODE       ... the same, in the program that it executes
 *   moved SIZE NODE           stores to each line and flushes it, has the pages
 *                             moved to NODE, loads each line
 *   anonymous N CPU CPU       a process and its child hand a word over, N times
 *                             each, in memory that they share
 *   file N CPU CPU            ... in a file that both map
 *   fork SIZE                 stores to each line, forks, waits for the child
 *   fork-load SIZE            ... which loads each line
 *   fork-store SIZE           ... which stores to each line
 *   apart N                   a process, its child and grandchild, all there at
 *                             the same time, store N times to what they
 *                             inherited and to what is their own, from before
 *                             they failed to execute a program and after it
 *   huge SIZE                 stores to each line of huge pages; of small ones
 *                             where there are no huge ones
 *
 * It ends with 1 if pages are not where they have to be, 3 if the kernel
 * refuses (a policy needs its node).
 */
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tool/traffic.h"

static int zero(int argc, char **argv)
{
	size_t size = number(argv[0]);

	(void)argc;
	load_lines(fresh(size), size);
	return 0;
}

/* The second thread starts when the first has ended. */

struct toucher {
	const char *cpu;
	volatile uint8_t *memory;
	size_t size;
};

static void *store_all(void *argument)
{
	struct toucher *toucher = argument;

	pin(toucher->cpu);
	store_lines(toucher->memory, toucher->size, 1);
	return NULL;
}

static void *load_all(void *argument)
{
	struct toucher *toucher = argument;

	pin(toucher->cpu);
	load_lines(toucher->memory, toucher->size);
	return NULL;
}

static int touch(int argc, char **argv)
{
	size_t size = number(argv[0]);
	volatile uint8_t *memory = fresh(size);
	struct toucher first = { argv[1], memory, size };
	struct toucher second = { argv[2], memory, size };
	pthread_t thread;

	(void)argc;
	if (pthread_create(&thread, NULL, store_all, &first))
		return REFUSED;
	pthread_join(thread, NULL);
	if (pthread_create(&thread, NULL, load_all, &second))
		return REFUSED;
	pthread_join(thread, NULL);
	return 0;
}

/* Policies, by system calls as they are: no library is needed. */

static int refused(const char *what)
{
	perror(what);
	return REFUSED;
}

/* Whether all pages are on the node, as the kernel says. */
static int check_node(volatile uint8_t *memory, size_t size, int node)
{
	size_t at;

	for (at = 0; at < size; at += PAGE) {
		void *page = (void *)(memory + at);
		int status = -1;

		if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0))
			return refused("move_pages");
		if (status != node) {
			fprintf(stderr, "page %zu is on node %d, not %d\n",
				at / PAGE, status, node);
			return WRONG;
		}
	}
	return 0;
}

static int bound(int argc, char **argv)
{
	size_t size = number(argv[0]);
	size_t node = number(argv[1]);
	unsigned long mask = 1UL << node;
	volatile uint8_t *memory = fresh(size);

	(void)argc;
	pin("0");
	if (syscall(SYS_mbind, memory, size, MPOL_BIND, &mask, 8 * sizeof(mask),
		    0))
		return refused("mbind");
	store_lines(memory, size, 1);
	return check_node(memory, size, (int)node);
}

static int mempolicy(int argc, char **argv)
{
	size_t size = number(argv[0]);
	size_t node = number(argv[1]);
	unsigned long mask = 1UL << node;
	volatile uint8_t *memory = fresh(size);

	(void)argc;
	pin("0");
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 8 * sizeof(mask)))
		return refused("set_mempolicy");
	store_lines(memory, size, 1);
	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0UL);
	return check_node(memory, size, (int)node);
}

static int inherited(int argc, char **argv)
{
	unsigned long mask = 1UL << number(argv[1]);

	(void)argc;
	pin("0");
	if (syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 8 * sizeof(mask)))
		return refused("set_mempolicy");
	execl("/proc/self/exe", "traffic_pages", "inheriting", argv[0], argv[1],
	      NULL);
	return refused("execl");
}

static int inheriting(int argc, char **argv)
{
	size_t size = number(argv[0]);
	volatile uint8_t *memory = fresh(size);

	(void)argc;
	store_lines(memory, size, 1);
	return check_node(memory, size, (int)number(argv[1]));
}

static int moved(int argc, char **argv)
{
	size_t size = number(argv[0]);
	int node = (int)number(argv[1]);
	volatile uint8_t *memory;
	size_t at;

	(void)argc;
	pin("0");
	memory = cold(size);
	for (at = 0; at < size; at += PAGE) {
		void *page = (void *)(memory + at);
		int status = -1;

		if (syscall(SYS_move_pages, 0, 1UL, &page, &node, &status,
			    MPOL_MF_MOVE) < 0)
			return refused("move_pages");
		if (status < 0) {
			errno = -status;
			return refused("move_pages, of a page");
		}
	}
	load_lines(memory, size);
	return check_node(memory, size, node);
}

/* Two processes */

static void hand_over(volatile uint64_t *word, uint64_t mine, size_t count)
{
	for (; count; count--, mine += 2) {
		while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != mine)
			__asm__ volatile("pause");
		__atomic_store_n(word, mine + 1, __ATOMIC_RELEASE);
	}
}

static int wait_for_child(void)
{
	int status;

	if (wait(&status) < 0 || !WIFEXITED(status))
		return WRONG;
	return WEXITSTATUS(status);
}

static volatile uint64_t *map_shared(int flags, int file)
{
	void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | flags, file, 0);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(REFUSED);
	}
	return memory;
}

/* file: -1, or each process maps it by itself. */
static int two_processes(int file, char **argv)
{
	size_t count = number(argv[0]);
	volatile uint64_t *word = NULL;
	int code;

	if (file < 0)
		word = map_shared(MAP_ANONYMOUS, -1);
	if (fork() == 0) {
		pin(argv[2]);
		if (file >= 0)
			word = map_shared(0, file);
		hand_over(word, 1, count);
		_exit(0);
	}
	pin(argv[1]);
	if (file >= 0)
		word = map_shared(0, file);
	hand_over(word, 0, count);
	code = wait_for_child();
	return code ? code : *word == 2 * count ? 0 : WRONG;
}

static int anonymous(int argc, char **argv)
{
	(void)argc;
	return two_processes(-1, argv);
}

static int file(int argc, char **argv)
{
	char path[] = "/tmp/uncore-test-XXXXXX";
	int fd = mkstemp(path);

	(void)argc;
	if (fd < 0 || ftruncate(fd, PAGE))
		return refused("a file in /tmp");
	unlink(path);
	return two_processes(fd, argv);
}

static int forked(void (*work)(volatile uint8_t *memory, size_t size),
		  char **argv)
{
	size_t size = number(argv[0]);
	volatile uint8_t *memory = fresh(size);

	store_lines(memory, size, 1);
	if (fork() == 0) {
		work(memory, size);
		_exit(0);
	}
	return wait_for_child();
}

static void do_nothing(volatile uint8_t *memory, size_t size)
{
	(void)memory;
	(void)size;
}

static void do_load(volatile uint8_t *memory, size_t size)
{
	load_lines(memory, size);
}

static void do_store(volatile uint8_t *memory, size_t size)
{
	store_lines(memory, size, 2);
}

static int fork_only(int argc, char **argv)
{
	(void)argc;
	return forked(do_nothing, argv);
}

static int fork_load(int argc, char **argv)
{
	(void)argc;
	return forked(do_load, argv);
}

static int fork_store(int argc, char **argv)
{
	(void)argc;
	return forked(do_store, argv);
}

/* No more processes than three get here, each of which has then come. */
static void meet(const int ends[2])
{
	char byte;

	close(ends[1]);
	if (read(ends[0], &byte, 1) != 0)
		exit(WRONG);
}

static int apart(int argc, char **argv)
{
	enum { SIZE = 4 * PAGE };
	static volatile uint8_t data[SIZE];
	volatile uint8_t stack[SIZE];
	volatile uint8_t *heap = malloc(SIZE), *before, *after;
	size_t rounds = number(argv[0]);
	pid_t child = 0;
	int ends[2];
	size_t i;

	(void)argc;
	store_lines(data, SIZE, 1);
	store_lines(stack, SIZE, 1);
	store_lines(heap, SIZE, 1);
	if (pipe(ends))
		return refused("pipe");
	for (i = 0; i < 2 && !child; i++)
		child = fork();
	before = fresh(SIZE);
	store_lines(before, SIZE, 1);
	execl("/proc/self/nothing", "nothing", NULL);
	after = fresh(SIZE);
	for (i = 0; i <= rounds; i++) {
		store_lines(data, SIZE, 2);
		store_lines(stack, SIZE, 2);
		store_lines(heap, SIZE, 2);
		store_lines(before, SIZE, 2);
		store_lines(after, SIZE, 2);
		if (i == 0)
			meet(ends);
	}
	return child ? wait_for_child() : 0;
}

static int huge(int argc, char **argv)
{
	size_t size = number(argv[0]);
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	(void)argc;
	if (memory == MAP_FAILED)
		memory = (void *)fresh(size);
	store_lines(memory, size, 1);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct deed deeds[] = {
		{ "zero", zero, 1 },
		{ "touch", touch, 3 },
		{ "mbind", bound, 2 },
		{ "mempolicy", mempolicy, 2 },
		{ "moved", moved, 2 },
		{ "anonymous", anonymous, 3 },
		{ "file", file, 3 },
		{ "fork", fork_only, 1 },
		{ "fork-load", fork_load, 1 },
		{ "fork-store", fork_store, 1 },
		{ "apart", apart, 1 },
		{ "huge", huge, 1 },
		{ "inherited", inherited, 2 },
		{ "inheriting", inheriting, 2 },
		{ NULL, NULL, 0 },
	};

	return do_deed(deeds, argc, argv);
}
