/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the mesh tells: each message once, where it was and waited.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/pmu/tap.h"
#include "tests/model/mesh_rig.h"

/* Places of a line of n are (n * n - 1) / 3n apart in the mean: between all
 * pairs of 6 by 6 stops lie 36 * 36 * 35 / 18 hops of each axis. */
static void a_message_from_each_to_each_has_the_mean_of_hops(void **state)
{
	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	for (unsigned from = 0; from < 36; from++)
		for (unsigned to = 0; to < 36; to++)
			send_one(MESH_AD, from, to, 0, 1);
	go_to(100000);
	assert_int_equal(total(USE, USES), 36 * 36 * 35 / 18);
	assert_int_equal(total(USE + USES, USES), 36 * 36 * 35 / 18);
	assert_int_equal(total(QUEUE_FACT(0, INSERTS), QUEUES), 36 * 35);
	assert_int_equal(total(QUEUE_FACT(1, INSERTS), QUEUES), 36 * 30);
	tear_down();
}

/* Random messages of all rings, in the order of their starts. */
static void what_is_sent_is_counted_once(void **state)
{
	struct mesh_config config = mesh_six_by_six;
	uint64_t hops[2] = { 0 }, sent[2] = { 0 }, turned = 0, credits = 0;
	uint64_t waits = 0, of_cores = 0;
	uint64_t now = 0, last = 0;

	(void)state;
	config.egress = 5;
	config.transgress = 7;
	set_up(&config, &mesh_plain);
	for (unsigned i = 0; i < 20000; i++) {
		struct mesh_message message = {
			.ring = any(MESH_NUM_RINGS),
			.agent = any(2),
			.from = any(36),
			.to = any(36),
			.slots = 1 + any(2),
		};
		unsigned from = message.from, to = message.to;
		unsigned slots = message.slots;
		bool is_credited =
			message.ring == MESH_AD || message.ring == MESH_BL;
		struct mesh_ride ride;

		go_to(now += !any(6));
		message.ready = now + any(9);
		ride = mesh_carry(bench.mesh, &message);
		hops[0] += (uint64_t)rows_apart(from, to) * slots;
		hops[1] += (uint64_t)columns_apart(from, to) * slots;
		sent[message.agent] += from != to;
		turned += columns_apart(from, to) > 0;
		credits += columns_apart(from, to) && is_credited;
		waits += ride.arrived - message.ready >
			 closed_form(from, to, slots);
		last = ride.arrived > last ? ride.arrived : last;
	}
	go_to(last + 10);
	assert_true(waits > 1000);
	assert_int_equal(total(USE, USES), hops[0]);
	assert_int_equal(total(USE + USES, USES), hops[1]);
	for (unsigned ring = 0; ring < MESH_NUM_RINGS; ring++)
		of_cores += total(
			QUEUE_FACT(0, INSERTS) + ring * MESH_AGENTS + 1, 1);
	assert_int_equal(of_cores, sent[1]);
	assert_int_equal(total(QUEUE_FACT(0, INSERTS), QUEUES),
			 sent[0] + sent[1]);
	assert_int_equal(total(QUEUE_FACT(1, INSERTS), QUEUES), turned);
	assert_int_equal(total(CREDIT_FACT(ACQUIRED), CREDITS), credits);
	tear_down();
}

/* What leaves in even and odd cycles in turn is told so at every stop. */
static void parity_alternates(void **state)
{
	static const unsigned ends[2] = { 5, 30 };

	(void)state;
	for (unsigned test = 0; test < 4; test++) {
		unsigned axis = test / 2, way = test % 2, end = ends[axis];
		unsigned even = USE + axis * USES + (MESH_AK * 2 + way) * 2;

		set_up(&mesh_six_by_six, &mesh_plain);
		for (unsigned i = 0; i < 8; i++) {
			go_to(101 * i);
			send_one(MESH_AK, way ? 0 : end, way ? end : 0, 101 * i,
				 1);
			go_to(101 * i + 100);
			for (unsigned n = 1; n < 5; n++) {
				uint64_t evens = count(end / 5 * n, even);
				uint64_t odds = count(end / 5 * n, even + 1);

				assert_int_equal(evens + odds, i + 1);
				assert_int_equal(evens == odds, i % 2);
			}
		}
		tear_down();
	}
}

/* To the right, past two columns. */
static void every_second_tile_is_the_other_way_round(void **state)
{
	struct mesh_stop_kind kind = mesh_plain;
	unsigned left = USE + USES + MESH_IV * 4, right = left + 2;

	(void)state;
	kind.has_core = true;
	set_up(&mesh_six_by_six, &kind);
	send_one(MESH_IV, 0, 12, 0, 1);
	go_to(100);
	assert_int_equal(count(6, left) + count(6, left + 1), 1);
	assert_int_equal(count(6, right) + count(6, right + 1), 0);
	assert_int_equal(count(12, left) + count(12, left + 1), 0);
	assert_int_equal(count(12, right) + count(12, right + 1), 1);
	tear_down();
}

/* Of N messages of a slot at once the one behind n others leaves n cycles
 * later. */
static void queues_count_those_who_wait(void **state)
{
	enum { N = 30, ALL = N * (N + 1) / 2, STARVE = 20 };
	unsigned n = MESH_AK * MESH_AGENTS;

	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	for (unsigned i = 0; i < N; i++)
		send_one(MESH_AK, 0, 3, 0, 1);
	go_to(1000);
	assert_int_equal(count(0, QUEUE_FACT(0, INSERTS) + n), N);
	assert_int_equal(count(0, QUEUE_FACT(0, OCCUPANCY) + n), ALL);
	assert_int_equal(count(0, QUEUE_FACT(0, NACK) + n), ALL - N);
	assert_int_equal(count(0, QUEUE_FACT(0, FULL) + n), 0);
	assert_int_equal(count(0, QUEUE_FACT(0, STARVED) + n),
			 (N - STARVE) * (N - STARVE - 1) / 2);
	tear_down();
}

/* Of two slots that pass a stop on their way down one is even and one odd if
 * the cycles in which they do are, wherever they come from; and each is told in
 * its cycle. */
static void a_slot_is_told_when_it_is_there(void **state)
{
	unsigned even = USE + (MESH_IV * 2 + 1) * 2, first = 2;

	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	for (unsigned i = 0; i < 30; i++) {
		uint64_t ready = 100 * (i + 1) + any(50);
		unsigned from = any(3), parity;
		uint64_t there = ready + 4 - from;
		uint64_t evens = count(4, even), odds = count(4, even + 1);

		send_one(MESH_IV, from, 5, ready, 1);
		go_to(there);
		assert_int_equal(count(4, even) + count(4, even + 1),
				 evens + odds);
		go_to(there + 1);
		assert_int_equal(count(4, even) + count(4, even + 1),
				 evens + odds + 1);
		parity = count(4, even + 1) > odds;
		first = i ? first : (parity + there) % 2;
		assert_int_equal((parity + there) % 2, first);
	}
	tear_down();
}

/* On a row, by two cycles each hop. */
static void a_row_takes_its_cycles(void **state)
{
	unsigned right = USE + USES + (MESH_AD * 2 + 1) * 2;

	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	send_one(MESH_AD, 0, 30, 10, 1);
	for (unsigned hop = 1; hop <= 5; hop++) {
		go_to(10 + 3 + 2 * hop);
		assert_int_equal(total(right, 2), hop - 1);
	}
	tear_down();
}

static void on_an_empty_mesh_nobody_waits(void **state)
{
	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	for (unsigned i = 0; i < 36; i++) {
		go_to(100 * i);
		send_one(MESH_BL, 8, i, 100 * i + 5, 2);
	}
	go_to(10000);
	for (unsigned axis = 0; axis < 2; axis++) {
		assert_int_equal(total(QUEUE_FACT(axis, NACK), QUEUES), 0);
		assert_int_equal(total(QUEUE_FACT(axis, FULL), QUEUES), 0);
		assert_int_equal(total(QUEUE_FACT(axis, STARVED), QUEUES), 0);
	}
	assert_int_equal(total(CREDIT_FACT(STALLED), CREDITS), 0);
	tear_down();
}

/* N at once, of which one leaves in a cycle: all but the first come in as the
 * one but next before them leaves, so two are in it until the last is alone. */
static void a_queue_of_two_is_full_with_two(void **state)
{
	enum { N = 20 };
	struct mesh_config config = mesh_six_by_six;
	unsigned n = MESH_AD * MESH_AGENTS;

	(void)state;
	config.egress = 2;
	set_up(&config, &mesh_plain);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(send_one(MESH_AD, 0, 3, 0, 1).injected, i);
	go_to(100);
	assert_int_equal(count(0, QUEUE_FACT(0, FULL) + n), N - 1);
	assert_int_equal(count(0, QUEUE_FACT(0, OCCUPANCY) + n), 2 * N - 1);
	tear_down();
}

/* Whose only place is taken is full; all others wait outside. */
static void a_queue_of_one_is_full_when_it_is_not_empty(void **state)
{
	struct mesh_config config = mesh_six_by_six;

	(void)state;
	config.egress = config.transgress = 1;
	set_up(&config, &mesh_plain);
	for (unsigned i = 0; i < 2000; i++) {
		go_to(2 * i);
		send_one(any(MESH_NUM_RINGS), any(36), any(36), 2 * i + any(5),
			 1);
	}
	go_to(1000000);
	for (unsigned i = 0; i < 36; i++)
		for (unsigned n = 0; n < QUEUES; n++)
			assert_int_equal(
				count(i, QUEUE_FACT(0, FULL) + n),
				count(i, QUEUE_FACT(0, OCCUPANCY) + n));
	assert_true(total(QUEUE_FACT(1, FULL), QUEUES) >
		    total(QUEUE_FACT(1, OCCUPANCY), QUEUES));
	assert_true(total(CREDIT_FACT(STALLED), CREDITS) > 0);
	tear_down();
}

/* A credit is held from the egress to the row: that the next message has to
 * wait for, while one that needs none passes. */
static void a_credit_is_waited_for(void **state)
{
	struct mesh_config config = mesh_six_by_six;
	unsigned tgr2 = 2, to = 6 + tgr2;
	uint64_t held = 2 + config.turn_cycles + 1;
	unsigned n = tgr2; /* agent 0, AD */

	(void)state;
	config.transgress = 1;
	set_up(&config, &mesh_plain);
	assert_int_equal(send_one(MESH_AD, 0, to, 0, 1).injected, 0);
	assert_int_equal(send_one(MESH_AD, 0, to, 0, 1).injected, held);
	assert_int_equal(send_one(MESH_AD, 0, 5, 0, 1).injected, 1);
	go_to(100);
	assert_int_equal(count(0, CREDIT_FACT(ACQUIRED) + n), 2);
	assert_int_equal(count(0, CREDIT_FACT(HELD) + n), 2 * held);
	assert_int_equal(count(0, CREDIT_FACT(STALLED) + n), held);
	assert_int_equal(total(CREDIT_FACT(ACQUIRED), CREDITS), 2);
	assert_int_equal(count(2, QUEUE_FACT(1, INSERTS) + MESH_AD), 2);
	assert_int_equal(count(2, QUEUE_FACT(1, OCCUPANCY) + MESH_AD),
			 2 * (config.turn_cycles + 1));
	assert_int_equal(count(2, QUEUE_FACT(1, FULL) + MESH_AD), 2 * held);
	assert_int_equal(total(QUEUE_FACT(0, NACK), QUEUES), 1);
	assert_int_equal(total(QUEUE_FACT(1, NACK), QUEUES), 0);
	tear_down();
}

/* One of them tells uses of columns, and nothing else. */
static void two_boxes_of_a_stop_are_told_the_same(void **state)
{
	enum { N = MESH_NOT_TOLD, DOWN = USE + (MESH_BL * 2 + 1) * 2 };
	static const struct mesh_stop_kind other = {
		.in_use = { USE, N },
		.queues = { { N, N, N, N, N }, { N, N, N, N, N } },
		.acquired = N,
		.held = N,
		.stalled = N,
	};
	struct sigbank *bank;
	struct tap_wish wishes[2] = { { .signal = DOWN },
				      { .signal = DOWN + 1 } };

	(void)state;
	set_up(&mesh_six_by_six, &mesh_plain);
	bank = tap_bank_new(bench.engine.sim, NUM_SIGNALS);
	assert_true(mesh_add_owner(bench.mesh, 3, bank, &other));
	for (unsigned i = 0; i < 2; i++)
		assert_true(tap_sums_begin(bank, &wishes[i]));
	for (unsigned i = 0; i < 9; i++)
		send_one(MESH_BL, i % 3, 3 + i, 0, 2);
	go_to(1000);
	tap_look(bank);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(tap_sums(bank, &wishes[i]).total,
				 count(3, DOWN + i));
		assert_true(count(3, DOWN + i) > 0);
	}
	mesh_free(bench.mesh);
	bench.mesh = NULL;
	tap_bank_free(bank);
	tear_down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_message_from_each_to_each_has_the_mean_of_hops),
		cmocka_unit_test(what_is_sent_is_counted_once),
		cmocka_unit_test(parity_alternates),
		cmocka_unit_test(every_second_tile_is_the_other_way_round),
		cmocka_unit_test(a_slot_is_told_when_it_is_there),
		cmocka_unit_test(a_row_takes_its_cycles),
		cmocka_unit_test(on_an_empty_mesh_nobody_waits),
		cmocka_unit_test(a_queue_of_two_is_full_with_two),
		cmocka_unit_test(queues_count_those_who_wait),
		cmocka_unit_test(a_queue_of_one_is_full_when_it_is_not_empty),
		cmocka_unit_test(a_credit_is_waited_for),
		cmocka_unit_test(two_boxes_of_a_stop_are_told_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
