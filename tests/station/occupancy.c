/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An occupancy against a count for each time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/station/occupancy.h"

enum { TIMES = 20000, OPERATIONS = 60000, FAR = 400, MOST = 300 };

static unsigned inside[TIMES];
static struct occupancy occupancy;
static uint64_t state;

static unsigned any(unsigned below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

static void start(uint64_t seed)
{
	state = seed;
	memset(inside, 0, sizeof(inside));
	occupancy_free(&occupancy);
}

/* The steps that are said to have changed cover the stay and nothing else, and
 * say how many are inside. */
static void enter(uint64_t from, uint64_t until, int by)
{
	struct occupancy_steps steps =
		occupancy_enter(&occupancy, from, until, by);
	uint64_t time = from;

	for (uint64_t t = from; t < until; t++)
		inside[t] += (unsigned)by;
	assert_int_equal(occupancy.steps[steps.first].at, from);
	assert_int_equal(occupancy.steps[steps.end].at, until);
	for (unsigned i = steps.first; i < steps.end; i++)
		for (; time < occupancy.steps[i + 1].at; time++)
			assert_int_equal(occupancy.steps[i].count,
					 inside[time]);
	assert_int_equal(time, until);
}

static uint64_t falls_slowly(uint64_t from, unsigned limit)
{
	while (inside[from] > limit)
		from++;
	return from;
}

static void check_order(uint64_t now)
{
	for (unsigned i = 1; i < occupancy.num; i++)
		assert_true(occupancy.steps[i - 1].at < occupancy.steps[i].at);
	if (occupancy.num > 1)
		assert_true(occupancy.steps[1].at > now);
}

static void agrees_with_a_count_for_each_time(void **unused)
{
	uint64_t now = 0;

	(void)unused;
	start(1);
	for (unsigned n = 0; n < OPERATIONS && now + 3 * FAR < TIMES; n++) {
		uint64_t from = now + any(FAR);
		uint64_t until = from + 1 + any(n % 8 ? 30 : FAR);
		uint64_t at = now + any(2 * FAR);

		if (any(3))
			enter(from, until, 1);
		else if (falls_slowly(from, 0) >= until)
			enter(from, until, -1); /* one who stays less long */
		assert_int_equal(occupancy_at(&occupancy, at), inside[at]);
		at = now + any(2 * FAR);
		assert_int_equal(occupancy_falls_to(&occupancy, at, n % 20),
				 falls_slowly(at, n % 20));
		now += any(2);
		if (any(10))
			continue;
		occupancy_forget(&occupancy, now);
		check_order(now);
	}
	assert_true(now + 3 * FAR >= TIMES);
	occupancy_free(&occupancy);
}

/* No two begin or end at the same time: as many steps as there can be. */
static void there_is_room_for_any_number(void **unused)
{
	(void)unused;
	start(2);
	for (unsigned i = 0; i < MOST; i++)
		enter(MOST - i, MOST + 1 + i, 1);
	assert_int_equal(occupancy_at(&occupancy, MOST), MOST);
	assert_int_equal(occupancy_falls_to(&occupancy, 0, 0), 0);
	assert_int_equal(occupancy_falls_to(&occupancy, MOST, 0), 2 * MOST);
	occupancy_forget(&occupancy, 3 * MOST);
	assert_int_equal(occupancy.num, 1);
	assert_int_equal(occupancy_at(&occupancy, 3 * MOST), 0);
	occupancy_free(&occupancy);
}

static void an_empty_one_has_nobody(void **unused)
{
	(void)unused;
	start(3);
	assert_int_equal(occupancy_at(&occupancy, 0), 0);
	assert_int_equal(occupancy_falls_to(&occupancy, 7, 0), 7);
	occupancy_forget(&occupancy, 100);
	assert_int_equal(occupancy_at(&occupancy, 100), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_count_for_each_time),
		cmocka_unit_test(there_is_room_for_any_number),
		cmocka_unit_test(an_empty_one_has_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
