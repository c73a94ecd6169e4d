/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The private caches: what leaves the core, and that it matches a model of them
 * that is too simple to be wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/box/privcache.h"
#include "uncore/model.h"

static struct privcache cache;
static struct privcache_request out[PRIVCACHE_MAX_REQUESTS];

static void expect(uint64_t line, enum privcache_use use, unsigned num)
{
	assert_int_equal(privcache_access(&cache, line, use, out), num);
}

static void second_use_stays_inside(void **state)
{
	(void)state;
	privcache_reset(&cache);
	expect(77, PRIVCACHE_LOAD, 1);
	assert_int_equal(out[0].line, 77);
	assert_int_equal(out[0].kind, UNCORE_ACCESS_READ);
	expect(77, PRIVCACHE_LOAD, 0);
	expect(78, PRIVCACHE_FETCH, 1);
	assert_int_equal(out[0].kind, UNCORE_ACCESS_CODE);
	expect(78, PRIVCACHE_FETCH, 0);
	/* The L2 has it for data, too. */
	expect(78, PRIVCACHE_LOAD, 0);
}

static void first_store_asks(void **state)
{
	(void)state;
	privcache_reset(&cache);
	expect(5, PRIVCACHE_LOAD, 1);
	expect(5, PRIVCACHE_STORE, 1);
	assert_int_equal(out[0].kind, UNCORE_ACCESS_OWN);
	expect(5, PRIVCACHE_STORE, 0);
	assert_true(privcache_is_recent_dirty(&cache, 5));
	assert_true(privcache_invalidate(&cache, 5, true));
	expect(5, PRIVCACHE_LOAD, 0);
	expect(5, PRIVCACHE_STORE, 1);
	assert_true(privcache_invalidate(&cache, 5, false));
	assert_false(privcache_holds(&cache, 5));
	assert_false(privcache_invalidate(&cache, 5, false));
}

/* Lines of one set of the L2 are lines of one set of the L1D, too. The L1D
 * keeps the latest 8 of them, the L2 8 more or fewer. */
static void ninth_line_of_a_set_pushes_the_first_out(void **state)
{
	unsigned i;

	(void)state;
	privcache_reset(&cache);
	for (i = 0; i < 8; i++)
		expect(i * PRIVCACHE_L2_SETS, PRIVCACHE_STORE, 1);
	/* Out of the L2, but still dirty in the L1D; then down into the L2,
	 * where it pushes a clean copy of the second one out. */
	expect(8 * PRIVCACHE_L2_SETS, PRIVCACHE_LOAD, 1);
	assert_true(privcache_holds(&cache, 0));
	for (i = 9; i < 40; i++)
		privcache_access(&cache, i * PRIVCACHE_L2_SETS, PRIVCACHE_LOAD,
				 out);
	for (i = 0; i < 8; i++)
		assert_false(privcache_holds(&cache, i * PRIVCACHE_L2_SETS));
}

static uint64_t random_number(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Ownership seen from outside: a line that was asked for and neither written
 * back nor taken away is dirty, and no other one is. */
static void dirty_lines_never_get_lost(void **state)
{
	enum { LINES = 16384, STEPS = 2000000 };
	static uint8_t owned[LINES];
	uint64_t seed = 1;
	unsigned step;

	(void)state;
	privcache_reset(&cache);
	memset(owned, 0, sizeof(owned));
	for (step = 0; step < STEPS; step++) {
		uint64_t line = random_number(&seed) % LINES;
		unsigned use = random_number(&seed) % 4;
		unsigned num;
		unsigned i;

		if (use == 3) {
			bool downgrade = random_number(&seed) % 2;
			bool dirty =
				privcache_invalidate(&cache, line, downgrade);

			assert_int_equal(dirty, owned[line]);
			owned[line] = 0;
			continue;
		}
		num = privcache_access(&cache, line, use, out);
		for (i = 0; i < num; i++) {
			if (out[i].kind == UNCORE_ACCESS_OWN) {
				assert_int_equal(out[i].line, line);
				assert_false(owned[line]);
				owned[line] = 1;
			} else if (out[i].kind == UNCORE_ACCESS_WRITEBACK) {
				assert_true(owned[out[i].line]);
				owned[out[i].line] = 0;
				assert_false(out[i].line == line);
			}
		}
		assert_true(use != PRIVCACHE_STORE || owned[line]);
		assert_true(privcache_holds(&cache, line));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(second_use_stays_inside),
		cmocka_unit_test(first_store_asks),
		cmocka_unit_test(ninth_line_of_a_set_pushes_the_first_out),
		cmocka_unit_test(dirty_lines_never_get_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
