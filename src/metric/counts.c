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

/* A metric and what it is gathered from. */
struct gathering {
	const struct metric_row *row;
	const struct uncore_session *session;
	const struct uncore_schedule *schedule; /* NULL: one slice */
	long indices[METRIC_MAX_EVENTS]; /* of its events in the session */
	struct uncore_metric_count *rows;
	size_t num;
};

/* The event of the metric with this text, or -1. */
static long event_of(const struct metric_row *row, const char *text)
{
	for (size_t i = 0; i < row->num_events; i++)
		if (!strcmp(row->events[i].text, text))
			return (long)i;
	return -1;
}

static bool in_slice(const struct gathering *gathering, size_t slice)
{
	for (size_t i = 0; i < gathering->row->num_events; i++)
		if (gathering->indices[i] < 0 ||
		    uncore_schedule_item(gathering->schedule, slice,
					 (size_t)gathering->indices[i]) < 0)
			return false;
	return true;
}

/* The sum of a count over the slices of the metric. */
static double slice_sum(const struct gathering *gathering, size_t index)
{
	size_t slices = uncore_schedule_slices(gathering->schedule);
	double total = 0;
	uint64_t value;

	for (size_t s = 0; s < slices; s++)
		if (in_slice(gathering, s) &&
		    uncore_session_slice_count(gathering->session, s, index,
					       &value))
			total += (double)value;
	return total;
}

static bool add(struct gathering *gathering,
		const struct uncore_metric_count *row)
{
	struct uncore_metric_count *rows = reallocarray(
		gathering->rows, gathering->num + 1, sizeof(*rows));

	if (!rows)
		return false;
	gathering->rows = rows;
	rows[gathering->num++] = *row;
	return true;
}

static void find_indices(struct gathering *gathering)
{
	struct uncore_count count;

	for (size_t i = 0; i < METRIC_MAX_EVENTS; i++)
		gathering->indices[i] = -1;
	for (size_t i = 0; gathering->session &&
			   uncore_session_count(gathering->session, i, &count);
	     i++) {
		long event = event_of(gathering->row,
				      uncore_event_text(count.event));

		if (event >= 0 && gathering->indices[event] < 0)
			gathering->indices[event] = (long)count.event_index;
	}
}

static int gather(struct gathering *gathering, const char *reason)
{
	struct uncore_count count;

	for (size_t i = 0; gathering->session &&
			   uncore_session_count(gathering->session, i, &count);
	     i++) {
		long event = event_of(gathering->row,
				      uncore_event_text(count.event));
		struct uncore_metric_count row = {
			.event = (size_t)event,
			.socket = count.socket,
			.instance = count.instance,
			.value = (double)count.value,
			.reason = count.valid ? reason : count.reason,
		};

		if (event < 0 ||
		    gathering->indices[event] != (long)count.event_index)
			continue;
		if (gathering->schedule)
			row.value = slice_sum(gathering, i);
		if (!add(gathering, &row))
			return UNCORE_ERR_NO_MEMORY;
	}
	return 0;
}

/* How long all its events counted at the same time. */
static void add_time(const struct gathering *gathering,
		     const struct uncore_metric_run *run,
		     struct uncore_metric_counts *counts)
{
	size_t slices = uncore_schedule_slices(gathering->schedule);
	struct uncore_slice_time time;

	counts->seconds = counts->cycles = 0;
	for (size_t s = 0; s < slices; s++) {
		if (!in_slice(gathering, s) ||
		    !uncore_session_slice_time(gathering->session, s, &time))
			continue;
		if (time.cycles != UNCORE_NO_CYCLE && run->clock_hz > 0)
			time.seconds = (double)time.cycles / run->clock_hz;
		counts->seconds += time.seconds;
		counts->cycles += time.seconds * run->clock_hz;
	}
	counts->whole =
		counts->seconds > 0 ? run->seconds / counts->seconds : NAN;
}

int uncore_metrics_session_counts(const struct uncore_metrics *metrics,
				  size_t index,
				  const struct uncore_session *session,
				  const struct uncore_metric_run *run,
				  unsigned num_sockets,
				  struct uncore_metric_counts *counts)
{
	struct gathering gathering = { .row = &metrics->rows[index],
				       .session = session };
	const char *reason = NULL;
	int code;

	*counts = (struct uncore_metric_counts){ .num_sockets = num_sockets,
						 .seconds = run->seconds,
						 .cycles = run->cycles,
						 .whole = 1 };
	find_indices(&gathering);
	gathering.schedule = session ? uncore_session_schedule(session) : NULL;
	if (gathering.schedule &&
	    (uncore_schedule_slices(gathering.schedule) < 2 ||
	     !gathering.row->num_events))
		gathering.schedule = NULL;
	if (gathering.schedule)
		add_time(&gathering, run, counts);
	if (gathering.schedule && !(counts->seconds > 0))
		reason = "its events were never counted at the same time";
	code = gather(&gathering, reason);
	if (code)
		free(gathering.rows);
	else
		counts->counts = gathering.rows;
	counts->num = code ? 0 : gathering.num;
	return code;
}
