/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The rows of a comparison: their order, and as a table.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "sheet.h"

enum { WHAT_ROOM = 512 };

static const char *const verdicts[] = {
	[VERDICT_CHANGED] = "changed", [VERDICT_ONE_RUN] = "one run",
	[VERDICT_ONLY_A] = "only A",   [VERDICT_ONLY_B] = "only B",
	[VERDICT_UNKNOWN] = "unknown", [VERDICT_CHANCE] = "chance",
	[VERDICT_SAME] = "same",       [VERDICT_NONE] = "n/a",
};

static const char *const kinds[] = {
	[FIGURE_EVENT] = "event",
	[FIGURE_METRIC] = "metric",
	[FIGURE_SYMBOL] = "symbol",
};

const char *compare_verdict(const struct comparison *row)
{
	return verdicts[row->verdict];
}

static int by_number(double a, double b)
{
	return (a > b) - (a < b);
}

/* Twice as much is as big a change as half as much. */
static double size_of(const struct comparison *row)
{
	double size = fabs(log(row->second / row->first));

	if (row->first == row->second)
		return 0;
	return isnan(size) ? fabs(compare_growth(row)) : size;
}

static int by_name(const void *a, const void *b)
{
	const struct figure *first = compare_figure(a);
	const struct figure *second = compare_figure(b);
	int order = strcmp(first->name, second->name);

	return order ? order : strcmp(first->place, second->place);
}

static int by_size(const void *a, const void *b)
{
	double first = size_of(a), second = size_of(b);

	int order = isnan(first) || isnan(second) ? isnan(first) - isnan(second)
						  : by_number(second, first);

	return order ? order : by_name(a, b);
}

static int by_significance(const void *a, const void *b)
{
	const struct comparison *first = a, *second = b;
	int order = (int)first->verdict - (int)second->verdict;

	if (!order)
		order = by_number(first->chance.p, second->chance.p);
	return order ? order : by_size(a, b);
}

void compare_sort(struct compare_list *list, enum compare_order order)
{
	int (*const orders[])(const void *, const void *) = {
		[ORDER_SIGNIFICANCE] = by_significance,
		[ORDER_SIZE] = by_size,
		[ORDER_NAME] = by_name,
	};

	if (list->num)
		qsort(list->rows, list->num, sizeof(*list->rows),
		      orders[order]);
}

enum column {
	COLUMN_A,
	COLUMN_B,
	COLUMN_DIFFERENCE,
	COLUMN_ERROR,
	COLUMN_RATIO,
	COLUMN_RATIO_ERROR,
	COLUMN_VERDICT,
	COLUMN_NAME,
	/* for people the next three in one */
	COLUMN_PLACE,
	COLUMN_WHAT = COLUMN_PLACE,
	COLUMN_UNIT,
	COLUMN_NOTE,
	COLUMN_KIND,
	COLUMN_P,
	COLUMN_STANDARD_ERROR,
	COLUMN_RUNS_A,
	COLUMN_RUNS_B,
};

void compare_columns(struct sheet *sheet, bool all)
{
	static const struct {
		const char *name;
		enum sheet_kind kind;
	} columns[] = {
		[COLUMN_A] = { "a", SHEET_NUMBER },
		[COLUMN_B] = { "b", SHEET_NUMBER },
		[COLUMN_DIFFERENCE] = { "difference", SHEET_NUMBER },
		[COLUMN_ERROR] = { "error", SHEET_NUMBER },
		[COLUMN_RATIO] = { "ratio", SHEET_NUMBER },
		[COLUMN_RATIO_ERROR] = { "ratio_error", SHEET_NUMBER },
		[COLUMN_VERDICT] = { "verdict", SHEET_TEXT },
		[COLUMN_NAME] = { "name", SHEET_TEXT },
		[COLUMN_PLACE] = { "place", SHEET_TEXT },
		[COLUMN_UNIT] = { "unit", SHEET_TEXT },
		[COLUMN_NOTE] = { "note", SHEET_TEXT },
		[COLUMN_KIND] = { "kind", SHEET_TEXT },
		[COLUMN_P] = { "p", SHEET_NUMBER },
		[COLUMN_STANDARD_ERROR] = { "standard_error", SHEET_NUMBER },
		[COLUMN_RUNS_A] = { "runs_a", SHEET_COUNT },
		[COLUMN_RUNS_B] = { "runs_b", SHEET_COUNT },
	};
	size_t num = all ? sizeof(columns) / sizeof(columns[0]) : COLUMN_WHAT;

	for (size_t i = 0; i < num; i++)
		sheet_add_column(sheet, columns[i].name, "", columns[i].kind);
	if (!all)
		sheet_add_column(sheet, "what", "", SHEET_TEXT);
}

static const char *why(const struct comparison *row)
{
	const char *of_a = row->a ? row->a->why : NULL;
	const char *of_b = row->b ? row->b->why : NULL;

	if (row->verdict != VERDICT_NONE)
		return "";
	return of_a ? of_a : of_b ? of_b : "";
}

static void add_rest(struct sheet *sheet, size_t at,
		     const struct comparison *row)
{
	const struct figure *figure = compare_figure(row);

	sheet_set_text(sheet, at, COLUMN_PLACE, figure->place);
	sheet_set_text(sheet, at, COLUMN_UNIT, figure->unit);
	sheet_set_text(sheet, at, COLUMN_NOTE, why(row));
	sheet_set_text(sheet, at, COLUMN_KIND, kinds[figure->kind]);
	sheet_set(sheet, at, COLUMN_P, row->chance.p);
	if (!isnan(row->error))
		sheet_set(sheet, at, COLUMN_STANDARD_ERROR,
			  row->chance.standard_error);
	sheet_set(sheet, at, COLUMN_RUNS_A, row->a ? (double)row->a->num : 0);
	sheet_set(sheet, at, COLUMN_RUNS_B, row->b ? (double)row->b->num : 0);
}

static void add_what(struct sheet *sheet, size_t at,
		     const struct comparison *row)
{
	const struct figure *figure = compare_figure(row);
	const char *note = why(row);
	char text[WHAT_ROOM];

	snprintf(text, sizeof(text), "%s%s%s%s%s", figure->place,
		 *figure->place && *figure->unit ? " " : "", figure->unit,
		 *note ? "  # " : "", note);
	sheet_set_text(sheet, at, COLUMN_WHAT, text);
}

void compare_add(struct sheet *sheet, const struct comparison *row, bool all)
{
	size_t at = sheet_add_row(sheet);

	sheet_set(sheet, at, COLUMN_A, row->first);
	sheet_set(sheet, at, COLUMN_B, row->second);
	sheet_set(sheet, at, COLUMN_DIFFERENCE, row->chance.difference);
	sheet_set(sheet, at, COLUMN_ERROR, row->error);
	sheet_set(sheet, at, COLUMN_RATIO, row->ratio);
	sheet_set(sheet, at, COLUMN_RATIO_ERROR, row->ratio_error);
	sheet_set_text(sheet, at, COLUMN_VERDICT, compare_verdict(row));
	sheet_set_text(sheet, at, COLUMN_NAME, compare_figure(row)->name);
	if (all)
		add_rest(sheet, at, row);
	else
		add_what(sheet, at, row);
}
