/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lines that were written to memory as poisoned, and stay bad until all of them
 * is written again. Memory keeps that in its ECC; the model keeps a short list,
 * from which the oldest falls out when it is full.
 */
#include <string.h>

#include "model/nehalem-ex/home_parts.h"

bool home_is_poisoned(const struct home *home, uint64_t line)
{
	for (unsigned i = 0; i < home->num_poisoned; i++)
		if (home->poisoned[i] == line)
			return true;
	return false;
}

static void drop(struct home *home, unsigned i)
{
	home->num_poisoned--;
	memmove(&home->poisoned[i], &home->poisoned[i + 1],
		(home->num_poisoned - i) * sizeof(home->poisoned[0]));
}

void home_note_poison(struct home *home, uint64_t line, bool is_poisoned,
		      bool is_partial)
{
	if (!is_partial)
		for (unsigned i = home->num_poisoned; i--;)
			if (home->poisoned[i] == line)
				drop(home, i);
	if (!is_poisoned)
		return;
	if (home->num_poisoned == HOME_MAX_POISONED)
		drop(home, 0);
	home->poisoned[home->num_poisoned++] = line;
}
