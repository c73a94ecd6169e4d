/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a session counted, gathered for one metric. Where events took turns,
 * counts of the slices in which all events of the metric ran belong together: a
 * ratio of these is far more exact than one of estimates of their own. Where
 * there is no such slice, each event has its own estimate.
 */
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/sampled.h"
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
	bool is_sampled; /* its time is an estimate */
	struct uncore_estimate time;
	bool lacks_time;
};

/* A metric that is gathered. */
struct gathering {
	const struct uncore_metric_source *source;
	const struct metric_row *row;
	size_t first[METRIC_MAX_EVENTS]; /* row of each event; none: num_rows */
	bool *slices;	/* in which all its events ran; NULL: there are none */
	bool is_sample; /* an event did not count all the time */
	struct uncore_metric_count *counts;
	struct uncore_estimate *estimates; /* behind the counts */
	size_t num, num_estimates;
	double share; /* the least of an event */
};

/* Of a sampled run the windows tell it, unless they are too few. */
static void set_time(struct uncore_metric_source *source)
{
	struct uncore_sampling sampling;

	source->is_sampled = sampled_time(source->session, &source->time);
	if (!source->is_sampled &&
	    uncore_session_sampling(source->session, &sampling))
		source->lacks_time = sampling.share < 1;
}

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
	if (session)
		set_time(new);
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

static size_t event_rows(const struct gathering *gathering, size_t event)
{
	const struct uncore_metric_source *source = gathering->source;
	size_t first = gathering->first[event], num = 0;

	while (first + num < source->num_rows &&
	       source->rows[first + num].event == source->rows[first].event)
		num++;
	return num;
}

/* Which slices count for it; false without memory. */
static bool find_slices(struct gathering *gathering)
{
	const struct uncore_metric_source *source = gathering->source;
	size_t num =
		source->schedule ? uncore_schedule_slices(source->schedule) : 0;
	bool any = false;

	for (size_t i = 0; i < gathering->row->num_events; i++)
		for (size_t n = 0; n < event_rows(gathering, i); n++)
			gathering->is_sample |=
				source->rows[gathering->first[i] + n]
					.is_estimate;
	if (!gathering->is_sample || !num)
		return true;
	gathering->slices = calloc(num, sizeof(*gathering->slices));
	if (!gathering->slices)
		return false;
	for (size_t s = 0; s < num; s++)
		any |= gathering->slices[s] = in_slice(gathering, s);
	if (!any) {
		free(gathering->slices);
		gathering->slices = NULL;
	}
	return true;
}

/* Counts and their estimates are one piece of memory. */
static bool make_room(struct gathering *gathering)
{
	size_t num = 0, size;

	for (size_t i = 0; i < gathering->row->num_events; i++)
		num += event_rows(gathering, i);
	size = (num + 1) * sizeof(*gathering->counts);
	gathering->counts =
		calloc(1, size + (gathering->is_sample ? num : 0) *
					  sizeof(*gathering->estimates));
	if (!gathering->counts)
		return false;
	gathering->estimates = (void *)((char *)gathering->counts + size);
	return true;
}

static void gather_estimate(struct gathering *gathering, size_t index,
			    struct uncore_metric_count *count)
{
	const struct uncore_metric_source *source = gathering->source;
	struct uncore_estimate *estimate =
		&gathering->estimates[gathering->num_estimates];

	if (!source->rows[index].is_estimate && !gathering->slices)
		return;
	if (!uncore_session_estimate(source->session, &index, 1,
				     gathering->slices, estimate)) {
		if (!count->reason)
			count->reason = "its turn never came: the run was too "
					"short";
		return;
	}
	/* a part may be too little to be told by itself */
	count->reason = NULL;
	gathering->num_estimates++;
	count->value = estimate->value;
	count->estimate = estimate;
	gathering->share = fmin(gathering->share, estimate->share);
}

static void gather_event(struct gathering *gathering, size_t event)
{
	const struct uncore_metric_source *source = gathering->source;
	size_t first = gathering->first[event];

	for (size_t i = first; i < first + event_rows(gathering, event); i++) {
		const struct uncore_count *row = &source->rows[i];
		struct uncore_metric_count *count =
			&gathering->counts[gathering->num++];

		*count = (struct uncore_metric_count){
			.event = event,
			.socket = row->socket,
			.instance = row->instance,
			.index = i,
			.value = (double)row->value,
			.reason = row->valid ? NULL : row->reason,
		};
		if (gathering->is_sample)
			gather_estimate(gathering, i, count);
	}
}

int uncore_metric_source_counts(const struct uncore_metric_source *source,
				const struct uncore_metrics *metrics,
				size_t index,
				struct uncore_metric_counts *counts)
{
	struct gathering gathering = { .source = source,
				       .row = metrics->rows[index],
				       .share = 1 };
	bool fine;

	*counts = (struct uncore_metric_counts){
		.num_sockets = source->num_sockets,
		.seconds = source->run.seconds,
		.cycles = source->run.cycles,
		.share = 1,
		.instructions = source->run.instructions,
		.time = source->is_sampled ? &source->time : NULL,
		.lacks_time = source->lacks_time,
	};
	for (size_t i = 0; i < gathering.row->num_events; i++)
		gathering.first[i] =
			first_row(source, gathering.row->events[i].text);
	fine = find_slices(&gathering) && make_room(&gathering);
	for (size_t i = 0; i < gathering.row->num_events && fine; i++)
		gather_event(&gathering, i);
	counts->counts = gathering.counts;
	counts->num = gathering.num;
	counts->share = gathering.share;
	counts->is_apart = gathering.is_sample && !gathering.slices &&
			   gathering.row->num_events > 1;
	free(gathering.slices);
	return fine ? 0 : UNCORE_ERR_NO_MEMORY;
}
