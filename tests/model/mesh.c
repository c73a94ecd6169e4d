/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Ways over the mesh: their closed form, what a link carries and who has it,
 * and a second implementation, slow and plain, with a byte for each link and
 * cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/model/mesh_rig.h"

static void an_empty_mesh_takes_the_hops(void **state)
{
	uint64_t now = 5;

	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	for (unsigned from = 0; from < 36; from++)
		for (unsigned to = 0; to < 36; to++)
			for (unsigned slots = 1; slots <= 2; slots++) {
				struct mesh_ride ride;

				go_to(now);
				ride = send_one(MESH_BL, from, to, now + 7,
						slots);
				assert_int_equal(ride.arrived - now - 7,
						 closed_form(from, to, slots));
				assert_int_equal(ride.injected,
						 now + 7 + slots - 1);
				now += 100;
			}
	tear_down();
}

/* Against a map of all links and cycles, where the first start that fits is
 * looked for cycle by cycle. */

enum { MAP_CYCLES = 1 << 13 };

static bool map[MESH_NUM_RINGS][2][2][MESH_MAX_STOPS][MAP_CYCLES];

static uint64_t map_leg(unsigned ring, unsigned axis, unsigned from,
			unsigned to, uint64_t at)
{
	unsigned distance = axis ? bench.config.rows : 1;
	unsigned cycles = axis ? bench.config.horizontal_cycles
			       : bench.config.vertical_cycles;
	unsigned hops = axis ? columns_apart(from, to) : rows_apart(from, to);

	for (bool is_taken = true; is_taken; at++) {
		is_taken = false;
		for (unsigned mark = 0; mark < 2 && !is_taken; mark++)
			for (unsigned i = 0; i < hops; i++) {
				unsigned stop = to > from ? from + i * distance
							  : from - i * distance;
				bool *taken = &map[ring][axis][to > from][stop]
						  [at + i * cycles];

				is_taken |= !mark && *taken;
				*taken |= mark;
			}
	}
	return at - 1;
}

static void the_first_start_that_fits_is_taken(void **state)
{
	uint64_t now = 0, queued = 0;

	(void)state;
	memset(map, 0, sizeof(map));
	set_up(&mesh_six_by_six, &mesh_plain);
	while (now < MAP_CYCLES - 1000) {
		enum mesh_ring ring = any(MESH_NUM_RINGS);
		unsigned from = any(36), to = any(36), slots = 1 + any(2);
		unsigned turn = from - from % 6 + to % 6;
		uint64_t ready = now + any(30), at = ready, there = 0;
		struct mesh_ride ride;

		now += !any(4);
		go_to(now);
		ready = ready < now ? now : ready;
		at = ready;
		ride = send_one(ring, from, to, ready, slots);
		if (from == to)
			continue;
		for (unsigned s = 0; s < slots; s++, at++) {
			at = map_leg(ring, 0, from, turn, at);
			there = at + rows_apart(from, to);
			if (turn == to)
				continue;
			there = map_leg(ring, 1, turn, to, there + 3);
			there += 2 * (uint64_t)columns_apart(from, to);
		}
		assert_int_equal(ride.injected, at - 1);
		assert_int_equal(ride.arrived, there);
		queued += there - ready > closed_form(from, to, slots);
	}
	assert_true(queued > 1000);
	tear_down();
}

/* As many as there are cycles, along a column and along a row. */
static void a_link_carries_a_slot_a_cycle(void **state)
{
	static const unsigned ends[2] = { 5, 30 };

	(void)state;
	for (unsigned axis = 0; axis < 2; axis++) {
		uint64_t last = 0, unloaded;

		set_up(&mesh_six_by_six, &mesh_plain);
		unloaded = closed_form(0, ends[axis], 1);
		for (unsigned i = 0; i < 1000; i++) {
			struct mesh_ride ride =
				send_one(MESH_BL, 0, ends[axis], 0, 2);

			last = ride.arrived;
			go_to(i);
		}
		assert_int_equal(last, unloaded + 2000 - 1);
		go_to(last + 1);
		for (unsigned i = 1; i < 6; i++) {
			unsigned stop = ends[axis] / 5 * i, even, odd;
			unsigned first =
				USE + axis * USES + (MESH_BL * 2 + 1) * 2;

			even = (unsigned)count(stop, first);
			odd = (unsigned)count(stop, first + 1);
			assert_int_equal(even, 1000);
			assert_int_equal(odd, 1000);
		}
		tear_down();
	}
}

/* Two stops send to a third one by a link that both need, the next message as
 * soon as one of the last WINDOW has arrived. */
static void who_shares_a_link_shares_it_fairly(void **state)
{
	enum { WINDOW = 16, CYCLES = 20000 };
	static const unsigned from[2] = { 0, 2 };
	uint64_t arrivals[2][WINDOW] = { { 0 } }, sent[2] = { 0 };

	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	for (;;) {
		unsigned who = arrivals[1][sent[1] % WINDOW] <
			       arrivals[0][sent[0] % WINDOW];
		uint64_t *next = &arrivals[who][sent[who] % WINDOW];

		if (*next > CYCLES)
			break;
		go_to(*next);
		*next = send_one(MESH_AD, from[who], 4, *next, 1).arrived;
		sent[who]++;
	}
	assert_in_range(sent[0] + sent[1], CYCLES, CYCLES + 2 * WINDOW);
	assert_in_range(sent[0], CYCLES / 2 - CYCLES / 100,
			CYCLES / 2 + CYCLES / 100);
	tear_down();
}

/* Half of all messages between stops chosen at random cross the middle of the
 * mesh, half of these in each direction, where each row has a link: of 36 stops
 * with WINDOW messages under way each no more than 24 messages get through in a
 * cycle, and when there are many under way nearly as many do. */
static void random_traffic_fills_the_bisection(void **state)
{
	enum { WINDOW = 32, CYCLES = 5000, MOST = 24 * CYCLES };
	static uint64_t arrivals[36][WINDOW];
	unsigned sent[36] = { 0 }, num = 0;

	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	for (;; num++) {
		unsigned who = 0;
		uint64_t *next;

		for (unsigned i = 1; i < 36; i++)
			if (arrivals[i][sent[i] % WINDOW] <
			    arrivals[who][sent[who] % WINDOW])
				who = i;
		next = &arrivals[who][sent[who]++ % WINDOW];
		if (*next > CYCLES)
			break;
		go_to(*next);
		*next = send_one(MESH_AD, who, any(36), *next, 1).arrived + 1;
	}
	assert_in_range(num, MOST * 0.95, MOST + 36 * WINDOW);
	tear_down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_mesh_takes_the_hops),
		cmocka_unit_test(the_first_start_that_fits_is_taken),
		cmocka_unit_test(a_link_carries_a_slot_a_cycle),
		cmocka_unit_test(who_shares_a_link_shares_it_fairly),
		cmocka_unit_test(random_traffic_fills_the_bisection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
