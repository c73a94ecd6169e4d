/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A core's own counters against what can be computed by hand: traffic of known
 * instructions, windows of enabling, overflows, events that are not modelled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core_rig.h"

static void test_counts(void **state)
{
	struct rig rig;
	uint64_t cycles, misses, references;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 2000;
	rig_put(&rig, 0, FIXED_CTRL, 0x333);
	rig_put(&rig, 0, EVTSEL0, SELECT(0xC0, 0x00));
	rig_put(&rig, 0, EVTSEL0 + 1, SELECT(0x3C, 0x00));
	rig_put(&rig, 0, EVTSEL0 + 2, SELECT(0x2E, 0x4F));
	rig_put(&rig, 0, EVTSEL0 + 3, SELECT(0x2E, 0x41));
	rig_put(&rig, 0, CTRL, ALL_COUNTERS);
	rig_start(&rig);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, FIXED0), 2000 * GAP);
	assert_int_equal(rig_get(&rig, 0, PMC0), 2000 * GAP);
	cycles = rig_get(&rig, 0, FIXED1);
	assert_int_equal(rig_get(&rig, 0, PMC0 + 1), cycles);
	assert_int_equal(rig_get(&rig, 0, FIXED2), cycles);
	assert_int_equal(rig_get(&rig, 0, APERF), cycles);
	assert_int_equal(rig_get(&rig, 0, MPERF), cycles);
	/* one cycle each, and less than memory takes for all one by one */
	assert_in_range(cycles, 2000 * GAP - 1, 2000 * (GAP + 400));
	references = rig_get(&rig, 0, PMC0 + 2);
	misses = rig_get(&rig, 0, PMC0 + 3);
	assert_int_equal(references, 2000);
	assert_int_equal(misses, 2000);
	assert_string_equal(rig.log, "");
	/* halted: nothing moves but the TSC */
	uncore_model_run(rig.model, 1000000);
	assert_int_equal(rig_get(&rig, 0, FIXED1), cycles);
	assert_int_equal(rig_get(&rig, 0, MPERF), cycles);
	assert_true(rig_get(&rig, 0, TSC) > cycles + 800000);
	uncore_model_free(rig.model);
}

/* Without memory the instructions keep the pace of the clock. */
static void test_pace(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[5] = 1000000;
	rig.traffic.is_computed = true;
	rig_put(&rig, 5, FIXED_CTRL, 0x333);
	rig_put(&rig, 5, CTRL, ALL_COUNTERS);
	rig_start(&rig);
	for (unsigned i = 1; i <= 400; i++) {
		uint64_t cycles;

		uncore_model_run(rig.model, i);
		cycles = rig_tsc_of(uncore_model_cycle(rig.model));
		assert_int_equal(rig_get(&rig, 5, FIXED1), cycles);
		assert_in_range(rig_get(&rig, 5, FIXED0) + 1, cycles,
				cycles + 2);
	}
	uncore_model_free(rig.model);
}

/* Cycles that `num` times GAP instructions take which say what they do, without
 * memory or with reads. */
static uint64_t cycles_of(uint32_t cycles, bool is_computed, unsigned num)
{
	uint64_t passed;
	struct rig rig;

	rig_set_up(&rig);
	rig.traffic.left[0] = num;
	rig.traffic.is_computed = is_computed;
	rig.traffic.cycles = cycles;
	rig_put(&rig, 0, FIXED_CTRL, 0x333);
	rig_put(&rig, 0, CTRL, ALL_COUNTERS);
	rig_start(&rig);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, FIXED0), num * GAP);
	passed = rig_get(&rig, 0, FIXED1);
	uncore_model_free(rig.model);
	return passed;
}

/* Traffic may say what its instructions take. */
static void test_own_cycles(void **state)
{
	(void)state;

	assert_in_range(cycles_of(25, true, 4000), 99999, 100001);
	assert_in_range(cycles_of(1700, true, 400), 679999, 680001);
}

/* Of reads 100 instructions apart two fit into a window of 128, so every other
 * one is 72 instructions behind what the one before let run: these take what
 * they say they do. */
static void test_held_up(void **state)
{
	uint64_t quick = cycles_of(25, false, 2000);
	uint64_t plain = cycles_of(0, false, 2000);
	uint64_t slow = cycles_of(200, false, 2000);
	(void)state;

	/* what memory takes differs a little with the moment */
	assert_in_range(plain - quick, 1000 * (72 - 18) * 85 / 100,
			1000 * (72 - 18) * 115 / 100);
	assert_in_range(slow - plain, 1000 * (144 - 72) * 85 / 100,
			1000 * (144 - 72) * 115 / 100);
}

/* An access that waits for another has not retired, all before it has. */
static void test_waits(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 3;
	rig.traffic.is_chain = true;
	rig_put(&rig, 0, FIXED_CTRL, 0x003);
	rig_put(&rig, 0, CTRL, ALL_COUNTERS);
	rig_start(&rig);
	uncore_model_run(rig.model, 260); /* time enough for 2 * GAP */
	assert_int_equal(rig_get(&rig, 0, FIXED0), 2 * GAP - 1);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, FIXED0), 3 * GAP);
	uncore_model_free(rig.model);
}

/* Lines that go back are no references. */
static void test_write_backs(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 600;
	rig.traffic.is_written = true;
	rig_put(&rig, 0, EVTSEL0, SELECT(0x2E, 0x4F));
	rig_put(&rig, 0, EVTSEL0 + 1, SELECT(0x2E, 0x41));
	rig_put(&rig, 0, EVTSEL0 + 2, SELECT(0xC0, 0x01));
	rig_start(&rig);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, PMC0), 300);
	assert_int_equal(rig_get(&rig, 0, PMC0 + 1), 300);
	assert_int_equal(rig_get(&rig, 0, PMC0 + 2), 600 * GAP);
	uncore_model_free(rig.model);
}

/* A counter that would need edges or comparison counts nothing instead of
 * something else. */
static void test_stands_still(void **state)
{
	static const unsigned bits[] = { 1u << 18, 1u << 23, 1u << 24 };
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 10;
	for (unsigned i = 0; i < 3; i++)
		rig_put(&rig, 0, EVTSEL0 + i, SELECT(0xC0, 0x00) | bits[i]);
	rig_put(&rig, 0, EVTSEL0 + 3, SELECT(0xC0, 0x00));
	rig_start(&rig);
	rig_finish(&rig);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(rig_get(&rig, 0, PMC0 + i), 0);
	assert_int_equal(rig_get(&rig, 0, PMC0 + 3), 10 * GAP);
	uncore_model_free(rig.model);
}

/* A CPU without traffic is halted once its last access is done. */
static void test_halted(void **state)
{
	struct rig rig;
	uint64_t cycles, tsc;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 1000;
	rig_put(&rig, 0, FIXED_CTRL, 0x333);
	rig_put(&rig, 0, CTRL, ALL_COUNTERS);
	rig_start(&rig);
	uncore_model_run(rig.model, 20000);
	assert_int_equal(rig_get(&rig, 0, FIXED1), rig_tsc_of(20000));
	rig.traffic.is_paused = true;
	assert_true(uncore_model_run_dry(rig.model, 0));
	cycles = rig_get(&rig, 0, FIXED1);
	uncore_model_settle(rig.model);
	assert_true(rig_get(&rig, 0, FIXED1) > cycles);
	cycles = rig_get(&rig, 0, FIXED1);
	tsc = rig_get(&rig, 0, TSC);
	uncore_model_run(rig.model, 1000000);
	assert_int_equal(rig_get(&rig, 0, FIXED1), cycles);
	assert_int_equal(rig_get(&rig, 0, MPERF), cycles);
	assert_in_range(rig_get(&rig, 0, TSC) - tsc, 899998, 900000);
	rig.traffic.is_paused = false;
	uncore_model_wake(rig.model, 0);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, FIXED0), 1000 * GAP);
	assert_true(rig_get(&rig, 0, FIXED1) > cycles);
	uncore_model_free(rig.model);
}

/* The second time the LLC has the lines. */
static void test_hits(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig_put(&rig, 0, EVTSEL0, SELECT(0x2E, 0x4F));
	rig_put(&rig, 0, EVTSEL0 + 1, SELECT(0x2E, 0x41));
	for (unsigned round = 0; round < 2; round++) {
		rig.traffic.line = 0;
		rig.traffic.left[0] = 500;
		rig_start(&rig);
		rig_finish(&rig);
	}
	assert_int_equal(rig_get(&rig, 0, PMC0), 1000);
	assert_int_equal(rig_get(&rig, 0, PMC0 + 1), 500);
	uncore_model_free(rig.model);
}

/* Only what happens while all three enables are set counts. */
static void test_windows(void **state)
{
	struct rig rig;
	uint64_t before, first, second;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 100000;
	rig_put(&rig, 0, FIXED_CTRL, 0x033);
	rig_put(&rig, 0, CTRL, ALL_COUNTERS);
	rig_start(&rig);
	uncore_model_run(rig.model, 10000);
	before = rig_get(&rig, 0, FIXED0);
	assert_in_range(before, 1000, 9000 * 100);
	rig_put(&rig, 0, EVTSEL0, SELECT(0xC0, 0x00));
	uncore_model_run(rig.model, 10000);
	rig_put(&rig, 0, CTRL, ALL_COUNTERS & ~UINT64_C(1));
	first = rig_get(&rig, 0, PMC0);
	assert_int_equal(first, rig_get(&rig, 0, FIXED0) - before);
	uncore_model_run(rig.model, 10000);
	assert_int_equal(rig_get(&rig, 0, PMC0), first);
	rig_put(&rig, 0, CTRL, ALL_COUNTERS);
	before = rig_get(&rig, 0, FIXED0);
	uncore_model_run(rig.model, 10000);
	rig_put(&rig, 0, EVTSEL0, SELECT(0xC0, 0x00) & ~(1u << 22));
	second = rig_get(&rig, 0, PMC0);
	assert_int_equal(second - first, rig_get(&rig, 0, FIXED0) - before);
	assert_true(second > first);
	uncore_model_run(rig.model, 10000);
	assert_int_equal(rig_get(&rig, 0, PMC0), second);
	/* no privilege level: nothing */
	rig_put(&rig, 0, EVTSEL0, SELECT(0xC0, 0x00) & ~(3u << 16));
	uncore_model_run(rig.model, 10000);
	assert_int_equal(rig_get(&rig, 0, PMC0), second);
	/* a fixed counter by its own control */
	rig_put(&rig, 0, FIXED_CTRL, 0x030);
	before = rig_get(&rig, 0, FIXED0);
	uncore_model_run(rig.model, 10000);
	assert_int_equal(rig_get(&rig, 0, FIXED0), before);
	uncore_model_free(rig.model);
}

static void test_other_event(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 1000;
	rig_put(&rig, 0, FIXED_CTRL, 0x003);
	rig_put(&rig, 0, CTRL, ALL_COUNTERS);
	rig_put(&rig, 0, EVTSEL0, SELECT(0xC0, 0x00));
	rig_start(&rig);
	uncore_model_run(rig.model, 20000);
	rig_put(&rig, 0, EVTSEL0, SELECT(0x3C, 0x00));
	rig_put(&rig, 0, PMC0, 0);
	rig_put(&rig, 0, FIXED1, 0);
	rig_put(&rig, 0, FIXED_CTRL, 0x033);
	uncore_model_run(rig.model, 20000);
	assert_int_equal(rig_get(&rig, 0, PMC0),
			 rig_tsc_of(40000) - rig_tsc_of(20000));
	assert_int_equal(rig_get(&rig, 0, FIXED1),
			 rig_tsc_of(40000) - rig_tsc_of(20000));
	uncore_model_free(rig.model);
}

static void test_overflow(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 1000;
	rig_put(&rig, 0, FIXED_CTRL, 0x033);
	rig_put(&rig, 0, CTRL, ALL_COUNTERS);
	rig_put(&rig, 0, EVTSEL0 + 2, SELECT(0xC0, 0x00));
	rig_put(&rig, 0, PMC0 + 2, 0xFFFFFFFF); /* -1 */
	assert_int_equal(rig_get(&rig, 0, PMC0 + 2), UINT64_C(0xFFFFFFFFFFFF));
	rig_put(&rig, 0, FIXED0, UINT64_C(0xFFFFFFFFFFFF) - 1000 * GAP + 1);
	assert_int_equal(rig_get(&rig, 0, STATUS), 0);
	rig_start(&rig);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, STATUS),
			 UINT64_C(1) << 32 | UINT64_C(1) << 2);
	assert_int_equal(rig_get(&rig, 0, FIXED0), 0);
	assert_int_equal(rig_get(&rig, 0, PMC0 + 2), 1000 * GAP - 1);
	rig_put(&rig, 0, OVF_CTRL, 1 << 2);
	assert_int_equal(rig_get(&rig, 0, STATUS), UINT64_C(1) << 32);
	assert_int_equal(rig_get(&rig, 0, OVF_CTRL), 0);
	rig_put(&rig, 0, OVF_CTRL, UINT64_C(0xE00000070000000F));
	assert_int_equal(rig_get(&rig, 0, STATUS), 0);
	assert_int_equal(rig_get(&rig, 1, STATUS), 0);
	uncore_model_free(rig.model);
}

/* 32 bits with their sign; the rest of the 64 is ignored. */
static void test_counter_writes(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig_put(&rig, 0, PMC0, 0x7FFFFFFF);
	assert_int_equal(rig_get(&rig, 0, PMC0), 0x7FFFFFFF);
	rig_put(&rig, 0, PMC0, 0x80000000);
	assert_int_equal(rig_get(&rig, 0, PMC0), UINT64_C(0xFFFF80000000));
	rig_put(&rig, 0, PMC0, UINT64_C(0x1234567800000001));
	assert_int_equal(rig_get(&rig, 0, PMC0), 1);
	rig_put(&rig, 0, FIXED1, UINT64_C(0xFFFFFFFFFFFF));
	assert_int_equal(rig_get(&rig, 0, FIXED1), UINT64_C(0xFFFFFFFFFFFF));
	rig_refuse(&rig, FIXED1, UINT64_C(1) << 48);
	assert_int_equal(rig_get(&rig, 0, FIXED1), UINT64_C(0xFFFFFFFFFFFF));
	uncore_model_free(rig.model);
}

static void test_two_cpus(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[1] = 100;
	rig.traffic.left[12] = 300;
	for (unsigned cpu = 0; cpu < NUM_CPUS; cpu++) {
		rig_put(&rig, cpu, FIXED_CTRL, cpu == 13 ? 0 : 0x333);
		rig_put(&rig, cpu, CTRL, ALL_COUNTERS);
	}
	rig_start(&rig);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, FIXED0), 0);
	assert_int_equal(rig_get(&rig, 0, FIXED1), 0);
	assert_int_equal(rig_get(&rig, 1, FIXED0), 100 * GAP);
	assert_int_equal(rig_get(&rig, 12, FIXED0), 300 * GAP);
	assert_int_equal(rig_get(&rig, 13, FIXED_CTRL), 0);
	assert_int_equal(rig_get(&rig, 12, FIXED_CTRL), 0x333);
	assert_true(rig_get(&rig, 12, APERF) > rig_get(&rig, 1, APERF));
	uncore_model_free(rig.model);
}

static void test_not_modelled(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig_put(&rig, 0, EVTSEL0, SELECT(0xC4, 0x00) & ~(1u << 22));
	assert_string_equal(rig.log, ""); /* not enabled */
	rig_put(&rig, 0, EVTSEL0, SELECT(0xC4, 0x00));
	assert_non_null(strstr(rig.log, "BRANCH_INSTRUCTIONS_RETIRED"));
	assert_non_null(strstr(rig.log, "not modelled"));
	rig.log[0] = '\0';
	rig_put(&rig, 0, EVTSEL0, SELECT(0xB0, 0x01));
	assert_non_null(strstr(rig.log, "event 0xb0, unit mask 0x01"));
	rig.log[0] = '\0';
	/* one of its bits means nothing */
	rig_put(&rig, 0, EVTSEL0, SELECT(0xF1, 0x03));
	assert_non_null(strstr(rig.log, "event 0xf1, unit mask 0x03"));
	rig.log[0] = '\0';
	rig_put(&rig, 0, EVTSEL0 + 1, SELECT(0x51, 0x01));
	assert_string_equal(rig.log, "");
	rig_put(&rig, 0, EVTSEL0 + 2, SELECT(0x51, 0x01));
	assert_non_null(strstr(rig.log, "L1D.REPL"));
	assert_non_null(strstr(rig.log, "other counters"));
	rig.log[0] = '\0';
	rig_put(&rig, 0, EVTSEL0, SELECT(0xC0, 0x00) | 1u << 18);
	assert_non_null(strstr(rig.log, "edge"));
	assert_non_null(strstr(rig.log, "not modelled"));
	assert_int_equal(rig_get(&rig, 0, EVTSEL0),
			 SELECT(0xC0, 0x00) | 1u << 18);
	rig.log[0] = '\0';
	rig_put(&rig, 0, 0x1D9, 1); /* branch records */
	assert_non_null(strstr(rig.log, "IA32_DEBUGCTL.lbr"));
	uncore_model_free(rig.model);
}

/* Traffic that keeps to itself what its private caches do: such events stand
 * still and say so, when the traffic comes or when they are enabled. */
static void test_not_told(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 100;
	rig_put(&rig, 0, EVTSEL0, SELECT(0xCB, 0x41));
	rig_put(&rig, 0, EVTSEL0 + 1, SELECT(0xCB, 0x10));
	assert_string_equal(rig.log, "");
	rig_start(&rig);
	assert_non_null(strstr(rig.log, "event 0xcb, unit mask 0x41"));
	assert_non_null(strstr(rig.log, "does not tell"));
	assert_null(strstr(rig.log, "0x10"));
	rig.log[0] = '\0';
	rig_put(&rig, 0, EVTSEL0 + 2, SELECT(0x24, 0xFF));
	assert_non_null(strstr(rig.log, "L2_RQSTS.REFERENCES"));
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, PMC0), 0);
	assert_int_equal(rig_get(&rig, 0, PMC0 + 1), 100);
	assert_int_equal(rig_get(&rig, 0, PMC0 + 2), 0);
	uncore_model_free(rig.model);
}

/* What the register of off-core requests says counts from then on. */
static void test_offcore(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	rig.traffic.left[0] = 100;
	rig_put(&rig, 0, EVTSEL0, SELECT(0xB7, 0x01));
	rig_start(&rig);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, PMC0), 0);
	rig_put(&rig, 0, 0x1A6, 0x4001);
	assert_int_equal(rig_get(&rig, 0, PMC0), 0);
	rig.traffic.left[0] = 50;
	rig_start(&rig);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, PMC0), 50);
	rig_put(&rig, 0, 0x1A6, 0x0001);
	rig.traffic.left[0] = 30;
	rig_start(&rig);
	rig_finish(&rig);
	assert_int_equal(rig_get(&rig, 0, PMC0), 50);
	uncore_model_free(rig.model);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_told),
		cmocka_unit_test(test_offcore),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_own_cycles),
		cmocka_unit_test(test_held_up),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_write_backs),
		cmocka_unit_test(test_stands_still),
		cmocka_unit_test(test_halted),
		cmocka_unit_test(test_hits),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_other_event),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_counter_writes),
		cmocka_unit_test(test_two_cpus),
		cmocka_unit_test(test_not_modelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
