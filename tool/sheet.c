/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The table itself.
 */
#include "sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/error.h"

static char *copy(struct sheet *sheet, const char *text)
{
	char *new = strdup(text);

	if (!new)
		sheet->failed = true;
	return new;
}

void sheet_init(struct sheet *sheet, const char *name, const char *title)
{
	*sheet = (struct sheet){ .name = name };
	sheet->title = copy(sheet, title);
}

void sheet_free(struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->num_columns; i++) {
		free(sheet->columns[i].name);
		free(sheet->columns[i].unit);
	}
	for (size_t i = 0; i < sheet->num_rows * sheet->num_columns; i++)
		free(sheet->cells[i].text);
	free(sheet->columns);
	free(sheet->cells);
	free(sheet->title);
	free(sheet->below_ends);
	if (sheet->below)
		sheet_free(sheet->below);
	free(sheet->below);
}

struct sheet *sheet_below(struct sheet *sheet, const char *name)
{
	if (sheet->below)
		return sheet->below;
	sheet->below = malloc(sizeof(*sheet->below));
	if (sheet->below)
		sheet_init(sheet->below, name, "");
	else
		sheet->failed = true;
	return sheet->below;
}

void sheet_add_column(struct sheet *sheet, const char *name, const char *unit,
		      enum sheet_kind kind)
{
	struct sheet_column *columns = NULL;

	if (sheet->num_columns < SHEET_MAX_COLUMNS)
		columns = realloc(sheet->columns,
				  (sheet->num_columns + 1) * sizeof(*columns));
	if (!columns) {
		sheet->failed = true;
		return;
	}
	sheet->columns = columns;
	columns[sheet->num_columns++] = (struct sheet_column){
		.name = copy(sheet, name),
		.unit = copy(sheet, unit),
		.kind = kind,
	};
}

void sheet_add_columns(struct sheet *sheet, const char *columns)
{
	static const char kinds[] = {
		[SHEET_TEXT] = 't',   [SHEET_COUNT] = 'n', [SHEET_REAL] = 'r',
		[SHEET_NUMBER] = 'v', [SHEET_SHARE] = '%',
	};
	char name[64];

	for (size_t length; *columns; columns += length) {
		const char *kind = strchr(columns, ':') + 1;

		bool is_name = *kind == 's';

		length = (size_t)(kind - columns) + 1 + (kind[1] == ' ');
		snprintf(name, sizeof(name), "%.*s", (int)(kind - 1 - columns),
			 columns);
		sheet_add_column(
			sheet, name, "",
			(enum sheet_kind)((const char *)memchr(
						  kinds, is_name ? 't' : *kind,
						  sizeof(kinds)) -
					  kinds));
		if (!sheet->failed)
			sheet->columns[sheet->num_columns - 1].is_name =
				is_name;
	}
}

size_t sheet_add_row(struct sheet *sheet)
{
	struct sheet_cell *cells = sheet->cells;

	if (sheet->num_rows == sheet->room) {
		size_t room = sheet->room ? 2 * sheet->room : 16;

		cells = realloc(cells,
				room * sheet->num_columns * sizeof(*cells));
		if (!cells) {
			sheet->failed = true;
			return SIZE_MAX;
		}
		sheet->cells = cells;
		sheet->room = room;
	}
	for (size_t i = 0; i < sheet->num_columns; i++)
		cells[sheet->num_rows * sheet->num_columns + i] =
			(struct sheet_cell){ NULL, NAN };
	return sheet->num_rows++;
}

static struct sheet_cell *cell_at(const struct sheet *sheet, size_t row,
				  size_t column)
{
	if (row >= sheet->num_rows || column >= sheet->num_columns)
		return NULL;
	return &sheet->cells[row * sheet->num_columns + column];
}

void sheet_set_text(struct sheet *sheet, size_t row, size_t column,
		    const char *text)
{
	struct sheet_cell *cell = cell_at(sheet, row, column);

	if (cell && text) {
		free(cell->text);
		cell->text = copy(sheet, text);
	}
}

void sheet_set(struct sheet *sheet, size_t row, size_t column, double number)
{
	struct sheet_cell *cell = cell_at(sheet, row, column);

	if (cell)
		cell->number = number;
}

void sheet_add(struct sheet *sheet, ...)
{
	size_t row = sheet_add_row(sheet);
	va_list values;

	va_start(values, sheet);
	for (size_t i = 0; row != SIZE_MAX && i < sheet->num_columns; i++)
		if (sheet->columns[i].kind == SHEET_TEXT)
			sheet_set_text(sheet, row, i,
				       va_arg(values, const char *));
		else
			sheet_set(sheet, row, i, va_arg(values, double));
	va_end(values);
}

double sheet_get(const struct sheet *sheet, size_t row, size_t column)
{
	const struct sheet_cell *cell = cell_at(sheet, row, column);

	return cell ? cell->number : NAN;
}

int sheet_made(const struct sheet *sheet)
{
	return sheet->failed ? tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL)
			     : TOOL_OK;
}
