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
#include "uncore/uncore.h"

struct record_interval {
	double next_sample;		    /* seconds since the start */
	double least_turn;		    /* what it can wait for */
	struct uncore_sample_count *counts; /* of a socket */
};

static int open_intervals(struct record *record)
{
	const struct counting_settings counting = COUNTING_OF(record->settings);
	struct watch *watch = &record->watch;
	int status = counting_open_session(&watch->counting, &counting);

	if (!status)
		status = watch_make_room(watch);
	if (status)
		return status;
	record->interval = calloc(1, sizeof(*record->interval));
	if (record->interval)
		record->interval->counts =
			calloc(watch->num_counts + 1,
			       sizeof(*record->interval->counts));
	return record->interval && record->interval->counts
		       ? TOOL_OK
		       : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

static int start(struct record *record)
{
	struct record_interval *interval = record->interval;
	struct uncore_target_status status;

	interval->next_sample = record->settings->interval_seconds;
	interval->least_turn = 1e-9;
	/* a model elsewhere may be slower than the wall clock that is waited
	 * for, and to ask it costs */
	if (!uncore_target_status(record->subject->target, &status) &&
	    !status.is_stepped)
		interval->least_turn = 1e-4;
	return watch_begin(&record->watch);
}

size_t record_sweep(const struct watch *watch, unsigned socket,
		    struct uncore_sample *sample,
		    struct uncore_sample_count *counts)
{
	size_t num = 0;

	*sample = (struct uncore_sample){
		.kind = UNCORE_SAMPLE_INTERVAL,
		.cycle = watch->clock_hz > 0 ? (uint64_t)watch->whole.cycles
					     : UNCORE_NO_CYCLE,
		.seconds = watch->whole.seconds,
		.length_seconds = watch->since.seconds,
		.socket = socket,
		.event = -1,
		.instance = -1,
		.core = -1,
		.position = -1,
		.thread = -1,
	};
	for (size_t i = 0; i < watch->num_counts; i++) {
		const struct watch_count *count = &watch->counts[i];

		if (count->socket == socket && count->valid)
			counts[num++] = (struct uncore_sample_count){
				.event = count->event_index,
				.instance = count->instance,
				.value = count->seen,
				.seconds = count->seen_seconds,
			};
	}
	return num;
}

/* What has counted and cannot be told, or never again, would be missing from
 * sums without a word: the recording ends before it. */
static bool is_spoiled(struct record *record)
{
	const struct uncore_session *session = record->watch.counting.session;
	struct uncore_count count;
	char *error = NULL;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++) {
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
	struct uncore_sample_count *counts = record->interval->counts;
	struct watch *watch = &record->watch;
	unsigned num_sockets = uncore_target_sockets(record->subject->target);
	struct uncore_sample sample;
	int status = watch_sweep(watch);

	record_ended(record, status);
	if (status || is_spoiled(record))
		return;
	for (unsigned i = 0; i < num_sockets; i++) {
		size_t num = record_sweep(watch, i, &sample, counts);

		sample.kind = kind;
		record_file_add(record, &sample, counts, num);
	}
}

static double turn(void *context)
{
	struct record *record = context;
	struct record_interval *interval = record->interval;
	double length = record->settings->interval_seconds;
	double now = watch_now(&record->watch);

	if (now >= interval->next_sample) {
		take_sample(record, UNCORE_SAMPLE_INTERVAL);
		interval->next_sample =
			(floor(now / length + 1e-9) + 1) * length;
	}
	watch_turn(&record->watch, now);
	record_ended(record, record->watch.status);
	record_file_pass(record);
	return fmax(
		fmin(interval->next_sample, record->watch.counting.next_turn) -
			now,
		interval->least_turn);
}

static int stop(struct record *record)
{
	int status = counting_stop(&record->watch.counting);

	if (!status)
		take_sample(record, UNCORE_SAMPLE_END);
	return status;
}

static void close_intervals(struct record *record)
{
	if (record->interval)
		free(record->interval->counts);
	free(record->interval);
}

const struct record_way record_intervals = { open_intervals, start, turn, stop,
					     close_intervals };
