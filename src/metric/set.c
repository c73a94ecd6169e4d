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

const struct metric_key *metric_key_find(const struct uncore_metrics *metrics,
					 const char *name, size_t length)
{
	for (size_t i = metrics->num_keys; i-- > 0;)
		if (strlen(metrics->keys[i].name) == length &&
		    !strncmp(metrics->keys[i].name, name, length))
			return &metrics->keys[i];
	return NULL;
}

static void add_limit(struct uncore_metrics *metrics,
		      const struct metric_row *row, const char *text,
		      struct metric_text *limit)
{
	*limit = (struct metric_text){ .text = arena_say(&metrics->arena, "%s",
							 text),
				       .file = row->file,
				       .line = row->line };
}

static int compile_row(struct uncore_metrics *metrics, struct metric_row *row,
		       char **error)
{
	struct compiler compiler = { .metrics = metrics,
				     .row = row,
				     .error = error };
	int code;

	/* without limits of its own it has those that go without saying */
	if (!row->minimum.text)
		add_limit(metrics, row, "0", &row->minimum);
	if (!row->maximum.text && !strcmp(row->unit, "%"))
		add_limit(metrics, row, "100", &row->maximum);
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
	return !code && metrics->arena.failed ? UNCORE_ERR_NO_MEMORY : code;
}

/* What could not be compiled leaves the set. */
static void remove_rows(struct uncore_metrics *metrics)
{
	size_t kept = 0;

	for (size_t i = 0; i < metrics->num_rows; i++)
		if (metrics->rows[i]->compiled)
			metrics->rows[kept++] = metrics->rows[i];
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

/* An array as if its elements had been added one by one. */
static void *copied(struct uncore_metrics *metrics, const void *array,
		    size_t num, size_t size)
{
	size_t room = 1;
	void *copy;

	while (room < num)
		room *= 2;
	copy = arena_room(&metrics->arena, room, size);
	return copy && num ? memcpy(copy, array, num * size) : copy;
}

/* Of the table's own the arrays are copied, as what they hold may be replaced.
 */
static int begin(struct uncore_metrics *metrics,
		 const struct uncore_metrics *table)
{
	metrics->rows = copied(metrics, table->rows, table->num_rows,
			       sizeof(table->rows[0]));
	metrics->num_rows = table->num_rows;
	metrics->keys = copied(metrics, table->keys, table->num_keys,
			       sizeof(table->keys[0]));
	metrics->num_keys = table->num_keys;
	metrics->categories =
		copied(metrics, table->categories, table->num_categories,
		       sizeof(table->categories[0]));
	metrics->num_categories = table->num_categories;
	return metrics->arena.failed ? UNCORE_ERR_NO_MEMORY : 0;
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

void uncore_metrics_free(struct uncore_metrics *metrics)
{
	if (metrics)
		arena_free(&metrics->arena);
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
