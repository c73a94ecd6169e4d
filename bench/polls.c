/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Two processes that go on in turns: each waits for a byte of the other's in a
 * pipe, or looks without pause at a word that they share, with sched_yield()
 * between two looks.
 *
 *     polls pipe|yield TURNS
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2][2];
static _Atomic int *whose;

static int by_pipe(int me)
{
	char byte = 0;

	if (me && read(ends[0][0], &byte, 1) != 1)
		return 1;
	if (write(ends[me][1], &byte, 1) != 1)
		return 1;
	return !me && read(ends[1][0], &byte, 1) != 1;
}

static int by_word(int me)
{
	while (atomic_load(whose) != me)
		sched_yield();
	atomic_store(whose, !me);
	return 0;
}

int main(int argc, char **argv)
{
	int me, failed = 0;
	long turns;

	if (argc != 3 || pipe(ends[0]) || pipe(ends[1]))
		return 2;
	whose = mmap(NULL, sizeof(*whose), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (whose == MAP_FAILED)
		return 2;
	me = !fork();
	for (turns = atol(argv[2]); turns > 0 && !failed; turns--)
		failed = strcmp(argv[1], "pipe") ? by_word(me) : by_pipe(me);
	if (!me)
		wait(NULL);
	return failed;
}
