/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What follows a carry out of a counter's highest bit: the box's overflow bit,
 * what summarises it, the global status, the PMI and the freeze. Where one
 * register governs the socket (E7 guide, 2.1.1 to 2.1.5):
 *
 *   counter n carries -> status.ov[n] -> summary -> global status
 *
 * The summary is the OR of what lies below and has no state. The bits of the
 * global status are latches: set by an overflow, cleared through its overflow
 * control or when nothing is left of what they summarise.
 *
 * Where there is a freeze (E5 v2 guide, p. 15, 18, 21), all of it happens only
 * if the control says so:
 *
 *   counter n carries -> status.ov[n], the box is frozen
 *                     -> a message -> bit of the box in the global status,
 *                                     PMI, all boxes are frozen
 *
 * Software clears both bits before it lets the boxes go on: while either of
 * them is set, an overflow sends nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "model/pmu/inside.h"
#include "table/overflow.h"

/* Rows of boxes that have a status register. */
bool overflow_init(struct pmu *pmu)
{
	const struct uc_family *family = pmu->config.family;

	pmu->sources =
		calloc(family->num_overflows + 1u, sizeof(*pmu->sources));
	if (!pmu->sources)
		return false;
	for (unsigned i = 0; i < family->num_overflows; i++) {
		const struct uc_overflow *row = &family->overflows[i];
		const struct uc_register *status =
			register_find(&pmu->registers, row->box, row->instance,
				      UC_ROLE_GLOBAL_STATUS, row->index);

		if (status)
			pmu->sources[pmu->num_sources++] =
				(struct overflow_source){
					row,
					register_place(&pmu->registers, status)
				};
	}
	return true;
}

void overflow_free(struct pmu *pmu)
{
	free(pmu->sources);
}

void overflow_slot(struct slot *slot)
{
	const struct decode_place *place = &slot->place;
	struct overflow_place found =
		uc_overflow_place(place->registers->family, place->box,
				  place->instance, place->counter);

	if (found.status)
		slot->status_value =
			register_place(place->registers, found.status);
	slot->overflow_bit = found.bit;
	slot->told_bit = found.told;
	if (found.row)
		slot->latch_bit = found.row->latch_bit;
	else if (slot->status_value == slot->unit->pmu->global_status_value)
		slot->latch_bit = found.bit;
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

/* Whether what the message asks for stops anything that was not. */
static bool freezes(struct pmu *pmu)
{
	if (pmu->config.family->freeze) {
		for (unsigned i = 0; i < pmu->num_units; i++)
			pmu->units[i].is_frozen = true;
		return true;
	}
	if (!(*pmu->global_ctl_value & pmu->frz_all) ||
	    !(*pmu->global_ctl_value & pmu->en_all))
		return false;
	*pmu->global_ctl_value &= ~pmu->en_all;
	*pmu->global_status_value |= pmu->cond;
	return true;
}

/* The message of a box with an overflowing counter has arrived. The cores are
 * interrupted before the counters let go of their signals: a handler that
 * enables them again in this very cycle loses nothing of it. */
static void pmi_arrives(void *object, uint64_t told)
{
	struct pmu *pmu = object;
	bool has_frozen;

	pmu->num_on_way--;
	/* an overflow of the cycle before was before it */
	pmu_sync_all(pmu);
	if (*pmu->global_status_value & told)
		return; /* as a message before it did */
	*pmu->global_status_value |= told | pmu->pmi;
	has_frozen = freezes(pmu);
	interrupt_cores(pmu);
	if (has_frozen)
		pmu_refresh_all(pmu);
}

/* The box of the counter is the first that stops, when the cycle has ended in
 * which it carried. */
static void box_freezes(void *object, uint64_t argument)
{
	struct unit *unit = object;

	(void)argument;
	unit->is_frozen = true;
	pmu_refresh_unit(unit);
}

static void send_message(struct slot *slot)
{
	struct pmu *pmu = slot->unit->pmu;
	uint64_t now = sim_now(pmu->config.sim);

	if (pmu->num_due) {
		*pmu->num_due += !pmu->is_due;
		pmu->is_due = true;
		pmu->due_told |= slot->told_bit;
		return;
	}
	if (pmu->config.family->freeze)
		sim_at(pmu->config.sim, now, box_freezes, slot->unit, 0);
	pmu->num_on_way++;
	sim_at(pmu->config.sim, now + pmu->config.pmi_delay_cycles, pmi_arrives,
	       pmu, slot->told_bit);
}

void overflow_happens(void *context, struct counter *counter)
{
	struct pmu *pmu = context;
	struct slot *slot = (struct slot *)counter;
	bool is_told = counter->expression.options.pmi, was_set = false;

	if (!slot->status_value && !slot->told_bit)
		return;
	if (pmu->config.family->freeze && !is_told)
		return;
	slot->requester = counter->requester;
	if (slot->status_value) {
		was_set = *slot->status_value & slot->overflow_bit;
		*slot->status_value |= slot->overflow_bit;
	}
	*pmu->global_status_value |= slot->latch_bit;
	if (is_told && !was_set &&
	    !(*pmu->global_status_value & slot->told_bit))
		send_message(slot);
}

void pmu_interrupt(struct pmu *pmu)
{
	uint64_t told = pmu->due_told;

	if (!pmu->is_due)
		return;
	pmu->is_due = false;
	pmu->due_told = 0;
	pmu->num_on_way++;
	pmi_arrives(pmu, told);
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
