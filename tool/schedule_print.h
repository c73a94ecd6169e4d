/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A schedule for people and for programs.
 */
#ifndef UNCORE_TOOL_SCHEDULE_PRINT_H
#define UNCORE_TOOL_SCHEDULE_PRINT_H

#include <stddef.h>

#include "uncore/schedule.h"

struct page;

struct shown_schedule {
	struct page *page;
	const struct uncore_family *family;
	const struct uncore_schedule *schedule;
	struct uncore_event *const *events;
	size_t num_events;
};

void schedule_show(const struct shown_schedule *shown);

#endif
