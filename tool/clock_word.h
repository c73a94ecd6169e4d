/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What makes time go on, as --clock has it: one list of words for programs,
 * guests and served models. Words that one of them had before (real, free,
 * skip) stand for one of these everywhere.
 */
#ifndef UNCORE_TOOL_CLOCK_WORD_H
#define UNCORE_TOOL_CLOCK_WORD_H

#include "options.h"

enum clock_word {
	CLOCK_NOT_GIVEN,
	CLOCK_MODEL,	    /* the model's time, as fast as it can */
	CLOCK_HOST,	    /* wall time */
	CLOCK_STEP,	    /* who steps it */
	CLOCK_INSTRUCTIONS, /* a guest's instructions alone */
};

/* The clock that a word names, if it is possible for this command: bit n of
 * `possible` is for enum clock_word n. Else argp's error says what is. */
enum clock_word clock_word(const struct option_row *row, const char *text,
			   unsigned possible, const struct argp_state *state);

const char *clock_word_name(enum clock_word clock);

/* option_row.take of programs: stores in an enum clock_word. */
void clock_word_of_program(const struct option_row *row, void *at, char *text,
			   const struct argp_state *state);

#endif
