/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "sweep_document.h"

#include <math.h>
#include <string.h>

#include "page.h"
#include "tool.h"

void sweep_document_init(struct sweep_document *document, const char *command)
{
	*document =
		(struct sweep_document){ .command = command, .shard_of = 1 };
	table_init(&document->points, "points", command);
	table_init(&document->missing, "missing", "");
	table_add_columns(&document->missing, "name:t why:t");
}

void sweep_document_free(struct sweep_document *document)
{
	table_free(&document->points);
	table_free(&document->missing);
}

const char *sweep_note_on(const char *note, const char *name)
{
	size_t length = strlen(name);

	return note && !strncmp(note, name, length) &&
			       !strncmp(note + length, ": ", 2)
		       ? note + length + 2
		       : NULL;
}

/* For people a point's note is its why, if it is about a figure that they
 * see. */
static const char *text_for_people(const struct sweep_document *document,
				   size_t row, size_t column)
{
	const struct table *points = &document->points, *missing;
	const char *text = table_text(points, row, column), *note;

	if (strcmp(points->columns[column].name, "why") || *text)
		return text;
	note = table_text(points, row, column + 2);
	missing = &document->missing;
	for (size_t i = 0; i < missing->num_rows; i++)
		if (sweep_note_on(note, table_text(missing, i, 0)))
			return "";
	return note;
}

static bool says_something(const struct sweep_document *document, size_t column)
{
	const struct table *points = &document->points;
	static const char *const hidden[] = { "status", "note", "point" };
	bool any = false;

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (!strcmp(points->columns[column].name, hidden[i]))
			return false;
	for (size_t row = 0; row < points->num_rows && !any; row++) {
		any = points->columns[column].kind == TABLE_TEXT
			      ? *text_for_people(document, row, column)
			      : !isnan(table_get(points, row, column));
	}
	return any;
}

/* The columns that say something to people. */
static void choose(const struct sweep_document *document, struct table *table)
{
	const struct table *points = &document->points;
	bool is_shown[points->num_columns + 1];

	table_init(table, points->name, points->title);
	for (size_t i = 0; i < points->num_columns; i++) {
		const struct table_column *column = &points->columns[i];

		is_shown[i] = says_something(document, i);
		if (is_shown[i])
			table_add_column(table, column->name, column->unit,
					 column->kind);
	}
	for (size_t i = 0; i < points->num_rows; i++) {
		size_t row = table_add_row(table), at = 0;

		for (size_t j = 0; j < points->num_columns; j++) {
			if (!is_shown[j])
				continue;
			table_set_text(table, row, at,
				       text_for_people(document, i, j));
			table_set(table, row, at++, table_get(points, i, j));
		}
	}
}

static void print_text(const struct sweep_document *document, FILE *file)
{
	const struct table *missing = &document->missing;
	const char *said = run_say_random(&document->random);
	struct page page = { .file = file, .has_begun = true };
	struct table table;

	choose(document, &table);
	table_print_text(&table, file);
	table_free(&table);
	for (size_t i = 0; i < missing->num_rows; i++) {
		if (!i)
			page_line(&page, 0, "%s", "");
		page_line(&page, 2, "%s: n/a   # %s", table_text(missing, i, 0),
			  table_text(missing, i, 1));
	}
	if (said)
		page_heading(&page, " Note: %s", said);
	page_line(&page, 0, "%s", "");
}

static bool is_error(const char *name)
{
	static const char end[] = ".error";
	size_t length = strlen(name);

	return length >= sizeof(end) - 1 &&
	       !strcmp(name + length - (sizeof(end) - 1), end);
}

static void put_head(const struct sweep_document *document, struct json *json)
{
	const struct table *points = &document->points;
	size_t at = 0;

	json_members(json, "schema:%s command:%s", SWEEP_SCHEMA,
		     document->command);
	if (document->shard_of > 1) {
		json_open(json, "shard", '{');
		json_members(json, "index:%lu of:%lu points:%lu",
			     (uint64_t)document->shard,
			     (uint64_t)document->shard_of,
			     (uint64_t)document->num_grid);
		json_close(json);
	}
	json_open(json, "parameters", '[');
	for (; at < document->num_parameters; at++)
		json_string(json, NULL, points->columns[at].name);
	json_close(json);
	json_open(json, "units", '{');
	for (; at < points->num_columns &&
	       strcmp(points->columns[at].name, "why") != 0;
	     at++)
		if (!is_error(points->columns[at].name))
			json_string(json, points->columns[at].name,
				    points->columns[at].unit);
	json_close(json);
}

void sweep_document_print(const struct sweep_document *document, bool json,
			  const char *separator, FILE *file)
{
	struct json to = { .file = file };

	if (separator && !json)
		table_print_separated(&document->points, separator, file);
	else if (!json)
		print_text(document, file);
	if (!json)
		return;
	json_open(&to, NULL, '{');
	put_head(document, &to);
	if (document->random.is_known)
		json_members(&to, "random_asked:%d random_repeatable:%d",
			     document->random.asked, document->random.repeats);
	table_print_json(&document->points, &to);
	json_close(&to);
}
