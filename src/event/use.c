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

static bool filters_role(const struct uc_signal_ref *refs, unsigned num,
			 unsigned role)
{
	for (unsigned i = 0; i < num; i++) {
		unsigned filter = refs[i].filter;

		if (refs[i].index_role == role && role != UC_ROLE_NONE)
			return true;
		if (filter == UC_FILTER_PLD || filter == UC_FILTER_PLD1) {
			if (role == UC_ROLE_PLD)
				return true;
		}
		if (filter && (role == UC_ROLE_MM_CFG ||
			       role == UC_ROLE_MATCH || role == UC_ROLE_MASK))
			return true;
	}
	return false;
}

static bool needs_role(const struct uc_event *event, unsigned role)
{
	if (sets_role(event->sets, event->num_sets, role) ||
	    takes_role(event->params, event->num_params, role) ||
	    filters_role(event->signals, event->num_signals, role))
		return true;
	for (unsigned i = 0; i < event->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &event->unit_masks[i];

		if (sets_role(mask->sets, mask->num_sets, role) ||
		    takes_role(mask->params, mask->num_params, role) ||
		    filters_role(mask->signals, mask->num_signals, role))
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

	if (of->box == UC_BOX_NONE || row->box != of->box)
		return false;
	switch (of->role) {
	case UC_ROLE_CONTROL:
	case UC_ROLE_COUNTER:
		return row->select != UC_SELECT_FIXED &&
		       may_count(row, of->index);
	case UC_ROLE_FIXED_CTL:
	case UC_ROLE_FIXED_COUNTER: return row->select == UC_SELECT_FIXED;
	case UC_ROLE_IPERF: return row->select == UC_SELECT_IPERF;
	case UC_ROLE_QLX: return row->select == UC_SELECT_QLX;
	case UC_ROLE_MM_CFG:
	case UC_ROLE_MATCH:
	case UC_ROLE_MASK:
		return row->select == UC_SELECT_XBR ||
		       needs_role(row, of->role);
	case UC_ROLE_GLOBAL_CTL:
	case UC_ROLE_GLOBAL_STATUS:
	case UC_ROLE_OVF_CTL: return true;
	case UC_ROLE_NONE:
	case UC_ROLE_SUMMARY:
	case UC_ROLE_TIMESTAMP: return false;
	default: return needs_role(row, of->role);
	}
}
