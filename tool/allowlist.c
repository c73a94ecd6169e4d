/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The kernel module msr-safe gives MSRs away one by one, and writes bit by
 * bit. A line of its list is an address and a mask of the bits that may be
 * written, the rest of a line behind '#' a comment; an address that the list
 * lacks can neither be read nor written. PCI functions it knows nothing of.
 */
#include "allowlist.h"

#include <inttypes.h>

#include "json.h"
#include "tool.h"
#include "uncore/address.h"
#include "uncore/family.h"

/* Register number *index or a later one that is an MSR. */
static bool next_msr(const struct uncore_family *family, size_t *index,
		     struct uncore_register *reg)
{
	while (uncore_family_register(family, *index, reg)) {
		++*index;
		if (uncore_address_space(reg->address) == UNCORE_SPACE_MSR)
			return true;
	}
	return false;
}

static void print_json(const struct uncore_family *family, FILE *file)
{
	struct json json = { .file = file };
	struct uncore_register reg;

	json_open(&json, NULL, '[');
	for (size_t i = 0; next_msr(family, &i, &reg);) {
		json_open(&json, NULL, '{');
		json_string(&json, "register", reg.name);
		json_address(&json, family, reg.address);
		json_uint(&json, "writable", reg.writable);
		json_close(&json);
	}
	json_close(&json);
}

static void print_text(const struct uncore_family *family, FILE *file)
{
	struct uncore_register reg;

	fprintf(file, "# Uncore of %s: MSR, bits that may be written, name\n",
		uncore_family_title(family));
	for (size_t i = 0; next_msr(family, &i, &reg);)
		fprintf(file, "0x%08" PRIx32 " 0x%016" PRIx64 " # %s\n",
			uncore_address_offset(reg.address), reg.writable,
			reg.name);
}

int allowlist_print(const struct uncore_family *family, bool json, FILE *file)
{
	struct uncore_register reg;
	size_t first = 0;

	if (!next_msr(family, &first, &reg))
		return tool_fail(
			TOOL_FAILED,
			"the uncore of %s has no MSRs, so an allowlist "
			"of them is empty",
			uncore_family_title(family));
	if (json)
		print_json(family, file);
	else
		print_text(family, file);
	return TOOL_OK;
}
