/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Recordings, as `uncore report` shows them: the same tables, read row by row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "tool/reader.h"
#include "tool/tool.h"
#include "uncore/error.h"
#include "uncore/recording.h"

/* Columns of the table of metrics. */
enum { METRIC_NAME, METRIC_VALUE, METRIC_UNIT, METRIC_WHY };

/* The column of a view that has this name; it has one. */
static size_t column(const struct table *table, const char *name)
{
	size_t i = 0;

	while (i < table->num_columns && strcmp(table->columns[i].name, name))
		i++;
	return i;
}

/* A count of a run is exact, unless the event took turns. */
static void add_events(struct results *results, const struct reader *reader)
{
	for (size_t i = 0; i < reader->num_events; i++) {
		const struct reader_event *event = &reader->events[i];
		const struct figure_key key = { FIGURE_EVENT, event->text, NULL,
						NULL };
		struct figure *figure = results_add(results, &key, event->total,
						    "its turn never came");

		if (figure)
			figure->standard_error = event->is_estimate ? NAN : 0;
	}
}

/* What is another value in a run that took longer is not known better than the
 * time is. */
static void add_metrics(struct results *results, const struct table *table,
			const struct table *slower)
{
	for (size_t row = 0; row < table->num_rows; row++) {
		double value = table_get(table, row, METRIC_VALUE);
		const struct figure_key key = {
			.kind = FIGURE_METRIC,
			.name = table_text(table, row, METRIC_NAME),
			.unit = table_text(table, row, METRIC_UNIT),
		};
		struct figure *figure =
			results_add(results, &key, value,
				    table_text(table, row, METRIC_WHY));

		if (figure && !isnan(value) && results->detail.runs &&
		    table_get(slower, row, METRIC_VALUE) != value)
			figure->standard_error = NAN;
	}
}

static const struct reader_event *find_event(const struct reader *reader,
					     const char *text)
{
	for (size_t i = 0; i < reader->num_events; i++)
		if (!strcmp(reader->events[i].text, text))
			return &reader->events[i];
	return NULL;
}

/* A file may lie in another folder on the other side. */
static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* All events that are known, shared out as the samples were: so neither the
 * rest of each period nor samples that were lost are missing. */
static void add_samples(struct results *results, const struct reader *reader,
			const struct figure_key *key, double hits)
{
	const struct reader_event *event = find_event(reader, key->unit);
	struct significance_samples samples = { .hits = hits };
	struct figure *figure;

	if (!event || !event->num_samples)
		return;
	samples.num = (double)event->num_samples;
	samples.total = event->total > 0 ? event->total
					 : samples.num * (double)event->period;
	figure = results_add(results, key,
			     samples.hits / samples.num * samples.total, NULL);
	if (figure)
		figure->samples = samples;
}

static int add_view(struct results *results, struct reader *reader,
		    enum figure_kind kind)
{
	bool is_stack = kind == FIGURE_STACK;
	const char *name = is_stack ? "stack" : "symbol";
	const struct reader_limits all = { 0 };
	struct table table = { 0 };
	int status = reader_view(reader, is_stack ? "stacks" : "symbols", &all,
				 &table);

	for (size_t row = 0; !status && row < table.num_rows; row++) {
		const struct figure_key key = {
			kind,
			table_text(&table, row, column(&table, name)),
			is_stack ? NULL
				 : last_part(table_text(
					   &table, row,
					   column(&table, "object"))),
			table_text(&table, row, column(&table, "event")),
		};

		add_samples(results, reader, &key,
			    table_get(&table, row, column(&table, "samples")));
	}
	table_free(&table);
	return status;
}

static int add_all(struct results *results, struct reader *reader,
		   const struct results_options *options)
{
	const struct reader_metrics all = { .files = options->files };
	struct table table = { 0 }, slower = { 0 };
	int status;

	add_events(results, reader);
	status = reader_metrics(reader, &all, 0, &table);
	reader->slower = 1.01;
	if (!status)
		status = reader_metrics(reader, &all, 0, &slower);
	reader->slower = 1;
	if (!status)
		add_metrics(results, &table, &slower);
	table_free(&table);
	table_free(&slower);
	if (!status && reader->has_positions)
		status = add_view(results, reader, FIGURE_SYMBOL);
	if (!status && reader->has_positions && options->stacks)
		status = add_view(results, reader, FIGURE_STACK);
	return status;
}

static double number(const struct reader *reader, const char *key)
{
	const char *text = uncore_recording_meta(reader->recording, key);

	return text ? strtod(text, NULL) : NAN;
}

/* Who watches (uncore top) begins and ends by the host's time. */
int results_read_recording(struct results *results,
			   const struct results_options *options)
{
	struct reader reader;
	int status = reader_open(&reader, results->path, options->socket);
	struct run_random random;

	if (!status) {
		random = reader_random(&reader);
		random.is_known &= !isnan(number(&reader, "cycles"));
		results_set_random(results, &random);
		results->runs = 1;
		results_add_detail(results, number(&reader, "detail_accesses"),
				   number(&reader, "detail_share"), NAN);
		results->machine = tool_copy(
			uncore_recording_meta(reader.recording, "machine"));
		results->what = tool_copy(
			uncore_recording_meta(reader.recording, "what"));
		status = add_all(results, &reader, options);
	}
	reader_close(&reader);
	return status;
}
