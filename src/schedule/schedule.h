/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of a schedule, shared by its files.
 */
#ifndef UNCORE_SCHEDULE_SCHEDULE_H
#define UNCORE_SCHEDULE_SCHEDULE_H

#include "uncore/schedule.h"

struct schedule_slice {
	struct uncore_plan *plan;
	size_t *events; /* item i of the plan is event events[i] */
	size_t num_events;
};

struct uncore_schedule {
	struct schedule_slice *slices;
	size_t num_slices;
	size_t num_events;
	char **reasons;
	size_t num_reasons;
	bool is_optimal;
};

#endif
