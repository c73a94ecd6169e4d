/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is published for cycles to come, and what has been without anybody being
 * told: each test shows the sum that must come out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tap_bench.h"

static void a_later_pulse_comes_in_its_cycle(void **state)
{
	struct bench *bench = *state;

	start(bench);
	sig_later(bench->bank, 0, 9, 5);
	at(bench, 9);
	assert_int_equal(count(bench), 0);
	at(bench, 10);
	assert_int_equal(count(bench), 5);
}

/* Whoever begins to listen in between hears it: events that take turns would
 * lose what is under way else. */
static void a_later_pulse_is_heard_by_who_comes_before_it(void **state)
{
	struct bench *bench = *state;

	sig_later(bench->bank, 0, 3, 1);
	sig_later(bench->bank, 0, 9, 5);
	sig_later(bench->bank, 1, 9, 100);
	at(bench, 5);
	start(bench);
	at(bench, 9);
	assert_int_equal(count(bench), 0);
	at(bench, 10);
	assert_int_equal(count(bench), 5);
	at(bench, 50);
	assert_int_equal(count(bench), 5);
}

/* Two from 10 to 30 and one from 5 to 15, published the later one first:
 * 2 * 20 + 1 * 10; listened to from 12 on, 2 * 18 + 1 * 3. */
static void spans_count_in_any_order(void **state)
{
	struct bench *bench = *state;

	start(bench);
	sig_span(bench->bank, 0, 10, 30, 2);
	sig_span(bench->bank, 0, 5, 15, 1);
	sig_span(bench->bank, 0, 7, 7, 100);
	at(bench, 12);
	assert_int_equal(count(bench), 2 * 2 + 1 * 7);
	stop(bench);
	counter_write(&bench->counter, 0);
	start(bench);
	at(bench, 14);
	assert_int_equal(count(bench), 2 * 2 + 1 * 2);
	at(bench, 1000);
	assert_int_equal(count(bench), 2 * 18 + 1 * 3);
}

/* The same with a threshold of 3: cycles 10 to 14, of which 12 to 14 remain. */
static void spans_are_seen_in_order(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.threshold = 3;
	sig_span(bench->bank, 0, 10, 30, 2);
	sig_span(bench->bank, 0, 5, 15, 1);
	at(bench, 12);
	start(bench);
	at(bench, 1000);
	assert_int_equal(count(bench), 3);
}

/* 20 to 49, 30 to 39 and 45 to 54 together are busy from 20 to 54. */
static void spans_that_overlap_are_busy_once(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.at_least[TAP_COUNTED] = 1;
	start(bench);
	sig_span(bench->bank, 0, 45, 55, 1);
	sig_span(bench->bank, 0, 20, 50, 1);
	at(bench, 5);
	sig_span(bench->bank, 0, 30, 40, 1);
	at(bench, 46);
	assert_int_equal(count(bench), 26);
	at(bench, 99);
	assert_int_equal(count(bench), 35);
}

/* Pulses in cycles 3 to 6 and no edge after the sum of the first two: the
 * cycle before was not empty. */
static void an_edge_after_a_sum_knows_the_cycle_before(void **state)
{
	struct bench *bench = *state;
	struct expression other = bench->expression;
	struct counter second = { 0 };

	other.options.threshold = 1;
	assert_true(counter_init(&second, bench->bank, 1));
	for (unsigned way = 0; way < 2; way++) {
		uint64_t base = 10 * way;

		bench->expression.options.edge_detect = false;
		counter_write(&bench->counter, 0);
		start(bench);
		for (unsigned i = 3; i < 7; i++)
			sig_later(bench->bank, 0, base + i, 1);
		at(bench, base + 5);
		if (way == 1) /* order is wanted by somebody else first */
			counter_configure(&second, &other, true);
		bench->expression.options.edge_detect = true;
		start(bench);
		at(bench, base + 9);
		assert_int_equal(count(bench), 2);
		stop(bench);
	}
	assert_int_equal(counter_read(&second), 2);
	counter_configure(&second, &other, false);
	counter_free(&second);
}

static void settle(void *object)
{
	struct bench *bench = object;
	uint64_t now = sim_now(bench->sim);

	sig_past(bench->bank, 0, now - bench->settled);
	bench->settled = now;
}

/* One event a cycle, of which nobody tells until somebody looks: from 40 on
 * 60, and none of the 40 before. */
static void the_past_is_settled_before_a_look(void **state)
{
	struct bench *bench = *state;

	bench->bank->settle = settle;
	bench->bank->settle_object = bench;
	at(bench, 40);
	start(bench);
	at(bench, 70);
	assert_int_equal(count(bench), 30);
	at(bench, 100);
	stop(bench);
	at(bench, 110);
	assert_int_equal(count(bench), 60);
}

/* Packets of opcodes 0 to 9 in cycles 20, 19 .. 11, and those of opcode 3
 * wanted: cycle 17. */
static void filtered_packets_are_a_sum(void **state)
{
	struct bench *bench = *state;
	struct filter *filter = &bench->terms[0].filter;

	memset(filter->opcodes, 0xff, sizeof(filter->opcodes));
	filter->states = UINT16_MAX;
	filter->care.opcode = 15;
	filter->match.opcode = 3;
	bench->terms[0].filtered = true;
	start(bench);
	for (uint8_t i = 0; i < 10; i++)
		sig_packet_at(bench->bank, 0, 20u - i,
			      &(struct sig_header){ .opcode = i, .flits = 1 });
	at(bench, 17);
	assert_int_equal(count(bench), 0);
	at(bench, 18);
	assert_int_equal(count(bench), 1);
	assert_true(bench->counter.summed);
	at(bench, 50);
	assert_int_equal(count(bench), 1);
}

/* Of packets that nobody was told of, 7 with opcode 3 and 100 with another,
 * after 1000 of before somebody listened. */
static void the_past_of_packets_passes_filters(void **state)
{
	struct sig_header wanted = { .opcode = 3 }, other = { .opcode = 4 };
	struct bench *bench = *state;
	struct filter *filter = &bench->terms[0].filter;

	memset(filter->opcodes, 0xff, sizeof(filter->opcodes));
	filter->states = UINT16_MAX;
	filter->care.opcode = 15;
	filter->match.opcode = 3;
	sig_past_packets(bench->bank, 0, 1000, &wanted);
	bench->terms[0].filtered = true;
	start(bench);
	at(bench, 10);
	sig_past_packets(bench->bank, 0, 7, &wanted);
	sig_past_packets(bench->bank, 0, 100, &other);
	assert_int_equal(count(bench), 7);
	bench->terms[0].filtered = false;
	start(bench);
	at(bench, 20);
	sig_past_packets(bench->bank, 0, 7, &wanted);
	sig_past_packets(bench->bank, 0, 100, &other);
	assert_int_equal(count(bench), 7 + 107);
}

/* One a cycle, and another one from 10 to 509: 1000 at 505. The bound of what
 * is to come is far from it, then near. */
static void what_comes_overflows_in_its_cycle(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.pmi = true;
	counter_write(&bench->counter, WRAP - 1000);
	sig_set(bench->bank, 0, 1);
	start(bench);
	sig_span(bench->bank, 0, 10, 510, 1);
	at(bench, 2000);
	assert_int_equal(bench->num_overflows, 1);
	assert_int_equal(bench->overflow_cycle, 505);
}

/* A sample of 100 pulses, one every 50 cycles from 50 on, is full after cycle
 * 5000; while the end is far, nothing happens for it. */
static void a_far_overflow_costs_no_events(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.pmi = true;
	counter_write(&bench->counter, WRAP - 100);
	start(bench);
	for (uint64_t cycle = 50; cycle < 10000; cycle += 50) {
		at(bench, cycle - 50);
		sig_later(bench->bank, 0, cycle, 1);
		if (cycle == 2000)
			assert_int_equal(sim_num_events(bench->sim), 0);
	}
	assert_int_equal(bench->num_overflows, 1);
	assert_int_equal(bench->overflow_cycle, 5001);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_later_pulse_comes_in_its_cycle),
		TEST(a_later_pulse_is_heard_by_who_comes_before_it),
		TEST(spans_count_in_any_order),
		TEST(spans_are_seen_in_order),
		TEST(spans_that_overlap_are_busy_once),
		TEST(an_edge_after_a_sum_knows_the_cycle_before),
		TEST(the_past_is_settled_before_a_look),
		TEST(filtered_packets_are_a_sum),
		TEST(the_past_of_packets_passes_filters),
		TEST(what_comes_overflows_in_its_cycle),
		TEST(a_far_overflow_costs_no_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
