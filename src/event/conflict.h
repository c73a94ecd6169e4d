/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Why events cannot be counted at the same time, in words.
 */
#ifndef UNCORE_EVENT_CONFLICT_H
#define UNCORE_EVENT_CONFLICT_H

#include "event/need.h"

/* Drops all of *needs (of one box instance) that are not needed for them not to
 * fit together; returns how many are left. They must not fit. */
size_t conflict_shrink(const struct need **needs, size_t num);

/* Says what such a smallest set of events is about, without a full stop, and
 * returns the error that it is. */
int conflict_say(const struct need *const *needs, size_t num,
		 struct text *text);

/* "the 2 slots (TITLE) of port NAME": those that an event could go to. */
void conflict_say_slots(const struct need *need, unsigned slots,
			struct text *text);

/* Whether events of one box instance can be counted at the same time. */
bool conflict_none(const struct need *const *needs, size_t num);

#endif
