/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Look-ups in 8 MB: by bisection of a sorted array, and in a table by number.
 */
#include "proof/pairs/pairs.h"

#include <stdlib.h>

enum {
	KEYS = MB - 1, /* of 8 bytes */
	ASKED = 20000,
	PROBES = 256 << 10,
};

static uint64_t *keys, *asked, *table, sum;
static uint32_t *places;

static int ascending(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

static void lay_keys(enum side side, size_t argument)
{
	(void)argument;
	keys = pairs_memory(0, (size_t)MB * sizeof(*keys));
	asked = pairs_memory(1, ASKED * sizeof(*asked));
	for (uint64_t i = 0; i < KEYS; i++)
		keys[i] = 2 * i + 1;
	for (size_t i = 0; side == BAD && i < ASKED; i++)
		asked[i] = 2 * (uint64_t)pairs_random(KEYS);
	if (side == GOOD)
		qsort(asked, ASKED, sizeof(*asked), ascending);
}

/* The smallest key that is not less. */
static void bisect(size_t argument)
{
	(void)argument;
	sum = 0;
	for (size_t i = 0; i < ASKED; i++) {
		size_t from = 0, num = KEYS;

		while (num) {
			size_t half = num / 2;

			if (keys[from + half] < asked[i])
				from += half + 1;
			num = half;
		}
		sum += keys[from];
	}
}

static double result_sum(size_t argument)
{
	(void)argument;
	return (double)sum;
}

static void lay_table(enum side side, size_t argument)
{
	(void)argument;
	table = pairs_memory(0, (size_t)MB * sizeof(*table));
	places = pairs_memory(1, PROBES * sizeof(*places));
	for (size_t i = 0; i < MB; i++)
		table[i] = 0;
	pairs_order(places, PROBES, side == BAD);
	for (size_t i = 0; i < PROBES; i++)
		places[i] *= MB / PROBES;
}

static void probe(size_t argument)
{
	(void)argument;
	for (size_t i = 0; i < PROBES; i++)
		table[places[i]]++;
}

static double result_table(size_t argument)
{
	double result = 0;

	(void)argument;
	for (size_t i = 0; i < MB; i++)
		result += (double)(i * table[i]);
	return result;
}

const struct pair search_pairs[] = {
	{ "search", 0, lay_keys, { bisect, bisect }, result_sum, false },
	{ "hash", 0, lay_table, { probe, probe }, result_table, false },
	{ 0 },
};
