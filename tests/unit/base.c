/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What everybody stands on: settings, near names, random numbers, the clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/setting.h"
#include "base/text.h"
#include "uncore/error.h"

static void test_settings(void **state)
{
	char text[] = "a=1,,b=,c,d=x=y,=z,";
	static const char *const expected[][2] = {
		{ "a", "1" },	{ "b", "" }, { "c", NULL },
		{ "d", "x=y" }, { "", "z" },
	};
	char *list = text;
	struct setting setting;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		assert_true(setting_next(&list, &setting));
		assert_string_equal(setting.name, expected[i][0]);
		if (expected[i][1])
			assert_string_equal(setting.value, expected[i][1]);
		else
			assert_null(setting.value);
	}
	assert_false(setting_next(&list, &setting));
	assert_false(setting_next(&list, &setting));
}

static void test_one_setting_keeps_commas(void **state)
{
	char text[] = "llc.ways=4,5";
	struct setting setting;

	(void)state;
	setting_split(text, &setting);
	assert_string_equal(setting.name, "llc.ways");
	assert_string_equal(setting.value, "4,5");
}

static char *near(const char *wanted, const char *const *names)
{
	struct nearest nearest = { .wanted = wanted };

	while (*names)
		nearest_offer(&nearest, *names++);
	return nearest_text(&nearest);
}

static void expect_near(const char *wanted, const char *expected)
{
	static const char *const names[] = { "LLC_MISSES", "LLC_HITS",
					     "LLC_MISSES", "NO_CREDIT_HOM",
					     "CYCLES",	   NULL };
	struct uncore_closest *closest = uncore_closest_new(wanted);
	char *said = near(wanted, names);

	assert_string_equal(said, expected);
	free(said);
	for (size_t i = 0; names[i]; i++)
		uncore_closest_offer(closest, names[i]);
	said = uncore_closest_say(closest);
	assert_string_equal(said, expected);
	free(said);
}

static void test_near_names(void **state)
{
	(void)state;
	expect_near("llc_mises", "; did you mean LLC_MISSES or LLC_HITS?");
	expect_near("LLC_MISS", "; did you mean LLC_MISSES or LLC_HITS?");
	expect_near("CREDIT", "; did you mean NO_CREDIT_HOM?");
	expect_near("cycle", "; did you mean CYCLES?");
	expect_near("nothing of all this", "");
}

/* The first numbers of the published generator for seed 1234567. */
static void test_random_numbers(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(6457827717110365317),	UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),	UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	uint64_t seed = 1234567;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		assert_int_equal(random_next(&seed), expected[i]);
	assert_int_equal(random_mix(0), 0);
	/* number 0 of a seed is the first one of it times the step, less one */
	seed = 7 * RANDOM_STEP - RANDOM_STEP;
	assert_int_equal(random_at(7, 0), random_next(&seed));
	assert_int_not_equal(random_at(7, 1), random_at(7, 2));
}

static void test_clock_goes_on(void **state)
{
	uint64_t before = clock_now_ns(), after;
	double seconds = clock_now_seconds();

	(void)state;
	do
		after = clock_now_ns();
	while (after == before);
	assert_true(after > before);
	assert_true(seconds >= (double)before / 1e9);
	assert_true(seconds <= (double)after / 1e9);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_one_setting_keeps_commas),
		cmocka_unit_test(test_near_names),
		cmocka_unit_test(test_random_numbers),
		cmocka_unit_test(test_clock_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
