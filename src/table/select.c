/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "table/select.h"

bool uc_holds(const uint64_t value[UC_NUM_ROLES], const struct uc_set *sets,
	      unsigned num)
{
	for (unsigned i = 0; i < num; i++) {
		uint64_t is = (value[sets[i].role] &
			       uc_bits(sets[i].high, sets[i].low)) >>
			      sets[i].low;

		if (sets[i].contains)
			is &= sets[i].value;
		if (is != sets[i].value)
			return false;
	}
	return true;
}

bool uc_select_in_force(const struct uc_select *select,
			const uint64_t value[UC_NUM_ROLES])
{
	for (unsigned i = 0; i < select->num_when; i++)
		if (uc_holds(value, &select->when[i], 1))
			return true;
	return !select->num_when;
}

bool uc_select_gates(const struct uc_select *select,
		     const uint64_t value[UC_NUM_ROLES])
{
	return select->num_gate &&
	       uc_holds(value, select->gate, select->num_gate);
}

const struct uc_select *uc_slot_select(const struct uc_family *family,
				       unsigned box, enum uc_role role)
{
	for (unsigned i = 0; i < family->num_selects; i++)
		if (family->selects[i].box == box &&
		    family->selects[i].registers >> role & 1)
			return &family->selects[i];
	return NULL;
}

uint64_t uc_select_bits(const struct uc_select *select,
			const struct uc_layout *control)
{
	const struct uc_field *low = uc_field_find(control, select->name);
	const struct uc_field *more =
		select->more ? uc_field_find(control, select->more) : NULL;
	unsigned width = low ? low->high - low->low + 1u : 0;

	if (more)
		width += more->high - more->low + 1u;
	return low ? uc_bits(width - 1, 0) : 0;
}

uint64_t uc_select_code(const struct uc_select *select,
			const struct uc_layout *control, uint64_t value)
{
	const struct uc_field *low = uc_field_find(control, select->name);
	const struct uc_field *more =
		select->more ? uc_field_find(control, select->more) : NULL;
	uint64_t code = low ? uc_field_get(low, value) : 0;

	if (low && more)
		code |= uc_field_get(more, value) << (low->high - low->low + 1);
	return code;
}

uint64_t uc_select_put(const struct uc_select *select,
		       const struct uc_layout *control, uint64_t value,
		       uint64_t code)
{
	const struct uc_field *low = uc_field_find(control, select->name);
	const struct uc_field *more =
		select->more ? uc_field_find(control, select->more) : NULL;

	if (low)
		value = uc_field_put(low, value, code);
	if (low && more)
		value = uc_field_put(more, value,
				     code >> (low->high - low->low + 1));
	return value;
}

const struct uc_route *uc_route_of(const struct uc_family *family, unsigned box,
				   unsigned counter, uint64_t code)
{
	const struct uc_box *of = &family->boxes[box];
	unsigned span = of->global_span ? of->global_span : of->num_counters;
	unsigned groups = of->num_counters / span;
	const struct uc_route *found = NULL;

	for (unsigned i = 0; of->num_ports > 1 && i < family->num_routes; i++) {
		const struct uc_route *route = &family->routes[i];

		if (route->code == code &&
		    route->port * groups / of->num_ports == counter / span)
			found = route;
	}
	return found;
}

void uc_read_view(const struct uc_family *family, unsigned box,
		  const struct uc_route *route, uc_read_fn *read,
		  const void *object, uint64_t value[UC_NUM_ROLES])
{
	const struct uc_select *slot =
		route ? &family->selects[route->select] : NULL;
	unsigned index =
		route ? uc_slot_index(slot, route->port, route->slot) : 0;
	unsigned shift = route ? slot->slot_shift * route->slot : 0;
	uint64_t bits = route && slot->slot_shift
				? uc_bits(slot->slot_shift - 1u, 0)
				: ~UINT64_C(0);

	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_NUM_ROLES; role++) {
		bool is_of = route ? slot->registers >> role & 1
				   : family->boxes[box].num_ports < 2;

		value[role] = is_of && uc_role_names[role]
				      ? read(object, (enum uc_role)role,
					     index) >> shift &
						bits
				      : 0;
	}
}
