/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of one socket as plain storage: one value per row of the
 * family's register table, and the rules of writing that hold for all of them.
 */
#ifndef UNCORE_REGISTER_H
#define UNCORE_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

#include "table/table.h"

struct register_file {
	const struct uc_family *family;
	uint64_t *values;  /* in the order of family->registers */
	uint16_t *by_role; /* numbers of registers, plus 1: register_find() */
	unsigned num_instances; /* of the most frequent box */
};

/* All registers at their reset values; false without memory. */
bool register_file_init(struct register_file *file,
			const struct uc_family *family);
void register_file_free(struct register_file *file);

/* The place of a register's value. */
uint64_t *register_place(const struct register_file *file,
			 const struct uc_register *reg);

/* As uc_register_of(), in constant time. */
const struct uc_register *register_find(const struct register_file *file,
					unsigned box, unsigned instance,
					enum uc_role role, unsigned index);

/* The field (canonical or printed name) of a register value, or 0 where the
 * layout has none of that name. */
uint64_t register_field(const struct uc_register *reg, const char *name,
			uint64_t value);

/* The bits of a field in place, or 0 where the layout has none of that name. */
uint64_t register_mask(const struct uc_register *reg, const char *name);

/* Reserved bits that a write sets; 0 if it keeps the rules. */
uint64_t register_reserved(const struct uc_register *reg, uint64_t value);

/* What the register holds after a write of value: nothing in fields that can
 * only be written, which act then and read as 0. */
uint64_t register_merge(const struct uc_register *reg, uint64_t old,
			uint64_t value);

#endif
