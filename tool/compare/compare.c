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

#include "tool/tool.h"
#include "uncore/error.h"

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

static enum verdict judge(const struct comparison *row,
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

/* A function or stack that no sample was of, while its event was sampled. */
static int add_missing(struct results *results, const struct figure *other)
{
	const struct figure_key key = figure_key_of(other);
	struct figure *figure;

	for (size_t i = 0; i < results->num; i++) {
		struct significance_samples samples = results->list[i].samples;

		if (results->list[i].kind < FIGURE_SYMBOL ||
		    strcmp(results->list[i].unit, other->unit))
			continue;
		figure = results_add(results, &key, 0, NULL);
		if (!figure)
			return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
		samples.hits = 0;
		figure->samples = samples;
		break;
	}
	return TOOL_OK;
}

static int add_all_missing(struct results *to, const struct results *from)
{
	size_t num = from->num;
	int status = TOOL_OK;

	for (size_t i = 0; i < num && !status; i++)
		if (from->list[i].kind >= FIGURE_SYMBOL &&
		    find(to, &from->list[i]) == to->num)
			status = add_missing(to, &from->list[i]);
	return status;
}

static void pair(struct compare_list *list, struct results *a,
		 struct results *b, bool *is_paired)
{
	for (size_t i = 0; i < a->num; i++) {
		size_t at = find(b, &a->list[i]);

		if (at < b->num && is_paired[at])
			at = b->num;
		is_paired[at] = true; /* that behind the last is nobody's */
		list->rows[list->num++] = (struct comparison){
			.a = &a->list[i],
			.b = at < b->num ? &b->list[at] : NULL,
		};
	}
	for (size_t i = 0; i < b->num; i++)
		if (!is_paired[i])
			list->rows[list->num++] =
				(struct comparison){ .b = &b->list[i] };
}

/* The model repeats to the digit unless the program does not. */
static void look_at_random(struct compare_list *list,
			   const struct run_random *a,
			   const struct run_random *b)
{
	bool is_known = a->is_known && b->is_known;
	bool is_random = (a->asked || b->asked) && !(a->repeats && b->repeats);

	list->repeats = is_known && !is_random;
	list->is_random = is_known && is_random;
}

/* Threads whose accesses are quick may meet in another order than in detail: a
 * difference is then one of how it was counted, maybe. */
static void look_at_detail(struct compare_list *list,
			   const struct results_detail *a,
			   const struct results_detail *b)
{
	list->is_mixed = !a->runs != !b->runs;
	list->repeats &= !list->is_mixed;
}

int compare_make(struct compare_list *list, struct results *a,
		 struct results *b, double confidence)
{
	int status = add_all_missing(b, a);
	bool *is_paired;

	*list = (struct compare_list){ .confidence = confidence };
	look_at_random(list, &a->random, &b->random);
	look_at_detail(list, &a->detail, &b->detail);
	if (!status)
		status = add_all_missing(a, b);
	if (status)
		return status;
	list->rows = calloc(a->num + b->num + 1, sizeof(*list->rows));
	is_paired = calloc(b->num + 1, sizeof(*is_paired));
	if (list->rows && is_paired)
		pair(list, a, b, is_paired);
	else
		status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	free(is_paired);
	for (size_t i = 0; i < list->num; i++)
		look(&list->rows[i], list);
	return status;
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
