/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Runs one pair of loops, uncore-pairs NAME; --list has the names. Each side is
 * a region, `bad` or `good`; what brings the data to where the pair wants them
 * is outside. Ends with 1 if both sides do not come to the same result, and
 * with 2 where a pair is not known.
 *
 * It is compiled with -O2 and without what would make another loop of one
 * (vectors, calls of memset).
 */
#include "proof/pairs/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uncore/mark.h"

enum {
	MAX_BLOCKS = 4,
};

static const struct pair *const kinds[] = { array_pairs, list_pairs,
					    matrix_pairs, search_pairs,
					    thread_pairs };
static const char *const names[] = { "bad", "good" };

static struct {
	void *at;
	size_t bytes;
} blocks[MAX_BLOCKS];

static volatile uint64_t kept; /* so that reads are done */

void *pairs_memory(unsigned n, size_t bytes)
{
	if (blocks[n].at)
		return blocks[n].at;
	blocks[n].at = aligned_alloc(4096, bytes);
	if (!blocks[n].at) {
		fprintf(stderr, "uncore-pairs: no memory\n");
		exit(1);
	}
	memset(blocks[n].at, 0, bytes);
	blocks[n].bytes = bytes;
	return blocks[n].at;
}

uint32_t pairs_random(uint32_t below)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)((state >> 33) % below);
}

void pairs_order(uint32_t *order, size_t num, bool shuffled)
{
	for (size_t i = 0; i < num; i++)
		order[i] = (uint32_t)i;
	for (size_t i = shuffled ? num - 1 : 0; i; i--) {
		uint32_t other = pairs_random((uint32_t)i);
		uint32_t number = order[i];

		order[i] = order[other];
		order[other] = number;
	}
}

/* Both sides begin with the same caches: the data are in the LLC, as far as
 * there is room, and their end in the private caches. */
static void settle(void)
{
	for (unsigned n = 0; n < MAX_BLOCKS; n++)
		for (size_t i = 0; i < blocks[n].bytes; i += LINE_BYTES)
			kept += ((const unsigned char *)blocks[n].at)[i];
}

static double run(const struct pair *pair, enum side side)
{
	pair->lay(side, pair->argument);
	if (!pair->is_cold)
		settle();
	uncore_region_begin(names[side]);
	pair->work[side](pair->argument);
	uncore_region_end(names[side]);
	return pair->result(pair->argument);
}

static int run_both(const struct pair *pair)
{
	double bad = run(pair, BAD), good = run(pair, GOOD);

	if (bad == good)
		return 0;
	fprintf(stderr, "uncore-pairs: %s: %.17g and %.17g\n", pair->name, bad,
		good);
	return 1;
}

int main(int argc, char **argv)
{
	const char *name = argc == 2 ? argv[1] : "";
	bool all = !strcmp(name, "--list");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (const struct pair *pair = kinds[i]; pair->name; pair++)
			if (all)
				puts(pair->name);
			else if (!strcmp(name, pair->name))
				return run_both(pair);
	if (all)
		return 0;
	fprintf(stderr, "uncore-pairs NAME: one of uncore-pairs --list\n");
	return 2;
}
