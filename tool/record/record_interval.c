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
	struct monitor *monitor = &record->monitor;
	int status = counting_open_session(&monitor->counting, &counting);

	if (status)
		return status;
	monitor_make_room(monitor);
	record->interval = tool_new(1, sizeof(*record->interval));
	record->interval->counts = tool_new(monitor->num_counts,
					    sizeof(*record->interval->counts));
	return TOOL_OK;
}

static int start(struct record *record)
{
	struct record_interval *interval = record->interval;
	struct uncore_target_status status;

	interval->next_sample = record->settings->interval_seconds;
	interval->least_turn = 1e-9;
	/* a model elsewhere may be slower than the wall clock that is waited
	 * for, and to ask it costs */
	if (!uncore_target_status(record->target->registers, &status) &&
	    !status.is_stepped)
		interval->least_turn = 1e-4;
	return monitor_begin(&record->monitor);
}

size_t record_sweep(const struct monitor *monitor, unsigned socket,
		    struct uncore_sample *sample,
		    struct uncore_sample_count *counts)
{
	size_t num = 0;

	*sample = (struct uncore_sample){
		.kind = UNCORE_SAMPLE_INTERVAL,
		.cycle = monitor->clock_hz > 0 ? (uint64_t)monitor->whole.cycles
					       : UNCORE_NO_CYCLE,
		.seconds = monitor->whole.seconds,
		.length_seconds = monitor->since.seconds,
		.socket = socket,
		.event = -1,
		.instance = -1,
		.core = -1,
		.position = -1,
		.thread = -1,
	};
	for (size_t i = 0; i < monitor->num_counts; i++) {
		const struct monitor_count *count = &monitor->counts[i];

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
	const struct uncore_session *session = record->monitor.counting.session;
	struct uncore_count count;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++) {
		if (count.valid || count.share <= 0)
			continue;
		record_failed(record, UNCORE_ERR_IN_USE,
			      tool_print("%s: %s",
					 uncore_event_text(count.event),
					 count.reason));
		return true;
	}
	return false;
}

static void take_sample(struct record *record, enum uncore_sample_kind kind)
{
	struct uncore_sample_count *counts = record->interval->counts;
	struct monitor *monitor = &record->monitor;
	unsigned num_sockets = uncore_target_sockets(record->target->registers);
	struct uncore_sample sample;
	int status = monitor_sweep(monitor);

	record_ended(record, status);
	if (status || is_spoiled(record))
		return;
	for (unsigned i = 0; i < num_sockets; i++) {
		size_t num = record_sweep(monitor, i, &sample, counts);

		sample.kind = kind;
		record_file_add(record, &sample, counts, num);
	}
}

static double turn(void *context)
{
	struct record *record = context;
	struct record_interval *interval = record->interval;
	double length = record->settings->interval_seconds;
	double now = monitor_now(&record->monitor);

	if (now >= interval->next_sample) {
		take_sample(record, UNCORE_SAMPLE_INTERVAL);
		interval->next_sample =
			(floor(now / length + 1e-9) + 1) * length;
	}
	monitor_turn(&record->monitor, now);
	record_ended(record, record->monitor.status);
	record_file_pass(record);
	return fmax(fmin(interval->next_sample,
			 record->monitor.counting.next_turn) -
			    now,
		    interval->least_turn);
}

static int stop(struct record *record)
{
	int status = counting_stop(&record->monitor.counting);

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
