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

static bool register_at(const struct explain *explain, size_t index,
			struct uncore_register *reg)
{
	size_t num = 0;

	if (uncore_family_register(explain->family, index, reg))
		return true;
	while (uncore_family_register(explain->family, num, reg))
		num++;
	return uncore_family_core_register(explain->family, index - num, reg);
}

void explain_offer_registers(const struct explain *explain,
			     struct uncore_closest *closest)
{
	struct uncore_register reg;

	for (size_t i = 0; register_at(explain, i, &reg); i++)
		uncore_closest_offer(closest, reg.name);
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
	if (page->json)
		json_address(page->json, explain->family, reg->address);
	page_string(page, "box", reg->box);
	page_number(page, "instance", reg->instance);
	page_number(page, "width", reg->width_bits);
	page_string(page, "access", reg->access);
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
	char head[96];

	page_list(page, "fields", "Fields: bits, name, kind");
	for (size_t i = 0; uncore_register_field(reg, i, &field); i++) {
		int length = snprintf(head, sizeof(head), "%u", field.high);

		reset |= field.reset << field.low;
		if (field.low != field.high)
			length += snprintf(head + length,
					   sizeof(head) - (size_t)length, ":%u",
					   field.low);
		snprintf(head + length, sizeof(head) - (size_t)length,
			 " %s (%s)", field.name, field.kind);
		page_pair(page, "field", head,
			  *field.brief		       ? field.brief
			  : !strcmp(field.kind, "ig")  ? "Reads 0; writes are "
							 "ignored."
			  : !strcmp(field.kind, "rsv") ? "Must be written 0."
						       : "");
	}
	page_list_end(page);
	page_number(page, "reset", reset);
	page_text(page, "after_reset", "After reset", "0x%llx",
		  (unsigned long long)reset);
}

static void say_others(struct explain *explain,
		       const struct uncore_register *reg)
{
	struct page *page = &explain->page;
	char address[UNCORE_ADDRESS_BYTES];
	struct uncore_register other;
	bool any = false;

	for (size_t i = 0; register_at(explain, i, &other); i++) {
		if (strcmp(other.layout, reg->layout) ||
		    !strcmp(other.name, reg->name))
			continue;
		if (!any)
			page_list(page, "same_layout",
				  "Registers with the same fields");
		any = true;
		page_item(page, "%s %s",
			  uncore_address_say(other.address, address),
			  other.name);
	}
	if (any)
		page_list_end(page);
}

static void say_users(struct explain *explain,
		      const struct uncore_register *reg)
{
	struct page *page = &explain->page;
	struct uncore_event_info info;
	unsigned num = 0;

	page_list(page, "used_by", "Events that need it");
	for (size_t i = 0; uncore_family_event(explain->family, i, &info);
	     i++) {
		if (!uncore_event_info_needs(&info, reg))
			continue;
		if (page->json || num < MAX_USERS)
			page_item(page, "%s/%s", info.box, info.name);
		num++;
	}
	if (num > MAX_USERS)
		page_line(page, "and %u more of the %s", num - MAX_USERS,
			  reg->box);
	if (!num)
		page_line(page, "none");
	page_list_end(page);
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
	if (*reg->brief)
		page_text(page, "brief", "What it is", "%s", reg->brief);
	page_string(page, "layout", reg->layout);
	say_place(explain, reg);
	say_fields(explain, reg);
	if (strcmp(reg->box, "core")) {
		say_users(explain, reg);
		say_others(explain, reg);
		explain_errata(explain, concerns, reg);
	}
	if (page->json)
		page_string(page, "source", reg->source);
	else
		page_text(page, "source", "Source", "%s", reg->source);
	page_end(page);
}

enum explain_result explain_register(struct explain *explain, const char *name)
{
	struct uncore_register reg;

	for (size_t i = 0; register_at(explain, i, &reg); i++) {
		if (!fits(&reg, name))
			continue;
		say_page(explain, &reg);
		return EXPLAIN_DONE;
	}
	return EXPLAIN_UNKNOWN;
}
