/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore registers [PATTERN]`: addresses and fields.
 */
#include "tool.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

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
	       !strcmp(pattern, reg->box) || strcasestr(reg->name, pattern);
}

static void print_json(struct json *json, const struct uncore_family *family,
		       const struct uncore_register *reg)
{
	struct uncore_field field;

	json_open(json, NULL, '{');
	json_string(json, "name", reg->name);
	json_address(json, family, reg->address);
	json_members(json, "box:t instance:u access:t width:u", reg->box,
		     reg->instance, reg->access, reg->width_bits);
	json_open(json, "fields", '[');
	for (size_t i = 0; uncore_register_field(reg, i, &field); i++)
		json_add_row(json, "name:t high:u low:u kind:t", field.name,
			     field.high, field.low, field.kind);
	json_close(json);
	json_close(json);
}

static void print_text(const struct uncore_family *family,
		       const struct uncore_register *reg)
{
	char address[UNCORE_ADDRESS_BYTES], id[TOOL_ID_BYTES];
	struct uncore_field field;

	printf("%s  %s  %u bits, %s  %s",
	       uncore_address_say(reg->address, address), tool_shown(reg->name),
	       reg->width_bits, reg->access, reg->brief);
	if (*tool_id(family, reg->address, id))
		printf("  (PCI function %s)", id);
	putchar('\n');
	for (size_t i = 0; uncore_register_field(reg, i, &field); i++) {
		char bits[16];

		snprintf(bits, sizeof(bits),
			 field.high == field.low ? "%u" : "%u:%u", field.high,
			 field.low);
		printf("       %6s  %-14s %-3s  %s\n", bits,
		       tool_shown(field.name), field.kind, field.brief);
	}
}

int cmd_registers(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	bool (*next)(const struct uncore_family *family, size_t index,
		     struct uncore_register *reg);
	const struct uncore_family *family;
	struct json json = { .file = stdout };
	struct uncore_register reg;
	int status = TOOL_OK;
	size_t found = 0;

	options_parse(&options, argc, argv, 0, &settings);
	family = tool_family(settings.machine);
	if (!family)
		return TOOL_USAGE;
	next = settings.core ? uncore_family_core_register
			     : uncore_family_register;
	if (settings.json)
		json_open(&json, NULL, '[');
	for (size_t i = 0; next(family, i, &reg); i++) {
		if (!fits(settings.pattern, &reg))
			continue;
		found++;
		if (settings.json)
			print_json(&json, family, &reg);
		else
			print_text(family, &reg);
	}
	if (settings.json)
		json_close(&json);
	if (!found)
		status = tool_fail(TOOL_FAILED, "no register fits '%s'",
				   settings.pattern ? settings.pattern : "*");
	return tool_finish(status, stdout, NULL);
}
