/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Filters as the tables describe them: words, each with a match and mostly a
 * mask field, and further fields that are looked at. The senses of the masks
 * are those of the guide's boxes: a 1 compares, a 1 leaves out, or there is one
 * bit per value and none. Which reading of the guide was taken where is in
 * docs/errata.md.
 */
#include "model/pmu/filter.h"

#include <stddef.h>
#include <string.h>

#include "table/select.h"

#define ALL_16 UINT16_MAX

/* Where a header has what the tables compare. */
static const uint8_t header_places[UC_NUM_HEADERS] = {
	[UC_HEADER_CLASS] = offsetof(struct sig_header, message_class),
	[UC_HEADER_OPCODE] = offsetof(struct sig_header, opcode),
	[UC_HEADER_STATE] = offsetof(struct sig_header, state),
	[UC_HEADER_VN] = offsetof(struct sig_header, vn),
	[UC_HEADER_DEST_NODE] = offsetof(struct sig_header, dest_node),
	[UC_HEADER_REQUESTER_NODE] =
		offsetof(struct sig_header, requester_node),
	[UC_HEADER_HOME_NODE] = offsetof(struct sig_header, home_node),
	[UC_HEADER_DRAM_CMD] = offsetof(struct sig_header, dram_cmd),
	[UC_HEADER_SCHED_MODE] = offsetof(struct sig_header, sched_mode),
	[UC_HEADER_THREAD] = offsetof(struct sig_header, thread),
};

/* Compares a byte of the header with the value, wherever care is 1. */
static void compare_byte(struct filter *filter, unsigned is, uint64_t match,
			 uint64_t care)
{
	unsigned place = header_places[is];

	if (!place)
		return;
	((uint8_t *)&filter->match)[place] |= (uint8_t)match;
	((uint8_t *)&filter->care)[place] |= (uint8_t)care;
}

static void compare(struct filter *filter, unsigned is, uint64_t match,
		    uint64_t care)
{
	if (is == UC_HEADER_CORE_OPCODE) {
		filter->match.core_opcode = (uint16_t)match;
		filter->care.core_opcode = (uint16_t)care;
	} else if (is == UC_HEADER_MESSAGE) {
		compare_byte(filter, UC_HEADER_OPCODE, match & 15, care & 15);
		compare_byte(filter, UC_HEADER_CLASS, match >> 4, care >> 4);
	} else {
		compare_byte(filter, is, match, care);
	}
}

/* What is compiled: the filters' registers by their roles. */
struct source {
	const struct uc_family *family;
	const uint64_t *value;
};

static uint64_t get(const struct source *source, unsigned role, unsigned high,
		    unsigned low)
{
	return (source->value[role] & uc_bits(high, low)) >> low;
}

static uint64_t get_place(const struct source *source,
			  const struct uc_place *from)
{
	return get(source, from->role, from->high, from->low);
}

static void pass_nothing(struct filter *filter)
{
	filter->states = 0;
}

/* Of the opcodes of each class only these. */
static void keep_opcodes(struct filter *filter,
			 const uint16_t opcodes[FILTER_CLASSES])
{
	for (unsigned n = 0; n < FILTER_CLASSES; n++)
		filter->opcodes[n] &= opcodes[n];
}

/* A bit per value */

/* Bit n of the class field stands for the nth class that has one-hot opcodes,
 * in the order of the class codes (Table 2-33: HOM0, HOM1, NDR, NCS, NCB). */
static void keep_classes(struct filter *filter, const struct uc_family *family,
			 uint64_t classes)
{
	uint16_t chosen[FILTER_CLASSES] = { 0 };
	unsigned bit = 0;

	for (size_t i = 0; i < family->num_onehots; i++)
		chosen[family->onehots[i].message_class % FILTER_CLASSES] =
			ALL_16;
	for (unsigned n = 0; n < FILTER_CLASSES; n++)
		if (chosen[n] && !(classes >> bit++ & 1))
			chosen[n] = 0;
	keep_opcodes(filter, chosen);
}

static void keep_onehots(struct filter *filter, const struct uc_family *family,
			 uint64_t reg)
{
	uint16_t chosen[FILTER_CLASSES] = { 0 };

	for (size_t i = 0; i < family->num_onehots; i++) {
		const struct uc_onehot *row = &family->onehots[i];

		if (reg >> row->bit & 1)
			chosen[row->message_class % FILTER_CLASSES] |=
				(uint16_t)(1u << (row->opcode & 15));
	}
	keep_opcodes(filter, chosen);
}

/* The state of a header by its name, of the LLC (LLC_M) where a snoop filter
 * has states of its own (SF_S); 15, which no packet has, for another, as MP. */
static unsigned state_of(const char *name)
{
	static const char names[] = "IFS_E___M"; /* 0, 1, 2, 4, 8 */
	static const char filter[] = "HS_E";	 /* 9, 10, 12 */
	bool is_filter = !strncmp(name, "SF_", 3);
	const char *found;

	name += is_filter ? 3 : strncmp(name, "LLC_", 4) ? 0 : 4;
	found = name[1] ? NULL : strchr(is_filter ? filter : names, *name);
	if (!found)
		return 15;
	return (unsigned)(is_filter ? found - filter + 9 : found - names);
}

/* Where it is said of which packets they are, only those pass. */
static void keep_states(struct filter *filter,
			const struct uc_filter_word *word, uint64_t bits)
{
	uint16_t chosen[FILTER_CLASSES] = { 0 };
	int class_of = word->needs_class;
	unsigned states = 0;

	for (unsigned i = 0; i < word->num_choices; i++)
		if (word->choices[i].codes & bits)
			states |= 1u << state_of(word->choices[i].name);
	filter->states &= (uint16_t)states;
	if (class_of < 0)
		return;
	chosen[class_of % FILTER_CLASSES] = word->needs_opcodes;
	keep_opcodes(filter, chosen);
}

static void add_onehot(struct filter *filter, const struct source *source,
		       const struct uc_filter_word *word, uint64_t match)
{
	const struct uc_family *family = source->family;
	uint64_t whole = source->value[word->match_role];

	/* Nothing chosen is all, unless all bits say that. */
	if (!match && word->initial)
		pass_nothing(filter);
	if (!match)
		return;
	if (word->is == UC_HEADER_HOME_NODE)
		filter->no_nodes |= ~(uint32_t)match;
	else if (word->kind == UC_WORD_CLASS)
		keep_classes(filter, family, match);
	else if (word->kind == UC_WORD_OPCODE)
		keep_onehots(filter, family, whole);
	else
		keep_states(filter, word, match);
}

/* Match and mask */

static void add_address(struct filter *filter,
			const struct uc_filter_word *word, uint64_t match,
			uint64_t mask)
{
	uint64_t bits = uc_bits(word->match_high - word->match_low, 0)
			<< word->match_from;
	uint64_t below = (UINT64_C(1) << word->mask_from) - 1;

	mask <<= word->mask_from;
	filter->match.address |= match << word->match_from;
	filter->care.address |=
		word->sense == UC_SENSE_COMPARE ? mask : bits & ~below & ~mask;
}

/* Where one name stands for several codes, what these have in common. */
static uint64_t narrow(const struct uc_filter_word *word, uint64_t match,
		       uint64_t care)
{
	uint64_t all = uc_bits(word->match_high - word->match_low, 0);

	for (unsigned i = 0; i < word->num_choices; i++) {
		uint32_t codes = word->choices[i].codes;
		uint64_t first = (uint64_t)__builtin_ctz(codes | 1u << 31);
		uint64_t common = all;

		for (uint32_t left = codes; left; left &= left - 1)
			common &= ~((uint64_t)__builtin_ctz(left) ^ first);
		if (common != all && (care & common) == common &&
		    !((match ^ first) & common))
			return common;
	}
	return care;
}

static void add_word(struct filter *filter, const struct source *source,
		     const struct uc_filter_word *word)
{
	uint64_t match = get(source, word->match_role, word->match_high,
			     word->match_low);
	uint64_t mask =
		get(source, word->mask_role, word->mask_high, word->mask_low);
	uint64_t all = uc_bits(word->match_high - word->match_low, 0);
	unsigned from = word->match_from;

	if (word->sense == UC_SENSE_ONEHOT)
		add_onehot(filter, source, word, match);
	else if (word->is == UC_HEADER_FLITS)
		filter->min_flits = (uint8_t)match;
	else if (word->is == UC_HEADER_TRAIT)
		filter->no_traits |= (uint8_t)(!match << from);
	else if (word->is == UC_HEADER_SOME_OPCODE)
		filter->some[filter->num_some++ % FILTER_OPCODES] =
			(uint16_t)match;
	else if (word->is == UC_HEADER_ADDRESS)
		add_address(filter, word, match, mask);
	else if (word->sense == UC_SENSE_COMPARE)
		compare(filter, word->is, match << from,
			narrow(word, match, mask) << from);
	else /* one bit of the mask leaves the whole field out */
		compare(filter, word->is, match << from,
			(mask ? 0 : all) << from);
}

static void add_look(struct filter *filter, const struct source *source,
		     const struct uc_look *look)
{
	uint64_t value;

	if (look->unless.role != UC_ROLE_NONE &&
	    !get_place(source, &look->unless))
		return;
	value = get_place(source, &look->field);
	if (look->mask.role != UC_ROLE_NONE)
		value &= get_place(source, &look->mask);
	if (look->must >= 0 && value != (uint64_t)look->must)
		pass_nothing(filter);
	if (look->is == UC_HEADER_EACH_FLIT)
		filter->each_flit = value;
	else if (look->is != UC_HEADER_NONE && (value || !look->zero_is_any))
		compare(filter, look->is, value, UINT8_MAX);
}

static bool counts_flits(const struct uc_filter_word *words, unsigned num,
			 unsigned box, uint8_t filters)
{
	for (unsigned i = 0; i < num; i++)
		if (words[i].box == box && words[i].filter & filters &&
		    words[i].is == UC_HEADER_FLITS)
			return true;
	return false;
}

/* Everything passes. */
static void open_filter(struct filter *filter)
{
	memset(filter, 0, sizeof(*filter));
	memset(filter->opcodes, 0xff, sizeof(filter->opcodes));
	filter->states = ALL_16;
}

bool filter_is_open(const struct filter *filter)
{
	struct filter open;

	open_filter(&open);
	return !memcmp(filter, &open, sizeof(open));
}

void filter_compile(struct filter *filter, const struct uc_family *family,
		    unsigned box, const uint64_t value[UC_NUM_ROLES],
		    uint8_t filters)
{
	const struct source source = { family, value };
	const struct uc_filter_word *words = family->filter_words;

	open_filter(filter);
	for (unsigned i = 0; i < family->num_filter_words; i++)
		if (words[i].box == box && words[i].filter & filters &&
		    uc_holds(value, words[i].sets, words[i].num_sets))
			add_word(filter, &source, &words[i]);
	/* After them: what passes nothing has the last word. */
	for (unsigned i = 0; i < family->num_looks; i++)
		if (family->looks[i].box == box &&
		    family->looks[i].of & filters)
			add_look(filter, &source, &family->looks[i]);
	if (counts_flits(words, family->num_filter_words, box, filters))
		filter->each_flit |= !filter->min_flits;
	if (filter->each_flit)
		filter->min_flits = 0;
}

enum { HEADER_WORDS = sizeof(struct sig_header) / sizeof(uint64_t) };

_Static_assert(sizeof(struct sig_header) == HEADER_WORDS * sizeof(uint64_t),
	       "has_bits() compares headers by words");

static bool has_bits(const struct filter *filter,
		     const struct sig_header *header)
{
	uint64_t is[HEADER_WORDS], match[HEADER_WORDS], care[HEADER_WORDS];
	uint64_t differ = 0;

	memcpy(is, header, sizeof(is));
	memcpy(match, &filter->match, sizeof(match));
	memcpy(care, &filter->care, sizeof(care));
	for (unsigned i = 0; i < HEADER_WORDS; i++)
		differ |= (is[i] ^ match[i]) & care[i];
	return !differ;
}

static bool is_some(const struct filter *filter, unsigned opcode)
{
	for (unsigned i = 0; i < filter->num_some; i++)
		if (filter->some[i] == opcode)
			return true;
	return !filter->num_some;
}

bool filter_passes(const struct filter *filter, const struct sig_header *header)
{
	unsigned message_class = header->message_class % FILTER_CLASSES;

	return has_bits(filter, header) &&
	       !(filter->no_traits & header->traits) &&
	       is_some(filter, header->core_opcode) &&
	       filter->opcodes[message_class] >> (header->opcode & 15) & 1 &&
	       filter->states >> (header->state & 15) & 1 &&
	       !(filter->no_nodes >> (header->home_node & 31) & 1);
}

unsigned filter_count(const struct filter *filter,
		      const struct sig_header *header)
{
	if (!filter_passes(filter, header))
		return 0;
	if (filter->each_flit)
		return header->flits;
	return header->flits >= filter->min_flits;
}
