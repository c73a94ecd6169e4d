/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A file of source with what happened at its lines.
 */
#ifndef UNCORE_TOOL_ANNOTATE_H
#define UNCORE_TOOL_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>

struct reader;
struct table;

struct annotate {
	const char *file;   /* a name, with as many folders as it takes */
	const char *folder; /* below it sources are read; NULL: the current */
	size_t most;	    /* lines, those with most samples; 0: all */
	bool shows_gaps;    /* a row says where lines are left out */
};

/* Fills a table, to be freed in any case; an exit code. */
int annotate_make(struct reader *reader, const struct annotate *how,
		  struct table *table);

#endif
