/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The level that is 1 where stays overlap, against a count for each cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/nehalem-ex/overlap.h"
#include "model/pmu/tap.h"
#include "sums.h"

enum { CYCLES = 60000, ENOUGH = 3 };

static unsigned chance(uint64_t *random, unsigned num)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (unsigned)(*random >> 20) % num;
}

/* From 0 to 3000 ahead, from 1 to 1000 long, some of them after a pause in
 * which all bits fall out of view. */
static uint64_t measure(unsigned enough, uint64_t random, uint64_t *want)
{
	static uint8_t stays[CYCLES + 8000];
	struct board board;
	struct sim *sim = sim_new();
	struct sigbank *bank = tap_bank_new(sim, 1);
	uint64_t now = 0, sum;

	memset(stays, 0, sizeof(stays));
	assert_true(board_init(&board, ENOUGH));
	assert_true(sums_keep(bank, 0));
	while (now < CYCLES) {
		unsigned from = (unsigned)now + chance(&random, 3000);
		unsigned length = chance(&random, 8) ? chance(&random, 20) + 1
						     : chance(&random, 1000);

		for (unsigned i = 0; i < length; i++)
			stays[from + i]++;
		board_forget(&board, now);
		overlap_add(&board, 0, enough, bank, 0, from, from + length);
		now += chance(&random, 500) ? chance(&random, 100)
					    : chance(&random, 9000);
		sim_run_until(sim, now);
	}
	sim_run_until(sim, now + 8000);
	sum = sums_total(bank, 0);
	*want = 0;
	for (unsigned i = 0; i < CYCLES + 8000; i++)
		*want += stays[i] >= enough;
	tap_bank_free(bank);
	board_fini(&board);
	sim_free(sim);
	return sum;
}

static void the_level_is_as_counted_cycle_by_cycle(void **state)
{
	uint64_t sum, want;

	(void)state;
	for (unsigned enough = 1; enough <= ENOUGH; enough++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			sum = measure(enough, seed * 7919, &want);
			assert_int_equal(sum, want);
			assert_true(want > 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_level_is_as_counted_cycle_by_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
