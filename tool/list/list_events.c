/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Boxes and events, for people and for programs; these are given the values of
 * the options port, mc and opc as well.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "tool/page.h"
#include "tool/table.h"
#include "tool/tool.h"
#include "uncore/model.h"

static const char not_modelled[] = "  [not modelled]";

/* A name alone or with its box before it. */
static bool fits_name(const char *pattern, const char *name)
{
	return strpbrk(pattern, "*?[") ? !fnmatch(pattern, name, FNM_CASEFOLD)
				       : strcasestr(name, pattern) != NULL;
}

static bool fits_text(const char *pattern, const char *text)
{
	return !strpbrk(pattern, "*?[") && strcasestr(text, pattern);
}

static bool fits(const char *pattern, const struct uncore_event_info *event)
{
	struct uncore_unit_mask mask;
	char name[256];
	bool found;

	snprintf(name, sizeof(name), "%s/%s", event->box, event->name);
	found = fits_name(pattern, event->name) || fits_name(pattern, name) ||
		fits_text(pattern, event->brief);
	for (size_t i = 0; !found && i < event->num_aliases; i++)
		found = fits_name(pattern, uncore_event_info_alias(event, i));
	for (size_t i = 0;
	     !found && uncore_event_info_unit_mask(event, i, &mask); i++) {
		snprintf(name, sizeof(name), "%s/%s.%s", event->box,
			 event->name, mask.name);
		found = fits_name(pattern, name) ||
			fits_name(pattern, strchr(name, '/') + 1) ||
			fits_text(pattern, mask.brief);
	}
	return found;
}

/* Several words fit in any order, each wherever it is. */
static bool chooses(const struct listing *listing,
		    const struct uncore_event_info *event)
{
	const char *rest = listing->pattern;
	char word[128];

	if (!rest || fits(rest, event))
		return true;
	if (!strpbrk(rest, " \t"))
		return false;
	for (rest += strspn(rest, " \t"); *rest; rest += strspn(rest, " \t")) {
		size_t length = strcspn(rest, " \t");

		snprintf(word, sizeof(word), "%.*s", (int)length, rest);
		if (!fits(word, event))
			return false;
		rest += length;
	}
	return true;
}

/* Whether the model can count an event with a unit mask (NULL: it has none) at
 * some port: it drives those that are wired. True where there is no model. */
static bool is_modelled(const struct listing *listing,
			const struct uncore_event_info *event, const char *mask)
{
	struct uncore_box box;
	unsigned num_ports =
		tool_box(listing->family, event->box, &box) ? box.num_ports : 1;

	for (unsigned port = 0; listing->model && port < num_ports; port++)
		if (uncore_model_is_modelled(listing->model, event->box,
					     event->name, mask, port))
			return true;
	return !listing->model;
}

static void say_box(const struct listing *listing, const struct uncore_box *box)
{
	struct page *page = listing->page;
	char fixed[32] = "";
	struct uncore_port port;

	if (box->num_fixed)
		snprintf(fixed, sizeof(fixed), " and %u fixed", box->num_fixed);
	page_heading(page, "%s (%s): %u per socket, %u counter%s of %u bits%s",
		     box->name, box->guide_name, box->num_instances,
		     box->num_counters, box->num_counters == 1 ? "" : "s",
		     box->width_bits, fixed);
	if (box->num_ports < 2)
		return;
	page_put(page, "  events need a port:");
	for (size_t i = 0; uncore_family_port(listing->family, i, &port); i++)
		page_put(page, " port=%s", port.name);
	page_line(page, 0, "%s", "");
}

/* Of a box without names: what its codes are made of. */
static void say_terms(const struct listing *listing,
		      const struct uncore_box *box)
{
	struct page *page = listing->page;
	struct uncore_register reg;
	struct uncore_field field;
	bool is_last = false; /* the count that ends the first counter */

	page_put(page, "  no names here; its codes are %s/NAME=VALUE,.../ with",
		 box->name);
	for (size_t i = 0;
	     !is_last && uncore_family_register(listing->family, i, &reg); i++)
		for (size_t n = 0; !strcmp(reg.box, box->name) &&
				   uncore_register_field(&reg, n, &field);
		     n++) {
			is_last |= !strcmp(field.name, "count");
			if (!is_last && strcmp(field.name, "en"))
				page_put(page, " %s", field.name);
		}
	page_line(page, 0, "%s", "");
}

/* 0-5, or 0,2: the counters of a mask. */
static void say_counters(struct page *page, uint32_t counters)
{
	const char *separator = "";

	for (unsigned i = 0, last; i < 32; i = last + 1) {
		last = i;
		if (!(counters >> i & 1))
			continue;
		while (last < 31 && counters >> (last + 1) & 1)
			last++;
		page_put(page, "%s%u", separator, i);
		if (last > i)
			page_put(page, "-%u", last);
		separator = ",";
	}
}

/* The line of an event, and those about all of it. */
static void say_event(struct page *page, const struct uncore_event_info *event,
		      const char *remark)
{
	page_put(page, "  %-30s code 0x%02llx, counter ", event->name,
		 (unsigned long long)event->code);
	say_counters(page, event->counters);
	if (event->max_increment > 1)
		page_put(page, ", up to %u a cycle", event->max_increment);
	page_line(page, 0, "%s", remark);
	page_line(page, 6, "%s", event->brief);
	if (*event->note)
		page_line(page, 6, "Note: %s", event->note);
	if (event->excluded)
		page_line(page, 6, "Do not use: %s", event->excluded);
}

/* Its unit masks; whether the model counts one of them. */
static bool put_masks(const struct listing *listing,
		      const struct uncore_event_info *event)
{
	struct page *page = listing->page;
	bool any = false;
	struct uncore_unit_mask mask;

	json_open(page->json, "unit_masks", '[');
	for (size_t i = 0; uncore_event_info_unit_mask(event, i, &mask); i++) {
		bool one = is_modelled(listing, event, mask.name);

		page_line(page, 4, ".%-18s %s%s", mask.name, mask.brief,
			  one ? "" : not_modelled);
		if (mask.excluded)
			page_line(page, 25, "Do not use: %s", mask.excluded);
		json_add_row(page->json,
			     "name:%s value:%lu brief:%s modelled:%d",
			     mask.name, mask.value, mask.brief,
			     one && listing->has_model);
		any |= one;
	}
	json_close(page->json);
	return any;
}

static void put_event(const struct listing *listing,
		      const struct uncore_event_info *event)
{
	struct json *json = listing->page->json;
	bool modelled =
		!event->num_unit_masks && is_modelled(listing, event, NULL);

	say_event(listing->page, event,
		  event->num_unit_masks || modelled ? "" : not_modelled);
	json_open(json, NULL, '{');
	json_members(json, "box:%s name:%s code:%lu max_increment:%u",
		     event->box, event->name, event->code,
		     event->max_increment);
	json_open(json, "counters", '[');
	for (unsigned i = 0; i < 32; i++)
		if (event->counters >> i & 1)
			json_uint(json, NULL, i);
	json_close(json);
	modelled |= put_masks(listing, event);
	json_open(json, "aliases", '[');
	for (size_t i = 0; i < event->num_aliases; i++)
		json_string(json, NULL, uncore_event_info_alias(event, i));
	json_close(json);
	json_members(json, "brief:%s source:%s excluded:%s? modelled:%d",
		     event->brief, event->source, event->excluded,
		     modelled && listing->has_model);
	json_close(json);
}

/* How many events of a box there are to show, below what it is. */
static size_t put_box(const struct listing *listing,
		      const struct uncore_box *box)
{
	struct uncore_event_info event;
	size_t found = 0;

	if (!box->num_events && !listing->pattern) {
		say_box(listing, box);
		say_terms(listing, box);
		return 1;
	}
	for (size_t i = 0; uncore_family_event(listing->family, i, &event); i++)
		if (!strcmp(box->name, event.box) && chooses(listing, &event)) {
			if (!found++)
				say_box(listing, box);
			put_event(listing, &event);
		}
	return found;
}

static void put_table(const struct listing *listing, const char *kind)
{
	struct table table;

	if (listing->page->json &&
	    list_table(listing->family, NULL, kind, &table)) {
		table_print_json(&table, listing->page->json);
		table_free(&table);
	}
}

size_t list_events(const struct listing *listing)
{
	const struct uncore_family *family = listing->family;
	struct json *json = listing->page->json;
	struct uncore_box box;
	size_t found = 0;

	json_open(json, NULL, '{');
	json_members(json, "schema:%s machine:%s", "uncore-list-1",
		     uncore_family_name(family));
	put_table(listing, "boxes");
	json_open(json, "events", '[');
	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		found += put_box(listing, &box);
	json_close(json);
	put_table(listing, "ports");
	put_table(listing, "classes");
	put_table(listing, "opcodes");
	json_close(json);
	return found;
}
