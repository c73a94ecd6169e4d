/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Terms of the kernel's format/ folders, and texts that give them values.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

const char *perf_terms_next(const char *terms, char name[64], uint64_t *value,
			    bool *has_value)
{
	size_t length;

	while (*terms == ',' || isspace((unsigned char)*terms))
		terms++;
	if (!*terms)
		return NULL;
	length = strcspn(terms, "=,\n");
	snprintf(name, 64, "%.*s", (int)length, terms);
	terms += length;
	*value = 1;
	*has_value = true;
	if (*terms == '=') {
		*has_value = terms[1] != '?';
		*value = strtoull(terms + 1, NULL, 0);
	}
	return terms + strcspn(terms, ",");
}
