/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is known of the error of a figure: its repeats differ; or a single
 * result says so itself; or it was sampled. Where one side has repeats and the
 * other is a single run, the spread of the repeats is taken for both.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/table.h"
#include "tool/tool.h"

/* Of a whole number that stands for anything between it and the next one. Two
 * repeats of a rare event that happen to agree are not certain by that. */
static const double ROUNDING = 1. / 12;

const struct figure *compare_figure(const struct comparison *row)
{
	return row->a ? row->a : row->b;
}

/* Of one repeat. */
static double spread(const struct figure *figure)
{
	double rounding = figure->kind == FIGURE_EVENT ? ROUNDING : 0;

	return figure->squares / (double)(figure->num - 1) + rounding;
}

static struct significance_value value_of(const struct figure *figure)
{
	struct significance_value value = {
		.value = figure->mean,
		.variance = figure->standard_error * figure->standard_error,
		.freedom = figure->freedom,
	};

	if (figure->num > 1) {
		/* each of them may be an estimate, from other windows */
		value.variance = fmax(spread(figure), value.variance) /
				 (double)figure->num;
		value.freedom = (double)(figure->num - 1);
	}
	return value;
}

static struct significance test(const struct figure *a, const struct figure *b)
{
	struct significance_value first = value_of(a), second = value_of(b);

	if (a->kind >= FIGURE_SYMBOL)
		return significance_test_samples(&a->samples, &b->samples);
	if (a->num > 1 && b->num == 1) {
		second.variance = fmax(spread(a), second.variance);
		return significance_test_common(&first, &second, first.freedom);
	}
	if (a->num == 1 && b->num > 1) {
		first.variance = fmax(spread(b), first.variance);
		return significance_test_common(&first, &second,
						second.freedom);
	}
	return significance_test(&first, &second);
}

static bool is_exact(const struct figure *figure)
{
	return figure->kind < FIGURE_SYMBOL && figure->num == 1 &&
	       figure->standard_error == 0;
}

static enum compare_verdict judge(const struct comparison *row,
				  const struct compare_list *list)
{
	if (row->significance.difference == 0)
		return VERDICT_SAME;
	if (is_exact(row->a) && is_exact(row->b))
		return list->repeats ? VERDICT_EXACT : VERDICT_ONE_RUN;
	if (isnan(row->significance.p))
		return VERDICT_UNKNOWN;
	return row->significance.p < 1 - list->confidence ? VERDICT_CHANGED
							  : VERDICT_CHANCE;
}

static void set_errors(struct comparison *row, double confidence)
{
	double errors =
		significance_within(confidence, row->significance.freedom);
	double ratio = row->ratio;

	row->error = errors * row->significance.standard_error;
	row->ratio_error = errors *
			   sqrt(row->significance.second +
				ratio * ratio * row->significance.first) /
			   fabs(row->first);
}

static void look(struct comparison *row, const struct compare_list *list)
{
	const struct figure *a = row->a, *b = row->b;

	row->first = a ? a->mean : NAN;
	row->second = b ? b->mean : NAN;
	row->significance =
		(struct significance){ .difference = NAN, .p = NAN };
	row->ratio = row->error = row->ratio_error = NAN;
	row->verdict = !b ? VERDICT_ONLY_A : !a ? VERDICT_ONLY_B : VERDICT_NONE;
	if (isnan(row->first) || isnan(row->second))
		return;
	row->significance = test(a, b);
	row->ratio = row->first != 0 ? row->second / row->first : NAN;
	row->verdict = judge(row, list);
	if (is_exact(a) && is_exact(b))
		row->significance.p = NAN;
	else if (!isnan(row->significance.standard_error))
		set_errors(row, list->confidence);
}

/* A function may have come into another file: the only one of its name. */
static size_t find_moved(const struct results *results,
			 const struct figure *wanted)
{
	size_t found = results->num;

	if (wanted->kind != FIGURE_SYMBOL || !strncmp(wanted->name, "0x", 2))
		return found;
	for (size_t i = 0; i < results->num; i++) {
		const struct figure *figure = &results->list[i];

		if (figure->kind != FIGURE_SYMBOL ||
		    strcmp(figure->name, wanted->name) ||
		    strcmp(figure->unit, wanted->unit))
			continue;
		if (found < results->num)
			return results->num;
		found = i;
	}
	return found;
}

static size_t find(struct results *results, const struct figure *wanted)
{
	const struct figure_key key = figure_key_of(wanted);
	size_t at = results_find(results, &key);

	return at < results->num ? at : find_moved(results, wanted);
}

/* Functions and stacks that no sample was of, while their events were
 * sampled. */
static void add_missing(struct results *to, const struct results *from)
{
	size_t num = to->num;

	for (size_t i = 0; i < from->num; i++) {
		const struct figure_key key = figure_key_of(&from->list[i]);
		struct significance_samples samples;
		size_t at = 0;

		if (key.kind < FIGURE_SYMBOL ||
		    find(to, &from->list[i]) < to->num)
			continue;
		while (at < num && (to->list[at].kind < FIGURE_SYMBOL ||
				    strcmp(to->list[at].unit, key.unit)))
			at++;
		if (at == num)
			continue;
		samples = to->list[at].samples;
		samples.hits = 0;
		results_add(to, &key, 0, NULL)->samples = samples;
	}
}

static void add_row(struct compare_list *list, const struct figure *a,
		    const struct figure *b)
{
	list->rows = tool_more(list->rows, list->num, sizeof(*list->rows));
	list->rows[list->num++] = (struct comparison){ .a = a, .b = b };
	look(&list->rows[list->num - 1], list);
}

static void pair(struct compare_list *list, struct results *a,
		 struct results *b)
{
	bool *is_paired = tool_new(b->num, sizeof(*is_paired));

	for (size_t i = 0; i < a->num; i++) {
		size_t at = find(b, &a->list[i]);
		bool is_there = at < b->num && !is_paired[at];

		add_row(list, &a->list[i], is_there ? &b->list[at] : NULL);
		if (is_there)
			is_paired[at] = true;
	}
	for (size_t i = 0; i < b->num; i++)
		if (!is_paired[i])
			add_row(list, NULL, &b->list[i]);
	free(is_paired);
}

void compare_make(struct compare_list *list, struct results *a,
		  struct results *b, double confidence)
{
	const struct run_random *of_a = &a->random, *of_b = &b->random;
	bool is_known = of_a->is_known && of_b->is_known;

	*list = (struct compare_list){ .confidence = confidence };
	/* The model repeats to the digit unless the program does not. */
	list->is_random = is_known && (of_a->asked || of_b->asked) &&
			  !(of_a->repeats && of_b->repeats);
	/* Threads whose accesses are quick may meet in another order than in
	 * detail: a difference is then one of how it was counted, maybe. */
	list->is_mixed = !a->detail.runs != !b->detail.runs;
	list->repeats = is_known && !list->is_random && !list->is_mixed;
	add_missing(b, a);
	add_missing(a, b);
	pair(list, a, b);
}

void compare_free(struct compare_list *list)
{
	free(list->rows);
}

double compare_growth(const struct comparison *row)
{
	if (row->first == 0)
		return row->second == 0 ? 0 : row->second * INFINITY;
	return row->significance.difference / fabs(row->first);
}

/* The order of rows, and a table of them. */

enum { WHAT_ROOM = 512 };

static const char *const verdicts[] = {
	[VERDICT_CHANGED] = "changed", [VERDICT_EXACT] = "exact",
	[VERDICT_ONE_RUN] = "one run", [VERDICT_ONLY_A] = "only A",
	[VERDICT_ONLY_B] = "only B",   [VERDICT_UNKNOWN] = "unknown",
	[VERDICT_CHANCE] = "chance",   [VERDICT_SAME] = "same",
	[VERDICT_NONE] = "n/a",
};

const char *const compare_kinds[] = {
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
		  compare_kinds[figure->kind], row->significance.p,
		  isnan(row->error) ? NAN : row->significance.standard_error,
		  row->a ? (double)row->a->num : 0,
		  row->b ? (double)row->b->num : 0);
}
