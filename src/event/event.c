/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A parsed event: its settings, what they make of the registers, and what can
 * be asked of it.
 */
#include "event/event.h"

#include <stdlib.h>
#include <string.h>

#include "perf/pmus.h"
#include "uncore/error.h"

const char *event_role_name(enum uc_role role)
{
	if (role == UC_ROLE_CONTROL || role == UC_ROLE_FIXED_CTL)
		return uc_role_names[UC_ROLE_CONTROL];
	return role >= UC_FIRST_SUB_ROLE ? uc_role_names[role] : NULL;
}

static uint64_t setting_bits(const struct event_setting *setting)
{
	return uc_bits(setting->high, setting->low);
}

int event_set(struct uncore_event *event, const struct event_setting *setting,
	      const char **other)
{
	uint64_t bits = setting_bits(setting);

	for (unsigned i = 0; i < event->num_settings; i++) {
		struct event_setting *old = &event->settings[i];
		uint64_t shared = bits & setting_bits(old);

		if (old->role != setting->role || !shared)
			continue;
		if (old->contains && setting->contains) {
			old->value |= setting->value;
			return 0;
		}
		if (((old->value << old->low) ^
		     (setting->value << setting->low)) &
		    shared) {
			*other = old->name;
			return UNCORE_ERR_CONFLICT;
		}
		if (shared == bits)
			return 0;
	}
	if (event->num_settings == EVENT_MAX_SETTINGS) {
		*other = "everything before it";
		return UNCORE_ERR_CONFLICT;
	}
	event->settings[event->num_settings++] = *setting;
	return 0;
}

bool event_covers(const struct uncore_event *event, enum uc_role role,
		  unsigned high, unsigned low)
{
	for (unsigned i = 0; i < event->num_settings; i++)
		if (event->settings[i].role == role &&
		    setting_bits(&event->settings[i]) & uc_bits(high, low))
			return true;
	return false;
}

enum uc_role event_control_role(const struct uncore_event *event)
{
	return event->select == UC_SELECT_FIXED ? UC_ROLE_FIXED_CTL
						: UC_ROLE_CONTROL;
}

/* Counters that may count what raw codes select: those of the events with this
 * code, or all where the guide has none. */
static uint32_t raw_counters(const struct uncore_event *event)
{
	const struct uc_layout *layout =
		uc_layout_of(event->family, event->box_index, UC_ROLE_CONTROL);
	const struct uc_select *select =
		&event->family->selects[UC_SELECT_EV_SEL];
	bool known = layout && event->counter == EVENT_ANY;
	struct event_view view;
	uint32_t counters = 0;

	event_view(event, &view);
	/* Who names a counter as well as codes knows what he does. */
	for (unsigned i = 0; known && i < event->box->num_events; i++) {
		const struct uc_event *row = &event->box->events[i];

		if (row->select == UC_SELECT_EV_SEL &&
		    row->code == uc_select_code(select, layout,
						view.value[UC_ROLE_CONTROL]))
			counters |= row->counters;
	}
	if (counters)
		return counters;
	return (uint32_t)uc_bits(event->box->num_counters - 1u, 0);
}

uint32_t event_counters(const struct uncore_event *event)
{
	uint32_t counters =
		event->row ? event->row->counters : raw_counters(event);
	unsigned span = event->box->global_span;

	/* Each group of counters listens to its own ports. */
	if (event->port != EVENT_ANY && span) {
		unsigned groups = event->box->num_counters / span;
		unsigned group =
			(unsigned)event->port * groups / event->box->num_ports;

		counters &= (uint32_t)uc_bits(span * group + span - 1,
					      span * group);
	}
	return counters;
}

void event_view(const struct uncore_event *event, struct event_view *view)
{
	*view = (struct event_view){ 0 };
	for (unsigned i = 0; i < event->num_settings; i++) {
		const struct event_setting *setting = &event->settings[i];

		view->value[setting->role] |= setting->value << setting->low;
		view->claimed[setting->role] |= setting_bits(setting);
	}
}

void event_say_box(const struct uncore_event *event, struct text *text)
{
	text_add(text, "%s", event->pmu ? event->pmu->name : event->box->name);
	if (event->instance != EVENT_ANY && !event->pmu)
		text_add(text, "%d", event->instance);
}

const struct uc_field *event_field_at(const struct uc_layout *layout,
				      unsigned bit)
{
	for (unsigned i = 0; i < layout->num_fields; i++)
		if (bit <= layout->fields[i].high &&
		    bit >= layout->fields[i].low)
			return &layout->fields[i];
	return NULL;
}

const struct uc_select *event_routed(const struct uncore_event *event)
{
	const struct uc_select *select;

	if (event->select == EVENT_ANY)
		return NULL;
	select = &event->family->selects[event->select];
	return select->num_slots ? select : NULL;
}

void uncore_event_free(struct uncore_event *event)
{
	if (!event)
		return;
	free(event->text);
	free(event->canonical);
	free(event);
}

const char *uncore_event_text(const struct uncore_event *event)
{
	return event->text;
}

const char *uncore_event_canonical(const struct uncore_event *event)
{
	/* Made when it is first asked for. */
	if (!event->canonical)
		((struct uncore_event *)event)->canonical = event_say(event);
	return event->canonical ? event->canonical : event->text;
}

const char *uncore_event_box(const struct uncore_event *event)
{
	return event->box->name;
}

int uncore_event_instance(const struct uncore_event *event)
{
	return event->instance;
}

unsigned uncore_event_port(const struct uncore_event *event)
{
	return event->port == EVENT_ANY ? 0 : (unsigned)event->port;
}

const char *uncore_event_name(const struct uncore_event *event)
{
	return event->row ? event->row->name : NULL;
}

const char *uncore_event_unit_mask(const struct uncore_event *event,
				   size_t index)
{
	return index < event->num_masks ? event->masks[index]->name : NULL;
}

const char *uncore_event_excluded(const struct uncore_event *event)
{
	if (event->row && event->row->excluded)
		return event->row->excluded;
	for (unsigned i = 0; i < event->num_masks; i++)
		if (event->masks[i]->excluded)
			return event->masks[i]->excluded;
	return NULL;
}

unsigned uncore_event_multiplier(const struct uncore_event *event)
{
	return event->row && event->row->accumulate ? event->row->accumulate
						    : 1;
}

double uncore_event_scale(const struct uncore_event *event, const char **unit)
{
	*unit = event->row && event->row->unit ? event->row->unit : "";
	return event->row && event->row->scale > 0 ? event->row->scale : 1;
}
