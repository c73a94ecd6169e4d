/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Tables as text, with separators, and as JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "sheet.h"
#include "tool.h"

enum { CELL_ROOM = 4096, BAR_WIDTH = 30, INDENT = 8 };

/* Instead of numbers of rows. */
#define HEADINGS SIZE_MAX
#define NOTHING	 (SIZE_MAX - 1)

static const struct sheet_cell *cell_of(const struct sheet *sheet, size_t row,
					size_t column)
{
	return &sheet->cells[row * sheet->num_columns + column];
}

/* 1234567 as 1,234,567. */
static void grouped(double number, char *text, size_t size)
{
	char digits[64];
	size_t length, at = 0;

	snprintf(digits, sizeof(digits), "%.0f", number);
	length = strlen(digits);
	for (size_t i = 0; i < length && at + 2 < size; i++) {
		if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = 0;
}

static void for_people(const struct sheet *sheet, size_t row, size_t column,
		       char *text, size_t size)
{
	const struct sheet_cell *cell = cell_of(sheet, row, column);

	if (sheet->columns[column].kind == SHEET_TEXT)
		tool_clean(cell->text ? cell->text : "", text, size);
	else if (isnan(cell->number))
		snprintf(text, size, "-");
	else if (sheet->columns[column].kind == SHEET_COUNT)
		grouped(cell->number, text, size);
	else if (sheet->columns[column].kind == SHEET_SHARE)
		snprintf(text, size, "%.2f %%", 100 * cell->number);
	else if (sheet->columns[column].kind == SHEET_NUMBER &&
		 (fabs(cell->number) >= 1000 ||
		  floor(cell->number) == cell->number))
		grouped(cell->number, text, size);
	else
		snprintf(text, size,
			 sheet->columns[column].kind == SHEET_NUMBER ? "%.4g"
								     : "%.6g",
			 cell->number);
}

static void heading(const struct sheet *sheet, size_t column, char *text,
		    size_t size)
{
	const struct sheet_column *it = &sheet->columns[column];
	size_t length;

	tool_clean(it->name, text, size);
	length = strlen(text);
	if (*it->unit)
		snprintf(text + length, size - length, " [%s]", it->unit);
}

static int width_of(const struct sheet *sheet, size_t column)
{
	char text[CELL_ROOM];
	size_t width;

	heading(sheet, column, text, sizeof(text));
	width = strlen(text);
	for (size_t row = 0; row < sheet->num_rows; row++) {
		for_people(sheet, row, column, text, sizeof(text));
		if (strlen(text) > width)
			width = strlen(text);
	}
	return (int)width;
}

static void put(FILE *file, const char *text, int width, bool left, bool last)
{
	if (left)
		fprintf(file, "  %-*s", last ? 0 : width, text);
	else
		fprintf(file, "  %*s", width, text);
}

/* What the longest bar stands for. */
static double most_of(const struct sheet *sheet)
{
	double most = 0;

	for (size_t i = 0; i < sheet->num_rows; i++)
		most = fmax(most, sheet_get(sheet, i, sheet->chart_column));
	return most;
}

/* The course of the first line of a chart, as bars. */
static void put_bar(const struct sheet *sheet, size_t row, double most,
		    FILE *file)
{
	double value = sheet_get(sheet, row, sheet->chart_column);
	int length =
		most > 0 && value > 0 ? (int)ceil(BAR_WIDTH * value / most) : 0;

	fputs("  ", file);
	while (length-- > 0)
		fputc('#', file);
}

static void put_row(const struct sheet *sheet, size_t row, const int *widths,
		    double most, FILE *file)
{
	char text[CELL_ROOM];

	for (size_t i = 0; i < sheet->num_columns; i++) {
		if (row == HEADINGS)
			heading(sheet, i, text, sizeof(text));
		else
			for_people(sheet, row, i, text, sizeof(text));
		put(file, text, widths[i], sheet->columns[i].kind == SHEET_TEXT,
		    i + 1 == sheet->num_columns);
	}
	if (row != HEADINGS && sheet->chart == SHEET_LINES)
		put_bar(sheet, row, most, file);
	fputc('\n', file);
}

/* The widths of all columns, to be freed; NULL without memory. */
static int *measure(const struct sheet *sheet)
{
	int *widths = calloc(sheet->num_columns + 1, sizeof(*widths));

	for (size_t i = 0; widths && i < sheet->num_columns; i++)
		widths[i] = width_of(sheet, i);
	return widths;
}

static size_t first_below(const struct sheet *sheet, size_t row)
{
	return row ? sheet->below_ends[row - 1] : 0;
}

static void put_below(const struct sheet *sheet, size_t row, const int *widths,
		      FILE *file)
{
	size_t from = first_below(sheet, row), until = sheet->below_ends[row];

	for (size_t i = from; i < until; i++) {
		fprintf(file, "%*s", INDENT, "");
		put_row(sheet->below, i, widths, 0, file);
	}
	if (from < until)
		fputc('\n', file);
}

void sheet_print_text(const struct sheet *sheet, FILE *file)
{
	const struct sheet *below = sheet->below;
	int *widths = measure(sheet), *more = below ? measure(below) : NULL;
	double most = sheet->chart == SHEET_LINES ? most_of(sheet) : 0;

	fprintf(file, "\n %s\n\n", sheet->title);
	if (widths)
		put_row(sheet, HEADINGS, widths, most, file);
	if (more) {
		fprintf(file, "%*s", INDENT, "");
		put_row(below, HEADINGS, more, 0, file);
		fputc('\n', file);
	}
	for (size_t row = 0; widths && row < sheet->num_rows; row++) {
		put_row(sheet, row, widths, most, file);
		if (more)
			put_below(sheet, row, more, file);
	}
	free(widths);
	free(more);
}

/* With quotes, doubled inside, where a program would misread it else. */
static void put_field(FILE *file, const char *text, const char *separator)
{
	if (!strstr(text, separator) && !strpbrk(text, "\"\n")) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void exact(const struct sheet *sheet, size_t row, size_t column,
		  char *text, size_t size)
{
	const struct sheet_cell *cell = cell_of(sheet, row, column);

	if (sheet->columns[column].kind == SHEET_TEXT)
		tool_clean(cell->text ? cell->text : "", text, size);
	else if (isnan(cell->number))
		snprintf(text, size, "%s", "");
	else if (sheet->columns[column].kind == SHEET_COUNT)
		snprintf(text, size, "%.0f", cell->number);
	else
		snprintf(text, size,
			 sheet->columns[column].kind == SHEET_NUMBER ? "%.15g"
								     : "%.9g",
			 cell->number);
}

/* All fields of a row, or of the headings; NOTHING: empty ones. */
static void put_fields(const struct sheet *sheet, size_t row, bool more,
		       const char *separator, FILE *file)
{
	char text[CELL_ROOM];

	for (size_t i = 0; i < sheet->num_columns; i++) {
		fputs(more || i ? separator : "", file);
		if (row == HEADINGS)
			tool_clean(sheet->columns[i].name, text, sizeof(text));
		else if (row != NOTHING)
			exact(sheet, row, i, text, sizeof(text));
		else
			text[0] = 0;
		put_field(file, text, separator);
	}
}

/* "users.share": the names above and below may be the same. */
static void put_headings_below(const struct sheet *below, const char *separator,
			       FILE *file)
{
	char text[CELL_ROOM];

	for (size_t i = 0; i < below->num_columns; i++) {
		snprintf(text, sizeof(text), "%s.%s", below->name,
			 below->columns[i].name);
		fputs(separator, file);
		put_field(file, text, separator);
	}
}

static void put_line(const struct sheet *sheet, size_t row, size_t below,
		     const char *separator, FILE *file)
{
	put_fields(sheet, row, false, separator, file);
	if (sheet->below)
		put_fields(sheet->below, below, true, separator, file);
	fputc('\n', file);
}

void sheet_print_separated(const struct sheet *sheet, const char *separator,
			   FILE *file)
{
	put_fields(sheet, HEADINGS, false, separator, file);
	if (sheet->below)
		put_headings_below(sheet->below, separator, file);
	fputc('\n', file);
	for (size_t row = 0; row < sheet->num_rows; row++) {
		size_t from = sheet->below ? first_below(sheet, row) : 0;
		size_t until = sheet->below ? sheet->below_ends[row] : 0;

		if (from == until)
			put_line(sheet, row, NOTHING, separator, file);
		for (size_t i = from; i < until; i++)
			put_line(sheet, row, i, separator, file);
	}
}

static void put_json_cell(const struct sheet *sheet, size_t row, size_t column,
			  struct json *json)
{
	const struct sheet_cell *cell = cell_of(sheet, row, column);
	const char *name = sheet->columns[column].name;

	if (sheet->columns[column].kind == SHEET_TEXT && cell->text)
		json_string(json, name, cell->text);
	else if (isnan(cell->number))
		json_null(json, name);
	else if (sheet->columns[column].kind == SHEET_COUNT &&
		 cell->number >= 0 && cell->number < 0x1p64)
		json_uint(json, name, (uint64_t)cell->number);
	else
		json_number(json, name, cell->number);
}

static void put_json_row(const struct sheet *sheet, size_t row,
			 struct json *json)
{
	const struct sheet *below = sheet->below;

	json_open(json, NULL, '{');
	for (size_t i = 0; i < sheet->num_columns; i++)
		put_json_cell(sheet, row, i, json);
	if (below) {
		json_open(json, below->name, '[');
		for (size_t i = first_below(sheet, row);
		     i < sheet->below_ends[row]; i++)
			put_json_row(below, i, json);
		json_close(json);
	}
	json_close(json);
}

void sheet_print_json(const struct sheet *sheet, struct json *json)
{
	json_open(json, sheet->name, '[');
	for (size_t row = 0; row < sheet->num_rows; row++)
		put_json_row(sheet, row, json);
	json_close(json);
}
