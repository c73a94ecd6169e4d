/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording as tables: the questions of views.sql, and what is known of
 * events and boxes without one.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "tool.h"

/* Where the rows of a question go; of one with rows below, the first value is
 * the number of the row that it belongs to. */
struct answer {
	struct table *table;
	size_t *ends; /* of each row above; NULL: there is none */
	size_t num_above;
	bool is_numbered;
};

static bool take(void *context, const struct uncore_recorded_value *row)
{
	const struct answer *answer = context;
	struct table *table = answer->table;
	size_t above = (size_t)row->number - 1;
	size_t at = table_add_row(table);

	row += answer->is_numbered;
	for (size_t i = 0; i < table->num_columns; i++)
		if (table->columns[i].kind == TABLE_TEXT)
			table_set_text(table, at, i, row[i].text);
		else
			table_set(table, at, i, row[i].number);
	if (answer->ends && above < answer->num_above)
		answer->ends[above] = table->num_rows;
	return true;
}

static int ask(struct reader *reader, const char *text,
	       const struct reader_limits *limits, struct answer *answer)
{
	const long values[] = {
		reader->socket,
		limits->rows ? (long)limits->rows : INT_MAX,
		limits->below ? (long)limits->below : INT_MAX,
	};
	char *error = NULL;
	int code = uncore_recording_query(reader->recording, text, values, 3,
					  take, answer, &error);

	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int ask_below(struct reader *reader, const struct reader_view *view,
		     const struct reader_limits *limits, struct table *table)
{
	struct answer answer = { .table = table_below(table, view->name_below),
				 .ends = tool_new(table->num_rows,
						  sizeof(*answer.ends)),
				 .num_above = table->num_rows,
				 .is_numbered = true };
	int status;

	table->below_ends = answer.ends;
	table_add_columns(answer.table, view->columns_below);
	status = ask(reader, view->below, limits, &answer);
	for (size_t i = 1; i < table->num_rows; i++)
		if (!answer.ends[i])
			answer.ends[i] = answer.ends[i - 1];
	return status;
}

int reader_view(struct reader *reader, const char *name,
		const struct reader_limits *limits, struct table *table)
{
	const struct reader_view *view = reader_views;
	struct answer answer = { .table = table };
	int status;

	while (strcmp(view->name, name) != 0)
		view++;
	answer.is_numbered = view->below;
	table_init(table, view->name, view->title);
	table_add_columns(table, view->columns);
	status = ask(reader, view->text, limits, &answer);
	if (!status && view->below)
		status = ask_below(reader, view, limits, table);
	return status;
}

int reader_events(struct reader *reader, struct table *table)
{
	table_init(table, "events", "What was recorded");
	table_add_column(table, "total", reader->is_estimate ? "estimate" : "",
			 TABLE_COUNT);
	table_add_columns(table, "per_second:r samples:n period:n event:t");
	for (size_t i = 0; i < reader->num_events; i++) {
		const struct reader_event *event = &reader->events[i];
		double period = event->period ? (double)event->period : NAN;

		table_add(table, round(event->total),
			  reader->seconds > 0 ? event->total / reader->seconds
					      : NAN,
			  event->period ? (double)event->num_samples : NAN,
			  period, event->text);
	}
	return TOOL_OK;
}

int reader_boxes(struct reader *reader, struct table *table)
{
	table_init(table, "boxes", "By box");
	table_add_columns(table, "box:t total:n share:% samples:n event:t");
	for (size_t i = 0; i < reader->num_spots; i++) {
		const struct reader_spot *spot = &reader->spots[i];
		const struct reader_event *event = &reader->events[spot->event];
		char name[64];

		snprintf(name, sizeof(name), "S%u %s%u", spot->socket,
			 event->box, spot->instance);
		table_add(table, name, round(spot->total),
			  event->total > 0 ? spot->total / event->total : NAN,
			  event->period ? (double)spot->num_samples : NAN,
			  event->text);
	}
	return TOOL_OK;
}
