/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Phases that come again, each a region: a walk here and there, stores one
 * after the other, a walk through little. Nearly all that it does is in one of
 * them; the last one comes once.
 *
 *     traffic_phases ROUNDS ACCESSES
 */
#include <stdint.h>
#include <stdlib.h>

#include "uncore/mark.h"

enum { WORDS = 1 << 21, LINE = 8, FEW = 1000 };

static uint64_t draw(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) +
		  UINT64_C(1442695040888963407);
	return *random >> 33;
}

static uint64_t walk(const uint64_t *words, unsigned num, long accesses)
{
	static uint64_t random = 7;
	uint64_t sum = 0;

	for (long i = 0; i < accesses; i++)
		sum += words[draw(&random) % num];
	return sum;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[1]) : 0;
	long accesses = argc > 2 ? atol(argv[2]) : 0;
	uint64_t *words, *others, sum = 0;
	unsigned at = 0;

	uncore_region_begin("begin");
	words = calloc(WORDS, sizeof(*words));
	others = calloc(WORDS, sizeof(*others));
	for (unsigned i = 0; words && i < WORDS; i += 4 * LINE)
		words[i] = i;
	uncore_region_end("begin");
	for (long round = 0; words && others && round < rounds; round++) {
		uncore_region_begin("walk");
		sum += walk(words, WORDS, accesses);
		uncore_region_end("walk");
		uncore_region_begin("fill");
		for (long i = 0; i < accesses; i++, at = (at + LINE) % WORDS)
			others[at] = sum;
		uncore_region_end("fill");
		uncore_region_begin("near");
		sum += walk(words, WORDS / 8, accesses / 2);
		uncore_region_end("near");
	}
	uncore_region_begin("once");
	if (words)
		sum += walk(words, WORDS, FEW);
	uncore_region_end("once");
	free(words);
	free(others);
	return sum == 1;
}
