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

#include "tool.h"
#include "uncore/uncore.h"
#include "watch.h"

/* The first count of an event, or num_counts. */
static size_t first_count(const struct watch *watch, const char *text)
{
	const struct uncore_event *last = NULL;
	size_t i = 0;

	for (; i < watch->num_counts; i++) {
		if (watch->counts[i].event == last)
			continue;
		last = watch->counts[i].event;
		if (!strcmp(uncore_event_text(last), text))
			break;
	}
	return i;
}

/* Adds what an event counted; `as` is its number in the metric. */
static void add_event(const struct watch *watch, const char *text, size_t as,
		      struct uncore_metric_count *counts, size_t *num)
{
	size_t first = first_count(watch, text);

	for (size_t i = first;
	     i < watch->num_counts &&
	     watch->counts[i].event == watch->counts[first].event;
	     i++) {
		const struct watch_count *count = &watch->counts[i];

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

/* What a metric is made of, between the last two sweeps; rows are to be freed.
 * Without memory there are none. */
static struct uncore_metric_counts
since_counts(const struct watch *watch, size_t index,
	     struct uncore_metric_count **rows)
{
	const struct metric_list *list = &watch->counting.set.metrics;
	struct uncore_metric metric;
	struct uncore_metric_counts counts = {
		.num_sockets =
			uncore_target_sockets(watch->counting.subject.target),
		.seconds = watch->since.seconds,
		.cycles = watch->since.cycles,
		.share = 1,
		.instructions = watch->since.instructions,
	};
	const char *text;

	uncore_metrics_at(list->set, index, &metric);
	*rows = calloc(watch->num_counts * metric.num_events + 1,
		       sizeof(**rows));
	for (size_t i = 0;
	     *rows && (text = uncore_metrics_event(list->set, index, i)); i++)
		add_event(watch, text, i, *rows, &counts.num);
	counts.counts = *rows;
	return counts;
}

static void since_value(const struct watch *watch, size_t index,
			const struct uncore_metric_scope *scope,
			struct uncore_metric_value *value)
{
	struct uncore_metric_count *rows;
	struct uncore_metric_counts counts = since_counts(watch, index, &rows);

	uncore_metrics_value(watch->counting.set.metrics.set, index, &counts,
			     scope, value);
	free(rows);
}

double watch_most(const struct watch *watch, size_t chosen, int socket,
		  double times)
{
	const struct metric_list *list = &watch->counting.set.metrics;
	const struct uncore_metric_scope scope = { socket, -1 };
	size_t index = list->chosen[chosen];
	struct uncore_metric_count *rows;
	struct uncore_metric_counts counts = since_counts(watch, index, &rows);
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
static bool has_source(struct watch *watch)
{
	return watch->source ||
	       !uncore_metric_source_new(
		       watch->counting.session, &watch->whole,
		       uncore_target_sockets(watch->counting.subject.target),
		       &watch->source);
}

static void no_value(struct uncore_metric_value *value, const char *reason)
{
	*value = (struct uncore_metric_value){ .value = NAN };
	snprintf(value->reason, sizeof(value->reason), "%s", reason);
}

void watch_metric(struct watch *watch, size_t chosen, enum watch_span span,
		  int socket, struct uncore_metric_value *value)
{
	const struct metric_list *list = &watch->counting.set.metrics;
	const struct uncore_metric_scope scope = { socket, -1 };
	size_t index = list->chosen[chosen];
	struct uncore_metric_counts counts;

	if (!watch->num_sweeps)
		no_value(value, "nothing was read yet");
	else if (span == WATCH_SINCE)
		since_value(watch, index, &scope, value);
	else if (!has_source(watch) ||
		 uncore_metric_source_counts(watch->source, list->set, index,
					     &counts)) {
		no_value(value, "not enough memory");
	} else {
		uncore_metrics_value(list->set, index, &counts, &scope, value);
		free((void *)counts.counts);
	}
}

bool watch_takes_turns(const struct watch *watch, size_t chosen)
{
	const struct metric_list *list = &watch->counting.set.metrics;
	size_t index = list->chosen[chosen];
	const char *text;
	size_t first;

	for (size_t i = 0; (text = uncore_metrics_event(list->set, index, i));
	     i++) {
		first = first_count(watch, text);
		if (first < watch->num_counts &&
		    watch->counts[first].is_estimate)
			return true;
	}
	return false;
}
