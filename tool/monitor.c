/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counts are kept here besides those of the session, since these are estimates
 * of the whole run where events take turns, and may fall when a turn has told
 * them better. Here a turn stands for the time since the turn before, and what
 * was added stays added.
 */
#include "monitor.h"

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

static struct uncore_metric_run passed(const struct monitor *monitor)
{
	struct uncore_metric_run now = target_now(&monitor->counting.target);

	now = target_since(&monitor->start, &now);
	if (monitor->clock_hz > 0)
		now.seconds = now.cycles / monitor->clock_hz;
	return now;
}

double monitor_now(const struct monitor *monitor)
{
	return passed(monitor).seconds;
}

static bool is_in_all(const struct uncore_schedule *schedule, size_t event)
{
	for (size_t i = 0; i < uncore_schedule_slices(schedule); i++)
		if (uncore_schedule_item(schedule, i, event) < 0)
			return false;
	return true;
}

static void name_count(const struct monitor *monitor,
		       const struct uncore_count *count,
		       struct monitor_count *to)
{
	const struct uncore_schedule *schedule =
		uncore_session_schedule(monitor->counting.session);

	*to = (struct monitor_count){
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

void monitor_make_room(struct monitor *monitor)
{
	const struct uncore_session *session = monitor->counting.session;
	struct uncore_count count;
	size_t num = 0;

	if (!session)
		return;
	while (uncore_session_count(session, num, &count))
		num++;
	monitor->num_slices = counting_slices(&monitor->counting);
	monitor->counts = tool_new(num + 1, sizeof(*monitor->counts));
	monitor->slices =
		tool_new(monitor->num_slices, sizeof(*monitor->slices));
	for (; uncore_session_count(session, monitor->num_counts, &count);
	     monitor->num_counts++)
		name_count(monitor, &count,
			   &monitor->counts[monitor->num_counts]);
}

int monitor_open(struct monitor *monitor,
		 const struct counting_settings *settings, const char *command)
{
	int status = TOOL_OK;

	if (settings->target->replay || settings->target->region)
		status = tool_fail(
			TOOL_USAGE,
			"%s: '%s' shows what goes on now, all of it; "
			"'uncore stat' counts recordings of guests "
			"and single regions",
			settings->target->replay ? "--replay" : "--region",
			command);
	if (!status)
		status = counting_open(&monitor->counting, settings, command);
	if (!status)
		monitor_make_room(monitor);
	return status;
}

int monitor_close(struct monitor *monitor, int status)
{
	uncore_metric_source_free(monitor->source);
	free(monitor->counts);
	free(monitor->slices);
	return counting_close(&monitor->counting, status);
}

void monitor_turn(struct monitor *monitor, double now)
{
	char *error = NULL;
	int code;

	if (now < monitor->counting.next_turn)
		return;
	code = counting_rotate(&monitor->counting, now, &error);
	if (code) {
		monitor->status = tool_fail_with(code, error);
		run_stop();
	}
}

/* As struct run wants it. */
static double turn(void *context)
{
	struct monitor *monitor = context;
	double now = monitor_now(monitor);

	monitor_turn(monitor, now);
	return fmin(fmax(monitor->counting.next_turn - now, 1e-9),
		    monitor->counting.target.model ? QUANTUM_SECONDS
						   : INFINITY);
}

int monitor_begin(struct monitor *monitor)
{
	int status = counting_begin(&monitor->counting, 0);

	if (status)
		return status;
	monitor->has_started = true;
	monitor->start = target_now(&monitor->counting.target);
	monitor->clock_hz = monitor->start.clock_hz;
	return TOOL_OK;
}

int monitor_start(struct monitor *monitor)
{
	struct run *run = &monitor->counting.target.run;
	int status = target_prepare(&monitor->counting.target);

	if (!status)
		status = monitor_begin(monitor);
	if (status)
		return status;
	run->turn = turn;
	run->context = monitor;
	status = run_begin(run);
	monitor->runs = !status;
	return status;
}

/* Whether the registers are gone; said once. */
static bool is_gone(struct monitor *monitor, int *status)
{
	const char *error =
		uncore_target_error(monitor->counting.target.registers);

	if (!*error)
		return false;
	*status = tool_fail(TOOL_FAILED, "%s", error);
	return true;
}

/* Seconds until it is to be called again at the latest. */
static double go_on(struct monitor *monitor, int *status)
{
	struct target *target = &monitor->counting.target;
	struct uncore_target_status found;

	*status = run_go_on(&target->run, PORTION_SECONDS, &monitor->is_over);
	*status = *status ? *status : monitor->status;
	monitor->is_over |= *status || is_gone(monitor, status);
	if (monitor->is_over || target->model ||
	    (!uncore_target_status(target->registers, &found) &&
	     found.is_stepped))
		return 0;
	return fmin(fmax(monitor->counting.next_turn - monitor_now(monitor),
			 LEAST_SECONDS),
		    LOOK_SECONDS);
}

int monitor_drive(struct monitor *monitor,
		  bool (*others)(void *context, double seconds), void *context)
{
	int status;
	double wait;

	do
		wait = go_on(monitor, &status);
	while (!monitor->is_over && others(context, wait));
	return status;
}

/* How long each slice has counted since the last sweep. */
static void grow_slices(struct monitor *monitor)
{
	struct uncore_slice_time time;

	for (size_t i = 0; i < monitor->num_slices; i++) {
		if (!uncore_session_slice_time(monitor->counting.session, i,
					       &time))
			continue;
		monitor->slices[i].growth =
			time.seconds - monitor->slices[i].seconds;
		monitor->slices[i].seconds = time.seconds;
	}
}

static double counted_seconds(const struct monitor *monitor, size_t event)
{
	const struct uncore_schedule *schedule =
		uncore_session_schedule(monitor->counting.session);
	double seconds = 0;

	/* what never takes turns counts all the time, whatever two clocks say
	 * that are read one after the other */
	if (monitor->num_slices == 1)
		return monitor->since.seconds;
	for (size_t i = 0; i < monitor->num_slices; i++)
		if (uncore_schedule_item(schedule, i, event) >= 0)
			seconds += monitor->slices[i].growth;
	return seconds;
}

/* A turn stands for the time since the one before; with none there is nothing
 * to tell yet. */
static void grow_estimate(const struct monitor *monitor,
			  struct monitor_count *to)
{
	double sample;

	to->since_turn += monitor->since.seconds;
	to->growth = NAN;
	if (!(to->seen_seconds > 0))
		return;
	sample = (double)to->seen / fmin(to->seen_seconds, to->since_turn);
	to->growth = sample * monitor->since.seconds;
	to->estimate += sample * to->since_turn;
	to->total = (uint64_t)to->estimate;
	to->since_turn = 0;
}

static void take_counts(struct monitor *monitor)
{
	const struct uncore_session *session = monitor->counting.session;
	struct uncore_count count;

	for (size_t i = 0; i < monitor->num_counts; i++) {
		struct monitor_count *to = &monitor->counts[i];

		if (!uncore_session_count(session, i, &count))
			continue;
		to->valid = count.valid;
		to->reason = count.reason;
		to->seen = count.valid ? count.seen - to->all_seen : 0;
		to->seen_seconds =
			count.valid
				? counted_seconds(monitor, count.event_index)
				: 0;
		if (!count.valid) {
			to->growth = NAN;
		} else if (to->is_estimate) {
			grow_estimate(monitor, to);
		} else {
			to->growth = (double)(count.value - to->total);
			to->total = count.value;
		}
		if (count.valid)
			to->all_seen = count.seen;
	}
}

/* On real hardware the fixed counter tells the cycles, where it is counted. */
static void take_time(struct monitor *monitor)
{
	struct uncore_metric_run before = monitor->whole,
				 *whole = &monitor->whole;

	*whole = passed(monitor);
	if (!monitor->clock_hz)
		whole->cycles = (double)counting_clock(&monitor->counting);
	whole->clock_hz =
		whole->seconds > 0 ? whole->cycles / whole->seconds : 0;
	monitor->since = target_since(&before, whole);
}

int monitor_sweep(struct monitor *monitor)
{
	double start = wall_seconds();
	int status = counting_read(&monitor->counting);

	if (status)
		return status;
	take_time(monitor);
	if (monitor->counting.session) {
		grow_slices(monitor);
		take_counts(monitor);
	}
	uncore_metric_source_free(monitor->source);
	monitor->source = NULL;
	monitor->num_sweeps++;
	monitor->sweep_seconds = wall_seconds() - start;
	return TOOL_OK;
}

int monitor_stop(struct monitor *monitor)
{
	struct target *target = &monitor->counting.target;
	int status = TOOL_OK, ended = TOOL_OK;

	if (monitor->has_started && !*uncore_target_error(target->registers)) {
		status = counting_stop(&monitor->counting);
		status = status ? status : monitor_sweep(monitor);
	}
	if (monitor->runs)
		ended = run_finish(&target->run, &monitor->exit_status);
	monitor->runs = monitor->has_started = false;
	return status ? status : ended;
}
