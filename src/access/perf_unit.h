/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One PMU of the kernel in one package, and the events that are counted on it.
 *
 * What counts at a time is a *set*. Its events are one group of the kernel's,
 * so that they count in the very same cycles; an event that the kernel refuses
 * in the group counts on its own, and the kernel may let it take turns. A set
 * that was opened stays open: to change from one to the next is to disable and
 * to enable. Where the kernel let an event count for a part of the time only,
 * because others count there, too, what it counted is taken for the rest, read
 * by read.
 */
#ifndef UNCORE_ACCESS_PERF_UNIT_H
#define UNCORE_ACCESS_PERF_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/kernel.h"

/* An event of a set. */
struct perf_wish {
	uint64_t words[PERF_NUM_WORDS];
	unsigned counter; /* that shows what it counts */
};

struct perf_set;

struct perf_unit {
	const struct perf_place *place;
	struct perf_set *sets;
	size_t num_sets;
	struct perf_set *active; /* NULL: nothing counts */
	uint64_t read_in;	 /* for whoever reads: when it was last */
	struct perf_count {
		uint64_t value;
		double rest;		 /* of what was taken for the rest */
		double enabled, running; /* ns since it was first counted */
	} counts[PERF_MAX_COUNTERS];
};

/* From now on exactly these count. 0, or a negative UNCORE_ERR_* and a sentence
 * in *error. */
int perf_unit_count(struct perf_unit *unit, const struct perf_wish *wishes,
		    unsigned num, char **error);

/* Brings the counts up to date; as above. */
int perf_unit_read(struct perf_unit *unit, char **error);

/* Part of the time in which a counter was on, 1 if it never was to be. */
double perf_unit_share(const struct perf_unit *unit, unsigned counter);

void perf_unit_close(struct perf_unit *unit);

#endif
