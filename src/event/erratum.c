/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which rows of the errata concern an event, a register or a setting: each row
 * says in data/<family>/errata.txt what it is about, and tools/generrata.py has
 * written that out name by name.
 */
#include "uncore/family.h"

#include <string.h>

#include "event/event.h"
#include "table/errata.h"

bool uncore_family_erratum(const struct uncore_family *family, size_t index,
			   struct uncore_erratum *erratum)
{
	const char *name = uncore_family_name(family);

	for (const struct uc_erratum *row = uc_errata; row->number; row++) {
		if (strcmp(row->family, name) || index--)
			continue;
		*erratum = (struct uncore_erratum){
			.number = row->number,
			.section = row->section,
			.where = row->where,
			.printed = row->printed,
			.reading = row->reading,
			.reason = row->reason,
			.handle = row,
		};
		return true;
	}
	return false;
}

static const struct uc_about *about_of(const struct uncore_erratum *erratum)
{
	const struct uc_erratum *row = erratum->handle;

	return row->about;
}

static bool is_end(const struct uc_about *about)
{
	return !about->event && !about->reg && !about->layout;
}

static bool is_event(const struct uc_about *about,
		     const struct uncore_event_info *event)
{
	size_t length = strlen(event->box);

	return about->event && !strncmp(about->event, event->box, length) &&
	       about->event[length] == '/' &&
	       !strcmp(about->event + length + 1, event->name);
}

bool uncore_erratum_names_event(const struct uncore_erratum *erratum,
				const struct uncore_event_info *event,
				const char *unit_mask)
{
	for (const struct uc_about *about = about_of(erratum); !is_end(about);
	     about++)
		if (is_event(about, event) &&
		    (!unit_mask || !about->unit_mask ||
		     !strcmp(about->unit_mask, unit_mask)))
			return true;
	return false;
}

static bool is_register(const struct uc_about *about,
			const struct uncore_register *reg)
{
	return (about->reg && !strcmp(about->reg, reg->name)) ||
	       (about->layout && !strcmp(about->layout, reg->layout));
}

bool uncore_erratum_names_register(const struct uncore_erratum *erratum,
				   const struct uncore_register *reg)
{
	for (const struct uc_about *about = about_of(erratum); !is_end(about);
	     about++)
		if (is_register(about, reg))
			return true;
	return false;
}

static bool is_filter(enum uc_role role)
{
	return uc_role_kinds[role] >= UC_ROLE_IS_SWITCH;
}

static bool is_set_by_events(enum uc_role role)
{
	return role == UC_ROLE_CONTROL || role == UC_ROLE_FIXED_CTL ||
	       event_role_name(role);
}

/* Every event sets these; what is said of them is said of the event. */
static bool is_selector(const struct uc_field *field)
{
	return !strcmp(field->canonical, "en") ||
	       !strcmp(field->canonical, "ev_sel") ||
	       !strcmp(field->canonical, "umask");
}

static bool is_set(const struct uc_layout *layout, const char *name,
		   uint64_t value)
{
	for (unsigned i = 0; i < layout->num_fields; i++) {
		const struct uc_field *field = &layout->fields[i];

		if (!strcmp(field->name, name) && !is_selector(field) &&
		    uc_field_get(field, value))
			return true;
	}
	return false;
}

bool uncore_erratum_names_setting(const struct uncore_erratum *erratum,
				  const struct uncore_register *reg,
				  uint64_t value)
{
	const struct uc_register *row = reg->handle;
	enum uc_role role = (enum uc_role)row->role;

	if (!value || !is_set_by_events(role))
		return false;
	for (const struct uc_about *about = about_of(erratum); !is_end(about);
	     about++)
		if (is_register(about, reg) &&
		    (about->field ? is_set(row->layout, about->field, value)
				  : is_filter(role)))
			return true;
	return false;
}
