/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The events of one box instance onto its counters and slots.
 */
#ifndef UNCORE_EVENT_ASSIGN_H
#define UNCORE_EVENT_ASSIGN_H

#include "event/need.h"

struct assign_item {
	const struct need *need;
	int wish_counter, wish_slot; /* NEED_ANY: none */
	bool keep;		     /* its wish comes before others' */
	unsigned counter, slot;	     /* the answer; slot 0 where it has none */
};

enum assign_result {
	ASSIGN_FITS,
	ASSIGN_NO_COUNTER,
	ASSIGN_NO_SLOT,
};

/* Finds places for all items where there are any: events of one kind share a
 * counter, a slot of the name is kept where that is possible, wishes are
 * granted as far as they are. What the items need of shared registers is not
 * looked at (need_differs()). */
enum assign_result assign(struct assign_item *items, size_t num);

/* Whether assign() would find places for all. */
bool assign_fits(const struct need *const *needs, size_t num);

/* The same of events without wishes; at once where they are of too many kinds.
 */
enum assign_result assign_without_wish(const struct need *const *needs,
				       size_t num);

#endif
