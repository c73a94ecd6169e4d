/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lines that were written to memory as poisoned, and stay bad until all of them
 * is written again. Memory keeps that in its ECC; the model keeps a short list,
 * from which the oldest falls out when it is full.
 */
#include <string.h>

#include "model/box/bbox.h"

bool bbox_is_poisoned(const struct bbox *bbox, uint64_t line)
{
	for (unsigned i = 0; i < bbox->num_poisoned; i++)
		if (bbox->poisoned[i] == line)
			return true;
	return false;
}

static void drop(struct bbox *bbox, unsigned i)
{
	bbox->num_poisoned--;
	memmove(&bbox->poisoned[i], &bbox->poisoned[i + 1],
		(bbox->num_poisoned - i) * sizeof(bbox->poisoned[0]));
}

void bbox_note_poison(struct bbox *bbox, uint64_t line, bool is_poisoned,
		      bool is_partial)
{
	if (!is_partial)
		for (unsigned i = bbox->num_poisoned; i--;)
			if (bbox->poisoned[i] == line)
				drop(bbox, i);
	if (!is_poisoned)
		return;
	if (bbox->num_poisoned == BBOX_MAX_POISONED)
		drop(bbox, 0);
	bbox->poisoned[bbox->num_poisoned++] = line;
}
