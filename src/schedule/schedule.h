/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of a schedule, shared by its files.
 */
#ifndef UNCORE_SCHEDULE_SCHEDULE_H
#define UNCORE_SCHEDULE_SCHEDULE_H

#include "schedule/problem.h"
#include "schedule/search.h"

struct schedule_slice {
	struct uncore_plan *plan;
	long *items; /* per event: its item in the plan, or -1 */
	uint64_t *set;
	uint64_t *shut; /* events that it keeps out, as far as is known */
};

struct uncore_schedule {
	struct problem *problem;
	struct packing *packings; /* of each component */
	struct schedule_slice *slices;
	size_t num_slices;
	char **reasons;
	size_t num_reasons;
	bool is_optimal;
};

/* Which events each slice has: those of the components' slices, and more where
 * there is room (fill.c). */
int schedule_fill(struct uncore_schedule *schedule);

/* Plans of the slices, with as few changes from one to the next as can be
 * (place.c). */
int schedule_plan(struct uncore_schedule *schedule, char **error);

/* Why units take turns (reason.c). */
int schedule_explain(struct uncore_schedule *schedule);

/* Refuses a unit that does not fit by itself (reason.c). */
int schedule_refuse(struct problem *problem, const struct unit *unit,
		    char **error);

#endif
