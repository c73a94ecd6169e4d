/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names, units and words for Prometheus: of events, uncore_BOX_EVENT, and of
 * metrics, uncore_METRIC_UNIT in base units (bytes, seconds, shares of one).
 * What counters have behind their names (_total) is the writer's to add. What
 * stands behind HELP is the event or metric as the command line has it, in the
 * words of `uncore list`. All texts are to be freed.
 */
#ifndef UNCORE_TOOL_EXPORT_NAME_H
#define UNCORE_TOOL_EXPORT_NAME_H

#include <stdbool.h>

struct uncore_event;
struct uncore_family;
struct uncore_metric;

/* The name of an event with its unit masks and options, the same for one box
 * and for all of them. */
char *export_event_name(const struct uncore_event *event);
char *export_event_help(const struct uncore_family *family,
			const struct uncore_event *event, bool takes_turns);

/* Whether two events are the same, apart from the instance that they are of. */
bool export_is_same_event(const struct uncore_event *a,
			  const struct uncore_event *b);

/* How a metric is told: its value times `times`, over `over`. */
struct export_unit {
	const char *suffix; /* of the name, a unit; "": none */
	double times, over;
};

struct export_unit export_metric_unit(const struct uncore_metric *metric);
char *export_metric_name(const struct uncore_metric *metric,
			 const struct export_unit *unit);
char *export_metric_help(const struct uncore_metric *metric,
			 const struct export_unit *unit, bool takes_turns);

#endif
