/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * RDMSR and WRMSR: what a read returns and what a write does. A write is
 * checked to the end before it changes anything; it takes effect from the
 * present cycle on, and a read sees all cycles before it. What holds for every
 * register is in register.c; here is what a role adds.
 */
#include "model/pmu/inside.h"

static struct slot *slot_of(struct unit *unit, const struct uc_register *reg)
{
	unsigned n = reg->index;

	if (reg->role == UC_ROLE_FIXED_COUNTER ||
	    reg->role == UC_ROLE_FIXED_CTL)
		n += unit->box->num_counters;
	return n < unit->num_slots ? &unit->slots[n] : NULL;
}

/* Reading */

static uint64_t read_timestamp(const struct unit *unit,
			       const struct uc_register *reg)
{
	uint64_t now = sim_now(unit->pmu->config.sim) + unit->pmu->skipped;

	return (now - unit->clock_start) & reg->layout->writable;
}

static uint64_t read_register(struct pmu *pmu, const struct uc_register *reg)
{
	struct unit *unit = pmu_unit(pmu, reg->box, reg->instance);
	struct slot *slot;

	switch (reg->role) {
	case UC_ROLE_COUNTER:
	case UC_ROLE_FIXED_COUNTER:
		slot = slot_of(unit, reg);
		return slot ? counter_read(&slot->counter) : 0;
	case UC_ROLE_TIMESTAMP: return read_timestamp(unit, reg);
	case UC_ROLE_OVF_CTL: /* acts when written, has no state */ return 0;
	case UC_ROLE_SUMMARY:
		pmu_sync_all(pmu);
		return overflow_summary(pmu, reg);
	case UC_ROLE_GLOBAL_STATUS: pmu_sync_all(pmu); break;
	default: break;
	}
	if (reg->sums)
		return counter_read(free_counter_of(unit, reg));
	return *register_place(&pmu->registers, reg);
}

int pmu_read(struct pmu *pmu, uint64_t address, uint64_t *value)
{
	const struct uc_register *reg =
		uc_register_at(pmu->config.family, address);

	if (!reg)
		return PMU_GP;
	*value = reg->access == UC_ACCESS_WO ? 0 : read_register(pmu, reg);
	return PMU_OK;
}

uint64_t pmu_requester(struct pmu *pmu, uint64_t address)
{
	const struct uc_register *reg =
		uc_register_at(pmu->config.family, address);
	const struct slot *slot = NULL;

	if (reg && (reg->role == UC_ROLE_COUNTER ||
		    reg->role == UC_ROLE_FIXED_COUNTER))
		slot = slot_of(pmu_unit(pmu, reg->box, reg->instance), reg);
	return slot ? slot->requester : 0;
}

/* Writing */

/* A filter may not change while it is in use (2.5.3.4 b). */
static bool is_locked(const struct pmu *pmu, const struct uc_register *reg)
{
	const struct uc_register *off;

	if (reg->off_role == UC_ROLE_NONE)
		return false;
	off = uc_register_of(pmu->config.family, reg->box, reg->instance,
			     (enum uc_role)reg->off_role, reg->index);
	return off && *register_place(&pmu->registers, off) >> reg->off_bit & 1;
}

static bool is_allowed(const struct pmu *pmu, const struct uc_register *reg,
		       uint64_t value)
{
	unsigned long long reserved = register_reserved(reg, value);

	if (reg->access == UC_ACCESS_RO) {
		pmu_complain(pmu, PMU_SOFTWARE_BROKE_A_RULE,
			     "write to %s, which can only be read", reg->name);
		return false;
	}
	if (is_locked(pmu, reg)) {
		pmu_complain(
			pmu, PMU_SOFTWARE_BROKE_A_RULE,
			"write to %s while matching is enabled; clear mm_en "
			"first",
			reg->name);
		return false;
	}
	if (!reserved)
		return true;
	pmu_complain(pmu, PMU_SOFTWARE_BROKE_A_RULE,
		     "write of 0x%llx to %s sets the reserved bits 0x%llx%s",
		     (unsigned long long)value, reg->name, reserved,
		     pmu->config.strict ? "" : "; they are dropped");
	return !pmu->config.strict;
}

static void write_control(struct unit *unit, const struct uc_register *reg,
			  uint64_t value, uint64_t merged)
{
	uint64_t reset = register_mask(reg, "reset_occ_cnt");
	struct slot *slot = slot_of(unit, reg);

	*register_place(&unit->pmu->registers, reg) = merged & ~reset;
	if (!slot)
		return;
	if (merged & reset)
		counter_reset_tally(&slot->counter);
	if (value & register_mask(reg, "rst"))
		counter_reset(&slot->counter);
	pmu_configure_slot(slot, true);
	for (unsigned n = 0; unit->has_followers && n < unit->num_slots; n++)
		if (&unit->slots[n] != slot)
			pmu_configure_slot(&unit->slots[n], false);
}

static void reset_unit(struct unit *unit)
{
	for (unsigned n = 0; n < unit->num_slots; n++)
		counter_reset(&unit->slots[n].counter);
}

static void reset_counters(struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->num_units; i++)
		reset_unit(&pmu->units[i]);
}

static void reset_controls(struct unit *unit)
{
	for (unsigned n = 0; n < unit->num_slots; n++) {
		const struct uc_register *control = unit->slots[n].control;

		*register_place(&unit->pmu->registers, control) =
			control->layout->reset;
	}
	for (unsigned n = 0; n < unit->num_slots; n++)
		pmu_configure_slot(&unit->slots[n], true);
}

/* A register that governs one box: rst_ctrl and rst_ctrs act when they are
 * written, and are gone. */
static void write_box_ctl(struct unit *unit, const struct uc_register *reg,
			  uint64_t value)
{
	if (value & register_mask(reg, "rst_ctrl"))
		reset_controls(unit);
	if (value & register_mask(reg, "rst_ctrs"))
		reset_unit(unit);
	pmu_refresh_unit(unit);
}

static void write_global_ctl(struct unit *unit, const struct uc_register *reg,
			     uint64_t value, uint64_t merged)
{
	struct pmu *pmu = unit->pmu;
	uint64_t *place = register_place(&pmu->registers, reg);
	uint64_t rising = merged & ~*place;

	*place = merged;
	if (reg != pmu->global_ctl) {
		write_box_ctl(unit, reg, value);
		return;
	}
	/* Only when it is set, not while it stays: 2.1.3 writes counters, then
	 * frz_all and pmi_core_sel beside an rst_all that is still 1. */
	if (rising & pmu->rst_all)
		reset_counters(pmu);
	pmu_refresh_all(pmu);
}

static void write_status(struct pmu *pmu, const struct uc_register *reg,
			 uint64_t merged)
{
	uint64_t *place = register_place(&pmu->registers, reg);
	uint64_t cleared = *place & ~merged;

	*place |= merged;
	overflow_clear(pmu, reg, cleared);
}

/* Both act when they are written, and are gone. */
static void write_freeze(struct pmu *pmu, const struct uc_freeze *freeze,
			 uint64_t value)
{
	if (value & (freeze->hold | freeze->go))
		pmu_freeze_all(pmu, value & freeze->hold);
}

static void write_register(struct pmu *pmu, const struct uc_register *reg,
			   uint64_t value)
{
	struct unit *unit = pmu_unit(pmu, reg->box, reg->instance);
	uint64_t *place = register_place(&pmu->registers, reg);
	uint64_t merged = register_merge(reg, *place, value);
	struct slot *slot;

	switch (reg->role) {
	case UC_ROLE_COUNTER:
	case UC_ROLE_FIXED_COUNTER:
		slot = slot_of(unit, reg);
		if (slot)
			counter_write(&slot->counter,
				      value & reg->layout->writable);
		break;
	case UC_ROLE_CONTROL:
	case UC_ROLE_FIXED_CTL: write_control(unit, reg, value, merged); break;
	case UC_ROLE_GLOBAL_CTL:
		write_global_ctl(unit, reg, value, merged);
		break;
	case UC_ROLE_GLOBAL_STATUS: write_status(pmu, reg, merged); break;
	case UC_ROLE_OVF_CTL: overflow_control(pmu, reg, value); break;
	case UC_ROLE_TIMESTAMP:
		unit->clock_start =
			sim_now(pmu->config.sim) + pmu->skipped - merged;
		break;
	default:
		if (pmu->config.family->freeze && reg == pmu->global_ctl)
			write_freeze(pmu, pmu->config.family->freeze, value);
		if (reg->sums)
			counter_write(free_counter_of(unit, reg), value);
		*place = merged;
		pmu_configure_users(unit, reg);
		break;
	}
}

int pmu_write(struct pmu *pmu, uint64_t address, uint64_t value)
{
	const struct uc_register *reg =
		uc_register_at(pmu->config.family, address);

	if (!reg)
		return PMU_GP;
	if (reg->width < 64)
		value &= uc_bits(reg->width - 1u, 0);
	if (!is_allowed(pmu, reg, value))
		return PMU_GP;
	pmu_sync_all(pmu);
	write_register(pmu, reg, value);
	return PMU_OK;
}

/* Parts of a register */

struct part_place {
	const struct uc_register *reg; /* NULL: there is none */
	unsigned shift;
	uint64_t bits; /* of the register's value */
};

static struct part_place place_of(const struct pmu *pmu, uint64_t address)
{
	const struct uc_family *family = pmu->config.family;
	struct part_place place = { uc_register_at(family, address), 0, 0 };

	for (unsigned bytes = 1; !place.reg && bytes < 8; bytes++) {
		const struct uc_register *reg =
			uc_register_at(family, address - bytes);

		if (reg && bytes * 8 < reg->width &&
		    !(bytes * 8 % reg->part_bits)) {
			place.reg = reg;
			place.shift = bytes * 8;
		}
	}
	if (place.reg)
		place.bits = uc_bits(place.reg->part_bits - 1u, 0)
			     << place.shift;
	return place;
}

int pmu_read_part(struct pmu *pmu, uint64_t address, uint64_t *value)
{
	struct part_place place = place_of(pmu, address);

	if (!place.reg || pmu_read(pmu, place.reg->address, value))
		return PMU_GP;
	*value = (*value & place.bits) >> place.shift;
	return PMU_OK;
}

int pmu_write_part(struct pmu *pmu, uint64_t address, uint64_t value)
{
	struct part_place place = place_of(pmu, address);
	uint64_t whole = 0;

	if (!place.reg)
		return PMU_GP;
	if (place.reg->part_bits < place.reg->width &&
	    pmu_read(pmu, place.reg->address, &whole))
		return PMU_GP;
	whole = (whole & ~place.bits) | (value << place.shift & place.bits);
	return pmu_write(pmu, place.reg->address, whole);
}
