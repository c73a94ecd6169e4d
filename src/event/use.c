/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which events need a register, by the register's role: the control and the
 * counter of those that may count it, the sub-registers that it sets.
 */
#include "event/event.h"

static bool sets_role(const struct uc_set *sets, unsigned num, unsigned role)
{
	for (unsigned i = 0; i < num; i++)
		if (sets[i].role == role)
			return true;
	return false;
}

static bool takes_role(const struct uc_param *params, unsigned num,
		       unsigned role)
{
	for (unsigned i = 0; i < num; i++)
		if (params[i].role == role)
			return true;
	return false;
}

struct question {
	const struct uc_family *family;
	const struct uc_event *row;
	unsigned role;
};

static bool looks_at(const struct question *q, unsigned filter)
{
	for (unsigned i = 0; filter && i < q->family->num_looks; i++) {
		const struct uc_look *look = &q->family->looks[i];

		if (look->box == q->row->box && look->of & filter &&
		    look->field.role == q->role)
			return true;
	}
	return false;
}

static bool filters_role(const struct question *q,
			 const struct uc_signal_ref *refs, unsigned num)
{
	for (unsigned i = 0; i < num; i++)
		if (refs[i].index_role == q->role ||
		    looks_at(q, refs[i].filter))
			return true;
	return false;
}

static bool needs_role(const struct question *q)
{
	const struct uc_event *row = q->row;
	unsigned role = q->role;

	if (sets_role(row->sets, row->num_sets, role) ||
	    takes_role(row->params, row->num_params, role) ||
	    filters_role(q, row->signals, row->num_signals) ||
	    q->family->selects[row->select].registers >> role & 1)
		return true;
	for (unsigned i = 0; i < row->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &row->unit_masks[i];

		if (sets_role(mask->sets, mask->num_sets, role) ||
		    takes_role(mask->params, mask->num_params, role) ||
		    filters_role(q, mask->signals, mask->num_signals))
			return true;
	}
	return false;
}

/* The register is one counter's own. */
static bool may_count(const struct uc_event *event, unsigned counter)
{
	return counter < 32 && event->counters >> counter & 1;
}

bool uncore_event_info_needs(const struct uncore_event_info *event,
			     const struct uncore_register *reg)
{
	const struct uc_event *row = event->handle;
	const struct uc_register *of = reg->handle;
	const struct question q = { uc_family_of(of), row, of->role };

	if (!q.family || row->box != of->box)
		return false;
	switch (of->role) {
	case UC_ROLE_CONTROL:
	case UC_ROLE_COUNTER:
		return row->select != UC_SELECT_FIXED &&
		       may_count(row, of->index);
	case UC_ROLE_FIXED_CTL:
	case UC_ROLE_FIXED_COUNTER: return row->select == UC_SELECT_FIXED;
	case UC_ROLE_GLOBAL_CTL:
	case UC_ROLE_GLOBAL_STATUS:
	case UC_ROLE_OVF_CTL: return true;
	case UC_ROLE_NONE:
	case UC_ROLE_SUMMARY:
	case UC_ROLE_TIMESTAMP: return false;
	default: return needs_role(&q);
	}
}
