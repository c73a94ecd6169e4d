/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a set of pairs is called, in options that can be pasted.
 */
#include "event/pairs.h"

#include "uncore/error.h"

static uint16_t defined_opcodes(const struct uc_family *family, unsigned class)
{
	uint16_t opcodes = 0;

	for (unsigned i = 0; i < family->num_opcodes; i++)
		if (family->opcodes[i].message_class == class)
			opcodes |= (uint16_t)(1u << family->opcodes[i].code);
	return opcodes;
}

void pairs_say_names(const struct pairs *pairs, const uint16_t *opcodes,
		     struct text *text)
{
	const struct uc_family *family = pairs->request->family;
	const char *between = "";

	for (unsigned i = 0; i < family->num_opcodes; i++) {
		const struct uc_opcode *row = &family->opcodes[i];

		if (!(opcodes[row->message_class] >> row->code & 1))
			continue;
		text_add(text, "%s%s", between, row->plain);
		between = "|";
	}
}

void pairs_say_codes(const uint16_t *opcodes, struct text *text)
{
	uint16_t codes = 0;
	const char *between = "";

	for (unsigned c = 0; c < PACKET_CLASSES; c++)
		codes |= opcodes[c];
	for (unsigned n = 0; n < PACKET_OPCODES; n++) {
		if (!(codes >> n & 1))
			continue;
		text_add(text, "%s0x%x", between, n);
		between = "|";
	}
}

/* "mc=HOM0,opc=RdCode", of pairs that occur. */
static void say_pairs(const struct pairs *pairs, const uint16_t *opcodes,
		      struct text *text)
{
	const struct uc_family *family = pairs->request->family;
	const char *between = "mc=";
	bool all = true;

	for (unsigned i = 0; i < family->num_classes; i++) {
		unsigned c = family->classes[i].code;

		if (!opcodes[c] || pairs->mc < 0)
			continue;
		text_add(text, "%s%s", between, family->classes[i].name);
		all = all && opcodes[c] == defined_opcodes(family, c);
		between = "|";
	}
	if (pairs->opc < 0 || (all && pairs->mc >= 0))
		return;
	text_add(text, pairs->mc < 0 ? "opc=" : ",opc=");
	if (pairs->mc < 0)
		pairs_say_codes(opcodes, text);
	else
		pairs_say_names(pairs, opcodes, text);
}

int pairs_refuse(const struct pairs *pairs, const uint16_t *outer,
		 const uint16_t *inner, char **error)
{
	struct text text = { 0 };

	text_add(&text, "%s%s%s%s%s: ", pairs->mc_text ? "mc=" : "",
		 pairs->mc_text ? pairs->mc_text : "",
		 pairs->mc_text && pairs->opc_text ? "," : "",
		 pairs->opc_text ? "opc=" : "",
		 pairs->opc_text ? pairs->opc_text : "");
	if (pairs->mc < 0)
		text_add(&text,
			 "this event compares no message class, so opcodes of "
			 "other classes with the same code count too; ");
	else
		text_add(&text,
			 "the registers cannot tell just these messages from "
			 "the others; ");
	text_add(&text, "nearest: ");
	say_pairs(pairs, outer, &text);
	text_add(&text, " holds all of them, ");
	if (inner) {
		say_pairs(pairs, inner, &text);
		text_add(&text, " is the most of them");
	} else {
		text_add(&text, "nothing lies within them");
	}
	return text_fail(&text, UNCORE_ERR_BAD_OPTION, error);
}
