/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The table itself.
 */
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

void table_init(struct table *table, const char *name, const char *title)
{
	*table = (struct table){ .name = name, .title = tool_copy(title) };
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->num_columns; i++) {
		free(table->columns[i].name);
		free(table->columns[i].unit);
	}
	for (size_t i = 0; i < table->num_rows * table->num_columns; i++)
		free(table->cells[i].text);
	free(table->columns);
	free(table->cells);
	free(table->title);
	free(table->below_ends);
	if (table->below)
		table_free(table->below);
	free(table->below);
}

struct table *table_below(struct table *table, const char *name)
{
	if (!table->below) {
		table->below = tool_new(1, sizeof(*table->below));
		table_init(table->below, name, "");
	}
	return table->below;
}

void table_add_column(struct table *table, const char *name, const char *unit,
		      enum table_kind kind)
{
	if (table->num_columns == TABLE_MAX_COLUMNS)
		exit(tool_fail(TOOL_FAILED,
			       "a table of %d columns has no room "
			       "for more",
			       TABLE_MAX_COLUMNS));
	table->columns = tool_more(table->columns, table->num_columns,
				   sizeof(*table->columns));
	table->columns[table->num_columns++] = (struct table_column){
		.name = tool_copy(name),
		.unit = tool_copy(unit),
		.kind = kind,
	};
}

void table_add_columns(struct table *table, const char *columns)
{
	static const char kinds[] = {
		[TABLE_TEXT] = 't',   [TABLE_COUNT] = 'n', [TABLE_REAL] = 'r',
		[TABLE_NUMBER] = 'v', [TABLE_SHARE] = '%',
	};
	char name[64];

	for (size_t length; *columns; columns += length) {
		const char *kind = strchr(columns, ':') + 1;

		bool is_name = *kind == 's';

		length = (size_t)(kind - columns) + 1 + (kind[1] == ' ');
		snprintf(name, sizeof(name), "%.*s", (int)(kind - 1 - columns),
			 columns);
		table_add_column(
			table, name, "",
			(enum table_kind)((const char *)memchr(
						  kinds, is_name ? 't' : *kind,
						  sizeof(kinds)) -
					  kinds));
		table->columns[table->num_columns - 1].is_name = is_name;
	}
}

size_t table_add_row(struct table *table)
{
	size_t row = table->num_rows++;

	table->cells = tool_more(table->cells, row,
				 table->num_columns * sizeof(*table->cells));
	for (size_t i = 0; i < table->num_columns; i++)
		table->cells[row * table->num_columns + i] =
			(struct table_cell){ NULL, NAN };
	return row;
}

static struct table_cell *cell_at(const struct table *table, size_t row,
				  size_t column)
{
	if (row >= table->num_rows || column >= table->num_columns)
		return NULL;
	return &table->cells[row * table->num_columns + column];
}

void table_set_text(struct table *table, size_t row, size_t column,
		    const char *text)
{
	struct table_cell *cell = cell_at(table, row, column);

	if (cell && text) {
		free(cell->text);
		cell->text = tool_copy(text);
	}
}

void table_set(struct table *table, size_t row, size_t column, double number)
{
	struct table_cell *cell = cell_at(table, row, column);

	if (cell)
		cell->number = number;
}

void table_add(struct table *table, ...)
{
	size_t row = table_add_row(table);
	va_list values;

	va_start(values, table);
	for (size_t i = 0; i < table->num_columns; i++)
		if (table->columns[i].kind == TABLE_TEXT)
			table_set_text(table, row, i,
				       va_arg(values, const char *));
		else
			table_set(table, row, i, va_arg(values, double));
	va_end(values);
}

const char *table_text(const struct table *table, size_t row, size_t column)
{
	const struct table_cell *cell = cell_at(table, row, column);

	return cell && cell->text ? cell->text : "";
}

double table_get(const struct table *table, size_t row, size_t column)
{
	const struct table_cell *cell = cell_at(table, row, column);

	return cell ? cell->number : NAN;
}
