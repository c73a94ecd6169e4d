/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The values of a sweep as text: a list of words and ranges, from..to, with a
 * step behind ':' or a factor behind ':*'. Numbers may end in K, M, G or T;
 * those of a range have the unit of its begin.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "tool/tool.h"

enum { NUMBER_ROOM = 64 };

struct range {
	double from, to, step;
	bool is_factor;
	char unit[2]; /* "K" */
	double scale; /* of the unit */
};

/* A number with its unit, if there is one; false: it is none. */
static bool read_number(const char *text, double *number, char *unit,
			double *scale)
{
	static const char units[] = "kmgt";
	const char *found;
	char *end;

	*number = strtod(text, &end);
	*unit = 0;
	*scale = 1;
	if (strchr(" \t+", *text) || end == text || !isfinite(*number) ||
	    strpbrk(text, "xXnN"))
		return false;
	if (!*end)
		return true;
	found = strchr(units, tolower((unsigned char)*end));
	if (!found || end[1])
		return false;
	*unit = *end;
	*scale = pow(1024, (double)(found - units + 1));
	*number *= *scale;
	return true;
}

/* Whether a word is a range; else it is a value. Without a step it is 1 of its
 * unit. */
static bool read_range(const char *word, struct range *range)
{
	char copy[3 * NUMBER_ROOM], *to, *step, unit;
	double scale;

	if (snprintf(copy, sizeof(copy), "%s", word) >= (int)sizeof(copy))
		return false;
	to = strstr(copy, "..");
	step = to ? strchr(to, ':') : NULL;
	if (step)
		*step++ = 0;
	if (to)
		*to = 0;
	range->unit[1] = 0;
	if (!to ||
	    !read_number(copy, &range->from, range->unit, &range->scale) ||
	    !read_number(to + 2, &range->to, &unit, &scale))
		return false;
	range->step = range->scale;
	range->is_factor = step && *step == '*';
	return !step || read_number(step + range->is_factor, &range->step,
				    &unit, &scale);
}

static int add_value(struct sweep_axis *axis, const char *text)
{
	if (axis->num == SWEEP_MOST_POINTS)
		return tool_fail(TOOL_USAGE,
				 "--sweep=%s: more than %d values; take bigger "
				 "steps",
				 axis->name, SWEEP_MOST_POINTS);
	axis->values =
		tool_more(axis->values, axis->num, sizeof(*axis->values));
	axis->values[axis->num++] = tool_copy(text);
	return TOOL_OK;
}

/* How many steps lead from begin to end. */
static double steps_of(const struct range *range)
{
	double steps = range->is_factor
			       ? log(range->to / range->from) / log(range->step)
			       : (range->to - range->from) / range->step;

	return floor(fabs(steps) + 1e-9);
}

static bool makes_sense(const struct range *range)
{
	if (range->is_factor)
		return range->step > 1 && range->from > 0 && range->to > 0;
	return range->step > 0;
}

/* Down, if the end is below the begin. */
static int add_range(struct sweep_axis *axis, const char *text,
		     const struct range *range)
{
	double up = range->to < range->from ? -1 : 1;
	int status = TOOL_OK;

	if (!makes_sense(range))
		return tool_fail(TOOL_USAGE,
				 "--sweep=%s: the range '%s' leads nowhere: a "
				 "step is above 0 (4..24:4), a factor above 1 "
				 "(1..64:*2)",
				 axis->name, text);
	for (double i = 0; !status && i <= steps_of(range); i++) {
		double value = range->is_factor
				       ? range->from * pow(range->step, up * i)
				       : range->from + range->step * up * i;
		char word[NUMBER_ROOM];

		snprintf(word, sizeof(word), "%.10g%s", value / range->scale,
			 range->unit);
		status = add_value(axis, word);
	}
	return status;
}

int sweep_axis_read(const char *text, struct sweep_axis *axis)
{
	const char *equals = strchr(text, '=');
	char *words, *rest, *word;
	int status = TOOL_OK;

	*axis = (struct sweep_axis){ 0 };
	if (!equals || equals == text || !equals[1])
		return tool_fail(TOOL_USAGE,
				 "--sweep=%s: that is no NAME=VALUES, such as "
				 "llc.ways=4..24:4, size=1M..64M:*2 or "
				 "place=compact,scatter",
				 text);
	axis->name = tool_print("%.*s", (int)(equals - text), text);
	words = rest = tool_copy(equals + 1);
	while (!status && (word = strsep(&rest, ","))) {
		struct range range;

		if (!*word)
			status = tool_fail(TOOL_USAGE,
					   "--sweep=%s: a value is missing",
					   text);
		else if (read_range(word, &range))
			status = add_range(axis, word, &range);
		else
			status = add_value(axis, word);
	}
	free(words);
	return status;
}

void sweep_axis_free(struct sweep_axis *axis)
{
	for (size_t i = 0; i < axis->num; i++)
		free(axis->values[i]);
	free(axis->values);
	free(axis->name);
}
