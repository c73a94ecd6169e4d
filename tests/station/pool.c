/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A pool gives no piece twice, and the last one given back first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/station/pool.h"

enum { SIZE = 96, NUM = 100 };

static void no_piece_is_given_twice(void **state)
{
	struct pool pool = { .size = SIZE };
	unsigned char *pieces[NUM];

	(void)state;
	for (unsigned i = 0; i < NUM; i++) {
		pieces[i] = pool_take(&pool);
		assert_int_equal((uintptr_t)pieces[i] % sizeof(void *), 0);
		memset(pieces[i], (int)i, SIZE);
	}
	for (unsigned i = 0; i < NUM; i++)
		for (unsigned k = 0; k < SIZE; k++)
			assert_int_equal(pieces[i][k], i);
	pool_fini(&pool);
}

static void the_last_one_back_is_the_first_taken(void **state)
{
	struct pool pool = { .size = SIZE };
	void *a = pool_take(&pool), *b = pool_take(&pool);

	(void)state;
	pool_put(&pool, a);
	pool_put(&pool, b);
	assert_ptr_equal(pool_take(&pool), b);
	assert_ptr_equal(pool_take(&pool), a);
	assert_ptr_not_equal(pool_take(&pool), a);
	pool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_piece_is_given_twice),
		cmocka_unit_test(the_last_one_back_is_the_first_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
