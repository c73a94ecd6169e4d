/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Tables as text, with separators, as Markdown, and as JSON.
 */
#include <inttypes.h>
#include <libsmartcols.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "table.h"
#include "tool.h"

enum { CELL_ROOM = 4096, BAR_WIDTH = 30, INDENT = 8, GAP = 2 };

/* Of a longer name, such as C++ has, people see the two ends. */
enum { NAME_LETTERS = 60, NAME_END = 25 };
#define DOTS "..."

/* Instead of numbers of rows. */
#define HEADINGS SIZE_MAX
#define NOTHING	 (SIZE_MAX - 1)

static const struct table_cell *cell_of(const struct table *table, size_t row,
					size_t column)
{
	return &table->cells[row * table->num_columns + column];
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

static void for_people(const struct table *table, size_t row, size_t column,
		       char *text, size_t size)
{
	const struct table_cell *cell = cell_of(table, row, column);

	if (table->columns[column].is_name && cell->text)
		put_names(tool_shown(cell->text), text, size);
	else if (table->columns[column].kind == TABLE_TEXT)
		snprintf(text, size, "%s",
			 tool_shown(cell->text ? cell->text : ""));
	else if (isnan(cell->number))
		snprintf(text, size, "-");
	else if (table->columns[column].kind == TABLE_COUNT)
		tool_grouped(text, size, "%.0f", cell->number);
	else if (table->columns[column].kind == TABLE_SHARE)
		snprintf(text, size, "%.2f %%", 100 * cell->number);
	else if (fabs(cell->number) >= 1000 ||
		 floor(cell->number) == cell->number)
		tool_grouped(text, size, "%.0f", cell->number);
	else
		snprintf(text, size, "%.4g", cell->number);
}

static void heading(const struct table *table, size_t column, char *text,
		    size_t size)
{
	const struct table_column *it = &table->columns[column];

	if (*it->unit)
		snprintf(text, size, "%s [%s]", tool_shown(it->name),
			 tool_shown(it->unit));
	else
		snprintf(text, size, "%s", tool_shown(it->name));
}

/* What the longest bar stands for. */
static double most_of(const struct table *table)
{
	double most = 0;

	for (size_t i = 0; i < table->num_rows; i++)
		most = fmax(most, table_get(table, i, table->bar_column));
	return most;
}

/* The course of a column. */
static const char *bar(const struct table *table, size_t row, double most,
		       char *text)
{
	double value = table_get(table, row, table->bar_column);
	int length =
		most > 0 && value > 0 ? (int)ceil(BAR_WIDTH * value / most) : 0;

	memset(text, '#', (size_t)length);
	text[length] = 0;
	return text;
}

static bool fill_row(const struct table *table, struct libscols_line *line,
		     size_t row, double most)
{
	char text[CELL_ROOM];
	int failed = !line;

	for (size_t i = 0; !failed && i < table->num_columns; i++) {
		for_people(table, row, i, text, sizeof(text));
		failed = scols_line_set_data(line, i, text);
	}
	if (!failed && table->bar_column)
		failed = scols_line_set_data(line, table->num_columns,
					     bar(table, row, most, text));
	return !failed;
}

static bool fill(const struct table *table, struct libscols_table *grid)
{
	double most = table->bar_column ? most_of(table) : 0;
	bool good = !scols_table_set_column_separator(grid, "  ");
	char text[CELL_ROOM];

	for (size_t i = 0; good && i < table->num_columns; i++) {
		heading(table, i, text, sizeof(text));
		good = scols_table_new_column(
			grid, text, 0,
			table->columns[i].kind == TABLE_TEXT ? 0
							     : SCOLS_FL_RIGHT);
	}
	if (good && table->bar_column)
		good = scols_table_new_column(grid, "", 0, 0);
	if (good && !table->num_rows) /* there are headings all the same */
		good = scols_table_new_line(grid, NULL);
	for (size_t row = 0; good && row < table->num_rows; row++)
		good = fill_row(table, scols_table_new_line(grid, NULL), row,
				most);
	return good;
}

/* The lines of a grid, that of the headings first, to be freed; NULL without
 * memory. Widths are those of characters, on a terminal of any width. */
static char *lines_of(const struct table *table)
{
	struct libscols_table *grid = scols_new_table();
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	char *lines = NULL;

	if (grid && fill(table, grid)) {
		scols_table_set_termforce(grid, SCOLS_TERMFORCE_NEVER);
		if (scols_print_table_to_string(grid, &lines))
			lines = NULL;
	}
	scols_unref_table(grid);
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

static size_t first_below(const struct table *table, size_t row)
{
	return row ? table->below_ends[row - 1] : 0;
}

void table_print_text(const struct table *table, FILE *file)
{
	const struct table *below = table->below;
	char *lines = lines_of(table), *next = lines;
	char *more = below ? lines_of(below) : NULL, *deeper = more;

	fprintf(file, "\n %s\n\n", tool_shown(table->title));
	if (lines)
		put_line_of(&next, GAP, file);
	if (more) {
		put_line_of(&deeper, INDENT + GAP, file);
		fputc('\n', file);
	}
	for (size_t row = 0; lines && row < table->num_rows; row++) {
		size_t num =
			more ? table->below_ends[row] - first_below(table, row)
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

static void exact(const struct table *table, size_t row, size_t column,
		  char *text, size_t size)
{
	const struct table_cell *cell = cell_of(table, row, column);

	if (table->columns[column].kind == TABLE_TEXT)
		snprintf(text, size, "%s",
			 tool_shown(cell->text ? cell->text : ""));
	else if (isnan(cell->number))
		snprintf(text, size, "%s", "");
	else if (table->columns[column].kind == TABLE_COUNT)
		snprintf(text, size, "%.0f", cell->number);
	else
		snprintf(text, size,
			 table->columns[column].kind == TABLE_NUMBER ? "%.15g"
								     : "%.9g",
			 cell->number);
}

/* All fields of a row, or of the headings; NOTHING: empty ones. */
static void put_fields(const struct table *table, size_t row, bool more,
		       const char *separator, FILE *file)
{
	char text[CELL_ROOM];

	for (size_t i = 0; i < table->num_columns; i++) {
		fputs(more || i ? separator : "", file);
		if (row == HEADINGS)
			snprintf(text, sizeof(text), "%s",
				 tool_shown(table->columns[i].name));
		else if (row != NOTHING)
			exact(table, row, i, text, sizeof(text));
		else
			text[0] = 0;
		put_field(file, text, separator);
	}
}

/* "users.share": the names above and below may be the same. */
static void put_headings_below(const struct table *below, const char *separator,
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

static void put_line(const struct table *table, size_t row, size_t below,
		     const char *separator, FILE *file)
{
	put_fields(table, row, false, separator, file);
	if (table->below)
		put_fields(table->below, below, true, separator, file);
	fputc('\n', file);
}

void table_print_separated(const struct table *table, const char *separator,
			   FILE *file)
{
	put_fields(table, HEADINGS, false, separator, file);
	if (table->below)
		put_headings_below(table->below, separator, file);
	fputc('\n', file);
	for (size_t row = 0; row < table->num_rows; row++) {
		size_t from = table->below ? first_below(table, row) : 0;
		size_t until = table->below ? table->below_ends[row] : 0;

		if (from == until)
			put_line(table, row, NOTHING, separator, file);
		for (size_t i = from; i < until; i++)
			put_line(table, row, i, separator, file);
	}
}

/* Foreign text in a page of Markdown: letters and blanks as they are, other
 * names as code, in which nothing is a mark, a link or a mention. What could
 * end the code or the cell is told by its number, which is never a mark. */
void table_put_markdown(const char *text, FILE *file)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ ";
	static const char marks[] = "0123456789_-+.,:;/=()[]{}%@#' ";
	const char *at = text = tool_shown(text);

	if (!text[strspn(text, safe)]) {
		fputs(text, file);
		return;
	}
	while (*at && (strchr(safe, *at) || strchr(marks, *at)))
		at++;
	/* blanks at the ends of code are no part of it */
	if (!*at && *text != ' ' && at[-1] != ' ') {
		fprintf(file, "`%s`", text);
		return;
	}
	fputs("<code>", file);
	for (; *text; text++)
		if (strchr(safe, *text) || strchr("0123456789", *text) ||
		    *text & 0x80)
			fputc(*text, file);
		else
			fprintf(file, "&#%d;", *text);
	fputs("</code>", file);
}

static void put_markdown_cell(const struct table *table, size_t row,
			      size_t column, FILE *file)
{
	char text[CELL_ROOM];

	for_people(table, row, column, text, sizeof(text));
	fputs(" ", file);
	if (table->columns[column].kind == TABLE_TEXT)
		table_put_markdown(text, file);
	else
		fputs(text, file);
	fputs(" |", file);
}

void table_print_markdown(const struct table *table, FILE *file)
{
	char text[CELL_ROOM];

	fputs("\n", file);
	table_put_markdown(table->title, file);
	fputs("\n\n|", file);
	for (size_t i = 0; i < table->num_columns; i++) {
		heading(table, i, text, sizeof(text));
		fputs(" ", file);
		table_put_markdown(text, file);
		fputs(" |", file);
	}
	fputs("\n|", file);
	for (size_t i = 0; i < table->num_columns; i++)
		fputs(table->columns[i].kind == TABLE_TEXT ? " --- |"
							   : " --: |",
		      file);
	for (size_t row = 0; row < table->num_rows; row++) {
		fputs("\n|", file);
		for (size_t i = 0; i < table->num_columns; i++)
			put_markdown_cell(table, row, i, file);
	}
	fputs("\n", file);
}

static void put_json_cell(const struct table *table, size_t row, size_t column,
			  struct json *json)
{
	const struct table_cell *cell = cell_of(table, row, column);
	const char *name = table->columns[column].name;

	if (table->columns[column].kind == TABLE_TEXT && cell->text)
		json_string(json, name, cell->text);
	else if (table->columns[column].kind == TABLE_COUNT &&
		 cell->number >= 0 && cell->number < 0x1p64)
		json_uint(json, name, (uint64_t)cell->number);
	else
		json_number(json, name, cell->number);
}

static void put_json_row(const struct table *table, size_t row,
			 struct json *json)
{
	const struct table *below = table->below;

	json_open(json, NULL, '{');
	for (size_t i = 0; i < table->num_columns; i++)
		put_json_cell(table, row, i, json);
	if (below) {
		json_open(json, below->name, '[');
		for (size_t i = first_below(table, row);
		     i < table->below_ends[row]; i++)
			put_json_row(below, i, json);
		json_close(json);
	}
	json_close(json);
}

void table_print_json(const struct table *table, struct json *json)
{
	json_open(json, table->name, '[');
	for (size_t row = 0; row < table->num_rows; row++)
		put_json_row(table, row, json);
	json_close(json);
}
