/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A line of a file of metrics, split into words as data/FORMAT.md says.
 */
#ifndef UNCORE_METRIC_WORDS_H
#define UNCORE_METRIC_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { WORDS_MAX = 128 };

struct word {
	char *key;  /* of key=value; NULL: a plain word */
	char *text; /* without quotes */
	bool is_quoted;
	unsigned column; /* of its first byte, from 1 */
};

struct words {
	struct word words[WORDS_MAX];
	size_t num;
	bool is_child;	/* it begins with two blanks */
	unsigned wrong; /* column of a mistake, 0: none */
	const char *expected;
	char *copy; /* holds all words */
};

/* Splits one line (without its end). */
void words_split(struct arena *arena, const char *line, size_t length,
		 struct words *words);

/* The value of a key, or NULL; and plain word number index, or NULL. */
const struct word *words_key(const struct words *words, const char *key);
const struct word *words_plain(const struct words *words, size_t index);

#endif
