/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Functions whose misses are known: traffic_walks N N N N lets each of the four
 * functions north, east, south and west store once to N lines that are in no
 * cache, by turns of a few lines in an order without a pattern.
 */
#include "tests/tool/traffic.h"

enum { NUM_WALKS = 4, TURN = 5 };

static volatile uint8_t *next; /* line */

#define WALK(name)                                                             \
	static void __attribute__((noinline)) name(size_t lines)               \
	{                                                                      \
		for (; lines; lines--, next += LINE)                           \
			*next = 1;                                             \
	}

WALK(north)
WALK(east)
WALK(south)
WALK(west)

int main(int argc, char **argv)
{
	static void (*const walks[NUM_WALKS])(size_t) = { north, east, south,
							  west };
	size_t left[NUM_WALKS], all = 0;
	uint32_t random = 1;

	if (argc != NUM_WALKS + 1)
		return USAGE;
	for (int i = 0; i < NUM_WALKS; i++)
		all += left[i] = number(argv[i + 1]);
	next = fresh(all * LINE);
	while (all) {
		size_t at, turn;
		int which = 0;

		random = random * 1664525 + 1013904223;
		at = (size_t)(((uint64_t)random * all) >> 32);
		while (at >= left[which])
			at -= left[which++];
		turn = left[which] < TURN ? left[which] : TURN;
		walks[which](turn);
		left[which] -= turn;
		all -= turn;
	}
	return 0;
}
