/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which events need a register, by the register's role: the control and the
 * counter of those that may count it, the sub-registers that it sets.
 */
#include "event/event.h"

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

	if (row->box != of->box)
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
	default: return row->roles >> of->role & 1;
	}
}
