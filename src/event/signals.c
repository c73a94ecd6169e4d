/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which signals of its box an event listens to, by name.
 */
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "event/event.h"
#include "table/table.h"

/* The row of a signal of a box, or NULL. */
static const struct uc_signal *signal_of(const struct uc_box *box,
					 const struct uc_signal_ref *ref)
{
	for (unsigned i = 0; i < box->num_signals; i++)
		if (ref->signal >= box->signals[i].first &&
		    ref->signal < box->signals[i].first + box->signals[i].dim)
			return &box->signals[i];
	return NULL;
}

static void add_name(struct text *text, const struct uc_box *box,
		     const struct uc_signal_ref *ref)
{
	const struct uc_signal *signal = signal_of(box, ref);

	if (!signal)
		return;
	text_add(text, "%s%s", text->length ? " " : "", signal->name);
	if (signal->dim > 1 && ref->index_role != UC_ROLE_NONE)
		text_add(text, "[i]");
	else if (signal->dim > 1)
		text_add(text, "[%u]", ref->signal - signal->first);
}

static void add_names(struct text *text, const struct uc_box *box,
		      const struct uc_signal_ref *refs, unsigned num)
{
	for (unsigned i = 0; i < num; i++)
		add_name(text, box, &refs[i]);
}

/* What one unit mask sets, the other one sets as well. */
static bool sets_too(const struct uc_unit_mask *whole, const struct uc_set *set)
{
	for (unsigned i = 0; i < whole->num_sets; i++) {
		const struct uc_set *other = &whole->sets[i];

		if (other->role != set->role || other->high != set->high ||
		    other->low != set->low || strcmp(other->field, set->field))
			continue;
		if (set->contains ? (other->value & set->value) == set->value
				  : other->value == set->value)
			return true;
	}
	return false;
}

static bool contains(const struct uc_unit_mask *whole,
		     const struct uc_unit_mask *part)
{
	for (unsigned i = 0; i < part->num_sets; i++)
		if (!sets_too(whole, &part->sets[i]))
			return false;
	return part->num_sets;
}

char *uncore_event_info_signals(const struct uncore_family *family,
				const struct uncore_event_info *event,
				const struct uncore_unit_mask *mask)
{
	const struct uc_box *box =
		uc_box_find(family_row(family), event->box, NULL);
	const struct uc_event *row = event->handle;
	const struct uc_unit_mask *of = mask ? mask->handle : NULL;
	struct text text = { 0 };

	text_add(&text, "%s", "");
	if (row->of_counter)
		text_add(&text, "what counter %u counts", row->of_counter - 1u);
	if (!of) {
		add_names(&text, box, row->signals, row->num_signals);
		return text_take(&text);
	}
	add_names(&text, box, of->signals, of->num_signals);
	if (!of->num_signals)
		for (unsigned i = 0; i < row->num_unit_masks; i++)
			if (contains(of, &row->unit_masks[i]))
				add_names(&text, box,
					  row->unit_masks[i].signals,
					  row->unit_masks[i].num_signals);
	if (!text.length)
		add_names(&text, box, row->signals, row->num_signals);
	return text_take(&text);
}

/* Whether an option was given with another value than 0. */
static bool has_option(const struct uncore_event *event, const char *name,
		       const char *short_name)
{
	for (unsigned i = 0; i < event->num_settings; i++) {
		const struct event_setting *setting = &event->settings[i];

		if (setting->value && !setting->implied &&
		    (!strcasecmp(setting->name, name) ||
		     !strcasecmp(setting->name, short_name)))
			return true;
	}
	return false;
}

/* The kind of the first signal that the event listens to. */
static enum uc_signal_kind first_kind(const struct uncore_event *event)
{
	const struct uc_event *row = event->row;
	const struct uc_signal_ref *ref = NULL;
	const struct uc_signal *signal;

	if (event->num_masks && event->masks[0]->num_signals)
		ref = event->masks[0]->signals;
	for (unsigned i = 0; !ref && i < row->num_unit_masks; i++)
		if (row->unit_masks[i].num_signals)
			ref = row->unit_masks[i].signals;
	if (row->num_signals)
		ref = row->signals;
	signal = ref ? signal_of(event->box, ref) : NULL;
	if (signal)
		return (enum uc_signal_kind)signal->kind;
	return row->of_counter ? UC_SIGNAL_LEVEL : UC_SIGNAL_PULSE;
}

bool event_compares(const struct uncore_event *event)
{
	return has_option(event, "edge_detect", "edge") ||
	       has_option(event, "threshold", "thresh") ||
	       has_option(event, "invert", "inv");
}

bool uncore_event_is_state(const struct uncore_event *event)
{
	bool all =
		event->row && !event->row->combine_ge && !event_compares(event);

	for (unsigned i = 0; i < event->num_masks; i++)
		all &= event->masks[i]->is_state;
	return all && (event->num_masks || event->row->is_state);
}

const char *uncore_event_unit(const struct uncore_event *event)
{
	enum uc_signal_kind kind =
		event->row ? first_kind(event) : UC_SIGNAL_PULSE;
	const char *name = event->row ? event->row->name : "";

	if (has_option(event, "edge_detect", "edge"))
		return "changes";
	if (has_option(event, "threshold", "thresh"))
		return "cycles";
	if (strstr(name, "FLITS_"))
		return "flits";
	if (strstr(name, "PACKETS") || strstr(name, "PKTS"))
		return "packets";
	if (uc_is_level(kind))
		return event->row->max_increment > 1 || event->row->tally_bits
			       ? "entry cycles"
			       : "cycles";
	return kind == UC_SIGNAL_PACKET ? "packets" : "events";
}
