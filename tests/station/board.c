/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Boards against a map that has a byte for every cycle of every row: a look
 * must say what the map says, near and far ahead, whatever order rows and
 * cycles are asked for in. Only where gaps far ahead were given up (so many
 * spans are kept) a cycle may be lost, never used twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/station/board.h"

enum { MAP_CYCLES = 1 << 14, ROWS = 5, SEEN = 1984 };

/* Of the cycles now .. now + MAP_CYCLES - 1, at c % MAP_CYCLES. */
static uint8_t map[ROWS][MAP_CYCLES];
static struct board board;
static uint64_t now, seed;

static uint32_t any(uint32_t num)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 32) * num >> 32);
}

static void start(uint64_t cycle)
{
	memset(map, 0, sizeof(map));
	assert_true(board_init(&board, ROWS));
	now = cycle;
	board_forget(&board, now);
	seed = cycle + 1;
}

static void move(uint64_t cycles)
{
	for (uint64_t i = 0; i < cycles && i < MAP_CYCLES; i++)
		for (unsigned row = 0; row < ROWS; row++)
			map[row][(now + i) % MAP_CYCLES] = 0;
	now += cycles;
	board_forget(&board, now);
}

static bool is_free(unsigned row, uint64_t from, unsigned num)
{
	for (unsigned i = 0; i < num; i++)
		if (map[row][(from + i) % MAP_CYCLES])
			return false;
	return true;
}

static void check(unsigned row, uint64_t from, unsigned num)
{
	assert_int_equal(board_is_free(&board, row, from, num),
			 is_free(row, from, num));
}

static void mark(unsigned row, uint64_t from, unsigned num)
{
	board_mark(&board, row, from, num);
	for (unsigned i = 0; i < num; i++)
		map[row][(from + i) % MAP_CYCLES] = 1;
}

/* Each cycle by itself says the same. */
static void check_words(void)
{
	for (uint64_t c = now; c < now + SEEN; c++)
		for (unsigned row = 0; row < ROWS; row++)
			assert_int_equal(!board_is_free(&board, row, c, 1),
					 map[row][c % MAP_CYCLES]);
}

static uint64_t any_step(void)
{
	switch (any(1000)) {
	case 0: return UINT64_C(1) << any(40);
	case 1: return any(6000);
	default: return any(20) ? any(4) : any(200);
	}
}

/* Mostly near, often about the last bits, now and then as far as `reach`. */
static uint64_t any_cycle(uint32_t reach)
{
	switch (any(16)) {
	case 0: return now + any(reach);
	case 1: return now + SEEN - 70 + any(140);
	default: return now + any(8) * any(100);
	}
}

static void run(unsigned num, unsigned pace, uint32_t reach)
{
	for (unsigned i = 0; i < num; i++) {
		unsigned row = any(ROWS), length = any(3) ? 1 + any(4) : 64;
		uint64_t from;

		if (any(16) < pace)
			move(any_step());
		from = any_cycle(reach);
		check(row, from, length);
		if (is_free(row, from, length) || !any(8))
			mark(row, from, length);
		if (i % 512 == 0)
			check_words();
	}
	board_fini(&board);
}

static void test_a_look_says_what_is_taken(void **state)
{
	(void)state;
	for (unsigned pace = 1; pace <= 16; pace++) {
		start(pace % 2 ? 0 : (UINT64_C(1) << 45) + 777 * pace);
		run(15000, pace, 2100);
	}
}

static void test_no_cycle_is_used_twice_far_ahead(void **state)
{
	(void)state;
	for (unsigned pace = 1; pace <= 16; pace += 3) {
		start(pace * 1000);
		run(10000, pace, 9000);
	}
}

/* What was taken far ahead is taken when it is near; the board grows once. */
static void test_far_is_near_later(void **state)
{
	(void)state;
	start(0);
	mark(2, 5000, 10);
	mark(2, SEEN - 10, 30);
	move(4000);
	assert_false(board_is_free(&board, 2, 5009, 1));
	assert_true(board_is_free(&board, 2, 5010, 1));
	assert_true(board_is_free(&board, 1, 5005, 1));
	assert_int_equal(board.mask, 31);
	board_fini(&board);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_look_says_what_is_taken),
		cmocka_unit_test(test_no_cycle_is_used_twice_far_ahead),
		cmocka_unit_test(test_far_is_near_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
