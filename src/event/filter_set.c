/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Sets of values of one field, by name or number: state=M|E, vn=VN0, hnid=2,
 * dnid=0..3. What occurs are the values that have names, or all of them where
 * none has.
 */
#include "event/filter.h"

#include <stdlib.h>
#include <string.h>

#include "event/ternary.h"
#include "uncore/error.h"

static unsigned width(const struct uc_filter_word *word)
{
	return word->match_high - word->match_low + 1u;
}

static unsigned num_codes(const struct uc_filter_word *word)
{
	return word->sense == UC_SENSE_ONEHOT ? width(word) : 1u << width(word);
}

static const struct uc_choice *find_choice(const struct uc_filter_word *word,
					   const char *name, size_t length)
{
	for (unsigned i = 0; i < word->num_choices; i++)
		if (text_same(name, length, word->choices[i].name))
			return &word->choices[i];
	return NULL;
}

static int bad_value(const struct filter_request *request, unsigned number,
		     const char *item, size_t length, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	char name[32] = "";
	struct nearest nearest = { .wanted = name };
	struct text text = { 0 };

	memcpy(name, item, length < 31 ? length : 31);
	text_add(&text, "%s=%s: '%s' is ", word->name, request->values[number],
		 name);
	if (!word->num_choices)
		text_add(&text, "not a number from 0 to %u (12, 0xc)",
			 num_codes(word) - 1);
	for (unsigned i = 0; i < word->num_choices; i++) {
		text_add(&text, "%s%s", i ? ", " : "none of ",
			 word->choices[i].name);
		nearest_offer(&nearest, word->choices[i].name);
	}
	nearest_say(&nearest, &text);
	return text_fail(&text, UNCORE_ERR_BAD_OPTION, error);
}

/* The codes from a number A or A..B; in a onehot field, a number is the field
 * as it stands. */
static bool read_codes(const struct uc_filter_word *word, const char *item,
		       size_t length, uint64_t *codes)
{
	char text[32] = "", *dots;
	uint64_t first, last;

	if (length >= sizeof(text))
		return false;
	memcpy(text, item, length);
	dots = strstr(text, "..");
	if (dots)
		*dots = 0;
	if (!text_number(text, &first))
		return false;
	last = first;
	if (dots && (!text_number(dots + 2, &last) || last < first))
		return false;
	if (word->sense == UC_SENSE_ONEHOT) {
		*codes |= first;
		return !dots && !(first >> width(word));
	}
	if (last >= num_codes(word))
		return false;
	*codes |= uc_bits((unsigned)last, (unsigned)first);
	/* Codes of one name mean the same. */
	for (unsigned i = 0; i < word->num_choices; i++)
		if (word->choices[i].codes & *codes)
			*codes |= word->choices[i].codes;
	return true;
}

static int read_set(const struct filter_request *request, unsigned number,
		    uint64_t *codes, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	const char *item = request->values[number];

	*codes = 0;
	for (;;) {
		size_t length = strcspn(item, "|");
		const struct uc_choice *choice =
			find_choice(word, item, length);

		if (choice)
			*codes |= choice->codes;
		else if (!read_codes(word, item, length, codes))
			return bad_value(request, number, item, length, error);
		if (!item[length])
			return 0;
		item += length + 1;
	}
}

static void say_codes(const struct uc_filter_word *word, uint64_t codes,
		      struct text *text)
{
	const char *between = "";

	for (unsigned i = 0; i < word->num_choices; i++) {
		if ((word->choices[i].codes & codes) != word->choices[i].codes)
			continue;
		text_add(text, "%s%s", between, word->choices[i].name);
		codes &= ~(uint64_t)word->choices[i].codes;
		between = "|";
	}
	for (unsigned n = 0; n < num_codes(word) && n < 64; n++) {
		unsigned last = n;

		if (!(codes >> n & 1))
			continue;
		while (last < 63 && codes >> (last + 1) & 1)
			last++;
		if (last < n + 2)
			last = n;
		text_add(text, last > n ? "%s%u..%u" : "%s%u", between, n,
			 last);
		between = "|";
		n = last;
	}
}

static void fill_space(const struct uc_filter_word *word, uint64_t codes,
		       struct ternary_space *space)
{
	uint64_t known = 0;

	*space = (struct ternary_space){ .bits = width(word) };
	space->comparable = (1u << width(word)) - 1;
	for (unsigned i = 0; i < word->num_choices; i++) {
		uint32_t same = word->choices[i].codes;
		unsigned first = (unsigned)__builtin_ctz(same);

		known |= same;
		for (unsigned n = first + 1; n < num_codes(word); n++)
			if (same >> n & 1)
				space->twins[n] = (uint8_t)first;
	}
	for (unsigned n = 0; n < num_codes(word); n++)
		space->numbers[n] = codes >> n & 1	       ? TERNARY_WANTED
				    : known >> n & 1 || !known ? TERNARY_OTHER
							       : TERNARY_NEVER;
}

/* The codes in a ternary match that occur. */
static uint64_t codes_in(const struct ternary_space *space,
			 const struct ternary *ternary)
{
	uint64_t codes = 0;

	for (unsigned n = 0; n < 1u << space->bits; n++)
		if (space->numbers[n] != TERNARY_NEVER &&
		    ternary_has(ternary, n))
			codes |= UINT64_C(1) << n;
	return codes;
}

static int refuse(const struct filter_request *request, unsigned number,
		  uint64_t outer, uint64_t inner, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	struct text text = { 0 };

	text_add(&text,
		 "%s=%s: the registers cannot tell just these values from the "
		 "others; nearest: %s=",
		 word->name, request->values[number], word->name);
	if (outer)
		say_codes(word, outer, &text);
	else
		text_add(&text, "any");
	text_add(&text, " holds all of them, %s=", word->name);
	say_codes(word, inner, &text);
	text_add(&text, " is the most of them");
	return text_fail(&text, UNCORE_ERR_BAD_OPTION, error);
}

static int set_compared(const struct filter_request *request, unsigned number,
			uint64_t codes, struct filter_bits *bits, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	struct ternary_space space;
	struct ternary ternary, inner = { 0, 0 };

	fill_space(word, codes, &space);
	ternary = ternary_around(&space);
	if (!ternary_is_clean(&space, &ternary)) {
		ternary_within(&space, &inner);
		return refuse(request, number, codes_in(&space, &ternary),
			      codes_in(&space, &inner), error);
	}
	bits->match = ternary.value;
	bits->mask = word->sense == UC_SENSE_COMPARE
			     ? ternary.care
			     : ternary.care ^ filter_mask_none(word);
	return 0;
}

static void say_value(const struct uc_filter_word *word, uint64_t value,
		      struct text *text)
{
	for (unsigned i = 0; i < word->num_choices; i++)
		if (word->choices[i].codes == value) {
			text_add(text, "%s", word->choices[i].name);
			return;
		}
	text_add(text, num_codes(word) > 64 ? "0x%llx" : "%llu",
		 (unsigned long long)value);
}

/* It compares always, so nothing lets any pass. */
static int refuse_any(const struct uc_filter_word *word, char **error)
{
	struct text initial = { 0 };

	say_value(word, word->initial, &initial);
	text_error(UNCORE_ERR_BAD_OPTION, error,
		   "%s=any: the register holds one number and compares always; "
		   "without %s= it is %s",
		   word->name, word->name, initial.data);
	text_free(&initial);
	return UNCORE_ERR_BAD_OPTION;
}

/* A field that holds the number itself, of any width. */
static int set_value(const struct filter_request *request, unsigned number,
		     struct filter_bits *bits, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	const char *value = request->values[number];
	const struct uc_choice *choice =
		find_choice(word, value, strlen(value));

	bits->is_set = true;
	bits->mask = filter_mask_all(word);
	if (filter_is_any(value))
		return refuse_any(word, error);
	if (choice)
		bits->match = choice->codes;
	else if (strchr(value, '|') || strstr(value, ".."))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s=%s: the register holds one number, not "
				  "several",
				  word->name, value);
	else if (!text_number(value, &bits->match) ||
		 bits->match >= num_codes(word))
		return bad_value(request, number, value, strlen(value), error);
	return 0;
}

/* A number that is compared as a whole or not at all. */
static int set_whole(const struct filter_request *request, unsigned number,
		     uint64_t codes, struct filter_bits *bits, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	uint64_t lowest = codes & -codes;

	if (codes == uc_bits(num_codes(word) - 1, 0)) {
		bits->mask = filter_mask_none(word);
		return 0;
	}
	if (codes != lowest)
		return refuse(request, number, 0, lowest, error);
	bits->match = (uint64_t)__builtin_ctzll(codes);
	bits->mask = filter_mask_all(word);
	return 0;
}

int filter_set(const struct filter_request *request, unsigned number,
	       struct filter_bits *bits, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	uint64_t codes;
	int result;

	if (word->sense == UC_SENSE_VALUE)
		return set_value(request, number, bits, error);
	result = read_set(request, number, &codes, error);
	if (result)
		return result;
	bits->is_set = true;
	if (word->sense == UC_SENSE_ONEHOT)
		bits->match = codes;
	else if (word->mask_high == word->mask_low)
		return set_whole(request, number, codes, bits, error);
	else
		return set_compared(request, number, codes, bits, error);
	return 0;
}

void filter_set_text(const struct uc_filter_word *word,
		     const struct filter_bits *bits, struct text *text)
{
	struct ternary_space space;
	struct ternary ternary = { (unsigned)bits->match,
				   (unsigned)bits->mask };

	if (word->sense == UC_SENSE_ONEHOT) {
		say_codes(word, bits->match, text);
	} else if (word->sense == UC_SENSE_VALUE) {
		say_value(word, bits->match, text);
	} else if (word->mask_high == word->mask_low) {
		text_add(text, "%llu", (unsigned long long)bits->match);
	} else {
		fill_space(word, 0, &space);
		if (word->sense == UC_SENSE_IGNORE)
			ternary.care ^= (unsigned)filter_mask_none(word);
		say_codes(word, codes_in(&space, &ternary), text);
	}
}
