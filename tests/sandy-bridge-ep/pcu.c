/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The frequency: how fast the cores may be by the sums of the guide and of
 * Intel's tables, how long a change takes, and what the events say of both.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/pcu.h"
#include "pcu_rig.h"

enum { END = 100000, LONG = 1000, CORES = 8 };

static void work(struct pcu_rig *rig, unsigned first, unsigned num)
{
	for (unsigned i = first; i < first + num; i++)
		rig->system.cpus[i] = rig_computes(LONG);
}

/* Ratio times cycles: `low` for so many cycles, `high` for the rest. */
static uint64_t area(unsigned low, uint64_t cycles, unsigned high)
{
	return low * cycles + high * (END - cycles);
}

/* Nobody limits it, nothing changes. */
static void test_rest(void **state)
{
	static const char *const settings[] = { NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	work(&rig, 0, 1);
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_CLOCKTICKS), END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQUENCY), 29 * END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_OS_CYCLES), END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_TRANS_CYCLES), 0);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_VOLT_TRANS_CYCLES_CHANGE), 0);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_MEMORY_PHASE_SHEDDING_CYCLES),
			 0);
	rig_stop(&rig);
}

static uint64_t reg(const struct pcu_rig *rig, uint32_t address)
{
	uint64_t value = 0;

	assert_int_equal(
		uncore_model_cpu_read(rig->system.model, 1, address, &value),
		0);
	return value;
}

/* Energy is power times time, in units of 1/65536 J: of the cores 10 kW each
 * while they work at their nominal clock, of the rest 5 kW; of the memory 7 W a
 * channel, and 0.1 mJ a line. */
static void test_energy(void **state)
{
	static const char *const settings[] = {
		"pcu.core_power=10000",	  "pcu.idle_power=5000",
		"pcu.power_limit=100000", "pcu.current_limit=100000",
		"imc.line_energy=100000", "imc.idle_power=7",
		"pcu.regulator_rise=0",	  NULL
	};
	const double unit = 65536;
	enum { LINES = 500 };

	(void)state;
	for (unsigned cores = 1; cores <= CORES; cores += 7) {
		struct pcu_rig rig = { 0 };
		double seconds;

		work(&rig, 0, cores - 1);
		rig.system.cpus[cores - 1] = (struct script){
			.steps = { { .gap = 100, .kind = UNCORE_ACCESS_READ } },
			.num_steps = 1,
			.repeat = LINES,
			.spread = 1,
		};
		rig_start(&rig, 1, settings);
		seconds = END / uncore_model_clock_hz(rig.system.model);
		assert_int_equal(reg(&rig, 0x606), 0xa1003);
		assert_int_equal(reg(&rig, 0x611), 0);
		rig_run_to(&rig, END);
		assert_true(fabs((double)(reg(&rig, 0x611) - reg(&rig, 0x639)) -
				 5000 * seconds * unit) < 2);
		assert_true(fabs((double)reg(&rig, 0x619) -
				 (28 * seconds + LINES * 1e-4) * unit) < 2);
		/* The one that reads may be done and halted before. */
		assert_true((double)reg(&rig, 0x639) <=
			    cores * 10000 * seconds * unit);
		assert_true((double)reg(&rig, 0x639) >
			    (cores - 0.9) * 10000 * seconds * unit);
		rig_stop(&rig);
	}
}

/* The package is as hot as its hottest core. */
static void test_package_heat(void **state)
{
	static const char *const settings[] = { "heat.tau_cycles=1000",
						"heat.ambient=50",
						"heat.rise=20",
						"heat.target=100", NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	work(&rig, 3, 1);
	rig_start(&rig, 1, settings);
	assert_int_equal(reg(&rig, 0x1b1) >> 16 & 0x7f, 50);
	rig_run_to(&rig, END);
	assert_int_equal(reg(&rig, 0x1b1) >> 16 & 0x7f, 30);
	assert_int_equal(reg(&rig, 0x19c) >> 16 & 0x7f, 50);
	rig_stop(&rig);
}

/* Turbo by cores in C0, as Intel gives it for the E5-2690: 9, 9, 7, 5, 5, 5, 4
 * and 4 steps above 2.9 GHz, from cycle 1 on. */
static void test_turbo(void **state)
{
	static const char *const settings[] = { "core.turbo=3800", NULL };
	static const unsigned steps[CORES + 1] = { 0, 9, 9, 7, 5, 5, 5, 4, 4 };

	(void)state;
	for (unsigned cores = 1; cores <= CORES; cores++) {
		struct pcu_rig rig = { 0 };
		uint64_t volt = steps[cores] * VOLT;

		work(&rig, 0, cores);
		rig_start(&rig, 1, settings);
		rig_run_to(&rig, END);
		assert_int_equal(
			rig_sum(&rig, 0, SIG_PCU_FREQUENCY),
			area(29, 1 + volt + SWITCH, 29 + steps[cores]));
		assert_int_equal(
			rig_sum(&rig, 0, SIG_PCU_VOLT_TRANS_CYCLES_INCREASE),
			volt);
		assert_int_equal(
			rig_sum(&rig, 0, SIG_PCU_VOLT_TRANS_CYCLES_DECREASE),
			0);
		assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_TRANS_CYCLES),
				 SWITCH);
		/* what is asked for is there for two; a bin is no limit */
		assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_OS_CYCLES),
				 cores <= 2 ? END - 1 : 0);
		rig_stop(&rig);
	}
}

/* Who has nothing to do does not become faster. */
static void test_turbo_of_nobody(void **state)
{
	static const char *const settings[] = { "core.turbo=3800", NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	work(&rig, 0, 1);
	rig_start(&rig, 2, settings);
	rig_run_to(&rig, END);
	assert_int_equal(rig_sum(&rig, 1, SIG_PCU_FREQUENCY), 29 * END);
	assert_true(rig_sum(&rig, 0, SIG_PCU_FREQUENCY) > 37 * END);
	rig_stop(&rig);
}

/* The work takes as long as the clock says. */
static uint64_t finish(const char *limit)
{
	const char *const settings[] = { limit, NULL };
	struct pcu_rig rig = { 0 };
	uint64_t cycles;

	rig.system.cpus[3] = rig_computes(200);
	rig_start(&rig, 1, settings);
	system_finish(&rig.system);
	cycles = core_busy_cycles(&rig.system.model->sockets[0]->cores[3]);
	rig_stop(&rig);
	return cycles;
}

static void test_pace(void **state)
{
	(void)state;
	assert_true(fabs((double)finish("core.os_limit=0") -
			 200000 * 800.0 / 2900) < 300);
	assert_true(fabs((double)finish("core.os_limit=1450") -
			 200000 * 800.0 / 1500) < 600);
	assert_true(fabs((double)finish("core.os_limit=2000") -
			 200000 * 800.0 / 2000) < 400);
}

/* What the core's registers say of 2 GHz: the ratio, and APERF / MPERF. */
static void test_registers(void **state)
{
	static const char *const settings[] = { "core.os_limit=2000", NULL };
	enum { MPERF = 0xE7, APERF = 0xE8, PERF_STATUS = 0x198 };
	struct pcu_rig rig = { 0 };
	uint64_t status, aperf, mperf;

	(void)state;
	work(&rig, 2, 1);
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	assert_int_equal(uncore_model_cpu_read(rig.system.model, 2, PERF_STATUS,
					       &status),
			 0);
	assert_int_equal(
		uncore_model_cpu_read(rig.system.model, 2, APERF, &aperf), 0);
	assert_int_equal(
		uncore_model_cpu_read(rig.system.model, 2, MPERF, &mperf), 0);
	assert_int_equal(status, 20 << 8);
	assert_int_equal(aperf, END * UINT64_C(2000) / 800);
	assert_int_equal(mperf, END * UINT64_C(2900) / 800);
	rig_stop(&rig);
}

/* The same over a change: 2.9 GHz until cycle 1901, then 3.8. */
static void test_clocks(void **state)
{
	static const char *const settings[] = { "core.turbo=3800", NULL };
	struct pcu_rig rig = { 0 };
	uint64_t switched = 1 + 9 * VOLT + SWITCH, aperf;

	(void)state;
	work(&rig, 0, 1);
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	assert_int_equal(
		uncore_model_cpu_read(rig.system.model, 0, 0xE8, &aperf), 0);
	assert_int_equal(aperf,
			 (switched * 2900 + (END - switched) * 3800) / 800);
	rig_stop(&rig);
}

/* With one voltage for all, power and current are as the clock. A package of
 * 30 W and eight cores of 10 W at 2.9 GHz has within 100 W r / 29 * 80 <= 70,
 * so r = 25; within 55 A at 1 V r / 29 * 80 <= 55, so r = 19. With 20 mV less
 * for each 100 MHz, 80 W need r / 29 * V^2 * 80 <= 50: 53.6 with r = 24 and
 * 0.90 V, 49.1 with r = 23 and 0.88 V. */
static void test_limits(void **state)
{
	static const char *const powers[] = { "pcu.voltage=1",
					      "pcu.slow_voltage=1",
					      "pcu.power_limit=100", NULL };
	static const char *const currents[] = { "pcu.voltage=1",
						"pcu.slow_voltage=1",
						"pcu.current_limit=55", NULL };
	static const char *const voltages[] = { "pcu.voltage=1",
						"pcu.slow_voltage=0.66",
						"pcu.power_limit=80", NULL };
	static const struct {
		const char *const *settings;
		unsigned signal, ratio;
	} cases[] = {
		{ voltages, SIG_PCU_FREQ_MAX_POWER_CYCLES, 23 },
		{ powers, SIG_PCU_FREQ_MAX_POWER_CYCLES, 25 },
		{ currents, SIG_PCU_FREQ_MAX_CURRENT_CYCLES, 19 },
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct pcu_rig rig = { 0 };
		unsigned ratio = cases[i].ratio;

		work(&rig, 0, CORES);
		rig_start(&rig, 1, cases[i].settings);
		rig_run_to(&rig, END);
		assert_int_equal(rig_sum(&rig, 0, cases[i].signal), END - 1);
		assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQUENCY),
				 area(29, 1 + SWITCH, ratio));
		assert_int_equal(
			rig_sum(&rig, 0, SIG_PCU_VOLT_TRANS_CYCLES_DECREASE),
			(29 - ratio) * VOLT);
		rig_stop(&rig);
	}
}

/* One limit at a time: seven cores of 10 W and 30 W are within 100 W. */
static void test_limit_of_number(void **state)
{
	static const char *const settings[] = { "pcu.voltage=1",
						"pcu.slow_voltage=1",
						"pcu.power_limit=100", NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	work(&rig, 0, CORES - 1);
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_POWER_CYCLES), 0);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_OS_CYCLES), END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQUENCY), 29 * END);
	rig_stop(&rig);
}

/* It is over, and was there until the log is cleared. */
static void check_log(const struct socket *socket)
{
	struct power_reading reading;

	socket->kind->read_power(&socket->cores[1], &reading);
	assert_false(reading.is_forced);
	assert_true(reading.was_forced);
	assert_false(reading.was_hot);
	socket->kind->clear_power_log(&socket->cores[1], false, true);
	socket->kind->read_power(&socket->cores[1], &reading);
	assert_false(reading.was_forced);
}

/* A PROCHOT from outside, of 20000 cycles: down to 1.2 GHz by a switch, after
 * which the voltage falls 17 steps; back by 17 steps and a switch. */
static void test_prochot(void **state)
{
	static const char *const settings[] = { NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	work(&rig, 0, 2);
	rig.system.faults[0] = "prochot:count=1";
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_PROCHOT_EXTERNAL_CYCLES),
			 20000);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_PROCHOT_INTERNAL_CYCLES), 0);
	assert_int_equal(
		rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES), 20000);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_MAX_OS_CYCLES),
			 END - 20000);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_VOLT_TRANS_CYCLES_INCREASE),
			 17 * VOLT);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_VOLT_TRANS_CYCLES_DECREASE),
			 17 * VOLT);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_TRANS_CYCLES),
			 2 * SWITCH);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQUENCY),
			 area(12, 20000 + 17 * VOLT, 29));
	check_log(rig.system.model->sockets[0]);
	rig_stop(&rig);
}

/* Bands: at 2.0 GHz for all cycles; no cycles above, all at or below. */
static void test_bands(void **state)
{
	static const char *const events[] = { "pcu/FREQ_BAND0_CYCLES,band0=12/",
					      "pcu/FREQ_BAND1_CYCLES,band1=20/",
					      "pcu/FREQ_BAND2_CYCLES,band2=21/",
					      "pcu/FREQ_BAND3_CYCLES/", NULL };
	struct system system = {
		.machine = "xeon-e5-2600",
		.sockets = 1,
		.settings = { "uncore.clock=800", "qpi.rate=6.4",
			      "core.os_limit=2000" },
	};

	(void)state;
	system_start(&system, events);
	uncore_model_run(system.model, END);
	assert_int_equal(system_read(&system, 0, 0), END);
	assert_int_equal(system_read(&system, 1, 0), END);
	assert_int_equal(system_read(&system, 2, 0), 0);
	assert_int_equal(system_read(&system, 3, 0), END); /* band of 0 */
	system_end(&system);
}

/* Two sockets, of which the first works: the other one's cores have been idle
 * for 5000 cycles, but are kept at 2.0 GHz for it. */
static void test_peers(void **state)
{
	static const char *const settings[] = { "pcu.idle_cycles=5000",
						"pcu.peers_clock=2000", NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	work(&rig, 0, 1);
	rig_start(&rig, 2, settings);
	rig_run_to(&rig, END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQUENCY), 29 * END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_MIN_PERF_P_CYCLES), 0);
	assert_int_equal(rig_sum(&rig, 1, SIG_PCU_FREQUENCY),
			 area(29, 5000 + SWITCH, 20));
	assert_int_equal(rig_sum(&rig, 1, SIG_PCU_FREQ_MIN_PERF_P_CYCLES),
			 END - 5000);
	assert_int_equal(rig_sum(&rig, 1, SIG_PCU_FREQ_MAX_OS_CYCLES), 5000);
	rig_stop(&rig);
}

/* PROCHOT in cycles 10000 to 30000 is stronger than that. */
static void test_limit_of_peers(void **state)
{
	static const char *const settings[] = { "pcu.idle_cycles=5000",
						"pcu.peers_clock=2000", NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	work(&rig, 0, 1);
	rig.system.faults[0] = "prochot:count=1,socket=1";
	rig_start(&rig, 2, settings);
	rig_run_to(&rig, END);
	assert_int_equal(rig_sum(&rig, 1, SIG_PCU_FREQ_MIN_PERF_P_CYCLES),
			 END - 5000 - 20000);
	assert_int_equal(
		rig_sum(&rig, 1, SIG_PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES), 20000);
	rig_stop(&rig);
}

/* The first socket's core sleeps for 20000 cycles, then works: both sockets
 * have become slow, and become faster again. */
static void test_end_of_idleness(void **state)
{
	static const char *const settings[] = { "pcu.idle_cycles=5000",
						"pcu.peers_clock=2000",
						"core.c6_timer=20000", NULL };
	static const unsigned late[] = { 29, 20 };
	struct pcu_rig rig = { 0 };
	uint64_t before;

	(void)state;
	rig.system.cpus[0] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_SLEEP },
			   { .kind = UNCORE_ACCESS_NONE, .gap = 1000000 } },
		.num_steps = 2,
		.repeat = 1,
	};
	rig_start(&rig, 2, settings);
	rig_run_to(&rig, 18000);
	for (unsigned i = 0; i < 2; i++) {
		before = rig_sum(&rig, i, SIG_PCU_FREQUENCY);
		rig_run_to(&rig, 18001 + i);
		assert_int_equal(rig_sum(&rig, i, SIG_PCU_FREQUENCY),
				 before + 12);
	}
	assert_int_equal(rig_sum(&rig, 1, SIG_PCU_FREQ_MIN_PERF_P_CYCLES), 0);
	rig_run_to(&rig, END);
	for (unsigned i = 0; i < 2; i++) {
		before = rig_sum(&rig, i, SIG_PCU_FREQUENCY);
		rig_run_to(&rig, END + 1 + i);
		assert_int_equal(rig_sum(&rig, i, SIG_PCU_FREQUENCY),
				 before + late[i]);
	}
	assert_in_range(rig_sum(&rig, 1, SIG_PCU_FREQ_MIN_PERF_P_CYCLES),
			END - 25000, END - 20000);
	rig_stop(&rig);
}

/* Nobody works: 1.2 GHz from cycle 5000 on, but for I/O in 20000 cycles, which
 * begins when the voltage has fallen by 17 steps, and for which it rises by 8.
 */
static void test_io(void **state)
{
	static const char *const settings[] = { "pcu.idle_cycles=5000",
						"pcu.io_clock=2000", NULL };
	struct pcu_rig rig = { 0 };
	struct ep *ep;
	uint64_t sum = 29 * (5000 + SWITCH);

	(void)state;
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, 30000);
	ep = rig.system.model->sockets[0]->ep;
	pcu_io_until(ep->sockets[0].pcu, 40000);
	rig_run_to(&rig, 35000);
	pcu_io_until(ep->sockets[0].pcu, 50000);
	rig_run_to(&rig, END);
	/* 1.2 GHz until 30001 + 8 steps + switch; 2.0 until 50000 + switch */
	sum += 12 * (30001 + 8 * VOLT + SWITCH - 5000 - SWITCH);
	sum += 20 * (50000 + SWITCH - (30001 + 8 * VOLT + SWITCH));
	sum += 12 * (END - 50000 - SWITCH);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQUENCY), sum);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_MIN_IO_P_CYCLES),
			 50000 - 30001);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_FREQ_MIN_PERF_P_CYCLES), 0);
	rig_stop(&rig);
}

/* A quiet memory is found so for the second time in cycle 2000. */
static void test_shedding(void **state)
{
	static const char *const settings[] = { "pcu.shed_cycles=1000", NULL };
	struct pcu_rig rig = { 0 };

	(void)state;
	rig_start(&rig, 1, settings);
	rig_run_to(&rig, END);
	assert_int_equal(rig_sum(&rig, 0, SIG_PCU_MEMORY_PHASE_SHEDDING_CYCLES),
			 END - 2000);
	rig_stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_energy),
		cmocka_unit_test(test_package_heat),
		cmocka_unit_test(test_turbo),
		cmocka_unit_test(test_turbo_of_nobody),
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_limit_of_number),
		cmocka_unit_test(test_prochot),
		cmocka_unit_test(test_bands),
		cmocka_unit_test(test_peers),
		cmocka_unit_test(test_limit_of_peers),
		cmocka_unit_test(test_end_of_idleness),
		cmocka_unit_test(test_io),
		cmocka_unit_test(test_shedding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
