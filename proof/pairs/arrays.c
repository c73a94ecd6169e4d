/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Arrays that are gone through in one way and in another.
 */
#include "proof/pairs/pairs.h"

enum {
	ELEMENTS = MB, /* of 8 bytes: 8 MB */
	SET_LINES = 16,
	SET_ROUNDS = 20000,
	STREAM_BYTES = 96 * MB,
	CHUNK_BYTES = 32 << 10,
	UPDATES = 4,
	UPDATED_BYTES = 2 << 20,
	BLOCK_BYTES = 16 << 10,
	RECORDS = 768 << 10, /* of 64 bytes: 48 MB */
	FIELDS = 8,
	STRIDED = 64 << 10,
	SMALL = 2048, /* of 8 bytes: half of an L1 */
	ROUNDS = 200,
	DIVISIONS = 20,
};

static double *values, *quotients, sum;
static uint64_t *words, total, added;
static uint32_t *places;

static double result_sum(size_t argument)
{
	(void)argument;
	return sum;
}

static double result_total(size_t argument)
{
	(void)argument;
	return (double)total;
}

/* Through an array of indices. */
static void lay_places(enum side side, size_t argument)
{
	(void)argument;
	values = pairs_memory(0, ELEMENTS * sizeof(*values));
	places = pairs_memory(1, ELEMENTS * sizeof(*places));
	for (size_t i = 0; i < ELEMENTS; i++)
		values[i] = (double)(i % 7);
	pairs_order(places, ELEMENTS, side == BAD);
}

static void gather(size_t argument)
{
	double result = 0;

	(void)argument;
	for (size_t i = 0; i < ELEMENTS; i++)
		result += values[places[i]];
	sum = result;
}

/* Lines that the same set of a cache has, or not: so far apart. */
static void lay_set(enum side side, size_t argument)
{
	(void)side;
	(void)argument;
	words = pairs_memory(0, SET_LINES * (4096 + LINE_BYTES));
	total = 0;
}

__attribute__((noinline)) static void write_lines(size_t apart)
{
	for (uint64_t round = 0; round < SET_ROUNDS; round++)
		for (size_t i = 0; i < SET_LINES; i++)
			((volatile uint64_t *)words)[i * apart] = round;
	for (size_t i = 0; i < SET_LINES; i++)
		total += words[i * apart];
}

static void write_one_set(size_t argument)
{
	(void)argument;
	write_lines(4096 / sizeof(*words));
}

static void write_sets(size_t argument)
{
	(void)argument;
	write_lines((4096 + LINE_BYTES) / sizeof(*words));
}

/* To change what is there, and to read it: one word of so many. */
static void lay_words(enum side side, size_t step)
{
	(void)side;
	(void)step;
	words = pairs_memory(0, ELEMENTS * sizeof(*words));
	for (size_t i = 0; i < ELEMENTS; i++)
		words[i] = i % 7;
	added = 0;
}

static void update(size_t step)
{
	for (size_t i = 0; i < ELEMENTS; i += step)
		words[i] += 1;
	added = ELEMENTS / step;
}

static void read_words(size_t step)
{
	uint64_t result = 0;

	for (size_t i = 0; i < ELEMENTS; i += step)
		result += words[i];
	total = result;
}

static void read_backwards(size_t step)
{
	uint64_t result = 0;

	for (size_t i = ELEMENTS; i; i -= step)
		result += words[i - 1];
	total = result;
}

static double result_words(size_t step)
{
	read_words(step);
	return (double)(total - added);
}

/* Three passes: at once over all, or one after the other over little. */
__attribute__((noinline)) static uint64_t passes(const uint64_t *at, size_t num)
{
	uint64_t result = 0, bits = 0, odd = 0;

	for (size_t i = 0; i < num; i++)
		result += at[i];
	for (size_t i = 0; i < num; i++)
		bits += at[i] >> 1;
	for (size_t i = 0; i < num; i++)
		odd += at[i] & 1;
	return result + bits + odd;
}

static void lay_stream(enum side side, size_t argument)
{
	(void)side;
	(void)argument;
	words = pairs_memory(0, STREAM_BYTES);
	for (size_t i = 0; i < STREAM_BYTES / sizeof(*words);
	     i += LINE_BYTES / sizeof(*words))
		words[i] = i % 7;
}

static void three_passes(size_t argument)
{
	(void)argument;
	total = passes(words, STREAM_BYTES / sizeof(*words));
}

static void three_passes_in_chunks(size_t argument)
{
	const size_t chunk = CHUNK_BYTES / sizeof(*words);

	(void)argument;
	total = 0;
	for (size_t i = 0; i < STREAM_BYTES / CHUNK_BYTES; i++)
		total += passes(words + i * chunk, chunk);
}

/* Four updates: each of all, or of as much as the L1 holds at a time. */
__attribute__((noinline)) static void update_often(uint64_t *at, size_t num)
{
	for (unsigned pass = 0; pass < UPDATES; pass++) {
		for (size_t i = 0; i < num; i++)
			at[i] += 1;
		/* a pass is one: no compiler may join two */
		__asm__ volatile("" ::: "memory");
	}
	added += UPDATES * num;
}

static void update_all(size_t step)
{
	(void)step;
	update_often(words, UPDATED_BYTES / sizeof(*words));
}

static void update_blocks(size_t step)
{
	const size_t block = BLOCK_BYTES / sizeof(*words);

	(void)step;
	for (size_t i = 0; i < UPDATED_BYTES / BLOCK_BYTES; i++)
		update_often(words + i * block, block);
}

/* One field of each record: an array of structures, a structure of arrays. */
static void lay_records(enum side side, size_t argument)
{
	const size_t record = side == BAD ? FIELDS : 1;
	const size_t field = side == BAD ? 1 : RECORDS;

	(void)argument;
	words = pairs_memory(0, (size_t)RECORDS * FIELDS * sizeof(*words));
	for (size_t f = 0; f < FIELDS; f++)
		for (size_t i = 0; i < RECORDS; i++)
			words[i * record + f * field] = (i + f) % 7;
}

__attribute__((noinline)) static void sum_field(size_t apart)
{
	uint64_t result = 0;

	for (size_t i = 0; i < RECORDS; i++)
		result += words[i * apart];
	total = result;
}

static void sum_of_structures(size_t argument)
{
	(void)argument;
	sum_field(FIELDS);
}

static void sum_of_arrays(size_t argument)
{
	(void)argument;
	sum_field(1);
}

/* As many elements so far apart, and beside each other. */
static void lay_ones(enum side side, size_t apart)
{
	(void)side;
	(void)apart;
	values = pairs_memory(0, (size_t)STRIDED * 16 * sizeof(*values));
	for (size_t i = 0; i < (size_t)STRIDED * 16; i++)
		values[i] = 1;
}

__attribute__((noinline)) static void sum_apart(size_t apart)
{
	double result = 0;

	for (size_t i = 0; i < STRIDED; i++)
		result += values[i * apart];
	sum = result;
}

static void sum_together(size_t apart)
{
	(void)apart;
	sum_apart(1);
}

/* In the L1: what waits for what, and what takes long. */
static void lay_small(enum side side, size_t argument)
{
	(void)side;
	(void)argument;
	values = pairs_memory(0, SMALL * sizeof(*values));
	quotients = pairs_memory(1, SMALL * sizeof(*quotients));
	for (size_t i = 0; i < SMALL; i++)
		values[i] = (double)(i % 7);
}

static void one_chain(size_t rounds)
{
	double result = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < SMALL; i++)
			result += values[i];
	sum = result;
}

static void four_chains(size_t rounds)
{
	double a = 0, b = 0, c = 0, d = 0;

	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < SMALL; i += 4) {
			a += values[i];
			b += values[i + 1];
			c += values[i + 2];
			d += values[i + 3];
		}
	sum = a + b + c + d;
}

static void divide(size_t rounds)
{
	for (size_t round = 0; round < rounds; round++) {
		volatile double divisor = 4;
		double by = divisor;

		for (size_t i = 0; i < SMALL; i++)
			quotients[i] = values[i] / by;
	}
}

static void multiply(size_t rounds)
{
	for (size_t round = 0; round < rounds; round++) {
		volatile double divisor = 4;
		double by = 1 / divisor;

		for (size_t i = 0; i < SMALL; i++)
			quotients[i] = values[i] * by;
	}
}

static double result_quotients(size_t argument)
{
	double result = 0;

	(void)argument;
	for (size_t i = 0; i < SMALL; i++)
		result += (double)i * quotients[i];
	return result;
}

#define STRIDE(TEXT, APART)                                                    \
	{                                                                      \
		TEXT, APART, lay_ones, { sum_apart, sum_together },            \
			result_sum, false                                      \
	}

const struct pair array_pairs[] = {
	{ "gather", 0, lay_places, { gather, gather }, result_sum, false },
	{ "set",
	  0,
	  lay_set,
	  { write_one_set, write_sets },
	  result_total,
	  false },
	{ "update", 8, lay_words, { update, read_words }, result_words, false },
	{ "update-all",
	  1,
	  lay_words,
	  { update, read_words },
	  result_words,
	  false },
	{ "backwards",
	  1,
	  lay_words,
	  { read_backwards, read_words },
	  result_total,
	  false },
	{ "passes",
	  0,
	  lay_stream,
	  { three_passes, three_passes_in_chunks },
	  result_total,
	  true },
	{ "blocks",
	  1,
	  lay_words,
	  { update_all, update_blocks },
	  result_words,
	  false },
	{ "records",
	  0,
	  lay_records,
	  { sum_of_structures, sum_of_arrays },
	  result_total,
	  true },
	STRIDE("stride-2", 2),
	STRIDE("stride-4", 4),
	STRIDE("stride-8", 8),
	STRIDE("stride-16", 16),
	{ "chain",
	  ROUNDS,
	  lay_small,
	  { one_chain, four_chains },
	  result_sum,
	  false },
	{ "divide",
	  DIVISIONS,
	  lay_small,
	  { divide, multiply },
	  result_quotients,
	  false },
	{ 0 },
};
