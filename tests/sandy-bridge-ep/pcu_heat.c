/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Temperatures of the cores and of their regulator: when they cross their
 * thresholds can be computed by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "pcu_rig.h"

enum { END = 200000, TAU = 30000 };

/* From 55 degrees towards 115: at 95 after tau * ln(60 / 20). Nothing is done
 * about it so soon. */
static void test_hot(void **state)
{
	static const char *const settings[] = { "heat.rise=60",
						"heat.tau_cycles=30000",
						"pcu.step_cycles=1000000",
						NULL };
	struct pcu_rig rig = { .system.cpus = { rig_computes(10000) } };
	double hot = END - TAU * log(3);

	(void)state;
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	assert_true(
		fabs((double)rig_sum(&rig, 0, SIG_PCU_PROCHOT_INTERNAL_CYCLES) -
		     hot) < 2);
	assert_int_equal(
		rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES), 0);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_PROCHOT_EXTERNAL_CYCLES), 0);
	rig_stop(&rig);
}

/* Every 5000 cycles 100 MHz less, until the temperature is below 94; then 100
 * MHz more, until it is at 95. With one voltage it goes to 55 + 60 r / 29: 92.2
 * with r = 18, 94.3 with 19, 96.4 with 20. So the clock goes 18, 19, 20, 19 and
 * again. */
static void steps_with(const char *cores)
{
	const char *const settings[] = { "heat.rise=60",
					 "heat.tau_cycles=3000",
					 "pcu.step_cycles=5000",
					 "pcu.voltage=1",
					 "pcu.slow_voltage=1",
					 cores,
					 NULL };
	struct pcu_rig rig = { .system.cpus = { rig_computes(10000) } };
	uint64_t before;
	double mean;

	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END / 2);
	before = rig_sum(&rig, 0, SIG_PCU_FREQUENCY);
	rig_run_to(&rig, END);
	mean = (double)(rig_sum(&rig, 0, SIG_PCU_FREQUENCY) - before) /
	       (END / 2);
	assert_true(mean > 18.8 && mean < 19.2);
	assert_int_equal(
		rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES) +
			rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_OS_CYCLES),
		END);
	assert_true(rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_OS_CYCLES) < 9000);
	rig_stop(&rig);
}

static void test_steps(void **state)
{
	(void)state;
	steps_with("cores=8");
	steps_with("cores=4");
}

/* The same as the first, but slower from 11000 to 32700, by PROCHOT. */
static void test_hot_later(void **state)
{
	static const char *const settings[] = { "heat.rise=60",
						"heat.tau_cycles=30000",
						"pcu.voltage=1",
						"pcu.slow_voltage=1",
						"pcu.step_cycles=1000000",
						NULL };
	struct pcu_rig rig = { .system.cpus = { rig_computes(10000) } };
	double slow = 55 + 60 * 12 / 29.0, degrees;

	(void)state;
	rig.system.faults[0] = "prochot:count=1";
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	degrees = 115 - 60 * exp(-11000.0 / TAU);
	degrees = slow + (degrees - slow) * exp(-21700.0 / TAU);
	assert_true(
		fabs((double)rig_sum(&rig, 0, SIG_PCU_PROCHOT_INTERNAL_CYCLES) -
		     (END - 32700 - TAU * log((115 - degrees) / 20))) < 3);
	rig_stop(&rig);
}

/* Four cores of 10 W at 1 V draw 40 A of 80, so the regulator goes to a quarter
 * of 240 degrees above 55; at 110 after tau * ln(60 / 5). */
static void test_regulator(void **state)
{
	static const char *const settings[] = {
		"pcu.regulator_rise=240",
		"pcu.regulator_tau_cycles=30000",
		"pcu.step_cycles=1000000",
		"pcu.voltage=1",
		"pcu.slow_voltage=1",
		"pcu.current_limit=80",
		NULL
	};
	struct pcu_rig rig = { 0 };

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		rig.system.cpus[i] = rig_computes(10000);
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	assert_true(fabs((double)rig_sum(&rig, 0, SIG_PCU_VR_HOT_CYCLES) -
			 (END - TAU * log(12))) < 2);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_PROCHOT_INTERNAL_CYCLES), 0);
	rig_stop(&rig);
}

/* Cooling down again below the threshold and 1 degree, half way: 95 from 115
 * after a time that was enough for 114. */
static void test_cool(void **state)
{
	static const char *const settings[] = { "heat.rise=60",
						"heat.tau_cycles=3000",
						"pcu.step_cycles=1000000",
						NULL };
	struct pcu_rig rig = { .system.cpus = { rig_computes(362) } };
	double hot, busy;

	(void)state;
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	busy = (double)core_busy_cycles(
		&rig.system.model->sockets[0]->cores[0]);
	/* hot at 3000 ln 3; from 115 to 94 in 3000 ln(60 / 39) */
	hot = busy - 3000 * log(3) + 3000 * log(60.0 / 39);
	assert_true(
		fabs((double)rig_sum(&rig, 0, SIG_PCU_PROCHOT_INTERNAL_CYCLES) -
		     hot) < 3);
	rig_stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hot),   cmocka_unit_test(test_hot_later),
		cmocka_unit_test(test_steps), cmocka_unit_test(test_regulator),
		cmocka_unit_test(test_cool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
