/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * "NAME=VALUE,NAME=VALUE": what options, workloads, faults and machines are
 * written in. What a name means, and what to say of one that means nothing, is
 * the caller's.
 */
#ifndef UNCORE_BASE_SETTING_H
#define UNCORE_BASE_SETTING_H

#include <stdbool.h>

/* Both lie in the text that was taken apart. */
struct setting {
	char *name;
	char *value; /* behind the first '='; NULL: there is none */
};

/* Cuts a word in two, in place. */
void setting_split(char *word, struct setting *setting);

/* The next word of a list, and *list behind it; empty ones between commas are
 * left out. False at the end, and for a list that is NULL. */
bool setting_next(char **list, struct setting *setting);

#endif
