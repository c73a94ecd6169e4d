/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Recording of samples that time takes. Events that do not fit together take
 * turns; a count then belongs to the part of the interval in which its event
 * counted. Intervals are told from the start, so that a late one does not
 * delay the next.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "record.h"
#include "tool/tool.h"
#include "uncore/schedule.h"
#include "uncore/uncore.h"

struct record_interval {
	uint64_t start_cycle;
	double start_seconds; /* wall time, where there are no cycles */
	double next_sample;   /* seconds since the start */
	double next_turn;     /* of the slices */
	double last;	      /* of the last sample */
	double least_turn;    /* what it can wait for */
	bool has_begun;
	size_t num_counts;
	uint64_t *seen;	       /* at the last sample, of each count */
	double *slice_seconds; /* the same, of each slice */
	double *slice_growth;
	size_t num_slices;
	struct uncore_sample_count *counts; /* of a socket */
};

/* Seconds since the start; the cycle where there is one. */
static double now_seconds(const struct record *record, uint64_t *cycle)
{
	const struct record_interval *interval = record->interval;
	double clock_hz;

	*cycle = UNCORE_NO_CYCLE;
	if (!subject_cycle(&record->subject, cycle, &clock_hz))
		return span_now_seconds() - interval->start_seconds;
	*cycle -= interval->start_cycle;
	return (double)*cycle / clock_hz;
}

static int open_session(struct record *record)
{
	const struct record_settings *settings = record->settings;
	const char *seed = settings->subject.seed;
	struct uncore_session_options options = {
		.struct_size = sizeof(options),
		.no_multiplex = settings->no_multiplex,
		.takes_turns = settings->takes_turns,
		.force = settings->force,
		.seed = seed ? strtoull(seed, NULL, 0) : 0,
	};
	struct event_plan plan;
	int status = event_plan_make(&plan, &record->set);
	char *error = NULL;
	int code = 0;

	options.groups = plan.groups;
	options.num_groups = plan.num_groups;
	if (!status)
		code = uncore_session_open_with(record->subject.target,
						plan.events, plan.num, &options,
						&record->session, &error);
	event_plan_free(&plan);
	return code ? tool_fail_with(code, error) : status;
}

int record_interval_open(struct record *record)
{
	struct record_interval *interval = calloc(1, sizeof(*interval));
	const struct uncore_schedule *schedule;
	struct uncore_count count;
	int status;

	record->interval = interval;
	if (!interval)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	status = open_session(record);
	if (status)
		return status;
	while (uncore_session_count(record->session, interval->num_counts,
				    &count))
		interval->num_counts++;
	schedule = uncore_session_schedule(record->session);
	interval->num_slices = schedule ? uncore_schedule_slices(schedule) : 1;
	interval->seen = calloc(interval->num_counts, sizeof(uint64_t));
	interval->counts =
		calloc(interval->num_counts, sizeof(*interval->counts));
	interval->slice_seconds = calloc(interval->num_slices, sizeof(double));
	interval->slice_growth = calloc(interval->num_slices, sizeof(double));
	if (!interval->seen || !interval->counts || !interval->slice_seconds ||
	    !interval->slice_growth)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	return TOOL_OK;
}

int record_interval_start(struct record *record)
{
	struct record_interval *interval = record->interval;
	struct uncore_target_status status;
	double clock_hz;
	char *error = NULL;
	int code = uncore_session_start(record->session, &error);

	if (code)
		return tool_fail_with(code, error);
	interval->start_seconds = span_now_seconds();
	subject_cycle(&record->subject, &interval->start_cycle, &clock_hz);
	interval->next_sample = record->settings->interval_seconds;
	interval->least_turn = 1e-9;
	/* a model elsewhere may be slower than the wall clock that is waited
	 * for, and to ask it costs */
	if (!uncore_target_status(record->subject.target, &status) &&
	    !status.is_stepped)
		interval->least_turn = 1e-4;
	return TOOL_OK;
}

/* How long each slice has counted since the last sample. */
static void grow_slices(struct record *record)
{
	struct record_interval *interval = record->interval;
	struct uncore_slice_time time;

	for (size_t i = 0; i < interval->num_slices; i++) {
		if (!uncore_session_slice_time(record->session, i, &time))
			continue;
		interval->slice_growth[i] =
			time.seconds - interval->slice_seconds[i];
		interval->slice_seconds[i] = time.seconds;
	}
}

/* What never took turns counted all the time, whatever two clocks say that were
 * read one after the other. */
static double counted_seconds(const struct record *record, size_t event,
			      double length)
{
	const struct record_interval *interval = record->interval;
	const struct uncore_schedule *schedule =
		uncore_session_schedule(record->session);
	double seconds = 0;

	if (interval->num_slices == 1)
		return length;
	for (size_t i = 0; i < interval->num_slices; i++)
		if (uncore_schedule_item(schedule, i, event) >= 0)
			seconds += interval->slice_growth[i];
	return seconds;
}

static size_t take_counts(struct record *record, unsigned socket, double length)
{
	struct record_interval *interval = record->interval;
	struct uncore_count count;
	size_t num = 0;

	for (size_t i = 0; i < interval->num_counts; i++) {
		if (!uncore_session_count(record->session, i, &count) ||
		    count.socket != socket || !count.valid)
			continue;
		interval->counts[num++] = (struct uncore_sample_count){
			.event = count.event_index,
			.instance = count.instance,
			.value = count.seen - interval->seen[i],
			.seconds = counted_seconds(record, count.event_index,
						   length),
		};
		interval->seen[i] = count.seen;
	}
	return num;
}

/* What has counted and cannot be told, or never again, would be missing from
 * sums without a word: the recording ends before it. */
static bool is_spoiled(struct record *record)
{
	struct uncore_count count;
	char *error = NULL;

	for (size_t i = 0; i < record->interval->num_counts; i++) {
		uncore_session_count(record->session, i, &count);
		if (count.valid || count.share <= 0)
			continue;
		if (asprintf(&error, "%s: %s", uncore_event_text(count.event),
			     count.reason) < 0)
			error = NULL;
		record_failed(record, UNCORE_ERR_IN_USE, error);
		return true;
	}
	return false;
}

static void take_sample(struct record *record, enum uncore_sample_kind kind)
{
	struct record_interval *interval = record->interval;
	struct uncore_sample sample = {
		.kind = kind,
		.event = -1,
		.instance = -1,
		.core = -1,
		.position = -1,
		.thread = -1,
	};
	unsigned num_sockets = uncore_target_sockets(record->subject.target);
	char *error = NULL;
	int code = uncore_session_read(record->session, &error);

	if (code)
		record_failed(record, code, error);
	if (code || is_spoiled(record))
		return;
	sample.seconds = now_seconds(record, &sample.cycle);
	sample.length_seconds = sample.seconds - interval->last;
	interval->last = sample.seconds;
	grow_slices(record);
	for (unsigned i = 0; i < num_sockets; i++) {
		sample.socket = i;
		record_file_add(record, &sample, interval->counts,
				take_counts(record, i, sample.length_seconds));
	}
}

/* The slices' next turn. */
static void rotate(struct record *record, double now)
{
	struct record_interval *interval = record->interval;
	char *error = NULL;
	int code = interval->has_begun
			   ? uncore_session_rotate(record->session, &error)
			   : 0;

	interval->has_begun = true;
	interval->next_turn =
		now + uncore_session_turn_seconds(record->session);
	if (code)
		record_failed(record, code, error);
}

double record_interval_turn(void *context)
{
	struct record *record = context;
	struct record_interval *interval = record->interval;
	double length = record->settings->interval_seconds;
	uint64_t cycle;
	double now = now_seconds(record, &cycle);

	if (now >= interval->next_sample) {
		take_sample(record, UNCORE_SAMPLE_INTERVAL);
		interval->next_sample =
			(floor(now / length + 1e-9) + 1) * length;
	}
	if (now >= interval->next_turn)
		rotate(record, now);
	record_file_pass(record);
	return fmax(fmin(interval->next_sample, interval->next_turn) - now,
		    interval->least_turn);
}

int record_interval_stop(struct record *record)
{
	char *error = NULL;
	int code = uncore_session_stop(record->session, &error);

	if (code)
		return tool_fail_with(code, error);
	take_sample(record, UNCORE_SAMPLE_END);
	return TOOL_OK;
}

void record_interval_close(struct record *record)
{
	struct record_interval *interval = record->interval;

	uncore_session_close(record->session);
	if (!interval)
		return;
	free(interval->seen);
	free(interval->counts);
	free(interval->slice_seconds);
	free(interval->slice_growth);
	free(interval);
}
