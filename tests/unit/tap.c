/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Taps and counters without registers: each test moves signals by hand and
 * shows the sum that must come out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tap_bench.h"

/* Two entries from 100, one from 107, none from 110: 2 * 7 + 1 * 3. */
static void a_level_is_summed_over_its_cycles(void **state)
{
	struct bench *bench = *state;

	start(bench);
	at(bench, 100);
	sig_add(bench->bank, 0, 2);
	at(bench, 107);
	sig_add(bench->bank, 0, -1);
	at(bench, 110);
	sig_add(bench->bank, 0, -1);
	at(bench, 1000);
	assert_int_equal(count(bench), 2 * 7 + 1 * 3);
}

/* Enter and leave within one cycle: nobody saw it. */
static void a_level_of_no_cycle_counts_nothing(void **state)
{
	struct bench *bench = *state;

	start(bench);
	at(bench, 5);
	sig_add(bench->bank, 0, 1);
	sig_add(bench->bank, 0, -1);
	at(bench, 9);
	assert_int_equal(count(bench), 0);
}

/* A read in cycle t sees the cycles before t. */
static void a_pulse_is_seen_in_the_next_cycle(void **state)
{
	struct bench *bench = *state;

	start(bench);
	at(bench, 5);
	sig_pulse(bench->bank, 0, 3);
	sig_pulse(bench->bank, 0, 1);
	assert_int_equal(count(bench), 0);
	at(bench, 6);
	assert_int_equal(count(bench), 4);
	at(bench, 60);
	assert_int_equal(count(bench), 4);
}

/* Level 3 from 0 to 20, counted from 4 to 10 and from 15 to 17: 3 * 8. */
static void only_enabled_cycles_count(void **state)
{
	struct bench *bench = *state;

	sig_set(bench->bank, 0, 3);
	at(bench, 4);
	start(bench);
	at(bench, 10);
	stop(bench);
	at(bench, 15);
	start(bench);
	at(bench, 17);
	stop(bench);
	at(bench, 20);
	assert_int_equal(count(bench), 3 * 8);
	assert_null(bench->bank->signals[0].taps);
}

/* Levels 1, 2, 3 for 10 cycles each against a threshold of 2. */
static void threshold_and_invert_share_the_cycles(void **state)
{
	struct bench *bench = *state;

	for (unsigned invert = 0; invert < 2; invert++) {
		uint64_t base = 30 * invert;

		bench->expression.options.threshold = 2;
		bench->expression.options.invert = invert;
		counter_write(&bench->counter, 0);
		sig_set(bench->bank, 0, 1);
		start(bench);
		at(bench, base + 10);
		sig_set(bench->bank, 0, 2);
		at(bench, base + 20);
		sig_set(bench->bank, 0, 3);
		at(bench, base + 30);
		assert_int_equal(count(bench), invert ? 10 : 20);
		stop(bench);
	}
}

/* A level from 105 to 115 is a single stretch, of which the counter adds up
 * five cycles and is made to look for edges in the middle: it finds none,
 * however much has been published then, so that what is past has left the log.
 */
static void a_full_log_remembers_the_last_cycle(void **state)
{
	struct bench *bench = *state;

	for (unsigned num = 0; num < 2000; num += 1000) {
		uint64_t base = sim_now(bench->sim) + 100;

		bench->expression.options.edge_detect = false;
		start(bench);
		at(bench, base);
		counter_write(&bench->counter, 0);
		sig_span(bench->bank, 0, base + 5, base + 10, 1);
		at(bench, base + 10);
		for (unsigned i = 0; i < num; i++)
			sig_span(bench->bank, 1, base + 20 + i, base + 30 + i,
				 1);
		bench->expression.options.edge_detect = true;
		start(bench);
		sig_span(bench->bank, 0, base + 10, base + 15, 1);
		at(bench, base + 50);
		assert_int_equal(count(bench), 5);
	}
}

/* Busy 10-20, 20-25 (one stretch), 30-40: two edges; with the signal already up
 * at the enable only the second one is an edge. */
static void edges_are_counted_once_per_stretch(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.edge_detect = true;
	for (unsigned late = 0; late < 2; late++) {
		uint64_t base = 100 * late;

		counter_write(&bench->counter, 0);
		if (!late)
			start(bench);
		at(bench, base + 10);
		sig_span(bench->bank, 0, base + 10, base + 20, 1);
		at(bench, base + 12);
		start(bench);
		at(bench, base + 20);
		sig_span(bench->bank, 0, base + 20, base + 25, 1);
		at(bench, base + 30);
		sig_span(bench->bank, 0, base + 30, base + 40, 1);
		at(bench, base + 50);
		assert_int_equal(count(bench), late ? 1 : 2);
		stop(bench);
	}
}

/* Pulses in cycles 3, 4 and 6 are two stretches. */
static void edges_of_pulses_join_in_neighbouring_cycles(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.edge_detect = true;
	start(bench);
	for (uint64_t cycle = 3; cycle < 7; cycle++) {
		at(bench, cycle);
		if (cycle != 5)
			sig_pulse(bench->bank, 0, 1);
	}
	at(bench, 20);
	assert_int_equal(count(bench), 2);
}

/* Occupancy 5 of 32 entries for 100 cycles: 500 / 32 = 15, 20 left over; 12
 * more make the next. */
static void an_accumulator_counts_its_carries(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.accumulate = 32;
	sig_set(bench->bank, 0, 5);
	start(bench);
	at(bench, 100);
	assert_int_equal(count(bench), 15);
	sig_set(bench->bank, 0, 1);
	at(bench, 111);
	assert_int_equal(count(bench), 15);
	at(bench, 112);
	assert_int_equal(count(bench), 16);
	counter_reset(&bench->counter);
	at(bench, 112 + 31);
	assert_int_equal(count(bench), 0);
	at(bench, 112 + 32);
	assert_int_equal(count(bench), 1);
}

/* The 7-bit tally starts at 0 whatever the queue holds: 3 leave unnoticed, then
 * 2 enter for 10 cycles. */
static void a_tally_follows_the_queue_from_zero(void **state)
{
	struct bench *bench = *state;

	sig_set(bench->bank, 0, 3);
	bench->expression.options.tally_bits = 7;
	stop(bench); /* selected, not enabled: it follows all the same */
	sig_set(bench->bank, 0, 0);
	sig_set(bench->bank, 0, 2);
	start(bench);
	at(bench, 10);
	assert_int_equal(count(bench), 2 * 10);
	counter_reset_tally(&bench->counter);
	at(bench, 20);
	assert_int_equal(count(bench), 2 * 10);
	sig_add(bench->bank, 0, 127);
	sig_add(bench->bank, 0, 2); /* 129 modulo 128 */
	at(bench, 21);
	assert_int_equal(count(bench), 2 * 10 + 1);
}

/* Signal 0 is counted, signal 1 opens the gate in cycles 10 to 19. */
static void a_gate_lets_only_its_cycles_through(void **state)
{
	struct bench *bench = *state;

	bench->expression.num_terms = 2;
	bench->terms[1].signal = 1;
	bench->terms[1].input = TAP_GATE;
	bench->expression.options.gated = true;
	start(bench);
	sig_set(bench->bank, 0, 4);
	at(bench, 10);
	sig_span(bench->bank, 1, 10, 20, 1);
	at(bench, 19);
	sig_pulse(bench->bank, 0, 7);
	at(bench, 20);
	sig_pulse(bench->bank, 0, 7);
	at(bench, 50);
	assert_int_equal(count(bench), 4 * 10 + 7);
}

/* Two levels of 1 and 2: at least 3 in the cycles in which both are up. */
static void at_least_compares_the_sum(void **state)
{
	struct bench *bench = *state;

	bench->expression.num_terms = 2;
	bench->terms[1].signal = 1;
	bench->expression.options.at_least[TAP_COUNTED] = 3;
	start(bench);
	sig_set(bench->bank, 0, 1);
	at(bench, 10);
	sig_set(bench->bank, 1, 2);
	at(bench, 25);
	sig_set(bench->bank, 0, 0);
	at(bench, 99);
	assert_int_equal(count(bench), 15);
}

/* Three a cycle from WRAP - 7: 7 / 3 rounded up is 3 cycles, 2 too many. */
static void a_counter_that_stops_holds_what_it_wrapped_to(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.stops = true;
	counter_write(&bench->counter, WRAP - 7);
	sig_set(bench->bank, 0, 3);
	start(bench);
	at(bench, 100);
	assert_int_equal(count(bench), 2);
	assert_int_equal(bench->num_overflows, 1);
	counter_resume(&bench->counter);
	at(bench, 104);
	assert_int_equal(count(bench), 2 + 3 * 4);
}

/* A stopped counter goes on when wrap_mode is set. */
static void a_counter_that_wraps_is_not_stopped(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.stops = true;
	counter_write(&bench->counter, WRAP - 1);
	sig_set(bench->bank, 0, 1);
	start(bench);
	at(bench, 10);
	assert_int_equal(count(bench), 0);
	bench->expression.options.stops = false;
	start(bench);
	at(bench, 17);
	assert_int_equal(count(bench), 7);
}

/* From 5 down by 2 a cycle: 3, 1, then under 0. */
static void counting_down_borrows_below_zero(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.down = true;
	counter_write(&bench->counter, 5);
	sig_set(bench->bank, 0, 2);
	start(bench);
	at(bench, 2);
	assert_int_equal(count(bench), 1);
	assert_int_equal(bench->num_overflows, 0);
	at(bench, 3);
	assert_int_equal(count(bench), WRAP - 1);
	assert_int_equal(bench->num_overflows, 1);
}

/* From 6 down by 2 a cycle: 0 is no borrow, what comes after it is. */
static void counting_down_to_nothing_is_no_overflow(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.down = true;
	counter_write(&bench->counter, 6);
	sig_set(bench->bank, 0, 2);
	start(bench);
	at(bench, 3);
	assert_int_equal(count(bench), 0);
	assert_int_equal(bench->num_overflows, 0);
	at(bench, 4);
	assert_int_equal(count(bench), WRAP - 2);
	assert_int_equal(bench->num_overflows, 1);
}

/* Nothing moves, yet the overflow is seen in its cycle: 1000 cycles of 1. */
static void an_overflow_needs_no_change_to_be_seen(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.pmi = true;
	counter_write(&bench->counter, WRAP - 1000);
	sig_set(bench->bank, 0, 1);
	start(bench);
	at(bench, 1000000);
	assert_int_equal(bench->num_overflows, 1);
	assert_int_equal(bench->overflow_cycle, 1000);
}

/* 2^36 cycles of 1 away: first out of reach, then computed. */
static void a_far_overflow_is_seen_in_its_cycle(void **state)
{
	struct bench *bench = *state;
	uint64_t far = UINT64_C(1) << 36;

	bench->expression.options.pmi = true;
	counter_write(&bench->counter, WRAP - far);
	sig_set(bench->bank, 0, 1);
	start(bench);
	at(bench, far + 5);
	assert_int_equal(bench->num_overflows, 1);
	assert_int_equal(bench->overflow_cycle, far);
}

/* Occupancy 3 into modulus 8 with 20 carries to go: 160 / 3 rounded up. A pulse
 * of 20 in the first cycle saves 20: (160 - 23) / 3 rounded up, plus 1. */
static void an_accumulator_overflows_in_its_cycle(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.pmi = true;
	bench->expression.options.accumulate = 8;
	counter_write(&bench->counter, WRAP - 20);
	sig_set(bench->bank, 0, 3);
	start(bench);
	at(bench, 100);
	assert_int_equal(bench->overflow_cycle, 54);
	stop(bench);
	counter_reset(&bench->counter);
	counter_write(&bench->counter, WRAP - 20);
	start(bench);
	sig_pulse(bench->bank, 0, 20);
	at(bench, 300);
	assert_int_equal(bench->overflow_cycle, 100 + 1 + 46);
}

/* Threshold 1 inverted with edges: a pulse makes the condition 0, the cycle
 * after it is the edge that overflows. */
static void an_edge_after_a_pulse_overflows_in_its_cycle(void **state)
{
	struct bench *bench = *state;

	bench->expression.options.pmi = true;
	bench->expression.options.edge_detect = true;
	bench->expression.options.threshold = 1;
	bench->expression.options.invert = true;
	counter_write(&bench->counter, WRAP - 1);
	start(bench);
	at(bench, 7);
	sig_pulse(bench->bank, 0, 1);
	at(bench, 50);
	assert_int_equal(bench->num_overflows, 1);
	assert_int_equal(bench->overflow_cycle, 9);
}

/* An untapped signal only keeps its level. */
static void nobody_listening_keeps_the_level(void **state)
{
	struct bench *bench = *state;

	sig_add(bench->bank, 2, 5);
	sig_pulse(bench->bank, 2, 5);
	assert_int_equal(bench->bank->signals[2].level, 5);
	assert_false(sig_is_tapped(bench->bank, 2));
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_level_is_summed_over_its_cycles),
		TEST(a_level_of_no_cycle_counts_nothing),
		TEST(a_pulse_is_seen_in_the_next_cycle),
		TEST(only_enabled_cycles_count),
		TEST(threshold_and_invert_share_the_cycles),
		TEST(a_full_log_remembers_the_last_cycle),
		TEST(edges_are_counted_once_per_stretch),
		TEST(edges_of_pulses_join_in_neighbouring_cycles),
		TEST(an_accumulator_counts_its_carries),
		TEST(a_tally_follows_the_queue_from_zero),
		TEST(a_gate_lets_only_its_cycles_through),
		TEST(at_least_compares_the_sum),
		TEST(a_counter_that_stops_holds_what_it_wrapped_to),
		TEST(a_counter_that_wraps_is_not_stopped),
		TEST(counting_down_borrows_below_zero),
		TEST(counting_down_to_nothing_is_no_overflow),
		TEST(an_overflow_needs_no_change_to_be_seen),
		TEST(a_far_overflow_is_seen_in_its_cycle),
		TEST(an_accumulator_overflows_in_its_cycle),
		TEST(an_edge_after_a_pulse_overflows_in_its_cycle),
		TEST(nobody_listening_keeps_the_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
