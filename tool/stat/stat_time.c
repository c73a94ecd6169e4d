/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The clock is asked, and not added up from what was waited for: a model looks
 * up from its work a little late, and a processor whenever it likes.
 */
#include "stat_time.h"

#include <math.h>
#include <stdint.h>

#include "tool/counting.h"
#include "tool/tool.h"

double stat_time_now(const struct stat_time *time)
{
	return subject_seconds(&time->counting->subject) - time->start;
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

static void begin(struct stat_time *time, double now)
{
	time->counts = true;
	time->status = time->begin(time->context, now);
	time->next_lap = now + or_never(time->asked->interval);
}

/* Laps end where they should, or at the first look at the clock after it. */
static void lap(struct stat_time *time, double now)
{
	while (is_due(now, time->next_lap))
		time->next_lap += time->asked->interval;
	if (!time->status)
		time->status = time->lap(time->context);
}

int stat_time_start(struct stat_time *time)
{
	time->start = subject_seconds(&time->counting->subject);
	if (!time->asked->delay)
		begin(time, 0);
	return time->status;
}

double stat_time_pass(void *context)
{
	struct stat_time *time = context;
	double now = stat_time_now(time), next;

	if (!time->counts && is_due(now, time->asked->delay))
		begin(time, now);
	else if (time->counts && is_due(now, time->counting->next_turn))
		counting_rotate(time->counting, now, NULL);
	if (time->counts && is_due(now, time->next_lap))
		lap(time, now);
	if (!time->is_over &&
	    (time->status || is_due(now, or_never(time->asked->timeout)))) {
		time->is_over = true;
		run_end(&time->counting->subject.run);
	}
	next = time->counts ? fmin(time->counting->next_turn, time->next_lap)
			    : time->asked->delay;
	if (!time->is_over)
		next = fmin(next, or_never(time->asked->timeout));
	return isfinite(next) ? fmax(next - now, 1e-9) : 0;
}
