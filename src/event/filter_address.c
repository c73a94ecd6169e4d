/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Ranges of physical addresses:
 *
 *     addr=A          the line that holds A
 *     addr=A..B       from A to B, both included
 *     addr=A+SIZE     SIZE bytes from A on
 *
 * A match and a mask compare some address bits and leave the rest out, so that
 * a range of them is a block: its size a power of two, aligned to that size. A
 * mask with holes has no word here and is written raw.
 */
#include "event/filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "uncore/error.h"

struct range {
	uint64_t first, last;
};

/* Bits of the address: the lowest compared, and the first above them. */
static unsigned low_bit(const struct uc_filter_word *word)
{
	return word->mask_from;
}

static unsigned top_bit(const struct uc_filter_word *word)
{
	return word->mask_from + word->mask_high - word->mask_low + 1u;
}

/* A block of 2^bits bytes. */
static struct range block_at(uint64_t address, unsigned bits)
{
	uint64_t size = bits ? uc_bits(bits - 1, 0) : 0;

	return (struct range){ address & ~size, address | size };
}

static void say_range(const char *name, const struct range *range,
		      struct text *text)
{
	text_add(text, "%s=0x%llx..0x%llx", name,
		 (unsigned long long)range->first,
		 (unsigned long long)range->last);
}

/* A number with K, M, G or T; *end is what follows. */
static bool read_number(const char *string, const char **end, uint64_t *value)
{
	static const char suffixes[] = "kmgt";
	const char *suffix;
	char *rest;

	if (!isdigit((unsigned char)*string))
		return false;
	*value =
		strtoull(string, &rest, strncasecmp(string, "0x", 2) ? 10 : 16);
	suffix = *rest ? strchr(suffixes, tolower((unsigned char)*rest)) : NULL;
	if (suffix) {
		unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);

		if (*value << shift >> shift != *value)
			return false;
		*value <<= shift;
		rest++;
	}
	*end = rest;
	return true;
}

static bool read_range(const struct uc_filter_word *word, const char *text,
		       struct range *range)
{
	uint64_t second = 0;

	if (!read_number(text, &text, &range->first))
		return false;
	if (!*text) {
		*range = block_at(range->first, low_bit(word));
		return true;
	}
	if (!strncmp(text, "..", 2)) {
		if (!read_number(text + 2, &text, &range->last) || *text)
			return false;
		return range->last >= range->first;
	}
	if (*text != '+' || !read_number(text + 1, &text, &second) || *text)
		return false;
	range->last = range->first + second - 1;
	return second && range->last >= range->first;
}

/* The smallest block that holds the range. */
static struct range around(const struct uc_filter_word *word,
			   const struct range *range)
{
	unsigned bits = low_bit(word);

	while (bits < top_bit(word) &&
	       block_at(range->first, bits).last < range->last)
		bits++;
	return block_at(range->first, bits);
}

/* The largest block that the range holds, of several the lowest; false if it
 * holds none. */
static bool within(const struct uc_filter_word *word, const struct range *range,
		   struct range *block)
{
	for (unsigned bits = top_bit(word); bits >= low_bit(word); bits--) {
		*block = block_at(range->first, bits);
		if (block->first < range->first) {
			if (block->last == UINT64_MAX)
				continue;
			*block = block_at(block->last + 1, bits);
		}
		if (block->last <= range->last)
			return true;
	}
	return false;
}

static int refuse(const struct filter_request *request, unsigned number,
		  const struct range *range, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	struct range outer = around(word, range), inner;
	struct text text = { 0 };

	text_add(&text,
		 "%s=%s: the %s compares bits %u:%u of an address and may "
		 "leave low ones out, so a range must be a power of two of at "
		 "least %u bytes, aligned to its size; nearest: ",
		 word->name, request->values[number],
		 request->family->boxes[word->box].guide_name,
		 top_bit(word) - 1, low_bit(word), 1u << low_bit(word));
	say_range(word->name, &outer, &text);
	text_add(&text, " holds all of it, ");
	if (within(word, range, &inner)) {
		say_range(word->name, &inner, &text);
		text_add(&text, " is the most of it");
	} else {
		text_add(&text, "no block lies within it");
	}
	return text_fail(&text, UNCORE_ERR_BAD_OPTION, error);
}

/* Addresses above what is compared look like lower ones. */
static int too_high(const struct filter_request *request, unsigned number,
		    const struct range *range, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	uint64_t all = uc_bits(top_bit(word) - 1, 0);
	struct range low = { range->first & all, range->last & all };
	struct text text = { 0 };

	text_add(&text,
		 "%s=%s: the %s compares only bits %u:%u of an address, the "
		 "last one it can tell from others is 0x%llx",
		 word->name, request->values[number],
		 request->family->boxes[word->box].guide_name,
		 top_bit(word) - 1, low_bit(word), (unsigned long long)all);
	if (range->last - range->first <= all && low.first <= low.last) {
		low = around(word, &low);
		text_add(&text, "; nearest: ");
		say_range(word->name, &low, &text);
		text_add(&text,
			 " holds all of it, and what lies %llu GiB apart",
			 (unsigned long long)((all >> 30) + 1));
	}
	return text_fail(&text, UNCORE_ERR_BAD_OPTION, error);
}

int filter_address(const struct filter_request *request, unsigned number,
		   struct filter_bits *bits, char **error)
{
	const struct uc_filter_word *word = request->words[number];
	const char *value = request->values[number];
	struct range range, block;
	uint64_t ignored;

	if (!read_range(word, value, &range))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s=%s: '%s' is no range of addresses; write "
				  "A, A..B (with B not below A) or A+SIZE, "
				  "with K, M, G or T behind a number if need "
				  "be",
				  word->name, value, value);
	if (range.last > uc_bits(top_bit(word) - 1, 0))
		return too_high(request, number, &range, error);
	block = around(word, &range);
	if (block.first != range.first || block.last != range.last)
		return refuse(request, number, &range, error);
	ignored = (block.last - block.first) >> word->mask_from;
	bits->match = block.first >> word->match_from;
	bits->mask = word->sense == UC_SENSE_IGNORE
			     ? ignored
			     : filter_mask_all(word) & ~ignored;
	bits->is_set = true;
	return 0;
}

void filter_address_text(const struct uc_filter_word *word,
			 const struct filter_bits *bits, struct text *text)
{
	uint64_t ignored = bits->mask ^ filter_mask_all(word);
	uint64_t size = (ignored << word->mask_from) |
			(uc_bits(word->mask_from, 0) >> 1);
	uint64_t first = bits->match << word->match_from;

	text_add(text, "0x%llx..0x%llx", (unsigned long long)first,
		 (unsigned long long)(first | size));
}
