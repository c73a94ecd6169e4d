/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an event's filter asks for that a model does not have.
 */
#ifndef UNCORE_EVENT_PASSES_H
#define UNCORE_EVENT_PASSES_H

#include "event/event.h"

/* Raw codes: the event that they select by the guide, to be freed with
 * uncore_event_free(); NULL: none. */
struct uncore_event *event_named(struct uncore_event *event);

/* Why nothing on a model passes the filter of a named event, to be freed; NULL:
 * something may. */
char *event_lacking(const struct uncore_event *event);

#endif
