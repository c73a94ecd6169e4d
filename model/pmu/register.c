/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One generic write for all registers: the masks come from the layouts, so a
 * register's behaviour is its row in the data. What a register does beyond
 * holding bits is in pmu.c.
 */
#include "model/pmu/register.h"

#include <stdlib.h>

bool register_file_init(struct register_file *file,
			const struct uc_family *family)
{
	file->family = family;
	file->values = calloc(family->num_registers, sizeof(*file->values));
	if (!file->values)
		return false;
	for (size_t i = 0; i < family->num_registers; i++)
		file->values[i] = family->registers[i].layout->reset;
	return true;
}

void register_file_free(struct register_file *file)
{
	free(file->values);
	file->values = NULL;
}

uint64_t *register_place(const struct register_file *file,
			 const struct uc_register *reg)
{
	return &file->values[reg - file->family->registers];
}

uint64_t register_value(const struct register_file *file, unsigned box,
			unsigned instance, enum uc_role role, unsigned index)
{
	const struct uc_register *reg =
		uc_register_of(file->family, box, instance, role, index);

	return reg ? *register_place(file, reg) : 0;
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

static uint64_t clearing_bits(const struct uc_register *reg)
{
	uint64_t bits = 0;

	if (reg->access == UC_ACCESS_W1C)
		return ~UINT64_C(0);
	for (size_t i = 0; i < reg->layout->num_fields; i++) {
		const struct uc_field *field = &reg->layout->fields[i];

		if (field->kind == UC_KIND_W1C)
			bits |= uc_bits(field->high, field->low);
	}
	return bits;
}

uint64_t register_merge(const struct uc_register *reg, uint64_t old,
			uint64_t value)
{
	uint64_t writable = reg->layout->writable & wide(reg);
	uint64_t clearing = clearing_bits(reg) & writable;
	uint64_t holding = writable & ~clearing;

	return (old & ~holding & ~(value & clearing)) | (value & holding);
}
