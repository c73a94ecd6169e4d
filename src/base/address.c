/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Register addresses as text, and back.
 */
#include "uncore/address.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const names[UNCORE_NUM_SPACES] = { "msr", "pci", "mem",
						      "perf" };

const char *uncore_space_name(unsigned space)
{
	return space < UNCORE_NUM_SPACES ? names[space] : NULL;
}

const char *uncore_address_say(uint64_t address,
			       char text[UNCORE_ADDRESS_BYTES])
{
	unsigned unit = uncore_address_unit(address);
	uint32_t offset = uncore_address_offset(address);
	char bus[16] = "";

	switch (uncore_address_space(address)) {
	case UNCORE_SPACE_PCI:
		if (unit >> 8)
			snprintf(bus, sizeof(bus), "%x:", unit >> 8);
		snprintf(text, UNCORE_ADDRESS_BYTES,
			 "pci:%s%02x.%x+0x%02" PRIX32, bus, unit >> 3 & 31,
			 unit & 7, offset);
		break;
	case UNCORE_SPACE_MEMORY:
	case UNCORE_SPACE_PERF:
		snprintf(text, UNCORE_ADDRESS_BYTES, "%s:%u+0x%04" PRIX32,
			 names[uncore_address_space(address)], unit, offset);
		break;
	default: snprintf(text, UNCORE_ADDRESS_BYTES, "0x%" PRIX64, address);
	}
	return text;
}

enum { MAX_BUS = 255, MAX_DEVICE = 31, MAX_FUNCTION = 7, CONFIG_BYTES = 4096 };

/* A number at *text up to `most`, behind which the byte `end` stands; *text is
 * moved behind that. */
static bool number(const char **text, int base, char end, uint64_t most,
		   uint64_t *value)
{
	char *stop;

	if (!**text || strchr(" \t\n+-", **text))
		return false;
	errno = 0;
	*value = strtoull(*text, &stop, base);
	if (errno || stop == *text || *stop != end || *value > most)
		return false;
	*text = stop + (end != 0);
	return true;
}

bool uncore_address_parse(const char *text, uint64_t *address)
{
	uint64_t bus = 0, device = 0, unit, offset;

	if (!strncasecmp(text, "pci:", 4)) {
		text += 4;
		if (strchr(text, ':') && !number(&text, 16, ':', MAX_BUS, &bus))
			return false;
		if (!number(&text, 16, '.', MAX_DEVICE, &device) ||
		    !number(&text, 16, '+', MAX_FUNCTION, &unit) ||
		    !number(&text, 0, 0, CONFIG_BYTES - 1, &offset))
			return false;
		*address = uncore_address(
			UNCORE_SPACE_PCI,
			(unsigned)(bus << 8 | device << 3 | unit),
			(uint32_t)offset);
		return true;
	}
	for (unsigned s = UNCORE_SPACE_MEMORY; s < UNCORE_NUM_SPACES; s++) {
		size_t length = strlen(names[s]);

		if (strncasecmp(text, names[s], length) || text[length] != ':')
			continue;
		text += length + 1;
		if (!number(&text, 10, '+', 0xFFFFFFF, &unit) ||
		    !number(&text, 0, 0, UINT32_MAX, &offset))
			return false;
		*address = uncore_address((enum uncore_space)s, (unsigned)unit,
					  (uint32_t)offset);
		return true;
	}
	if (!strncasecmp(text, "msr:", 4))
		text += 4;
	return number(&text, 0, 0, UINT32_MAX, address);
}
