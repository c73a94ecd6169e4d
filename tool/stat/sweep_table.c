/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A sweep as a table: a row for each point, with its values, its counts and
 * metrics, and why it has none.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "tool/sweep_document.h"
#include "tool/tool.h"

enum { NAME_ROOM = 512, NOTE_ROOM = 1024 };

/* The interval that holds the true value with this probability is shown. */
static const double PROBABILITY = 0.99;

/* What is shown of a sweep: what all points have, each once, with values where
 * some point has one and else with the first reason why not, with errors
 * (standard_error is NAN) where some point tells one. */
struct view {
	const struct sweep *sweep;
	struct results columns;
	bool has_detail;
};

static struct figure *find(const struct sweep_point *point,
			   const struct figure *column)
{
	struct results *results = (struct results *)&point->results;
	const struct figure_key key = figure_key_of(column);
	size_t at = results_find(results, &key);

	return at < results->num ? &results->list[at] : NULL;
}

/* Half of the interval; NAN: it has none. */
static double error_of(const struct figure *figure)
{
	double num = (double)figure->num;

	if (figure->num > 1)
		return significance_within(PROBABILITY, num - 1) *
		       sqrt(figure->squares / (num - 1) / num);
	if (isnan(figure->standard_error) || figure->standard_error <= 0)
		return NAN;
	return significance_within(PROBABILITY, figure->freedom) *
	       figure->standard_error;
}

/* Counts that only metrics need are not shown; places are those that the first
 * of a result has, so that a region is one but no parts of a machine. */
static bool is_wanted(const struct sweep *sweep, const struct results *results,
		      const struct figure *figure)
{
	return (figure->kind == FIGURE_METRIC || sweep->settings->events.num) &&
	       !strcmp(figure->place, results->list[0].place);
}

static void collect(struct view *view)
{
	struct results *columns = &view->columns;

	for (size_t i = 0; i < view->sweep->num_run; i++) {
		const struct results *results = &view->sweep->points[i].results;

		columns->runs = (unsigned)i + 1;
		view->has_detail |= results->detail.runs > 0;
		for (size_t j = 0; j < results->num; j++) {
			const struct figure *figure = &results->list[j];
			const struct figure_key key = figure_key_of(figure);
			struct figure *column = NULL;

			if (is_wanted(view->sweep, results, figure))
				column = results_add(columns, &key,
						     figure->mean, figure->why);
			if (column && !isnan(error_of(figure)))
				column->standard_error = NAN;
		}
	}
}

/* All values of an axis are numbers that others read as such. */
static bool is_numeric(const struct sweep_axis *axis)
{
	for (size_t i = 0; i < axis->num; i++) {
		char *end;

		if (!isfinite(strtod(axis->values[i], &end)) || *end ||
		    strpbrk(axis->values[i], "xXiInN"))
			return false;
	}
	return true;
}

/* Why a point that was counted has no value for a figure: the first reason, or
 * "". Figures that some point has come first. */
static void say_note(const struct view *view, const struct sweep_point *point,
		     char *text, size_t size)
{
	const struct results *columns = &view->columns;

	text[0] = 0;
	for (size_t i = 0; i < 2 * columns->num && !*text; i++) {
		const struct figure *column = &columns->list[i % columns->num];
		const struct figure *figure = find(point, column);

		if ((i < columns->num) == (column->num > 0) &&
		    !(figure && figure->num))
			snprintf(text, size, "%s: %s", column->name,
				 figure && figure->why ? figure->why
						       : "not there");
	}
}

static void add_columns(const struct view *view, struct table *table)
{
	const struct sweep *sweep = view->sweep;

	for (size_t i = 0; i < sweep->num_axes; i++)
		table_add_column(table, sweep->axes[i].name, "",
				 is_numeric(&sweep->axes[i]) ? TABLE_NUMBER
							     : TABLE_TEXT);
	for (size_t i = 0; i < view->columns.num; i++) {
		const struct figure *column = &view->columns.list[i];
		char name[NAME_ROOM];

		table_add_column(table, column->name, column->unit,
				 column->kind == FIGURE_EVENT ? TABLE_COUNT
							      : TABLE_NUMBER);
		snprintf(name, sizeof(name), "%s.error", column->name);
		if (isnan(column->standard_error))
			table_add_column(table, name, column->unit,
					 TABLE_NUMBER);
	}
	table_add_columns(table, "why:t status:n note:t");
	if (view->has_detail)
		table_add_column(table, "detail", "%", TABLE_NUMBER);
	if (sweep->settings->shard_of > 1)
		table_add_columns(table, "point:n");
}

/* The part that was in detail, in per cent. */
static double share_of(const struct results *results)
{
	const struct results_detail *detail = &results->detail;

	if (!results->runs)
		return NAN;
	return detail->runs ? 100 * detail->detailed / detail->accesses : 100;
}

static void add_row(const struct view *view, const struct sweep_point *point,
		    struct table *table)
{
	const struct sweep *sweep = view->sweep;
	size_t row = table_add_row(table), at = 0;
	char note[NOTE_ROOM];

	for (size_t i = 0; i < sweep->num_axes; i++, at++) {
		const char *value =
			sweep->axes[i]
				.values[sweep_index(sweep, point->number, i)];

		table_set_text(table, row, at, value);
		table_set(table, row, at, strtod(value, NULL));
	}
	for (size_t i = 0; i < view->columns.num; i++) {
		const struct figure *column = &view->columns.list[i];
		const struct figure *figure = find(point, column);

		table_set(table, row, at++, figure ? figure->mean : NAN);
		if (isnan(column->standard_error))
			table_set(table, row, at++,
				  figure ? error_of(figure) : NAN);
	}
	say_note(view, point, note, sizeof(note));
	table_set_text(table, row, at++, point->why ? point->why : "");
	table_set(table, row, at++, point->status);
	table_set_text(table, row, at++, point->why ? "" : note);
	if (view->has_detail)
		table_set(table, row, at++, share_of(&point->results));
	if (sweep->settings->shard_of > 1)
		table_set(table, row, at, (double)point->number + 1);
}

static void make_document(struct view *view, struct sweep_document *document)
{
	const struct sweep *sweep = view->sweep;

	document->shard = sweep->settings->shard_index;
	document->shard_of = sweep->settings->shard_of;
	document->num_grid = sweep->num_grid;
	document->num_parameters = sweep->num_axes;
	add_columns(view, &document->points);
	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct run_random *random =
			&sweep->points[i].results.random;

		document->random.is_known |= random->is_known;
		document->random.asked |= random->asked;
		document->random.repeats |= random->repeats;
		add_row(view, &sweep->points[i], &document->points);
	}
	for (size_t i = 0; i < view->columns.num; i++)
		if (!view->columns.list[i].num)
			table_add(&document->missing,
				  view->columns.list[i].name,
				  view->columns.list[i].why);
}

void sweep_print(const struct sweep *sweep, FILE *file)
{
	const struct stat_settings *settings = sweep->settings;
	const struct target_settings *target = &settings->target;
	struct view view = { .sweep = sweep };
	/* with the marks in it */
	char *what = target->program ? target_join(target->program)
		     : target->workload
			     ? tool_copy(target->workload)
			     : tool_copy(target->replay ? target->replay : "");
	struct sweep_document document;

	sweep_document_init(&document, what);
	collect(&view);
	make_document(&view, &document);
	sweep_document_print(&document, settings->json, settings->separator,
			     file);
	sweep_document_free(&document);
	results_free(&view.columns);
	free(what);
}
