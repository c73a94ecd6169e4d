/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Between the files that work out what an event needs.
 */
#ifndef UNCORE_EVENT_NEED_PARTS_H
#define UNCORE_EVENT_NEED_PARTS_H

#include "event/need.h"

/* What a control chooses through each of its select fields. */
struct need_choice {
	uint64_t code[UC_MAX_SELECTS];
	uint64_t width[UC_MAX_SELECTS]; /* a mask; 0: nothing */
};

void need_choose(const struct need *need, struct need_choice *choice);

/* Whether a counter with such a control counts the event. */
bool need_is_chosen(const struct need_choice *choice,
		    const struct uc_event *row);

/* Whether the event reaches its counter through a slot of a port. */
bool need_is_routed(const struct uncore_event *event);

/* Adds to need->view.claimed what has to be as it is (need_claim.c). */
void need_claim(struct need *need, const struct need_choice *choice);

/* Moves what belongs into slots from need->view to need->holds (need_slot.c);
 * routed events make no choice. */
void need_hold(struct need *need, const struct need_choice *choice);

#endif
