/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whether an event can count anything on a target. A model that has no
 * mechanism for an event would count nothing, and a 0 that means "nobody knows"
 * must never be printed. Nor can an event count whose registers are not there.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/text.h"
#include "event/passes.h"
#include "uncore/error.h"

/* The ports at which an event of a box with ports can be counted. */
static void say_ports(const struct uncore_target *target,
		      const struct uncore_event *event, const char *mask,
		      struct text *text)
{
	const char *box = uncore_event_box(event);
	struct uncore_port port;

	for (size_t i = 0; event->box->num_ports > 1 &&
			   uncore_family_port(target->family, i, &port);
	     i++)
		if (access_counts(target, box, uncore_event_name(event), mask,
				  port.number))
			text_add(text, "%s%s", text->length ? ", " : "",
				 port.name);
}

/* What its rows say of it; NULL: nothing. */
static const char *reason(const struct uncore_event *event, const char *mask)
{
	const char *why = uncore_event_excluded(event);

	for (unsigned i = 0; !why && mask && i < event->num_masks; i++)
		if (!strcmp(event->masks[i]->name, mask) &&
		    *event->masks[i]->note)
			why = event->masks[i]->note;
	if (!why && event->row && *event->row->note)
		why = event->row->note;
	return why;
}

static int not_modelled(const struct uncore_target *target,
			const struct uncore_event *event, const char *text,
			const char *mask, char **error)
{
	const char *why = reason(event, mask);
	struct text ports = { 0 };

	if (*uncore_target_error(target))
		return text_error(UNCORE_ERR_DIED, error, "%s",
				  uncore_target_error(target));
	say_ports(target, event, mask, &ports);
	if (ports.data)
		text_error(UNCORE_ERR_NOT_MODELLED, error,
			   "'%s' is not modelled at this port; there is a "
			   "mechanism for %s at: %s",
			   text, uncore_event_name(event), ports.data);
	else
		text_error(UNCORE_ERR_NOT_MODELLED, error,
			   "'%s' is not modelled: the model has no mechanism "
			   "for %s%s%s%s%s",
			   text, uncore_event_name(event), mask ? "." : "",
			   mask ? mask : "", why ? ": " : "", why ? why : "");
	text_free(&ports);
	return UNCORE_ERR_NOT_MODELLED;
}

static int check_filter(const struct uncore_event *event, const char *text,
			char **error)
{
	char *why = event_lacking(event);
	int code = why ? text_error(UNCORE_ERR_NOT_MODELLED, error,
				    "'%s' is not modelled: %s", text, why)
		       : 0;

	free(why);
	return code;
}

static int check_named(const struct uncore_target *target,
		       const struct uncore_event *event, const char *text,
		       char **error)
{
	const char *name = uncore_event_name(event);
	const char *box = uncore_event_box(event);
	unsigned port = uncore_event_port(event);
	const char *mask;

	if (!uncore_event_unit_mask(event, 0) &&
	    !access_counts(target, box, name, NULL, port))
		return not_modelled(target, event, text, NULL, error);
	for (size_t i = 0; (mask = uncore_event_unit_mask(event, i)); i++)
		if (!access_counts(target, box, name, mask, port))
			return not_modelled(target, event, text, mask, error);
	return check_filter(event, text, error);
}

/* Whether codes would choose a unit mask with fields of their control that they
 * leave at 0; says which. */
static bool lacks(const struct uc_layout *layout, uint64_t value,
		  const struct uc_unit_mask *mask, struct text *fields)
{
	bool is_near = false;

	for (unsigned i = 0; i < mask->num_sets; i++) {
		const struct uc_set *set = &mask->sets[i];
		uint64_t bits = uc_bits(set->high, set->low);
		const struct uc_field *field = event_field_at(layout, set->low);

		if (set->role != UC_ROLE_CONTROL || !field)
			continue;
		is_near |= (value & bits) >> set->low == set->value;
		if ((value & bits) >> set->low == set->value)
			continue;
		if (value & bits)
			return false;
		text_add(fields, "%s%s=0x%llx", fields->length ? "," : "",
			 field->canonical, (unsigned long long)set->value);
	}
	return is_near;
}

/* The event that codes would choose with more fields, as a hint. */
static void say_near(const struct uncore_event *event, struct text *text)
{
	const struct uc_layout *layout =
		uc_layout_of(event->family, event->box_index, UC_ROLE_CONTROL);
	const struct uc_select *select =
		&event->family->selects[UC_SELECT_EV_SEL];
	struct event_view view;

	event_view(event, &view);
	for (unsigned i = 0; layout && i < event->box->num_events; i++) {
		const struct uc_event *row = &event->box->events[i];
		uint64_t value = view.value[UC_ROLE_CONTROL];
		struct text fields = { 0 };

		if (row->select != UC_SELECT_EV_SEL ||
		    row->code != uc_select_code(select, layout, value))
			continue;
		for (unsigned m = 0; m < row->num_unit_masks; m++) {
			const struct uc_unit_mask *mask = &row->unit_masks[m];

			if (lacks(layout, value, mask, &fields)) {
				text_add(text, "; with %s they are %s.%s",
					 fields.data ? fields.data : "more",
					 row->name, mask->name);
				text_free(&fields);
				return;
			}
			text_free(&fields);
		}
	}
}

/* Perhaps an option is missing that switches a filter on, with which the
 * codes would be an event. */
static int no_such_code(const struct uncore_event *event, char **error)
{
	struct text near = { 0 };
	int code;
	const struct uc_family *family = event->family;
	const struct uc_alias *with = NULL;

	for (unsigned i = 0; i < family->num_aliases && !with; i++)
		if (family->aliases[i].kind == UC_ALIAS_KERNEL_WITH &&
		    family->aliases[i].box == event->box_index)
			with = &family->aliases[i];
	say_near(event, &near);
	code = text_error(UNCORE_ERR_NOT_MODELLED, error,
			  "'%s' is not modelled: these codes select no event "
			  "of the guide%s%s%s%s",
			  event->text, with ? " (match and mask need " : "",
			  with ? with->ours : "",
			  with ? ", which switches them on)" : "",
			  near.data ? near.data : "");
	text_free(&near);
	return code;
}

/* What is known of an instance of a box in a socket: the last of these that any
 * register tells, and which one. Where its counters are not there, it is no
 * instance of this machine. */
struct reach {
	enum { NOBODY_KNOWS, IS_THERE, IS_THERE_IN_PART, IS_ABSENT } there;
	uint64_t address;
	unsigned num; /* of its registers that are written */
};

static void look_at(const struct uncore_target *target, unsigned socket,
		    const struct uc_register *reg, bool is_own,
		    struct reach *reach)
{
	struct reach found = { IS_THERE, reg->address, 0 };

	reach->num += is_own;
	found.num = reach->num;
	if (access_missing(target, socket, reg->address))
		found.there = is_own && reg->role < UC_FIRST_SUB_ROLE &&
					      access_absent(target, socket,
							    reg->address)
				      ? IS_ABSENT
				      : IS_THERE_IN_PART;
	else if (!is_own)
		return;
	if (found.there > reach->there)
		*reach = found;
}

static size_t reach_of(const struct uncore_event *event, unsigned socket,
		       unsigned instance)
{
	return (size_t)socket * event->box->num_instances + instance;
}

static bool is_everywhere(const struct uncore_target *target,
			  const struct uncore_event *event,
			  const struct reach *list, unsigned instance)
{
	for (unsigned s = 0; s < target->num_sockets; s++)
		if (list[reach_of(event, s, instance)].there != IS_THERE)
			return false;
	return true;
}

static int not_there(const struct uncore_target *target,
		     const struct uncore_event *event, const struct reach *list,
		     size_t worst, char **error)
{
	unsigned socket = (unsigned)worst / event->box->num_instances;
	struct text others = { 0 };
	int code;

	for (unsigned i = 0; i < event->box->num_instances; i++)
		if (is_everywhere(target, event, list, i))
			text_add(&others, "%s%s%u",
				 others.length ? ", " : "; there is ",
				 event->box->name, i);
	code = text_error(UNCORE_ERR_NO_HARDWARE, error,
			  "'%s' cannot be counted: %s%s", event->text,
			  access_missing(target, socket, list[worst].address),
			  others.data ? others.data : "");
	text_free(&others);
	return code;
}

/* Some instances of a box have registers that others lack, such as those of a
 * filter: there it would count all. */
static int check_alike(const struct uncore_event *event,
		       const struct reach *list, char **error)
{
	unsigned num = event->box->num_instances, most = 0;

	for (unsigned i = 0; i < num; i++)
		if (list[i].num > list[most].num)
			most = i;
	for (unsigned i = 0; i < num; i++)
		if (list[i].num && list[i].num < list[most].num &&
		    list[i].there == IS_THERE)
			return text_error(
				UNCORE_ERR_NO_REGISTER, error,
				"'%s' cannot be counted in all: %s%u lacks a "
				"register that it sets; count it in those that "
				"have it, as in %s%u",
				event->text, event->box->name, i,
				event->box->name, most);
	return 0;
}

/* Each instance that the machine has must be whole, and there must be one. */
static int judge(const struct uncore_target *target,
		 const struct uncore_event *event, const struct reach *list,
		 char **error)
{
	size_t num = reach_of(event, target->num_sockets, 0), worst = 0;
	bool is_there = false, is_lacking = false;

	for (size_t i = 0; i < num; i++) {
		is_there |= list[i].there == IS_THERE;
		if (list[i].there == IS_THERE_IN_PART ||
		    (list[i].there == IS_ABSENT && !is_lacking))
			worst = i;
		is_lacking |= list[i].there == IS_THERE_IN_PART;
	}
	return is_lacking || (!is_there && list[worst].there)
		       ? not_there(target, event, list, worst, error)
		       : 0;
}

/* Whether the registers that it needs are there. What cannot be planned is
 * refused elsewhere. */
static int check_registers(const struct uncore_target *target,
			   struct uncore_event *event, char **error)
{
	size_t num = 0;
	struct reach *list =
		calloc(reach_of(event, target->num_sockets, 1), sizeof(*list));
	struct uncore_write *writes = NULL;
	struct uncore_plan *plan = NULL;
	int code = list ? 0 : UNCORE_ERR_NO_MEMORY;

	if (!uncore_plan_new(target->family, &event, 1, &plan, NULL))
		uncore_plan_writes(plan, 0, 0, &writes, &num, NULL);
	for (size_t i = 0; i < num && list; i++) {
		const struct uc_register *reg = uc_register_at(
			family_row(target->family), writes[i].address);
		bool is_own = reg && reg->box == event->box_index;
		unsigned instance = is_own ? reg->instance : 0;

		for (unsigned s = 0; reg && s < target->num_sockets; s++)
			look_at(target, s, reg, is_own,
				&list[reach_of(event, s, instance)]);
	}
	code = code ? code : judge(target, event, list, error);
	code = code ? code : check_alike(event, list, error);
	uncore_plan_free(plan);
	free(writes);
	free(list);
	return code;
}

/* An event by name whose unit mask is a number: which ones that is, if any. */
static int check_number(const struct uncore_target *target,
			const struct uncore_event *event,
			const struct uncore_event *found, char **error)
{
	if (found->row && found->row->num_unit_masks && !found->num_masks)
		return text_error(UNCORE_ERR_NOT_MODELLED, error,
				  "'%s' is not modelled: it is no unit mask of "
				  "%s that is known",
				  event->text, uncore_event_name(event));
	return check_named(target, found, event->text, error);
}

int uncore_session_can_count(struct uncore_target *target,
			     struct uncore_event *event, char **error)
{
	struct uncore_event *found;
	int result = target->ops->missing
			     ? check_registers(target, event, error)
			     : 0;

	if (result || !target->ops->counts)
		return result;
	if (uncore_event_name(event) &&
	    (event->num_masks || !event->row->num_unit_masks))
		return check_named(target, event, event->text, error);
	found = event_named(event);
	if (found && found->row && uncore_event_name(event))
		result = check_number(target, event, found, error);
	else if (found && uncore_event_name(found))
		result = check_named(target, found, event->text, error);
	else
		result = no_such_code(event, error);
	uncore_event_free(found);
	return result;
}
