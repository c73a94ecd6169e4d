/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore report` says first: of the data that most samples were of, one
 * after the other, what is wrong with them.
 */
#include "report_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "page.h"
#include "table.h"
#include "tool.h"
#include "verdict.h"

static const struct verdict_rule rules[] = {
	/* A few lines of many are handed over where work goes on elsewhere. */
	{ "false_sharing",
	  { { "samples", 50, INFINITY },
	    { "share", 10, INFINITY },
	    { "false_part", 10, INFINITY } },
	  "Threads use bytes of their own{fields} in the same lines of "
	  "{data}, and take them from each other ({share} of the samples, "
	  "{false} of its "
	  "lines), most in {waits_in}. Data of each thread on lines of its "
	  "own would stay.",
	  "Which bytes",
	  "uncore report --by=data,line",
	  false },
	{ "sharing",
	  { { "samples", 50, INFINITY },
	    { "share", 10, INFINITY },
	    { "shared_part", 10, INFINITY } },
	  "{threads} threads use the same bytes of {data}, and take their "
	  "lines from each other ({share} of the samples, {shared} of its "
	  "lines), most in {waits_in}. They stay where each thread has a "
	  "copy that is added up in the end, or changes are fewer.",
	  "Who",
	  "uncore report --by=data,line",
	  false },
	/* Interleaved over two sockets it would be half, and meant. */
	{ "remote",
	  { { "samples", 50, INFINITY },
	    { "share", 10, INFINITY },
	    { "remote", 30, INFINITY },
	    { "touched_known", 1, 1 } },
	  "{share} of the samples are of {data}, and {remote} of these come "
	  "from another socket than the one whose memory it is in: thread "
	  "{touched} was the first to use it. It is waited for most in "
	  "{waits_in}. Let its users be the first, or interleave it.",
	  "Who",
	  "uncore report --by=data,node",
	  false },
	/* Half of all waiting for one thing. */
	{ "waits",
	  { { "samples", 50, INFINITY }, { "wait_share", 50, INFINITY } },
	  "{wait_share} of the time that the sampled accesses took is for "
	  "{data}, {latency} ns each, most in {waits_in}.",
	  "Where",
	  "uncore report --by=source,stack",
	  true },
};

enum { MOST_DATA = 8, MOST_USERS = 2, LINE_BYTES = 64, FEW_LINES = 10 };

static size_t column_of(const struct table *table, const char *name)
{
	size_t i = 0;

	while (i < table->num_columns && strcmp(table->columns[i].name, name))
		i++;
	return i;
}

static double number(const struct table *table, size_t row, const char *name)
{
	size_t column = column_of(table, name);

	return column < table->num_columns ? table_get(table, row, column)
					   : NAN;
}

static const char *text(const struct table *table, size_t row, const char *name)
{
	size_t column = column_of(table, name);
	const char *found = column < table->num_columns
				    ? table_text(table, row, column)
				    : NULL;

	return found ? found : "";
}

/* Where it was allocated, and for whom: without functions of the C++ library
 * between, and without who called that one. */
static char *short_name(const char *name)
{
	const char *end = strstr(name, " < "), *from = end, *next = NULL;
	char *made;

	while (from && (next = strstr(from + 3, " < ")) &&
	       !strncmp(from + 3, "std::", 5))
		from = next;
	if (!end)
		return strdup(name);
	return asprintf(&made, "%.*s%.*s", (int)(end - name), name,
			next ? (int)(next - from) : (int)strlen(from), from) < 0
		       ? NULL
		       : made;
}

/* " (counters.a, counters.b)": what its two most frequent users share most, if
 * that are two fields of a variable; else "". */
static char *fields_of(const struct table *data, size_t row, const char *name)
{
	const struct table *users = data->below;
	size_t first = row ? data->below_ends[row - 1] : 0;
	size_t num = data->below_ends[row] - first;
	const char *one = num > 1 ? text(users, first, "shared_at") : "";
	const char *other = num > 1 ? text(users, first + 1, "shared_at") : "";
	int length = (int)strcspn(one, " "), more = (int)strcspn(other, " ");
	char *fields = NULL;

	if (!strchr(".[", *one) || !strchr(".[", *other) || !length || !more ||
	    (length == more && !strncmp(one, other, (size_t)length)) ||
	    asprintf(&fields, " (%s%.*s, %s%.*s)", name, length, one, name,
		     more, other) < 0)
		return strdup("");
	return fields;
}

/* So many of them can have been seen, and one more where it does not begin with
 * a line; of a thing whose size is not known, so few that one of them
 * matters. */
static double lines_of(const struct table *data, size_t row)
{
	double bytes = number(data, row, "bytes");

	return bytes > 0 ? fmin(ceil(bytes / LINE_BYTES),
				number(data, row, "samples"))
			 : FEW_LINES;
}

/* What is said of one row, behind `num` sentences; how many there are then. */
static size_t look(const struct table *data, size_t row, double wait,
		   struct verdict *verdicts, size_t num)
{
	double samples = number(data, row, "samples");
	double lines = lines_of(data, row);
	const char *touched = text(data, row, "touched");
	const char *waits_in = text(data, row, "waits_in");
	char *name = short_name(text(data, row, "data"));
	char *fields = fields_of(data, row, name ? name : "");
	const struct verdict_fact facts[] = {
		{ "data", 0, "",
		  !name			    ? ""
		  : !strcmp(name, "[code]") ? "code that is fetched"
					    : name },
		{ "fields", 0, "", fields ? fields : "" },
		{ "touched", 0, "", touched },
		{ "waits_in", 0, "",
		  *waits_in ? waits_in : "code that is not known" },
		{ "touched_known", *touched != '\0', "", NULL },
		{ "samples", samples, "", NULL },
		{ "share", 100 * number(data, row, "share"), "%", NULL },
		{ "threads", number(data, row, "threads"), "", NULL },
		{ "remote", 100 * number(data, row, "remote"), "%", NULL },
		{ "false", number(data, row, "false"), "", NULL },
		{ "shared", number(data, row, "shared"), "", NULL },
		{ "false_part", 100 * number(data, row, "false") / lines, "%",
		  NULL },
		{ "shared_part", 100 * number(data, row, "shared") / lines, "%",
		  NULL },
		{ "latency", number(data, row, "latency_ns"), "", NULL },
		{ "wait_share", 100 * number(data, row, "wait_ms") / wait, "%",
		  NULL },
	};
	struct verdict found[VERDICT_MOST];
	size_t num_found = 0;

	if (name && *name)
		num_found = verdict_find(
			rules, sizeof(rules) / sizeof(rules[0]), facts,
			sizeof(facts) / sizeof(facts[0]), found);
	free(name);
	free(fields);
	/* one sentence for each, and one of a kind that is a last resort */
	if (num_found && num < VERDICT_MOST &&
	    !(found[0].rule->is_alone && num))
		verdicts[num++] = found[0];
	else if (num_found)
		verdict_free(found, 1);
	if (num_found > 1)
		verdict_free(found + 1, num_found - 1);
	return num;
}

static double sum_of(const struct table *data, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < data->num_rows; i++) {
		double each = number(data, i, name);

		sum += isnan(each) ? 0 : each;
	}
	return sum;
}

/* The rule's with the file's name. */
static void set_command(struct verdict *verdict, const char *path)
{
	const char *words[] = { path, NULL };
	char *name = tool_shell_words(words);

	if (!name || asprintf(&verdict->command, "%s %s",
			      verdict->rule->command, name) < 0)
		verdict->command = NULL;
	free(name);
}

int report_verdict_print(struct reader *reader, const char *path, FILE *file,
			 struct json *json)
{
	const struct reader_limits limits = { .rows = MOST_DATA,
					      .below = MOST_USERS };
	struct verdict verdicts[VERDICT_MOST];
	struct table data;
	size_t num = 0;
	int status = reader_view(reader, "data", &limits, &data);

	for (size_t i = 0; i < data.num_rows && !status; i++)
		num = look(&data, i, sum_of(&data, "wait_ms"), verdicts, num);
	table_free(&data);
	for (size_t i = 0; i < num; i++)
		set_command(&verdicts[i], path);
	if (num && !json)
		fputc('\n', file);
	if (json)
		verdict_put_json(verdicts, num, json);
	else
		verdict_put_text(verdicts, num, file);
	verdict_free(verdicts, num);
	return status;
}
