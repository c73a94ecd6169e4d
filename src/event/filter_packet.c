/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Classes and opcodes of packets, and fields that some of them only have. An
 * opcode is one of its class: code 1 is RdCode among requests and SnpCode among
 * snoops. So mc= and opc= together are a set of pairs, and an opcode's name
 * brings its class with it.
 */
#include "event/pairs.h"

#include <string.h>

#include "uncore/error.h"

bool filter_is_packet(const struct uc_filter_word *word)
{
	return word->kind == UC_WORD_CLASS || word->kind == UC_WORD_OPCODE ||
	       word->needs_class >= 0;
}

static const char *text_of(const struct filter_request *request, int number)
{
	const char *value = number < 0 ? NULL : request->values[number];

	return value && filter_is_any(value) ? NULL : value;
}

/* Fields of some messages only, such as the state of the line in an answer:
 * they bring their class with them, too. */
static int check_needs(struct pairs *pairs, const struct uc_filter_word *word,
		       char **error)
{
	const struct uc_family *family = pairs->request->family;
	unsigned class = (unsigned)word->needs_class;
	uint16_t rest = pairs->opcodes[class] & (uint16_t)~word->needs_opcodes;
	struct text names = { 0 };
	bool others = false;

	if (!pairs->mc_text && !pairs->opc_text) {
		if (pairs->mc < 0 || pairs->is_onehot)
			return 0;
		pairs->classes = (uint16_t)(1u << class);
		memset(pairs->opcodes, 0, sizeof(pairs->opcodes));
		pairs->opcodes[class] = UINT16_MAX;
		return 0;
	}
	for (unsigned c = 0; c < PACKET_CLASSES; c++)
		others = others || (c != class && pairs->opcodes[c]);
	if (!others && !pairs->is_onehot && (!pairs->opc_text || !rest))
		return 0;
	for (unsigned n = 0; n < PACKET_OPCODES; n++) {
		const struct uc_opcode *row =
			packet_opcode_of(family, class, n);

		if (!row || !(word->needs_opcodes >> n & 1))
			continue;
		text_add(&names, "%s%s", names.length ? ", " : "", row->plain);
	}
	text_error(0, error,
		   "%s=: only %s of class %s have it%s; leave out mc= and opc=",
		   word->name, names.data ? names.data : "",
		   packet_class_of(family, class)->name,
		   pairs->is_onehot ? ", which this filter cannot choose "
				      "otherwise"
				    : "");
	text_free(&names);
	return UNCORE_ERR_BAD_OPTION;
}

int filter_packet(const struct filter_request *request,
		  struct filter_bits *bits, char **error)
{
	struct pairs pairs = {
		.request = request,
		.mc = filter_find(request, UC_WORD_CLASS),
		.opc = filter_find(request, UC_WORD_OPCODE),
	};
	int result;

	if (pairs.mc < 0 && pairs.opc < 0)
		return 0;
	pairs.mc_text = text_of(request, pairs.mc);
	pairs.opc_text = text_of(request, pairs.opc);
	pairs.is_onehot = pairs.mc >= 0 &&
			  request->words[pairs.mc]->sense == UC_SENSE_ONEHOT;
	result = pairs_read(&pairs, error);
	for (unsigned n = 0; n < request->num && !result; n++)
		if (request->words[n]->needs_class >= 0 && request->values[n] &&
		    !filter_is_any(request->values[n]))
			result = check_needs(&pairs, request->words[n], error);
	if (result)
		return result;
	return pairs.is_onehot ? pairs_encode_bits(&pairs, bits, error)
			       : pairs_encode_mask(&pairs, bits, error);
}

void filter_packet_texts(const struct filter_request *words,
			 const struct filter_bits *bits, struct text *mc,
			 struct text *opc)
{
	struct pairs pairs = {
		.request = words,
		.mc = filter_find(words, UC_WORD_CLASS),
		.opc = filter_find(words, UC_WORD_OPCODE),
	};

	if (pairs.mc >= 0 && words->words[pairs.mc]->sense == UC_SENSE_ONEHOT)
		pairs_texts_bits(&pairs, bits, mc, opc);
	else if (pairs.mc >= 0 || pairs.opc >= 0)
		pairs_texts_mask(&pairs, bits, mc, opc);
}
