/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Callers that were compiled with an older or a newer header than the library:
 * what one side does not know is 0, or is refused where it says something.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sized.h"
#include "uncore/uncore.h"

struct older {
	size_t struct_size;
	int first;
};

struct present {
	size_t struct_size;
	int first;
	int unused; /* up to the same alignment */
	long second;
};

struct newer {
	struct present present;
	long third;
};

static void test_an_older_caller(void **state)
{
	struct older given = { sizeof(given), 1 };
	struct present own;

	(void)state;
	memset(&own, 0xff, sizeof(own));
	assert_int_equal(sized_take(&own, sizeof(own), &given, NULL), 0);
	assert_int_equal(own.first, 1);
	assert_int_equal(own.second, 0);
	own.first = 2;
	own.second = 3;
	sized_give(&given, &own, sizeof(own));
	assert_int_equal(given.first, 2);
	assert_int_equal(given.struct_size, sizeof(given));
}

static void test_a_newer_caller(void **state)
{
	struct newer given = { { sizeof(given), 1, 0, 2 }, 0 };
	struct present own;
	char *error = NULL;

	(void)state;
	assert_int_equal(sized_take(&own, sizeof(own), &given, NULL), 0);
	assert_int_equal(own.second, 2);
	given.third = 3;
	assert_int_equal(sized_take(&own, sizeof(own), &given, &error),
			 UNCORE_ERR_BAD_OPTION);
	assert_non_null(strstr(error, "does not know"));
	free(error);
	own = (struct present){ .first = 4 };
	sized_give(&given, &own, sizeof(own));
	assert_int_equal(given.present.first, 4);
	assert_int_equal(given.present.struct_size, sizeof(given));
	assert_int_equal(given.third, 0);
}

/* The calls of the headers look at it: here the first thing that is wrong. */
static void test_no_size(void **state)
{
	const struct uncore_session_options options = { .seed = 1 };
	struct uncore_session *session;

	(void)state;
	assert_int_equal(uncore_session_open_with(NULL, NULL, 0, &options,
						  &session, NULL),
			 UNCORE_ERR_BAD_OPTION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_older_caller),
		cmocka_unit_test(test_a_newer_caller),
		cmocka_unit_test(test_no_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
