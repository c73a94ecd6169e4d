/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore registers [PATTERN]`: addresses and fields.
 */
#include "tool.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "page.h"

struct settings {
	const char *machine;
	const char *pattern;
	bool json;
	bool core;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row rows[] = {
	OPTION_MACHINE(AT(machine)),
	OPTION_JSON(AT(json)),
	{ "core", 0, NULL,
	  "Registers of a logical CPU that are not the uncore's: those the "
	  "modelled machine has",
	  AT(core) },
	{ 0 },
};

static const struct options options = {
	.rows = rows,
	.words = "[PATTERN]",
	.help = "Show the registers of the uncore PMU, or of a core, with "
		"their fields."
		"\vPATTERN chooses registers: a part of the name, a glob "
		"(CB0_*), an address or a box (cbox).",
	.one = "one PATTERN is enough",
	.words_at = offsetof(struct settings, pattern),
};

static bool fits(const char *pattern, const struct uncore_register *reg)
{
	uint64_t address;

	if (!pattern)
		return true;
	if (uncore_address_parse(pattern, &address) && address == reg->address)
		return true;
	return !fnmatch(pattern, reg->name, FNM_CASEFOLD) ||
	       !strcasecmp(pattern, reg->box) || strcasestr(reg->name, pattern);
}

static void put_register(struct page *page, const struct uncore_family *family,
			 const struct uncore_register *reg)
{
	char address[UNCORE_ADDRESS_BYTES], id[TOOL_ID_BYTES], bits[16];
	struct json *json = page->json;
	struct uncore_field field;
	bool is_pci = *tool_id(family, reg->address, id);

	page_line(page, 0, "%s  %s  %u bits, %s  %s%s%s%s",
		  uncore_address_say(reg->address, address), reg->name,
		  reg->width_bits, reg->access, reg->brief,
		  is_pci ? "  (PCI function " : "", id, is_pci ? ")" : "");
	json_open(json, NULL, '{');
	json_string(json, "name", reg->name);
	json_address(json, family, reg->address);
	json_members(json, "box:%s instance:%u access:%s width:%u", reg->box,
		     reg->instance, reg->access, reg->width_bits);
	json_open(json, "fields", '[');
	for (size_t i = 0; uncore_register_field(reg, i, &field); i++) {
		snprintf(bits, sizeof(bits),
			 field.high == field.low ? "%u" : "%u:%u", field.high,
			 field.low);
		page_line(page, 7, "%6s  %-14s %-3s  %s", bits, field.name,
			  field.kind, field.brief);
		json_add_row(json, "name:%s high:%u low:%u kind:%s", field.name,
			     field.high, field.low, field.kind);
	}
	json_close(json);
	json_close(json);
}

int cmd_registers(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	bool (*next)(const struct uncore_family *family, size_t index,
		     struct uncore_register *reg);
	const struct uncore_family *family;
	struct json json = { .file = stdout };
	struct page page = { .file = stdout };
	struct uncore_register reg;
	int status = TOOL_OK;
	size_t found = 0;

	options_parse(&options, argc, argv, 0, &settings);
	family = tool_family(settings.machine);
	if (!family)
		return TOOL_USAGE;
	next = settings.core ? uncore_family_core_register
			     : uncore_family_register;
	page.json = settings.json ? &json : NULL;
	json_open(page.json, NULL, '[');
	for (size_t i = 0; next(family, i, &reg); i++) {
		if (!fits(settings.pattern, &reg))
			continue;
		found++;
		put_register(&page, family, &reg);
	}
	json_close(page.json);
	if (!found && settings.core && !next(family, 0, &reg))
		status = tool_fail(TOOL_FAILED,
				   "the model of %s has no registers of a core",
				   settings.machine);
	else if (!found)
		status = tool_fail(TOOL_FAILED, "no register fits '%s'",
				   settings.pattern ? settings.pattern : "*");
	return tool_finish(status, stdout, NULL);
}
