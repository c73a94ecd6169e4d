/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pairs in fields with a mask. Match and mask of both fields are one number of
 * eight bits, the class above the opcode.
 */
#include "event/pairs.h"

#include <string.h>

#include "event/ternary.h"
#include "uncore/error.h"

static void fill_space(const struct pairs *pairs, struct ternary_space *space)
{
	const struct uc_family *family = pairs->request->family;

	*space = (struct ternary_space){ .bits = 8 };
	space->comparable =
		(pairs->mc < 0 ? 0 : 0xf0u) | (pairs->opc < 0 ? 0 : 0x0fu);
	for (unsigned n = 0; n < 256; n++)
		if (pairs->opcodes[n >> 4] >> (n & 15) & 1)
			space->numbers[n] = TERNARY_WANTED;
		else if (packet_opcode_of(family, n >> 4, n & 15))
			space->numbers[n] = TERNARY_OTHER;
}

static void pairs_in(const struct ternary_space *space,
		     const struct ternary *ternary,
		     const struct uc_family *family, uint16_t *opcodes)
{
	memset(opcodes, 0, PACKET_CLASSES * sizeof(*opcodes));
	for (unsigned n = 0; n < 256; n++)
		if (space->numbers[n] != TERNARY_NEVER &&
		    ternary_has(ternary, n) &&
		    packet_opcode_of(family, n >> 4, n & 15))
			opcodes[n >> 4] |= (uint16_t)(1u << (n & 15));
}

int pairs_encode_mask(const struct pairs *pairs, struct filter_bits *bits,
		      char **error)
{
	const struct uc_family *family = pairs->request->family;
	uint16_t outer[PACKET_CLASSES], inner[PACKET_CLASSES];
	struct ternary_space space;
	struct ternary ternary, most;

	fill_space(pairs, &space);
	ternary = ternary_around(&space);
	if (!ternary_is_clean(&space, &ternary)) {
		bool found;

		if (!error) /* nobody listens, and it takes a while */
			return UNCORE_ERR_BAD_OPTION;
		found = ternary_within(&space, &most);
		pairs_in(&space, &ternary, family, outer);
		if (found)
			pairs_in(&space, &most, family, inner);
		return pairs_refuse(pairs, outer, found ? inner : NULL, error);
	}
	if (pairs->mc >= 0)
		bits[pairs->mc] = (struct filter_bits){
			.match = ternary.value >> 4,
			.mask = ternary.care >> 4,
			.is_set = pairs->mc_text || ternary.care >> 4,
		};
	if (pairs->opc >= 0)
		bits[pairs->opc] = (struct filter_bits){
			.match = ternary.value & 15,
			.mask = ternary.care & 15,
			.is_set = pairs->opc_text || ternary.care & 15,
		};
	return 0;
}

void pairs_texts_mask(const struct pairs *pairs, const struct filter_bits *bits,
		      struct text *mc, struct text *opc)
{
	const struct uc_family *family = pairs->request->family;
	uint16_t opcodes[PACKET_CLASSES] = { 0 };
	struct ternary classes = { 0, 0 }, codes = { 0, 0 };

	if (pairs->mc >= 0)
		classes = (struct ternary){ (unsigned)bits[pairs->mc].match,
					    (unsigned)bits[pairs->mc].mask };
	if (pairs->opc >= 0)
		codes = (struct ternary){ (unsigned)bits[pairs->opc].match,
					  (unsigned)bits[pairs->opc].mask };
	for (unsigned c = 0; c < PACKET_CLASSES; c++) {
		const struct uc_class *class = packet_class_of(family, c);

		for (unsigned n = 0; n < PACKET_OPCODES; n++)
			if (ternary_has(&classes, c) && ternary_has(&codes, n))
				opcodes[c] |= (uint16_t)(1u << n);
		if (!class || !opcodes[c] || !classes.care)
			continue;
		text_add(mc, "%s%s", mc->length ? "|" : "", class->name);
	}
	if (!mc->length && classes.care)
		text_add(mc, "0x%x", classes.value);
	if (codes.care && classes.care)
		pairs_say_names(pairs, opcodes, opc);
	if (codes.care && !opc->length)
		pairs_say_codes(opcodes, opc);
}
