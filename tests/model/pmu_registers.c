/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Every register of the table, one after the other: what it holds after reset,
 * what stays of a write of all ones and of all zeros, which writes fault.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pmu_rig.h"

/* Registers that do something when written and do not just hold it. */
static bool acts(const struct uc_register *reg)
{
	return reg->role == UC_ROLE_OVF_CTL || reg->role == UC_ROLE_SUMMARY ||
	       reg->role == UC_ROLE_TIMESTAMP;
}

static bool is_in_global_ctl(const struct rig *rig,
			     const struct uc_register *reg)
{
	return rig->family->boxes[reg->box].name[0] == 'u' &&
	       reg->role == UC_ROLE_GLOBAL_CTL;
}

static uint64_t bits_of_kind(const struct uc_register *reg, unsigned kind)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < reg->layout->num_fields; i++) {
		const struct uc_field *field = &reg->layout->fields[i];

		if (field->kind == kind)
			bits |= uc_bits(field->high, field->low);
	}
	return bits & uc_bits(reg->width - 1u, 0);
}

static uint64_t read_at(struct rig *rig, const struct uc_register *reg)
{
	uint64_t value = UINT64_MAX;

	assert_int_equal(pmu_read(rig->pmu, reg->address, &value), PMU_OK);
	return value;
}

/* The bits that hold what software writes. */
static uint64_t holding(const struct uc_register *reg)
{
	uint64_t bits = bits_of_kind(reg, UC_KIND_RW);
	const struct uc_field *pulse =
		uc_field_find(reg->layout, "reset_occ_cnt");

	return pulse ? bits & ~uc_bits(pulse->high, pulse->low) : bits;
}

static void check_held(struct rig *rig, const struct uc_register *reg,
		       uint64_t value)
{
	uint64_t got;
	int result = pmu_write(rig->pmu, reg->address, value);

	if (result != PMU_OK)
		fail_msg("#GP on a write of 0x%llx to %s",
			 (unsigned long long)value, reg->name);
	got = read_at(rig, reg);
	if (got != (value & holding(reg)))
		fail_msg("%s reads 0x%llx after a write of 0x%llx", reg->name,
			 (unsigned long long)got, (unsigned long long)value);
}

static void check_register(struct rig *rig, const struct uc_register *reg)
{
	if (read_at(rig, reg) != 0)
		fail_msg("%s is not 0 after reset", reg->name);
	if (reg->access == UC_ACCESS_RO) {
		assert_int_equal(pmu_write(rig->pmu, reg->address, 0), PMU_GP);
		return;
	}
	if (acts(reg)) {
		assert_int_equal(pmu_write(rig->pmu, reg->address,
					   UINT64_MAX & ~reg->layout->reserved),
				 PMU_OK);
		if (reg->role != UC_ROLE_TIMESTAMP)
			assert_int_equal(read_at(rig, reg), 0);
		return;
	}
	check_held(rig, reg, UINT64_MAX);
	check_held(rig, reg, UINT64_C(0xa5a5a5a55a5a5a5a));
	check_held(rig, reg, 0);
}

static void every_register_keeps_its_row(void **state)
{
	struct rig *rig = rig_new(0, false);

	(void)state;
	for (size_t i = 0; i < rig->family->num_registers; i++)
		if (!is_in_global_ctl(rig, &rig->family->registers[i]))
			check_register(rig, &rig->family->registers[i]);
	for (size_t i = 0; i < rig->family->num_registers; i++)
		if (is_in_global_ctl(rig, &rig->family->registers[i]))
			check_register(rig, &rig->family->registers[i]);
	rig_free(rig);
}

static void strict_refuses_reserved_bits_and_changes_nothing(void **state)
{
	struct rig *rig = rig_new(0, true);
	unsigned num_checked = 0;

	(void)state;
	for (size_t i = 0; i < rig->family->num_registers; i++) {
		const struct uc_register *reg = &rig->family->registers[i];
		uint64_t reserved = bits_of_kind(reg, UC_KIND_RSV);

		if (reg->access == UC_ACCESS_RO || !reserved)
			continue;
		for (unsigned bit = 0; bit < 64; bit++) {
			if (!(reserved >> bit & 1))
				continue;
			assert_int_equal(
				pmu_write(rig->pmu, reg->address,
					  UINT64_C(1) << bit | holding(reg)),
				PMU_GP);
			assert_int_equal(read_at(rig, reg), 0);
			num_checked++;
		}
	}
	assert_true(num_checked > 100);
	assert_int_equal(rig->num_complaints[PMU_SOFTWARE_BROKE_A_RULE],
			 num_checked);
	rig_free(rig);
}

static void lenient_drops_reserved_bits_and_says_so(void **state)
{
	struct rig *rig = rig_new(0, false);

	(void)state;
	rig_write(rig, "CB3_CR_C_MSR_PMON_EVT_SEL_2",
		  UINT64_C(1) << 61 | 0x1234);
	assert_int_equal(rig_read(rig, "CB3_CR_C_MSR_PMON_EVT_SEL_2"), 0x1234);
	assert_int_equal(rig->num_complaints[PMU_SOFTWARE_BROKE_A_RULE], 1);
	rig_free(rig);
}

static void addresses_of_no_register_fault(void **state)
{
	struct rig *rig = rig_new(0, false);
	uint64_t value;
	unsigned num_known = 0;

	(void)state;
	for (uint32_t address = 0; address < 0x1000; address++) {
		if (uc_register_at(rig->family, address)) {
			num_known++;
			continue;
		}
		assert_int_equal(pmu_read(rig->pmu, address, &value), PMU_GP);
		assert_int_equal(pmu_write(rig->pmu, address, 0), PMU_GP);
	}
	assert_int_equal(num_known, rig->family->num_registers);
	rig_free(rig);
}

/* Table 2-9: the overflow control of the C-Box is WO. */
static void write_only_reads_zero(void **state)
{
	struct rig *rig = rig_new(0, false);

	(void)state;
	rig_write(rig, "CB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL", 0x3f);
	assert_int_equal(rig_read(rig, "CB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL"), 0);
	rig_free(rig);
}

/* 2.5.3.4: match and mask of the S-Box are locked while mm_en is 1. */
static void sbox_filter_is_locked_while_in_use(void **state)
{
	struct rig *rig = rig_new(0, false);

	(void)state;
	rig_write(rig, "SS1_CR_S_MSR_MATCH", 0x40);
	rig_set(rig, "SS1_CR_S_MSR_MM_CFG", "mm_en", 1);
	assert_true(rig_faults(rig, "SS1_CR_S_MSR_MATCH", 0x80));
	assert_true(rig_faults(rig, "SS1_CR_S_MSR_MASK", 0x80));
	assert_false(rig_faults(rig, "SS0_CR_S_MSR_MATCH", 0x80));
	assert_int_equal(rig_read(rig, "SS1_CR_S_MSR_MATCH"), 0x40);
	rig_set(rig, "SS1_CR_S_MSR_MM_CFG", "mm_en", 0);
	assert_false(rig_faults(rig, "SS1_CR_S_MSR_MATCH", 0x80));
	rig_free(rig);
}

/* Table 2-69: 16 bits, one step per cycle; 70000 - 65536 = 4464. */
static void timestamp_runs_freely(void **state)
{
	struct rig *rig = rig_new(0, false);

	(void)state;
	rig_run_until(rig, 70000);
	assert_int_equal(rig_read(rig, "MB1_CR_M_MSR_PMU_TIMESTAMP_UNIT"),
			 4464);
	rig_write(rig, "MB1_CR_M_MSR_PMU_TIMESTAMP_UNIT", 0xfff0);
	rig_run_until(rig, 70032);
	assert_int_equal(rig_read(rig, "MB1_CR_M_MSR_PMU_TIMESTAMP_UNIT"),
			 0x10);
	assert_int_equal(rig_read(rig, "MB0_CR_M_MSR_PMU_TIMESTAMP_UNIT"),
			 70032 - 65536);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_keeps_its_row),
		cmocka_unit_test(
			strict_refuses_reserved_bits_and_changes_nothing),
		cmocka_unit_test(lenient_drops_reserved_bits_and_says_so),
		cmocka_unit_test(addresses_of_no_register_fault),
		cmocka_unit_test(write_only_reads_zero),
		cmocka_unit_test(sbox_filter_is_locked_while_in_use),
		cmocka_unit_test(timestamp_runs_freely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
