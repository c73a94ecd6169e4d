/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The built-in metrics of every family: each fits into one slice, says where it
 * is from, has a limit; and what the parser makes of damaged files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "uncore/uncore.h"

enum { MAX_EVENTS = 64, ENOUGH_METRICS = 45 };

static struct uncore_metrics *open_set(const struct uncore_family *family)
{
	struct uncore_metrics *set;
	char *error = NULL;

	if (uncore_metrics_new(family, &set, &error))
		fail_msg("%s: %s", uncore_family_name(family), error);
	return set;
}

/* Counters and sub-registers for all its events at once. */
static void check_slice(const struct uncore_family *family,
			const struct uncore_metrics *set, size_t index,
			const char *name)
{
	struct uncore_event *events[MAX_EVENTS];
	struct uncore_plan *plan = NULL;
	char *error = NULL;
	const char *text;
	size_t num = 0;

	while ((text = uncore_metrics_event(set, index, num)))
		assert_int_equal(
			uncore_event_parse(family, text, &events[num++], NULL),
			0);
	if (num && uncore_plan_new(family, events, num, &plan, &error))
		fail_msg("%s: %s", name, error);
	if (plan)
		uncore_plan_free(plan);
	while (num)
		uncore_event_free(events[--num]);
}

static void every_metric_fits_into_one_slice(void **state)
{
	const struct uncore_family *family;
	struct uncore_metric metric;

	(void)state;
	for (size_t f = 0; (family = uncore_family_at(f)); f++) {
		struct uncore_metrics *set = open_set(family);
		size_t i = 0;

		for (; uncore_metrics_at(set, i, &metric); i++)
			check_slice(family, set, i, metric.name);
		assert_true(i >= ENOUGH_METRICS ||
			    !uncore_family_has_model(family));
		uncore_metrics_free(set);
	}
}

static void every_metric_says_what_it_is(void **state)
{
	const struct uncore_family *family;
	struct uncore_metric metric;

	(void)state;
	for (size_t f = 0; (family = uncore_family_at(f)); f++) {
		struct uncore_metrics *set = open_set(family);

		for (size_t i = 0; uncore_metrics_at(set, i, &metric); i++)
			if (!*metric.brief || !*metric.unit ||
			    !*metric.categories || !*metric.source)
				fail_msg("%s of %s lacks a text", metric.name,
					 uncore_family_name(family));
		uncore_metrics_free(set);
	}
}

/* Time alone has no bound; everything else does. */
static void every_metric_has_a_most(void **state)
{
	const struct uncore_family *family;
	struct uncore_metric metric;

	(void)state;
	for (size_t f = 0; (family = uncore_family_at(f)); f++) {
		struct uncore_metrics *set = open_set(family);

		for (size_t i = 0; uncore_metrics_at(set, i, &metric); i++)
			if (!*metric.maximum && strcmp(metric.unit, "s") &&
			    strcmp(metric.name, "uncore_cycles"))
				fail_msg("%s has no max", metric.name);
		uncore_metrics_free(set);
	}
}

static const char example[] =
	"fact lines 3 lines \"Some lines\"\n"
	"event hit cbox/LLC_HITS.ALL/\n"
	"let both hit + {cbox/LLC_MISSES.ALL/}\n"
	"metric mine_$x mine \"Text $x\" unit=% kind=ratio each=\"x: a, b\"\n"
	"  formula 100 * hit / (both) - -1 * max(lines, 2)\n"
	"  max 100 * cboxes + mean(hit)\n"
	"  doubt both > 5 \"why\"\n"
	"  note \"note\"\n"
	"drop mine_b\n";

static int read_text(struct uncore_metrics *set, const char *text, char **error)
{
	char path[] = "metrics-XXXXXX";
	int fd = mkstemp(path), code;
	size_t size = strlen(text);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), (ssize_t)size);
	close(fd);
	code = uncore_metrics_read(set, path, error);
	unlink(path);
	return code;
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Any family whose metrics the example may be added to. */
static const struct uncore_family *fitting(void)
{
	size_t f = 0;

	struct uncore_event *event;

	while (uncore_event_parse(uncore_family_at(f), "cbox/LLC_HITS.ALL/",
				  &event, NULL))
		f++;
	uncore_event_free(event);
	return uncore_family_at(f);
}

/* Each file is either read or refused with its name, a line and a column. */
static void a_damaged_file_is_read_or_refused_in_words(void **state)
{
	const char *const bytes = "(){}$\"=:+-*/,> \n#x0_.'";
	struct uncore_metrics *set = open_set(fitting());
	uint32_t seed = 1;

	(void)state;
	assert_int_equal(read_text(set, example, NULL), 0);
	for (int i = 0; i < 1500; i++) {
		char text[sizeof(example)];
		char *error = NULL;
		unsigned line, column;

		memcpy(text, example, sizeof(text));
		for (uint32_t n = next_random(&seed) % 3 + 1; n; n--)
			text[next_random(&seed) % (sizeof(text) - 1)] =
				bytes[next_random(&seed) % strlen(bytes)];
		if (read_text(set, text, &error) == 0)
			continue;
		assert_non_null(error);
		if (sscanf(error, "metrics-%*[^:]:%u:%u: ", &line, &column) !=
		    2)
			fail_msg("%s:\n%s", error, text);
		assert_true(line <= 9);
		free(error);
	}
	uncore_metrics_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_metric_fits_into_one_slice),
		cmocka_unit_test(every_metric_says_what_it_is),
		cmocka_unit_test(every_metric_has_a_most),
		cmocka_unit_test(a_damaged_file_is_read_or_refused_in_words),
	};

	if (chdir(getenv("TMPDIR") ? getenv("TMPDIR") : P_tmpdir))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
