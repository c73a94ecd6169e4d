/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What holds where an option of an event is not given, and the checks that
 * need all options.
 */
#include "event/event.h"

#include <string.h>

#include "perf/family.h"
#include "uncore/error.h"

static int set_default(struct uncore_event *event, enum uc_role role,
		       unsigned high, unsigned low, uint64_t value,
		       char **error)
{
	if (event_covers(event, role, high, low))
		return 0;
	return event_set_bits(event, event_role_name(role), role, high, low,
			      value, error);
}

/* Terms that an alias of the kernel has as NAME=? are for the user to give. */
static int demand_params(const struct uncore_event *event,
			 const struct uc_param *params, unsigned num,
			 char **error)
{
	for (unsigned i = 0; i < num; i++)
		if (!event_covers(event, (enum uc_role)params[i].role,
				  params[i].high, params[i].low))
			return text_error(UNCORE_ERR_BAD_OPTION, error,
					  "%s needs %s=VALUE, for which there "
					  "is no default",
					  event->row->name, params[i].name);
	return 0;
}

static int default_params(struct uncore_event *event,
			  const struct uc_param *params, unsigned num,
			  char **error)
{
	int result = 0;

	if (perf_family_pmus(event->family))
		return demand_params(event, params, num, error);
	for (unsigned i = 0; i < num && !result; i++)
		result = set_default(event, (enum uc_role)params[i].role,
				     params[i].high, params[i].low, 0, error);
	return result;
}

/* The fields that hold the code of the event. */
static int set_code(struct uncore_event *event, const struct uc_select *select,
		    const struct uc_layout *layout, char **error)
{
	const char *const names[] = { select->name, select->more };
	uint64_t value = uc_select_put(select, layout, 0, event->row->code);
	int result = 0;

	for (unsigned i = 0; i < 2 && !result; i++) {
		const struct uc_field *field =
			names[i] ? uc_field_find(layout, names[i]) : NULL;

		if (field)
			result = event_set_bits(
				event, field->canonical, UC_ROLE_CONTROL,
				field->high, field->low,
				uc_field_get(field, value), error);
	}
	return result;
}

/* What chooses the event, and an occupancy counter that starts from 0. */
static int default_select(struct uncore_event *event, char **error)
{
	const struct uc_layout *layout =
		uc_layout_of(event->family, event->box_index, UC_ROLE_CONTROL);
	const struct uc_select *select;
	const struct uc_field *field = NULL;
	int result = 0;

	if (!event->row || !layout)
		return 0;
	select = &event->family->selects[event->row->select];
	if (!select->num_slots && event->row->select != UC_SELECT_FIXED)
		result = set_code(event, select, layout, error);
	field = uc_field_find(layout, "reset_occ_cnt");
	if (!result && field && event->row->tally_bits)
		result = set_default(event, UC_ROLE_CONTROL, field->high,
				     field->low, 1, error);
	return result;
}

/* Whether options have set any bit that the event's unit masks look at. Not
 * where unit masks are filters, since one's own may let anything pass. */
static bool mask_by_options(const struct uncore_event *event)
{
	if (event->family->selects[event->row->select].is_filter)
		return false;
	for (unsigned m = 0; m < event->row->num_unit_masks; m++) {
		const struct uc_unit_mask *mask = &event->row->unit_masks[m];

		for (unsigned i = 0; i < mask->num_sets; i++)
			if (event_covers(event,
					 (enum uc_role)mask->sets[i].role,
					 mask->sets[i].high, mask->sets[i].low))
				return true;
	}
	return false;
}

static int default_mask(struct uncore_event *event, char **error)
{
	if (!event->row || !event->row->num_unit_masks || event->num_masks ||
	    mask_by_options(event))
		return 0;
	return event_bad_mask(event, NULL, error);
}

/* Raw codes in a box with ports: the slot that is set is the one the counter
 * must be pointed at. */
static void raw_select(struct uncore_event *event)
{
	const struct uc_family *family = event->family;

	for (unsigned role = UC_FIRST_SUB_ROLE;
	     role < UC_NUM_ROLES && !event->row; role++) {
		const struct uc_select *select = uc_slot_select(
			family, event->box_index, (enum uc_role)role);

		if (!select || !event_covers(event, (enum uc_role)role, 63, 0))
			continue;
		event->select = (int)(select - family->selects);
		return;
	}
}

static int check_counter(const struct uncore_event *event, char **error)
{
	uint32_t counters = event_counters(event);
	struct text text = { 0 };
	unsigned num = 0;

	if (event->counter == EVENT_ANY || counters >> event->counter & 1)
		return 0;
	text_add(&text, "counter %d cannot count '%s'; counters that can: ",
		 event->counter, event->text);
	for (unsigned i = 0; i < 32; i++)
		if (counters >> i & 1)
			text_add(&text, "%s%u", num++ ? ", " : "", i);
	return text_fail(&text, UNCORE_ERR_BAD_COUNTER, error);
}

int event_defaults(struct uncore_event *event, char **error)
{
	int result = default_mask(event, error);

	if (!result)
		result = default_select(event, error);
	if (!result)
		result = event_filter_defaults(event, error);
	if (!result && event->row)
		result = default_params(event, event->row->params,
					event->row->num_params, error);
	for (unsigned i = 0; i < event->num_masks && !result; i++)
		result = default_params(event, event->masks[i]->params,
					event->masks[i]->num_params, error);
	if (result)
		return result;
	raw_select(event);
	if (event->port == EVENT_ANY && event_routed(event))
		return event_bad_port(event, NULL, error);
	return check_counter(event, error);
}
