/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The clock is asked, and not added up from what was waited for: a model looks
 * up from its work a little late, and a processor whenever it likes.
 */
#include <math.h>

#include "stat.h"
#include "tool/tool.h"

double stat_time_now(const struct stat *stat)
{
	return subject_seconds(&stat->counting.subject) - stat->time.start;
}

/* Times that were added up differ in their last digits. */
static bool is_due(double now, double when)
{
	return now + 1e-10 >= when;
}

static double or_never(double seconds)
{
	return seconds > 0 ? seconds : INFINITY;
}

static void begin(struct stat *stat, double now)
{
	stat->time.counts = true;
	stat->time.status = stat_begin(stat, now);
	stat->time.next_lap = now + or_never(stat->settings->times.interval);
}

/* Laps end where they should, or at the first look at the clock after it. */
static void lap(struct stat *stat, double now)
{
	while (is_due(now, stat->time.next_lap))
		stat->time.next_lap += stat->settings->times.interval;
	if (!stat->time.status)
		stat->time.status = stat_lap(stat);
}

int stat_time_start(struct stat *stat)
{
	stat->time.start = subject_seconds(&stat->counting.subject);
	if (!stat->settings->times.delay)
		begin(stat, 0);
	return stat->time.status;
}

double stat_time_pass(void *context)
{
	struct stat *stat = context;
	struct stat_time *time = &stat->time;
	const struct stat_times *asked = &stat->settings->times;
	struct counting *counting = &stat->counting;
	double now = stat_time_now(stat), next;

	if (!time->counts && is_due(now, asked->delay))
		begin(stat, now);
	else if (time->counts && is_due(now, counting->next_turn))
		counting_rotate(counting, now, NULL);
	if (time->counts && is_due(now, time->next_lap))
		lap(stat, now);
	if (!time->is_over &&
	    (time->status || is_due(now, or_never(asked->timeout)))) {
		time->is_over = true;
		run_end(&counting->subject.run);
	}
	next = time->counts ? fmin(counting->next_turn, time->next_lap)
			    : asked->delay;
	if (!time->is_over)
		next = fmin(next, or_never(asked->timeout));
	return isfinite(next) ? fmax(next - now, 1e-9) : 0;
}
