/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Terms of the kernel's format/ folders, and texts that give them values.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "perf/pmus.h"

const struct perf_term *perf_term_find(const struct perf_box *box,
				       const char *name)
{
	for (unsigned i = 0; i < box->num_terms; i++)
		if (!strcasecmp(box->terms[i].name, name))
			return &box->terms[i];
	return NULL;
}

uint64_t perf_term_put(const struct perf_term *term, uint64_t value)
{
	uint64_t word = 0;

	for (uint64_t left = term->bits; left; left &= left - 1, value >>= 1)
		if (value & 1)
			word |= left & -left;
	return word;
}

uint64_t perf_term_get(const struct perf_term *term, uint64_t word)
{
	uint64_t value = 0;
	unsigned n = 0;

	for (uint64_t left = term->bits; left; left &= left - 1, n++)
		if (word & left & -left)
			value |= UINT64_C(1) << n;
	return value;
}

/* Copies a piece of a text without the blanks around it; false where it is cut.
 */
static bool copy(char to[64], const char *from, size_t length)
{
	while (length && isspace((unsigned char)from[length - 1]))
		length--;
	while (length && isspace((unsigned char)*from)) {
		from++;
		length--;
	}
	return snprintf(to, 64, "%.*s", (int)length, from) < 64;
}

const char *perf_terms_next(const char *terms, struct perf_said *said)
{
	size_t length, whole;

	while (*terms == ',' || isspace((unsigned char)*terms))
		terms++;
	if (!*terms)
		return NULL;
	whole = strcspn(terms, ",");
	length = strcspn(terms, "=,");
	*said = (struct perf_said){ .value = 1 };
	if (!copy(said->name, terms, length))
		said->is = PERF_SAID_BAD;
	if (length == whole)
		return terms + whole;
	if (!copy(said->text, terms + length + 1, whole - length - 1))
		said->is = PERF_SAID_BAD;
	else if (!strcmp(said->text, "?"))
		said->is = PERF_SAID_ASK;
	else if (!text_number(said->text, &said->value))
		said->is = PERF_SAID_BAD;
	return terms + whole;
}

int perf_word_named(const char *name)
{
	static const char *const names[PERF_NUM_WORDS] = { "config", "config1",
							   "config2",
							   "config3" };

	for (int i = 0; i < PERF_NUM_WORDS; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

/* Bits of a word that some term has. */
static uint64_t bits_of(const struct perf_box *box, int word)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < box->num_terms; i++)
		if (box->terms[i].word == word)
			bits |= box->terms[i].bits;
	return bits;
}

bool perf_term_takes(const struct perf_box *box, const char *name,
		     uint64_t value, struct text *why)
{
	const struct perf_term *term = perf_term_find(box, name);
	int word = term ? term->word : perf_word_named(name);
	unsigned width = term ? (unsigned)__builtin_popcountll(term->bits) : 64;

	if (word < 0)
		text_add(why, "%s has no term '%s'", box->pmu->name, name);
	else if (width < 64 && value >> width)
		text_add(why, "0x%llx does not fit into the %u bit%s of '%s'",
			 (unsigned long long)value, width, width > 1 ? "s" : "",
			 term->name);
	else if (!term && value & ~bits_of(box, word))
		text_add(why, "0x%llx has bits of %s that are in no term of %s",
			 (unsigned long long)value, name, box->pmu->name);
	else
		return true;
	return false;
}
