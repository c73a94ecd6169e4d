/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore compare --merge`: what the shards of a sweep (`stat --sweep --shard
 * --json`) counted, as the one table that the sweep without shards would be.
 */
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "tool/json.h"
#include "tool/sweep_document.h"
#include "tool/tool.h"

enum { MOST_POINTS = 1000000 };

/* Of a shard's points alone: its number in the grid. */
static const char POINT[] = "point";

struct column {
	const char *name; /* in the shards */
	enum table_kind kind;
	bool is_empty;
};

struct merge {
	struct json_object *shards; /* one for each file */
	struct run_random random;
	struct json_object **points; /* by number; NULL: nobody has it */
	size_t num_points;
	struct column *columns;
	size_t num_columns;
};

static int refuse(const char *path, const char *why)
{
	return tool_fail(TOOL_USAGE, "%s: %s", path, why);
}

/* What all shards of a sweep have the same. */
static bool fit(const struct json_object *a, const struct json_object *b)
{
	const struct json_object *in_a = json_member(a, "shard");
	const struct json_object *in_b = json_member(b, "shard");

	return json_object_equal(json_member(a, "command"),
				 json_member(b, "command")) &&
	       json_object_equal(json_member(a, "parameters"),
				 json_member(b, "parameters")) &&
	       json_object_equal(json_member(in_a, "of"),
				 json_member(in_b, "of")) &&
	       json_object_equal(json_member(in_a, "points"),
				 json_member(in_b, "points"));
}

/* The column of a name, which a new one has in this place. */
static size_t find_column(struct merge *merge, size_t place, const char *name)
{
	struct column *columns = merge->columns;
	size_t at = 0;

	while (at < merge->num_columns && strcmp(columns[at].name, name) != 0)
		at++;
	if (at < merge->num_columns)
		return at;
	merge->columns = columns = tool_more(columns, at, sizeof(*columns));
	memmove(columns + place + 1, columns + place,
		(at - place) * sizeof(*columns));
	columns[place] = (struct column){ name, TABLE_COUNT, true };
	merge->num_columns++;
	return place;
}

/* The columns of a point, each behind the one before it, and what they hold:
 * whole numbers, numbers, texts; nothing at all. */
static void add_columns(struct merge *merge, struct json_object *point)
{
	struct json_object_iterator at = json_object_iter_begin(point);
	struct json_object_iterator end = json_object_iter_end(point);

	for (size_t place = 0; !json_object_iter_equal(&at, &end); place++) {
		struct json_object *value = json_object_iter_peek_value(&at);
		const char *text = json_object_get_string(value);
		struct column *column;

		place = find_column(merge, place,
				    json_object_iter_peek_name(&at));
		column = &merge->columns[place];
		if (json_object_is_type(value, json_type_string))
			column->kind = TABLE_TEXT;
		else if (value && column->kind != TABLE_TEXT &&
			 !json_object_is_type(value, json_type_int))
			column->kind = TABLE_NUMBER;
		column->is_empty &= !value || !*text;
		json_object_iter_next(&at);
	}
}

static int add_points(struct merge *merge, const char *path,
		      const struct json_object *shard)
{
	const struct json_object *points = json_member(shard, "points");
	struct json_object *point;

	for (size_t i = 0; (point = json_element(points, i)); i++) {
		double number = json_real(point, POINT);

		if (!(number >= 1 && number <= (double)merge->num_points) ||
		    number != floor(number))
			return refuse(path, "a point has no number of the "
					    "sweep");
		if (merge->points[(size_t)number - 1])
			return refuse(path, "its points were in a file before");
		merge->points[(size_t)number - 1] = point;
		json_object_object_del(point, POINT);
		add_columns(merge, point);
	}
	return TOOL_OK;
}

/* What shards say, each of its own points. */
static void add_random(struct run_random *random,
		       const struct json_object *shard)
{
	struct json_object *asked = json_member(shard, "random_asked");
	struct json_object *repeats = json_member(shard, "random_repeatable");

	random->is_known |= asked || repeats;
	random->asked |= json_object_get_boolean(asked);
	random->repeats |= json_object_get_boolean(repeats);
}

static int add_shard(struct merge *merge, const char *path)
{
	struct json_object *shard;
	const char *schema;
	double of_all;
	char *text;
	int status = results_text(path, &text);

	if (status)
		return status;
	shard = json_tokener_parse(text);
	free(text);
	if (!shard)
		return refuse(path, "this is no JSON");
	json_object_array_add(merge->shards, shard);
	schema = json_text(shard, "schema");
	of_all = json_real(json_member(shard, "shard"), "points");
	if (!schema || strcmp(schema, SWEEP_SCHEMA) || isnan(of_all))
		return refuse(path, "this is no shard of a sweep ('uncore stat "
				    "--sweep ... --shard=K/N --json')");
	if (!(of_all >= 1 && of_all <= MOST_POINTS))
		return refuse(path, "it has no number of points");
	if (!fit(json_element(merge->shards, 0), shard))
		return refuse(path, "this is a shard of another sweep than the "
				    "first file");
	if (!merge->points) {
		merge->num_points = (size_t)of_all;
		merge->points =
			tool_new(merge->num_points, sizeof(*merge->points));
	}
	add_random(&merge->random, shard);
	return add_points(merge, path, shard);
}

static const char *unit_in(const struct merge *merge, const char *name)
{
	const struct json_object *shard;
	const char *unit = NULL;

	for (size_t i = 0; (shard = json_element(merge->shards, i)) && !unit;
	     i++)
		unit = json_text(json_member(shard, "units"), name);
	return unit;
}

/* Of "NAME" and "NAME.error". */
static const char *unit_of(const struct merge *merge, const char *name)
{
	const char *unit = unit_in(merge, name);
	char *whole = tool_copy(name), *dot = strrchr(whole, '.');

	if (!unit && dot && !strcmp(dot, ".error")) {
		*dot = '\0';
		unit = unit_in(merge, whole);
	}
	free(whole);
	return unit ? unit : strcmp(name, "detail") ? "" : "%";
}

/* Why no point has a figure, as far as one says. */
static const char *why_missing(const struct merge *merge, const char *name)
{
	const char *why = NULL;

	for (size_t i = 0; i < merge->num_points && !why; i++)
		why = sweep_note_on(json_text(merge->points[i], "note"), name);
	return why;
}

static void add_table(const struct merge *merge,
		      struct sweep_document *document)
{
	struct table *table = &document->points;

	for (size_t i = 0; i < merge->num_columns; i++) {
		const struct column *it = &merge->columns[i];

		if (it->is_empty && unit_in(merge, it->name))
			table_add(&document->missing, it->name,
				  why_missing(merge, it->name));
		table_add_column(table, it->name, unit_of(merge, it->name),
				 it->is_empty && it->kind == TABLE_COUNT
					 ? TABLE_NUMBER
					 : it->kind);
	}
	for (size_t i = 0; i < merge->num_points; i++) {
		const struct json_object *point = merge->points[i];
		size_t row = point ? table_add_row(table) : 0;

		for (size_t c = 0; point && c < table->num_columns; c++) {
			const char *name = table->columns[c].name;

			table_set_text(table, row, c, json_text(point, name));
			table_set(table, row, c, json_real(point, name));
		}
	}
}

static void print(const struct merge *merge,
		  const struct compare_settings *settings, FILE *file)
{
	const struct json_object *first = json_element(merge->shards, 0);
	const char *command = json_text(first, "command");
	struct sweep_document document;

	sweep_document_init(&document, command ? command : "");
	while (json_element(json_member(first, "parameters"),
			    document.num_parameters))
		document.num_parameters++;
	document.random = merge->random;
	add_table(merge, &document);
	sweep_document_print(&document, settings->json, settings->separator,
			     file);
	sweep_document_free(&document);
}

/* A table with holes is no success. */
static int check_holes(const struct merge *merge)
{
	size_t num = 0, first = 0;

	for (size_t i = merge->num_points; i--;)
		if (!merge->points[i]) {
			num++;
			first = i + 1;
		}
	return num ? tool_fail(TOOL_FAILED,
			       "%zu of %zu points are in no file, such as "
			       "number %zu",
			       num, merge->num_points, first)
		   : TOOL_OK;
}

int compare_merge(const struct compare_settings *settings, FILE *file)
{
	struct merge merge = { .shards = json_object_new_array() };
	int status = TOOL_OK;

	for (size_t i = 0; i < settings->paths.num && !status; i++)
		status = add_shard(&merge, settings->paths.list[i]);
	if (!status) {
		print(&merge, settings, file);
		status = check_holes(&merge);
	}
	json_object_put(merge.shards);
	free(merge.columns);
	free(merge.points);
	return status;
}
