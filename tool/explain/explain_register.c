/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The page of a register: of the uncore or of a logical CPU.
 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/tool.h"
#include "uncore/family.h"

enum { MAX_USERS = 12 };

bool explain_register_at(const struct explain *explain, size_t index,
			 struct uncore_register *reg)
{
	size_t num = explain->num_registers;

	return index < num ? uncore_family_register(explain->family, index, reg)
			   : uncore_family_core_register(explain->family,
							 index - num, reg);
}

static bool fits(const struct uncore_register *reg, const char *name)
{
	uint64_t address;

	if (uncore_address_parse(name, &address) && address == reg->address)
		return true;
	return !strcasecmp(name, reg->name) || !strcasecmp(name, reg->layout);
}

static void say_place(struct explain *explain,
		      const struct uncore_register *reg)
{
	struct page *page = &explain->page;
	char address[UNCORE_ADDRESS_BYTES];
	struct uncore_box box;

	uncore_address_say(reg->address, address);
	json_address(page->json, explain->family, reg->address);
	json_members(page->json, "box:%s instance:%u width:%u access:%s",
		     reg->box, reg->instance, reg->width_bits, reg->access);
	if (tool_box(explain->family, reg->box, &box))
		page_text(page, "where", "Where",
			  "Address %s, %s (%s) %u of %u in the socket; %u "
			  "bits; access %s (software, then hardware).",
			  address, box.guide_name, box.name, reg->instance,
			  box.num_instances, reg->width_bits, reg->access);
	else
		page_text(page, "where", "Where",
			  "Address %s of a logical CPU; %u bits; access %s.",
			  address, reg->width_bits, reg->access);
}

static void say_fields(struct explain *explain,
		       const struct uncore_register *reg)
{
	struct page *page = &explain->page;
	struct uncore_field field;
	uint64_t reset = 0;
	char head[96], bits[16];

	page_list(page, "fields", "Fields: bits, name, kind");
	for (size_t i = 0; uncore_register_field(reg, i, &field); i++) {
		const char *brief = field.brief;

		reset |= field.reset << field.low;
		snprintf(bits, sizeof(bits),
			 field.high == field.low ? "%u" : "%u:%u", field.high,
			 field.low);
		snprintf(head, sizeof(head), "%s %s (%s)", bits, field.name,
			 field.kind);
		if (!*brief && !strcmp(field.kind, "ig"))
			brief = "Reads 0; writes are ignored.";
		else if (!*brief && !strcmp(field.kind, "rsv"))
			brief = "Must be written 0.";
		page_pair(page, "field", head, brief);
	}
	page_list_end(page, "");
	json_uint(page->json, "reset", reset);
	page_text(page, "after_reset", "After reset", "0x%llx",
		  (unsigned long long)reset);
}

static void say_others(struct explain *explain,
		       const struct uncore_register *reg)
{
	struct page *page = &explain->page;
	char address[UNCORE_ADDRESS_BYTES];
	struct uncore_register other;

	page_list(page, "same_layout", "Registers with the same fields");
	for (size_t i = 0; explain_register_at(explain, i, &other); i++)
		if (!strcmp(other.layout, reg->layout) &&
		    strcmp(other.name, reg->name) != 0)
			page_item(page, "%s %s",
				  uncore_address_say(other.address, address),
				  other.name);
	page_list_end(page, NULL);
}

static void say_users(struct explain *explain,
		      const struct uncore_register *reg)
{
	struct page *page = &explain->page;
	struct uncore_event_info info;
	size_t more;

	page_list(page, "used_by", "Events that need it");
	page->most = MAX_USERS;
	for (size_t i = 0; uncore_family_event(explain->family, i, &info); i++)
		if (uncore_event_info_needs(&info, reg))
			page_item(page, "%s/%s", info.box, info.name);
	more = page_list_end(page, "none");
	if (more)
		page_line(page, PAGE_INDENT, "and %zu more of the %s", more,
			  reg->box);
}

static bool concerns(const struct explain *explain, const void *about,
		     const struct uncore_erratum *erratum)
{
	(void)explain;
	return uncore_erratum_names_register(erratum, about);
}

static void say_page(struct explain *explain, const struct uncore_register *reg)
{
	struct page *page = &explain->page;

	page_begin(page, "register", reg->name);
	page_say(page, "brief", "What it is", reg->brief);
	json_string(page->json, "layout", reg->layout);
	say_place(explain, reg);
	say_fields(explain, reg);
	if (strcmp(reg->box, "core")) {
		say_users(explain, reg);
		say_others(explain, reg);
		explain_errata(explain, concerns, reg);
	}
	page_text(page, "source", "Source", "%s", reg->source);
	page_end(page);
}

int explain_register(struct explain *explain, const char *name)
{
	struct uncore_register reg;

	for (size_t i = 0; explain_register_at(explain, i, &reg); i++)
		if (fits(&reg, name)) {
			say_page(explain, &reg);
			return 0;
		}
	return EXPLAIN_UNKNOWN;
}
