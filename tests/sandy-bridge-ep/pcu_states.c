/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Power states of the cores: every core is in one of them, stays are as long
 * as the sleeps that the scripts ask for, and a change is what a core does
 * besides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "pcu_rig.h"

enum { CORES = 8, TIMES = 3, STAY = 100000 };

static const unsigned transitions[CORES] = {
	SIG_PCU_CORE0_TRANSITION_CYCLES, SIG_PCU_CORE1_TRANSITION_CYCLES,
	SIG_PCU_CORE2_TRANSITION_CYCLES, SIG_PCU_CORE3_TRANSITION_CYCLES,
	SIG_PCU_CORE4_TRANSITION_CYCLES, SIG_PCU_CORE5_TRANSITION_CYCLES,
	SIG_PCU_CORE6_TRANSITION_CYCLES, SIG_PCU_CORE7_TRANSITION_CYCLES,
};

static uint64_t get(struct pcu_rig *rig, unsigned signal)
{
	return rig_sum(rig, 0, signal);
}

static void check_laws(struct pcu_rig *rig)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CORES; i++)
		sum += get(rig, transitions[i]);
	assert_int_equal(get(rig, SIG_PCU_TOTAL_TRANSITION_CYCLES), sum);
	assert_int_equal(
		get(rig, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C0) +
			get(rig, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C3) +
			get(rig, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C6),
		CORES * get(rig, SIG_PCU_CLOCKTICKS));
}

/* A core's timer wakes it after so long; what it does besides is 1000
 * instructions before each sleep, and saving its state and getting it back. */
static void test_sleeps(void **state)
{
	static const char *const settings[] = { "core.c6_timer=100000", NULL };
	struct pcu_rig rig = { 0 };
	struct power_reading reading;

	(void)state;
	rig.system.cpus[2] = rig_sleeps(TIMES);
	rig.system.cpus[5] = rig_sleeps(TIMES - 1);
	rig_start(&rig, 1, settings);
	system_finish(&rig.system);
	check_laws(&rig);
	assert_int_equal(get(&rig, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C6),
			 (2 * TIMES - 1) * STAY);
	assert_int_equal(get(&rig, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C3), 0);
	for (unsigned i = 0; i < CORES; i++) {
		const struct core *core =
			&rig.system.model->sockets[0]->cores[i];
		unsigned times = i == 2 ? TIMES : i == 5 ? TIMES - 1 : 0;
		uint64_t awake = times * (1000 * 800 / RIG_MHZ);
		uint64_t moving = get(&rig, transitions[i]);

		assert_true(moving + awake <= core_busy_cycles(core));
		assert_true(moving + awake + times + 1 >=
			    core_busy_cycles(core));
		assert_true(!moving == !times);
		core->socket->kind->read_power(core, &reading);
		assert_int_equal(reading.c6_cycles, times * STAY);
	}
	rig_stop(&rig);
}

/* Both cores sleep at once, but for a shift: some core is in C6 as long as the
 * union of their stays, which is one and the shift. */
static void test_residency(void **state)
{
	static const char *const settings[] = { "core.c6_timer=100000", NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	rig.system.cpus[0] = rig_sleeps(1);
	rig.system.cpus[7] = rig_sleeps(1);
	rig.system.cpus[7].steps[0].gap = 1000 + 29 * 1000;
	rig_start(&rig, 1, settings);
	system_finish(&rig.system);
	assert_in_range(get(&rig, SIG_PCU_SOME_CORE_C6), STAY + 8000 - 10,
			STAY + 8000 + 10);
	assert_int_equal(get(&rig, SIG_PCU_SOME_CORE_C3), 0);
	rig_stop(&rig);
}

/* The first sleep is of the state that was asked for; then those are too short
 * for C6, and where the bound is higher for C3, too. */
static void test_demotions(void **state)
{
	static const struct {
		const char *c3;
		uint64_t in_c3;
	} cases[] = {
		{ "pcu.c3_cycles=100000", (TIMES - 1) * STAY },
		{ "pcu.c3_cycles=100001", 0 },
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *const settings[] = { "core.c6_timer=100000",
						 "pcu.c6_cycles=100001",
						 cases[i].c3, NULL };
		struct pcu_rig rig = { 0 };

		rig.system.cpus[4] = rig_sleeps(TIMES);
		rig_start(&rig, 1, settings);
		system_finish(&rig.system);
		check_laws(&rig);
		assert_int_equal(
			get(&rig, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C6),
			STAY);
		assert_int_equal(get(&rig, SIG_PCU_SOME_CORE_C6), STAY);
		assert_int_equal(
			get(&rig, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C3),
			cases[i].in_c3);
		assert_int_equal(get(&rig, SIG_PCU_SOME_CORE_C3),
				 cases[i].in_c3);
		assert_int_equal(get(&rig, SIG_PCU_DEMOTIONS_CORE4), TIMES - 1);
		assert_int_equal(get(&rig, SIG_PCU_DEMOTIONS_CORE3), 0);
		rig_stop(&rig);
	}
}

/* Sleeps that are just as long as pays for C6 are of C6. */
static void test_sleeps_that_just_pay(void **state)
{
	static const char *const settings[] = { "core.c6_timer=100000",
						"pcu.c6_cycles=100000", NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	rig.system.cpus[4] = rig_sleeps(TIMES);
	rig_start(&rig, 1, settings);
	system_finish(&rig.system);
	assert_int_equal(get(&rig, SIG_PCU_POWER_STATE_OCCUPANCY_CORES_C6),
			 TIMES * STAY);
	assert_int_equal(get(&rig, SIG_PCU_DEMOTIONS_CORE4), 0);
	rig_stop(&rig);
}

/* Nobody has to look for the machine to be the same. */
static void test_looks_change_nothing(void **state)
{
	static const char *const settings[] = {
		"core.c6_timer=3000",	"core.turbo=3800",     "heat.rise=80",
		"heat.tau_cycles=2000", "pcu.step_cycles=700", NULL
	};
	uint64_t sums[2][NUM_SIG_PCU];

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct pcu_rig rig = { 0 };

		for (unsigned i = 0; i < CORES; i++)
			rig.system.cpus[i] = i % 2 ? rig_sleeps(4 + i)
						   : rig_computes(100 + i);
		rig_start(&rig, 1, settings);
		for (uint64_t t = 0; t < 300000; t += k ? 777 : 300000) {
			get(&rig, SIG_PCU_FREQUENCY);
			rig_run_to(&rig, t + 1);
		}
		rig_run_to(&rig, 300001);
		check_laws(&rig);
		for (unsigned i = 0; i < NUM_SIG_PCU; i++)
			sums[k][i] = get(&rig, i);
		rig_stop(&rig);
	}
	assert_memory_equal(sums[0], sums[1], sizeof(sums[0]));
	assert_true(sums[0][SIG_PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_residency),
		cmocka_unit_test(test_demotions),
		cmocka_unit_test(test_sleeps_that_just_pay),
		cmocka_unit_test(test_looks_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
