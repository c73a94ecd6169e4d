/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options mc= and opc= read: lists of names and numbers. A number instead
 * of a name is the code in all classes chosen; in a field with a bit for each
 * it is the field itself.
 */
#include "event/pairs.h"

#include <string.h>

#include "uncore/error.h"

static int bad_class(const struct pairs *pairs, const char *item, size_t length,
		     char **error)
{
	const struct uc_family *family = pairs->request->family;
	char name[32] = "";
	struct nearest nearest = { .wanted = name };
	struct text known = { 0 }, near = { 0 };

	memcpy(name, item, length < 31 ? length : 31);
	for (unsigned i = 0; i < family->num_classes; i++) {
		text_add(&known, "%s%s", i ? ", " : "",
			 family->classes[i].name);
		nearest_offer(&nearest, family->classes[i].name);
	}
	nearest_say(&nearest, &near);
	text_error(0, error, "mc=%s: there is no message class '%s'%s (%s)",
		   pairs->mc_text, name, near.data ? near.data : "",
		   known.data ? known.data : "");
	text_free(&known);
	text_free(&near);
	return UNCORE_ERR_BAD_OPTION;
}

static int bad_opcode(const struct pairs *pairs, const char *item,
		      size_t length, char **error)
{
	const struct uc_family *family = pairs->request->family;
	char name[48] = "";
	struct nearest nearest = { .wanted = name };
	const struct uc_opcode *known = packet_opcode(family, item, length);
	const char *between = " (";
	struct text text = { 0 };

	memcpy(name, item, length < 47 ? length : 47);
	text_add(&text, "opc=%s: there is no opcode '%s'", pairs->opc_text,
		 name);
	if (pairs->mc_text)
		text_add(&text, " in class %s", pairs->mc_text);
	if (known)
		text_add(&text, ", it is one of %s",
			 packet_class_of(family, known->message_class)->name);
	for (unsigned i = 0; i < family->num_opcodes && !known; i++)
		if (pairs->classes >> family->opcodes[i].message_class & 1)
			nearest_offer(&nearest, family->opcodes[i].name);
	nearest_say(&nearest, &text);
	/* Of all classes there are too many to read. */
	for (unsigned i = 0; pairs->mc_text && i < family->num_opcodes; i++) {
		if (!(pairs->classes >> family->opcodes[i].message_class & 1))
			continue;
		text_add(&text, "%s%s", between, family->opcodes[i].plain);
		between = ", ";
	}
	text_add(&text, pairs->mc_text ? ")" : "");
	return text_fail(&text, UNCORE_ERR_BAD_OPTION, error);
}

static void say_onehot_classes(const struct uc_family *family,
			       struct text *text)
{
	const char *between = "";

	for (unsigned i = 0; i < family->num_classes; i++) {
		if (family->classes[i].bit < 0)
			continue;
		text_add(text, "%s%s", between, family->classes[i].name);
		between = ", ";
	}
}

static int class_without_bit(const struct pairs *pairs,
			     const struct uc_class *class, char **error)
{
	const struct filter_request *request = pairs->request;
	struct text text = { 0 };

	text_add(&text,
		 "the filter of the %s has no bit for class %s; classes with "
		 "one: ",
		 request->family->boxes[request->words[0]->box].guide_name,
		 class->name);
	say_onehot_classes(request->family, &text);
	for (unsigned n = 0; n < request->num; n++)
		if (request->words[n]->needs_class == (int)class->code)
			text_add(&text, " (%s= chooses among %s)",
				 request->words[n]->name, class->name);
	return text_fail(&text, UNCORE_ERR_BAD_OPTION, error);
}

static int opcode_without_bit(const struct pairs *pairs,
			      const struct uc_opcode *opcode, char **error)
{
	const struct uc_family *family = pairs->request->family;
	const struct uc_class *class =
		packet_class_of(family, opcode->message_class);
	struct text text = { 0 };
	const char *between = "";

	text_add(&text,
		 "opc=%s: the filter has no bit for %s; opcodes of %s with "
		 "one: ",
		 pairs->opc_text, opcode->plain, class->name);
	for (unsigned i = 0; i < family->num_opcodes; i++) {
		const struct uc_opcode *other = &family->opcodes[i];

		if (other->message_class != class->code || other->bit < 0)
			continue;
		text_add(&text, "%s%s", between, other->plain);
		between = ", ";
	}
	return text_fail(&text, UNCORE_ERR_BAD_OPTION, error);
}

static bool item_number(const char *item, size_t length, uint64_t *number)
{
	char text[32] = "";

	if (length >= sizeof(text))
		return false;
	memcpy(text, item, length);
	return text_number(text, number);
}

/* The number of an item of a word that is no name. */
static int read_raw(struct pairs *pairs, const struct uc_filter_word *word,
		    const char *name, const char *text, uint64_t number,
		    char **error)
{
	unsigned width = word->match_high - word->match_low + 1u;

	pairs->is_raw |= pairs->is_onehot;
	return number >> width
		       ? text_error(
				 UNCORE_ERR_VALUE_TOO_WIDE, error,
				 "%s=%s does not fit into the %u bits of the "
				 "field",
				 name, text, width)
		       : 0;
}

static int read_class(struct pairs *pairs, const char *item, size_t length,
		      char **error)
{
	const struct uc_class *class =
		packet_class(pairs->request->family, item, length);
	uint64_t number;

	if (class && pairs->is_onehot && class->bit < 0)
		return class_without_bit(pairs, class, error);
	if (class) {
		pairs->classes |= (uint16_t)(1u << class->code);
		if (pairs->is_onehot)
			pairs->raw_classes |= UINT64_C(1) << class->bit;
		return 0;
	}
	if (!item_number(item, length, &number))
		return bad_class(pairs, item, length, error);
	if (pairs->is_onehot)
		pairs->raw_classes |= number;
	else if (number < PACKET_CLASSES)
		pairs->classes |= (uint16_t)(1u << number);
	return read_raw(pairs, pairs_word(pairs, pairs->mc), "mc",
			pairs->mc_text, number, error);
}

static int read_opcode(struct pairs *pairs, const char *item, size_t length,
		       char **error)
{
	const struct uc_opcode *opcode =
		packet_opcode(pairs->request->family, item, length);
	const struct uc_filter_word *word = pairs_word(pairs, pairs->opc);
	uint64_t number;

	if (opcode && pairs->mc_text && !pairs->is_raw &&
	    !(pairs->classes >> opcode->message_class & 1))
		return bad_opcode(pairs, item, length, error);
	if (opcode && pairs->is_onehot && opcode->bit < 0)
		return opcode_without_bit(pairs, opcode, error);
	if (opcode) {
		pairs->opcodes[opcode->message_class] |=
			(uint16_t)(1u << opcode->code);
		if (pairs->is_onehot)
			pairs->raw_opcodes |=
				UINT64_C(1) << (opcode->bit - word->match_low);
		return 0;
	}
	if (!item_number(item, length, &number))
		return bad_opcode(pairs, item, length, error);
	if (pairs->is_onehot)
		pairs->raw_opcodes |= number;
	for (unsigned c = 0; c < PACKET_CLASSES && number < PACKET_OPCODES; c++)
		if (!pairs->is_onehot &&
		    (!pairs->mc_text || pairs->classes >> c & 1))
			pairs->opcodes[c] |= (uint16_t)(1u << number);
	return read_raw(pairs, word, "opc", pairs->opc_text, number, error);
}

static int read_list(struct pairs *pairs, const char *item,
		     int (*read)(struct pairs *, const char *, size_t, char **),
		     char **error)
{
	for (;;) {
		size_t length = strcspn(item, "|");
		int result = read(pairs, item, length, error);

		if (result || !item[length])
			return result;
		item += length + 1;
	}
}

static int class_without_opcode(const struct pairs *pairs, char **error)
{
	for (unsigned c = 0; c < PACKET_CLASSES; c++) {
		const struct uc_class *class =
			packet_class_of(pairs->request->family, c);

		if (class && pairs->classes >> c & 1 && !pairs->opcodes[c])
			return text_error(UNCORE_ERR_BAD_OPTION, error,
					  "mc=%s,opc=%s: none of these opcodes "
					  "is of class %s; leave it out of mc=",
					  pairs->mc_text, pairs->opc_text,
					  class->name);
	}
	return 0;
}

int pairs_read(struct pairs *pairs, char **error)
{
	int result = 0;

	if (pairs->mc_text)
		result = read_list(pairs, pairs->mc_text, read_class, error);
	else
		pairs->classes = UINT16_MAX;
	if (result)
		return result;
	for (unsigned c = 0; c < PACKET_CLASSES && !pairs->opc_text; c++)
		if (pairs->classes >> c & 1)
			pairs->opcodes[c] = UINT16_MAX;
	if (!pairs->opc_text)
		return 0;
	result = read_list(pairs, pairs->opc_text, read_opcode, error);
	if (!result && pairs->mc_text && !pairs->is_raw)
		result = class_without_opcode(pairs, error);
	return result;
}
