/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What follows a carry out of bit 47: the box's overflow bit, the S-Box
 * summary, the latched bits of the U-Box, the PMI and the freeze (2.1.1 to
 * 2.1.5).
 *
 *   counter n carries -> status.ov[n] -> S-Box summary -> U-Box status
 *
 * The summary is the OR of what lies below and has no state. The bits of the
 * U-Box are latches: set by an overflow, cleared through the U-Box's own
 * overflow control or when nothing is left of what they summarise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/pmu/inside.h"

/* Table 2-26: the summary bit of a box by its type and its place among the
 * boxes of its type on one side of the chip. A family whose summary has none of
 * the names does not summarise the box. */
static const struct {
	uint8_t type, first, last;
	const char *names[2];
} summary_bits[] = {
	{ UC_BOX_C, 0, 1, { "ov_c_l" } },
	{ UC_BOX_C, 2, 3, { "ov_c_m", "ov_c_r" } },
	{ UC_BOX_C, 4, 5, { "ov_c_h" } },
	{ UC_BOX_B, 0, 0, { "ov_mb" } },
	{ UC_BOX_M, 0, 0, { "ov_mb" } },
	{ UC_BOX_S, 0, 0, { "ov_s" } },
	{ UC_BOX_R, 0, 0, { "ov_r" } },
};

/* Instances of a type are dealt out to the sides in order, first half first;
 * the R-Box is one box whose halves have status registers of their own. */
static unsigned per_side(const struct uc_family *family,
			 const struct uc_register *status)
{
	const struct uc_box *box = &family->boxes[status->box];
	int sbox = uc_box_of_type(family, UC_BOX_S);
	unsigned sides = sbox < 0 ? 1 : family->boxes[sbox].num_instances;
	unsigned n = box->num_instances / sides;

	return n ? n : 1;
}

static unsigned side_of(const struct uc_family *family,
			const struct uc_register *status)
{
	if (family->boxes[status->box].type == UC_BOX_R)
		return status->index;
	return status->instance / per_side(family, status);
}

static uint64_t summary_bit(const struct uc_family *family,
			    const struct uc_register *status,
			    const struct uc_register *summary)
{
	const struct uc_box *box = &family->boxes[status->box];
	unsigned place = box->type == UC_BOX_R
				 ? 0
				 : status->instance % per_side(family, status);
	uint64_t bit = 0;

	for (size_t i = 0; i < sizeof(summary_bits) / sizeof(*summary_bits);
	     i++) {
		if (summary_bits[i].type != box->type ||
		    place < summary_bits[i].first ||
		    place > summary_bits[i].last)
			continue;
		for (unsigned n = 0; n < 2 && summary_bits[i].names[n]; n++)
			bit |= register_mask(summary, summary_bits[i].names[n]);
	}
	return bit;
}

static const struct uc_register *summary_of(const struct uc_family *family,
					    unsigned side)
{
	int sbox = uc_box_of_type(family, UC_BOX_S);

	return sbox < 0 ? NULL
			: uc_register_of(family, (unsigned)sbox, side,
					 UC_ROLE_SUMMARY, 0);
}

static uint64_t side_latch(const struct pmu *pmu, unsigned side)
{
	char name[16];

	snprintf(name, sizeof(name), "ov_s%u", side);
	return register_mask(pmu->global_status, name);
}

static void add_source(struct pmu *pmu, const struct uc_register *status)
{
	const struct uc_family *family = pmu->config.family;
	struct overflow_source *source = &pmu->sources[pmu->num_sources];
	unsigned side = side_of(family, status);
	const struct uc_register *summary = summary_of(family, side);

	source->status = register_place(&pmu->registers, status);
	source->side = (uint8_t)side;
	if (family->boxes[status->box].type == UC_BOX_W)
		source->latch_bit = register_mask(pmu->global_status, "ov_w");
	else if (summary)
		source->summary_bit = summary_bit(family, status, summary);
	if (source->summary_bit)
		source->latch_bit = side_latch(pmu, side);
	pmu->num_sources++;
}

bool overflow_init(struct pmu *pmu)
{
	const struct uc_family *family = pmu->config.family;

	pmu->sources = calloc(family->num_registers, sizeof(*pmu->sources));
	if (!pmu->sources)
		return false;
	for (size_t i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];

		if (reg->role == UC_ROLE_GLOBAL_STATUS &&
		    reg != pmu->global_status)
			add_source(pmu, reg);
	}
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
			return pmu->sources[i].latch_bit;
	return slot->overflow_bit; /* the U-Box: its status is the only one */
}

uint64_t overflow_summary(const struct pmu *pmu, const struct uc_register *reg)
{
	uint64_t summary = 0;

	for (unsigned i = 0; i < pmu->num_sources; i++)
		if (pmu->sources[i].side == reg->instance &&
		    *pmu->sources[i].status)
			summary |= pmu->sources[i].summary_bit;
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

/* The message of a box with an overflowing counter reaches the U-Box. The cores
 * are interrupted before the counters let go of their signals: a handler that
 * enables them again in this very cycle loses nothing of it. */
static void pmi_arrives(void *object, uint64_t argument)
{
	struct pmu *pmu = object;
	bool freezes = false;

	(void)argument;
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
	bool was_set = *slot->status_value & slot->overflow_bit;

	*slot->status_value |= slot->overflow_bit;
	*pmu->global_status_value |= slot->latch_bit;
	if (!was_set && counter->expression.options.pmi)
		sim_at(pmu->config.sim,
		       sim_now(pmu->config.sim) + pmu->config.pmi_delay_cycles,
		       pmi_arrives, pmu, 0);
}

/* Takes the latches back that summarise nothing any more. */
static void drop_latches(struct pmu *pmu, const uint64_t *status)
{
	uint64_t affected = 0, left = 0;

	for (unsigned i = 0; i < pmu->num_sources; i++)
		if (pmu->sources[i].status == status)
			affected |= pmu->sources[i].latch_bit;
	for (unsigned i = 0; i < pmu->num_sources; i++)
		if (*pmu->sources[i].status)
			left |= pmu->sources[i].latch_bit;
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
