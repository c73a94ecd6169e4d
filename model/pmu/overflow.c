/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What follows a carry out of bit 47: the box's overflow bit, the summary,
 * the latched bits of the global status, the PMI and the freeze (2.1.1 to
 * 2.1.5).
 *
 *   counter n carries -> status.ov[n] -> summary -> global status
 *
 * The summary is the OR of what lies below and has no state. The bits of the
 * global status are latches: set by an overflow, cleared through its overflow
 * control or when nothing is left of what they summarise.
 */
#include <stdlib.h>
#include <string.h>

#include "model/pmu/inside.h"

bool overflow_init(struct pmu *pmu)
{
	const struct uc_family *family = pmu->config.family;

	pmu->sources =
		calloc(family->num_overflows + 1u, sizeof(*pmu->sources));
	if (!pmu->sources)
		return false;
	pmu->num_sources = family->num_overflows;
	for (unsigned i = 0; i < pmu->num_sources; i++)
		pmu->sources[i] = (struct overflow_source){
			.row = &family->overflows[i],
			.status = register_place(
				&pmu->registers,
				&family->registers[family->overflows[i]
							   .status]),
		};
	return true;
}

void overflow_free(struct pmu *pmu)
{
	free(pmu->sources);
}

uint64_t overflow_latch(const struct pmu *pmu, const struct slot *slot)
{
	for (unsigned i = 0; i < pmu->num_sources; i++)
		if (pmu->sources[i].status == slot->status_value)
			return pmu->sources[i].row->latch_bit;
	return slot->overflow_bit; /* the U-Box: its status is the only one */
}

uint64_t overflow_summary(const struct pmu *pmu, const struct uc_register *reg)
{
	const struct uc_register *registers = pmu->config.family->registers;
	uint64_t summary = 0;

	for (unsigned i = 0; i < pmu->num_sources; i++) {
		const struct overflow_source *source = &pmu->sources[i];

		if (&registers[source->row->summary] == reg && *source->status)
			summary |= source->row->summary_bit;
	}
	return summary;
}

static void interrupt_cores(struct pmu *pmu)
{
	const struct pmu_config *config = &pmu->config;
	uint64_t cores = register_field(pmu->global_ctl, "pmi_core_sel",
					*pmu->global_ctl_value);

	for (unsigned core = 0; core < config->num_cores && cores >> core;
	     core++)
		if (cores >> core & 1 && config->pmi)
			config->pmi(config->context, config->socket, core,
				    sim_now(config->sim));
}

/* The message of a box with an overflowing counter has arrived. The cores are
 * interrupted before the counters let go of their signals: a handler that
 * enables them again in this very cycle loses nothing of it. */
static void pmi_arrives(void *object, uint64_t argument)
{
	struct pmu *pmu = object;
	bool freezes = false;

	(void)argument;
	pmu->num_on_way--;
	*pmu->global_status_value |= pmu->pmi;
	if (*pmu->global_ctl_value & pmu->frz_all &&
	    *pmu->global_ctl_value & pmu->en_all) {
		*pmu->global_ctl_value &= ~pmu->en_all;
		*pmu->global_status_value |= pmu->cond;
		freezes = true;
	}
	interrupt_cores(pmu);
	if (freezes)
		pmu_refresh_all(pmu);
}

void overflow_happens(void *context, struct counter *counter)
{
	struct pmu *pmu = context;
	struct slot *slot = (struct slot *)counter;
	bool was_set;

	if (!slot->status_value)
		return;
	slot->requester = counter->requester;
	was_set = *slot->status_value & slot->overflow_bit;
	*slot->status_value |= slot->overflow_bit;
	*pmu->global_status_value |= slot->latch_bit;
	if (was_set || !counter->expression.options.pmi)
		return;
	if (pmu->num_due) {
		*pmu->num_due += !pmu->is_due;
		pmu->is_due = true;
		return;
	}
	pmu->num_on_way++;
	sim_at(pmu->config.sim,
	       sim_now(pmu->config.sim) + pmu->config.pmi_delay_cycles,
	       pmi_arrives, pmu, 0);
}

void pmu_interrupt(struct pmu *pmu)
{
	if (!pmu->is_due)
		return;
	pmu->is_due = false;
	pmu->num_on_way++;
	pmi_arrives(pmu, 0);
}

bool pmu_is_interrupting(const struct pmu *pmu)
{
	return pmu->num_on_way;
}

/* Takes the latches back that summarise nothing any more. */
static void drop_latches(struct pmu *pmu, const uint64_t *status)
{
	uint64_t affected = 0, left = 0;

	for (unsigned i = 0; i < pmu->num_sources; i++)
		if (pmu->sources[i].status == status)
			affected |= pmu->sources[i].row->latch_bit;
	for (unsigned i = 0; i < pmu->num_sources; i++)
		if (*pmu->sources[i].status)
			left |= pmu->sources[i].row->latch_bit;
	*pmu->global_status_value &= ~(affected & ~left);
}

void overflow_clear(struct pmu *pmu, const struct uc_register *status,
		    uint64_t bits)
{
	uint64_t *value = register_place(&pmu->registers, status);

	bits &= *value;
	if (!bits)
		return;
	*value &= ~bits;
	drop_latches(pmu, value);
	for (unsigned i = 0; i < pmu->num_units; i++) {
		struct unit *unit = &pmu->units[i];

		for (unsigned n = 0; n < unit->num_slots; n++)
			if (unit->slots[n].status_value == value &&
			    unit->slots[n].overflow_bit & bits)
				counter_resume(&unit->slots[n].counter);
	}
}

/* A field clr_X of the control clears the field X of the status. */
void overflow_control(struct pmu *pmu, const struct uc_register *control,
		      uint64_t value)
{
	const struct uc_register *status = uc_register_of(
		pmu->config.family, control->box, control->instance,
		UC_ROLE_GLOBAL_STATUS, control->index);
	uint64_t bits = 0;

	for (size_t i = 0; status && i < control->layout->num_fields; i++) {
		const struct uc_field *clear = &control->layout->fields[i];
		const struct uc_field *field;

		if (strncmp(clear->canonical, "clr_", 4))
			continue;
		field = uc_field_find(status->layout, clear->canonical + 4);
		if (field)
			bits |= uc_field_put(field, 0,
					     uc_field_get(clear, value)) &
				uc_bits(field->high, field->low);
	}
	if (status)
		overflow_clear(pmu, status, bits);
}
