/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * --fail-above: which rows are beyond the limit, and which nobody can tell of.
 */
#ifndef UNCORE_TOOL_LIMIT_H
#define UNCORE_TOOL_LIMIT_H

#include <stddef.h>
#include <stdio.h>

#include "compare.h"

struct compare_settings;

/* A number of per cent as part of 1; NAN: it is none. */
double limit_percent(const char *text);

/* Sets the limit as --fail-above has it (NAN: it was not given); an exit code.
 */
int limit_read(struct compare_settings *settings);

enum limit {
	LIMIT_KEPT,
	LIMIT_BEYOND,
	LIMIT_UNTOLD, /* of a gate alone: it cannot be compared */
};
enum limit limit_of(const struct compare_settings *settings,
		    const struct comparison *row);
size_t limit_count(const struct compare_settings *settings,
		   const struct compare_list *list, enum limit limit);

/* Says how many rows are which, and their names, put as they have to be;
 * nothing without --fail-above. */
typedef void limit_put(const char *text, FILE *file);
void limit_say(const struct compare_settings *settings,
	       const struct compare_list *list, limit_put *put, FILE *file);

#endif
