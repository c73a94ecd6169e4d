/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore report`: what a recording says.
 */
#include "tool.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "calls.h"
#include "html.h"
#include "json.h"
#include "metrics.h"
#include "perf_options.h"
#include "reader.h"
#include "report_verdict.h"
#include "uncore/uncore.h"

#define REPORT_SCHEMA "uncore-report-1"

enum {
	MAX_VIEWS = 32,
	MAX_STEPS = 100000,
	STEPS_OF_TEXT = 20,
	STEPS_OF_DATA = 200,
	ROWS_OF_TEXT = 20,
	BELOW_OF_TEXT = 10,
	ROWS_OF_HTML = 1000, /* of which a browser is quick */
};

enum view {
	VIEW_EVENTS,
	VIEW_TIME,
	VIEW_BOX,
	VIEW_METRIC,
	VIEW_TREND,
	VIEW_ASKED, /* this one and those behind: reader_views */
};

static const char *const own_views[VIEW_ASKED] = { "event", "time", "box",
						   "metric", "trend" };

struct settings {
	const char *path;
	const char *by;
	const char *socket;
	const char *steps;
	const char *top;
	const char *separator;
	const char *output, *html, *callgrind;
	const char *annotate, *source;
	const char *input;
	const char *sort; /* what perf calls a view */
	bool by_stack, folded;
	bool per_socket, json, replace;
	unsigned views[MAX_VIEWS]; /* as view_names counts them */
	unsigned num_views;
	const char *metrics;
	struct option_texts metric_files;
	/* made of these */
	unsigned num_steps;
	struct reader_limits limits;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

/* perf's words for what there are views of. */
static void take_sort(const struct option_row *row, void *at, char *text,
		      const struct argp_state *state)
{
	static const char *const words[][2] = {
		{ "sym", "symbol" },	    { "symbol", "symbol" },
		{ "dso", "symbol" },	    { "overhead", "symbol" },
		{ "parent", "stack" },	    { "pid", "thread" },
		{ "tid", "thread" },	    { "comm", "thread" },
		{ "cpu", "thread" },	    { "thread", "thread" },
		{ "srcline", "source" },    { "mem", "line" },
		{ "dcacheline", "line" },   { "cacheline", "line" },
		{ "symbol_daddr", "line" }, { "phys_daddr", "page" },
		{ "time", "time" },	    { "socket", "box" },
	};
	size_t length = strcspn(text, ",");

	(void)row;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i][0]) == length &&
		    !strncmp(words[i][0], text, length)) {
			*(const char **)at = words[i][1];
			return;
		}
	argp_error(state,
		   "--sort=%s: give --by=VIEW, one of event, time, box, "
		   "symbol, stack, thread, line, page",
		   text);
}

/* perf's ways to print callers are one here; "none" is without them. */
static void take_callers(const struct option_row *row, void *at, char *text,
			 const struct argp_state *state)
{
	(void)row;
	(void)state;
	*(bool *)at = !text || strncmp(text, "none", 4) != 0;
}

static const struct option_row rows[] = {
	{ "by", 0, "VIEW[,VIEW...]",
	  "What to show: event, time, box, symbol, source, stack, thread, "
	  "node (threads and memory), answer (who had it), data, line, page, "
	  "state, metric, trend (metrics over time) (default: event; symbol "
	  "where places are known; state after a freeze)",
	  AT(by) },
	{ "metrics", 'M', "NAME,...",
	  "Show these metrics, as far as their events were recorded; without "
	  "it the views metric and trend show all that can be had",
	  AT(metrics) },
	OPTION_METRIC_FILE(AT(metric_files)),
	{ "input", 'i', "FILE", "The recording, as a word would name it",
	  AT(input), .flags = OPTION_HIDDEN },
	{ "sort", 's', "VIEW",
	  "As --by; pid, comm and tid are thread, dso and "
	  "sym are symbol",
	  .take = take_sort, AT(sort), .flags = OPTION_HIDDEN },
	{ "call-graph", 'g', "HOW", "As --by=stack", AT(by_stack),
	  .take = take_callers, .flags = OPTION_HIDDEN | OPTION_ARG_OPTIONAL },
	{ "per-socket", 0, NULL, "Over time: every socket on its own",
	  AT(per_socket) },
	{ "socket", 0, "N", "Only this socket", AT(socket) },
	{ "steps", 0, "N",
	  "Over time: so many steps (default 20 as text, else 200)",
	  AT(steps) },
	{ "top", 0, "N",
	  "The N functions, lines, stacks and so on with most samples, and of "
	  "a "
	  "line N users (default 20 and 10 as text, else all)",
	  AT(top) },
	{ "annotate", 0, "FILE",
	  "Show lines of this file of source with what happened there; FILE is "
	  "a name, with as many folders as it takes",
	  AT(annotate) },
	{ "source", 0, "DIR",
	  "Where the file is looked for (default: the current folder), by the "
	  "end of the path that it was compiled as; no other file is read",
	  AT(source) },
	OPTION_JSON(AT(json), .group = 1),
	{ "field-separator", 'x', "SEP",
	  "Print one view with SEP between the fields (-x, makes CSV)",
	  AT(separator), .take = options_separator, .group = 1 },
	OPTION_HTML(AT(html), .group = 1),
	{ "folded", 0, NULL,
	  "Print stacks as flame graphs are made of: a line for each, with its "
	  "samples",
	  AT(folded), .group = 1 },
	{ "callgrind", 0, "FILE",
	  "Write lines of source and calls to FILE in callgrind's format "
	  "(callgrind_annotate, KCachegrind)",
	  AT(callgrind), .group = 1 },
	OPTION_DRAWN("svg"),
	{ "output", 'o', "FILE", "Print to FILE", AT(output), .group = 1 },
	OPTION_REPLACE(AT(replace), .group = 1),
	{ 0 },
};

static error_t take_words(int key, char *word, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (settings->path)
			argp_error(state,
				   "one recording at a time, not also "
				   "'%s'",
				   word);
		settings->path = word;
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct options options = {
	.rows = rows,
	.words = "[FILE]",
	.help = "Show what 'uncore record' wrote to FILE "
		"(default " TOOL_RECORDING "): over time, by box, by symbol, "
		"by thread, and which data was "
		"accessed: by line of 64 bytes, by page."
		"\vSymbols and threads are those whose access asked for what "
		"made an event overflow. Where events took turns, "
		"numbers are estimates. Exit status: 1 if something failed; 2 "
		"if what "
		"was asked for does not exist or fit.",
	.more = take_words,
	.perf = PERF_REPORT,
};

/* The word for a view; NULL: there are no more. */
static const char *view_word(unsigned view)
{
	return view < VIEW_ASKED ? own_views[view]
				 : reader_views[view - VIEW_ASKED].word;
}

static int add_view(struct settings *settings, const char *name, size_t length)
{
	char words[256] = "";
	const char *word;

	for (unsigned i = 0; (word = view_word(i)); i++) {
		size_t used = strlen(words);

		if (length && strlen(word) == length &&
		    !strncmp(word, name, length)) {
			if (settings->num_views < MAX_VIEWS)
				settings->views[settings->num_views++] = i;
			return TOOL_OK;
		}
		if (*word)
			snprintf(words + used, sizeof(words) - used, "%s%s",
				 used ? ", " : "", word);
	}
	return tool_fail(TOOL_USAGE, "--by=%.*s: there are the views %s",
			 (int)length, name, words);
}

static int add_views(struct settings *settings)
{
	int status = TOOL_OK;

	for (const char *at = settings->by; at && !status;) {
		size_t length = strcspn(at, ",");

		status = add_view(settings, at, length);
		at = at[length] ? at + length + 1 : NULL;
	}
	return status;
}

static int check(struct settings *settings)
{
	unsigned num;
	int status;

	if (!settings->by)
		settings->by = settings->by_stack ? "stack" : settings->sort;
	status = add_views(settings);
	num = settings->num_views;
	if (settings->input && settings->path)
		return tool_fail(TOOL_USAGE,
				 "one recording at a time: '%s' or '%s'",
				 settings->input, settings->path);
	if (settings->input)
		settings->path = settings->input;

	if (status)
		return status;
	if (settings->source && !settings->annotate)
		return tool_fail(TOOL_USAGE,
				 "--source=DIR is where the file "
				 "of --annotate=FILE is looked for");
	if (settings->folded + !!settings->callgrind + settings->json +
		    !!settings->separator >
	    1)
		return tool_fail(TOOL_USAGE,
				 "give one of --folded, --callgrind, --json "
				 "and -x, not both");
	if ((settings->callgrind || settings->folded) && settings->by &&
	    strcmp(settings->by, "stack") != 0)
		return tool_fail(TOOL_USAGE,
				 "--folded and --callgrind are of stacks: "
				 "leave out --by");
	if (settings->callgrind && settings->output)
		return tool_fail(TOOL_USAGE, "--callgrind=FILE is an output of "
					     "its own: leave out -o");
	if (settings->callgrind)
		settings->output = settings->callgrind;
	if (settings->html && (settings->json || settings->separator ||
			       settings->output || settings->folded))
		return tool_fail(TOOL_USAGE, OPTION_HTML_ALONE);
	if (settings->html) {
		settings->json = true;
		settings->output = settings->html;
	}
	if (settings->separator && !*settings->separator)
		return tool_fail(TOOL_USAGE,
				 "-x needs a separator, such as -x,");
	if (settings->separator && num + !!settings->annotate > 1)
		return tool_fail(TOOL_USAGE, "-x shows one view at a time: "
					     "give --by one name");
	return TOOL_OK;
}

/* All that there is something of. */
static void choose_all(struct settings *settings, const struct reader *reader)
{
	const char *word;

	for (unsigned i = 0; (word = view_word(i)) && i < MAX_VIEWS; i++)
		if (*word && (i < VIEW_ASKED || reader->has_positions ||
			      !strcmp(word, "state")))
			settings->views[settings->num_views++] = i;
}

static void choose(struct settings *settings, struct reader *reader)
{
	struct uncore_state state;

	if (settings->num_views)
		return;
	if (settings->html) {
		choose_all(settings, reader);
		return;
	}
	if (settings->annotate)
		return;
	if (settings->metrics) {
		settings->views[settings->num_views++] = VIEW_METRIC;
		return;
	}
	settings->views[settings->num_views++] = VIEW_EVENTS;
	if (settings->separator)
		return;
	if (settings->json) {
		settings->views[settings->num_views++] = VIEW_TIME;
		settings->views[settings->num_views++] = VIEW_BOX;
	}
	if (reader->has_positions)
		add_view(settings, "symbol", strlen("symbol"));
	if (uncore_recording_state(reader->recording, 0, &state))
		add_view(settings, "state", strlen("state"));
}

static int make(struct reader *reader, const struct settings *settings,
		unsigned view, struct table *table)
{
	unsigned steps = settings->num_steps;
	const struct reader_metrics metrics = { settings->metrics,
						&settings->metric_files };

	*table = (struct table){ 0 };
	switch (view) {
	case VIEW_EVENTS: return reader_events(reader, table);
	case VIEW_BOX: return reader_boxes(reader, table);
	case VIEW_METRIC: return reader_metrics(reader, &metrics, 0, table);
	case VIEW_TREND: return reader_metrics(reader, &metrics, steps, table);
	case VIEW_TIME:
		return reader_time(reader, steps, settings->per_socket, table);
	default:
		return reader_view(reader, reader_views[view - VIEW_ASKED].name,
				   &settings->limits, table);
	}
}

static const char *meta(struct reader *reader, const char *key)
{
	const char *value = uncore_recording_meta(reader->recording, key);

	return value ? value : "not known";
}

/* One that is a number; else `otherwise`. */
static double number(struct reader *reader, const char *key, double otherwise)
{
	const char *text = uncore_recording_meta(reader->recording, key);

	return text ? strtod(text, NULL) : otherwise;
}

/* Time in which nothing was counted because a sample was being taken. */
static double frozen_seconds(struct reader *reader)
{
	return number(reader, "frozen_seconds", 0);
}

static void put_meta(struct reader *reader, const char *key, const char *before,
		     const char *behind, FILE *file)
{
	fprintf(file, "%s%s%s", before, tool_shown(meta(reader, key)), behind);
}

static void begin_text(struct reader *reader, FILE *file)
{
	double frozen = frozen_seconds(reader);
	double share = number(reader, "detail_share", 1);
	double sites = number(reader, "sites_told", 0);
	struct run_random random = reader_random(reader);
	char accesses[40], told[40];

	tool_grouped(told, sizeof(told), "%.0f", sites);
	tool_grouped(accesses, sizeof(accesses), "%.0f",
		     number(reader, "detail_accesses", 0));
	put_meta(reader, "machine", "\n Recording of ", "", file);
	put_meta(reader, "origin", " (", ")", file);
	put_meta(reader, "what", ": ", "\n", file);
	fprintf(file, " %llu samples over %.6f s",
		(unsigned long long)reader->num_samples, reader->seconds);
	if (reader->num_lost)
		fprintf(file, ", %llu overflows came too fast to be taken",
			(unsigned long long)reader->num_lost);
	if (!uncore_recording_is_complete(reader->recording))
		fprintf(file, "; it was cut off before its end");
	fprintf(file, "\n");
	if (reader->is_estimate)
		fprintf(file, " Events took turns: numbers are estimates.\n");
	if (share < 1)
		fprintf(file,
			" %.3g %% of %s accesses were in detail: samples are "
			"of "
			"all of them, their times are about right.\n",
			100 * share, accesses);
	if (frozen > 0 && reader->seconds > 0)
		fprintf(file,
			" Counters stood still for %.3g %% of the time, while "
			"samples were taken.\n",
			100 * frozen / reader->seconds);
	if (sites > 0)
		fprintf(file,
			" %s allocation sites are told apart; what came later "
			"is one row, 'other sites'.\n",
			told);
	if (run_say_random(&random))
		fprintf(file, " Note: %s\n", run_say_random(&random));
}

/* Each where it is known. */
static void put_sizes(struct reader *reader, const struct reader_limits *limits,
		      struct json *json)
{
	static const char *const keys[] = { "sockets", "cores" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (number(reader, keys[i], 0) > 0)
			json_number(json, keys[i], number(reader, keys[i], 0));
	if (!limits->rows)
		return;
	json_open(json, "limits", '{');
	json_uint(json, "rows", limits->rows);
	json_uint(json, "below", limits->below);
	json_close(json);
}

static void begin_json(struct reader *reader, const struct settings *settings,
		       struct json *json)
{
	const struct run_random random = reader_random(reader);
	static const char *const keys[] = { "machine", "origin", "what", "mode",
					    "started" };

	json_open(json, NULL, '{');
	json_string(json, "schema", REPORT_SCHEMA);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_string(json, keys[i],
			    uncore_recording_meta(reader->recording, keys[i]));
	json_number(json, "seconds", reader->seconds);
	json_number(json, "frozen_seconds", frozen_seconds(reader));
	json_uint(json, "samples_taken", reader->num_samples);
	json_uint(json, "samples_lost", reader->num_lost);
	json_flag(json, "complete",
		  uncore_recording_is_complete(reader->recording));
	json_flag(json, "estimate", reader->is_estimate);
	if (uncore_recording_meta(reader->recording, "detail_share")) {
		json_open(json, "detail", '{');
		json_uint(json, "accesses",
			  (uint64_t)number(reader, "detail_accesses", 0));
		json_number(json, "share", number(reader, "detail_share", 1));
		json_close(json);
	}
	if (number(reader, "sites_told", 0) > 0)
		json_number(json, "sites_told",
			    number(reader, "sites_told", 0));
	if (random.is_known) {
		json_flag(json, "random_asked", random.asked);
		json_flag(json, "random_repeatable", random.repeats);
	}
	put_sizes(reader, &settings->limits, json);
}

static const char *path_of(const struct settings *settings)
{
	return settings->path ? settings->path : TOOL_RECORDING;
}

/* A page has the first rows of long views, so that a browser is quick. */
static void print_first(struct table *table, size_t most, struct json *json)
{
	size_t num_rows = table->num_rows;

	if (table->num_rows > most)
		table->num_rows = most;
	table_print_json(table, json);
	table->num_rows = num_rows;
}

static void print_one(const struct settings *settings, unsigned view,
		      struct table *table, struct json *json, FILE *file)
{
	if (settings->html && view >= VIEW_ASKED)
		print_first(table, settings->limits.rows, json);
	else if (settings->json)
		table_print_json(table, json);
	else if (settings->separator)
		table_print_separated(table, settings->separator, file);
	else
		table_print_text(table, file);
	if (!settings->json && !settings->separator && view >= VIEW_ASKED &&
	    table->num_rows == settings->limits.rows)
		fprintf(file, "\n The first %zu; --top=N shows N of them.\n",
			table->num_rows);
}

static int annotate(struct reader *reader, const struct settings *settings,
		    struct table *table)
{
	const struct annotate how = { settings->annotate, settings->source,
				      settings->limits.rows,
				      .shows_gaps = !settings->json &&
						    !settings->separator };

	return settings->annotate ? annotate_make(reader, &how, table)
				  : TOOL_OK;
}

/* Of lines or pages, whether shown or not, those that belong together. */
static int print_sums(struct reader *reader, const struct settings *settings,
		      unsigned view, FILE *file)
{
	const char *word = view_word(view);
	struct table sums;
	int status;

	if (settings->json || settings->separator ||
	    (strcmp(word, "line") != 0 && strcmp(word, "page") != 0))
		return TOOL_OK;
	status = reader_view(reader, "sums", &settings->limits, &sums);
	if (!status && sums.num_rows)
		table_print_text(&sums, file);
	table_free(&sums);
	return status;
}

static int print(struct reader *reader, const struct settings *settings,
		 FILE *file)
{
	struct json json = { .file = file, .is_page = settings->html };
	struct table annotated = { 0 };
	int status;

	if (settings->folded)
		return calls_print_folded(reader, file);
	if (settings->callgrind)
		return calls_print_callgrind(reader, meta(reader, "what"),
					     file);
	status = annotate(reader, settings, &annotated);
	if (status) {
		table_free(&annotated);
		return status;
	}
	if (settings->json)
		begin_json(reader, settings, &json);
	else if (!settings->separator)
		begin_text(reader, file);
	if (!settings->separator)
		status = report_verdict_print(reader, path_of(settings), file,
					      settings->json ? &json : NULL);
	for (unsigned i = 0; i < settings->num_views && !status; i++) {
		struct table table;

		status = make(reader, settings, settings->views[i], &table);
		if (!status)
			print_one(settings, settings->views[i], &table, &json,
				  file);
		if (!status)
			status = print_sums(reader, settings,
					    settings->views[i], file);
		table_free(&table);
	}
	if (settings->annotate && !status)
		print_one(settings, VIEW_EVENTS, &annotated, &json, file);
	table_free(&annotated);
	if (settings->json)
		json_close(&json);
	else if (!settings->separator)
		fputc('\n', file);
	return status;
}

/* 0: not known. */
static unsigned long num_sockets(struct reader *reader)
{
	const char *text = uncore_recording_meta(reader->recording, "sockets");

	return text ? strtoul(text, NULL, 10) : 0;
}

static int check_socket(struct reader *reader)
{
	unsigned long num = num_sockets(reader);

	if (!num || reader->socket < (int)num)
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "--socket=%d: the recording has %lu sockets, "
			 "numbered from 0",
			 reader->socket, num);
}

/* From 1 to `most`, or a sentence and false; an option not given leaves it. */
static bool positive(const char *option, const char *text, unsigned most,
		     unsigned *number)
{
	unsigned long long given;

	if (!text)
		return true;
	if (!tool_number(option, text, &given))
		return false;
	if (!given || given > most) {
		tool_warn("--%s=%s: there must be one at least and %u at most",
			  option, text, most);
		return false;
	}
	*number = (unsigned)given;
	return true;
}

static bool numbers(struct settings *settings, int *socket)
{
	bool is_text = !settings->json && !settings->separator;
	unsigned top = 0;
	unsigned long long number;

	*socket = -1;
	settings->num_steps = is_text ? STEPS_OF_TEXT : STEPS_OF_DATA;
	if (settings->socket) {
		if (!tool_number("socket", settings->socket, &number))
			return false;
		*socket = number < INT_MAX ? (int)number : INT_MAX;
	}
	if (!positive("steps", settings->steps, MAX_STEPS,
		      &settings->num_steps) ||
	    !positive("top", settings->top, INT_MAX, &top))
		return false;
	settings->limits.rows = top		 ? top
				: is_text	 ? ROWS_OF_TEXT
				: settings->html ? ROWS_OF_HTML
						 : 0;
	settings->limits.below = top			     ? top
				 : is_text || settings->html ? BELOW_OF_TEXT
							     : 0;
	return true;
}

static int report(const struct options *how, int argc, char **argv)
{
	struct settings settings = { 0 };
	struct reader reader = { 0 };
	FILE *file = NULL;
	int status, socket;

	options_parse(how, argc, argv, 0, &settings);
	status = check(&settings);
	if (!status && !numbers(&settings, &socket))
		status = TOOL_USAGE;
	if (status)
		return status;
	status = reader_open(&reader, path_of(&settings), socket);
	if (!status)
		status = check_socket(&reader);
	if (!status)
		status = settings.html
				 ? html_open(settings.output, stdout, &file)
				 : tool_open(settings.output, stdout,
					     settings.json && settings.replace
						     ? REPORT_SCHEMA
						     : NULL,
					     &file);
	if (!status) {
		choose(&settings, &reader);
		status = print(&reader, &settings, file);
	}
	reader_close(&reader);
	if (file)
		status = tool_finish(status, file, settings.output);
	return status;
}

int cmd_report(int argc, char **argv)
{
	return report(&options, argc, argv);
}

int cmd_report_c2c(int argc, char **argv)
{
	struct options c2c = options;

	c2c.perf = PERF_C2C_REPORT;
	return report(&c2c, argc, argv);
}
