/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The list for programs: boxes, events, and the values of the options port, mc
 * and opc.
 */
#include "list.h"
#include "tool/json.h"
#include "tool/table.h"

static void put_table(struct json *json, const struct listing *listing,
		      const char *kind)
{
	struct table table;

	if (list_table(listing->family, NULL, kind, &table)) {
		table_print_json(&table, json);
		table_free(&table);
	}
}

static void put_event(struct json *json, const struct listing *listing,
		      const struct uncore_event_info *event)
{
	bool has_model = uncore_family_has_model(listing->family);
	bool modelled = has_model && !event->num_unit_masks &&
			listing_is_modelled(listing, event, NULL);
	struct uncore_unit_mask mask;

	json_open(json, NULL, '{');
	json_members(json, "box:t name:t code:n max_increment:u", event->box,
		     event->name, event->code, event->max_increment);
	json_open(json, "counters", '[');
	for (unsigned i = 0; i < 32; i++)
		if (event->counters >> i & 1)
			json_uint(json, NULL, i);
	json_close(json);
	json_open(json, "unit_masks", '[');
	for (size_t i = 0; uncore_event_info_unit_mask(event, i, &mask); i++) {
		bool one = has_model &&
			   listing_is_modelled(listing, event, mask.name);

		json_add_row(json, "name:t value:n brief:t modelled:f",
			     mask.name, mask.value, mask.brief, one);
		modelled |= one;
	}
	json_close(json);
	json_open(json, "aliases", '[');
	for (size_t i = 0; i < event->num_aliases; i++)
		json_string(json, NULL, uncore_event_info_alias(event, i));
	json_close(json);
	json_members(json, "brief:t source:t excluded:? modelled:f",
		     event->brief, event->source, event->excluded, modelled);
	json_close(json);
}

size_t list_json(const struct listing *listing)
{
	const struct uncore_family *family = listing->family;
	struct json json = { .file = stdout };
	struct uncore_event_info event;
	size_t found = 0;

	json_open(&json, NULL, '{');
	json_members(&json, "schema:t machine:t", "uncore-list-1",
		     uncore_family_name(family));
	put_table(&json, listing, "boxes");
	json_open(&json, "events", '[');
	for (size_t i = 0; uncore_family_event(family, i, &event); i++) {
		if (!listing_has(listing, &event))
			continue;
		put_event(&json, listing, &event);
		found++;
	}
	json_close(&json);
	put_table(&json, listing, "ports");
	put_table(&json, listing, "classes");
	put_table(&json, listing, "opcodes");
	json_close(&json);
	return found;
}
