/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The table of values: what is right passes, and each kind of wrong is named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/truth/values.h"

enum { LINE = 0x1234, CORE = 3, OTHER = 14, CYCLE = 777 };

static struct values *fresh(void)
{
	struct values *values = values_new();

	assert_non_null(values);
	return values;
}

static void done(struct values *values, const char *words)
{
	const char *found = values_violation(values);

	if (!words)
		assert_null(found);
	else if (!found || !strstr(found, words))
		fail_msg("\"%s\" does not say \"%s\"", found ? found : "",
			 words);
	values_free(values);
}

static void a_line_goes_round(void **state)
{
	struct values *values = fresh();
	uint32_t version;

	(void)state;
	assert_int_equal(values_latest(values, LINE), 0);
	values_read(values, LINE, CORE, 0, values_memory(values, LINE), CYCLE);
	assert_int_equal(values_write_to(values, LINE, CORE, 0, CYCLE), 1);
	assert_int_equal(values_write_to(values, LINE, CORE, 1, CYCLE), 2);
	assert_int_equal(values_latest(values, LINE), 2);
	version = values_of_owner(values, LINE, CORE);
	assert_int_equal(version, 2);
	values_read(values, LINE, OTHER, 1, version, CYCLE);
	assert_int_equal(values_memory(values, LINE), 0);
	values_memory_write(values, LINE, version);
	values_memory_write(values, LINE, version);
	assert_int_equal(values_memory(values, LINE), 2);
	assert_int_equal(values_write(values, LINE, values_hub(1)), 3);
	assert_int_equal(values_num_reads(values), 2);
	done(values, NULL);
}

static void an_old_value_is_found(void **state)
{
	struct values *values = fresh();

	(void)state;
	values_write(values, LINE, CORE);
	values_read(values, LINE, OTHER, values_latest(values, LINE), 0, CYCLE);
	done(values, "core 14 reads version 0 of line 0x1234, but version 1");
}

static void a_write_to_an_old_copy_is_found(void **state)
{
	struct values *values = fresh();

	(void)state;
	values_write(values, LINE, values_hub(2));
	values_write_to(values, LINE, CORE, 0, CYCLE);
	done(values, "core 3 writes to version 0 of line 0x1234, but I/O hub 2 "
		     "has made version 1: cycle 777");
}

static void who_did_not_write_cannot_give_back(void **state)
{
	struct values *values = fresh();

	(void)state;
	values_of_owner(values, LINE, CORE);
	done(values, "core 3 gives back line 0x1234 as modified, but nobody");
	values = fresh();
	values_write(values, LINE, OTHER);
	values_of_owner(values, LINE, CORE);
	done(values, "but core 14 was the last");
}

static void memory_does_not_go_backwards(void **state)
{
	struct values *values = fresh();

	(void)state;
	values_write(values, LINE, CORE);
	values_write(values, LINE, CORE);
	values_memory_write(values, LINE, 2);
	values_memory_write(values, LINE, 1);
	done(values, "memory gets version 1 of line 0x1234, but has version 2");
	values = fresh();
	values_write(values, LINE, CORE);
	values_memory_write(values, LINE, 2);
	done(values, "memory gets version 2");
}

static void the_first_violation_stays(void **state)
{
	struct values *values = fresh();

	(void)state;
	values_of_owner(values, 1, CORE);
	values_of_owner(values, 2, CORE);
	done(values, "line 0x1 ");
}

static void every_line_is_kept(void **state)
{
	enum { LINES = 20000 };
	struct values *values = fresh();
	struct values_line line;
	size_t place = 0;
	unsigned num = 0;
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < LINES; i++)
		for (unsigned n = 0; n <= i % 3; n++)
			values_write(values, (uint64_t)i << 20, i & 63);
	for (unsigned i = 0; i < LINES; i++)
		assert_int_equal(values_latest(values, (uint64_t)i << 20),
				 i % 3 + 1);
	while (values_next(values, &place, &line)) {
		num++;
		sum += line.line >> 20;
		assert_int_equal(line.writer, line.line >> 20 & 63);
	}
	assert_int_equal(num, LINES);
	assert_int_equal(sum, (uint64_t)LINES * (LINES - 1) / 2);
	done(values, NULL);
}

static void without_a_table_nothing_happens(void **state)
{
	size_t place = 0;
	struct values_line line;

	(void)state;
	assert_int_equal(values_write(NULL, LINE, CORE), 0);
	assert_int_equal(values_write_to(NULL, LINE, CORE, 7, CYCLE), 0);
	assert_int_equal(values_of_owner(NULL, LINE, CORE), 0);
	assert_int_equal(values_latest(NULL, LINE), 0);
	assert_int_equal(values_memory(NULL, LINE), 0);
	values_memory_write(NULL, LINE, 5);
	values_read(NULL, LINE, CORE, 5, 4, CYCLE);
	assert_false(values_next(NULL, &place, &line));
	assert_null(values_violation(NULL));
	values_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_goes_round),
		cmocka_unit_test(an_old_value_is_found),
		cmocka_unit_test(a_write_to_an_old_copy_is_found),
		cmocka_unit_test(who_did_not_write_cannot_give_back),
		cmocka_unit_test(memory_does_not_go_backwards),
		cmocka_unit_test(the_first_violation_stays),
		cmocka_unit_test(every_line_is_kept),
		cmocka_unit_test(without_a_table_nothing_happens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
