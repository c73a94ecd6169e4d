/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events of a box that are the same but for the field that chooses what they
 * count: each such field is a slot.
 */
#ifndef UNCORE_EVENT_TWINS_H
#define UNCORE_EVENT_TWINS_H

#include <stdbool.h>

#include "table/table.h"

enum { NEED_MAX_SLOTS = 8 }; /* of one family */

struct twins {
	const struct uc_event *rows[NEED_MAX_SLOTS];	   /* by slot */
	uint8_t high[NEED_MAX_SLOTS], low[NEED_MAX_SLOTS]; /* of its field */
	uint8_t role; /* of the register that has all these fields */
	uint8_t num;  /* 0: the box has none */
	bool by_word; /* the fields are words of a filter */
};

struct twin_field {
	uint8_t role, high, low;
};

/* The first set of twins of a box; a box has one at most. */
void twins_find(const struct uc_family *family, unsigned box,
		struct twins *twins);

#endif
