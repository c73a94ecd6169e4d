/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Temperatures against closed forms, trip points, and throttling. DIMM 0 is on
 * bus 0, with the ranks 0 and 1 of it (banks 0 to 15).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memory_rig.h"
#include "model/pmu/counter.h"

enum { LOOK = 1000, TAU = 200000 };

/* Small time constants, so that something happens within a test. */
static struct mbox_config warm(void)
{
	struct mbox_config config = rig_config();

	config.heat.look_cycles = LOOK;
	config.heat.tau_cycles = TAU;
	config.heat.ambient_c = 40;
	config.heat.resistance_k_per_w = 10;
	config.heat.idle_w = 1;
	config.heat.column_nj = 100;
	config.heat.row_nj = 0;
	config.heat.cycle_ns = 0.375;
	config.heat.lo_c = 200;
	config.heat.mid_c = 210;
	return config;
}

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-6 * fabs(expected))
		fail_msg("%.9f is not %.9f", value, expected);
}

static void idle_dimm_stays_as_warm_as_it_is(void **state)
{
	struct mbox_config config = warm();

	(void)state;
	config.heat.lo_c = 45; /* below the 50 degrees of an idle one */
	config.heat.mid_c = 60;
	rig_start(config, NULL, true);
	rig_run(20 * LOOK + 1);
	for (unsigned i = 0; i < 4; i++)
		assert_near(memory_temperature(rig.memory, i), 50);
	assert_int_equal(rig_sum(SIG_MBOX_THERM_TRP_UP_GT_LO), 0);
	rig_stop();
}

/* Ten reads in 1000 cycles: 10 * 100 nJ in 375 ns, 2.667 W more than idle. The
 * temperature rises from 50 towards 76.67 degrees with the time constant. */
static void steady_traffic_warms_exponentially(void **state)
{
	struct mbox_config config = warm();
	double aim = 40 + (1 + 10 * 100 / 375.0) * 10;

	(void)state;
	config.heat.lo_c = 99; /* worth looking at, but never reached */
	config.heat.mid_c = 100;
	rig_start(config, NULL, true);
	for (unsigned i = 0; i < 500 * 10; i++) {
		rig_run(50);
		rig_send(MBOX_CMD_READ, rig_line(0, 5, i % 256), i % 64);
		rig_run(50);
		if (i % 1000 == 999) {
			double time = (i + 1) * 100.0;

			assert_near(memory_temperature(rig.memory, 0),
				    aim + (50 - aim) * exp(-time / TAU));
		}
	}
	assert_near(memory_temperature(rig.memory, 1), 50);
	rig_stop();
}

/* Counts the cycles in which there is any of a signal. */
static void count_busy(struct counter *counter, unsigned id)
{
	struct term term = { .signal = (uint16_t)id, .input = TAP_COUNTED };
	struct expression expression = { .terms = &term, .num_terms = 1 };

	expression.options.at_least[TAP_COUNTED] = 1;
	assert_true(counter_init(counter, rig.bank, 1));
	counter_configure(counter, &expression, true);
}

/* One strike: up through LO and MID, turn, and down again. */
static void ramp_crosses_each_trip_point_once(void **state)
{
	static const struct {
		unsigned signal, expected;
	} cases[] = {
		{ SIG_MBOX_THERM_TRP_UP_LT_LO, 1 },
		{ SIG_MBOX_THERM_TRP_UP_GT_LO, 1 },
		{ SIG_MBOX_THERM_TRP_UP_GT_MID_FALL, 0 },
		{ SIG_MBOX_THERM_TRP_UP_GT_MID_RISE, 1 },
		{ SIG_MBOX_THERM_TRP_DN_GT_MID_RISE, 1 },
		{ SIG_MBOX_THERM_TRP_DN_GT_MID_FALL, 1 },
		{ SIG_MBOX_THERM_TRP_DN_GT_LO, 1 },
		{ SIG_MBOX_THERM_TRP_DN_LT_LO, 1 },
	};
	enum { NUM = sizeof(cases) / sizeof(cases[0]) };
	struct mbox_config config = warm();
	struct counter counters[NUM] = { 0 };

	(void)state;
	config.heat.lo_c = 80;
	config.heat.mid_c = 85;
	config.heat.fault_k = 50;
	config.heat.fault_cycles = 100000;
	rig_start(config, "heat:count=1", true);
	for (unsigned i = 0; i < NUM; i++)
		count_busy(&counters[i], cases[i].signal);
	rig_run(300000);
	for (unsigned i = 0; i < NUM; i++) {
		assert_int_equal(counter_read(&counters[i]), cases[i].expected);
		counter_free(&counters[i]);
	}
	for (unsigned i = 0; i < NUM; i++)
		for (unsigned dimm = 0; dimm < 8; dimm++)
			assert_int_equal(rig_sum(cases[i].signal + dimm),
					 dimm % 4 == 0 ? cases[i].expected : 0);
	/* Told in status frames: LO, MID, turn, MID, LO. */
	assert_int_equal(rig_sum(SIG_MBOX_SMI_NB_TRIG), 5);
	rig_stop();
}

/* A second strike while the DIMM cools down makes it rise again. */
static void falling_dimm_may_rise_again(void **state)
{
	struct mbox_config config = warm();

	(void)state;
	config.dram.buses = 1;
	config.dram.ranks = 1; /* one DIMM that every strike meets */
	config.heat.lo_c = 80;
	config.heat.mid_c = 85;
	config.heat.fault_k = 50;
	config.heat.fault_cycles = 100000;
	rig_start(config, "heat:rate=0.02", true);
	rig_run(3000000);
	assert_in_range(rig_sum(SIG_MBOX_THERM_TRP_UP_GT_MID_FALL), 1, 100);
	assert_in_range(rig_sum(SIG_MBOX_THERM_TRP_UP_GT_MID_RISE),
			rig_sum(SIG_MBOX_THERM_TRP_UP_GT_MID_FALL), 100);
	rig_stop();
}

/* Above MID a rank works half of the time. */
static void hot_dimm_rests(void **state)
{
	struct mbox_config config = warm();
	uint64_t rest = 0;

	(void)state;
	config.heat.ambient_c = 90;
	config.heat.lo_c = 80;
	config.heat.mid_c = 85;
	config.heat.throttle_cycles = 10000;
	rig_start(config, NULL, true);
	rig_run(10000);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0),
		 1); /* in the rest: from 10000 to 20000 */
	rig_run(9000);
	assert_int_equal(rig_num_answers(), 0);
	assert_int_equal(rig_sum(SIG_MBOX_TT_CMD_CONFLICT), 1);
	rig_run(1163);
	assert_int_equal(rig.answers[1], 20000 + 162);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 1), 2);
	rig_run(1000);
	assert_int_equal(rig_num_answers(), 2);
	for (unsigned i = 0; i < rig.num_commands; i++)
		if (rig.commands[i].cmd != DRAM_IBD)
			rest += rig.commands[i].clock * RIG_CLOCK / 10000 % 2;
	assert_int_equal(rest, 0);
	assert_int_equal(rig_sum(SIG_MBOX_TT_CMD_CONFLICT), 1);
	rig_stop();
}

/* A machine that is never too warm has no event for it. */
static void cool_dimms_are_not_looked_at(void **state)
{
	struct mbox_config config = rig_config();
	uint64_t before;

	(void)state;
	rig_start(config, NULL, false);
	rig_run(10);
	before = sim_num_events(rig.ex.engine.sim);
	rig_run(1000000);
	assert_int_equal(sim_num_events(rig.ex.engine.sim), before);
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(idle_dimm_stays_as_warm_as_it_is),
		cmocka_unit_test(steady_traffic_warms_exponentially),
		cmocka_unit_test(ramp_crosses_each_trip_point_once),
		cmocka_unit_test(falling_dimm_may_rise_again),
		cmocka_unit_test(hot_dimm_rests),
		cmocka_unit_test(cool_dimms_are_not_looked_at),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
