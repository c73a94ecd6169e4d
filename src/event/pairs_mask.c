/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pairs in fields with a mask. Match and mask of both fields are one number of
 * eight bits, the class above the opcode.
 */
#include "event/pairs.h"

#include <string.h>

#include "event/cube.h"
#include "uncore/error.h"

static void fill_space(const struct pairs *pairs, struct cube_space *space)
{
	const struct uc_family *family = pairs->request->family;

	*space = (struct cube_space){ .bits = 8 };
	space->comparable =
		(pairs->mc < 0 ? 0 : 0xf0u) | (pairs->opc < 0 ? 0 : 0x0fu);
	for (unsigned n = 0; n < 256; n++)
		if (pairs->opcodes[n >> 4] >> (n & 15) & 1)
			space->numbers[n] = CUBE_WANTED;
		else if (packet_opcode_of(family, n >> 4, n & 15))
			space->numbers[n] = CUBE_OTHER;
}

static void pairs_in(const struct cube_space *space, const struct cube *cube,
		     const struct uc_family *family, uint16_t *opcodes)
{
	memset(opcodes, 0, PACKET_CLASSES * sizeof(*opcodes));
	for (unsigned n = 0; n < 256; n++)
		if (space->numbers[n] != CUBE_NEVER && cube_has(cube, n) &&
		    packet_opcode_of(family, n >> 4, n & 15))
			opcodes[n >> 4] |= (uint16_t)(1u << (n & 15));
}

int pairs_encode_mask(const struct pairs *pairs, struct filter_bits *bits,
		      char **error)
{
	const struct uc_family *family = pairs->request->family;
	uint16_t outer[PACKET_CLASSES], inner[PACKET_CLASSES];
	struct cube_space space;
	struct cube cube, most;

	fill_space(pairs, &space);
	cube = cube_around(&space);
	if (!cube_is_clean(&space, &cube)) {
		bool found;

		if (!error) /* nobody listens, and it takes a while */
			return UNCORE_ERR_BAD_OPTION;
		found = cube_within(&space, &most);
		pairs_in(&space, &cube, family, outer);
		if (found)
			pairs_in(&space, &most, family, inner);
		return pairs_refuse(pairs, outer, found ? inner : NULL, error);
	}
	if (pairs->mc >= 0)
		bits[pairs->mc] = (struct filter_bits){
			.match = cube.value >> 4,
			.mask = cube.care >> 4,
			.is_set = pairs->mc_text || cube.care >> 4,
		};
	if (pairs->opc >= 0)
		bits[pairs->opc] = (struct filter_bits){
			.match = cube.value & 15,
			.mask = cube.care & 15,
			.is_set = pairs->opc_text || cube.care & 15,
		};
	return 0;
}

void pairs_texts_mask(const struct pairs *pairs, const struct filter_bits *bits,
		      struct text *mc, struct text *opc)
{
	const struct uc_family *family = pairs->request->family;
	uint16_t opcodes[PACKET_CLASSES] = { 0 };
	struct cube classes = { 0, 0 }, codes = { 0, 0 };

	if (pairs->mc >= 0)
		classes = (struct cube){ (unsigned)bits[pairs->mc].match,
					 (unsigned)bits[pairs->mc].mask };
	if (pairs->opc >= 0)
		codes = (struct cube){ (unsigned)bits[pairs->opc].match,
				       (unsigned)bits[pairs->opc].mask };
	for (unsigned c = 0; c < PACKET_CLASSES; c++) {
		const struct uc_class *class = packet_class_of(family, c);

		for (unsigned n = 0; n < PACKET_OPCODES; n++)
			if (cube_has(&classes, c) && cube_has(&codes, n))
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
