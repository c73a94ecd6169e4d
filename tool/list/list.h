/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore list` shows: boxes and events, metrics, and names of all kinds.
 */
#ifndef UNCORE_TOOL_LIST_H
#define UNCORE_TOOL_LIST_H

#include "tool/options.h"
#include "uncore/family.h"

struct page;
struct table;
struct uncore_model;

struct listing {
	struct page *page;
	const struct uncore_family *family;
	bool has_model;
	struct uncore_model *model; /* of the machine; NULL: there is none */
	const char *pattern;	    /* NULL: all */
};

/* Shows boxes and events that the pattern chooses; how many events. */
size_t list_events(const struct listing *listing);

/* Shows the metrics that the pattern names, each with all that is known of it,
 * or of all a line; an exit code. `machine` is as for --machine. */
int list_metrics(const struct listing *listing,
		 const struct option_texts *files, const char *machine);

/* A table of all that there are of a kind (boxes, ports, ...): what completion
 * is given first, then more of some. False: there is no such kind. The table
 * is to be freed. */
bool list_table(const struct uncore_family *family, const char *machine,
		const char *kind, struct table *table);

#endif
