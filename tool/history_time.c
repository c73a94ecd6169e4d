/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording over time. A sample tells what happened since the one before; it
 * is spread evenly over that time, so columns add up to the totals whatever the
 * steps.
 */
#include <math.h>
#include <stdlib.h>

#include "history.h"
#include "tool.h"
#include "uncore/uncore.h"

struct course {
	double *values; /* [bin][column] */
	size_t num_columns, num_events;
	unsigned num_bins;
	double step; /* seconds */
	bool per_socket;
};

static size_t column_of(const struct course *course, unsigned socket,
			size_t event)
{
	return course->per_socket ? socket * course->num_events + event : event;
}

static unsigned bin_of(const struct course *course, double seconds)
{
	double bin = course->step > 0 ? floor(seconds / course->step) : 0;

	if (bin < 0)
		return 0;
	return bin >= course->num_bins ? course->num_bins - 1 : (unsigned)bin;
}

static void spread(struct course *course, size_t column, double from,
		   double until, double value)
{
	unsigned first = bin_of(course, from), last = bin_of(course, until);

	for (unsigned bin = first; bin <= last; bin++) {
		double start = fmax(from, bin * course->step);
		double end = fmin(until, (bin + 1) * course->step);
		double part = until > from ? (end - start) / (until - from)
					   : bin == last;

		if (bin == last && last == course->num_bins - 1 && until > from)
			part = (until - start) / (until - from);
		course->values[bin * course->num_columns + column] +=
			value * fmax(part, 0);
	}
}

static void take(void *context, const struct uncore_sample *sample,
		 const struct uncore_sample_count *counts, size_t num_counts)
{
	struct course *course = context;

	for (size_t i = 0; i < num_counts; i++)
		if (counts[i].event < course->num_events)
			spread(course,
			       column_of(course, sample->socket,
					 counts[i].event),
			       fmax(sample->seconds - sample->length_seconds,
				    0),
			       sample->seconds,
			       history_value(sample, &counts[i]));
}

static void add_columns(const struct history *history,
			const struct course *course, struct sheet *sheet)
{
	char *name;

	sheet_add_column(sheet, "from", "s", SHEET_REAL);
	sheet_add_column(sheet, "until", "s", SHEET_REAL);
	for (size_t i = 0; i < course->num_columns; i++) {
		const char *event =
			history->events[i % course->num_events].text;
		int size = course->per_socket
				   ? asprintf(&name, "S%zu %s",
					      i / course->num_events, event)
				   : asprintf(&name, "%s", event);

		if (size < 0) {
			sheet->failed = true;
			return;
		}
		sheet_add_column(sheet, name, "", SHEET_COUNT);
		free(name);
	}
}

/* Whole numbers whose sum is the rounded sum: what rounding takes from one step
 * the next one gets. */
static void fill(const struct course *course, struct sheet *sheet)
{
	for (unsigned bin = 0; bin < course->num_bins; bin++) {
		size_t row = sheet_add_row(sheet);

		sheet_set(sheet, row, 0, bin * course->step);
		sheet_set(sheet, row, 1, (bin + 1) * course->step);
	}
	for (size_t i = 0; i < course->num_columns; i++) {
		double sum = 0, said = 0;

		for (unsigned bin = 0; bin < course->num_bins; bin++) {
			sum += course->values[bin * course->num_columns + i];
			sheet_set(sheet, bin, 2 + i, round(sum) - said);
			said = round(sum);
		}
	}
}

int history_time(struct history *history, unsigned num_bins, bool per_socket,
		 struct sheet *sheet)
{
	struct course course = {
		.num_events = history->num_events,
		.num_bins = num_bins,
		.step = history->seconds / num_bins,
		.per_socket = per_socket,
	};
	int status = TOOL_OK;

	sheet_init(sheet, "time", "Over time");
	sheet->chart = SHEET_LINES;
	sheet->chart_column = 2;
	course.num_columns =
		course.num_events * (per_socket ? history->num_sockets : 1);
	course.values = calloc(course.num_columns * num_bins + 1,
			       sizeof(*course.values));
	if (!course.values)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	status = history_each(history, take, &course);
	add_columns(history, &course, sheet);
	if (!status && !sheet->failed)
		fill(&course, sheet);
	free(course.values);
	if (!status && sheet->failed)
		status = tool_fail(TOOL_FAILED,
				   "out of memory, or too many columns");
	return status;
}
