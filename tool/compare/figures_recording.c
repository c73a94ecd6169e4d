/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Recordings, as `uncore report` shows them: the same tables, read row by row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "tool/history.h"
#include "tool/tool.h"
#include "uncore/error.h"
#include "uncore/recording.h"

/* Columns of the tables of symbols and of metrics. */
enum { SYMBOL_SAMPLES = 1, SYMBOL_NAME = 3, SYMBOL_OBJECT, SYMBOL_EVENT };
enum { METRIC_NAME, METRIC_VALUE, METRIC_UNIT, METRIC_WHY };

static const char *text_of(const struct table *table, size_t row, size_t column)
{
	const char *text = table->cells[row * table->num_columns + column].text;

	return text ? text : "";
}

/* A count of a run is exact, unless the event took turns. */
static void add_events(struct figures *figures, const struct history *history)
{
	for (size_t i = 0; i < history->num_events; i++) {
		const struct history_event *event = &history->events[i];
		const struct figure_key key = { FIGURE_EVENT, event->text, NULL,
						NULL };
		struct figure *figure = figures_add(figures, &key, event->total,
						    "its turn never came");

		if (figure)
			figure->standard_error = event->is_estimate ? NAN : 0;
	}
}

/* What is another value in a run that took longer is not known better than the
 * time is. */
static void add_metrics(struct figures *figures, const struct table *table,
			const struct table *slower)
{
	for (size_t row = 0; row < table->num_rows; row++) {
		double value = table_get(table, row, METRIC_VALUE);
		const struct figure_key key = {
			.kind = FIGURE_METRIC,
			.name = text_of(table, row, METRIC_NAME),
			.unit = text_of(table, row, METRIC_UNIT),
		};
		struct figure *figure = figures_add(
			figures, &key, value, text_of(table, row, METRIC_WHY));

		if (figure && !isnan(value) && figures->detail.runs &&
		    table_get(slower, row, METRIC_VALUE) != value)
			figure->standard_error = NAN;
	}
}

static const struct history_event *find_event(const struct history *history,
					      const char *text)
{
	for (size_t i = 0; i < history->num_events; i++)
		if (!strcmp(history->events[i].text, text))
			return &history->events[i];
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
static void add_symbol(struct figures *figures, const struct history *history,
		       const struct table *table, size_t row)
{
	const struct figure_key key = {
		.kind = FIGURE_SYMBOL,
		.name = text_of(table, row, SYMBOL_NAME),
		.place = last_part(text_of(table, row, SYMBOL_OBJECT)),
		.unit = text_of(table, row, SYMBOL_EVENT),
	};
	const struct history_event *event = find_event(history, key.unit);
	struct chance_samples samples = {
		.hits = table_get(table, row, SYMBOL_SAMPLES),
	};
	struct figure *figure;

	if (!event || !event->num_samples)
		return;
	samples.num = (double)event->num_samples;
	samples.total = event->total > 0 ? event->total
					 : samples.num * (double)event->period;
	figure = figures_add(figures, &key,
			     samples.hits / samples.num * samples.total, NULL);
	if (figure)
		figure->samples = samples;
}

static int add_symbols(struct figures *figures, struct history *history)
{
	const struct history_limits all = { 0 };
	struct table table = { 0 };
	int status;

	if (!history->has_positions)
		return TOOL_OK;
	status = history_view(history, HISTORY_SYMBOLS, &all, &table);
	for (size_t row = 0; !status && row < table.num_rows; row++)
		add_symbol(figures, history, &table, row);
	table_free(&table);
	return status;
}

static int add_all(struct figures *figures, struct history *history,
		   const struct figures_options *options)
{
	const struct history_metrics all = { .files = options->files };
	struct table table = { 0 }, slower = { 0 };
	int status;

	add_events(figures, history);
	status = history_metrics(history, &all, 0, &table);
	history->slower = 1.01;
	if (!status)
		status = history_metrics(history, &all, 0, &slower);
	history->slower = 1;
	if (!status)
		add_metrics(figures, &table, &slower);
	table_free(&table);
	table_free(&slower);
	return status ? status : add_symbols(figures, history);
}

static double number(const struct history *history, const char *key)
{
	const char *text = uncore_recording_meta(history->recording, key);

	return text ? strtod(text, NULL) : NAN;
}

static char *copy(struct history *history, const char *key)
{
	const char *text = uncore_recording_meta(history->recording, key);

	return text ? strdup(text) : NULL;
}

/* Who watches (uncore top) begins and ends by the host's time. */
int figures_read_recording(struct figures *figures,
			   const struct figures_options *options)
{
	struct history history;
	int status = history_open(&history, figures->path, options->socket);
	struct run_random random;

	if (!status) {
		random = history_random(&history);
		random.is_known &= !isnan(number(&history, "cycles"));
		figures_set_random(figures, &random);
		figures->runs = 1;
		figures_add_detail(figures, number(&history, "detail_accesses"),
				   number(&history, "detail_share"), NAN);
		figures->machine = copy(&history, "machine");
		figures->what = copy(&history, "what");
		status = add_all(figures, &history, options);
	}
	history_close(&history);
	return status;
}
