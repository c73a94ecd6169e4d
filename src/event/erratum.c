/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which rows of the errata concern an event or a register: those that name it.
 * The document is read as people read it, word by word, so that nothing has to
 * be kept in step with it.
 */
#include "uncore/erratum.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "table/errata.h"

enum { MAX_WORD = 64 };

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
		};
		return true;
	}
	return false;
}

static bool is_part(char byte, const char *more)
{
	return isalnum((unsigned char)byte) || byte == '_' ||
	       (byte && strchr(more, byte));
}

/* The next word of a text: letters, digits and the bytes in `more`; false at
 * the end. *text is moved behind it. */
static bool next_word(const char **text, const char *more, char *word)
{
	const char *start = *text;
	size_t length = 0;

	while (*start && !is_part(*start, more))
		start++;
	while (is_part(start[length], more))
		length++;
	*text = start + length;
	snprintf(word, MAX_WORD, "%.*s", (int)length, start);
	return length;
}

/* FVC_EV0 with " to 3" behind it names FVC_EV2 as well. */
static bool in_range(const char *word, const char *rest, const char *name)
{
	size_t stem = strlen(word);
	unsigned long first, last, number;
	char *end;

	while (stem && isdigit((unsigned char)word[stem - 1]))
		stem--;
	if (!word[stem] || strncmp(rest, " to ", 4) ||
	    strncmp(word, name, stem) || !isdigit((unsigned char)name[stem]))
		return false;
	first = strtoul(word + stem, NULL, 10);
	last = strtoul(rest + 4, NULL, 10);
	number = strtoul(name + stem, &end, 10);
	return !*end && first <= number && number <= last;
}

/* A quick look that most texts do not pass: the name without its number, or a
 * pattern, stands somewhere in it. */
static bool may_name(const char *text, const char *name)
{
	size_t length = strlen(name);

	while (length && isdigit((unsigned char)name[length - 1]))
		length--;
	return strchr(text, '*') || memmem(text, strlen(text), name, length);
}

static bool names(const char *text, const char *name)
{
	char word[MAX_WORD];

	if (!may_name(text, name))
		return false;
	while (next_word(&text, "*", word)) {
		bool is_pattern = strchr(word, '*') && strlen(word) > 3;

		if (is_pattern
			    ? !fnmatch(word, name, 0)
			    : !strcmp(word, name) || in_range(word, text, name))
			return true;
	}
	return false;
}

static bool any_text_names(const struct uncore_erratum *erratum,
			   const char *name)
{
	return names(erratum->where, name) || names(erratum->printed, name) ||
	       names(erratum->reading, name);
}

/* A section of one box speaks of that box; the others speak of all. */
static bool is_about_box(const struct uncore_erratum *erratum,
			 const struct uc_family *family, const char *box)
{
	for (unsigned i = 0; i < family->num_boxes; i++)
		if (!strcmp(erratum->section, family->boxes[i].guide_name))
			return !strcmp(family->boxes[i].name, box);
	return true;
}

/* GO_PENDING, or MAF_NACK1.GO_PENDING. */
static bool is_mask(const char *word, const char *mask)
{
	size_t length = strlen(word), tail = strlen(mask);

	if (length && word[length - 1] == '.')
		length--;
	return length >= tail && !strncmp(word + length - tail, mask, tail) &&
	       (length == tail || word[length - tail - 1] == '.');
}

/* The place names unit masks of the event, and this is none of them. */
static bool is_of_others(const char *where, const struct uc_event *row,
			 const char *mask)
{
	char word[MAX_WORD];
	bool others = false;

	while (next_word(&where, "*.", word)) {
		if (is_mask(word, mask))
			return false;
		for (unsigned i = 0; i < row->num_unit_masks; i++)
			others |= is_mask(word, row->unit_masks[i].name);
	}
	return others;
}

bool uncore_erratum_names_event(const struct uncore_erratum *erratum,
				const struct uncore_family *family,
				const struct uncore_event_info *event,
				const char *unit_mask)
{
	const char *alias;

	if (!is_about_box(erratum, family_row(family), event->box))
		return false;
	if (unit_mask && is_of_others(erratum->where, event->handle, unit_mask))
		return false;
	if (any_text_names(erratum, event->name))
		return true;
	for (size_t i = 0; (alias = uncore_event_info_alias(event, i)); i++)
		if (any_text_names(erratum, alias))
			return true;
	return false;
}

/* The number of a table as the guide has them: chapter and number. */
static bool table_number(const char *word, unsigned long *number)
{
	char *end;
	unsigned long chapter = strtoul(word, &end, 10);

	if (end == word || *end != '-' || !isdigit((unsigned char)end[1]))
		return false;
	*number = chapter * 1000 + strtoul(end + 1, &end, 10);
	return !*end;
}

/* "Tables 2-6, 2-13 and 2-17 to 2-21": whether a table is among them. */
static bool has_table(const char *text, const char *source)
{
	unsigned long wanted = 0, found, last = 0;
	char word[MAX_WORD];
	bool is_range = false;

	while (!wanted && next_word(&source, "-", word))
		table_number(word, &wanted);
	while (wanted && next_word(&text, "-", word)) {
		if (table_number(word, &found)) {
			if (found == wanted ||
			    (is_range && last < wanted && wanted < found))
				return true;
			last = found;
		}
		is_range = !strcmp(word, "to");
	}
	return false;
}

static bool is_field(const struct uc_layout *layout, const char *word)
{
	for (unsigned i = 0; i < layout->num_fields; i++)
		if (!strcmp(layout->fields[i].name, word) ||
		    !strcmp(layout->fields[i].canonical, word))
			return true;
	return false;
}

/* Where a place names fields of its table, the register must have one. */
static bool has_field(const char *where, const struct uc_layout *layout)
{
	char word[MAX_WORD];
	bool names_field = false;

	while (next_word(&where, "", word)) {
		if (is_field(layout, word))
			return true;
		names_field |=
			strchr(word, '_') && islower((unsigned char)*word);
	}
	return !names_field;
}

static bool has_address(const char *text, uint32_t address)
{
	char word[MAX_WORD];

	while (next_word(&text, "", word))
		if (word[0] == '0' && word[1] == 'x' &&
		    strtoul(word, NULL, 16) == address)
			return true;
	return false;
}

/* Every event sets these; what is said of them is said of the event. */
static bool is_selector(const char *field)
{
	return !strcmp(field, "en") || !strcmp(field, "ev_sel") ||
	       !strcmp(field, "umask");
}

static bool is_filter(enum uc_role role)
{
	return role == UC_ROLE_MM_CFG || role == UC_ROLE_MATCH ||
	       role == UC_ROLE_MASK;
}

static bool is_set_by_events(enum uc_role role)
{
	return role == UC_ROLE_CONTROL || role == UC_ROLE_FIXED_CTL ||
	       event_role_name(role);
}

bool uncore_erratum_names_setting(const struct uncore_erratum *erratum,
				  const struct uncore_register *reg,
				  uint64_t value)
{
	const struct uc_register *row = reg->handle;
	const struct uc_layout *layout = row->layout;
	enum uc_role role = (enum uc_role)row->role;
	const char *where = erratum->where;
	char word[MAX_WORD];
	bool names_field = false;

	if (!value || !is_set_by_events(role) ||
	    !uncore_erratum_names_register(erratum, reg))
		return false;
	while (next_word(&where, "", word)) {
		for (unsigned i = 0; i < layout->num_fields; i++) {
			const struct uc_field *field = &layout->fields[i];

			if (strcmp(field->name, word) &&
			    strcmp(field->canonical, word))
				continue;
			names_field = true;
			if (uc_field_get(field, value) &&
			    !is_selector(field->canonical))
				return true;
		}
	}
	return !names_field && is_filter(role);
}

bool uncore_erratum_names_register(const struct uncore_erratum *erratum,
				   const struct uncore_register *reg)
{
	const struct uc_register *row = reg->handle;
	const struct uc_layout *layout = row->layout;

	if (any_text_names(erratum, reg->name) ||
	    any_text_names(erratum, layout->name))
		return true;
	if (has_table(erratum->where, reg->source) &&
	    (has_address(erratum->printed, reg->address) ||
	     has_address(erratum->reading, reg->address)))
		return true;
	return layout->source && has_table(erratum->where, layout->source) &&
	       has_field(erratum->where, layout);
}
