/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A counter in two halves counts on between the reads of them. What is read is
 * then a value that it had while it was read, never the lower half of before a
 * carry with the upper half of after it, or the other way round; one that
 * carries faster than it can be read is an error and no number. The file is one
 * of these tests: its reads are answered by a counter that moves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static ssize_t moving_pread(int file, void *bytes, size_t size, off_t place);

#define pread moving_pread
#include "../src/access/unit_files.c"
#undef pread

enum { OFFSET = 0xA0 };

static uint64_t counter, step;

static ssize_t moving_pread(int file, void *bytes, size_t size, off_t place)
{
	(void)file;
	assert_int_equal(size, 4);
	assert_true(place == OFFSET || place == OFFSET + 4);
	memcpy(bytes, (char *)&counter + (place - OFFSET), size);
	counter += step;
	return (ssize_t)size;
}

static int read_from(uint64_t first, uint64_t each, uint64_t *value)
{
	const struct uc_register reg = {
		.address = uncore_address(UNCORE_SPACE_PCI, 0x84, OFFSET),
		.width = 64,
		.part_bits = 32,
	};

	counter = first;
	step = each;
	return unit_file_read(0, &reg, value);
}

static void a_value_that_it_had(void **state)
{
	const uint64_t carry = UINT64_C(5) << 32;
	static const uint64_t steps[] = { 0, 1, 3, 1000, UINT64_C(1) << 29 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		for (uint64_t before = 0; before < 8; before++) {
			uint64_t first = carry - before * steps[i], value;

			assert_int_equal(read_from(first, steps[i], &value), 0);
			assert_true(value >= first && value <= counter);
			assert_true(!steps[i] ||
				    (value - first) % steps[i] == 0);
		}
}

static void too_fast_is_an_error(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(read_from(0, UINT64_C(1) << 32, &value),
			 UNCORE_ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_that_it_had),
		cmocka_unit_test(too_fast_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
