/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where a command counts that was told no place.
 */
#ifndef UNCORE_TOOL_CHOICE_H
#define UNCORE_TOOL_CHOICE_H

struct uncore_target;

/* The best of this machine's own ways, as 'uncore doctor' tells it; NULL where
 * nothing real is open, and the model is to be taken. *because (to be freed;
 * may be NULL) is the part of a sentence on why it is this one. */
struct uncore_target *choice_open(char **because);

#endif
