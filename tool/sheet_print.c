/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Tables as text, with separators, and as JSON.
 */
#include <inttypes.h>
#include <libsmartcols.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "sheet.h"
#include "tool.h"

enum { CELL_ROOM = 4096, BAR_WIDTH = 30, INDENT = 8, GAP = 2 };

/* Of a longer name, such as C++ has, people see the two ends. */
enum { NAME_LETTERS = 60, NAME_END = 25 };
#define DOTS "..."

/* Instead of numbers of rows. */
#define HEADINGS SIZE_MAX
#define NOTHING	 (SIZE_MAX - 1)

static const struct sheet_cell *cell_of(const struct sheet *sheet, size_t row,
					size_t column)
{
	return &sheet->cells[row * sheet->num_columns + column];
}

/* The bytes of so many letters, or of all that there are. */
static size_t bytes_of(const char *text, size_t length, size_t letters)
{
	size_t at = 0;

	for (; letters && at < length; letters--) {
		unsigned step = tool_utf8_length(text + at);

		at += step ? step : 1;
	}
	return at;
}

static void put_name(const char *name, size_t length, FILE *file)
{
	size_t head = NAME_LETTERS - NAME_END - (sizeof(DOTS) - 1);
	size_t letters = 0, tail;

	for (size_t at = 0; at < length; letters++)
		at += bytes_of(name + at, length - at, 1);
	if (letters <= NAME_LETTERS) {
		fwrite(name, 1, length, file);
		return;
	}
	tail = bytes_of(name, length, letters - NAME_END);
	fprintf(file, "%.*s" DOTS "%.*s", (int)bytes_of(name, length, head),
		name, (int)(length - tail), name + tail);
}

/* Names with " < " between them. */
static void put_names(const char *text, char *to, size_t size)
{
	static const char between[] = " < ";
	FILE *file = fmemopen(to, size, "w");

	*to = 0;
	while (file && *text) {
		const char *next = strstr(text, between);

		put_name(text, next ? (size_t)(next - text) : strlen(text),
			 file);
		fputs(next ? between : "", file);
		text = next ? next + strlen(between) : "";
	}
	if (file)
		fclose(file);
	to[size - 1] = 0;
}

static void for_people(const struct sheet *sheet, size_t row, size_t column,
		       char *text, size_t size)
{
	const struct sheet_cell *cell = cell_of(sheet, row, column);

	if (sheet->columns[column].is_name && cell->text)
		put_names(tool_shown(cell->text), text, size);
	else if (sheet->columns[column].kind == SHEET_TEXT)
		snprintf(text, size, "%s",
			 tool_shown(cell->text ? cell->text : ""));
	else if (isnan(cell->number))
		snprintf(text, size, "-");
	else if (sheet->columns[column].kind == SHEET_COUNT)
		tool_grouped(text, size, "%.0f", cell->number);
	else if (sheet->columns[column].kind == SHEET_SHARE)
		snprintf(text, size, "%.2f %%", 100 * cell->number);
	else if (sheet->columns[column].kind == SHEET_NUMBER &&
		 (fabs(cell->number) >= 1000 ||
		  floor(cell->number) == cell->number))
		tool_grouped(text, size, "%.0f", cell->number);
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

	if (*it->unit)
		snprintf(text, size, "%s [%s]", tool_shown(it->name),
			 tool_shown(it->unit));
	else
		snprintf(text, size, "%s", tool_shown(it->name));
}

/* What the longest bar stands for. */
static double most_of(const struct sheet *sheet)
{
	double most = 0;

	for (size_t i = 0; i < sheet->num_rows; i++)
		most = fmax(most, sheet_get(sheet, i, sheet->bar_column));
	return most;
}

/* The course of a column. */
static const char *bar(const struct sheet *sheet, size_t row, double most,
		       char *text)
{
	double value = sheet_get(sheet, row, sheet->bar_column);
	int length =
		most > 0 && value > 0 ? (int)ceil(BAR_WIDTH * value / most) : 0;

	memset(text, '#', (size_t)length);
	text[length] = 0;
	return text;
}

static bool fill_row(const struct sheet *sheet, struct libscols_line *line,
		     size_t row, double most)
{
	char text[CELL_ROOM];
	int failed = !line;

	for (size_t i = 0; !failed && i < sheet->num_columns; i++) {
		for_people(sheet, row, i, text, sizeof(text));
		failed = scols_line_set_data(line, i, text);
	}
	if (!failed && sheet->bar_column)
		failed = scols_line_set_data(line, sheet->num_columns,
					     bar(sheet, row, most, text));
	return !failed;
}

static bool fill(const struct sheet *sheet, struct libscols_table *table)
{
	double most = sheet->bar_column ? most_of(sheet) : 0;
	bool good = !scols_table_set_column_separator(table, "  ");
	char text[CELL_ROOM];

	for (size_t i = 0; good && i < sheet->num_columns; i++) {
		heading(sheet, i, text, sizeof(text));
		good = scols_table_new_column(
			table, text, 0,
			sheet->columns[i].kind == SHEET_TEXT ? 0
							     : SCOLS_FL_RIGHT);
	}
	if (good && sheet->bar_column)
		good = scols_table_new_column(table, "", 0, 0);
	if (good && !sheet->num_rows) /* there are headings all the same */
		good = scols_table_new_line(table, NULL);
	for (size_t row = 0; good && row < sheet->num_rows; row++)
		good = fill_row(sheet, scols_table_new_line(table, NULL), row,
				most);
	return good;
}

/* The lines of a table, that of the headings first, to be freed; NULL without
 * memory. Widths are those of characters, on a terminal of any width. */
static char *lines_of(const struct sheet *sheet)
{
	struct libscols_table *table = scols_new_table();
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	char *lines = NULL;

	if (table && fill(sheet, table)) {
		scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
		if (scols_print_table_to_string(table, &lines))
			lines = NULL;
	}
	scols_unref_table(table);
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return lines;
}

/* The next line, without blanks at its end; *lines behind it. */
static void put_line_of(char **lines, int indent, FILE *file)
{
	size_t length = strcspn(*lines, "\n"), used = length;

	while (used && (*lines)[used - 1] == ' ')
		used--;
	fprintf(file, "%*s%.*s\n", indent, "", (int)used, *lines);
	*lines += length + ((*lines)[length] != 0);
}

static size_t first_below(const struct sheet *sheet, size_t row)
{
	return row ? sheet->below_ends[row - 1] : 0;
}

void sheet_print_text(const struct sheet *sheet, FILE *file)
{
	const struct sheet *below = sheet->below;
	char *lines = lines_of(sheet), *next = lines;
	char *more = below ? lines_of(below) : NULL, *deeper = more;

	fprintf(file, "\n %s\n\n", tool_shown(sheet->title));
	if (lines)
		put_line_of(&next, GAP, file);
	if (more) {
		put_line_of(&deeper, INDENT + GAP, file);
		fputc('\n', file);
	}
	for (size_t row = 0; lines && row < sheet->num_rows; row++) {
		size_t num =
			more ? sheet->below_ends[row] - first_below(sheet, row)
			     : 0;

		put_line_of(&next, GAP, file);
		for (size_t i = 0; i < num; i++)
			put_line_of(&deeper, INDENT + GAP, file);
		if (num)
			fputc('\n', file);
	}
	free(lines);
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
		snprintf(text, size, "%s",
			 tool_shown(cell->text ? cell->text : ""));
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
			snprintf(text, sizeof(text), "%s",
				 tool_shown(sheet->columns[i].name));
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
			 tool_shown(below->columns[i].name));
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
