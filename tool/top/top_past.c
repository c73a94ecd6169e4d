/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the figures were. Limits are those of the metrics over a second, where
 * what is allowed for the ends of a short run is next to nothing. One that
 * grows with the time is none of the machine: nothing lasts longer than all of
 * it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/table.h"
#include "tool/tool.h"
#include "top.h"
#include "uncore/metric.h"

void top_past_limit(struct top_past *past,
		    double (*most)(const void *of, size_t figure, int socket,
				   double seconds),
		    const void *of)
{
	for (size_t i = 0; i < past->num_figures; i++) {
		struct top_figure *figure = &past->figures[i];

		for (size_t c = 0; c < past->num_columns; c++) {
			double limit = most(of, i, (int)c - 1, 1);
			double later = most(of, i, (int)c - 1, 1.5);

			if (figure->is_total)
				later /= 1.5;
			figure->most[c] =
				limit > 0 && fabs(later - limit) < 0.01 * limit
					? limit * figure->by
					: NAN;
		}
	}
}

static void open_figure(struct top_figure *figure,
			const struct uncore_metric *metric, size_t num_columns)
{
	bool is_bytes = !strcmp(metric->unit, "bytes");

	figure->is_total = metric->kind == UNCORE_METRIC_TOTAL;
	figure->by = is_bytes && figure->is_total ? 1e-9 : 1;
	figure->is_split = metric->split != UNCORE_SPLIT_MACHINE;
	snprintf(figure->name, sizeof(figure->name), "%s", metric->name);
	snprintf(figure->brief, sizeof(figure->brief), "%s", metric->brief);
	snprintf(figure->unit, sizeof(figure->unit), "%s%s",
		 figure->by < 1 ? "GB" : metric->unit,
		 figure->is_total ? "/s" : "");
	figure->most = tool_new(num_columns, sizeof(double));
	figure->seen = tool_new(num_columns, sizeof(double));
	for (size_t i = 0; i < num_columns; i++)
		figure->most[i] = NAN;
}

void top_past_open(struct top_past *past, const struct metric_list *list,
		   unsigned num_sockets)
{
	struct uncore_metric metric;

	past->num_columns = 1 + num_sockets;
	past->num_figures = list->num;
	past->figures = tool_new(list->num, sizeof(*past->figures));
	for (size_t i = 0; i < list->num; i++) {
		uncore_metrics_at(list->set, list->chosen[i], &metric);
		open_figure(&past->figures[i], &metric, past->num_columns);
	}
}

void top_past_free(struct top_past *past)
{
	for (size_t i = 0; i < past->num_figures; i++) {
		free(past->figures[i].most);
		free(past->figures[i].seen);
	}
	for (size_t i = 0; i < TOP_MOST_STEPS; i++)
		free(past->steps[i].values);
	free(past->figures);
}

const struct top_step *top_past_step(const struct top_past *past, size_t step)
{
	return &past->steps[step % TOP_MOST_STEPS];
}

size_t top_past_first(const struct top_past *past)
{
	return past->num_steps > TOP_MOST_STEPS
		       ? past->num_steps - TOP_MOST_STEPS
		       : 0;
}

void top_past_add(struct top_past *past, double seconds, double length)
{
	struct top_step *step =
		&past->steps[past->num_steps++ % TOP_MOST_STEPS];
	size_t num = past->num_figures * past->num_columns;

	step->seconds = seconds;
	step->length = length;
	if (!step->values)
		step->values = tool_new(num, sizeof(double));
	for (size_t i = 0; i < num; i++)
		step->values[i] = NAN;
}

void top_past_put(struct top_past *past, size_t step, size_t figure,
		  size_t column, double value)
{
	double *seen = &past->figures[figure].seen[column];

	value *= past->figures[figure].by;
	if (past->figures[figure].is_total)
		value /= top_past_step(past, step)->length;
	if (!isfinite(value))
		return;
	top_past_step(past, step)->values[figure * past->num_columns + column] =
		value;
	*seen = fmax(*seen, value);
}

double top_past_get(const struct top_past *past, size_t step, size_t figure,
		    size_t column)
{
	if (step >= past->num_steps || step < top_past_first(past))
		return NAN;
	return top_past_step(past, step)
		->values[figure * past->num_columns + column];
}

double top_past_full(const struct top_past *past, size_t figure, size_t column,
		     bool *is_limit)
{
	const struct top_figure *of = &past->figures[figure];

	*is_limit = !isnan(of->most[column]);
	if (*is_limit)
		return of->most[column];
	return of->seen[column] > 0 ? of->seen[column] : NAN;
}

static void add_row(const struct top_past *past, struct table *table,
		    size_t figure)
{
	const struct top_figure *of = &past->figures[figure];
	size_t row = table_add_row(table), column = 2;
	char text[256];

	table_set_text(table, row, 0, of->name);
	table_set_text(table, row, 1, of->unit);
	for (size_t c = 0; c < past->num_columns; c++)
		table_set(table, row, column++,
			  top_past_get(past, past->num_steps - 1, figure, c));
	table_set(table, row, column++, of->most[0]);
	snprintf(text, sizeof(text), "%s%s",
		 of->takes_turns && !*of->reason
			 ? "an estimate (its events took turns): "
			 : "",
		 *of->reason ? of->reason : of->brief);
	table_set_text(table, row, column, text);
}

int top_table(const struct top *top, FILE *file)
{
	const struct top_past *past = &top->past;
	struct table table;
	char name[32];

	if (!past->num_steps)
		return tool_fail(TOOL_FAILED,
				 "it was over before anything was counted");
	table_init(&table, "top", top->title);
	table_add_columns(&table, "figure:t unit:t machine:v");
	for (size_t c = 1; c < past->num_columns; c++) {
		snprintf(name, sizeof(name), "socket%zu", c - 1);
		table_add_column(&table, name, "", TABLE_NUMBER);
	}
	table_add_columns(&table, "most:v what:t");
	for (size_t i = 0; i < past->num_figures; i++)
		add_row(past, &table, i);
	table_print_text(&table, file);
	fprintf(file, "\n %.6g s; %s\n\n",
		top_past_step(past, past->num_steps - 1)->length,
		tool_shown(top->line));
	table_free(&table);
	return tool_finish(TOOL_OK, file, NULL);
}
