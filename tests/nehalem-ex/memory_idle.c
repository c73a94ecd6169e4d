/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an M-Box does while nobody asks anything of it is worked out when
 * somebody looks. How often somebody looks, who listens and how, and since when
 * must not matter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "memory_rig.h"
#include "model/pmu/counter.h"

enum { CLOCK = RIG_CLOCK, TREFI = 4160 * CLOCK };

static uint64_t first[NUM_SIG_MBOX], second[NUM_SIG_MBOX];

static struct mbox_config idle_config(void)
{
	struct mbox_config config;

	mbox_config_default(&config);
	config.has_check = true;
	return config;
}

static void look(uint64_t *sums)
{
	for (unsigned i = 0; i < NUM_SIG_MBOX; i++)
		sums[i] = rig_sum(i);
}

static void demand_equal(const char *what)
{
	for (unsigned i = 0; i < NUM_SIG_MBOX; i++)
		if (first[i] != second[i])
			fail_msg("%s: signal %u is %llu, not %llu", what, i,
				 (unsigned long long)second[i],
				 (unsigned long long)first[i]);
}

/* A few commands of every kind, then a rest, in turns. */
static void do_something(uint64_t *seed)
{
	for (unsigned i = 0; i < 20; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		rig_command(*seed >> 60 & 1 ? MBOX_CMD_READ : *seed >> 61,
			    *seed >> 30 & 0xfff, i,
			    rig_now() + (*seed >> 33) % 200);
	}
}

static void live(uint64_t cycles, uint64_t step, uint64_t *sums)
{
	uint64_t seed = 7;

	for (uint64_t at = step; at <= cycles; at += step) {
		rig_run_to(at);
		if (at % 60000 == 0)
			do_something(&seed);
	}
	look(sums);
	rig_stop();
}

/* Looked at every 500 cycles, or only when somebody comes. */
static void looking_changes_nothing(void **state)
{
	(void)state;
	for (unsigned policy = 0; policy < 3; policy++) {
		struct mbox_config config = idle_config();

		config.page_policy = policy;
		config.patrol_interval_cycles = 7001;
		rig_start(config, NULL, true);
		live(3000000, 60000, first);
		rig_start(config, NULL, true);
		live(3000000, 500, second);
		demand_equal("looked at often");
	}
}

static void looking_changes_nothing_of_sleep(void **state)
{
	struct mbox_config config = idle_config();

	(void)state;
	config.has_init = true;
	config.power_down_cycles = 3000;
	config.self_refresh_cycles = 30000;
	config.patrol_interval_cycles = 70001;
	rig_start(config, NULL, true);
	live(3000000, 60000, first);
	rig_start(config, NULL, true);
	live(3000000, 500, second);
	demand_equal("looked at often");
	assert_true(first[SIG_MBOX_DRAM_CMD_OTHER] > 100);
}

/* What the scrubber finds wrong is written back in its time. */
static void looking_changes_nothing_of_scrubs(void **state)
{
	(void)state;
	for (unsigned sched = 0; sched < 4; sched++) {
		struct mbox_config config = idle_config();

		config.sched = sched;
		config.patrol_interval_cycles = 37;
		rig_start(config, "ecc:rate=0.3", true);
		live(600000, 60000, first);
		rig_start(config, "ecc:rate=0.3", true);
		live(600000, 500, second);
		demand_equal("looked at often");
		assert_true(first[SIG_MBOX_MEM_ECC_ERR] > 1000);
	}
}

/* The refreshes of eight ranks: n tREFI have 8n of them. Scrubs that meet one
 * are put off; each reads a bank that a refresh has closed. */
static void an_hour_is_closed_form(void **state)
{
	struct mbox_config config = idle_config();
	uint64_t hour = UINT64_C(9600000000000);

	(void)state;
	config.has_check = false;
	rig_start(config, NULL, true);
	rig_run_to(hour + 1);
	assert_int_equal(rig_sum(SIG_MBOX_REFRESH), hour / (TREFI / 8));
	assert_int_equal(rig_sum(SIG_MBOX_PATROL_TXNS), hour / 429153);
	assert_int_equal(rig_sum(SIG_MBOX_ISS_SCHED_FRAME_BEAT), hour / CLOCK);
	assert_int_equal(rig_sum(SIG_MBOX_FRM_TYPE_SYNC),
			 (hour / CLOCK + 41) / 42);
	/* Busy for 86 of 4160 clocks. */
	assert_in_range(rig_sum(SIG_MBOX_REFRESH_CONFLICT) * 4160,
			hour / 429153 * 85, hour / 429153 * 87);
	rig_stop();
}

/* A rest of so long after some cycles with traffic, in steps of so long. */
static void rest(struct mbox_config config, const char *faults, uint64_t cycles,
		 uint64_t step, uint64_t *sums)
{
	uint64_t seed = 7, from;

	config.has_check = false;
	rig_start(config, faults, true);
	rig_run_to(60000);
	do_something(&seed);
	for (from = rig_now(); cycles > step; cycles -= step)
		rig_run_to(from += step);
	rig_run_to(from + cycles);
	look(sums);
	rig_stop();
}

/* Its scrubs and refreshes at once, and one after the other: looked at so often
 * that there is never more than one round of refreshes to be done. */
static void demand_same_rest(struct mbox_config config, const char *faults,
			     uint64_t cycles)
{
	rest(config, faults, cycles, TREFI - 777, first);
	rest(config, faults, cycles, cycles, second);
	demand_equal("at once");
}

/* Scrubs so far apart that they have a closed form, at many distances from
 * refreshes; and others. */
static void a_rest_equals_its_steps(void **state)
{
	static const uint64_t intervals[] = { 4 * TREFI, 4 * TREFI + 5, 104033,
					      29001, 0 };

	(void)state;
	for (unsigned policy = 0; policy < 3; policy++)
		for (unsigned i = 0;
		     i < sizeof(intervals) / sizeof(intervals[0]); i++) {
			struct mbox_config config = idle_config();

			config.page_policy = policy;
			config.patrol_interval_cycles = intervals[i];
			demand_same_rest(config, NULL, 100000000 + 9973 * i);
		}
}

static unsigned pick(uint64_t *seed, const unsigned *values, unsigned num)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return values[(*seed >> 33) % num];
}

#define PICK(...)                                                              \
	pick(&seed, (const unsigned[]){ __VA_ARGS__ },                         \
	     sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

/* Times that bring commands together, and settings without a closed form. */
static void odd_rests_equal_their_steps(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		struct mbox_config config = idle_config();

		config.page_policy = PICK(0, 1, 2, 2);
		config.sched = PICK(0, 1, 2, 3);
		config.patrol_interval_cycles =
			PICK(83201, 83205, 83211, 88007, 124803, 429153);
		config.page_idle_cycles = PICK(5, 100, 1000, 2600, 19000);
		config.page_window = PICK(8, 128);
		config.front_cycles = PICK(0, 1, 20, 200);
		config.sync_frames = PICK(0, 1, 2, 8, 42, 42);
		config.read_queue_entries = PICK(1, 32, 32);
		config.retry_starve_entries = PICK(1, 8, 8);
		config.dram.trefi_clocks = PICK(4160, 4160, 4161, 4159, 800);
		config.dram.zqcal_refreshes = PICK(0, 3, 64, 16384);
		config.dram.trcd_clocks = PICK(1, 7);
		config.dram.buses = PICK(1, 2, 2);
		config.dram.lines_per_stripe = PICK(1, 32);
		demand_same_rest(config, i % 8 ? NULL : "ecc:rate=0.01",
				 20000000 + 9973 * i);
	}
}

/* Who begins to listen in the middle hears of all that comes from then on. */
static void late_listeners_miss_nothing(void **state)
{
	static uint64_t until_then[NUM_SIG_MBOX];

	(void)state;
	for (uint64_t middle = 60001; middle < 60500; middle += 23) {
		struct mbox_config config = idle_config();
		uint64_t seed = 7;

		rig_start(config, NULL, true);
		rig_run_to(60000);
		do_something(&seed);
		rig_run_to(middle);
		look(until_then);
		rig_run_to(200000);
		look(first);
		rig_stop();
		for (unsigned i = 0; i < NUM_SIG_MBOX; i++)
			first[i] -= until_then[i];
		seed = 7;
		rig_start(config, NULL, false);
		rig_run_to(60000);
		do_something(&seed);
		rig_run_to(middle);
		for (unsigned i = 0; i < NUM_SIG_MBOX; i++)
			rig_listen(i);
		rig_run_to(200000);
		look(second);
		rig_stop();
		demand_equal("heard from the middle on");
	}
}

/* Counters that follow their signals cycle by cycle. */
static void followers_hear_the_same(void **state)
{
	static const uint16_t ids[] = {
		SIG_MBOX_REFRESH,
		SIG_MBOX_PATROL_TXNS,
		SIG_MBOX_DRAM_CMD,
		SIG_MBOX_FRM_TYPE_NOP,
		SIG_MBOX_FRM_TYPE_SYNC,
		SIG_MBOX_FRM_TYPE_1CMD,
		SIG_MBOX_FRM_TYPE_3CMD,
		SIG_MBOX_FRM_TYPE_WDAT,
		SIG_MBOX_ISS_SCHED_FRAME_BEAT,
		SIG_MBOX_DRAM_CMD_OTHER,
		SIG_MBOX_DSP_RDQ_EMPTY,
		SIG_MBOX_DSP_WRQ_EMPTY,
	};
	enum { NUM = sizeof(ids) / sizeof(ids[0]) };

	(void)state;
	for (unsigned policy = 0; policy < 3; policy++) {
		struct mbox_config config = idle_config();
		struct counter counters[NUM] = { 0 };

		config.page_policy = policy;
		config.patrol_interval_cycles = 7001;
		rig_start(config, NULL, true);
		live(600000, 60000, first);
		rig_start(config, NULL, false);
		for (unsigned i = 0; i < NUM; i++) {
			struct term term = { .signal = ids[i],
					     .input = TAP_COUNTED };
			struct expression expression = {
				.terms = &term,
				.num_terms = 1,
				.options.threshold = 1,
			};

			assert_true(counter_init(&counters[i], rig.bank, 1));
			counter_configure(&counters[i], &expression, true);
			assert_true(rig.bank->signals[ids[i]].taps->counter);
		}
		for (uint64_t at = 60000, seed = 7; at <= 600000; at += 60000) {
			rig_run_to(at);
			do_something(&seed);
		}
		/* two commands in a cycle are one cycle */
		first[SIG_MBOX_DRAM_CMD] -= first[SIG_MBOX_FRM_TYPE_3CMD];
		for (unsigned i = 0; i < NUM; i++) {
			if (counter_read(&counters[i]) != first[ids[i]])
				fail_msg("signal %u: %llu, not %llu", ids[i],
					 (unsigned long long)counter_read(
						 &counters[i]),
					 (unsigned long long)first[ids[i]]);
			counter_free(&counters[i]);
		}
		rig_stop();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looking_changes_nothing),
		cmocka_unit_test(looking_changes_nothing_of_sleep),
		cmocka_unit_test(looking_changes_nothing_of_scrubs),
		cmocka_unit_test(an_hour_is_closed_form),
		cmocka_unit_test(a_rest_equals_its_steps),
		cmocka_unit_test(odd_rests_equal_their_steps),
		cmocka_unit_test(late_listeners_miss_nothing),
		cmocka_unit_test(followers_hear_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
