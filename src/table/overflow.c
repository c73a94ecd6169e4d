/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "table/overflow.h"

#include "table/enable.h"

/* The bit of a counter: of a field with a bit for each, of that of the fixed
 * counter, or the only one. */
static uint64_t bit_of(const struct uc_register *reg, bool is_fixed, unsigned n,
		       const char *general, const char *fixed, const char *only)
{
	uint64_t bits = enable_bits(reg, is_fixed ? fixed : general);

	if (is_fixed)
		return bits;
	return bits ? bits & (bits & -bits) << n : enable_bits(reg, only);
}

static const struct uc_overflow *row_of(const struct uc_family *family,
					unsigned box, unsigned instance,
					unsigned index)
{
	for (unsigned i = 0; i < family->num_overflows; i++) {
		const struct uc_overflow *row = &family->overflows[i];

		if (row->box == box && row->instance == instance &&
		    row->index == index)
			return row;
	}
	return NULL;
}

struct overflow_place uc_overflow_place(const struct uc_family *family,
					unsigned box, unsigned instance,
					unsigned n)
{
	const struct uc_box *of = &family->boxes[box];
	unsigned span = of->global_span ? of->global_span : UINT8_MAX;
	bool is_fixed = n >= of->num_counters;
	unsigned index = is_fixed ? 0 : n / span;
	struct overflow_place place = { 0 };

	place.row = row_of(family, box, instance, index);
	place.status = uc_register_of(family, box, instance,
				      UC_ROLE_GLOBAL_STATUS, index);
	place.bit = bit_of(place.status, is_fixed, n % span, "ov", "ov_fixed",
			   "ov_u");
	place.clear =
		uc_register_of(family, box, instance, UC_ROLE_OVF_CTL, index);
	place.clear_bit = bit_of(place.clear, is_fixed, n % span, "clr_ov",
				 "clr_ov_fixed", "clr_ov_u");
	if (!place.clear) {
		place.clear = place.status;
		place.clear_bit = place.bit;
	}
	if (place.row)
		place.told =
			is_fixed ? place.row->told_fixed : place.row->told_bit;
	return place;
}
