/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Calendars against a map that has a byte for every cycle and is searched cycle
 * by cycle: each take must get the very first cycles that are free. Only when
 * gaps far ahead were given up (invariant 4) these count as taken in the map,
 * too; that no cycle is used twice is looked at without them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/station/calendar.h"

enum { MAP_CYCLES = 1 << 14, FREE = 0, USED = 1, GIVEN_UP = 2 };

/* Of the cycles now .. now + MAP_CYCLES - 1, at c % MAP_CYCLES. */
static uint8_t map[MAP_CYCLES];
static struct calendar calendar;
static uint64_t now, seed, num_given_up;

static uint32_t any(uint32_t num)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 32) * num >> 32);
}

static uint8_t *at(uint64_t cycle)
{
	if (cycle < now || cycle - now >= MAP_CYCLES)
		fail();
	return &map[cycle % MAP_CYCLES];
}

static void start(uint64_t cycle)
{
	memset(map, FREE, sizeof(map));
	memset(&calendar, 0, sizeof(calendar));
	now = cycle;
	calendar_forget(&calendar, now);
	seed = cycle + 1;
	num_given_up = 0;
}

static void move(uint64_t cycles)
{
	for (uint64_t i = 0; i < cycles && i < MAP_CYCLES; i++)
		map[(now + i) % MAP_CYCLES] = FREE;
	now += cycles;
}

static bool is_free(uint64_t from, unsigned num)
{
	for (unsigned i = 0; i < num; i++)
		if (*at(from + i) != FREE)
			return false;
	return true;
}

static void use(uint64_t from, unsigned num, bool once)
{
	for (unsigned i = 0; i < num; i++) {
		if (once && *at(from + i) == USED)
			fail();
		*at(from + i) = USED;
	}
}

/* What spans say and nobody has taken was given up. */
static void give_up(void)
{
	for (unsigned i = 0; i < calendar.num_spans; i++)
		for (uint64_t c = calendar.spans[i].from;
		     c < calendar.spans[i].to; c++)
			if (c >= now && *at(c) == FREE) {
				*at(c) = GIVEN_UP;
				num_given_up++;
			}
}

static uint64_t find(uint64_t from, unsigned num)
{
	unsigned row = 0;

	while (row < num)
		row = *at(from++) == FREE ? row + 1 : 0;
	return from - num;
}

static void check_take(uint64_t from, unsigned num)
{
	uint64_t want = find(from, num);

	assert_int_equal(calendar_take(&calendar, now, from, num), want);
	use(want, num, true);
}

static void check_is_free(uint64_t from, unsigned num)
{
	calendar_forget(&calendar, now);
	assert_int_equal(calendar_is_free(&calendar, from, num),
			 is_free(from, num));
}

static void check_mark(uint64_t from, unsigned num)
{
	calendar_forget(&calendar, now);
	calendar_mark(&calendar, from, num);
	use(from, num, false);
}

/* Every bit in view is that of the map, and spans are as the header says. */
static void check_view(void)
{
	uint64_t behind = calendar_end(&calendar);

	for (uint64_t c = now; c < calendar_end(&calendar); c++)
		if ((calendar_look(&calendar, c) & 1) != (*at(c) != FREE))
			fail();
	assert_true(calendar.num_spans < CALENDAR_SPANS);
	for (unsigned i = 0; i < calendar.num_spans; i++) {
		const struct calendar_span *span = &calendar.spans[i];

		assert_true(i ? span->from > behind : span->from >= behind);
		assert_true(span->to > span->from);
		behind = span->to;
	}
}

static uint64_t any_step(void)
{
	switch (any(1000)) {
	case 0: return UINT64_C(1) << any(40);
	case 1:
	case 2: return any(6000);
	default: return any(20) ? any(4) : any(200);
	}
}

static unsigned any_length(void)
{
	return any(3) ? 1 + any(4) : 1 + any(64);
}

/* Mostly near, now and then as far as `reach`, often about the last bits. */
static uint64_t any_cycle(uint32_t reach)
{
	switch (any(16)) {
	case 0: return now + any(reach);
	case 1: return calendar_end(&calendar) - 70 + any(140);
	default: return now + any(8) * any(100);
	}
}

static void operate(uint32_t reach)
{
	uint64_t cycle = any_cycle(reach);
	unsigned num = any_length();

	if (cycle < now)
		cycle = now;
	switch (any(8)) {
	case 0: check_mark(cycle, num); break;
	case 1:
	case 2: check_is_free(cycle, num); break;
	default: check_take(cycle, num);
	}
}

/* `pace`: steps of time per 16 operations; few of them crowd the calendar. */
static void run(unsigned num_operations, unsigned pace, uint32_t reach,
		bool gives_up)
{
	for (unsigned i = 0; i < num_operations; i++) {
		if (any(16) < pace)
			move(any_step());
		calendar_forget(&calendar, now);
		while (calendar.num_spans + 1 == CALENDAR_SPANS && !gives_up) {
			move(200);
			calendar_forget(&calendar, now);
		}
		/* the map must reach behind what is taken */
		while (calendar.num_spans &&
		       calendar.spans[calendar.num_spans - 1].to >
			       now + MAP_CYCLES - 1000) {
			move(500);
			calendar_forget(&calendar, now);
		}
		operate(reach);
		if (gives_up)
			give_up();
		if (i % 512 == 0)
			check_view();
	}
}

static void test_first_free_cycles_are_found(void **state)
{
	(void)state;
	for (unsigned pace = 1; pace <= 16; pace++) {
		start(pace % 2 ? 0 : (UINT64_C(1) << 45) + 777 * pace);
		run(15000, pace, 900, false);
	}
}

static void test_far_ahead_is_exact_with_few_gaps(void **state)
{
	(void)state;
	for (unsigned pace = 1; pace <= 16; pace += 3) {
		start(pace * 1000);
		run(10000, pace, 5000, false);
	}
}

static void test_no_cycle_is_used_twice_where_gaps_are_given_up(void **state)
{
	(void)state;
	for (unsigned pace = 2; pace <= 16; pace += 7) {
		start(pace * 100000);
		run(8000, pace, 9000, true);
		assert_true(num_given_up > 0);
	}
}

/* Who is served one after the other is so however long the queue is: 3 cycles
 * each, all asked for at once, are 3 n from the start. */
static void test_a_long_queue_has_no_holes(void **state)
{
	(void)state;
	start(64 * 5 + 17);
	for (unsigned i = 0; i < 5000; i++)
		assert_int_equal(calendar_take(&calendar, now, now, 3),
				 now + 3 * i);
	assert_int_equal(calendar.num_spans, 1);
}

/* Bits end in cycle 1024, spans begin in cycle 960. */
static void test_far_takes_and_near_ones_see_each_other(void **state)
{
	(void)state;
	start(0);
	assert_int_equal(calendar_take(&calendar, 0, 960, 10), 960);
	assert_int_equal(calendar_take(&calendar, 0, 957, 10), 970);
	assert_int_equal(calendar_take(&calendar, 0, 957, 3), 957);
	/* one far ahead leaves all before it to others */
	assert_int_equal(calendar_take(&calendar, 0, 3000, 5), 3000);
	assert_int_equal(calendar_take(&calendar, 0, 2998, 5), 3005);
	assert_int_equal(calendar_take(&calendar, 0, 1000, 64), 1000);
	assert_int_equal(calendar_take(&calendar, 0, 900, 64), 1064);
	/* and all are still known when the bits have come there */
	assert_int_equal(calendar_take(&calendar, 900, 1063, 1), 1128);
	assert_int_equal(calendar_take(&calendar, 2990, 2999, 2), 3010);
	assert_int_equal(calendar_take(&calendar, 5000, 5000, 64), 5000);
}

/* Six spans are kept; the seventh closes the narrowest gap, 2048 to 2049. */
static void test_the_narrowest_gap_is_given_up(void **state)
{
	static const uint64_t starts[] = {
		100, 200, 300, 1047, 1050, 400, 1500
	};
	const uint64_t far = CALENDAR_CYCLES;

	(void)state;
	start(0);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(
			calendar_take(&calendar, 0, far + starts[i], 1),
			far + starts[i]);
	assert_int_equal(calendar.num_spans, 6);
	assert_false(calendar_is_free(&calendar, far + 1048, 1));
	assert_false(calendar_is_free(&calendar, far + 1049, 1));
	assert_true(calendar_is_free(&calendar, far + 1051, 64));
	assert_true(calendar_is_free(&calendar, far + 101, 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_free_cycles_are_found),
		cmocka_unit_test(test_far_ahead_is_exact_with_few_gaps),
		cmocka_unit_test(
			test_no_cycle_is_used_twice_where_gaps_are_given_up),
		cmocka_unit_test(test_a_long_queue_has_no_holes),
		cmocka_unit_test(test_far_takes_and_near_ones_see_each_other),
		cmocka_unit_test(test_the_narrowest_gap_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
