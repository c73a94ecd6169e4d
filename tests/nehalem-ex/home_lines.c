/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The table of lines that something is to come of, against a time and a place
 * for each line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/nehalem-ex/home_parts.h"

enum { MANY = 3000, STEPS = 60000 };

static unsigned chance(uint64_t *random, unsigned num)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (unsigned)(*random >> 20) % num;
}

/* More lines than there is room for at first, each with a place of its own as
 * long as something of it is to come. */
static void a_line_keeps_its_place(void **state)
{
	static uint64_t until[MANY];
	static unsigned place[MANY];
	uint64_t random = 7919, now = 0;
	struct home_lines lines = { 0 };
	unsigned num_before;

	(void)state;
	assert_true(home_lines_init(&lines));
	num_before = lines.num;
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned line = chance(&random, MANY);
		unsigned at = home_line_place(&lines, now, line);
		struct home_line *entry = &lines.pool[at];

		assert_int_equal(entry->line, line);
		if (until[line] > now) {
			assert_int_equal(at, place[line]);
			assert_true(entry->until == until[line] ||
				    entry->written == until[line]);
		} else {
			assert_true(home_line_has_passed(entry, now));
		}
		place[line] = at;
		until[line] = now + 1 + chance(&random, 6000);
		entry->until = chance(&random, 2) ? until[line] : 0;
		entry->written = entry->until ? 0 : until[line];
		now += chance(&random, 4);
	}
	assert_true(lines.num > num_before);
	home_lines_fini(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_keeps_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
