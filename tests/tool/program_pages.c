/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where pages lie: first touch, and what a forked process sees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "bridge/qemu/arena.h"
#include "bridge/qemu/pages.h"

enum { FIRST = 1000, FRAMES = 16 };

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = mmap(NULL, sizeof(*arena), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena == MAP_FAILED)
		return -1;
	arena->num_sockets = 2;
	arena->first_frame[1] = FIRST;
	arena->num_frames[0] = FRAMES;
	arena->num_frames[1] = FRAMES;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(arena, sizeof(*arena));
}

static void frames_come_in_order_from_the_toucher_s_socket(void **state)
{
	uint32_t space = pages_new_space(arena);

	(void)state;
	assert_int_equal(pages_frame(arena, space, 77, 1), FIRST);
	assert_int_equal(pages_frame(arena, space, 5, 0), 0);
	assert_int_equal(pages_frame(arena, space, 76, 1), FIRST + 1);
	/* The first touch decides. */
	assert_int_equal(pages_frame(arena, space, 77, 0), FIRST);
}

static void child_sees_what_its_parent_had(void **state)
{
	uint32_t parent = pages_new_space(arena);
	uint32_t child;
	uint32_t grandchild;

	(void)state;
	assert_int_equal(pages_frame(arena, parent, 1, 0), 0);
	child = pages_fork_space(arena, parent);
	assert_int_equal(pages_frame(arena, parent, 2, 0), 1);
	grandchild = pages_fork_space(arena, child);
	assert_int_equal(pages_frame(arena, grandchild, 1, 1), 0);
	assert_int_equal(pages_frame(arena, child, 1, 1), 0);
	/* The parent's second page came after the fork. */
	assert_int_equal(pages_frame(arena, child, 2, 0), 2);
	assert_int_equal(pages_frame(arena, grandchild, 2, 0), 3);
	assert_int_equal(pages_frame(arena, pages_new_space(arena), 1, 0), 4);
}

static void full_socket_borrows_and_then_repeats(void **state)
{
	uint32_t space = pages_new_space(arena);
	unsigned i;

	(void)state;
	for (i = 0; i < FRAMES; i++)
		assert_int_equal(pages_frame(arena, space, i, 0), i);
	for (i = 0; i < FRAMES; i++)
		assert_int_equal(pages_frame(arena, space, 100 + i, 0),
				 FIRST + i);
	assert_true(pages_frame(arena, space, 200, 0) < FRAMES);
	assert_true(arena->frames_used[0] > FRAMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			frames_come_in_order_from_the_toucher_s_socket, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(child_sees_what_its_parent_had,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			full_socket_borrows_and_then_repeats, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
