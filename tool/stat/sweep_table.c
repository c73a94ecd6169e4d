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

enum { TITLE_ROOM = 4096, NAME_ROOM = 512, NOTE_ROOM = 1024 };

/* The interval that holds the true value with this probability is shown. */
static const double PROBABILITY = 0.99;

/* What all points have, each once. */
struct columns {
	struct figures figures;
	struct column {
		bool has_error; /* some point tells one */
		bool has_value; /* some point has one */
	} * list;		/* one for each figure */
};

static struct figure *find(const struct sweep_point *point,
			   const struct figure *column)
{
	struct figures *figures = (struct figures *)&point->figures;
	const struct figure_key key = figure_key_of(column);
	size_t at = figures_find(figures, &key);

	return at < figures->num ? &figures->list[at] : NULL;
}

/* Half of the interval; NAN: it has none. */
static double error_of(const struct figure *figure)
{
	double num = (double)figure->num;

	if (figure->num > 1)
		return chance_within(PROBABILITY, num - 1) *
		       sqrt(figure->squares / (num - 1) / num);
	if (isnan(figure->standard_error) || figure->standard_error <= 0)
		return NAN;
	return chance_within(PROBABILITY, figure->freedom) *
	       figure->standard_error;
}

/* Counts that only metrics need are not shown; places are those that the first
 * of a result has, so that a region is one but no parts of a machine. */
static bool is_wanted(const struct stat_settings *settings,
		      const struct figures *figures,
		      const struct figure *figure)
{
	return (figure->kind == FIGURE_METRIC || settings->events.num) &&
	       !strcmp(figure->place, figures->list[0].place);
}

static int collect(const struct stat_settings *settings,
		   const struct sweep *sweep, struct columns *columns)
{
	struct figures *all = &columns->figures;

	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct figures *figures = &sweep->points[i].figures;

		all->runs = (unsigned)i + 1;
		for (size_t j = 0; j < figures->num; j++) {
			const struct figure_key key =
				figure_key_of(&figures->list[j]);

			if (is_wanted(settings, figures, &figures->list[j]))
				figures_add(all, &key, NAN, NULL);
		}
	}
	columns->list = calloc(all->num + 1, sizeof(*columns->list));
	if (!columns->list || all->failed)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < sweep->num_run; i++)
		for (size_t j = 0; j < all->num; j++) {
			const struct figure *figure =
				find(&sweep->points[i], &all->list[j]);

			columns->list[j].has_value |= figure && figure->num;
			columns->list[j].has_error |=
				figure && !isnan(error_of(figure));
		}
	return TOOL_OK;
}

static void free_columns(struct columns *columns)
{
	figures_free(&columns->figures);
	free(columns->list);
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
static bool is_shown(const struct columns *columns, size_t index, bool all)
{
	return all || columns->list[index].has_value;
}

/* Why a point that was counted has no value for a figure that is shown: the
 * first reason, or "". */
static void say_note(const struct sweep_point *point,
		     const struct columns *columns, bool all, char *text,
		     size_t size)
{
	text[0] = 0;
	for (size_t i = 0; i < columns->figures.num && !*text; i++) {
		const struct figure *figure =
			find(point, &columns->figures.list[i]);

		if (is_shown(columns, i, all) && !(figure && figure->num))
			snprintf(text, size, "%s: %s",
				 columns->figures.list[i].name,
				 figure && figure->why ? figure->why
						       : "not there");
	}
}

/* The same for what no point has a value for. */
static const char *why_empty(const struct sweep *sweep,
			     const struct figure *column)
{
	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct figure *figure = find(&sweep->points[i], column);

		if (figure && figure->why)
			return figure->why;
	}
	return "";
}

static void add_columns(const struct sweep *sweep,
			const struct columns *columns, bool all,
			struct table *table)
{
	for (size_t i = 0; i < sweep->num_axes; i++)
		table_add_column(table, sweep->axes[i].name, "",
				 is_numeric(&sweep->axes[i]) ? TABLE_NUMBER
							     : TABLE_TEXT);
	for (size_t i = 0; i < columns->figures.num; i++) {
		const struct figure *column = &columns->figures.list[i];
		char name[NAME_ROOM];

		if (!is_shown(columns, i, all))
			continue;
		table_add_column(table, column->name, column->unit,
				 column->kind == FIGURE_EVENT ? TABLE_COUNT
							      : TABLE_NUMBER);
		snprintf(name, sizeof(name), "%s.error", column->name);
		if (columns->list[i].has_error)
			table_add_column(table, name, column->unit,
					 TABLE_NUMBER);
	}
}

static void add_row(const struct sweep *sweep, size_t index,
		    const struct columns *columns, bool all,
		    struct table *table)
{
	const struct sweep_point *point = &sweep->points[index];
	size_t row = table_add_row(table), at = 0;

	for (size_t i = 0; i < sweep->num_axes; i++, at++) {
		const char *value =
			sweep->axes[i]
				.values[sweep_index(sweep, point->number, i)];

		table_set_text(table, row, at, value);
		table_set(table, row, at, strtod(value, NULL));
	}
	for (size_t i = 0; i < columns->figures.num; i++) {
		const struct figure *figure =
			find(point, &columns->figures.list[i]);

		if (!is_shown(columns, i, all))
			continue;
		table_set(table, row, at++, figure ? figure->mean : NAN);
		if (columns->list[i].has_error)
			table_set(table, row, at++,
				  figure ? error_of(figure) : NAN);
	}
}

/* Whether some point was looked at in windows. */
static bool is_any_sampled(const struct sweep *sweep)
{
	bool any = false;

	for (size_t i = 0; i < sweep->num_run; i++)
		any |= sweep->points[i].figures.detail.runs;
	return any;
}

/* The part that was in detail, if that is not all in all of them. */
static void add_shares(const struct sweep *sweep, struct table *table,
		       size_t column)
{
	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct figures *figures = &sweep->points[i].figures;
		const struct figures_detail *detail = &figures->detail;

		table_set(table, i, column,
			  !figures->runs ? NAN
			  : !detail->runs
				  ? 100
				  : 100 * detail->detailed / detail->accesses);
	}
}

/* For people both reasons are in one column, which is there if it has
 * something to say. */
static bool has_reasons(const struct sweep *sweep,
			const struct columns *columns)
{
	char note[NOTE_ROOM];

	for (size_t i = 0; i < sweep->num_run; i++) {
		say_note(&sweep->points[i], columns, false, note, sizeof(note));
		if (*note || sweep->points[i].why)
			return true;
	}
	return false;
}

static void add_reasons(const struct sweep *sweep,
			const struct columns *columns, bool all,
			struct table *table, size_t first)
{
	char note[NOTE_ROOM];

	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct sweep_point *point = &sweep->points[i];
		const char *why = point->why;

		say_note(point, columns, all, note, sizeof(note));
		table_set_text(table, i, first, why ? why : all ? "" : note);
		if (!all)
			continue;
		table_set(table, i, first + 1, point->status);
		table_set_text(table, i, first + 2, why ? "" : note);
	}
}

static void make_table(const struct sweep *sweep, const struct columns *columns,
		       bool all, const char *title, struct table *table)
{
	bool reasons = all || has_reasons(sweep, columns);
	bool is_shard = all && sweep->shard.of > 1;
	size_t first, shares;

	table_init(table, "points", title);
	add_columns(sweep, columns, all, table);
	first = table->num_columns;
	if (reasons)
		table_add_column(table, "why", "", TABLE_TEXT);
	if (all) {
		table_add_column(table, "status", "", TABLE_COUNT);
		table_add_column(table, "note", "", TABLE_TEXT);
	}
	shares = table->num_columns;
	if (is_any_sampled(sweep))
		table_add_column(table, "detail", "%", TABLE_NUMBER);
	if (is_shard)
		table_add_column(table, "point", "", TABLE_COUNT);
	for (size_t i = 0; i < sweep->num_run && !table->failed; i++)
		add_row(sweep, i, columns, all, table);
	if (reasons && !table->failed)
		add_reasons(sweep, columns, all, table, first);
	if (is_any_sampled(sweep) && !table->failed)
		add_shares(sweep, table, shares);
	for (size_t i = 0; is_shard && i < sweep->num_run && !table->failed;
	     i++)
		table_set(table, i, table->num_columns - 1,
			  (double)sweep->points[i].number + 1);
}

/* What is known of random bytes over all points. */
static struct run_random random_of(const struct sweep *sweep)
{
	struct run_random random = { 0 };

	for (size_t i = 0; i < sweep->num_run; i++) {
		const struct figures *figures = &sweep->points[i].figures;

		random.is_known |= figures->random.is_known;
		random.asked |= figures->random.asked;
		random.repeats |= figures->random.repeats;
	}
	return random;
}

static void print_text(const struct sweep *sweep, const struct columns *columns,
		       const struct table *table, FILE *file)
{
	struct run_random random = random_of(sweep);
	const char *said = run_say_random(&random);
	bool any = false;

	table_print_text(table, file);
	for (size_t i = 0; i < columns->figures.num; i++) {
		const struct figure *column = &columns->figures.list[i];

		if (columns->list[i].has_value)
			continue;
		fprintf(file, "%s  %s: n/a   # %s\n", any ? "" : "\n",
			column->name, why_empty(sweep, column));
		any = true;
	}
	if (said)
		fprintf(file, "\n Note: %s\n", said);
	fputc('\n', file);
}

static void print_json(const struct stat_settings *settings,
		       const struct sweep *sweep, const struct columns *columns,
		       const char *what, FILE *file)
{
	const struct run_random random = random_of(sweep);
	struct json json = { .file = file };
	struct table table;

	(void)settings;
	make_table(sweep, columns, true, "", &table);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", SWEEP_SCHEMA);
	json_string(&json, "command", what);
	if (sweep->shard.of > 1) {
		json_open(&json, "shard", '{');
		json_uint(&json, "index", sweep->shard.index);
		json_uint(&json, "of", sweep->shard.of);
		json_uint(&json, "points", sweep->num_grid);
		json_close(&json);
	}
	json_open(&json, "parameters", '[');
	for (size_t i = 0; i < sweep->num_axes; i++)
		json_string(&json, NULL, sweep->axes[i].name);
	json_close(&json);
	json_open(&json, "units", '{');
	for (size_t i = 0; i < columns->figures.num; i++)
		json_string(&json, columns->figures.list[i].name,
			    columns->figures.list[i].unit);
	json_close(&json);
	if (random.is_known) {
		json_flag(&json, "random_asked", random.asked);
		json_flag(&json, "random_repeatable", random.repeats);
	}
	table_print_json(&table, &json);
	json_close(&json);
	table_free(&table);
}

/* The program or workload as it was given, with the marks in it. */
static void name_command(const struct stat_settings *settings, char *text,
			 size_t size)
{
	const struct subject_settings *subject = &settings->subject;
	size_t used = 0;

	snprintf(text, size, "%s",
		 subject->workload ? subject->workload
		 : subject->replay ? subject->replay
				   : "");
	for (char **word = subject->program; word && *word && used < size;
	     word++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 used ? " " : "", *word);
}

int sweep_print(const struct stat_settings *settings, const struct sweep *sweep,
		FILE *file)
{
	struct columns columns = { 0 };
	char what[TITLE_ROOM];
	const char *title;
	struct table table = { 0 };
	int status = collect(settings, sweep, &columns);

	name_command(settings, what, sizeof(what));
	title = tool_shown(what);
	if (!status && settings->json) {
		print_json(settings, sweep, &columns, what, file);
	} else if (!status) {
		make_table(sweep, &columns, settings->separator != NULL, title,
			   &table);
		status = table_made(&table);
		if (!status && settings->separator)
			table_print_separated(&table, settings->separator,
					      file);
		else if (!status)
			print_text(sweep, &columns, &table, file);
		table_free(&table);
	}
	free_columns(&columns);
	return status;
}
