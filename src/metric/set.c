/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A set of metrics: a copy of what the generator made of the built-in file of a
 * family, to which a user's files may add; of a live family, whose events are
 * known at run time only, that file is read.
 */
#include "metric/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "metric/compile.h"
#include "uncore/error.h"
#include "uncore/family.h"

enum { LARGEST_FILE = 16 << 20 };

static void text_done(struct metric_text *text)
{
	free(text->text);
	free(text->raw);
}

void *metric_grown(const void *array, size_t num, size_t size)
{
	char *grown = reallocarray((void *)array, num + 1, size);

	if (grown)
		memset(grown + num * size, 0, size);
	return grown;
}

static void tree_done(struct metric_tree *tree)
{
	free((void *)tree->nodes);
}

static void doubt_done(struct metric_doubt *doubt)
{
	text_done(&doubt->left);
	text_done(&doubt->right);
	free(doubt->why);
	tree_done(&doubt->left_tree);
	tree_done(&doubt->right_tree);
}

static void row_done(struct metric_row *row)
{
	char *strings[] = { row->name,	   row->title,	row->categories,
			    row->unit,	   row->source, row->includes,
			    row->excludes, row->note };

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		free(strings[i]);
	text_done(&row->formula);
	text_done(&row->minimum);
	text_done(&row->maximum);
	tree_done(&row->tree);
	tree_done(&row->minimum_tree);
	tree_done(&row->maximum_tree);
	for (size_t i = 0; i < row->num_doubts; i++)
		doubt_done((struct metric_doubt *)&row->doubts[i]);
	for (size_t i = 0; i < row->num_events; i++)
		free(row->events[i].text);
	free((void *)row->doubts);
	free((void *)row->events);
	free((void *)row->keys);
	free(row->bindings);
}

void metric_row_free(struct metric_row *row)
{
	if (row->is_table)
		return;
	row_done(row);
	free(row);
}

const struct metric_key *metric_key_find(const struct uncore_metrics *metrics,
					 const char *name, size_t length)
{
	for (size_t i = metrics->num_keys; i-- > 0;)
		if (strlen(metrics->keys[i].name) == length &&
		    !strncmp(metrics->keys[i].name, name, length))
			return &metrics->keys[i];
	return NULL;
}

/* A row without limits of its own has those that go without saying. */
static int add_limits(struct metric_row *row)
{
	if (!row->minimum.text) {
		row->minimum = (struct metric_text){ .text = strdup("0"),
						     .file = row->file,
						     .line = row->line };
		if (!row->minimum.text)
			return UNCORE_ERR_NO_MEMORY;
	}
	if (!row->maximum.text && !strcmp(row->unit, "%")) {
		row->maximum = (struct metric_text){ .text = strdup("100"),
						     .file = row->file,
						     .line = row->line };
		if (!row->maximum.text)
			return UNCORE_ERR_NO_MEMORY;
	}
	return 0;
}

static int compile_row(struct uncore_metrics *metrics, struct metric_row *row,
		       char **error)
{
	struct compiler compiler = { .metrics = metrics,
				     .row = row,
				     .error = error };
	int code = add_limits(row);

	if (!code)
		code = compile_formula(&compiler, &row->formula, &row->tree);
	if (!code)
		code = compile_split(&compiler);
	if (!code)
		code = compile_formula(&compiler, &row->minimum,
				       &row->minimum_tree);
	if (!code && row->maximum.text)
		code = compile_formula(&compiler, &row->maximum,
				       &row->maximum_tree);
	for (size_t i = 0; i < row->num_doubts && !code; i++) {
		struct metric_doubt *doubt =
			(struct metric_doubt *)&row->doubts[i];

		code = compile_formula(&compiler, &doubt->left,
				       &doubt->left_tree);
		if (!code)
			code = compile_formula(&compiler, &doubt->right,
					       &doubt->right_tree);
	}
	row->compiled = !code;
	return code;
}

int metric_compile(struct uncore_metrics *metrics, char **error)
{
	int code = 0;

	for (size_t i = 0; i < metrics->num_rows && !code; i++)
		if (!metrics->rows[i]->compiled)
			code = compile_row(metrics, metrics->rows[i], error);
	return code;
}

/* What could not be compiled leaves the set. */
static void remove_rows(struct uncore_metrics *metrics)
{
	size_t kept = 0;

	for (size_t i = 0; i < metrics->num_rows; i++)
		if (metrics->rows[i]->compiled)
			metrics->rows[kept++] = metrics->rows[i];
		else
			metric_row_free(metrics->rows[i]);
	metrics->num_rows = kept;
}

/* All live families have those of 'perf': their names tell what they are of. */
static bool is_of(const struct metric_file *file, const char *family)
{
	size_t length = strcspn(family, ":,");

	return strlen(file->family) == length &&
	       !strncmp(file->family, family, length);
}

static bool is_live(const struct uncore_family *family)
{
	const char *name = uncore_family_name(family);

	return !strncmp(name, "perf", 4) && (!name[4] || strchr(":,", name[4]));
}

/* Those that follow from the names of events. */
static int read_memory(struct uncore_metrics *metrics, char **error)
{
	char *text = metric_of_memory(metrics->family);
	int code = text ? metric_read(metrics, "memory.c", text, 0, error) : 0;

	free(text);
	return code;
}

static void *copied(const void *array, size_t num, size_t size)
{
	void *copy = calloc(num + 1, size);

	return copy && num ? memcpy(copy, array, num * size) : copy;
}

/* Of the table's own the arrays are copied, as what they hold may be replaced.
 */
static int begin(struct uncore_metrics *metrics,
		 const struct uncore_metrics *table)
{
	const struct uncore_family *family = metrics->family;

	*metrics = *table;
	metrics->family = family;
	metrics->table = table;
	metrics->rows =
		copied(table->rows, table->num_rows, sizeof(table->rows[0]));
	metrics->keys =
		copied(table->keys, table->num_keys, sizeof(table->keys[0]));
	metrics->categories = copied(table->categories, table->num_categories,
				     sizeof(table->categories[0]));
	metrics->files =
		copied(table->files, table->num_files, sizeof(table->files[0]));
	return metrics->rows && metrics->keys && metrics->categories &&
			       metrics->files
		       ? 0
		       : UNCORE_ERR_NO_MEMORY;
}

static int fill(struct uncore_metrics *metrics, char **error)
{
	const struct metric_file *file = metric_files;
	int code = 0;

	while (file->family &&
	       !is_of(file, uncore_family_name(metrics->family)))
		file++;
	if (file->table)
		return begin(metrics, file->table);
	if (file->family)
		code = metric_read(metrics, file->name, file->text, 0, error);
	if (!code && is_live(metrics->family))
		code = read_memory(metrics, error);
	return code ? code : metric_compile(metrics, error);
}

int uncore_metrics_new(const struct uncore_family *family,
		       struct uncore_metrics **metrics, char **error)
{
	int code;

	*metrics = calloc(1, sizeof(**metrics));
	if (!*metrics)
		return UNCORE_ERR_NO_MEMORY;
	(*metrics)->family = family;
	code = fill(*metrics, error);
	if (code) {
		uncore_metrics_free(*metrics);
		*metrics = NULL;
	}
	return code;
}

static void key_done(struct metric_key *key)
{
	free(key->name);
	text_done(&key->text);
	free(key->unit);
	free(key->title);
	free(key->param);
	free(key->number);
}

static void category_done(struct metric_category *category)
{
	free(category->name);
	free(category->title);
	free(category->shows);
}

void uncore_metrics_free(struct uncore_metrics *metrics)
{
	static const struct uncore_metrics nothing;
	const struct uncore_metrics *table;

	if (!metrics)
		return;
	table = metrics->table ? metrics->table : &nothing;
	for (size_t i = 0; i < metrics->num_rows && metrics->rows; i++)
		metric_row_free(metrics->rows[i]);
	for (size_t i = table->num_keys; i < metrics->num_keys; i++)
		key_done(&metrics->keys[i]);
	for (size_t i = table->num_categories; i < metrics->num_categories; i++)
		category_done(&metrics->categories[i]);
	for (size_t i = table->num_files; i < metrics->num_files; i++)
		free(metrics->files[i]);
	free(metrics->categories);
	free(metrics->rows);
	free(metrics->keys);
	free(metrics->files);
	free(metrics);
}

int uncore_metrics_read(struct uncore_metrics *metrics, const char *path,
			char **error)
{
	char *text = file_text(path, LARGEST_FILE, error);
	int code;

	if (!text)
		return UNCORE_ERR_BAD_METRIC;
	code = metric_read(metrics, path, text, 0, error);
	if (!code)
		code = metric_compile(metrics, error);
	if (code)
		remove_rows(metrics);
	free(text);
	return code;
}
