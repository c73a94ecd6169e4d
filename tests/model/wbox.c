/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The W-Box from outside: cycles at turbo and the rest are the cycles in C0,
 * core clocks are what these cycles make, temperatures follow the exponential
 * that can be computed by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "system_rig.h"

enum {
	MPERF = 0xE7,
	APERF = 0xE8,
	PERF_STATUS = 0x198,
	THERM_STATUS = 0x19C,
	TEMPERATURE_TARGET = 0x1A2,
	C6_RESIDENCY = 0x3FD,
};

#define UNCORE_MHZ 2666.67
#define CORE_MHZ   2400.0

/* A core that computes so many times 1000 instructions, each a core cycle. */
static struct script computes(unsigned times)
{
	return (struct script){
		.steps = { { .gap = 1000, .kind = UNCORE_ACCESS_NONE } },
		.num_steps = 1,
		.repeat = times,
	};
}

static uint64_t get(struct system *system, unsigned cpu, uint32_t address)
{
	uint64_t value;

	if (uncore_model_cpu_read(system->model, cpu, address, &value))
		fail_msg("CPU %u: no register 0x%x", cpu, address);
	return value;
}

static double uncore_cycles(double core_cycles, double mhz)
{
	return core_cycles * UNCORE_MHZ / mhz;
}

/* One core at turbo after the change of its ratio: the counts are those of C0,
 * and what the core's own registers say fits. */
static void test_turbo(void **state)
{
	static const char *const events[] = { "wbox/C_CYCLES_TURBO.CORE0/",
					      "wbox/C_CYCLES_TURBO.CORE1/",
					      NULL };
	struct system system = {
		.sockets = 1,
		.settings = { "core.turbo=2800", "core.ratio_cycles=10000" },
		.cpus = { computes(100) },
	};
	double turbo, c0, clocks, core_mhz_sum;

	(void)state;
	system_start(&system, events);
	system_finish(&system);
	turbo = (double)system_read(&system, 0, 0);
	assert_int_equal(system_read(&system, 1, 0), 0);
	c0 = (double)core_busy_cycles(&system.model->sockets[0]->cores[0]);
	assert_true(turbo == c0 - 10001);
	/* MPERF counts C0 at the TSC's rate, APERF at the clock there was */
	clocks = (double)get(&system, 0, MPERF);
	assert_true(fabs(uncore_cycles(clocks, CORE_MHZ) - c0) < 3);
	clocks = (double)get(&system, 0, APERF);
	core_mhz_sum = turbo * 2800 + (c0 - turbo) * CORE_MHZ;
	assert_true(fabs(clocks - core_mhz_sum / UNCORE_MHZ) < 3);
	/* the work took as long as that many clocks */
	assert_true(fabs(clocks - 100000) < 1500);
	system_end(&system);
}

static uint64_t finish_time(const char *turbo)
{
	struct system system = {
		.sockets = 1,
		.settings = { turbo, "core.ratio_cycles=100" },
		.cpus = { computes(1000) },
	};
	uint64_t cycles;

	system_start(&system, NULL);
	system_finish(&system);
	cycles = core_busy_cycles(&system.model->sockets[0]->cores[0]);
	system_end(&system);
	return cycles;
}

static void test_turbo_is_faster(void **state)
{
	double ratio = (double)finish_time("core.turbo=0") /
		       (double)finish_time("core.turbo=4800");

	(void)state;
	assert_true(fabs(ratio - 2) < 0.01);
}

/* Four may be in C0 at turbo, a fifth ends it for all. */
static void test_few_cores_only(void **state)
{
	static const char *const events[] = { "wbox/C_CYCLES_TURBO.CORE3/",
					      NULL };

	(void)state;
	for (unsigned cores = 4; cores <= 5; cores++) {
		struct system system = {
			.sockets = 1,
			.settings = { "core.turbo=2800",
				      "core.ratio_cycles=1000" },
		};

		for (unsigned i = 0; i < cores; i++)
			system.cpus[i] = computes(100);
		system_start(&system, events);
		system_finish(&system);
		if (cores == 4)
			assert_true(system_read(&system, 0, 0) > 80000);
		else /* at the end one is done before the others */
			assert_true(system_read(&system, 0, 0) < 2000);
		system_end(&system);
	}
}

/* A core that halts before it has its new ratio has given it up. */
static void test_abort(void **state)
{
	static const char *const events[] = { "wbox/RATIO_CHANGE_ABORT.CORE2/",
					      "wbox/RATIO_CHANGE_ABORT.CORE3/",
					      "wbox/C_CYCLES_TURBO.CORE2/",
					      NULL };
	struct system system = {
		.sockets = 1,
		.settings = { "core.turbo=2800", "core.ratio_cycles=50000" },
	};

	(void)state;
	system.cpus[2] = computes(10);
	system_start(&system, events);
	system_finish(&system);
	assert_int_equal(system_read(&system, 0, 0), 1);
	assert_int_equal(system_read(&system, 1, 0), 0);
	assert_int_equal(system_read(&system, 2, 0), 0);
	system_end(&system);
}

/* 55 degrees and 80 more in the end: 95 is reached after tau * ln 2. There the
 * core goes to a third of its clock, so to 55 + 80/9, and leaves 94 behind
 * after tau * ln((95 - 63.9) / (94 - 63.9)). */
static void test_heat(void **state)
{
	static const char *const settings[] = {
		"heat.rise=80",
		"heat.tau_cycles=100000",
		"core.slow_clock=800",
		"core.ratio_cycles=1",
		"heat.tm1_cycles=1000000",
	};
	static const char *const events[] = { "wbox/C_THROTTLE_TMP.CORE0/",
					      "wbox/PROCHOT/",
					      "wbox/C_C0_THROTTLE_DIE.CORE0/",
					      "wbox/TM1_ON.CORE0/", NULL };
	struct system system = { .sockets = 1, .cpus = { computes(1000) } };
	double low = 55 + 80.0 / 9;
	double up = 100000 * log(2), down;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		system.settings[i] = settings[i];
	system_start(&system, events);
	uncore_model_run(system.model, (uint64_t)up - 3);
	assert_int_equal(get(&system, 0, THERM_STATUS) & 3, 0);
	assert_int_equal(system_read(&system, 0, 0), 0);
	uncore_model_run(system.model, 6);
	assert_int_equal(get(&system, 0, THERM_STATUS) & 7, 7);
	assert_int_equal(get(&system, 0, PERF_STATUS), 6);
	down = 100000 * log((95 - low) / (94 - low));
	uncore_model_run(system.model, (uint64_t)down + 10);
	assert_int_equal(get(&system, 0, THERM_STATUS) & 7, 2);
	assert_int_equal(get(&system, 0, PERF_STATUS), 18);
	for (unsigned i = 0; i < 3; i++)
		assert_true(fabs((double)system_read(&system, i, 0) - down) <
			    5);
	assert_int_equal(system_read(&system, 3, 0), 0);
	system_end(&system);
}

/* Where a slower clock is not enough the clock stands half of the time, too. */
static void test_modulation(void **state)
{
	static const char *const settings[] = {
		"heat.rise=300",	"heat.tau_cycles=100000",
		"core.slow_clock=1200", "core.ratio_cycles=1",
		"heat.tm1_cycles=5000",
	};
	static const char *const events[] = { "wbox/C_THROTTLE_TMP.CORE0/",
					      "wbox/C_C0_THROTTLE_DIE.CORE0/",
					      "wbox/TM1_ON.CORE0/", NULL };
	struct system system = { .sockets = 1, .cpus = { computes(1000) } };
	uint64_t hot, slow, modulated;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		system.settings[i] = settings[i];
	system_start(&system, events);
	uncore_model_run(system.model, 1000000);
	hot = system_read(&system, 0, 0);
	slow = system_read(&system, 1, 0);
	modulated = system_read(&system, 2, 0);
	assert_true(modulated > 1000);
	assert_true(modulated < hot);
	assert_true(slow >= hot - 1 && slow <= hot + 1000);
	system_end(&system);
}

/* FORCEPR slows all cores that are in C0, for its time. */
static void test_forced(void **state)
{
	static const char *const events[] = {
		"wbox/C_C0_THROTTLE_PROCHOT.CORE0/",
		"wbox/C_C0_THROTTLE_PROCHOT.CORE1/", "wbox/TM1_ON.CORE0/",
		"wbox/PROCHOT/", NULL
	};
	struct system system = {
		.sockets = 2,
		.settings = { "heat.forcepr_cycles=7000" },
		.faults = { "prochot:at=20000,socket=0" },
		.cpus = { computes(100) },
	};

	(void)state;
	system_start(&system, events);
	uncore_model_run(system.model, 25000);
	assert_int_equal(get(&system, 0, THERM_STATUS) & 12, 12);
	uncore_model_run(system.model, 25000);
	assert_int_equal(get(&system, 0, THERM_STATUS) & 12, 8);
	assert_int_equal(
		uncore_model_cpu_write(system.model, 0, THERM_STATUS, 0), 0);
	assert_int_equal(get(&system, 0, THERM_STATUS) & 12, 0);
	assert_int_equal(system_read(&system, 0, 0), 7000);
	assert_int_equal(system_read(&system, 1, 0), 0);
	assert_int_equal(system_read(&system, 2, 0), 7000);
	assert_int_equal(system_read(&system, 3, 0), 0);
	system_finish(&system);
	/* half of the clocks of that time were missing */
	assert_true(fabs(uncore_cycles((double)get(&system, 0, MPERF) -
					       (double)get(&system, 0, APERF),
				       CORE_MHZ) -
			 3500) < 5);
	system_end(&system);
}

/* Without anything switched on: cool, and one clock. */
static void test_cool(void **state)
{
	struct system system = { .sockets = 1, .cpus = { computes(1000) } };

	(void)state;
	system_start(&system, NULL);
	assert_int_equal(get(&system, 0, TEMPERATURE_TARGET) >> 16 & 0xff, 95);
	assert_int_equal(get(&system, 0, THERM_STATUS) >> 16 & 0x7f, 40);
	system_finish(&system);
	assert_int_equal(get(&system, 0, APERF), get(&system, 0, MPERF));
	assert_int_equal(get(&system, 0, PERF_STATUS), 18);
	assert_in_range(get(&system, 0, THERM_STATUS) >> 16 & 0x7f, 37, 40);
	system_end(&system);
}

/* TSC = MPERF + C6 + C1, where a core that sleeps is in C6. */
static void test_c6(void **state)
{
	struct system system = {
		.sockets = 1,
		.settings = { "core.c6_timer=100000" },
	};
	double c6;

	(void)state;
	system.cpus[4] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_SLEEP } },
		.num_steps = 1,
		.repeat = 3,
	};
	system_start(&system, NULL);
	system_finish(&system);
	c6 = uncore_cycles((double)get(&system, 4, C6_RESIDENCY), CORE_MHZ);
	assert_true(fabs(c6 - 300000) < 3);
	assert_int_equal(get(&system, 3, C6_RESIDENCY), 0);
	system_end(&system);
}

/* Nobody has to look at the clock for the machine to be the same. */
static void test_looks_change_nothing(void **state)
{
	uint64_t counts[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		static const char *const events[] = {
			"wbox/C_CYCLES_TURBO.CORE0/", NULL
		};
		struct system system = {
			.sockets = 1,
			.settings = { "core.turbo=2800",
				      "core.ratio_cycles=5000", "heat.rise=80",
				      "heat.tau_cycles=30000" },
			.cpus = { computes(200) },
		};

		system_start(&system, events);
		while (!uncore_model_finish(system.model, i ? 7777 : 0, NULL))
			get(&system, 0, THERM_STATUS);
		counts[i] = system_read(&system, 0, 0);
		system_end(&system);
	}
	assert_int_equal(counts[0], counts[1]);
	assert_true(counts[0] > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turbo),
		cmocka_unit_test(test_turbo_is_faster),
		cmocka_unit_test(test_few_cores_only),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_heat),
		cmocka_unit_test(test_modulation),
		cmocka_unit_test(test_forced),
		cmocka_unit_test(test_cool),
		cmocka_unit_test(test_c6),
		cmocka_unit_test(test_looks_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
