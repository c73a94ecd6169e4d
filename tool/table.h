/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A table of figures with a title, and the ways to print it: for people, with
 * separators, as Markdown, as JSON.
 */
#ifndef UNCORE_TOOL_TABLE_H
#define UNCORE_TOOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json;

enum { TABLE_MAX_COLUMNS = 16384 }; /* all events, each of 8 sockets */

enum table_kind {
	TABLE_TEXT,
	TABLE_COUNT, /* a whole number */
	TABLE_REAL,
	TABLE_NUMBER, /* a count, difference or real number, by its row */
	TABLE_SHARE,  /* 0 to 1, printed as per cent for people */
};

struct table_column {
	char *name; /* for people and as key: lower case, no blanks but in
		     * names of events */
	char *unit; /* "" if none */
	enum table_kind kind;
	bool is_name; /* a text of which people see the ends where it is long */
};

struct table_cell {
	char *text;
	double number; /* NAN: none */
};

struct table {
	const char *name; /* events, time, box, ... */
	char *title;
	struct table_column *columns;
	struct table_cell *cells; /* row by row */
	size_t num_columns, num_rows;
	/* Rows that explain rows of this one, in their order, and how many
	 * there are of each row and those before it. NULL: none. Texts of
	 * people are indented below the row, JSON has them inside it, and with
	 * separators each of them is a line that begins with the row. */
	struct table *below;
	size_t *below_ends;
	/* People see its course as bars behind the rows; 0: no bars. */
	size_t bar_column;
};

void table_init(struct table *table, const char *name, const char *title);
void table_free(struct table *table);

/* All columns come before the first row; the texts are copied. */
void table_add_column(struct table *table, const char *name, const char *unit,
		      enum table_kind kind);

/* Several without a unit, as "name:t other:n": their kinds are t (TABLE_TEXT),
 * s (the same, of a name, or of several with " < " between them),
 * n (TABLE_COUNT), r (TABLE_REAL), v (TABLE_NUMBER), % (TABLE_SHARE). */
void table_add_columns(struct table *table, const char *columns);

/* The table below, made with its first use. */
struct table *table_below(struct table *table, const char *name);

/* A row of empty cells; its number. */
size_t table_add_row(struct table *table);
/* A row with something in each cell, in the order of the columns: a text (NULL:
 * none) where they are TABLE_TEXT, else a double (NAN: none). */
void table_add(struct table *table, ...);
void table_set_text(struct table *table, size_t row, size_t column,
		    const char *text);
void table_set(struct table *table, size_t row, size_t column, double number);
const char *table_text(const struct table *table, size_t row, size_t column);
double table_get(const struct table *table, size_t row, size_t column);

void table_print_text(const struct table *table, FILE *file);
void table_print_separated(const struct table *table, const char *separator,
			   FILE *file);
void table_print_markdown(const struct table *table, FILE *file);
void table_print_json(const struct table *table, struct json *json);

/* A text that others may have made up, for a page of Markdown. */
void table_put_markdown(const char *text, FILE *file);

#endif
