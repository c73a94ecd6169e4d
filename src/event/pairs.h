/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pairs of a message class and an opcode: what the options mc= and opc= choose
 * together, on the way to the fields of a filter.
 */
#ifndef UNCORE_EVENT_PAIRS_H
#define UNCORE_EVENT_PAIRS_H

#include "event/filter.h"
#include "event/packet.h"

/* The pairs that are wanted, and what was given to choose them. */
struct pairs {
	const struct filter_request *request;
	int mc, opc;	      /* numbers of the words, or -1 */
	const char *mc_text;  /* NULL: any */
	const char *opc_text; /* NULL: any */
	uint16_t opcodes[PACKET_CLASSES];
	uint16_t classes;
	uint64_t raw_classes, raw_opcodes; /* onehot: fields as numbers */
	bool is_onehot;
	bool is_raw;
};

/* The word of that number, or NULL. */
static inline const struct uc_filter_word *pairs_word(const struct pairs *pairs,
						      int number)
{
	return number < 0 ? NULL : pairs->request->words[number];
}

/* Fills the pairs from the texts (pairs_read.c). */
int pairs_read(struct pairs *pairs, char **error);

/* "RdCode|RdData"; "0x1|0x2"; and the refusal of a set that no registers
 * express, with the nearest ones; inner may be NULL (pairs_say.c). */
void pairs_say_names(const struct pairs *pairs, const uint16_t *opcodes,
		     struct text *text);
void pairs_say_codes(const uint16_t *opcodes, struct text *text);
int pairs_refuse(const struct pairs *pairs, const uint16_t *outer,
		 const uint16_t *inner, char **error);

/* Fields with a mask, there and back (pairs_mask.c). */
int pairs_encode_mask(const struct pairs *pairs, struct filter_bits *bits,
		      char **error);
void pairs_texts_mask(const struct pairs *pairs, const struct filter_bits *bits,
		      struct text *mc, struct text *opc);

/* Fields with a bit for each class and opcode (pairs_bits.c). */
int pairs_encode_bits(struct pairs *pairs, struct filter_bits *bits,
		      char **error);
void pairs_texts_bits(const struct pairs *pairs, const struct filter_bits *bits,
		      struct text *mc, struct text *opc);

#endif
