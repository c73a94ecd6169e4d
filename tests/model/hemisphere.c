/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which home agent and which slice a line has. Without hemisphere mode the home
 * is the parity of address bits, whatever the slice; with it, it is the home of
 * the slice's side, and what a slice asks of the socket's own memory takes the
 * direct link of its S-Box: not one message of it is at the R-Box.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/box/packet.h"
#include "model/box/socket.h"
#include "tests/truth/lab.h"

enum { CORES = 10, SIDE = CORES / 2, LINES = 100000, SOCKET_LINES = 1 << 24 };

static double values[NUM_PARAMS];

static struct socket make_socket(bool is_hemisphere)
{
	values[PARAM_MEMORY_HEMISPHERE] = is_hemisphere;
	values[PARAM_MEMORY_CONTROLLERS] = 2;
	values[PARAM_BBOX_MIRROR] = 0;
	return (struct socket){
		.param = values,
		.num_sockets = 2,
		.num_cores = CORES,
		.num_slices = CORES,
		.num_nodes = 1,
		.num_clusters = 1,
		.memory_lines = SOCKET_LINES,
	};
}

static unsigned parity_of(uint64_t place)
{
	return (place ^ place >> 3 ^ place >> 8 ^ place >> 14 ^ place >> 21) &
	       1;
}

static void without_it_the_home_is_a_parity(void **state)
{
	struct socket socket = make_socket(false);

	(void)state;
	for (uint64_t line = 0; line < LINES; line++) {
		uint64_t local;

		assert_int_equal(socket_home(&socket, line, &local),
				 NODE_BBOX(0, parity_of(line)));
		assert_int_equal(local, line / 2);
	}
}

/* Ten lines in a row are in ten slices, five of a side; so their homes have
 * five places for them each, and each place is taken once. */
static void with_it_the_home_is_on_the_slices_side(void **state)
{
	struct socket socket = make_socket(true);
	uint8_t *taken[SOCKET_SIDES];

	(void)state;
	for (unsigned side = 0; side < SOCKET_SIDES; side++)
		taken[side] = calloc(LINES / 2, 1);
	for (uint64_t line = 0; line < LINES; line++) {
		unsigned side = socket_slice(&socket, line) >= SIDE;
		uint64_t local;

		assert_int_equal(socket_home(&socket, line, &local),
				 NODE_BBOX(0, side));
		assert_int_equal(local / SIDE, line / CORES);
		assert_int_equal(taken[side][local]++, 0);
	}
	for (unsigned side = 0; side < SOCKET_SIDES; side++)
		free(taken[side]);
}

/* The second socket's memory begins in the middle of ten lines. */
static void no_place_is_beyond_the_memory(void **state)
{
	struct socket socket = make_socket(true);

	(void)state;
	for (uint64_t i = 0; i < 4 * CORES; i++) {
		uint64_t line = SOCKET_LINES - 2 * CORES + i, local;
		unsigned home = socket_home(&socket, line, &local);

		assert_int_equal(NODE_SOCKET(home), line >= SOCKET_LINES);
		assert_in_range(local, 0, SOCKET_LINES / 2 - 1);
	}
}

/* 1024 lines of which each is read once, from memory; the mode is on. */
static void a_local_line_takes_the_direct_link(void **state)
{
	enum { N = 1024 };
	struct lab lab = {
		.sockets = 1,
		.workload = "stream:threads=1,op=read,size=64K",
	};

	(void)state;
	assert_int_equal(all(&lab, "cbox/LLC_MISSES.ALL/"), N);
	assert_int_equal(ports(&lab, "sbox", "NEW_PACKETS_RECV.ANY.HOM"), 0);
	lab.settings[0] = "memory.hemisphere=off";
	assert_true(ports(&lab, "sbox", "NEW_PACKETS_RECV.ANY.HOM") > 0);
	lab.settings[0] = "bbox.mirror=on"; /* which is stronger */
	assert_true(ports(&lab, "sbox", "NEW_PACKETS_RECV.ANY.HOM") > 0);
}

/* A home's tracker of 16 is for the two S-Boxes that may ask it, so each has up
 * to eight requests there, and of ten cores that only read more wait. With
 * shares for both sides it could be four at most. */
static void a_tracker_is_for_those_of_its_side(void **state)
{
	enum { SHARE = 8 };
	const struct lab lab = {
		.sockets = 2,
		.workload = "stream:threads=10,op=read,size=1M,gap=0",
		.settings = { "bbox.tracker=16" },
	};
	uint64_t held = lab_count(&lab, 0, "bbox/TF_ALL/");
	uint64_t cycles = lab_count(&lab, 0, "mbox/CYCLES/"); /* of both */

	(void)state;
	assert_in_range(held, cycles * SHARE * 5 / 8, cycles * SHARE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_it_the_home_is_a_parity),
		cmocka_unit_test(with_it_the_home_is_on_the_slices_side),
		cmocka_unit_test(no_place_is_beyond_the_memory),
		cmocka_unit_test(a_local_line_takes_the_direct_link),
		cmocka_unit_test(a_tracker_is_for_those_of_its_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
