/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Metrics of the time between two sweeps: the formulas of all metrics over the
 * growth of the counts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor.h"
#include "tool.h"
#include "uncore/uncore.h"

/* The first count of an event, or num_counts. */
static size_t first_count(const struct monitor *monitor, const char *text)
{
	const struct uncore_event *last = NULL;
	size_t i = 0;

	for (; i < monitor->num_counts; i++) {
		if (monitor->counts[i].event == last)
			continue;
		last = monitor->counts[i].event;
		if (!strcmp(uncore_event_text(last), text))
			break;
	}
	return i;
}

/* Adds what an event counted; `as` is its number in the metric. */
static void add_event(const struct monitor *monitor, const char *text,
		      size_t as, struct uncore_metric_count *counts,
		      size_t *num)
{
	size_t first = first_count(monitor, text);

	for (size_t i = first;
	     i < monitor->num_counts &&
	     monitor->counts[i].event == monitor->counts[first].event;
	     i++) {
		const struct monitor_count *count = &monitor->counts[i];

		counts[(*num)++] = (struct uncore_metric_count){
			.event = as,
			.socket = count->socket,
			.instance = count->instance,
			.value = isnan(count->growth) ? 0 : count->growth,
			.reason = !count->valid ? count->reason
				  : isnan(count->growth)
					  ? "its turn did not come"
					  : NULL,
		};
	}
}

/* What a metric is made of, between the last two sweeps; rows are to be
 * freed. */
static struct uncore_metric_counts
since_counts(const struct monitor *monitor, size_t index,
	     struct uncore_metric_count **rows)
{
	const struct metric_list *list = &monitor->counting.set.metrics;
	struct uncore_metric metric;
	struct uncore_metric_counts counts = {
		.num_sockets = uncore_target_sockets(
			monitor->counting.target.registers),
		.seconds = monitor->since.seconds,
		.cycles = monitor->since.cycles,
		.share = 1,
		.instructions = monitor->since.instructions,
	};
	const char *text;

	uncore_metrics_at(list->set, index, &metric);
	*rows = tool_new(monitor->num_counts * metric.num_events,
			 sizeof(**rows));
	for (size_t i = 0; (text = uncore_metrics_event(list->set, index, i));
	     i++)
		add_event(monitor, text, i, *rows, &counts.num);
	counts.counts = *rows;
	return counts;
}

static void since_value(const struct monitor *monitor, size_t index,
			const struct uncore_metric_scope *scope,
			struct uncore_metric_value *value)
{
	struct uncore_metric_count *rows;
	struct uncore_metric_counts counts =
		since_counts(monitor, index, &rows);

	uncore_metrics_value(monitor->counting.set.metrics.set, index, &counts,
			     scope, value);
	free(rows);
}

double monitor_most(const struct monitor *monitor, size_t chosen, int socket,
		    double times)
{
	const struct metric_list *list = &monitor->counting.set.metrics;
	const struct uncore_metric_scope scope = { socket, -1 };
	size_t index = list->chosen[chosen];
	struct uncore_metric_count *rows;
	struct uncore_metric_counts counts =
		since_counts(monitor, index, &rows);
	double most;

	counts.seconds *= times;
	counts.cycles *= times;
	counts.instructions *= times;
	for (size_t i = 0; i < counts.num; i++)
		rows[i].value *= times;
	most = uncore_metrics_most(list->set, index, &counts, &scope);
	free(rows);
	return most;
}

/* What all metrics of the whole run are made of; false without memory. */
static bool has_source(struct monitor *monitor)
{
	return monitor->source ||
	       !uncore_metric_source_new(
		       monitor->counting.session, &monitor->whole,
		       uncore_target_sockets(
			       monitor->counting.target.registers),
		       &monitor->source);
}

static void no_value(struct uncore_metric_value *value, const char *reason)
{
	*value = (struct uncore_metric_value){ .value = NAN };
	snprintf(value->reason, sizeof(value->reason), "%s", reason);
}

void monitor_metric(struct monitor *monitor, size_t chosen,
		    enum monitor_part native, int socket,
		    struct uncore_metric_value *value)
{
	const struct metric_list *list = &monitor->counting.set.metrics;
	const struct uncore_metric_scope scope = { socket, -1 };
	size_t index = list->chosen[chosen];
	struct uncore_metric_counts counts;

	if (!monitor->num_sweeps)
		no_value(value, "nothing was read yet");
	else if (native == MONITOR_SINCE)
		since_value(monitor, index, &scope, value);
	else if (!has_source(monitor) ||
		 uncore_metric_source_counts(monitor->source, list->set, index,
					     &counts)) {
		no_value(value, "not enough memory");
	} else {
		uncore_metrics_value(list->set, index, &counts, &scope, value);
		free((void *)counts.counts);
	}
}

bool monitor_takes_turns(const struct monitor *monitor, size_t chosen)
{
	const struct metric_list *list = &monitor->counting.set.metrics;
	size_t index = list->chosen[chosen];
	const char *text;
	size_t first;

	for (size_t i = 0; (text = uncore_metrics_event(list->set, index, i));
	     i++) {
		first = first_count(monitor, text);
		if (first < monitor->num_counts &&
		    monitor->counts[first].is_estimate)
			return true;
	}
	return false;
}
