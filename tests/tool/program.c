/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Programs as traffic: what a program does is what the model's cores get.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/tool/program_rig.h"

enum {
	START_UP = 4000,     /* accesses of a small program's start and end */
	LINES = 1 << 16,     /* 4 MB: much more than the private caches hold */
	CACHED = 4096 + 512, /* lines that L2 and L1D may keep */
	UNTOLD = 2 * 4096,   /* see tells_clean */
	THREAD_LINES = 1024,
	PAGE_LINES = 64,
};

static const struct rig_options plain;

static void run(const struct rig_options *options, const char *what,
		unsigned num, struct rig_result *result)
{
	char text[16];

	if (!rig_has_valgrind())
		skip();
	snprintf(text, sizeof(text), "%u", num);
	rig_run(options, what, text, result);
	if (result->error)
		print_error("%s\n", result->sentence);
	assert_int_equal(result->error, 0);
	assert_int_equal(result->status.lost, 0);
	rig_free(result);
}

static void each_line_that_is_loaded_is_read_once(void **state)
{
	struct rig_result result;

	(void)state;
	run(&plain, "load", LINES, &result);
	assert_int_equal(result.status.exit_code, 0);
	assert_in_range(result.kind[UNCORE_ACCESS_READ],
			LINES - LINES / PAGE_LINES, LINES + START_UP);
	assert_in_range(result.kind[UNCORE_ACCESS_OWN], LINES / PAGE_LINES,
			LINES / PAGE_LINES + START_UP);
	assert_true(result.depends < START_UP);
}

static void each_line_that_is_stored_is_owned_and_written_back(void **state)
{
	struct rig_result result;

	(void)state;
	run(&plain, "store", LINES, &result);
	assert_in_range(result.kind[UNCORE_ACCESS_OWN], LINES,
			LINES + START_UP);
	assert_in_range(result.kind[UNCORE_ACCESS_WRITEBACK], LINES - CACHED,
			LINES + START_UP);
	assert_in_range(result.kind[UNCORE_ACCESS_READ], 1, START_UP);
}

/* Where the LLC is told of clean victims each line that is loaded leaves the L2
 * once, of one core and of two that have the same lines; else none does. */
static void each_line_that_is_loaded_is_given_back(void **state)
{
	const struct rig_options telling = { .tells_clean = true };
	const struct {
		const char *what;
		unsigned threads;
	} loads[] = { { "load", 1 }, { "readers", 2 } };
	struct rig_result result;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		unsigned all = loads[i].threads * LINES;

		run(&telling, loads[i].what, LINES, &result);
		assert_int_equal(result.status.exit_code, 0);
		assert_in_range(result.clean,
				all - loads[i].threads * CACHED -
					LINES / PAGE_LINES - UNTOLD,
				all + START_UP);
		run(&plain, loads[i].what, LINES, &result);
		assert_int_equal(result.clean, 0);
	}
}

static void a_chase_depends_on_itself(void **state)
{
	struct rig_result result;

	(void)state;
	run(&plain, "chase", LINES, &result);
	assert_int_equal(result.status.exit_code, 0);
	assert_in_range(result.depends, LINES - CACHED, LINES + START_UP);
}

static void computing_takes_time(void **state)
{
	enum { ROUNDS = 10000000 };
	struct rig_result result;
	struct rig_result again;

	(void)state;
	run(&plain, "spin", ROUNDS, &result);
	/* Three instructions a round, at the least two. */
	assert_in_range(result.instructions, 2 * ROUNDS, 4 * ROUNDS);
	assert_true(result.kind[UNCORE_ACCESS_NONE] > 50);
	assert_true(result.kind[UNCORE_ACCESS_READ] < START_UP);
	run(&plain, "spin", ROUNDS, &again);
	assert_true(result.hash == again.hash);
}

static void one_thread_gives_the_same_accesses_every_time(void **state)
{
	const struct rig_options taking = { .invalidate_every = 7 };
	struct rig_result first;
	struct rig_result second;

	(void)state;
	run(&taking, "store", LINES, &first);
	run(&taking, "store", LINES, &second);
	assert_true(first.hash == second.hash);
	run(&plain, "store", LINES, &second);
	assert_false(first.hash == second.hash);
}

static void threads_fill_one_socket_after_the_other(void **state)
{
	struct rig_result result;
	unsigned i;

	(void)state;
	run(&plain, "threads", RIG_CORES, &result);
	for (i = 1; i <= RIG_CORES; i++)
		assert_true(result.core[i] >= THREAD_LINES);
	for (; i < RIG_ALL; i++)
		assert_int_equal(result.core[i], 0);
}

static void threads_scatter_over_the_sockets(void **state)
{
	const struct rig_options scatter = {
		.placement = UNCORE_PROGRAM_SCATTER,
	};
	struct rig_result result;

	(void)state;
	run(&scatter, "threads", 2, &result);
	assert_true(result.core[0] > 0);
	assert_true(result.core[RIG_CORES] >= THREAD_LINES);
	assert_true(result.core[1] >= THREAD_LINES);
	assert_int_equal(result.core[RIG_CORES + 1], 0);
	assert_true(result.socket_lines[1] >= THREAD_LINES);
}

static void more_threads_than_cores_share_them(void **state)
{
	const struct rig_options taking = { .invalidate_every = 5 };
	struct rig_result result;

	(void)state;
	run(&taking, "threads", 5 * RIG_ALL, &result);
	assert_int_equal(result.status.exit_code, 0);
	assert_true(result.kind[UNCORE_ACCESS_OWN] >=
		    5 * RIG_ALL * THREAD_LINES);
}

/* Three children, each of which ends with 1, and nobody is lost. */
static void run_family(const char *what, struct rig_result *result)
{
	run(&plain, what, 3, result);
	assert_int_equal(result->status.exit_code, 3);
	assert_int_equal(result->status.not_followed, 0);
	assert_int_equal(result->status.left_running, 0);
}

static void forked_and_executed_programs_belong_to_it(void **state)
{
	struct rig_result result;

	(void)state;
	run_family("fork", &result);
	assert_in_range(result.kind[UNCORE_ACCESS_OWN], 3 * THREAD_LINES,
			3 * THREAD_LINES + 4 * START_UP);
	assert_true(result.core[1] >= THREAD_LINES);
}

static void spawned_programs_belong_to_it(void **state)
{
	struct rig_result result;

	(void)state;
	run_family("spawn", &result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_that_is_loaded_is_read_once),
		cmocka_unit_test(
			each_line_that_is_stored_is_owned_and_written_back),
		cmocka_unit_test(each_line_that_is_loaded_is_given_back),
		cmocka_unit_test(a_chase_depends_on_itself),
		cmocka_unit_test(computing_takes_time),
		cmocka_unit_test(one_thread_gives_the_same_accesses_every_time),
		cmocka_unit_test(threads_fill_one_socket_after_the_other),
		cmocka_unit_test(threads_scatter_over_the_sockets),
		cmocka_unit_test(more_threads_than_cores_share_them),
		cmocka_unit_test(forked_and_executed_programs_belong_to_it),
		cmocka_unit_test(spawned_programs_belong_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
