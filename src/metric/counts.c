/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a session counted, gathered for one metric. Where events took turns,
 * counts of different events belong together only if they are of the same
 * slices: those in which all events of the metric ran.
 */
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"
#include "uncore/event.h"
#include "uncore/schedule.h"
#include "uncore/session.h"
#include "uncore/target.h"

struct uncore_metric_source {
	const struct uncore_session *session;
	const struct uncore_schedule *schedule; /* NULL: one slice */
	struct uncore_metric_run run;
	unsigned num_sockets;
	struct uncore_count *rows; /* of the session, event by event */
	size_t num_rows;
};

/* A metric that is gathered. */
struct gathering {
	const struct uncore_metric_source *source;
	const struct metric_row *row;
	size_t first[METRIC_MAX_EVENTS]; /* row of each event; none: num_rows */
	bool whole;			 /* all its events ran all the time */
	struct uncore_metric_count *counts;
	size_t num;
};

int uncore_metric_source_new(const struct uncore_session *session,
			     const struct uncore_metric_run *run,
			     unsigned num_sockets,
			     struct uncore_metric_source **source)
{
	struct uncore_metric_source *new = calloc(1, sizeof(*new));
	struct uncore_count row;

	*source = new;
	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	new->session = session;
	new->run = *run;
	new->num_sockets = num_sockets;
	new->schedule = session ? uncore_session_schedule(session) : NULL;
	if (new->schedule && uncore_schedule_slices(new->schedule) < 2)
		new->schedule = NULL;
	while (session && uncore_session_count(session, new->num_rows, &row)) {
		struct uncore_count *rows = reallocarray(
			new->rows, new->num_rows + 1, sizeof(*rows));

		if (!rows)
			return UNCORE_ERR_NO_MEMORY;
		new->rows = rows;
		rows[new->num_rows++] = row;
	}
	return 0;
}

void uncore_metric_source_free(struct uncore_metric_source *source)
{
	if (source)
		free(source->rows);
	free(source);
}

/* The first row of an event, or num_rows. */
static size_t first_row(const struct uncore_metric_source *source,
			const char *text)
{
	const struct uncore_event *last = NULL;
	size_t i = 0;

	for (; i < source->num_rows; i++) {
		if (source->rows[i].event == last)
			continue;
		last = source->rows[i].event;
		if (!strcmp(uncore_event_text(last), text))
			break;
	}
	return i;
}

static bool in_slice(const struct gathering *gathering, size_t slice)
{
	const struct uncore_metric_source *source = gathering->source;

	for (size_t i = 0; i < gathering->row->num_events; i++) {
		size_t first = gathering->first[i];

		if (first == source->num_rows ||
		    uncore_schedule_item(source->schedule, slice,
					 source->rows[first].event_index) < 0)
			return false;
	}
	return true;
}

static bool in_all_slices(const struct gathering *gathering)
{
	size_t slices = uncore_schedule_slices(gathering->source->schedule);

	for (size_t s = 0; s < slices; s++)
		if (!in_slice(gathering, s))
			return false;
	return true;
}

/* What one count saw in the slices of the metric. */
static double slice_sum(const struct gathering *gathering, size_t index)
{
	const struct uncore_metric_source *source = gathering->source;
	size_t slices = uncore_schedule_slices(source->schedule);
	double total = 0;
	uint64_t value;

	for (size_t s = 0; s < slices; s++)
		if (in_slice(gathering, s) &&
		    uncore_session_slice_count(source->session, s, index,
					       &value))
			total += (double)value;
	return total;
}

static bool add(struct gathering *gathering,
		const struct uncore_metric_count *count)
{
	struct uncore_metric_count *counts = reallocarray(
		gathering->counts, gathering->num + 1, sizeof(*counts));

	if (!counts)
		return false;
	gathering->counts = counts;
	counts[gathering->num++] = *count;
	return true;
}

static bool gather_event(struct gathering *gathering, size_t event,
			 const char *reason)
{
	const struct uncore_metric_source *source = gathering->source;
	size_t first = gathering->first[event];

	for (size_t i = first;
	     i < source->num_rows &&
	     source->rows[i].event == source->rows[first].event;
	     i++) {
		const struct uncore_count *row = &source->rows[i];
		struct uncore_metric_count count = {
			.event = event,
			.socket = row->socket,
			.instance = row->instance,
			.reason = row->valid ? reason : row->reason,
		};

		count.value = gathering->whole ? (double)row->value
					       : slice_sum(gathering, i);
		if (!add(gathering, &count))
			return false;
	}
	return true;
}

/* How long all its events counted at the same time. */
static void add_time(const struct gathering *gathering,
		     struct uncore_metric_counts *counts)
{
	const struct uncore_metric_source *source = gathering->source;
	size_t slices = uncore_schedule_slices(source->schedule);
	const struct uncore_metric_run *run = &source->run;
	struct uncore_slice_time time;

	counts->seconds = counts->cycles = 0;
	for (size_t s = 0; s < slices; s++) {
		if (!in_slice(gathering, s) ||
		    !uncore_session_slice_time(source->session, s, &time))
			continue;
		if (time.cycles != UNCORE_NO_CYCLE && run->clock_hz > 0)
			time.seconds = (double)time.cycles / run->clock_hz;
		counts->seconds += time.seconds;
		counts->cycles += time.seconds * run->clock_hz;
	}
	counts->whole =
		counts->seconds > 0 ? run->seconds / counts->seconds : NAN;
}

int uncore_metric_source_counts(const struct uncore_metric_source *source,
				const struct uncore_metrics *metrics,
				size_t index,
				struct uncore_metric_counts *counts)
{
	struct gathering gathering = { .source = source,
				       .row = &metrics->rows[index] };
	const char *reason = NULL;
	bool fine = true;

	*counts = (struct uncore_metric_counts){
		.num_sockets = source->num_sockets,
		.seconds = source->run.seconds,
		.cycles = source->run.cycles,
		.whole = 1,
		.instructions = source->run.instructions,
	};
	for (size_t i = 0; i < gathering.row->num_events; i++)
		gathering.first[i] =
			first_row(source, gathering.row->events[i].text);
	gathering.whole = !source->schedule || in_all_slices(&gathering);
	if (!gathering.whole)
		add_time(&gathering, counts);
	if (!gathering.whole && !(counts->seconds > 0))
		reason = "its events were never counted at the same time";
	for (size_t i = 0; i < gathering.row->num_events && fine; i++)
		fine = gather_event(&gathering, i, reason);
	if (!fine)
		free(gathering.counts);
	counts->counts = fine ? gathering.counts : NULL;
	counts->num = fine ? gathering.num : 0;
	return fine ? 0 : UNCORE_ERR_NO_MEMORY;
}
