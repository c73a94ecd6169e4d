/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options of `uncore compare`, and what they mean.
 */
#include "compare.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

static const char *const orders[] = {
	[ORDER_SIGNIFICANCE] = "significance",
	[ORDER_SIZE] = "size",
	[ORDER_NAME] = "name",
};
enum { NUM_ORDERS = sizeof(orders) / sizeof(orders[0]) };

#define AT(MEMBER) .at = offsetof(struct compare_settings, MEMBER)

static const struct option_row rows[] = {
	{ "by", 0, "VIEW[,VIEW...]",
	  "What to compare: event, metric, symbol, stack (default: all there "
	  "is, "
	  "stacks with --html)",
	  AT(by) },
	{ "only", 0, "GLOB",
	  "Only rows whose name this fits; may be given again", AT(patterns),
	  .take = options_add },
	{ "changed", 0, NULL,
	  "Without rows that are the same or not told apart from chance",
	  AT(changed) },
	{ "sort", 0, "ORDER",
	  "Order of rows: significance (default), size of the change, name",
	  AT(sort) },
	{ "top", 0, "N", "The first N rows of each table", AT(top) },
	{ "confidence", 0, "PERCENT",
	  "How sure it must be that it was not chance (default 99)",
	  AT(confidence) },
	{ "fail-above", 0, "[+|-]PERCENT",
	  "End with 3 if a row changed by more than PERCENT of A, and not by "
	  "chance; with + or - only if it grew, or shrank, by so much. Rows of "
	  "one run on each side count by their size alone",
	  AT(fail_above) },
	{ "socket", 0, "N", "Of recordings: only this socket", AT(socket) },
	OPTION_METRIC_FILE(AT(metric_files)),
	{ "merge", 0, NULL,
	  "Compare nothing: put shards of a sweep ('uncore stat --sweep ... "
	  "--shard=K/N --json') together into its one table",
	  AT(merge) },
	OPTION_JSON(AT(json), .group = 1),
	{ "field-separator", 'x', "SEP",
	  "Print fields with SEP between them (-x, makes CSV)", AT(separator),
	  .take = options_separator, .group = 1 },
	OPTION_HTML(AT(html), .group = 1),
	OPTION_MARKDOWN(AT(markdown), .group = 1),
	{ "output", 'o', "FILE", "Print to FILE", AT(output), .group = 1 },
	OPTION_REPLACE(AT(replace), .group = 1),
	{ 0 },
};

const struct options compare_options = {
	.rows = rows,
	.words = "A B\n--merge FILE...",
	.help = "Compare two results of 'uncore stat --json' or "
		"recordings of 'uncore record': event by event, metric by "
		"metric, and, of recordings, function by function."
		"\vA result of 'uncore stat -r --json', and a file with "
		"several results one behind the other, have repeats, and "
		"their spread says what chance does. '-' is standard input. "
		"Verdicts: 'changed': chance does this in one of a hundred "
		"cases at most (--confidence); 'chance': not told apart from "
		"it; 'exact': different, and other runs would be as these, "
		"since the model repeats to the digit; 'one run': different, "
		"but one run on each side does not show what chance does; "
		"'same': to the last digit; 'unknown': "
		"an estimate without an error. Exit status: 0, also if "
		"something changed, but 3 with --fail-above; 1 if something "
		"failed; 2 if what was asked for does not exist or fit.",
	.need = "name two files to compare; 'uncore compare --help' explains",
	.words_at = offsetof(struct compare_settings, paths),
};

static int set_views(struct compare_settings *settings)
{
	for (const char *at = settings->by; at;) {
		size_t length = strcspn(at, ","), i = 0;

		while (i < NUM_FIGURE_KINDS &&
		       (strlen(compare_kinds[i]) != length ||
			strncmp(compare_kinds[i], at, length)))
			i++;
		if (i == NUM_FIGURE_KINDS)
			return tool_fail(TOOL_USAGE,
					 "--by=%.*s: there are the views "
					 "event, metric, symbol and stack",
					 (int)length, at);
		settings->shows[i] = true;
		at = at[length] ? at + length + 1 : NULL;
	}
	for (size_t i = 0; !settings->by && i < NUM_FIGURE_KINDS; i++)
		settings->shows[i] = i != FIGURE_STACK || settings->html;
	return TOOL_OK;
}

static int set_order(struct compare_settings *settings)
{
	for (size_t i = 0; i < NUM_ORDERS; i++)
		if (!settings->sort || !strcmp(orders[i], settings->sort)) {
			settings->order = (enum compare_order)i;
			return TOOL_OK;
		}
	return tool_fail(TOOL_USAGE,
			 "--sort=%s: rows are sorted by significance, size or "
			 "name",
			 settings->sort);
}

static int set_numbers(struct compare_settings *settings)
{
	unsigned long long socket;

	settings->level = COMPARE_CONFIDENCE;
	if (settings->confidence)
		settings->level = limit_percent(settings->confidence);
	if (!(settings->level > 0 && settings->level < 1))
		return tool_fail(TOOL_USAGE,
				 "--confidence=%s: that is no number of per "
				 "cent between 0 and 100",
				 settings->confidence);
	if (limit_read(settings))
		return TOOL_USAGE;
	settings->most_rows = ULLONG_MAX;
	if (settings->top &&
	    !tool_number("--top", settings->top, &settings->most_rows))
		return TOOL_USAGE;
	settings->only_socket = -1;
	if (settings->socket) {
		if (!tool_number("socket", settings->socket, &socket))
			return TOOL_USAGE;
		settings->only_socket =
			socket < INT_MAX ? (int)socket : INT_MAX;
	}
	return TOOL_OK;
}

int compare_settings_check(struct compare_settings *settings)
{
	int status;

	if (!settings->merge && settings->paths.num < 2)
		return tool_fail(TOOL_USAGE,
				 "name two files to compare; 'uncore compare "
				 "--help' explains");
	if (!settings->merge && settings->paths.num > 2)
		return tool_fail(TOOL_USAGE,
				 "two files are compared, not also '%s': "
				 "repeats go into one file, one behind the "
				 "other",
				 settings->paths.list[2]);
	if (settings->merge &&
	    (settings->by || settings->sort || settings->confidence ||
	     settings->fail_above || settings->socket || settings->top ||
	     settings->changed || settings->markdown ||
	     settings->patterns.num || settings->metric_files.num))
		return tool_fail(TOOL_USAGE,
				 "--merge compares nothing: it takes --json, "
				 "-x and -o alone");
	if (settings->html &&
	    (settings->json || settings->separator || settings->output))
		return tool_fail(TOOL_USAGE, OPTION_HTML_ALONE);
	if (settings->html) {
		settings->json = true;
		settings->output = settings->html;
	}
	if (settings->json && settings->separator)
		return tool_fail(TOOL_USAGE, "give --json or -x, not both");
	if (settings->separator && !*settings->separator)
		return tool_fail(TOOL_USAGE,
				 "-x needs a separator, such as -x,");
	status = set_views(settings);
	if (!status)
		status = set_order(settings);
	return status ? status : set_numbers(settings);
}
