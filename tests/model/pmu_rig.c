/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See pmu_rig.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "pmu_rig.h"

static void on_pmi(void *context, unsigned socket, unsigned core,
		   uint64_t cycle)
{
	struct rig *rig = context;

	(void)socket;
	rig->num_pmis++;
	rig->last_core = core;
	rig->last_pmi_cycle = cycle;
}

static void on_complaint(void *context, enum pmu_complaint kind,
			 const char *text)
{
	struct rig *rig = context;

	assert_non_null(text);
	rig->num_complaints[kind]++;
}

const char *rig_machine = "xeon-e7";
const struct uc_family *rig_family;
struct pmu_clock rig_clocks[UC_MAX_CLOCKS];

struct rig *rig_new(unsigned pmi_delay_cycles, bool strict)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct pmu_config config = { 0 };
	const struct uc_box *slice;

	assert_non_null(rig);
	rig->family = rig_family ? rig_family : uc_family_find(rig_machine);
	assert_non_null(rig->family);
	rig->sim = sim_new();
	config.family = rig->family;
	config.sim = rig->sim;
	slice = uc_box_find(rig->family, "cbox", NULL);
	config.num_cores = slice ? slice->num_instances : 8;
	config.pmi_delay_cycles = pmi_delay_cycles;
	config.strict = strict;
	memcpy(config.clocks, rig_clocks, sizeof(rig_clocks));
	config.pmi = on_pmi;
	config.complain = on_complaint;
	config.context = rig;
	rig->pmu = pmu_new(&config);
	assert_non_null(rig->pmu);
	for (unsigned box = 0; box < rig->family->num_boxes; box++)
		for (unsigned i = 0; i < rig->family->boxes[box].num_instances;
		     i++) {
			struct sigbank *bank = pmu_bank(rig->pmu, box, i);

			sig_drives(bank, 0, bank->num_signals);
		}
	return rig;
}

void rig_free(struct rig *rig)
{
	pmu_free(rig->pmu);
	sim_free(rig->sim);
	free(rig);
}

const struct uc_register *rig_register(const struct rig *rig, const char *name)
{
	for (size_t i = 0; i < rig->family->num_registers; i++)
		if (!strcasecmp(rig->family->registers[i].name, name))
			return &rig->family->registers[i];
	fail_msg("there is no register %s", name);
	return NULL;
}

uint64_t rig_read(struct rig *rig, const char *name)
{
	uint64_t value = 0;

	assert_int_equal(
		pmu_read(rig->pmu, rig_register(rig, name)->address, &value),
		PMU_OK);
	return value;
}

static const struct uc_field *field_of(const struct rig *rig, const char *name,
				       const char *field)
{
	const struct uc_field *row =
		uc_field_find(rig_register(rig, name)->layout, field);

	if (!row)
		fail_msg("%s has no field %s", name, field);
	return row;
}

uint64_t rig_field(struct rig *rig, const char *name, const char *field)
{
	return uc_field_get(field_of(rig, name, field), rig_read(rig, name));
}

bool rig_faults(struct rig *rig, const char *name, uint64_t value)
{
	return pmu_write(rig->pmu, rig_register(rig, name)->address, value) ==
	       PMU_GP;
}

void rig_write(struct rig *rig, const char *name, uint64_t value)
{
	if (rig_faults(rig, name, value))
		fail_msg("#GP on a write of 0x%llx to %s",
			 (unsigned long long)value, name);
}

void rig_set(struct rig *rig, const char *name, const char *field,
	     uint64_t value)
{
	rig_write(rig, name,
		  uc_field_put(field_of(rig, name, field), rig_read(rig, name),
			       value));
}

struct sigbank *rig_bank(struct rig *rig, const char *box, unsigned instance)
{
	unsigned index = 0;
	struct sigbank *bank;

	assert_non_null(uc_box_find(rig->family, box, &index));
	bank = pmu_bank(rig->pmu, index, instance);
	assert_non_null(bank);
	return bank;
}

uint64_t rig_code(const struct rig *rig, const char *box, const char *event)
{
	const struct uc_box *row = uc_box_find(rig->family, box, NULL);

	assert_non_null(row);
	for (unsigned i = 0; i < row->num_events; i++)
		if (!strcasecmp(row->events[i].name, event))
			return row->events[i].code;
	fail_msg("%s has no event %s", box, event);
	return 0;
}

void rig_run_until(struct rig *rig, uint64_t cycle)
{
	sim_run_until(rig->sim, cycle);
}
