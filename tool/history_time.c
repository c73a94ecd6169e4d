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
	double *values;	 /* [step][column] */
	double *seconds; /* the same: in which it was counted */
	size_t num_columns, num_events;
	struct history_steps steps;
	bool per_socket;
};

static size_t column_of(const struct course *course, unsigned socket,
			size_t event)
{
	return course->per_socket ? socket * course->num_events + event : event;
}

static void take(void *context, const struct uncore_sample *sample,
		 const struct uncore_sample_count *counts, size_t num_counts)
{
	struct course *course = context;

	for (size_t i = 0; i < num_counts; i++) {
		size_t column;

		if (counts[i].event >= course->num_events ||
		    !history_is_counted(sample, &counts[i]))
			continue;
		column = column_of(course, sample->socket, counts[i].event);
		history_spread(&course->steps, sample,
			       history_value(sample, &counts[i]),
			       &course->values[column], course->num_columns);
		history_spread(&course->steps, sample, sample->length_seconds,
			       &course->seconds[column], course->num_columns);
	}
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
static void fill(const struct history *history, const struct course *course,
		 struct sheet *sheet)
{
	for (unsigned step = 0; step < course->steps.num; step++) {
		size_t row = sheet_add_row(sheet);

		sheet_set(sheet, row, 0, step * course->steps.seconds);
		sheet_set(sheet, row, 1, (step + 1) * course->steps.seconds);
	}
	for (size_t i = 0; i < course->num_columns; i++) {
		bool has_gaps =
			history->events[i % course->num_events].has_gaps;
		double sum = 0, said = 0;

		for (unsigned step = 0; step < course->steps.num; step++) {
			if (has_gaps &&
			    course->seconds[step * course->num_columns + i] <=
				    0)
				continue;
			sum += course->values[step * course->num_columns + i];
			sheet_set(sheet, step, 2 + i, round(sum) - said);
			said = round(sum);
		}
	}
}

int history_time(struct history *history, unsigned num_steps, bool per_socket,
		 struct sheet *sheet)
{
	struct course course = {
		.num_events = history->num_events,
		.steps = { num_steps, history->seconds / num_steps },
		.per_socket = per_socket,
	};
	int status = TOOL_OK;

	sheet_init(sheet, "time", "Over time");
	sheet->chart = SHEET_LINES;
	sheet->chart_column = 2;
	course.num_columns =
		course.num_events * (per_socket ? history->num_sockets : 1);
	course.values = calloc(course.num_columns * num_steps + 1,
			       sizeof(*course.values));
	course.seconds = calloc(course.num_columns * num_steps + 1,
				sizeof(*course.seconds));
	if (!course.values || !course.seconds) {
		free(course.values);
		free(course.seconds);
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	status = history_each(history, take, &course);
	add_columns(history, &course, sheet);
	if (!status && !sheet->failed)
		fill(history, &course, sheet);
	free(course.values);
	free(course.seconds);
	if (!status && sheet->failed)
		status = tool_fail(TOOL_FAILED,
				   "out of memory, or too many columns");
	return status;
}
