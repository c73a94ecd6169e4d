/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Boxes and events of a family: those that a pattern chooses.
 */
#ifndef UNCORE_TOOL_LIST_EVENTS_H
#define UNCORE_TOOL_LIST_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "uncore/family.h"

struct uncore_model;

/* Prints them; how many events there were. */
size_t list_events(const struct uncore_family *family, const char *machine,
		   const char *pattern, bool json);

/* What the forms of the list share. */
struct listing {
	const struct uncore_family *family;
	struct uncore_model *model; /* of the machine; NULL: there is none */
	const char *pattern;	    /* NULL: all */
};

/* Whether the pattern chooses an event. */
bool listing_has(const struct listing *listing,
		 const struct uncore_event_info *event);

/* Whether the model can count an event with a unit mask (NULL: it has none),
 * at some port; true where there is no model. */
bool listing_is_modelled(const struct listing *listing,
			 const struct uncore_event_info *event,
			 const char *mask);

/* All as one JSON object (list_json.c); how many events. */
size_t list_json(const struct listing *listing);

#endif
