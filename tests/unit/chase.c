/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which loads are taken for chases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/box/chase.h"

static uint64_t line[CHASE_WORDS];

static void member_behind_a_loaded_pointer(void **state)
{
	struct chase chase = { 0 };

	(void)state;
	line[3] = 0x7000000;
	assert_false(chase_note(&chase, 0x5000018, line));
	line[3] = 0;
	assert_true(chase_note(&chase, 0x7000020, line));
	assert_false(chase_note(&chase, 0x8000000, line));
}

/* index = array[index], elements of 8 bytes at 0x100000 */
static void index_into_the_same_array(void **state)
{
	static const uint64_t order[] = { 700, 300, 9000, 20, 5000 };
	struct chase chase = { 0 };
	unsigned found = 0;
	unsigned i;

	(void)state;
	for (i = 0; i + 1 < 5; i++) {
		memset(line, 0, sizeof(line));
		line[order[i] % CHASE_WORDS] = order[i + 1];
		found += chase_note(&chase, 0x100000 + order[i] * 8, line);
	}
	/* The first has nothing before it, the second no origin to compare. */
	assert_int_equal(found, 2);
}

static void numbers_that_count_up_are_no_indices(void **state)
{
	struct chase chase = { 0 };
	unsigned found = 0;
	uint64_t i;
	unsigned k;

	(void)state;
	for (i = 0; i < 1000; i++) {
		for (k = 0; k < CHASE_WORDS; k++)
			line[k] = i * CHASE_WORDS + k;
		found += chase_note(&chase, 0x10000000 + i * 64, line);
	}
	assert_int_equal(found, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(member_behind_a_loaded_pointer),
		cmocka_unit_test(index_into_the_same_array),
		cmocka_unit_test(numbers_that_count_up_are_no_indices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
