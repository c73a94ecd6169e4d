/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the small programs of these tests have in common: numbers on the command
 * line, threads on CPUs, memory whose lines are in no cache. Everything is
 * static, so that a program is one file to build.
 */
#ifndef TESTS_TOOL_TRAFFIC_H
#define TESTS_TOOL_TRAFFIC_H

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	LINE = 64,
	PAGE = 4096,
	MAX_THREADS = 32,
	/* exit codes */
	WRONG = 1, /* the program computed something wrong */
	USAGE = 2,
	REFUSED = 3, /* the kernel would not do it */
};

#define UNUSED __attribute__((unused))

/* A number, which may end in K or M. */
UNUSED static size_t number(const char *text)
{
	char *end;
	size_t value = strtoul(text, &end, 0);

	switch (*end) {
	case 'M': return value << 20;
	case 'K': return value << 10;
	case '\0': return value;
	default: fprintf(stderr, "'%s' is no number\n", text); exit(USAGE);
	}
}

/* This thread runs on the CPU of that number from now on; "any" leaves it where
 * it is. A host that has no such CPU refuses, which does not matter there: the
 * modelled machine has it. */
UNUSED static void pin(const char *cpu)
{
	cpu_set_t set;

	if (strcmp(cpu, "any") == 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(number(cpu), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Small pages: a big one would have other lines of its own. */
UNUSED static volatile uint8_t *fresh(size_t size_bytes)
{
	void *memory = mmap(NULL, size_bytes ? size_bytes : PAGE,
			    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(REFUSED);
	}
	madvise(memory, size_bytes, MADV_NOHUGEPAGE);
	return memory;
}

UNUSED static void load_lines(const volatile uint8_t *memory, size_t size_bytes)
{
	size_t i;

	for (i = 0; i < size_bytes; i += LINE)
		(void)memory[i];
}

UNUSED static void store_lines(volatile uint8_t *memory, size_t size_bytes,
			       uint8_t value)
{
	size_t i;

	for (i = 0; i < size_bytes; i += LINE)
		memory[i] = value;
}

UNUSED static void flush_lines(volatile uint8_t *memory, size_t size_bytes)
{
	size_t i;

	for (i = 0; i < size_bytes; i += LINE)
		__asm__ volatile("clflush %0" : "+m"(memory[i]));
	__asm__ volatile("mfence" ::: "memory");
}

/* Pages of its own (never written, they would all be the one page of zeros),
 * and no line of them in any cache. */
UNUSED static volatile uint8_t *cold(size_t size_bytes)
{
	volatile uint8_t *memory = fresh(size_bytes);

	store_lines(memory, size_bytes, 1);
	flush_lines(memory, size_bytes);
	return memory;
}

/* One row for each thing that a program can do. */
struct deed {
	const char *name;
	int (*run)(int argc, char **argv); /* what follows the name */
	int num_arguments;		   /* at least */
};

UNUSED static int do_deed(const struct deed *deeds, int argc, char **argv)
{
	for (; deeds->name && argc > 1; deeds++)
		if (strcmp(deeds->name, argv[1]) == 0 &&
		    argc - 2 >= deeds->num_arguments)
			return deeds->run(argc - 2, argv + 2);
	fprintf(stderr, "%s: see the head of its source\n", argv[0]);
	return USAGE;
}

#endif
