/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore compare --merge`: what the shards of a sweep (`stat --sweep --shard
 * --json`) counted, as the one table that the sweep without shards would be.
 */
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "compare_settings.h"
#include "tool/json.h"
#include "tool/table.h"
#include "tool/tool.h"
#include "uncore/error.h"

#define SWEEP_SCHEMA "uncore-sweep-1"

enum { MOST_POINTS = 1000000 };

/* Of a shard's points alone: its number in the grid. */
static const char POINT[] = "point";

struct merge {
	struct json_object **shards; /* one for each file */
	size_t num_shards;
	struct json_object **points; /* by number; NULL: nobody has it */
	size_t num_points;
	const char **columns; /* their names, in the shards */
	size_t num_columns;
};

static int refuse(const char *path, const char *why)
{
	return tool_fail(TOOL_USAGE, "%s: %s", path, why);
}

/* What all shards of a sweep have the same. */
static bool fit(const struct json_object *a, const struct json_object *b)
{
	static const char *const names[] = { "command", "parameters" };
	bool same = true;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		same &= json_object_equal(json_member(a, names[i]),
					  json_member(b, names[i]));
	a = json_member(a, "shard");
	b = json_member(b, "shard");
	return same &&
	       json_object_equal(json_member(a, "of"), json_member(b, "of")) &&
	       json_object_equal(json_member(a, "points"),
				 json_member(b, "points"));
}

static int add_column(struct merge *merge, size_t at, const char *name)
{
	const char **columns = realloc(
		merge->columns, (merge->num_columns + 1) * sizeof(*columns));

	if (!columns)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	memmove(columns + at + 1, columns + at,
		(merge->num_columns - at) * sizeof(*columns));
	columns[at] = name;
	merge->columns = columns;
	merge->num_columns++;
	return TOOL_OK;
}

/* The columns of a point, each behind the one before it. */
static int add_columns(struct merge *merge, struct json_object *point)
{
	struct json_object_iterator next = json_object_iter_begin(point);
	struct json_object_iterator end = json_object_iter_end(point);
	int status = TOOL_OK;
	size_t at = 0;

	for (; !json_object_iter_equal(&next, &end);
	     json_object_iter_next(&next)) {
		const char *name = json_object_iter_peek_name(&next);
		size_t i = 0;

		while (i < merge->num_columns &&
		       strcmp(merge->columns[i], name))
			i++;
		if (i == merge->num_columns && !status)
			status = add_column(merge, i = at, name);
		at = i + 1;
	}
	return status;
}

static int add_points(struct merge *merge, const char *path,
		      const struct json_object *shard)
{
	const struct json_object *points = json_member(shard, "points");
	struct json_object *point;
	int status = TOOL_OK;

	for (size_t i = 0; (point = json_element(points, i)) && !status; i++) {
		double number = json_real(point, POINT);

		if (!(number >= 1 && number <= (double)merge->num_points) ||
		    number != floor(number))
			return refuse(path, "a point has no number of the "
					    "sweep");
		if (merge->points[(size_t)number - 1])
			return refuse(path, "its points were in a file before");
		merge->points[(size_t)number - 1] = point;
		json_object_object_del(point, POINT);
		status = add_columns(merge, point);
	}
	return status;
}

static int add_shard(struct merge *merge, const char *path)
{
	char *text = figures_text(path);
	struct json_object *shard = text ? json_tokener_parse(text) : NULL;
	const char *schema = json_text(shard, "schema");
	double of_all = json_real(json_member(shard, "shard"), "points");

	free(text);
	if (!text)
		return TOOL_USAGE;
	if (!shard)
		return refuse(path, "this is no JSON");
	merge->shards[merge->num_shards++] = shard;
	if (!schema || strcmp(schema, SWEEP_SCHEMA) || isnan(of_all))
		return refuse(path, "this is no shard of a sweep ('uncore stat "
				    "--sweep ... --shard=K/N --json')");
	if (!(of_all >= 1 && of_all <= MOST_POINTS))
		return refuse(path, "it has no number of points");
	if (!fit(merge->shards[0], shard))
		return refuse(path, "this is a shard of another sweep than the "
				    "first file");
	if (!merge->points) {
		merge->num_points = (size_t)of_all;
		merge->points =
			calloc(merge->num_points, sizeof(*merge->points));
	}
	return merge->points ? add_points(merge, path, shard)
			     : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

/* What a column holds: whole numbers, numbers, texts; nothing at all. */
static enum table_kind kind_of(const struct merge *merge, const char *name,
			       bool *is_empty)
{
	enum table_kind kind = TABLE_COUNT;

	*is_empty = true;
	for (size_t i = 0; i < merge->num_points; i++) {
		struct json_object *value = json_member(merge->points[i], name);
		const char *text = json_object_get_string(value);

		if (json_object_is_type(value, json_type_string))
			kind = TABLE_TEXT;
		else if (value && kind != TABLE_TEXT &&
			 !json_object_is_type(value, json_type_int))
			kind = TABLE_NUMBER;
		*is_empty &= !value || !*text;
	}
	return *is_empty && kind == TABLE_COUNT ? TABLE_NUMBER : kind;
}

/* Of "NAME" and "NAME.error". */
static const char *unit_of(const struct merge *merge, const char *name)
{
	const struct json_object *units =
		json_member(merge->shards[0], "units");
	size_t length = strlen(name), end = strlen(".error");
	const char *unit = json_text(units, name);
	char *whole = NULL;

	if (!unit && length > end && !strcmp(name + length - end, ".error"))
		whole = strndup(name, length - end);
	if (whole)
		unit = json_text(units, whole);
	free(whole);
	return unit ? unit : strcmp(name, "detail") ? "" : "%";
}

/* For people without what says nothing. */
static bool is_for_people(const char *name, bool is_empty)
{
	return !is_empty && strcmp(name, "status") != 0;
}

static void fill(const struct merge *merge, const char *name, size_t column,
		 struct table *table)
{
	size_t row = 0;

	for (size_t i = 0; i < merge->num_points; i++) {
		if (!merge->points[i])
			continue;
		table_set_text(table, row, column,
			       json_text(merge->points[i], name));
		table_set(table, row, column,
			  json_real(merge->points[i], name));
		row++;
	}
}

static void make_table(const struct merge *merge, bool all, const char *title,
		       struct table *table)
{
	size_t at = 0;

	table_init(table, "points", title);
	for (int pass = 0; pass < 2 && !table->failed; pass++) {
		for (size_t i = 0; i < merge->num_columns; i++) {
			const char *name = merge->columns[i];
			bool is_empty;
			enum table_kind kind = kind_of(merge, name, &is_empty);

			if (!all && !is_for_people(name, is_empty))
				continue;
			if (pass)
				fill(merge, name, at++, table);
			else
				table_add_column(table, name,
						 unit_of(merge, name), kind);
		}
		for (size_t i = 0; !pass && i < merge->num_points; i++)
			if (merge->points[i])
				table_add_row(table);
	}
}

static void put_random(const struct merge *merge, const char *name,
		       struct json *json)
{
	bool is_known = false, is_set = false;

	for (size_t i = 0; i < merge->num_shards; i++) {
		struct json_object *flag = json_member(merge->shards[i], name);

		is_known |= flag != NULL;
		is_set |= json_object_get_boolean(flag);
	}
	if (is_known)
		json_flag(json, name, is_set);
}

/* The members of an object of texts. */
static void put_texts(struct json_object *object, struct json *json)
{
	struct json_object_iterator next, end;

	if (!json_object_is_type(object, json_type_object))
		return;
	next = json_object_iter_begin(object);
	end = json_object_iter_end(object);
	for (; !json_object_iter_equal(&next, &end);
	     json_object_iter_next(&next))
		json_string(json, json_object_iter_peek_name(&next),
			    json_object_get_string(
				    json_object_iter_peek_value(&next)));
}

static void print_json(const struct merge *merge, const struct table *table,
		       FILE *file)
{
	const struct json_object *first = merge->shards[0];
	struct json_object *name;
	struct json json = { .file = file };

	json_open(&json, NULL, '{');
	json_string(&json, "schema", SWEEP_SCHEMA);
	json_string(&json, "command", json_text(first, "command"));
	json_open(&json, "parameters", '[');
	for (size_t i = 0;
	     (name = json_element(json_member(first, "parameters"), i)); i++)
		json_string(&json, NULL, json_object_get_string(name));
	json_close(&json);
	json_open(&json, "units", '{');
	put_texts(json_member(first, "units"), &json);
	json_close(&json);
	put_random(merge, "random_asked", &json);
	put_random(merge, "random_repeatable", &json);
	table_print_json(table, &json);
	json_close(&json);
}

static int print(const struct merge *merge,
		 const struct compare_settings *settings, FILE *file)
{
	const char *command = json_text(merge->shards[0], "command");
	struct table table;
	int status;

	make_table(merge, settings->json || settings->separator,
		   command ? command : "", &table);
	status = table_made(&table);
	if (!status && settings->json)
		print_json(merge, &table, file);
	else if (!status && settings->separator)
		table_print_separated(&table, settings->separator, file);
	else if (!status)
		table_print_text(&table, file);
	table_free(&table);
	return status;
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
	struct merge merge = { 0 };
	int status = TOOL_OK;

	merge.shards = calloc(settings->paths.num + 1, sizeof(*merge.shards));
	if (!merge.shards)
		status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < settings->paths.num && !status; i++)
		status = add_shard(&merge, settings->paths.list[i]);
	if (!status)
		status = print(&merge, settings, file);
	if (!status)
		status = check_holes(&merge);
	for (size_t i = 0; i < merge.num_shards; i++)
		json_object_put(merge.shards[i]);
	free(merge.columns);
	free(merge.points);
	free(merge.shards);
	return status;
}
