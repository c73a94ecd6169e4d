/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What was counted between the marks of a program (uncore/mark.h), region by
 * region: the sum over all times that it was open. A region that several
 * threads are in, or that one has entered again, is open once, until the last
 * mark that ends it. Marks without a name pair up as regions 1, 2, ... in the
 * order in which they begin.
 */
#ifndef UNCORE_TOOL_REGIONS_H
#define UNCORE_TOOL_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore/metric.h"
#include "uncore/program.h"

struct uncore_session;

/* Unnamed pairs that have a region of their own; the last one has all others,
 * too. */
enum { REGIONS_MAX_UNNAMED = 1000 };

struct region {
	char name[UNCORE_PROGRAM_REGION_BYTES];
	uint64_t entered;	       /* marks that began it */
	struct uncore_metric_run time; /* that passed in it */
	uint64_t *counts; /* as uncore_session_count() numbers them */
	unsigned inside;  /* marks that began it and have no end yet */
};

/* Begins as all zero. */
struct regions {
	struct uncore_session *session; /* NULL: only time passes */
	struct region *list; /* in the order in which they began first */
	size_t num;
	size_t num_counts;
	size_t num_unnamed;
	struct regions_open {
		unsigned thread;
		size_t region;
	} * open; /* pairs of unnamed marks, the latest last */
	size_t num_open;
};

/* A mark was reached at that time, at which the session was read. */
void regions_mark(struct regions *regions,
		  const struct uncore_program_mark *mark,
		  const struct uncore_metric_run *now);

/* A region that no mark begins is entered. */
void regions_enter(struct regions *regions, const char *name,
		   const struct uncore_metric_run *now);

/* What was counted in a region is forgotten, while it is not open. */
void regions_clear(const struct regions *regions, struct region *region);

/* The program has ended, and the session was read: what is open ends. */
void regions_end(struct regions *regions, const struct uncore_metric_run *now);

/* Whether one is open. */
bool regions_is_in_one(const struct regions *regions);

/* NULL: no such region was entered. */
struct region *regions_find(const struct regions *regions, const char *name);

/* "'first', 'second' and 3 more"; to be freed. */
char *regions_names(const struct regions *regions);

void regions_free(struct regions *regions);

#endif
