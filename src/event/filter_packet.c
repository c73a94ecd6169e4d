/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Classes and opcodes of packets, and fields that some of them only have. An
 * opcode is one of its class: code 1 is RdCode among requests and SnpCode among
 * snoops. So mc= and opc= together are a set of pairs, and an opcode's name
 * brings its class with it. A number instead of a name is the code in all
 * classes chosen; in a field with a bit for each it is the field itself.
 */
#include "event/filter.h"

#include <stdlib.h>
#include <string.h>

#include "event/cube.h"
#include "event/packet.h"
#include "uncore/error.h"

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

static const struct uc_filter_word *word_at(const struct pairs *pairs, int n)
{
	return n < 0 ? NULL : pairs->request->words[n];
}

static uint16_t defined_opcodes(const struct uc_family *family, unsigned class)
{
	uint16_t opcodes = 0;

	for (unsigned i = 0; i < family->num_opcodes; i++)
		if (family->opcodes[i].message_class == class)
			opcodes |= (uint16_t)(1u << family->opcodes[i].code);
	return opcodes;
}

/* Errors */

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
	struct text text = { 0 };

	memcpy(name, item, length < 47 ? length : 47);
	text_add(&text, "opc=%s: there is no opcode '%s'", pairs->opc_text,
		 name);
	if (pairs->mc_text)
		text_add(&text, " in class %s", pairs->mc_text);
	for (unsigned i = 0; i < family->num_opcodes; i++)
		nearest_offer(&nearest, family->opcodes[i].name);
	nearest_say(&nearest, &text);
	text_add(&text, " (opcodes:");
	for (unsigned i = 0; i < family->num_opcodes; i++) {
		if (!(pairs->classes >> family->opcodes[i].message_class & 1))
			continue;
		text_add(&text, " ");
		packet_say_opcode(&family->opcodes[i], &text);
	}
	text_add(&text, ")");
	if (error)
		*error = text_take(&text);
	text_free(&text);
	return UNCORE_ERR_BAD_OPTION;
}

static void say_onehot_classes(const struct uc_family *family,
			       struct text *text)
{
	const char *between = "";

	for (unsigned i = 0; i < family->num_classes; i++) {
		if (packet_class_bit(family, family->classes[i].code) < 0)
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
	if (error)
		*error = text_take(&text);
	text_free(&text);
	return UNCORE_ERR_BAD_OPTION;
}

static int opcode_without_bit(const struct pairs *pairs,
			      const struct uc_opcode *opcode, char **error)
{
	const struct uc_family *family = pairs->request->family;
	const struct uc_class *class =
		packet_class_of(family, opcode->message_class);
	struct text text = { 0 };
	const char *between = "";

	text_add(&text, "opc=%s: the filter has no bit for ", pairs->opc_text);
	packet_say_opcode(opcode, &text);
	text_add(&text, "; opcodes of %s with one: ", class->name);
	for (unsigned i = 0; i < family->num_opcodes; i++) {
		const struct uc_opcode *other = &family->opcodes[i];

		if (other->message_class != class->code ||
		    packet_opcode_bit(family, class->code, other->code) < 0)
			continue;
		text_add(&text, "%s", between);
		packet_say_opcode(other, &text);
		between = ", ";
	}
	if (error)
		*error = text_take(&text);
	text_free(&text);
	return UNCORE_ERR_BAD_OPTION;
}

/* Reading */

static bool item_number(const char *item, size_t length, uint64_t *number)
{
	char text[32] = "";

	memcpy(text, item, length < 31 ? length : 31);
	return text_number(text, number);
}

static int read_class(struct pairs *pairs, const char *item, size_t length,
		      char **error)
{
	const struct uc_family *family = pairs->request->family;
	const struct uc_class *class = packet_class(family, item, length);
	const struct uc_filter_word *word = word_at(pairs, pairs->mc);
	unsigned width = word->match_high - word->match_low + 1u;
	uint64_t number;

	if (class) {
		int bit = packet_class_bit(family, class->code);

		if (pairs->is_onehot && bit < 0)
			return class_without_bit(pairs, class, error);
		pairs->classes |= (uint16_t)(1u << class->code);
		pairs->raw_classes |= pairs->is_onehot ? UINT64_C(1) << bit : 0;
		return 0;
	}
	if (!item_number(item, length, &number))
		return bad_class(pairs, item, length, error);
	if (number >> width)
		return text_error(UNCORE_ERR_VALUE_TOO_WIDE, error,
				  "mc=%s does not fit into the %u bits of the "
				  "field",
				  pairs->mc_text, width);
	if (pairs->is_onehot) {
		pairs->raw_classes |= number;
		pairs->is_raw = true;
	} else {
		pairs->classes |= (uint16_t)(1u << number);
	}
	return 0;
}

static int read_opcode(struct pairs *pairs, const char *item, size_t length,
		       char **error)
{
	const struct uc_family *family = pairs->request->family;
	const struct uc_opcode *opcode = packet_opcode(family, item, length);
	const struct uc_filter_word *word = word_at(pairs, pairs->opc);
	unsigned width = word->match_high - word->match_low + 1u;
	uint64_t number;

	if (opcode) {
		int bit = packet_opcode_bit(family, opcode->message_class,
					    opcode->code);

		if (pairs->mc_text && !pairs->is_raw &&
		    !(pairs->classes >> opcode->message_class & 1))
			return bad_opcode(pairs, item, length, error);
		if (pairs->is_onehot && bit < 0)
			return opcode_without_bit(pairs, opcode, error);
		pairs->opcodes[opcode->message_class] |=
			(uint16_t)(1u << opcode->code);
		if (pairs->is_onehot)
			pairs->raw_opcodes |= UINT64_C(1)
					      << (bit - word->match_low);
		return 0;
	}
	if (!item_number(item, length, &number))
		return bad_opcode(pairs, item, length, error);
	if (number >> width)
		return text_error(UNCORE_ERR_VALUE_TOO_WIDE, error,
				  "opc=%s does not fit into the %u bits of the "
				  "field",
				  pairs->opc_text, width);
	if (pairs->is_onehot) {
		pairs->raw_opcodes |= number;
		pairs->is_raw = true;
		return 0;
	}
	for (unsigned c = 0; c < PACKET_CLASSES; c++)
		if (!pairs->mc_text || pairs->classes >> c & 1)
			pairs->opcodes[c] |= (uint16_t)(1u << number);
	return 0;
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

static int read_pairs(struct pairs *pairs, char **error)
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

/* What a set of pairs is called. */

static void say_names(const struct pairs *pairs, const uint16_t *opcodes,
		      struct text *text)
{
	const struct uc_family *family = pairs->request->family;
	const char *between = "";

	for (unsigned i = 0; i < family->num_opcodes; i++) {
		const struct uc_opcode *row = &family->opcodes[i];

		if (!(opcodes[row->message_class] >> row->code & 1))
			continue;
		text_add(text, "%s", between);
		packet_say_opcode(row, text);
		between = "|";
	}
}

static void say_codes(const uint16_t *opcodes, struct text *text)
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
		say_codes(opcodes, text);
	else
		say_names(pairs, opcodes, text);
}

static int refuse(const struct pairs *pairs, const uint16_t *outer,
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
	if (error)
		*error = text_take(&text);
	text_free(&text);
	return UNCORE_ERR_BAD_OPTION;
}

/* Match and mask over both fields: the class above the opcode. */

static void fill_space(const struct pairs *pairs, struct cube_space *space)
{
	const struct uc_family *family = pairs->request->family;

	*space = (struct cube_space){ .bits = 8 };
	space->comparable = (pairs->mc < 0 ? 0 : 0xf0u) |
			    (pairs->opc < 0 ? 0 : 0x0fu);
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

static int encode_compared(const struct pairs *pairs, struct filter_bits *bits,
			   char **error)
{
	const struct uc_family *family = pairs->request->family;
	uint16_t outer[PACKET_CLASSES], inner[PACKET_CLASSES];
	struct cube_space space;
	struct cube cube, most;

	fill_space(pairs, &space);
	cube = cube_around(&space);
	if (!cube_is_clean(&space, &cube)) {
		bool found = cube_within(&space, &most);

		pairs_in(&space, &cube, family, outer);
		if (found)
			pairs_in(&space, &most, family, inner);
		return refuse(pairs, outer, found ? inner : NULL, error);
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

/* A bit for each class and opcode. */

/* What passes when these classes and these opcode bits are chosen. */
static void pairs_passed(const struct pairs *pairs, unsigned classes,
			 uint64_t opcode_bits, uint16_t *opcodes)
{
	const struct uc_family *family = pairs->request->family;
	unsigned low = word_at(pairs, pairs->opc)->match_low;

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
	const struct uc_filter_word *word = word_at(pairs, pairs->opc);
	uint64_t clean = 0;

	for (int bit = 0; bit <= word->match_high - word->match_low;
	     bit++) {
		uint16_t passed[PACKET_CLASSES];
		bool wanted = true;

		pairs_passed(pairs, classes, UINT64_C(1) << bit, passed);
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

		pairs_passed(pairs, some, clean_bits(pairs, some), passed);
		if (num_pairs(passed) <= most)
			continue;
		most = num_pairs(passed);
		memcpy(best, passed, sizeof(passed));
	}
}

static int encode_onehot(struct pairs *pairs, struct filter_bits *bits,
			 char **error)
{
	const struct uc_family *family = pairs->request->family;
	uint16_t passed[PACKET_CLASSES], inner[PACKET_CLASSES] = { 0 };
	unsigned classes = 0;

	for (unsigned c = 0; c < PACKET_CLASSES && !pairs->is_raw; c++)
		if (pairs->opc_text && pairs->opcodes[c]) {
			classes |= 1u << c;
			pairs->raw_classes |= UINT64_C(1)
					      << packet_class_bit(family, c);
		}
	if (classes) {
		pairs_passed(pairs, classes, pairs->raw_opcodes, passed);
		if (memcmp(passed, pairs->opcodes, sizeof(passed))) {
			most_passed(pairs, classes, inner);
			return refuse(pairs, passed, inner, error);
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
		text_add(&names, "%s", names.length ? ", " : "");
		packet_say_opcode(row, &names);
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
	pairs.is_onehot =
		pairs.mc >= 0 &&
		request->words[pairs.mc]->sense == UC_SENSE_ONEHOT;
	result = read_pairs(&pairs, error);
	for (unsigned n = 0; n < request->num && !result; n++)
		if (request->words[n]->needs_class >= 0 && request->values[n] &&
		    !filter_is_any(request->values[n]))
			result = check_needs(&pairs, request->words[n], error);
	if (result)
		return result;
	return pairs.is_onehot ? encode_onehot(&pairs, bits, error)
			       : encode_compared(&pairs, bits, error);
}

/* The other way. */

static void texts_compared(const struct pairs *pairs,
			   const struct filter_bits *bits, struct text *mc,
			   struct text *opc)
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
		say_names(pairs, opcodes, opc);
	if (codes.care && !opc->length)
		say_codes(opcodes, opc);
}

static void texts_onehot(const struct pairs *pairs,
			 const struct filter_bits *bits, struct text *mc,
			 struct text *opc)
{
	const struct uc_family *family = pairs->request->family;
	uint64_t class_bits = bits[pairs->mc].match, named = 0;
	uint64_t opcode_bits = bits[pairs->opc].match;
	uint16_t passed[PACKET_CLASSES];
	unsigned classes = 0;

	for (unsigned i = 0; i < family->num_classes; i++) {
		int bit = packet_class_bit(family, family->classes[i].code);

		if (bit < 0 || !(class_bits >> bit & 1))
			continue;
		classes |= 1u << family->classes[i].code;
		text_add(mc, "%s%s", mc->length ? "|" : "",
			 family->classes[i].name);
	}
	pairs_passed(pairs, classes, opcode_bits, passed);
	for (unsigned i = 0; i < family->num_onehots; i++)
		if (classes >> family->onehots[i].message_class & 1)
			named |= UINT64_C(1) << family->onehots[i].bit;
	named >>= word_at(pairs, pairs->opc)->match_low;
	if (!(opcode_bits & ~named))
		say_names(pairs, passed, opc);
	else
		text_add(opc, "0x%llx", (unsigned long long)opcode_bits);
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
		texts_onehot(&pairs, bits, mc, opc);
	else if (pairs.mc >= 0 || pairs.opc >= 0)
		texts_compared(&pairs, bits, mc, opc);
}
