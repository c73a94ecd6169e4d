/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The packed tags of the LLC against the way they were kept before: an array of
 * lines searched one by one, a clock of uses, the least recent one goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/box/llc.h"

enum { MAX_ENTRIES = 64 * 64, NUM_OPERATIONS = 30000 };

struct old_way {
	uint64_t line; /* plus 1; 0: empty */
	uint32_t used;
	uint32_t cores;
	uint8_t state;
	bool is_core_dirty;
};

static struct old_way old[MAX_ENTRIES];
static uint32_t old_clock;
static struct llc llc;
static unsigned slice;
static uint64_t seed;

static uint32_t any(uint32_t num)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 32) * num >> 32);
}

/* As llc.c says at its head. */
static struct old_way *old_set(uint64_t line)
{
	uint64_t q = line / llc.num_slices;
	uint64_t upper = q / llc.num_sets;
	uint32_t scramble =
		(uint32_t)(upper * UINT64_C(0x9e3779b97f4a7c15) >> 40);
	uint64_t set =
		(q % llc.num_sets + scramble % llc.num_sets) % llc.num_sets;

	return old + set * llc.num_ways;
}

static struct old_way *old_find(uint64_t line)
{
	struct old_way *set = old_set(line);

	for (unsigned i = 0; i < llc.num_ways; i++)
		if (set[i].line == line + 1)
			return &set[i];
	return NULL;
}

static struct old_way *old_choose(uint64_t line)
{
	struct old_way *set = old_set(line), *best = set;

	for (unsigned i = 0; i < llc.num_ways; i++) {
		if (!set[i].line)
			return &set[i];
		if (old_clock - set[i].used > old_clock - best->used)
			best = &set[i];
	}
	return best;
}

static uint64_t any_line(void)
{
	uint64_t line;

	do
		line = any(2 * llc.num_ways * llc.num_sets * llc.num_slices) +
		       (any(4) ? 0 : UINT64_C(1) << 31);
	while (llc_slice(line, llc.num_slices) != slice);
	return line;
}

static void check_same(const struct llc_way *way, const struct old_way *was)
{
	uint64_t line;

	if (!was) {
		assert_null(way);
		return;
	}
	assert_non_null(way);
	assert_int_equal(llc_entry(&llc, way), was - old);
	assert_ptr_equal(llc_way(&llc, (size_t)(was - old)), way);
	assert_int_equal(way->cores, was->cores);
	assert_int_equal(way->state, was->state);
	assert_int_equal(way->is_core_dirty, was->is_core_dirty);
	assert_int_equal(llc_line(&llc, (size_t)(was - old), slice, &line),
			 was->line != 0);
	if (was->line)
		assert_int_equal(line, was->line - 1);
}

static void write_fields(struct llc_way *way, struct old_way *was)
{
	way->cores = was->cores = any(1u << LLC_MAX_CORES);
	way->state = was->state = (uint8_t)any(LLC_F + 1);
	way->is_core_dirty = was->is_core_dirty = any(2);
}

static void fill(uint64_t line)
{
	uint64_t victim = 0;
	struct old_way *was = old_choose(line);
	struct llc_spot spot = llc_spot(&llc, line);
	struct llc_way *way = llc_choose(&llc, spot, slice, &victim);

	check_same(way, was);
	if (was->line)
		assert_int_equal(victim, was->line - 1);
	llc_place(&llc, way, spot);
	was->line = line + 1;
	was->used = ++old_clock;
	write_fields(way, was);
}

static void drop(struct llc_way *way, struct old_way *was)
{
	llc_drop(&llc, way);
	was->line = was->cores = was->state = was->is_core_dirty = 0;
	check_same(way, was);
}

static void operate(void)
{
	uint64_t line = any_line();
	struct old_way *was = old_find(line);
	struct llc_way *way = llc_find(&llc, line);

	llc_prefetch(&llc, llc_spot(&llc, line));
	check_same(way, was);
	if (!way) {
		fill(line);
	} else if (!any(8)) {
		drop(way, was);
	} else if (any(4)) {
		llc_touch(&llc, way);
		was->used = ++old_clock;
	} else {
		write_fields(way, was);
	}
}

static void run(unsigned num_sets, unsigned num_ways, unsigned num_slices)
{
	memset(old, 0, sizeof(old));
	old_clock = 0;
	slice = num_sets % num_slices;
	assert_int_equal(llc_init(&llc, num_slices,
				  (uint64_t)num_sets * num_ways * 64, num_ways),
			 0);
	assert_int_equal(llc.num_sets, num_sets);
	for (unsigned i = 0; i < NUM_OPERATIONS; i++)
		operate();
	for (size_t i = 0; i < llc_num_entries(&llc); i++)
		check_same(llc_way(&llc, i), &old[i]);
	llc_fini(&llc);
}

static void test_as_with_clocks(void **state)
{
	static const unsigned ways[] = { 1,  2,	 3,  4,	 7,  8,	 15, 16,
					 20, 23, 24, 25, 29, 30, 31, 32 };
	static const unsigned sets[] = { 1, 2, 7, 32, 64 };
	static const unsigned slices[] = { 1, 6, 8, 10 };

	(void)state;
	for (unsigned i = 0; i < 16; i++)
		for (unsigned j = 0; j < 5; j++) {
			seed = i * 100 + j;
			run(sets[j], ways[i], slices[(i + j) % 4]);
		}
}

/* 24 ways are four lines of the host, from the beginning of one on: tags and
 * ages are two, so that a look-up touches three. */
static void test_a_set_is_four_lines(void **state)
{
	(void)state;
	llc_init(&llc, 10, 3 << 20, 24);
	assert_int_equal((uintptr_t)llc.sets % 64, 0);
	assert_int_equal((uintptr_t)llc_way(&llc, 24) -
				 (uintptr_t)llc_way(&llc, 0),
			 256);
	assert_int_equal((uintptr_t)llc_way(&llc, 0) - (uintptr_t)llc.sets,
			 128);
	llc_fini(&llc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_with_clocks),
		cmocka_unit_test(test_a_set_is_four_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
