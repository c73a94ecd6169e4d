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

static int not_modelled(const struct uncore_target *target,
			const struct uncore_event *event, const char *text,
			const char *mask, char **error)
{
	const char *why = uncore_event_excluded(event);
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
	return 0;
}

/* Raw codes: what they select by the guide. */
static struct uncore_event *named(const struct uncore_target *target,
				  struct uncore_event *event)
{
	struct uncore_event *found = NULL;
	struct uncore_plan *plan = NULL;
	struct uncore_write *writes = NULL;
	char *text = NULL;
	size_t num_writes = 0;

	if (uncore_plan_new(target->family, &event, 1, &plan, NULL))
		return NULL;
	if (!uncore_plan_writes(plan, 0, 0, &writes, &num_writes, NULL)) {
		for (size_t i = 0; i < num_writes && !text; i++) {
			struct uncore_write first = writes[0];

			writes[0] = writes[i];
			writes[i] = first;
			uncore_event_decode(target->family, writes, num_writes,
					    &text, NULL);
		}
	}
	if (text)
		uncore_event_parse(target->family, text, &found, NULL);
	uncore_plan_free(plan);
	free(writes);
	free(text);
	return found;
}

/* Perhaps an option is missing that switches a filter on, with which the
 * codes would be an event. */
static int no_such_code(const struct uncore_event *event, char **error)
{
	const struct uc_family *family = event->family;
	const struct uc_foreign *with = NULL;

	for (unsigned i = 0; i < family->num_foreign && !with; i++)
		if (family->foreign[i].kind == UC_FOREIGN_KERNEL_WITH &&
		    family->foreign[i].box == event->box_index)
			with = &family->foreign[i];
	return text_error(UNCORE_ERR_NOT_MODELLED, error,
			  "'%s' is not modelled: these codes select no event "
			  "of the guide%s%s%s",
			  event->text, with ? " (match and mask need " : "",
			  with ? with->ours : "",
			  with ? ", which switches them on)" : "");
}

/* Of the registers that an event needs, instances of its box (bit n: n) that
 * have all of theirs and that lack some, and the last one that is missing. */
struct reach {
	uint64_t found, lacking;
	unsigned socket;
	uint64_t address;
};

static void look_for(const struct uncore_target *target,
		     const struct uncore_event *event, uint64_t address,
		     struct reach *reach)
{
	const struct uc_register *reg =
		uc_register_at(family_row(target->family), address);
	uint64_t bit = reg && reg->box == event->box_index
			       ? UINT64_C(1) << reg->instance
			       : 0;

	reach->found |= bit;
	for (unsigned s = 0; s < target->num_sockets; s++) {
		if (!access_missing(target, s, address))
			continue;
		reach->lacking |= bit;
		reach->socket = s;
		reach->address = address;
	}
}

static int not_there(const struct uncore_target *target,
		     const struct uncore_event *event,
		     const struct reach *reach, char **error)
{
	uint64_t whole = reach->found & ~reach->lacking;
	struct text others = { 0 };
	int code;

	for (unsigned i = 0; i < event->box->num_instances; i++)
		if (whole >> i & 1)
			text_add(&others, "%s%s%u",
				 others.length ? ", " : "; there is ",
				 event->box->name, i);
	code = text_error(UNCORE_ERR_NO_HARDWARE, error,
			  "'%s' cannot be counted: %s%s", event->text,
			  access_missing(target, reach->socket, reach->address),
			  others.data ? others.data : "");
	text_free(&others);
	return code;
}

/* Whether all registers that it needs are there. What cannot be planned is
 * refused elsewhere. */
static int check_registers(const struct uncore_target *target,
			   struct uncore_event *event, char **error)
{
	struct uncore_write *writes = NULL;
	struct uncore_plan *plan = NULL;
	struct reach reach = { 0 };
	size_t num = 0;

	if (!uncore_plan_new(target->family, &event, 1, &plan, NULL))
		uncore_plan_writes(plan, 0, 0, &writes, &num, NULL);
	for (size_t i = 0; i < num; i++)
		look_for(target, event, writes[i].address, &reach);
	uncore_plan_free(plan);
	free(writes);
	return reach.address ? not_there(target, event, &reach, error) : 0;
}

int uncore_session_can_count(struct uncore_target *target,
			     struct uncore_event *event, char **error)
{
	struct uncore_event *found;
	int result;

	if (target->ops->missing)
		return check_registers(target, event, error);
	if (!target->ops->counts)
		return 0;
	if (uncore_event_name(event))
		return check_named(target, event, event->text, error);
	found = named(target, event);
	if (found && uncore_event_name(found))
		result = check_named(target, found, event->text, error);
	else
		result = no_such_code(event, error);
	uncore_event_free(found);
	return result;
}
