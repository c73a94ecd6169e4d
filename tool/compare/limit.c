/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * --fail-above: which rows are beyond the limit, and which nobody can tell of.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

/* Units of what a run takes: the less, the better. Of shares, ratios and rates
 * nobody knows: who looks up less may miss a larger part of it. */
static const char *const taken[] = {
	"s",	   "ns",	"cycles",    "instr.",	"bytes",
	"misses",  "victims",	"flits",     "packets", "errors",
	"retries", "conflicts", "overflows",
};

static bool is_taken(const struct figure *figure)
{
	if (figure->kind != FIGURE_METRIC)
		return true;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(figure->unit, taken[i]))
			return true;
	return false;
}

double limit_percent(const char *text)
{
	char *end;
	double number = strtod(text, &end);
	bool is_none = end == text;

	end += *end == '%';
	return *end || is_none || !isfinite(number) ? NAN : number / 100;
}

int limit_read(struct compare_settings *settings)
{
	const char *limit = settings->fail_above;

	settings->limit = NAN;
	if (limit)
		settings->limit =
			limit_percent(limit + (*limit && strchr("+-", *limit)));
	if (limit && !(settings->limit >= 0))
		return tool_fail(TOOL_USAGE,
				 "--fail-above=%s: that is no number of per "
				 "cent (5, +5, -5)",
				 limit);
	return TOOL_OK;
}

/* What is known to be different, though not why, is a change here: nobody is to
 * rely on a check that cannot fail. So a gate tells, too, what it cannot
 * compare: but for what neither side has, and parts that are new. */
enum limit limit_of(const struct compare_settings *settings,
		    const struct comparison *row)
{
	char sign = settings->fail_above ? *settings->fail_above : 0;
	bool has_sign = sign == '+' || sign == '-';
	double growth = compare_growth(row);
	bool is_beyond;

	if (!settings->fail_above ||
	    (settings->is_gate && !has_sign && !is_taken(compare_figure(row))))
		return LIMIT_KEPT;
	is_beyond = (sign != '-' && growth > settings->limit) ||
		    ((has_sign ? sign == '-' : !settings->is_gate) &&
		     growth < -settings->limit);
	if (is_beyond && row->verdict <= VERDICT_ONE_RUN)
		return LIMIT_BEYOND;
	if (!settings->is_gate ||
	    (row->verdict == VERDICT_ONLY_B && *row->b->place) ||
	    (row->a && row->b && isnan(row->first) && isnan(row->second)))
		return LIMIT_KEPT;
	return isnan(growth) || (is_beyond && row->verdict == VERDICT_UNKNOWN)
		       ? LIMIT_UNTOLD
		       : LIMIT_KEPT;
}

size_t limit_count(const struct compare_settings *settings,
		   const struct compare_list *list, enum limit limit)
{
	size_t num = 0;

	for (size_t i = 0; i < list->num; i++)
		num += limit_of(settings, &list->rows[i]) == limit;
	return num;
}

static void say_names(const struct compare_settings *settings,
		      const struct compare_list *list, enum limit limit,
		      limit_put *put, FILE *file)
{
	const char *before = ": ";

	for (size_t i = 0; i < list->num; i++) {
		const struct figure *figure = compare_figure(&list->rows[i]);

		if (limit_of(settings, &list->rows[i]) != limit)
			continue;
		fputs(before, file);
		put(figure->name, file);
		fputs(*figure->place ? " " : "", file);
		put(figure->place, file);
		before = ", ";
	}
	fputs(".\n", file);
}

void limit_say(const struct compare_settings *settings,
	       const struct compare_list *list, limit_put *put, FILE *file)
{
	const char *limit = settings->fail_above;
	size_t beyond = limit_count(settings, list, LIMIT_BEYOND);
	size_t untold = limit_count(settings, list, LIMIT_UNTOLD);

	if (!limit)
		return;
	if (beyond)
		fprintf(file, " %zu", beyond);
	fprintf(file, " %s %s by more than %.4g %%",
		!beyond	      ? "No row"
		: beyond == 1 ? "row"
			      : "rows",
		*limit == '+'	    ? "grew"
		: *limit == '-'	    ? "shrank"
		: settings->is_gate ? "got worse"
				    : "changed",
		100 * settings->limit);
	say_names(settings, list, LIMIT_BEYOND, put, file);
	if (!untold)
		return;
	fprintf(file, " %zu row%s cannot be compared", untold,
		untold == 1 ? "" : "s");
	say_names(settings, list, LIMIT_UNTOLD, put, file);
}
