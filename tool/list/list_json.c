/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The list for programs: boxes, events, and the values of the options port, mc
 * and opc.
 */
#include "list_events.h"
#include "tool/json.h"

static void json_boxes(struct json *json, const struct uncore_family *family)
{
	struct uncore_box box;

	json_open(json, "boxes", '[');
	for (size_t i = 0; uncore_family_box(family, i, &box); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", box.name);
		json_uint(json, "instances", box.num_instances);
		json_uint(json, "counters", box.num_counters);
		json_uint(json, "width", box.width_bits);
		json_close(json);
	}
	json_close(json);
}

/* Values of the options port, mc and opc. */
static void json_packets(struct json *json, const struct uncore_family *family)
{
	struct uncore_message_class message_class;
	struct uncore_opcode opcode;
	struct uncore_port port;

	json_open(json, "ports", '[');
	for (size_t i = 0; uncore_family_port(family, i, &port); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", port.name);
		json_uint(json, "number", port.number);
		json_close(json);
	}
	json_close(json);
	json_open(json, "classes", '[');
	for (size_t i = 0; uncore_family_class(family, i, &message_class);
	     i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", message_class.name);
		json_uint(json, "code", message_class.code);
		json_string(json, "brief", message_class.brief);
		json_close(json);
	}
	json_close(json);
	json_open(json, "opcodes", '[');
	for (size_t i = 0; uncore_family_opcode(family, i, &opcode); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", opcode.name);
		json_string(json, "class", opcode.message_class);
		json_uint(json, "code", opcode.code);
		json_string(json, "brief", opcode.brief);
		json_close(json);
	}
	json_close(json);
}

static void json_event(struct json *json, const struct listing *listing,
		       const struct uncore_event_info *event)
{
	struct uncore_unit_mask mask;
	bool modelled = false, has_model;

	has_model = uncore_family_has_model(listing->family);
	json_open(json, NULL, '{');
	json_string(json, "box", event->box);
	json_string(json, "name", event->name);
	json_uint(json, "code", event->code);
	json_uint(json, "max_increment", event->max_increment);
	json_open(json, "counters", '[');
	for (unsigned i = 0; i < 32; i++)
		if (event->counters >> i & 1)
			json_uint(json, NULL, i);
	json_close(json);
	json_open(json, "unit_masks", '[');
	for (size_t i = 0; uncore_event_info_unit_mask(event, i, &mask); i++) {
		bool one = has_model &&
			   listing_is_modelled(listing, event, mask.name);

		json_open(json, NULL, '{');
		json_string(json, "name", mask.name);
		json_uint(json, "value", mask.value);
		json_string(json, "brief", mask.brief);
		json_flag(json, "modelled", one);
		json_close(json);
		modelled |= one;
	}
	json_close(json);
	json_open(json, "aliases", '[');
	for (size_t i = 0; i < event->num_aliases; i++)
		json_string(json, NULL, uncore_event_info_alias(event, i));
	json_close(json);
	json_string(json, "brief", event->brief);
	json_string(json, "source", event->source);
	if (event->excluded)
		json_string(json, "excluded", event->excluded);
	if (!event->num_unit_masks)
		modelled =
			has_model && listing_is_modelled(listing, event, NULL);
	json_flag(json, "modelled", modelled);
	json_close(json);
}

size_t list_json(const struct listing *listing)
{
	const struct uncore_family *family = listing->family;
	struct json json = { .file = stdout };
	struct uncore_event_info event;
	size_t found = 0;

	json_open(&json, NULL, '{');
	json_string(&json, "schema", "uncore-list-1");
	json_string(&json, "machine", uncore_family_name(family));
	json_boxes(&json, family);
	json_open(&json, "events", '[');
	for (size_t i = 0; uncore_family_event(family, i, &event); i++) {
		if (!listing_has(listing, &event))
			continue;
		json_event(&json, listing, &event);
		found++;
	}
	json_close(&json);
	json_packets(&json, family);
	json_close(&json);
	return found;
}
