/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A table of figures with a title, and the ways to print it: for people, with
 * separators, as JSON.
 */
#ifndef UNCORE_TOOL_SHEET_H
#define UNCORE_TOOL_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json;

enum { SHEET_MAX_COLUMNS = 16384 }; /* all events, each of 8 sockets */

enum sheet_kind {
	SHEET_TEXT,
	SHEET_COUNT, /* a whole number */
	SHEET_REAL,
	SHEET_NUMBER, /* a count, difference or real number, by its row */
	SHEET_SHARE,  /* 0 to 1, printed as per cent for people */
};

struct sheet_column {
	char *name; /* for people and as key: lower case, no blanks but in
		     * names of events */
	char *unit; /* "" if none */
	enum sheet_kind kind;
	bool is_name; /* a text of which people see the ends where it is long */
};

struct sheet_cell {
	char *text;
	double number; /* NAN: none */
};

struct sheet {
	const char *name; /* events, time, box, ... */
	char *title;
	struct sheet_column *columns;
	struct sheet_cell *cells; /* row by row */
	size_t num_columns, num_rows, room;
	/* Rows that explain rows of this one, in their order, and how many
	 * there are of each row and those before it. NULL: none. Texts of
	 * people are indented below the row, JSON has them inside it, and with
	 * separators each of them is a line that begins with the row. */
	struct sheet *below;
	size_t *below_ends;
	/* People see its course as bars behind the rows; 0: no bars. */
	size_t bar_column;
	bool failed; /* without memory; looked at once, at the end */
};

void sheet_init(struct sheet *sheet, const char *name, const char *title);
void sheet_free(struct sheet *sheet);

/* All columns come before the first row; the texts are copied. */
void sheet_add_column(struct sheet *sheet, const char *name, const char *unit,
		      enum sheet_kind kind);

/* Several without a unit, as "name:t other:n": their kinds are t (SHEET_TEXT),
 * s (the same, of a name, or of several with " < " between them),
 * n (SHEET_COUNT), r (SHEET_REAL), v (SHEET_NUMBER), % (SHEET_SHARE). */
void sheet_add_columns(struct sheet *sheet, const char *columns);

/* The table below, made with its first use; NULL without memory. */
struct sheet *sheet_below(struct sheet *sheet, const char *name);

/* A row of empty cells; its number. */
size_t sheet_add_row(struct sheet *sheet);
/* A row with something in each cell, in the order of the columns: a text (NULL:
 * none) where they are SHEET_TEXT, else a double (NAN: none). */
void sheet_add(struct sheet *sheet, ...);
void sheet_set_text(struct sheet *sheet, size_t row, size_t column,
		    const char *text);
void sheet_set(struct sheet *sheet, size_t row, size_t column, double number);
double sheet_get(const struct sheet *sheet, size_t row, size_t column);

/* An exit code, and a sentence where it failed. */
int sheet_made(const struct sheet *sheet);

void sheet_print_text(const struct sheet *sheet, FILE *file);
void sheet_print_separated(const struct sheet *sheet, const char *separator,
			   FILE *file);
void sheet_print_json(const struct sheet *sheet, struct json *json);

#endif
