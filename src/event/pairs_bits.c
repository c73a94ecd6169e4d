/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pairs in fields with a bit for each class and each opcode. A bit stands for
 * an opcode of every class that is chosen, so not every set of pairs is one of
 * bits.
 */
#include "event/pairs.h"

#include <string.h>

/* What passes when these classes and these opcode bits are chosen. */
static void find_passed(const struct pairs *pairs, unsigned classes,
			uint64_t opcode_bits, uint16_t *opcodes)
{
	const struct uc_family *family = pairs->request->family;
	unsigned low = pairs_word(pairs, pairs->opc)->match_low;

	memset(opcodes, 0, PACKET_CLASSES * sizeof(*opcodes));
	for (unsigned i = 0; i < family->num_onehots; i++) {
		const struct uc_onehot *row = &family->onehots[i];

		if (classes >> row->message_class & 1 &&
		    opcode_bits >> (row->bit - low) & 1)
			opcodes[row->message_class] |=
				(uint16_t)(1u << row->opcode);
	}
}

/* The opcode bits that let nothing unwanted pass in these classes. */
static uint64_t clean_bits(const struct pairs *pairs, unsigned classes)
{
	const struct uc_filter_word *word = pairs_word(pairs, pairs->opc);
	uint64_t clean = 0;

	for (int bit = 0; bit <= word->match_high - word->match_low; bit++) {
		uint16_t passed[PACKET_CLASSES];
		bool wanted = true;

		find_passed(pairs, classes, UINT64_C(1) << bit, passed);
		for (unsigned c = 0; c < PACKET_CLASSES; c++)
			wanted = wanted && !(passed[c] & ~pairs->opcodes[c]);
		clean |= wanted ? UINT64_C(1) << bit : 0;
	}
	return clean;
}

static unsigned num_pairs(const uint16_t *opcodes)
{
	unsigned num = 0;

	for (unsigned c = 0; c < PACKET_CLASSES; c++)
		num += (unsigned)__builtin_popcount(opcodes[c]);
	return num;
}

static void most_passed(const struct pairs *pairs, unsigned classes,
			uint16_t *best)
{
	unsigned most = 0;

	for (unsigned some = classes; some; some = (some - 1) & classes) {
		uint16_t passed[PACKET_CLASSES];

		find_passed(pairs, some, clean_bits(pairs, some), passed);
		if (num_pairs(passed) <= most)
			continue;
		most = num_pairs(passed);
		memcpy(best, passed, sizeof(passed));
	}
}

int pairs_encode_bits(struct pairs *pairs, struct filter_bits *bits,
		      char **error)
{
	const struct uc_family *family = pairs->request->family;
	uint16_t passed[PACKET_CLASSES], inner[PACKET_CLASSES] = { 0 };
	unsigned classes = 0;

	for (unsigned c = 0; c < PACKET_CLASSES && !pairs->is_raw; c++)
		if (pairs->opc_text && pairs->opcodes[c]) {
			classes |= 1u << c;
			pairs->raw_classes |=
				UINT64_C(1) << packet_class_of(family, c)->bit;
		}
	if (classes) {
		find_passed(pairs, classes, pairs->raw_opcodes, passed);
		if (memcmp(passed, pairs->opcodes, sizeof(passed))) {
			most_passed(pairs, classes, inner);
			return pairs_refuse(pairs, passed, inner, error);
		}
	}
	bits[pairs->mc] = (struct filter_bits){
		.match = pairs->raw_classes,
		.is_set = pairs->mc_text || pairs->raw_classes,
	};
	bits[pairs->opc] = (struct filter_bits){
		.match = pairs->raw_opcodes,
		.is_set = pairs->opc_text,
	};
	return 0;
}

void pairs_texts_bits(const struct pairs *pairs, const struct filter_bits *bits,
		      struct text *mc, struct text *opc)
{
	const struct uc_family *family = pairs->request->family;
	uint64_t class_bits = bits[pairs->mc].match, named = 0;
	uint64_t opcode_bits = bits[pairs->opc].match;
	uint16_t passed[PACKET_CLASSES];
	unsigned classes = 0;

	for (unsigned i = 0; i < family->num_classes; i++) {
		int bit = family->classes[i].bit;

		if (bit < 0 || !(class_bits >> bit & 1))
			continue;
		classes |= 1u << family->classes[i].code;
		text_add(mc, "%s%s", mc->length ? "|" : "",
			 family->classes[i].name);
	}
	find_passed(pairs, classes, opcode_bits, passed);
	for (unsigned i = 0; i < family->num_onehots; i++)
		if (classes >> family->onehots[i].message_class & 1)
			named |= UINT64_C(1) << family->onehots[i].bit;
	named >>= pairs_word(pairs, pairs->opc)->match_low;
	if (!(opcode_bits & ~named))
		pairs_say_names(pairs, passed, opc);
	else
		text_add(opc, "0x%llx", (unsigned long long)opcode_bits);
}
