/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The text of an event with every default spelled out. Parsing it gives the
 * same event.
 */
#include "event/filter.h"

#include <string.h>

/* Whether a field of the control holds what the event's name stands for, or
 * what points at its slot. */
static bool is_select(const struct uncore_event *event,
		      const struct uc_field *field)
{
	const struct uc_select *select = event_routed(event);

	if (!select && !event->row)
		return false;
	select = &event->family->selects[select ? UC_SELECT_EV_SEL
						: event->row->select];
	return !strcmp(field->canonical, select->name) ||
	       (select->more && !strcmp(field->canonical, select->more));
}

/* The fields of the control register that are still free, for the canonical
 * text. */
static void say_control(const struct uncore_event *event, struct text *text)
{
	enum uc_role role = event_control_role(event);
	const struct uc_layout *layout =
		uc_layout_of(event->family, event->box_index, role);
	struct event_view view;

	event_view(event, &view);
	for (unsigned i = 0; layout && i < layout->num_fields; i++) {
		const struct uc_field *field = &layout->fields[i];

		if (field->kind == UC_KIND_IG || field->kind == UC_KIND_RSV ||
		    !strcmp(field->canonical, "en") || is_select(event, field))
			continue;
		if (event->row && event->num_masks &&
		    !strcmp(field->canonical, "umask"))
			continue;
		text_add(text, ",%s=0x%llx", field->canonical,
			 (unsigned long long)uc_field_get(field,
							  view.value[role]));
	}
}

/* A whole register of which filter words have told some fields: the rest. */
static void say_untold(const struct uncore_event *event, enum uc_role role,
		       uint64_t value, uint64_t told, struct text *text)
{
	const struct uc_layout *layout =
		uc_layout_of(event->family, event->box_index, role);

	for (unsigned i = 0; layout && i < layout->num_fields; i++) {
		const struct uc_field *field = &layout->fields[i];

		if (field->kind == UC_KIND_IG || field->kind == UC_KIND_RSV ||
		    uc_bits(field->high, field->low) & told)
			continue;
		text_add(text, ",%s.%s=0x%llx", event_role_name(role),
			 field->canonical,
			 (unsigned long long)uc_field_get(field, value));
	}
}

/* Sub-register fields that the event's own name does not fix, in the words of
 * filters where these have them. */
static void say_sub(const struct uncore_event *event, struct text *text)
{
	struct event_view view, told = { 0 };

	event_view(event, &view);
	filter_say(event, &view, NULL, &told, text);
	for (unsigned i = 0; i < event->num_settings; i++) {
		const struct event_setting *setting = &event->settings[i];
		enum uc_role role = (enum uc_role)setting->role;
		const char *name = event_role_name(role);
		bool whole = setting->name == name;
		uint64_t bits = uc_bits(setting->high, setting->low);

		if (setting->implied || role == UC_ROLE_FIXED_CTL ||
		    role == UC_ROLE_CONTROL || !(bits & ~told.claimed[role]))
			continue;
		if (whole && told.claimed[role])
			say_untold(event, role, setting->value,
				   told.claimed[role], text);
		else
			text_add(text, ",%s%s%s=0x%llx", name, whole ? "" : ".",
				 whole ? "" : setting->name,
				 (unsigned long long)setting->value);
	}
}

char *event_say(const struct uncore_event *event)
{
	struct text text = { 0 }, options = { 0 };

	event_say_box(event, &text);
	text_add(&text, "/");
	if (event->row)
		text_add(&options, "%s", event->row->name);
	for (unsigned i = 0; i < event->num_masks; i++)
		text_add(&options, ".%s", event->masks[i]->name);
	if (event->port != EVENT_ANY)
		text_add(&options, ",port=%s",
			 event->family->num_ports > (unsigned)event->port
				 ? event->family->ports[event->port].name
				 : "0");
	say_sub(event, &options);
	say_control(event, &options);
	if (event->counter != EVENT_ANY)
		text_add(&options, ",counter=%d", event->counter);
	if (event->slot != EVENT_ANY)
		text_add(&options, ",slot=%d", event->slot);
	text_add(&text, "%s/", options.data + (options.data[0] == ','));
	text_free(&options);
	return text_take(&text);
}
