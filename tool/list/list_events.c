/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The list for people, and what is common to it and the one for programs.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "list.h"
#include "tool/tool.h"
#include "uncore/model.h"

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
bool listing_has(const struct listing *listing,
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

/* Over all ports, of which a model drives those that are wired. */
bool listing_is_modelled(const struct listing *listing,
			 const struct uncore_event_info *event,
			 const char *mask)
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

static void print_box(const struct listing *listing,
		      const struct uncore_box *box)
{
	struct uncore_port port;

	printf("%s (%s): %u per socket, %u counter%s of %u bits",
	       tool_shown(box->name), tool_shown(box->guide_name),
	       box->num_instances, box->num_counters,
	       box->num_counters == 1 ? "" : "s", box->width_bits);
	if (box->num_fixed)
		printf(" and %u fixed", box->num_fixed);
	if (box->num_ports > 1)
		printf("\n  events need a port:");
	for (size_t i = 0; box->num_ports > 1 &&
			   uncore_family_port(listing->family, i, &port);
	     i++)
		printf(" port=%s", port.name);
	printf("\n");
}

/* 0-5, or 0,2: the counters of a mask. */
static void print_counters(uint32_t counters)
{
	const char *separator = "";

	for (unsigned i = 0, last; i < 32; i = last + 1) {
		last = i;
		if (!(counters >> i & 1))
			continue;
		while (last < 31 && counters >> (last + 1) & 1)
			last++;
		printf("%s%u", separator, i);
		if (last > i)
			printf("-%u", last);
		separator = ",";
	}
}

static void print_masks(const struct listing *listing,
			const struct uncore_event_info *event)
{
	struct uncore_unit_mask mask;

	for (size_t i = 0; uncore_event_info_unit_mask(event, i, &mask); i++) {
		printf("    .%-18s %s%s\n", tool_shown(mask.name),
		       tool_shown(mask.brief),
		       listing_is_modelled(listing, event, mask.name)
			       ? ""
			       : "  [not modelled]");
		if (mask.excluded)
			printf("%25sDo not use: %s\n", "",
			       tool_shown(mask.excluded));
	}
}

static void print_event(const struct listing *listing,
			const struct uncore_event_info *event)
{
	bool plain = !event->num_unit_masks &&
		     !listing_is_modelled(listing, event, NULL);

	printf("  %-30s code 0x%02llx, counter ", tool_shown(event->name),
	       (unsigned long long)event->code);
	print_counters(event->counters);
	if (event->max_increment > 1)
		printf(", up to %u a cycle", event->max_increment);
	printf("%s\n      %s\n", plain ? "  [not modelled]" : "",
	       tool_shown(event->brief));
	if (*event->note)
		printf("      Note: %s\n", tool_shown(event->note));
	if (event->excluded)
		printf("      Do not use: %s\n", tool_shown(event->excluded));
	print_masks(listing, event);
}

/* Of a box without names: what its codes are made of. */
static void print_terms(const struct uncore_family *family,
			const struct uncore_box *box)
{
	struct uncore_register reg;
	struct uncore_field field;
	bool is_last = false; /* the count that ends the first counter */

	printf("  no names here; its codes are %s/NAME=VALUE,.../ with",
	       tool_shown(box->name));
	for (size_t i = 0; !is_last && uncore_family_register(family, i, &reg);
	     i++)
		for (size_t n = 0; !strcmp(reg.box, box->name) &&
				   uncore_register_field(&reg, n, &field);
		     n++) {
			is_last |= !strcmp(field.name, "count");
			if (!is_last && strcmp(field.name, "en"))
				printf(" %s", tool_shown(field.name));
		}
	printf("\n");
}

size_t list_text(const struct listing *listing)
{
	struct uncore_event_info event;
	struct uncore_box box;
	size_t found = 0;

	for (size_t b = 0; uncore_family_box(listing->family, b, &box); b++) {
		bool is_whole = !box.num_events && !listing->pattern;
		bool is_open = is_whole;

		if (is_whole) {
			printf("%s", found++ ? "\n" : "");
			print_box(listing, &box);
			print_terms(listing->family, &box);
		}
		for (size_t i = 0;
		     uncore_family_event(listing->family, i, &event); i++) {
			if (strcmp(box.name, event.box) ||
			    !listing_has(listing, &event))
				continue;
			if (!is_open) {
				printf("%s", found ? "\n" : "");
				print_box(listing, &box);
			}
			is_open = true;
			print_event(listing, &event);
			found++;
		}
	}
	return found;
}
