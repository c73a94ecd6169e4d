/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "clock_word.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	enum clock_word clock;
} words[] = {
	{ "model", CLOCK_MODEL }, { "host", CLOCK_HOST },
	{ "step", CLOCK_STEP },	  { "instructions", CLOCK_INSTRUCTIONS },
	{ "real", CLOCK_HOST },	  { "free", CLOCK_MODEL },
	{ "skip", CLOCK_MODEL },
};

enum { NUM_WORDS = sizeof(words) / sizeof(words[0]), LIST_BYTES = 80 };

const char *clock_word_name(enum clock_word clock)
{
	size_t i = 0;

	while (i < NUM_WORDS - 1 && words[i].clock != clock)
		i++;
	return words[i].word;
}

enum clock_word clock_word(const struct option_row *row, const char *text,
			   unsigned possible, const struct argp_state *state)
{
	char list[LIST_BYTES] = "";

	for (size_t i = 0; i < NUM_WORDS; i++)
		if (!strcmp(text, words[i].word) &&
		    possible >> words[i].clock & 1)
			return words[i].clock;
	for (unsigned i = CLOCK_MODEL; i <= CLOCK_INSTRUCTIONS; i++)
		if (possible >> i & 1)
			snprintf(list + strlen(list),
				 sizeof(list) - strlen(list), "%s%s",
				 *list ? ", " : "", clock_word_name(i));
	argp_error(state, "--%s=%s is not possible here; what is: %s",
		   row->name, text, list);
	return CLOCK_NOT_GIVEN;
}

void clock_word_of_program(const struct option_row *row, void *at, char *text,
			   const struct argp_state *state)
{
	*(enum clock_word *)at = clock_word(
		row, text, 1u << CLOCK_MODEL | 1u << CLOCK_HOST, state);
}
