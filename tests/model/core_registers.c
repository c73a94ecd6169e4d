/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of a logical CPU against what can be computed by hand: traffic
 * of known instructions, a clock in closed form, windows, overflows, faults.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "table/table.h"
#include "uncore/error.h"
#include "uncore/model.h"

enum {
	TSC = 0x10,
	BSP = 0x1B,
	PMC0 = 0xC1,
	PLATFORM_INFO = 0xCE,
	MPERF = 0xE7,
	APERF = 0xE8,
	EVTSEL0 = 0x186,
	FIXED0 = 0x309,
	FIXED1 = 0x30A,
	FIXED2 = 0x30B,
	FIXED_CTRL = 0x38D,
	STATUS = 0x38E,
	CTRL = 0x38F,
	OVF_CTRL = 0x390,
};

/* Of a select register: event and unit mask, all levels, enabled. */
#define SELECT(event, umask) ((event) | (umask) << 8 | 3u << 16 | 1u << 22)
#define ALL_COUNTERS	     UINT64_C(0x70000000F)

enum { NUM_CPUS = 20, GAP = 100 };

/* Every CPU has so many reads, each of a line of its own, GAP instructions
 * apart. */
struct traffic {
	unsigned left[NUM_CPUS];
	uint64_t line;
};

struct bench {
	struct uncore_model *model;
	struct traffic traffic;
	char log[4096];
};

static int next_access(void *context, unsigned core,
		       struct uncore_access *access)
{
	struct traffic *traffic = context;

	if (!traffic->left[core])
		return 0;
	traffic->left[core]--;
	*access = (struct uncore_access){
		.line = traffic->line++,
		.gap = GAP,
		.kind = UNCORE_ACCESS_READ,
	};
	return 1;
}

static void keep_log(void *context, const char *text)
{
	struct bench *bench = context;
	size_t length = strlen(bench->log);

	snprintf(bench->log + length, sizeof(bench->log) - length, "%s\n",
		 text);
}

static void set_up(struct bench *bench)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);

	memset(bench, 0, sizeof(*bench));
	assert_non_null(config);
	uncore_model_config_log(config, keep_log, bench);
	bench->model = uncore_model_new(config, &error);
	if (!bench->model)
		fail_msg("%s", error);
	uncore_model_config_free(config);
}

static void start(struct bench *bench)
{
	struct uncore_traffic traffic = {
		.context = &bench->traffic,
		.next = next_access,
	};

	uncore_model_set_traffic(bench->model, &traffic);
}

static uint64_t get(struct bench *bench, unsigned cpu, uint32_t address)
{
	uint64_t value = 0;
	int result = uncore_model_cpu_read(bench->model, cpu, address, &value);

	if (result)
		fail_msg("read of 0x%x on CPU %u: %d", address, cpu, result);
	return value;
}

static void put(struct bench *bench, unsigned cpu, uint32_t address,
		uint64_t value)
{
	int result = uncore_model_cpu_write(bench->model, cpu, address, value);

	if (result)
		fail_msg("write of 0x%llx to 0x%x on CPU %u: %d: %s",
			 (unsigned long long)value, address, cpu, result,
			 bench->log);
}

static void refuse(struct bench *bench, uint32_t address, uint64_t value)
{
	if (uncore_model_cpu_write(bench->model, 0, address, value) !=
	    UNCORE_ERR_GP)
		fail_msg("0x%llx goes into 0x%x", (unsigned long long)value,
			 address);
}

static void finish(struct bench *bench)
{
	assert_true(
		uncore_model_finish(bench->model, UINT64_C(100000000), NULL));
}

/* 2400 MHz beside 2666.67 MHz. */
static uint64_t tsc_of(uint64_t cycles)
{
	return cycles * 2400000 / 2666670;
}

static void test_clock(void **state)
{
	struct bench bench;
	(void)state;

	set_up(&bench);
	assert_int_equal(get(&bench, 0, TSC), 0);
	for (unsigned i = 0; i < 5; i++) {
		uncore_model_run(bench.model, 1000003 * (i + 1));
		assert_int_equal(get(&bench, 0, TSC),
				 tsc_of(uncore_model_cycle(bench.model)));
		assert_int_equal(get(&bench, 19, TSC), get(&bench, 0, TSC));
	}
	put(&bench, 3, TSC, 5);
	assert_int_equal(get(&bench, 3, TSC), 5);
	uncore_model_run(bench.model, 266667);
	assert_int_equal(get(&bench, 3, TSC), 5 + 240000);
	assert_int_equal(get(&bench, 4, TSC),
			 tsc_of(uncore_model_cycle(bench.model)));
	uncore_model_free(bench.model);
}

static void test_identity(void **state)
{
	struct bench bench;
	(void)state;

	set_up(&bench);
	assert_int_equal(get(&bench, 0, PLATFORM_INFO) >> 8 & 0xFF, 18);
	assert_int_equal(get(&bench, 0, BSP), 0xFEE00900);
	for (unsigned cpu = 1; cpu < NUM_CPUS; cpu++)
		assert_int_equal(get(&bench, cpu, BSP), 0xFEE00800);
	uncore_model_free(bench.model);
}

static void test_counts(void **state)
{
	struct bench bench;
	uint64_t cycles, misses, references;
	(void)state;

	set_up(&bench);
	bench.traffic.left[0] = 2000;
	put(&bench, 0, FIXED_CTRL, 0x333);
	put(&bench, 0, EVTSEL0, SELECT(0xC0, 0x00));
	put(&bench, 0, EVTSEL0 + 1, SELECT(0x3C, 0x00));
	put(&bench, 0, EVTSEL0 + 2, SELECT(0x2E, 0x4F));
	put(&bench, 0, EVTSEL0 + 3, SELECT(0x2E, 0x41));
	put(&bench, 0, CTRL, ALL_COUNTERS);
	start(&bench);
	finish(&bench);
	assert_int_equal(get(&bench, 0, FIXED0), 2000 * GAP);
	assert_int_equal(get(&bench, 0, PMC0), 2000 * GAP);
	cycles = get(&bench, 0, FIXED1);
	assert_int_equal(get(&bench, 0, PMC0 + 1), cycles);
	assert_int_equal(get(&bench, 0, FIXED2), cycles);
	assert_int_equal(get(&bench, 0, APERF), cycles);
	assert_int_equal(get(&bench, 0, MPERF), cycles);
	/* one cycle each, and less than memory takes for all one by one */
	assert_in_range(cycles, 2000 * GAP - 1, 2000 * (GAP + 400));
	references = get(&bench, 0, PMC0 + 2);
	misses = get(&bench, 0, PMC0 + 3);
	assert_int_equal(references, 2000);
	assert_int_equal(misses, 2000);
	assert_string_equal(bench.log, "");
	/* halted: nothing moves but the TSC */
	uncore_model_run(bench.model, 1000000);
	assert_int_equal(get(&bench, 0, FIXED1), cycles);
	assert_int_equal(get(&bench, 0, MPERF), cycles);
	assert_true(get(&bench, 0, TSC) > cycles + 800000);
	uncore_model_free(bench.model);
}

/* The second time the LLC has the lines. */
static void test_hits(void **state)
{
	struct bench bench;
	(void)state;

	set_up(&bench);
	put(&bench, 0, EVTSEL0, SELECT(0x2E, 0x4F));
	put(&bench, 0, EVTSEL0 + 1, SELECT(0x2E, 0x41));
	for (unsigned round = 0; round < 2; round++) {
		bench.traffic.line = 0;
		bench.traffic.left[0] = 500;
		start(&bench);
		finish(&bench);
	}
	assert_int_equal(get(&bench, 0, PMC0), 1000);
	assert_int_equal(get(&bench, 0, PMC0 + 1), 500);
	uncore_model_free(bench.model);
}

/* Only what happens while all three enables are set counts. */
static void test_windows(void **state)
{
	struct bench bench;
	uint64_t before, first, second;
	(void)state;

	set_up(&bench);
	bench.traffic.left[0] = 100000;
	put(&bench, 0, FIXED_CTRL, 0x033);
	put(&bench, 0, CTRL, ALL_COUNTERS);
	start(&bench);
	uncore_model_run(bench.model, 10000);
	before = get(&bench, 0, FIXED0);
	assert_in_range(before, 1000, 9000 * 100);
	put(&bench, 0, EVTSEL0, SELECT(0xC0, 0x00));
	uncore_model_run(bench.model, 10000);
	put(&bench, 0, CTRL, ALL_COUNTERS & ~UINT64_C(1));
	first = get(&bench, 0, PMC0);
	assert_int_equal(first, get(&bench, 0, FIXED0) - before);
	uncore_model_run(bench.model, 10000);
	assert_int_equal(get(&bench, 0, PMC0), first);
	put(&bench, 0, CTRL, ALL_COUNTERS);
	before = get(&bench, 0, FIXED0);
	uncore_model_run(bench.model, 10000);
	put(&bench, 0, EVTSEL0, SELECT(0xC0, 0x00) & ~(1u << 22));
	second = get(&bench, 0, PMC0);
	assert_int_equal(second - first, get(&bench, 0, FIXED0) - before);
	assert_true(second > first);
	uncore_model_run(bench.model, 10000);
	assert_int_equal(get(&bench, 0, PMC0), second);
	/* no privilege level: nothing */
	put(&bench, 0, EVTSEL0, SELECT(0xC0, 0x00) & ~(3u << 16));
	uncore_model_run(bench.model, 10000);
	assert_int_equal(get(&bench, 0, PMC0), second);
	/* a fixed counter by its own control */
	put(&bench, 0, FIXED_CTRL, 0x030);
	before = get(&bench, 0, FIXED0);
	uncore_model_run(bench.model, 10000);
	assert_int_equal(get(&bench, 0, FIXED0), before);
	uncore_model_free(bench.model);
}

static void test_other_event(void **state)
{
	struct bench bench;
	(void)state;

	set_up(&bench);
	bench.traffic.left[0] = 1000;
	put(&bench, 0, FIXED_CTRL, 0x003);
	put(&bench, 0, CTRL, ALL_COUNTERS);
	put(&bench, 0, EVTSEL0, SELECT(0xC0, 0x00));
	start(&bench);
	uncore_model_run(bench.model, 20000);
	put(&bench, 0, EVTSEL0, SELECT(0x3C, 0x00));
	put(&bench, 0, PMC0, 0);
	put(&bench, 0, FIXED1, 0);
	put(&bench, 0, FIXED_CTRL, 0x033);
	uncore_model_run(bench.model, 20000);
	assert_int_equal(get(&bench, 0, PMC0), tsc_of(40000) - tsc_of(20000));
	assert_int_equal(get(&bench, 0, FIXED1), tsc_of(40000) - tsc_of(20000));
	uncore_model_free(bench.model);
}

static void test_overflow(void **state)
{
	struct bench bench;
	(void)state;

	set_up(&bench);
	bench.traffic.left[0] = 1000;
	put(&bench, 0, FIXED_CTRL, 0x033);
	put(&bench, 0, CTRL, ALL_COUNTERS);
	put(&bench, 0, EVTSEL0 + 2, SELECT(0xC0, 0x00));
	put(&bench, 0, PMC0 + 2, 0xFFFFFFFF); /* -1 */
	assert_int_equal(get(&bench, 0, PMC0 + 2), UINT64_C(0xFFFFFFFFFFFF));
	put(&bench, 0, FIXED0, UINT64_C(0xFFFFFFFFFFFF) - 1000 * GAP + 1);
	assert_int_equal(get(&bench, 0, STATUS), 0);
	start(&bench);
	finish(&bench);
	assert_int_equal(get(&bench, 0, STATUS),
			 UINT64_C(1) << 32 | UINT64_C(1) << 2);
	assert_int_equal(get(&bench, 0, FIXED0), 0);
	assert_int_equal(get(&bench, 0, PMC0 + 2), 1000 * GAP - 1);
	put(&bench, 0, OVF_CTRL, 1 << 2);
	assert_int_equal(get(&bench, 0, STATUS), UINT64_C(1) << 32);
	assert_int_equal(get(&bench, 0, OVF_CTRL), 0);
	put(&bench, 0, OVF_CTRL, UINT64_C(0xE00000070000000F));
	assert_int_equal(get(&bench, 0, STATUS), 0);
	assert_int_equal(get(&bench, 1, STATUS), 0);
	uncore_model_free(bench.model);
}

/* 32 bits with their sign; the rest of the 64 is ignored. */
static void test_counter_writes(void **state)
{
	struct bench bench;
	(void)state;

	set_up(&bench);
	put(&bench, 0, PMC0, 0x7FFFFFFF);
	assert_int_equal(get(&bench, 0, PMC0), 0x7FFFFFFF);
	put(&bench, 0, PMC0, 0x80000000);
	assert_int_equal(get(&bench, 0, PMC0), UINT64_C(0xFFFF80000000));
	put(&bench, 0, PMC0, UINT64_C(0x1234567800000001));
	assert_int_equal(get(&bench, 0, PMC0), 1);
	put(&bench, 0, FIXED1, UINT64_C(0xFFFFFFFFFFFF));
	assert_int_equal(get(&bench, 0, FIXED1), UINT64_C(0xFFFFFFFFFFFF));
	refuse(&bench, FIXED1, UINT64_C(1) << 48);
	assert_int_equal(get(&bench, 0, FIXED1), UINT64_C(0xFFFFFFFFFFFF));
	uncore_model_free(bench.model);
}

static void test_two_cpus(void **state)
{
	struct bench bench;
	(void)state;

	set_up(&bench);
	bench.traffic.left[1] = 100;
	bench.traffic.left[12] = 300;
	for (unsigned cpu = 0; cpu < NUM_CPUS; cpu++) {
		put(&bench, cpu, FIXED_CTRL, cpu == 13 ? 0 : 0x333);
		put(&bench, cpu, CTRL, ALL_COUNTERS);
	}
	start(&bench);
	finish(&bench);
	assert_int_equal(get(&bench, 0, FIXED0), 0);
	assert_int_equal(get(&bench, 0, FIXED1), 0);
	assert_int_equal(get(&bench, 1, FIXED0), 100 * GAP);
	assert_int_equal(get(&bench, 12, FIXED0), 300 * GAP);
	assert_int_equal(get(&bench, 13, FIXED_CTRL), 0);
	assert_int_equal(get(&bench, 12, FIXED_CTRL), 0x333);
	assert_true(get(&bench, 12, APERF) > get(&bench, 1, APERF));
	uncore_model_free(bench.model);
}

static void test_not_modelled(void **state)
{
	struct bench bench;
	(void)state;

	set_up(&bench);
	put(&bench, 0, EVTSEL0, SELECT(0xC4, 0x00) & ~(1u << 22));
	assert_string_equal(bench.log, ""); /* not enabled */
	put(&bench, 0, EVTSEL0, SELECT(0xC4, 0x00));
	assert_non_null(strstr(bench.log, "BRANCH_INSTRUCTIONS_RETIRED"));
	assert_non_null(strstr(bench.log, "not modelled"));
	bench.log[0] = '\0';
	put(&bench, 0, EVTSEL0, SELECT(0xB7, 0x01));
	assert_non_null(strstr(bench.log, "event 0xb7, unit mask 0x01"));
	bench.log[0] = '\0';
	put(&bench, 0, EVTSEL0, SELECT(0xC0, 0x00) | 1u << 18);
	assert_non_null(strstr(bench.log, "edge"));
	assert_non_null(strstr(bench.log, "not modelled"));
	assert_int_equal(get(&bench, 0, EVTSEL0),
			 SELECT(0xC0, 0x00) | 1u << 18);
	bench.log[0] = '\0';
	put(&bench, 0, 0x1D9, 1); /* branch records */
	assert_non_null(strstr(bench.log, "IA32_DEBUGCTL.lbr"));
	uncore_model_free(bench.model);
}

static void test_faults(void **state)
{
	/* energy, turbo, Sandy Bridge and later, the client uncore, x2APIC,
	 * TSC deadline and adjustment, package temperature, VMX */
	static const uint32_t absent[] = {
		0x606, 0x610, 0x611, 0x619, 0x639, 0x641,      0x1AD,
		0x1AC, 0x1AE, 0x3B,  0x35,  0xCD,  0x1B1,      0x1B2,
		0x391, 0x392, 0x393, 0x396, 0x3B0, 0x3B7,      0x3C0,
		0x3C7, 0x3FE, 0x4C1, 0x60D, 0x620, 0x64E,      0x6E0,
		0x770, 0x802, 0x480, 0x2,   0x700, 0xC0000104,
	};
	struct bench bench;
	uint64_t value;
	(void)state;

	set_up(&bench);
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
		if (uncore_model_cpu_read(bench.model, 0, absent[i], &value) !=
		    UNCORE_ERR_GP)
			fail_msg("0x%x can be read", absent[i]);
		refuse(&bench, absent[i], 0);
	}
	assert_int_equal(uncore_model_cpu_read(bench.model, 20, TSC, &value),
			 UNCORE_ERR_SOCKET);
	assert_int_equal(uncore_model_cpu_write(bench.model, 20, TSC, 0),
			 UNCORE_ERR_SOCKET);
	refuse(&bench, PLATFORM_INFO, 0);
	refuse(&bench, STATUS, 0);
	refuse(&bench, EVTSEL0, UINT64_C(1) << 32);
	refuse(&bench, CTRL, 1 << 4);
	refuse(&bench, FIXED_CTRL, 1 << 12);
	refuse(&bench, OVF_CTRL, 1 << 4);
	refuse(&bench, 0x401, 1);		       /* MC0_STATUS */
	refuse(&bench, 0xC0000100, UINT64_C(1) << 47); /* FS_BASE */
	put(&bench, 0, 0xC0000100, UINT64_C(0xFFFF) << 48 | UINT64_C(1) << 47);
	assert_int_equal(uncore_model_cpu_read(bench.model, 0, 0x79, &value),
			 UNCORE_ERR_GP); /* can only be written */
	uncore_model_free(bench.model);
}

/* What a write leaves behind is what the table says, in every register. */
static bool holds(const struct uc_core_register *row)
{
	return row->role == UC_CORE_STORED || row->role == UC_CORE_CONTROL ||
	       row->role == UC_CORE_FIXED_COUNTER ||
	       row->role == UC_CORE_FIXED_CONTROL ||
	       row->role == UC_CORE_GLOBAL_CONTROL;
}

static void check_register(struct bench *bench,
			   const struct uc_core_register *row)
{
	uint32_t address = row->reg.address;
	uint64_t before, all = row->reg.layout->writable;

	if (row->reg.access == UC_ACCESS_WO) {
		put(bench, 7, address, 0);
		return;
	}
	before = get(bench, 7, address);
	if (row->reg.access == UC_ACCESS_RO) {
		refuse(bench, address, before);
		return;
	}
	put(bench, 7, address, before); /* what is read may be written */
	assert_int_equal(get(bench, 7, address), before);
	if (!holds(row))
		return;
	if (row->canonical)
		all >>= 17;
	put(bench, 7, address, all);
	assert_int_equal(get(bench, 7, address),
			 all | (before & ~row->reg.layout->writable));
	put(bench, 7, address, 0);
	assert_int_equal(get(bench, 7, address),
			 before & ~row->reg.layout->writable);
	/* nobody else's */
	assert_int_equal(get(bench, 8, address), before);
	put(bench, 7, address, before);
	for (unsigned bit = 0; bit < 64; bit++)
		if (row->reg.layout->reserved >> bit & 1)
			refuse(bench, address, UINT64_C(1) << bit);
	assert_int_equal(get(bench, 7, address), before);
}

static void test_walk(void **state)
{
	const struct uc_family *family = uc_family_find("xeon-e7");
	struct bench bench;
	(void)state;

	set_up(&bench);
	assert_true(family->num_core_registers > 200);
	for (unsigned i = 0; i < family->num_core_registers; i++) {
		const struct uc_core_register *row = &family->core_registers[i];

		assert_ptr_equal(uc_core_register_at(family, row->reg.address),
				 row);
		assert_null(uc_register_at(family, row->reg.address));
		check_register(&bench, row);
		bench.log[0] = '\0';
	}
	uncore_model_free(bench.model);
}

/* The uncore is there behind the core's registers, one for each socket. */
static void test_uncore_behind(void **state)
{
	const struct uc_family *family = uc_family_find("xeon-e7");
	struct bench bench;
	uint64_t value;
	(void)state;

	set_up(&bench);
	for (unsigned i = 0; i < family->num_registers; i++)
		get(&bench, 19, family->registers[i].address);
	put(&bench, 10, 0xD11, 0x1234);
	assert_int_equal(get(&bench, 19, 0xD11), 0x1234);
	assert_int_equal(get(&bench, 9, 0xD11), 0);
	assert_int_equal(uncore_model_read(bench.model, 0, TSC, &value),
			 UNCORE_ERR_GP);
	uncore_model_free(bench.model);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_hits),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_other_event),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_counter_writes),
		cmocka_unit_test(test_two_cpus),
		cmocka_unit_test(test_not_modelled),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_uncore_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
