/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where a command counts that was told no place.
 */
#ifndef UNCORE_TOOL_CHOICE_H
#define UNCORE_TOOL_CHOICE_H

struct event_list;
struct option_texts;
struct uncore_target;

/* What is to be counted; what is NULL is not asked for. */
struct choice_wish {
	const struct event_list *events;
	const char *metrics; /* as -M has them */
	const struct option_texts *metric_files;
};

/* The best of this machine's own ways, as 'uncore doctor' tells it; NULL where
 * nothing real is open, or where the wish is one that only the model's default
 * machine knows, and the model is to be taken. *because (to be freed; may be
 * NULL) is the part of a sentence on why it is this one. */
struct uncore_target *choice_open(const struct choice_wish *wish,
				  char **because);

#endif
