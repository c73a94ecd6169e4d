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

#include "tool/tool.h"
#include "top.h"
#include "uncore/error.h"
#include "uncore/metric.h"

enum { MOST_STEPS = 7200 };

/* Of a total in one second. */
static double most_in(const struct top_past *past, size_t figure, size_t column,
		      double seconds, const struct top_limits *limits)
{
	double most =
		limits->most(limits->of, figure, (int)column - 1, seconds);

	most *= past->figures[figure].by;
	return past->figures[figure].is_total ? most / seconds : most;
}

void top_past_limit(struct top_past *past, const struct top_limits *limits)
{
	for (size_t i = 0; i < past->num_figures; i++)
		for (size_t c = 0; c < past->num_columns; c++) {
			double most = most_in(past, i, c, 1, limits);
			double later = most_in(past, i, c, 1.5, limits);

			past->figures[i].most[c] =
				most > 0 && fabs(later - most) < 0.01 * most
					? most
					: NAN;
		}
}

static int open_figure(struct top_figure *figure,
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
	figure->most = calloc(num_columns, sizeof(double));
	figure->seen = calloc(num_columns, sizeof(double));
	if (!figure->most || !figure->seen)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < num_columns; i++)
		figure->most[i] = NAN;
	return TOOL_OK;
}

int top_past_open(struct top_past *past, const struct metric_list *list,
		  unsigned num_sockets)
{
	struct uncore_metric metric;
	int status = TOOL_OK;

	past->num_columns = 1 + num_sockets;
	past->num_figures = list->num;
	past->figures = calloc(list->num + 1, sizeof(*past->figures));
	if (!past->figures)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < list->num && !status; i++) {
		uncore_metrics_at(list->set, list->chosen[i], &metric);
		status = open_figure(&past->figures[i], &metric,
				     past->num_columns);
	}
	return status;
}

void top_past_free(struct top_past *past)
{
	for (size_t i = 0; past->figures && i < past->num_figures; i++) {
		free(past->figures[i].most);
		free(past->figures[i].seen);
	}
	for (size_t i = 0; i < past->num_steps; i++)
		free(past->steps[i].values);
	free(past->figures);
	free(past->steps);
	*past = (struct top_past){ 0 };
}

/* The older half goes. */
static void drop(struct top_past *past)
{
	size_t num = past->num_steps / 2;

	for (size_t i = 0; i < num; i++)
		free(past->steps[i].values);
	memmove(past->steps, past->steps + num,
		(past->num_steps - num) * sizeof(*past->steps));
	past->num_steps -= num;
	past->num_dropped += num;
}

static bool make_room(struct top_past *past)
{
	size_t room = 2 * past->room + 64;
	struct top_step *steps;

	if (past->num_steps < past->room)
		return true;
	steps = reallocarray(past->steps, room, sizeof(*steps));
	if (!steps)
		return false;
	past->steps = steps;
	past->room = room;
	return true;
}

struct top_step *top_past_add(struct top_past *past, double seconds,
			      double length)
{
	size_t num = past->num_figures * past->num_columns;
	struct top_step *step;

	if (past->num_steps == MOST_STEPS)
		drop(past);
	if (!make_room(past))
		return NULL;
	step = &past->steps[past->num_steps];
	*step = (struct top_step){
		.seconds = seconds,
		.length = length,
		.values = calloc(num + 1, sizeof(double)),
	};
	if (!step->values)
		return NULL;
	for (size_t i = 0; i < num; i++)
		step->values[i] = NAN;
	past->num_steps++;
	return step;
}

void top_past_put(struct top_past *past, size_t step, size_t figure,
		  size_t column, double value)
{
	double *seen = &past->figures[figure].seen[column];

	value *= past->figures[figure].by;
	if (past->figures[figure].is_total)
		value /= past->steps[step].length;
	if (!isfinite(value))
		return;
	past->steps[step].values[figure * past->num_columns + column] = value;
	*seen = fmax(*seen, value);
}

double top_past_get(const struct top_past *past, size_t step, size_t figure,
		    size_t column)
{
	if (step >= past->num_steps)
		return NAN;
	return past->steps[step].values[figure * past->num_columns + column];
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
