/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Register addresses and their texts, by the table in address.h: each text
 * gives the number that is worked out here from space, unit and offset, the
 * number gives the text again, and nothing else is an address.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "uncore/address.h"

static const struct {
	const char *text;
	unsigned space, unit;
	uint32_t offset;
} rows[] = {
	{ "0xD10", UNCORE_SPACE_MSR, 0, 0xD10 },
	{ "0x10", UNCORE_SPACE_MSR, 0, 0x10 },
	{ "0xFFFFFFFF", UNCORE_SPACE_MSR, 0, UINT32_MAX },
	{ "pci:10.4+0xA0", UNCORE_SPACE_PCI, 0x10 * 8 + 4, 0xA0 },
	{ "pci:1f.7+0xFFF", UNCORE_SPACE_PCI, 31 * 8 + 7, 0xFFF },
	{ "pci:00.0+0x00", UNCORE_SPACE_PCI, 0, 0 },
	{ "mem:3+0x22840", UNCORE_SPACE_MEMORY, 3, 0x22840 },
	{ "mem:268435455+0xFFFFFFFF", UNCORE_SPACE_MEMORY, 0xFFFFFFF,
	  UINT32_MAX },
};

static void texts_and_numbers_are_the_same(void **state)
{
	char text[UNCORE_ADDRESS_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t address = 1, number = rows[i].space;

		number = (number << 28 | rows[i].unit) << 32 | rows[i].offset;
		assert_true(uncore_address_parse(rows[i].text, &address));
		assert_int_equal(address, number);
		assert_string_equal(uncore_address_say(address, text),
				    rows[i].text);
		assert_int_equal(uncore_address(rows[i].space, rows[i].unit,
						rows[i].offset),
				 number);
		assert_int_equal(uncore_address_space(number), rows[i].space);
		assert_int_equal(uncore_address_unit(number), rows[i].unit);
		assert_int_equal(uncore_address_offset(number), rows[i].offset);
	}
}

static void numbers_of_msrs_may_be_decimal(void **state)
{
	uint64_t address;

	(void)state;
	assert_true(uncore_address_parse("3344", &address));
	assert_int_equal(address, 0xD10);
	assert_true(uncore_address_parse("msr:0xd10", &address));
	assert_int_equal(address, 0xD10);
}

static void nothing_else_is_an_address(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"0x",
		"0x100000000",
		"-1",
		" 1",
		"0xD10 ",
		"pci:10.8+0",
		"pci:20.0+0",
		"pci:10+0",
		"pci:10.4",
		"pci:10.4+0x1000",
		"mem:0",
		"mem:-1+0",
		"mem:0+0x100000000",
		"mem:0+",
		"mem:0x10+4",
		"pci:10.4+0xA0x",
		"cbox",
		"pci: 10.4+0xA0",
	};
	uint64_t address;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(uncore_address_parse(texts[i], &address));
}

static void spaces_have_names(void **state)
{
	(void)state;
	assert_string_equal(uncore_space_name(UNCORE_SPACE_PCI), "pci");
	assert_null(uncore_space_name(UNCORE_NUM_SPACES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_and_numbers_are_the_same),
		cmocka_unit_test(numbers_of_msrs_may_be_decimal),
		cmocka_unit_test(nothing_else_is_an_address),
		cmocka_unit_test(spaces_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
