/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Results as `uncore stat -x SEP` writes them. The first line of a result that
 * comes again begins a repeat.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "report.h"
#include "tool.h"
#include "uncore/error.h"

/* Fields of a line behind those of the place. */
enum field {
	FIELD_VALUE,
	FIELD_UNIT,
	FIELD_EVENT,
	FIELD_RUN_TIME,
	FIELD_SHARE,
	FIELD_METRIC,
	FIELD_METRIC_UNIT,
	FIELD_STANDARD_ERROR,
	FIELD_ERROR,
	FIELD_HOLDS,
	FIELD_TOLD,
	MAX_FIELDS = 16,
	FEWEST_FIELDS = FIELD_METRIC_UNIT + 1,
	PLACE_FIELDS = 2, /* "S0-cbox3", counters */
	PLACE_ROOM = 64,
};

static const double ROUNDING = 5e-6; /* metrics have six digits */

static const char *const separators[] = { ",", ";", "\t", "|", ":", " " };
enum { NUM_SEPARATORS = sizeof(separators) / sizeof(separators[0]) };

struct line {
	char *fields[MAX_FIELDS + 1];
	size_t num;
	bool is_mean; /* of -r: one more field behind the event */
};

/* Cuts a line into fields, without the quotes of those that have some. */
static void cut(char *text, const char *separator, struct line *line)
{
	line->num = 0;
	while (text && line->num < MAX_FIELDS) {
		bool is_quoted = *text == '"';
		char *end = is_quoted ? strchr(text + 1, '"') : text;

		line->fields[line->num++] = text + is_quoted;
		end = end ? strstr(end, separator) : NULL;
		text = end ? end + strlen(separator) : NULL;
		if (end)
			*end = 0;
		end = line->fields[line->num - 1];
		if (is_quoted && strchr(end, '"'))
			*strchr(end, '"') = 0;
	}
}

/* The number in a field; NAN: it is empty, or says n/a. */
static double number(const char *field)
{
	char *end;
	double value = strtod(field, &end);

	return end == field || *end ? NAN : value;
}

static bool has_place(const struct line *line)
{
	return line->fields[0][0] == 'S' &&
	       isdigit((unsigned char)line->fields[0][1]);
}

static bool is_spread(const char *field)
{
	char *end;

	strtod(field, &end);
	return !strcmp(field, "n/a") || (end > field && !strcmp(end, "%"));
}

/* The fields behind the place; NULL: that is no line of a result. */
static char *const *figures_of(struct line *line)
{
	size_t first = has_place(line) ? PLACE_FIELDS : 0;
	char *const *fields = line->fields + first;

	if (line->num < first + FEWEST_FIELDS || !*fields[FIELD_EVENT])
		return NULL;
	line->is_mean = is_spread(fields[FIELD_RUN_TIME]);
	if (!line->is_mean && (isnan(number(fields[FIELD_RUN_TIME])) ||
			       isnan(number(fields[FIELD_SHARE]))))
		return NULL;
	return fields;
}

/* "S0-cbox3" as "S0 cbox3". */
static void name_place(const struct line *line, char *place)
{
	place[0] = 0;
	if (!has_place(line))
		return;
	snprintf(place, PLACE_ROOM, "%s", line->fields[0]);
	if (strchr(place, '-'))
		*strchr(place, '-') = ' ';
}

static bool has_field(const struct line *line, char *const *fields,
		      enum field field)
{
	return fields + field < line->fields + line->num;
}

/* How many times in 100 an error holds: older results do not say so. */
static double holds(const struct line *line, char *const *fields)
{
	double times = has_field(line, fields, FIELD_HOLDS)
			       ? number(fields[FIELD_HOLDS])
			       : NAN;

	return times > 0 && times < 100 ? times : REPORT_TURNS_HOLD;
}

static bool is_estimate(const struct line *line, char *const *fields)
{
	return has_field(line, fields, FIELD_TOLD)
		       ? strcmp(fields[FIELD_TOLD], "exact") != 0
		       : number(fields[FIELD_SHARE]) < 100;
}

static void set_error(struct figure *figure, const struct line *line,
		      char *const *fields)
{
	bool has_errors = has_field(line, fields, FIELD_ERROR);

	const struct figure_error error = {
		.is_estimate = is_estimate(line, fields),
		.standard_error =
			has_errors ? number(fields[FIELD_STANDARD_ERROR]) : NAN,
		.half_width = has_errors ? number(fields[FIELD_ERROR]) : NAN,
		.probability = holds(line, fields) / 100,
	};

	figures_set_error(figure, &error);
}

static void add_line(struct figures *figures, const struct line *line,
		     char *const *fields)
{
	bool is_metric = !*fields[FIELD_VALUE];
	char place[PLACE_ROOM];
	const struct figure_key key = {
		.kind = is_metric ? FIGURE_METRIC : FIGURE_EVENT,
		.name = fields[FIELD_EVENT],
		.place = place,
		.unit = is_metric ? fields[FIELD_METRIC_UNIT] : "",
	};
	double value = number(fields[is_metric ? FIELD_METRIC : FIELD_VALUE]);
	struct figure *figure;

	name_place(line, place);
	if (!figures_find(figures, &key))
		figures->runs++;
	if (holds(line, fields) == REPORT_WINDOWS_HOLD &&
	    figures->detail.runs < figures->runs)
		figures_add_detail(figures, NAN, 0, NAN);
	figure = figures_add(figures, &key, value, NULL);
	if (!figure || isnan(value))
		return;
	figure->rounding = is_metric ? ROUNDING : 0;
	set_error(figure, line, fields);
}

/* The separator with which a line makes sense; NULL: none does. */
static const char *find_separator(const char *text, size_t length)
{
	struct line line;

	for (size_t i = 0; i < NUM_SEPARATORS; i++) {
		char *copy = strndup(text, length);
		bool fits;

		if (!copy)
			return NULL;
		cut(copy, separators[i], &line);
		fits = figures_of(&line) != NULL;
		free(copy);
		if (fits)
			return separators[i];
	}
	return NULL;
}

static int malformed(const struct figures *figures, size_t number)
{
	return tool_fail(TOOL_USAGE,
			 "%s, line %zu: that is no recording, and no result of "
			 "'uncore stat --json' or 'uncore stat -x SEP' with "
			 "',', ';', '|', ':', a blank or a tab as SEP",
			 figures->path, number);
}

static int read_line(struct figures *figures, const char *text, size_t length,
		     const char *separator)
{
	char *copy = strndup(text, length);
	char *const *fields;
	int status = TOOL_OK;
	struct line line;

	if (!copy)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	cut(copy, separator, &line);
	fields = figures_of(&line);
	if (fields && line.is_mean)
		status = tool_fail(TOOL_USAGE,
				   "%s: 'uncore stat -r -x' does not say how "
				   "many runs its means are of; take --json",
				   figures->path);
	else if (fields)
		add_line(figures, &line, fields);
	free(copy);
	return fields ? status : -1;
}

int figures_read_fields(struct figures *figures, const char *text)
{
	const char *separator = NULL;
	size_t number = 1, length;
	int status = TOOL_OK;

	figures->runs = 0;
	for (; *text && !status; text += length + (text[length] != 0)) {
		length = strcspn(text, "\n");
		if (!separator && length && *text != '#')
			separator = find_separator(text, length);
		if (length && *text != '#')
			status = separator ? read_line(figures, text, length,
						       separator)
					   : -1;
		number += !status;
	}
	if (!status && !figures->num)
		status = -1;
	return status < 0 ? malformed(figures, number) : status;
}
