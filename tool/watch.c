/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counts are kept here besides those of the session, since these are estimates
 * of the whole run where events take turns, and may fall when a turn has told
 * them better. Here a turn stands for the time since the turn before, and what
 * was added stays added.
 */
#include "watch.h"

#include <math.h>
#include <stdlib.h>

#include "tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

/* Of a model in this process, between two looks at the clock on the wall. */
#define QUANTUM_SECONDS 1e-5
/* Of wall time, that it works before others get a word in. */
#define PORTION_SECONDS 0.02
/* Elsewhere, between two looks whether all is there still. */
#define LOOK_SECONDS 0.2
/* A model elsewhere may be slower than the wall clock that is waited for. */
#define LEAST_SECONDS 1e-3

static struct uncore_metric_run passed(const struct watch *watch)
{
	struct uncore_metric_run now = subject_now(&watch->counting.subject);

	now = subject_since(&watch->start, &now);
	if (watch->clock_hz > 0)
		now.seconds = now.cycles / watch->clock_hz;
	return now;
}

double watch_now(const struct watch *watch)
{
	return passed(watch).seconds;
}

static bool is_in_all(const struct uncore_schedule *schedule, size_t event)
{
	for (size_t i = 0; i < uncore_schedule_slices(schedule); i++)
		if (uncore_schedule_item(schedule, i, event) < 0)
			return false;
	return true;
}

static void name_count(const struct watch *watch,
		       const struct uncore_count *count, struct watch_count *to)
{
	const struct uncore_schedule *schedule =
		uncore_session_schedule(watch->counting.session);

	*to = (struct watch_count){
		.event = count->event,
		.event_index = count->event_index,
		.socket = count->socket,
		.instance = count->instance,
		.reason = "nothing was read yet",
		.growth = NAN,
		.is_estimate =
			schedule && !is_in_all(schedule, count->event_index),
	};
}

int watch_make_room(struct watch *watch)
{
	const struct uncore_session *session = watch->counting.session;
	struct uncore_count count;
	size_t num = 0;

	if (!session)
		return TOOL_OK;
	while (uncore_session_count(session, num, &count))
		num++;
	watch->num_slices = counting_slices(&watch->counting);
	watch->counts = calloc(num + 1, sizeof(*watch->counts));
	watch->slices = calloc(watch->num_slices, sizeof(*watch->slices));
	if (!watch->counts || !watch->slices)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (; uncore_session_count(session, watch->num_counts, &count);
	     watch->num_counts++)
		name_count(watch, &count, &watch->counts[watch->num_counts]);
	return TOOL_OK;
}

int watch_open(struct watch *watch, const struct counting_settings *settings,
	       const char *command)
{
	int status = TOOL_OK;

	if (settings->subject->replay || settings->subject->region)
		status = tool_fail(
			TOOL_USAGE,
			"%s: '%s' shows what goes on now, all of it; "
			"'uncore stat' counts recordings of guests "
			"and single regions",
			settings->subject->replay ? "--replay" : "--region",
			command);
	if (!status)
		status = counting_open(&watch->counting, settings, command);
	return status ? status : watch_make_room(watch);
}

int watch_close(struct watch *watch, int status)
{
	uncore_metric_source_free(watch->source);
	free(watch->counts);
	free(watch->slices);
	return counting_close(&watch->counting, status);
}

void watch_turn(struct watch *watch, double now)
{
	char *error = NULL;
	int code;

	if (now < watch->counting.next_turn)
		return;
	code = counting_rotate(&watch->counting, now, &error);
	if (code) {
		watch->status = tool_fail_with(code, error);
		run_stop();
	}
}

/* As struct run wants it. */
static double turn(void *context)
{
	struct watch *watch = context;
	double now = watch_now(watch);

	watch_turn(watch, now);
	return fmin(fmax(watch->counting.next_turn - now, 1e-9),
		    watch->counting.subject.model ? QUANTUM_SECONDS : INFINITY);
}

int watch_begin(struct watch *watch)
{
	int status = counting_begin(&watch->counting, 0);

	if (status)
		return status;
	watch->has_started = true;
	watch->start = subject_now(&watch->counting.subject);
	watch->clock_hz = watch->start.clock_hz;
	return TOOL_OK;
}

int watch_start(struct watch *watch)
{
	struct run *run = &watch->counting.subject.run;
	int status = subject_prepare(&watch->counting.subject);

	if (!status)
		status = watch_begin(watch);
	if (status)
		return status;
	run->turn = turn;
	run->context = watch;
	status = run_begin(run);
	watch->runs = !status;
	return status;
}

/* Whether the registers are gone; said once. */
static bool is_gone(struct watch *watch, int *status)
{
	const char *error = uncore_target_error(watch->counting.subject.target);

	if (!*error)
		return false;
	*status = tool_fail(TOOL_FAILED, "%s", error);
	return true;
}

/* Seconds until it is to be called again at the latest. */
static double go_on(struct watch *watch, int *status)
{
	struct subject *subject = &watch->counting.subject;
	struct uncore_target_status found;

	*status = run_go_on(&subject->run, PORTION_SECONDS, &watch->is_over);
	*status = *status ? *status : watch->status;
	watch->is_over |= *status || is_gone(watch, status);
	if (watch->is_over || subject->model ||
	    (!uncore_target_status(subject->target, &found) &&
	     found.is_stepped))
		return 0;
	return fmin(fmax(watch->counting.next_turn - watch_now(watch),
			 LEAST_SECONDS),
		    LOOK_SECONDS);
}

int watch_drive(struct watch *watch,
		bool (*others)(void *context, double seconds), void *context)
{
	int status;
	double wait;

	do
		wait = go_on(watch, &status);
	while (!watch->is_over && others(context, wait));
	return status;
}

/* How long each slice has counted since the last sweep. */
static void grow_slices(struct watch *watch)
{
	struct uncore_slice_time time;

	for (size_t i = 0; i < watch->num_slices; i++) {
		if (!uncore_session_slice_time(watch->counting.session, i,
					       &time))
			continue;
		watch->slices[i].growth =
			time.seconds - watch->slices[i].seconds;
		watch->slices[i].seconds = time.seconds;
	}
}

static double counted_seconds(const struct watch *watch, size_t event)
{
	const struct uncore_schedule *schedule =
		uncore_session_schedule(watch->counting.session);
	double seconds = 0;

	/* what never takes turns counts all the time, whatever two clocks say
	 * that are read one after the other */
	if (watch->num_slices == 1)
		return watch->since.seconds;
	for (size_t i = 0; i < watch->num_slices; i++)
		if (uncore_schedule_item(schedule, i, event) >= 0)
			seconds += watch->slices[i].growth;
	return seconds;
}

/* A turn stands for the time since the one before; with none there is nothing
 * to tell yet. */
static void grow_estimate(const struct watch *watch, struct watch_count *to)
{
	double sample;

	to->since_turn += watch->since.seconds;
	to->growth = NAN;
	if (!(to->seen_seconds > 0))
		return;
	sample = (double)to->seen / fmin(to->seen_seconds, to->since_turn);
	to->growth = sample * watch->since.seconds;
	to->estimate += sample * to->since_turn;
	to->total = (uint64_t)to->estimate;
	to->since_turn = 0;
}

static void take_counts(struct watch *watch)
{
	const struct uncore_session *session = watch->counting.session;
	struct uncore_count count;

	for (size_t i = 0; i < watch->num_counts; i++) {
		struct watch_count *to = &watch->counts[i];

		if (!uncore_session_count(session, i, &count))
			continue;
		to->valid = count.valid;
		to->reason = count.reason;
		to->seen = count.valid ? count.seen - to->all_seen : 0;
		to->seen_seconds =
			count.valid ? counted_seconds(watch, count.event_index)
				    : 0;
		if (!count.valid) {
			to->growth = NAN;
		} else if (to->is_estimate) {
			grow_estimate(watch, to);
		} else {
			to->growth = (double)(count.value - to->total);
			to->total = count.value;
		}
		if (count.valid)
			to->all_seen = count.seen;
	}
}

/* On real hardware the fixed counter tells the cycles, where it is counted. */
static void take_time(struct watch *watch)
{
	struct uncore_metric_run before = watch->whole, *whole = &watch->whole;

	*whole = passed(watch);
	if (!watch->clock_hz)
		whole->cycles = (double)counting_clock(&watch->counting);
	whole->clock_hz =
		whole->seconds > 0 ? whole->cycles / whole->seconds : 0;
	watch->since = subject_since(&before, whole);
}

int watch_sweep(struct watch *watch)
{
	double start = span_now_seconds();
	int status = counting_read(&watch->counting);

	if (status)
		return status;
	take_time(watch);
	if (watch->counting.session) {
		grow_slices(watch);
		take_counts(watch);
	}
	uncore_metric_source_free(watch->source);
	watch->source = NULL;
	watch->num_sweeps++;
	watch->sweep_seconds = span_now_seconds() - start;
	return TOOL_OK;
}

int watch_stop(struct watch *watch)
{
	struct subject *subject = &watch->counting.subject;
	int status = TOOL_OK, ended = TOOL_OK;

	if (watch->has_started && !*uncore_target_error(subject->target)) {
		status = counting_stop(&watch->counting);
		status = status ? status : watch_sweep(watch);
	}
	if (watch->runs)
		ended = run_finish(&subject->run, &watch->exit_status);
	watch->runs = watch->has_started = false;
	return status ? status : ended;
}
