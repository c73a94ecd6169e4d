/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "table/enable.h"

uint64_t enable_bits(const struct uc_register *reg, const char *field)
{
	const struct uc_field *found =
		reg ? uc_field_find(reg->layout, field) : NULL;

	return found ? uc_bits(found->high, found->low) : 0;
}

bool enable_is_switch(const struct uc_family *family,
		      const struct uc_register *reg)
{
	const struct uc_domain *domain = uc_domain_governed(family, reg);

	return domain && domain->scope == UC_SCOPE_SOCKET;
}

bool enable_is_gated(const struct uc_family *family, unsigned box)
{
	const struct uc_domain *domain = uc_domain_of(family, box);

	return domain && domain->scope == UC_SCOPE_SOCKET;
}

static bool is_control(const struct uc_register *reg)
{
	return reg->role == UC_ROLE_CONTROL || reg->role == UC_ROLE_FIXED_CTL;
}

bool enable_is_enable(const struct uc_family *family,
		      const struct uc_register *reg)
{
	if (reg->role == UC_ROLE_GLOBAL_CTL)
		return !enable_is_switch(family, reg);
	return is_control(reg) &&
	       !uc_register_of(family, reg->box, reg->instance,
			       UC_ROLE_GLOBAL_CTL, 0);
}

uint64_t enable_off(const struct uc_family *family,
		    const struct uc_register *reg)
{
	const struct uc_domain *domain = uc_domain_governed(family, reg);

	return domain ? domain->stop : 0;
}

bool enable_is_counter(const struct uc_register *reg)
{
	return reg->role == UC_ROLE_COUNTER ||
	       reg->role == UC_ROLE_FIXED_COUNTER;
}

uint64_t uc_enable_box_bits(const struct uc_register *box, bool is_fixed,
			    unsigned n)
{
	const struct uc_field *field;

	if (is_fixed)
		return enable_bits(box, "fixed_en");
	field = uc_field_find(box->layout, "ctr_en");
	if (field)
		return uc_field_put(field, 0, UINT64_C(1) << n);
	return enable_bits(box, "en");
}

bool enable_find(const struct uc_family *family,
		 const struct uc_register *counter, struct enable *enable)
{
	const struct uc_box *box = &family->boxes[counter->box];
	const struct uc_domain *domain = uc_domain_of(family, counter->box);
	bool is_fixed = counter->role == UC_ROLE_FIXED_COUNTER;
	unsigned span = is_fixed ? 0 : box->global_span;
	unsigned n = counter->index;

	enable->control = uc_register_of(
		family, counter->box, counter->instance,
		is_fixed ? UC_ROLE_FIXED_CTL : UC_ROLE_CONTROL, n);
	enable->box = uc_register_of(family, counter->box, counter->instance,
				     UC_ROLE_GLOBAL_CTL, span ? n / span : 0);
	if (!enable->control || (!enable->box && domain))
		return false;
	enable->control_bit = enable_bits(enable->control, "en");
	if (!enable->box) {
		enable->box = enable->control;
		enable->box_bits = enable->box_on = enable->control_bit;
	} else if (domain && domain->scope == UC_SCOPE_BOX) {
		enable->box_bits = domain->run ^ domain->stop;
		enable->box_on = domain->run & enable->box_bits;
	} else {
		enable->box_bits = enable->box_on = uc_enable_box_bits(
			enable->box, is_fixed, span ? n % span : n);
	}
	return true;
}
