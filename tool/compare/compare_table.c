/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The rows of a comparison: their order, and as a table.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "tool/table.h"

enum { WHAT_ROOM = 512 };

static const char *const verdicts[] = {
	[VERDICT_CHANGED] = "changed", [VERDICT_EXACT] = "exact",
	[VERDICT_ONE_RUN] = "one run", [VERDICT_ONLY_A] = "only A",
	[VERDICT_ONLY_B] = "only B",   [VERDICT_UNKNOWN] = "unknown",
	[VERDICT_CHANCE] = "chance",   [VERDICT_SAME] = "same",
	[VERDICT_NONE] = "n/a",
};

static const char *const kinds[] = {
	[FIGURE_EVENT] = "event",
	[FIGURE_METRIC] = "metric",
	[FIGURE_SYMBOL] = "symbol",
	[FIGURE_STACK] = "stack",
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
		order = by_number(first->significance.p,
				  second->significance.p);
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

/* For people place, unit and note are one. */
void compare_columns(struct table *table, bool all)
{
	table_add_columns(table, "a:v b:v difference:v error:v ratio:v"
				 " ratio_error:v verdict:t name:t");
	table_add_columns(table, all ? "place:t unit:t note:t kind:t p:v"
				       " standard_error:v runs_a:n runs_b:n"
				     : "what:t");
}

static const char *why(const struct comparison *row)
{
	const char *of_a = row->a ? row->a->why : NULL;
	const char *of_b = row->b ? row->b->why : NULL;

	if (row->verdict != VERDICT_NONE)
		return "";
	return of_a ? of_a : of_b ? of_b : "";
}

void compare_add(struct table *table, const struct comparison *row, bool all)
{
	const struct figure *figure = compare_figure(row);
	const char *note = why(row);
	char what[WHAT_ROOM];

	snprintf(what, sizeof(what), "%s%s%s%s%s", figure->place,
		 *figure->place && *figure->unit ? " " : "", figure->unit,
		 *note ? "  # " : "", note);
	/* those behind the first of the rest are not looked at for people */
	table_add(table, row->first, row->second, row->significance.difference,
		  row->error, row->ratio, row->ratio_error,
		  compare_verdict(row), figure->name,
		  all ? figure->place : what, figure->unit, note,
		  kinds[figure->kind], row->significance.p,
		  isnan(row->error) ? NAN : row->significance.standard_error,
		  row->a ? (double)row->a->num : 0,
		  row->b ? (double)row->b->num : 0);
}
