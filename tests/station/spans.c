/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Spans against a byte for each cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "model/station/spans.h"

enum { CYCLES = 400000, STEPS = 20000 };

static uint8_t taken[CYCLES];
static struct spans spans;
static uint64_t seed;

static uint32_t any(uint32_t num)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 32) * num >> 32);
}

static void start(uint64_t number)
{
	seed = number;
	memset(&spans, 0, sizeof(spans));
	memset(taken, 0, sizeof(taken));
}

/* The first of so many free cycles, looked for one by one. */
static uint64_t first_free(uint64_t from, uint64_t num)
{
	for (uint64_t i = 0; i < num; i++)
		if (taken[from + i]) {
			from += i + 1;
			i = UINT64_MAX; /* once more from the beginning */
		}
	return from;
}

static void check_order(uint64_t now)
{
	for (unsigned i = 0; i < spans.num; i++) {
		assert_true(spans.spans[i].from < spans.spans[i].to);
		assert_true(spans.spans[i].to > now);
		if (i)
			assert_true(spans.spans[i].from >
				    spans.spans[i - 1].to);
	}
	assert_true(spans.num <= SPANS_MAX);
}

static void the_first_free_stretch_is_taken(void **state)
{
	uint64_t now = 0;

	(void)state;
	start(1);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t from = now + any(300), num = 1 + any(i % 9 ? 20 : 90);
		uint64_t got = spans_take(&spans, now, from, num);

		assert_true(got == first_free(from, num));
		memset(taken + got, 1, num);
		check_order(now);
		now += any(60);
		if (now > CYCLES / 2)
			break;
	}
}

/* With more gaps than spans some are lost, but nothing is given out twice. */
static void nothing_is_taken_twice(void **state)
{
	uint64_t now = 0;

	(void)state;
	start(2);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t from = now + any(5000), num = 1 + any(5);
		uint64_t got = spans_take(&spans, now, from, num);

		assert_true(got >= from);
		for (uint64_t t = got; t < got + num; t++)
			assert_false(taken[t]++);
		check_order(now);
		now += any(9);
	}
}

/* What is added, free or not, is seen once by who adds it: the gaps are what
 * nobody had before. */
static void gaps_are_what_nobody_had(void **state)
{
	uint64_t now = 0;

	(void)state;
	start(3);
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t from = now + any(200), to = from + any(60);
		uint64_t at = from, end, seen = from;

		for (; spans_gap(&spans, &at, to, &end); at = end) {
			for (; seen < at; seen++)
				assert_true(taken[seen]);
			for (; seen < end; seen++)
				assert_false(taken[seen]++);
			assert_true(end <= to);
		}
		for (; seen < to; seen++)
			assert_true(taken[seen]);
		spans_add(&spans, now, from, to);
		check_order(now);
		now += any(40);
	}
}

/* One stretch more than there is room for: of the gaps between them, which are
 * all wide but one, that one is lost. */
static void of_too_many_gaps_the_narrowest_is_lost(void **state)
{
	enum { LENGTH = 10, WIDE = 9, NARROW = 3 };

	(void)state;
	for (unsigned narrow = 0; narrow < SPANS_MAX; narrow++) {
		uint64_t gaps[SPANS_MAX + 1], at = 100, from, end;

		start(4);
		for (unsigned i = 0; i <= SPANS_MAX; i++) {
			spans_add(&spans, 0, at, at + LENGTH);
			gaps[i] = at + LENGTH;
			at = gaps[i] + (i == narrow ? NARROW : WIDE);
		}
		for (unsigned i = 0; i < SPANS_MAX; i++) {
			from = gaps[i];
			assert_int_equal(
				spans_gap(&spans, &from, from + NARROW, &end),
				i != narrow);
			assert_true(i == narrow || from == gaps[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_free_stretch_is_taken),
		cmocka_unit_test(nothing_is_taken_twice),
		cmocka_unit_test(gaps_are_what_nobody_had),
		cmocka_unit_test(of_too_many_gaps_the_narrowest_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
