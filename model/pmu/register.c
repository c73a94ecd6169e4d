/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One generic write for all registers: the masks come from the layouts, so a
 * register's behaviour is its row in the data. What a register does beyond
 * holding bits is in pmu.c.
 */
#include "model/pmu/register.h"

#include <stdlib.h>

/* Indices within a role go up to port * 2 + slot of eight ports. */
#define NUM_INDICES 16

static size_t position(const struct register_file *file, unsigned box,
		       unsigned instance, unsigned role, unsigned index)
{
	return ((box * file->num_instances + instance) * UC_NUM_ROLES + role) *
		       NUM_INDICES +
	       index;
}

static void index_registers(struct register_file *file)
{
	for (size_t i = file->family->num_registers; i--;) {
		const struct uc_register *reg = &file->family->registers[i];

		if (reg->index < NUM_INDICES)
			file->by_role[position(file, reg->box, reg->instance,
					       reg->role, reg->index)] =
				(uint16_t)(i + 1);
	}
}

bool register_file_init(struct register_file *file,
			const struct uc_family *family)
{
	file->family = family;
	file->num_instances = 0;
	for (unsigned i = 0; i < family->num_boxes; i++)
		if (family->boxes[i].num_instances > file->num_instances)
			file->num_instances = family->boxes[i].num_instances;
	file->values = calloc(family->num_registers, sizeof(*file->values));
	file->by_role = calloc(position(file, family->num_boxes, 0, 0, 0) + 1,
			       sizeof(*file->by_role));
	if (!file->values || !file->by_role)
		return false;
	index_registers(file);
	for (size_t i = 0; i < family->num_registers; i++)
		file->values[i] = family->registers[i].layout->reset;
	return true;
}

void register_file_free(struct register_file *file)
{
	free(file->values);
	free(file->by_role);
}

const struct uc_register *register_find(const struct register_file *file,
					unsigned box, unsigned instance,
					enum uc_role role, unsigned index)
{
	unsigned number;

	if (box >= file->family->num_boxes || instance >= file->num_instances ||
	    index >= NUM_INDICES)
		return NULL;
	number = file->by_role[position(file, box, instance, role, index)];
	return number ? &file->family->registers[number - 1] : NULL;
}

uint64_t *register_place(const struct register_file *file,
			 const struct uc_register *reg)
{
	return &file->values[reg - file->family->registers];
}

uint64_t register_field(const struct uc_register *reg, const char *name,
			uint64_t value)
{
	const struct uc_field *field = uc_field_find(reg->layout, name);

	return field ? uc_field_get(field, value) : 0;
}

uint64_t register_mask(const struct uc_register *reg, const char *name)
{
	const struct uc_field *field = uc_field_find(reg->layout, name);

	return field ? uc_bits(field->high, field->low) : 0;
}

static uint64_t wide(const struct uc_register *reg)
{
	return uc_bits(reg->width - 1u, 0);
}

uint64_t register_reserved(const struct uc_register *reg, uint64_t value)
{
	return value & reg->layout->reserved & wide(reg);
}

/* Those of all fields of a kind. */
static uint64_t bits_of(const struct uc_register *reg, enum uc_kind kind)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < reg->layout->num_fields; i++) {
		const struct uc_field *field = &reg->layout->fields[i];

		if (field->kind == kind)
			bits |= uc_bits(field->high, field->low);
	}
	return bits;
}

static uint64_t clearing_bits(const struct uc_register *reg)
{
	if (reg->access == UC_ACCESS_W1C)
		return ~UINT64_C(0);
	return bits_of(reg, UC_KIND_W1C);
}

uint64_t register_merge(const struct uc_register *reg, uint64_t old,
			uint64_t value)
{
	uint64_t writable =
		reg->layout->writable & wide(reg) & ~bits_of(reg, UC_KIND_WO);
	uint64_t clearing = clearing_bits(reg) & writable;
	uint64_t holding = writable & ~clearing;

	return (old & ~holding & ~(value & clearing)) | (value & holding);
}
