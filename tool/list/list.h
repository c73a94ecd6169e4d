/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore list` shows: boxes and events, metrics, and names of all kinds.
 */
#ifndef UNCORE_TOOL_LIST_H
#define UNCORE_TOOL_LIST_H

#include "tool/options.h"
#include "uncore/family.h"

struct table;
struct uncore_model;

/* What the forms of the list of events share. */
struct listing {
	const struct uncore_family *family;
	struct uncore_model *model; /* of the machine; NULL: there is none */
	const char *pattern;	    /* NULL: all */
};

/* Prints boxes and events that the pattern chooses; how many events. */
size_t list_text(const struct listing *listing);
size_t list_json(const struct listing *listing);

/* Whether the pattern chooses an event. */
bool listing_has(const struct listing *listing,
		 const struct uncore_event_info *event);

/* Whether the model can count an event with a unit mask (NULL: it has none),
 * at some port; true where there is no model. */
bool listing_is_modelled(const struct listing *listing,
			 const struct uncore_event_info *event,
			 const char *mask);

/* Shows the metrics that `words` names (NULL: all), an exit code. A single one
 * is shown with all that is known of it. */
int list_metrics(const struct uncore_family *family,
		 const struct option_texts *files, const char *words,
		 bool json);

/* A table of all that there are of a kind (boxes, ports, ...): what completion
 * is given first, then more of some. False: there is no such kind. The table
 * is to be freed. */
bool list_table(const struct uncore_family *family, const char *machine,
		const char *kind, struct table *table);

#endif
