/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "session/enable.h"

uint64_t enable_master_bit(const struct uc_register *master, const char *field)
{
	const struct uc_field *found = uc_field_find(master->layout, field);

	return found ? uc_bits(found->high, found->low) : 0;
}

const struct uc_register *enable_master(const struct uc_family *family)
{
	for (unsigned i = 0; i < family->num_registers; i++)
		if (family->registers[i].role == UC_ROLE_GLOBAL_CTL &&
		    uc_field_find(family->registers[i].layout, "en_all"))
			return &family->registers[i];
	return NULL;
}

bool enable_is_counter(const struct uc_register *reg)
{
	return reg->role == UC_ROLE_COUNTER ||
	       reg->role == UC_ROLE_FIXED_COUNTER;
}

static uint64_t box_bit(const struct uc_register *box, bool is_fixed,
			unsigned n)
{
	const struct uc_field *field;

	if (is_fixed)
		return enable_master_bit(box, "fixed_en");
	field = uc_field_find(box->layout, "ctr_en");
	if (field)
		return uc_field_put(field, 0, UINT64_C(1) << n);
	return enable_master_bit(box, "en");
}

bool enable_find(const struct uc_family *family,
		 const struct uc_register *counter, struct enable *enable)
{
	const struct uc_box *box = &family->boxes[counter->box];
	bool is_fixed = counter->role == UC_ROLE_FIXED_COUNTER;
	unsigned span = is_fixed ? 0 : box->global_span;
	unsigned n = counter->index;

	enable->control = uc_register_of(
		family, counter->box, counter->instance,
		is_fixed ? UC_ROLE_FIXED_CTL : UC_ROLE_CONTROL, n);
	enable->box = uc_register_of(family, counter->box, counter->instance,
				     UC_ROLE_GLOBAL_CTL, span ? n / span : 0);
	if (!enable->control || !enable->box)
		return false;
	enable->control_bit = enable_master_bit(enable->control, "en");
	enable->box_bit = box_bit(enable->box, is_fixed, span ? n % span : n);
	return true;
}
