/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A sweep as a table: a row for each point, with its values, its counts and
 * metrics, and why it has none.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat_settings.h"
#include "sweep.h"
#include "tool/json.h"
#include "tool/table.h"
#include "tool/tool.h"
#include "uncore/error.h"

#define SWEEP_SCHEMA "uncore-sweep-1"

enum { NAME_ROOM = 512, NOTE_ROOM = 1024 };

/* The interval that holds the true value with this probability is shown. */
static const double PROBABILITY = 0.99;

/* What is shown of a sweep: what all points have, each once, with values where
 * some point has one and else with the first reason why not, with errors
 * (standard_error is NAN) where some point tells one. */
struct view {
	const struct sweep *sweep;
	struct results columns;
	bool all; /* for programs, also columns without a value */
	bool has_reasons, has_detail, has_numbers;
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

static int collect(struct view *view)
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
	return columns->failed ? tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL)
			       : TOOL_OK;
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

/* Columns without a value are left out for people, and said to be. */
static bool is_shown(const struct view *view, const struct figure *column)
{
	return view->all || column->num;
}

/* Why a point that was counted has no value for a figure that is shown: the
 * first reason, or "". */
static void say_note(const struct view *view, const struct sweep_point *point,
		     char *text, size_t size)
{
	text[0] = 0;
	for (size_t i = 0; i < view->columns.num && !*text; i++) {
		const struct figure *column = &view->columns.list[i];
		const struct figure *figure = find(point, column);

		if (is_shown(view, column) && !(figure && figure->num))
			snprintf(text, size, "%s: %s", column->name,
				 figure && figure->why ? figure->why
						       : "not there");
	}
}

/* For people both reasons are in one column, which is there if it has
 * something to say. */
static bool has_reasons(const struct view *view)
{
	const struct sweep *sweep = view->sweep;
	char note[NOTE_ROOM];

	for (size_t i = 0; i < sweep->num_run; i++) {
		say_note(view, &sweep->points[i], note, sizeof(note));
		if (*note || sweep->points[i].why)
			return true;
	}
	return false;
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

		if (!is_shown(view, column))
			continue;
		table_add_column(table, column->name, column->unit,
				 column->kind == FIGURE_EVENT ? TABLE_COUNT
							      : TABLE_NUMBER);
		snprintf(name, sizeof(name), "%s.error", column->name);
		if (isnan(column->standard_error))
			table_add_column(table, name, column->unit,
					 TABLE_NUMBER);
	}
	if (view->has_reasons)
		table_add_columns(table, view->all ? "why:t status:n note:t"
						   : "why:t");
	if (view->has_detail)
		table_add_column(table, "detail", "%", TABLE_NUMBER);
	if (view->has_numbers)
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

		if (!is_shown(view, column))
			continue;
		table_set(table, row, at++, figure ? figure->mean : NAN);
		if (isnan(column->standard_error))
			table_set(table, row, at++,
				  figure ? error_of(figure) : NAN);
	}
	say_note(view, point, note, sizeof(note));
	if (view->has_reasons)
		table_set_text(table, row, at++,
			       point->why  ? point->why
			       : view->all ? ""
					   : note);
	if (view->all) {
		table_set(table, row, at++, point->status);
		table_set_text(table, row, at++, point->why ? "" : note);
	}
	if (view->has_detail)
		table_set(table, row, at++, share_of(&point->results));
	if (view->has_numbers)
		table_set(table, row, at, (double)point->number + 1);
}

static int make_table(struct view *view, const char *title, struct table *table)
{
	view->has_reasons = view->all || has_reasons(view);
	view->has_numbers = view->all && view->sweep->settings->shard_of > 1;
	table_init(table, "points", title);
	add_columns(view, table);
	for (size_t i = 0; i < view->sweep->num_run && !table->failed; i++)
		add_row(view, &view->sweep->points[i], table);
	return table_made(table);
}

/* What is known of random bytes over all points. */
static struct run_random random_of(const struct sweep *sweep)
{
	struct run_random random = { 0 };

	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct results *results = &sweep->points[i].results;

		random.is_known |= results->random.is_known;
		random.asked |= results->random.asked;
		random.repeats |= results->random.repeats;
	}
	return random;
}

static void print_text(const struct view *view, const struct table *table,
		       FILE *file)
{
	struct run_random random = random_of(view->sweep);
	const char *said = run_say_random(&random);
	bool any = false;

	table_print_text(table, file);
	for (size_t i = 0; i < view->columns.num; i++) {
		const struct figure *column = &view->columns.list[i];

		if (column->num)
			continue;
		fprintf(file, "%s  %s: n/a   # %s\n", any ? "" : "\n",
			column->name, column->why ? column->why : "");
		any = true;
	}
	if (said)
		fprintf(file, "\n Note: %s\n", said);
	fputc('\n', file);
}

static void print_json(const struct view *view, const struct table *table,
		       const char *what, FILE *file)
{
	const struct sweep *sweep = view->sweep;
	const struct run_random random = random_of(sweep);
	struct json json = { .file = file };

	json_open(&json, NULL, '{');
	json_members(&json, "schema:t command:t", SWEEP_SCHEMA, what);
	if (sweep->settings->shard_of > 1) {
		json_open(&json, "shard", '{');
		json_members(&json, "index:n of:n points:n",
			     (uint64_t)sweep->settings->shard_index,
			     (uint64_t)sweep->settings->shard_of,
			     (uint64_t)sweep->num_grid);
		json_close(&json);
	}
	json_open(&json, "parameters", '[');
	for (size_t i = 0; i < sweep->num_axes; i++)
		json_string(&json, NULL, sweep->axes[i].name);
	json_close(&json);
	json_open(&json, "units", '{');
	for (size_t i = 0; i < view->columns.num; i++)
		json_string(&json, view->columns.list[i].name,
			    view->columns.list[i].unit);
	json_close(&json);
	if (random.is_known)
		json_members(&json, "random_asked:f random_repeatable:f",
			     random.asked, random.repeats);
	table_print_json(table, &json);
	json_close(&json);
}

/* The program or workload as it was given, with the marks in it; to be freed,
 * NULL without memory. */
static char *name_command(const struct subject_settings *subject)
{
	if (subject->program)
		return subject_join(subject->program);
	return strdup(subject->workload ? subject->workload
		      : subject->replay ? subject->replay
					: "");
}

int sweep_print(const struct sweep *sweep, FILE *file)
{
	const struct stat_settings *settings = sweep->settings;
	struct view view = { .sweep = sweep,
			     .all = settings->json || settings->separator };
	char *what = name_command(&settings->subject);
	struct table table = { 0 };
	int status = what ? collect(&view)
			  : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);

	if (!status)
		status = make_table(&view, what, &table);
	if (!status && settings->json)
		print_json(&view, &table, what, file);
	else if (!status && settings->separator)
		table_print_separated(&table, settings->separator, file);
	else if (!status)
		print_text(&view, &table, file);
	table_free(&table);
	results_free(&view.columns);
	free(what);
	return status;
}
