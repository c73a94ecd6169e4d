/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The line table against a list of all that its places hold. Few different
 * lines, some of one bucket, so that places share lines and buckets are full.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/station/lines.h"

enum { OPERATIONS = 200000, DIFFERENT = 40 };

struct held {
	uint64_t line, until;
	bool is_used;
};

static uint64_t state;

static unsigned draw(unsigned below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

/* Half of them in bucket 0. */
static uint64_t some_line(void)
{
	unsigned number = draw(DIFFERENT);

	return number % 2 ? number : (uint64_t)number << 32;
}

/* The places that hold the line beyond a cycle. */
static uint64_t find_slowly(const struct held *held, uint64_t line, uint64_t at)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < LINES_MAX; i++)
		if (held[i].is_used && held[i].line == line &&
		    held[i].until > at)
			found |= UINT64_C(1) << i;
	return found;
}

static void agrees_with_a_list(void **unused)
{
	static struct held held[LINES_MAX];
	static struct lines lines;

	(void)unused;
	for (unsigned n = 0; n < OPERATIONS; n++) {
		unsigned place = draw(LINES_MAX), what = draw(8);
		uint64_t line = some_line(), at = draw(100);

		if (what < 3) {
			lines_put(&lines, place, line, at);
			held[place] = (struct held){ line, at, true };
		} else if (what == 3) {
			lines_drop(&lines, place);
			held[place].is_used = false;
		}
		assert_true(lines_find(&lines, line, at) ==
			    find_slowly(held, line, at));
	}
}

static void an_empty_one_has_nothing(void **unused)
{
	struct lines lines;

	(void)unused;
	memset(&lines, 0, sizeof(lines));
	assert_int_equal(lines_find(&lines, 0, 0), 0);
	lines_drop(&lines, 5);
	assert_int_equal(lines_find(&lines, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_list),
		cmocka_unit_test(an_empty_one_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
