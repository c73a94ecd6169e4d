/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Options that perf has and a command here has not: each is taken without a
 * word where it makes no difference here, or answered with what to type.
 */
#ifndef UNCORE_TOOL_PERF_OPTIONS_H
#define UNCORE_TOOL_PERF_OPTIONS_H

#include "options.h"

/* Whose options: perf's command of that name, and its two c2c. */
enum {
	PERF_STAT = 1,
	PERF_RECORD = 2,
	PERF_REPORT = 4,
	PERF_TOP = 8,
	PERF_LIST = 16,
	PERF_C2C_RECORD = 32,
	PERF_C2C_REPORT = 64,
};

/* The next option of these commands from *at on, which begins as 0; false
 * behind the last. Of two with one letter the first is meant. */
bool perf_options_next(int commands, size_t *at, struct option_row *option);

/* Ends the program where the first word that is no option is a command of
 * perf's command (perf stat record), and says what to type. */
void perf_options_word(int commands, const char *word,
		       const struct argp_state *state);

#endif
