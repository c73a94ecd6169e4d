/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One PMU behind a kernel that is made up here: it has a clock that stands
 * unless it is moved, counters of which a group may use so many, and lets a
 * group run for a part of the time that is set. An event with code c counts c
 * in each ns that it runs, so what a count must be follows from times alone.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/perf_unit.h"

enum { MAX_FILES = 64, FIRST_FILE = 100, NUM_COUNTERS = 2, REFUSED_CODE = 99 };

static struct file {
	bool is_open, is_on;
	int leader;
	uint64_t code, enabled, running;
} files[MAX_FILES];
static unsigned num_open, num_opened;
static int open_error;	/* of every call, 0: none */
static bool time_moves; /* with each reading */

static int made_up_open(const struct perf_place *place,
			const uint64_t words[PERF_NUM_WORDS], int group)
{
	unsigned members = 1;
	int n = 0;

	(void)place;
	for (int i = 0; i < MAX_FILES; i++)
		members += group >= 0 && files[i].is_open &&
			   files[i].leader == group - FIRST_FILE;
	errno = words[0] == REFUSED_CODE || members > NUM_COUNTERS ? EINVAL
								   : open_error;
	if (errno)
		return -1;
	while (files[n].is_open)
		n++;
	files[n] = (struct file){
		.is_open = true,
		.leader = group < 0 ? n : group - FIRST_FILE,
		.code = words[0],
	};
	num_open++;
	num_opened++;
	return n + FIRST_FILE;
}

static void made_up_enable(int file, bool is_on)
{
	files[file - FIRST_FILE].is_on = is_on;
}

static bool made_up_read(int file, struct perf_reading *reading)
{
	struct file *leader = &files[file - FIRST_FILE];

	if (time_moves && leader->is_on)
		leader->enabled = ++leader->running;
	*reading = (struct perf_reading){ .enabled = leader->enabled,
					  .running = leader->running };
	for (int i = 0; i < MAX_FILES; i++)
		if (files[i].is_open && files[i].leader == file - FIRST_FILE)
			reading->values[reading->num++] =
				files[i].code * leader->running;
	return true;
}

static void made_up_close(int file)
{
	files[file - FIRST_FILE].is_open = false;
	num_open--;
}

static const struct perf_kernel made_up = {
	made_up_open,
	made_up_enable,
	made_up_read,
	made_up_close,
};

/* Time passes, of which groups run so many ns. */
static void pass(uint64_t ns, uint64_t running)
{
	for (int i = 0; i < MAX_FILES; i++)
		if (files[i].is_open && files[i].is_on) {
			files[i].enabled += ns;
			files[i].running += running;
		}
}

static struct perf_pmu pmu = { .name = "uncore_made_0" };
static const struct perf_place place = { &pmu, 0 };

static int set_up(void **state)
{
	struct perf_unit *unit = calloc(1, sizeof(*unit));

	unit->place = &place;
	memset(files, 0, sizeof(files));
	num_open = num_opened = 0;
	open_error = 0;
	time_moves = false;
	perf_kernel = &made_up;
	*state = unit;
	return 0;
}

static int tear_down(void **state)
{
	perf_unit_close(*state);
	free(*state);
	return num_open; /* each file was closed */
}

/* Counts codes on counters 0, 1, ... */
static void count(struct perf_unit *unit, unsigned num, const uint64_t *codes)
{
	struct perf_wish wishes[PERF_MAX_COUNTERS] = { 0 };

	for (unsigned i = 0; i < num; i++) {
		wishes[i].words[0] = codes[i];
		wishes[i].counter = i;
	}
	assert_int_equal(perf_unit_count(unit, wishes, num, NULL), 0);
}

static uint64_t value(struct perf_unit *unit, unsigned counter)
{
	assert_int_equal(perf_unit_read(unit, NULL), 0);
	return unit->counts[counter].value;
}

static void what_runs_all_the_time_is_exact(void **state)
{
	count(*state, 2, (const uint64_t[]){ 3, 5 });
	pass(1000, 1000);
	assert_int_equal(value(*state, 0), 3000);
	pass(7, 7);
	assert_int_equal(value(*state, 0), 3021);
	assert_int_equal(value(*state, 1), 5035);
	assert_true(perf_unit_share(*state, 0) == 1);
	assert_int_equal(num_opened, 2);
}

static void what_runs_for_a_part_is_taken_for_the_rest(void **state)
{
	count(*state, 1, (const uint64_t[]){ 3 });
	pass(1000, 500); /* 3 * 500, twice */
	assert_int_equal(value(*state, 0), 3000);
	pass(1000, 250); /* 3 * 250, four times */
	assert_int_equal(value(*state, 0), 6000);
	pass(1000, 1000);
	assert_int_equal(value(*state, 0), 9000);
	/* 1750 of 3000 ns */
	assert_true(perf_unit_share(*state, 0) == 1750.0 / 3000);
}

/* An interval in which nothing ran belongs to the next one in which it did. */
static void what_did_not_run_is_caught_up_with(void **state)
{
	count(*state, 1, (const uint64_t[]){ 2 });
	pass(100, 0);
	assert_int_equal(value(*state, 0), 0);
	assert_true(perf_unit_share(*state, 0) == 0);
	pass(100, 50);
	assert_int_equal(value(*state, 0), 400);
}

/* Thirds: what is lost to rounding in one read comes with a later one. */
static void no_rest_is_lost(void **state)
{
	count(*state, 1, (const uint64_t[]){ 1 });
	for (unsigned i = 0; i < 300; i++) {
		pass(4, 3); /* 3 counted, 4 in all */
		value(*state, 0);
	}
	assert_in_range(value(*state, 0), 1199, 1200);
}

static void what_a_group_has_no_room_for_counts_alone(void **state)
{
	count(*state, 4, (const uint64_t[]){ 1, 2, 3, 4 });
	pass(10, 10);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(value(*state, i), 10 * (i + 1));
	assert_int_equal(files[0].leader, 0);
	assert_int_equal(files[1].leader, 0);
	assert_int_equal(files[2].leader, 2);
	assert_int_equal(files[3].leader, 3);
}

/* Turns: each set counts in its own time, on the same counter; and none is
 * opened twice. */
static void sets_take_turns(void **state)
{
	for (unsigned i = 0; i < 3; i++) {
		count(*state, 1, (const uint64_t[]){ 5 });
		pass(100, 100);
		count(*state, 2, (const uint64_t[]){ 7, 1 });
		pass(10, 10);
	}
	assert_int_equal(value(*state, 0), 3 * (5 * 100 + 7 * 10));
	assert_int_equal(value(*state, 1), 3 * 10);
	assert_int_equal(num_opened, 3);
	count(*state, 0, NULL);
	pass(1000, 1000);
	assert_int_equal(value(*state, 0), 3 * (5 * 100 + 7 * 10));
}

/* The set that was there goes on. */
static void a_refused_event_changes_nothing(void **state)
{
	struct perf_wish wish = { .words = { REFUSED_CODE } };
	char *error = NULL;

	count(*state, 1, (const uint64_t[]){ 5 });
	assert_true(perf_unit_count(*state, &wish, 1, &error) < 0);
	assert_non_null(strstr(error, "uncore_made_0 refuses the event "
				      "config=0x63"));
	free(error);
	pass(10, 10);
	assert_int_equal(value(*state, 0), 50);
	assert_int_equal(num_open, 1);
}

static void rights_are_asked_for(void **state)
{
	struct perf_wish wish = { .words = { 1 } };
	char *error = NULL;

	open_error = EACCES;
	assert_true(perf_unit_count(*state, &wish, 1, &error) < 0);
	assert_non_null(strstr(error, "CAP_PERFMON"));
	assert_non_null(strstr(error, "perf_event_paranoid"));
	free(error);
}

static void counters_are_found_by_trying(void **state)
{
	const uint64_t words[PERF_NUM_WORDS] = { 0 };

	(void)state;
	assert_int_equal(perf_probe(&place, words, 8), 0); /* none runs */
	time_moves = true;
	assert_int_equal(perf_probe(&place, words, 8), NUM_COUNTERS);
	assert_int_equal(perf_probe(&place, words, 1), 1);
	open_error = EACCES;
	assert_int_equal(perf_probe(&place, words, 8), 0);
	assert_int_equal(num_open, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
		TEST(what_runs_all_the_time_is_exact),
		TEST(what_runs_for_a_part_is_taken_for_the_rest),
		TEST(what_did_not_run_is_caught_up_with),
		TEST(no_rest_is_lost),
		TEST(what_a_group_has_no_room_for_counts_alone),
		TEST(sets_take_turns),
		TEST(a_refused_event_changes_nothing),
		TEST(rights_are_asked_for),
		TEST(counters_are_found_by_trying),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
