/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of a logical CPU: the clock in closed form, what tells tools
 * where they are, every row of the table, and what a Xeon E7 does not have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core_rig.h"
#include "table/table.h"
#include "uncore/error.h"

static void test_clock(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	assert_int_equal(rig_get(&rig, 0, TSC), 0);
	for (unsigned i = 0; i < 5; i++) {
		uncore_model_run(rig.model, 1000003 * (i + 1));
		assert_int_equal(rig_get(&rig, 0, TSC),
				 rig_tsc_of(uncore_model_cycle(rig.model)));
		assert_int_equal(rig_get(&rig, 19, TSC), rig_get(&rig, 0, TSC));
	}
	rig_put(&rig, 3, TSC, 5);
	assert_int_equal(rig_get(&rig, 3, TSC), 5);
	uncore_model_run(rig.model, 266667);
	assert_int_equal(rig_get(&rig, 3, TSC), 5 + 240000);
	assert_int_equal(rig_get(&rig, 4, TSC),
			 rig_tsc_of(uncore_model_cycle(rig.model)));
	uncore_model_free(rig.model);
}

static void test_identity(void **state)
{
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	assert_int_equal(rig_get(&rig, 0, PLATFORM_INFO) >> 8 & 0xFF, 18);
	assert_int_equal(rig_get(&rig, 0, BSP), 0xFEE00900);
	for (unsigned cpu = 1; cpu < NUM_CPUS; cpu++)
		assert_int_equal(rig_get(&rig, cpu, BSP), 0xFEE00800);
	uncore_model_free(rig.model);
}

/* Ratio and clock follow the machine's parameters. */
static void test_other_machine(void **state)
{
	static const char *const settings[] = { "core.clock=1866.667",
						"uncore.clock=1866.667",
						"cores=6", "sockets=4" };
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);
	struct rig rig;
	(void)state;

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		assert_int_equal(
			uncore_model_config_set(config, settings[i], &error),
			0);
	rig.model = uncore_model_new(config, &error);
	assert_non_null(rig.model);
	uncore_model_config_free(config);
	assert_int_equal(rig_get(&rig, 23, PLATFORM_INFO) >> 8 & 0xFF, 14);
	uncore_model_run(rig.model, 123457);
	assert_int_equal(rig_get(&rig, 23, TSC), 123457);
	assert_int_equal(uncore_model_cpu_write(rig.model, 24, TSC, 0),
			 UNCORE_ERR_SOCKET);
	uncore_model_free(rig.model);
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
	struct rig rig;
	uint64_t value;
	(void)state;

	rig_set_up(&rig);
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
		if (uncore_model_cpu_read(rig.model, 0, absent[i], &value) !=
		    UNCORE_ERR_GP)
			fail_msg("0x%x can be read", absent[i]);
		rig_refuse(&rig, absent[i], 0);
	}
	assert_int_equal(uncore_model_cpu_read(rig.model, 20, TSC, &value),
			 UNCORE_ERR_SOCKET);
	assert_int_equal(uncore_model_cpu_write(rig.model, 20, TSC, 0),
			 UNCORE_ERR_SOCKET);
	rig_refuse(&rig, PLATFORM_INFO, 0);
	rig_refuse(&rig, STATUS, 0);
	rig_refuse(&rig, EVTSEL0, UINT64_C(1) << 32);
	rig_refuse(&rig, CTRL, 1 << 4);
	rig_refuse(&rig, FIXED_CTRL, 1 << 12);
	rig_refuse(&rig, OVF_CTRL, 1 << 4);
	rig_refuse(&rig, 0x401, 1);			 /* MC0_STATUS */
	rig_refuse(&rig, 0xC0000100, UINT64_C(1) << 47); /* FS_BASE */
	rig_put(&rig, 0, 0xC0000100,
		UINT64_C(0xFFFF) << 48 | UINT64_C(1) << 47);
	assert_int_equal(uncore_model_cpu_read(rig.model, 0, 0x79, &value),
			 UNCORE_ERR_GP); /* can only be written */
	uncore_model_free(rig.model);
}

/* What a write leaves behind is what the table says, in every register. */
static bool holds(const struct uc_core_register *row)
{
	return row->role == UC_CORE_STORED || row->role == UC_CORE_CONTROL ||
	       row->role == UC_CORE_FIXED_COUNTER ||
	       row->role == UC_CORE_FIXED_CONTROL ||
	       row->role == UC_CORE_GLOBAL_CONTROL;
}

static void check_register(struct rig *rig, const struct uc_core_register *row)
{
	uint32_t address = row->reg.address;
	uint64_t before, all = row->reg.layout->writable;

	if (row->reg.access == UC_ACCESS_WO) {
		rig_put(rig, 7, address, 0);
		return;
	}
	before = rig_get(rig, 7, address);
	if (row->reg.access == UC_ACCESS_RO) {
		rig_refuse(rig, address, before);
		return;
	}
	rig_put(rig, 7, address, before); /* what is read may be written */
	assert_int_equal(rig_get(rig, 7, address), before);
	if (!holds(row))
		return;
	if (row->canonical)
		all >>= 17;
	rig_put(rig, 7, address, all);
	assert_int_equal(rig_get(rig, 7, address),
			 all | (before & ~row->reg.layout->writable));
	rig_put(rig, 7, address, 0);
	assert_int_equal(rig_get(rig, 7, address),
			 before & ~row->reg.layout->writable);
	/* nobody else's */
	assert_int_equal(rig_get(rig, 8, address), before);
	rig_put(rig, 7, address, before);
	for (unsigned bit = 0; bit < 64; bit++)
		if (row->reg.layout->reserved >> bit & 1)
			rig_refuse(rig, address, UINT64_C(1) << bit);
	assert_int_equal(rig_get(rig, 7, address), before);
}

static void test_walk(void **state)
{
	const struct uc_family *family = uc_family_find(rig_machine);
	struct rig rig;
	(void)state;

	rig_set_up(&rig);
	assert_true(family->num_core_registers > 200);
	for (unsigned i = 0; i < family->num_core_registers; i++) {
		const struct uc_core_register *row = &family->core_registers[i];

		assert_ptr_equal(uc_core_register_at(family, row->reg.address),
				 row);
		assert_null(uc_register_at(family, row->reg.address));
		check_register(&rig, row);
		rig.log[0] = '\0';
	}
	uncore_model_free(rig.model);
}

/* The uncore is there behind the core's registers, one for each socket. */
static void test_uncore_behind(void **state)
{
	const struct uc_family *family = uc_family_find("xeon-e7");
	struct rig rig;
	uint64_t value;
	(void)state;

	rig_set_up(&rig);
	for (unsigned i = 0; i < family->num_registers; i++)
		rig_get(&rig, 19, family->registers[i].address);
	rig_put(&rig, 10, 0xD11, 0x1234);
	assert_int_equal(rig_get(&rig, 19, 0xD11), 0x1234);
	assert_int_equal(rig_get(&rig, 9, 0xD11), 0);
	assert_int_equal(uncore_model_read(rig.model, 0, TSC, &value),
			 UNCORE_ERR_GP);
	uncore_model_free(rig.model);
}

/* 17 times 133.33 MHz; what Westmere added is not there. */
static void test_xeon_7500(void **state)
{
	static const uint32_t absent[] = { 0x13C, 0x1A7, 0x1B0, 0xF40, 0xFC1 };
	struct rig rig;
	uint64_t value;
	(void)state;

	rig_set_up(&rig);
	assert_int_equal(rig_get(&rig, 0, PLATFORM_INFO) >> 8 & 0xFF, 17);
	uncore_model_run(rig.model, 100 * 266667);
	assert_in_range(rig_get(&rig, 15, TSC), 100 * 226666, 100 * 226668);
	assert_int_equal(uncore_model_cpu_read(rig.model, 16, TSC, &value),
			 UNCORE_ERR_SOCKET);
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		if (uncore_model_cpu_read(rig.model, 0, absent[i], &value) !=
		    UNCORE_ERR_GP)
			fail_msg("0x%x can be read", absent[i]);
	/* CPU 8 is the first of socket 1 */
	rig_put(&rig, 8, 0xD11, 0x1234);
	assert_int_equal(rig_get(&rig, 15, 0xD11), 0x1234);
	assert_int_equal(rig_get(&rig, 7, 0xD11), 0);
	uncore_model_free(rig.model);
}

/* 29 times 100 MHz, as slow as 12, as fast as 38 with one core and 33 with
 * eight; no energy, and the PCU's registers where others have residencies. */
static void test_xeon_e5_2600(void **state)
{
	static const uint32_t absent[] = { 0x613, 0x618, 0x61b, 0x638,
					   0x63b, 0x3FE, 0x6E0, 0x4C1 };
	struct rig rig;
	uint64_t value;
	(void)state;

	rig_set_up(&rig);
	assert_int_equal(rig_get(&rig, 0, PLATFORM_INFO) >> 8 & 0xFF, 29);
	assert_int_equal(rig_get(&rig, 0, PLATFORM_INFO) >> 40 & 0xFF, 12);
	assert_int_equal(rig_get(&rig, 15, 0x1AD), 0x2121222222242626);
	assert_int_equal(rig_get(&rig, 15, 0x198), 29 << 8);
	/* The SDM's units of energy; 135 W in eighths */
	assert_int_equal(rig_get(&rig, 15, 0x606), 0xa1003);
	assert_int_equal(rig_get(&rig, 15, 0x614) & 0x7FFF, 1080);
	assert_int_equal(rig_get(&rig, 15, 0x199), 29 << 8);
	uncore_model_run(rig.model, 100000);
	assert_int_equal(rig_get(&rig, 15, TSC), 100000);
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		if (uncore_model_cpu_read(rig.model, 0, absent[i], &value) !=
		    UNCORE_ERR_GP)
			fail_msg("0x%x can be read", absent[i]);
	/* CPU 8 is the first of socket 1; 0xC34 is the PCU's filter */
	rig_put(&rig, 8, 0xC34, 0x1234);
	assert_int_equal(rig_get(&rig, 15, 0xC34), 0x1234);
	assert_int_equal(rig_get(&rig, 7, 0xC34), 0);
	assert_int_equal(rig_get(&rig, 7, 0x3FD), 0);
	uncore_model_free(rig.model);
}

/* As many ratios as its family has cores at most. The E5-2690's are in its
 * specification update, in steps above 29; no other part's are known, and
 * are its nominal clock. */
static void test_turbo_is_the_machines(void **state)
{
	static const struct {
		const char *machine;
		uint64_t limit[3]; /* of 1 to 8 cores, 9 to 16, beyond */
	} rows[] = {
		{ "xeon-e5-2690", { 0x2121222222242626 } },
		{ "xeon-e5-2603", { 0x1212121212121212 } },
		{ "xeon-e5-2690-v2", { 0x1e1e1e1e1e1e1e1e, 0x1e1e1e1e1e1e1e } },
		{ "xeon-e5-2680-v3",
		  { 0x1919191919191919, 0x1919191919191919, 0x1919 } },
		{ "xeon-e5-2699-v3",
		  { 0x1717171717171717, 0x1717171717171717, 0x1717 } },
		{ "xeon-e5-2680-v4",
		  { 0x1818181818181818, 0x1818181818181818, 0x1818 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig rig;

		rig_machine = rows[i].machine;
		rig_set_up(&rig);
		for (unsigned n = 0; n < 3 && rows[i].limit[n]; n++)
			assert_int_equal(rig_get(&rig, 1, 0x1AD + n),
					 rows[i].limit[n]);
		uncore_model_free(rig.model);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_other_machine),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_uncore_behind),
	};

	static const struct CMUnitTest again[] = {
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_xeon_7500),
	};
	static const struct CMUnitTest e5[] = {
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_xeon_e5_2600),
		cmocka_unit_test(test_turbo_is_the_machines),
	};
	int failed = cmocka_run_group_tests_name("xeon-e7", tests, NULL, NULL);

	rig_machine = "xeon-7500";
	failed += cmocka_run_group_tests_name("xeon-7500", again, NULL, NULL);
	rig_machine = "xeon-e5-2600";
	return failed +
	       cmocka_run_group_tests_name("xeon-e5-2600", e5, NULL, NULL);
}
