/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Two kinds are recognised. A pointer: the previous line holds an address a
 * little below the present one (a member of a structure lies behind its start)
 * or just above it. An index: the present address is a fixed origin plus the
 * previous value times the size of an element; believed when the origin comes
 * out the same twice, and when the addresses do not simply advance in equal
 * steps (an array that holds 0, 1, 2, ... would look the same).
 */
#include "model/box/chase.h"

#include <string.h>

enum {
	LINE_BYTES = 64,
	BELOW_BYTES = 4096, /* a member this far behind a structure's start */
	ABOVE_BYTES = 256,  /* before it */
};

static bool is_pointer(const struct chase *chase, uint64_t address)
{
	unsigned found = 0;
	unsigned i;

	for (i = 0; i < CHASE_WORDS; i++)
		found += address - chase->words[i] + ABOVE_BYTES <
			 BELOW_BYTES + ABOVE_BYTES;
	return found;
}

/* Origins for an index of 8 or 4 bytes into elements of 8 or 4 bytes. */
static bool is_index(struct chase *chase, uint64_t address)
{
	const uint64_t origin[3] = {
		address - chase->value * 8,
		address - (uint32_t)chase->value * UINT64_C(8),
		address - (uint32_t)chase->value * UINT64_C(4),
	};
	bool same = false;
	unsigned i;

	for (i = 0; i < 3; i++) {
		same |= origin[i] == chase->origin[i];
		chase->origin[i] = origin[i];
	}
	return same;
}

/* What the next load is compared with; whether this one's address was an index.
 */
static bool keep(struct chase *chase, uint64_t address, const void *line)
{
	uint64_t distance = address - chase->address;
	bool steady = distance == chase->distance;
	bool found = is_index(chase, address) && !steady;

	chase->address = address;
	chase->distance = distance;
	memcpy(chase->words, line, LINE_BYTES);
	chase->value = 0;
	if (address % LINE_BYTES <= LINE_BYTES - sizeof(chase->value))
		memcpy(&chase->value, (const char *)line + address % LINE_BYTES,
		       sizeof(chase->value));
	else
		memcpy(&chase->value,
		       (const char *)line + address % LINE_BYTES / 4 * 4, 4);
	return found;
}

bool chase_note(struct chase *chase, uint64_t address, const void *line)
{
	bool found = is_pointer(chase, address);

	return keep(chase, address, line) || found;
}

void chase_pass(struct chase *chase, uint64_t address, const void *line)
{
	keep(chase, address, line);
}
