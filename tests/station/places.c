/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Places against a list of all stays: no place has two at once, so there are
 * never more than places; none waits while a place is free behind all that was
 * promised before; Little's law.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/station/places.h"

enum { NUM_STAYS = 20000, MAX_OPEN = 6 };

struct stay {
	uint64_t from, until;
};

/* Takes a place for some cycles; the first of them. */
static uint64_t stay(struct places *places, uint64_t now, uint64_t from,
		     uint64_t cycles)
{
	unsigned place = places_take(places, now, &from);

	places_hold(places, place, from + cycles);
	return from;
}

static struct places places;
static struct stay stays[NUM_STAYS];
static uint64_t until[PLACES_MAX]; /* of each place, as the test knows it */
static uint64_t seed;

static uint32_t any(uint32_t num)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 32) * num >> 32);
}

/* The first cycle in which a place is free that nobody takes later. */
static uint64_t soonest(uint64_t from)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < places.num; i++)
		if (until[i] < least)
			least = until[i];
	return least > from ? least : from;
}

/* Where no place is free now, the one that was taken lost the least. */
static void check_choice(unsigned place, uint64_t now, uint64_t from)
{
	if (until[place] <= now || until[place] > from)
		return;
	for (unsigned i = 0; i < places.num; i++)
		assert_true(until[i] <= until[place] || until[i] > from);
}

static int by_time(const void *a, const void *b)
{
	const struct stay *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Sweeps over all stays in the order of their beginnings. */
static void check_number(unsigned num)
{
	uint64_t open[PLACES_MAX] = { 0 };

	qsort(stays, NUM_STAYS, sizeof(stays[0]), by_time);
	for (unsigned i = 0; i < NUM_STAYS; i++) {
		unsigned place = 0;

		while (place < num && open[place] > stays[i].from)
			place++;
		assert_true(place < num);
		open[place] = stays[i].until;
	}
}

static void check_taken(uint64_t at)
{
	unsigned num = 0;

	for (unsigned i = 0; i < places.num; i++)
		num += until[i] > at;
	assert_int_equal(places_taken(&places, at), num);
}

/* The stays of so many places, which end as it was drawn. */
static void release(const unsigned *held, unsigned num, const struct stay *of)
{
	for (unsigned i = 0; i < num; i++) {
		until[held[i]] = of[i].until;
		places_hold(&places, held[i], of[i].until);
	}
}

/* Transactions that hold up to `open` places before they know until when. */
static void run(unsigned num, unsigned open, unsigned gap, unsigned spread)
{
	unsigned held[MAX_OPEN], num_held = 0;
	uint64_t now = 0;

	places_init(&places, num);
	memset(until, 0, sizeof(until));
	for (unsigned i = 0; i < NUM_STAYS; i++) {
		uint64_t from = now + any(spread), start = from;

		assert_int_equal(places_from(&places, now, from),
				 soonest(from));
		held[num_held] = places_take(&places, now, &start);
		assert_int_equal(start, soonest(from));
		assert_true(until[held[num_held]] <= start);
		check_choice(held[num_held], now, from);
		stays[i] = (struct stay){ start, start + any(200) };
		until[held[num_held++]] = UINT64_MAX;
		check_taken(now + any(300));
		if (num_held == open || i == NUM_STAYS - 1) {
			release(held, num_held, &stays[i + 1 - num_held]);
			num_held = 0;
		}
		now += any(16) ? any(gap) : any(gap * 30);
	}
	check_number(num);
}

static void test_stays_never_outnumber_the_places(void **state)
{
	static const unsigned nums[] = { 1, 2, 3, 8, 24, 48, 63, 64 };

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		for (unsigned gap = 1; gap < 200; gap = 3 * gap + 1) {
			seed = i * 1000 + gap;
			run(nums[i], 1, gap, 1);
			run(nums[i], 1, gap, 300);
			if (nums[i] > MAX_OPEN)
				run(nums[i], MAX_OPEN, gap, 300);
		}
}

/* In order, each k-th stay begins when the one k before ends: with 4 places and
 * stays of 10 cycles, asked for at once, number n begins in 10 (n / 4). */
static void test_a_crowd_is_served_in_groups(void **state)
{
	(void)state;
	places_init(&places, 4);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(stay(&places, 0, 0, 10), i / 4 * 10);
	assert_int_equal(places_taken(&places, 0), 4);
	assert_int_equal(places_taken(&places, 2500), 0);
}

/* L = lambda W: 7 places, stays of 20 cycles, one wanted every 2 cycles, which
 * would be 10 at once. So all 7 are held all the time, and stay n follows stay
 * n - 7 at once, in 20 (n / 7) + 2 (n % 7). */
static void test_little(void **state)
{
	(void)state;
	places_init(&places, 7);
	for (unsigned i = 0; i < 7000; i++) {
		uint64_t now = 2 * i, from;

		from = stay(&places, now, now, 20);
		assert_int_equal(from, 20 * (i / 7) + 2 * (i % 7));
		assert_int_equal(places_taken(&places, now), i < 7 ? i + 1 : 7);
	}
}

/* Who comes later takes the place that is free then and leaves the one that is
 * free sooner to who comes sooner. */
static void test_a_late_stay_does_not_block_an_early_one(void **state)
{
	(void)state;
	places_init(&places, 2);
	stay(&places, 0, 0, 50);
	stay(&places, 0, 0, 90);
	assert_int_equal(stay(&places, 0, 100, 10), 100);
	assert_int_equal(stay(&places, 0, 60, 10), 60);
	assert_int_equal(stay(&places, 0, 60, 10), 70);
}

static void test_held_for_ever(void **state)
{
	uint64_t from = 5;
	unsigned place;

	(void)state;
	places_init(&places, 1);
	place = places_take(&places, 5, &from);
	assert_int_equal(from, 5);
	assert_int_equal(places_from(&places, 5, 6), PLACES_NEVER);
	places_hold(&places, place, 9);
	assert_int_equal(places_from(&places, 5, 6), 9);
	assert_int_equal(places_from(&places, 12, 12), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stays_never_outnumber_the_places),
		cmocka_unit_test(test_a_crowd_is_served_in_groups),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_a_late_stay_does_not_block_an_early_one),
		cmocka_unit_test(test_held_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
