/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore list [PATTERN]`: boxes, events and unit masks.
 */
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "tool/machine.h"
#include "tool/metrics.h"
#include "tool/page.h"
#include "tool/perf_options.h"
#include "tool/table.h"
#include "uncore/event.h"
#include "uncore/model.h"

struct settings {
	const char *machine;
	const char *pattern;
	bool json;
	bool names;
	const char *kind; /* of names; NULL: events */
	bool metrics;
	struct option_texts metric_files;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static void take_names(const struct option_row *row, void *at, char *text,
		       const struct argp_state *state)
{
	struct settings *settings = at;

	(void)row;
	(void)state;
	settings->names = true;
	settings->kind = text;
}

static const struct option_row rows[] = {
	OPTION_MACHINE(AT(machine)),
	OPTION_JSON(AT(json)),
	{ "metrics", 0, NULL,
	  "Show metrics instead; PATTERN is names, globs and categories",
	  AT(metrics) },
	{ "metric-file", 0, "FILE", "With --metrics: those of this file, too",
	  AT(metric_files), .take = options_add },
	{ "names", 0, "KIND",
	  "Print bare names, one a line: of events, or of KIND (boxes, "
	  "metrics, registers, machines, models, workloads, faults, "
	  "parameters, ports, classes, opcodes, options)",
	  .take = take_names, .flags = OPTION_ARG_OPTIONAL },
	{ 0 },
};

static const struct options options = {
	.rows = rows,
	.words = "[PATTERN]",
	.perf = PERF_LIST,
	.help = "Show the boxes and events of a processor, with the counters "
		"that may count them."
		"\vPATTERN chooses events: a part of a name or of a "
		"description, several words in any order ('memory read'), or a "
		"glob (LLC_*, cbox/*, *.ALL) over the name, "
		"BOX/NAME or BOX/NAME.MASK.",
	.one = "one PATTERN is enough",
	.words_at = offsetof(struct settings, pattern),
};

/* What nobody calls an event may be what metrics are called, or a group of
 * theirs: the first such word, which is cut out; NULL: none. */
static char *word_of_metrics(const struct uncore_metrics *metrics, char *words)
{
	char *save = NULL;

	for (char *word = strtok_r(words, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		size_t *chosen = NULL, num = 0;
		char *error = NULL;
		bool fits = !uncore_metrics_choose(metrics, word, &chosen, &num,
						   &error);

		free(chosen);
		free(error);
		if (fits)
			return word;
	}
	return NULL;
}

/* It may be what perf or others call one. */
static bool is_said_otherwise(const struct uncore_family *family,
			      const char *pattern)
{
	struct uncore_event *event;
	const char *ours;

	if (uncore_event_parse(family, pattern, &event, NULL))
		return false;
	ours = uncore_event_canonical(event);
	tool_fail(TOOL_FAILED,
		  "no event fits '%s', which is what others call %.*s/: "
		  "'uncore explain %s' explains it",
		  pattern, (int)strcspn(ours, ","), ours, pattern);
	uncore_event_free(event);
	return true;
}

static int nothing_fits(const struct uncore_family *family, const char *pattern)
{
	struct uncore_metrics *metrics = NULL;
	char *words, *word = NULL;
	int status;

	if (is_said_otherwise(family, pattern))
		return TOOL_FAILED;
	words = tool_copy(pattern);
	if (!uncore_metrics_new(family, &metrics, NULL))
		word = word_of_metrics(metrics, words);
	status = tool_fail(TOOL_FAILED, "no event fits '%s'%s%s%s", pattern,
			   word ? ", but metrics do: 'uncore list --metrics "
				: "",
			   word ? word : "", word ? "'" : "");
	uncore_metrics_free(metrics);
	free(words);
	return status;
}

/* Bare names, one a line: what the completion of a shell asks for. */
static int put_names(struct page *page, const struct uncore_family *family,
		     const struct settings *settings)
{
	const char *kind = settings->kind ? settings->kind : "events";
	struct table table;

	if (!list_table(family, settings->machine, kind, &table))
		return tool_fail(TOOL_USAGE,
				 "--names=%s: there are names of events, "
				 "boxes, metrics, registers, machines, models, "
				 "workloads, faults, parameters, ports, "
				 "classes, opcodes and options",
				 kind);
	for (size_t i = 0; i < table.num_rows; i++)
		page_line(page, 0, "%s", table_text(&table, i, 0));
	table_free(&table);
	return TOOL_OK;
}

static int put_events(struct listing *listing, const char *name)
{
	const struct machine_settings machine = { .machine = name,
						  .sockets = "1" };
	size_t found;

	if (listing->has_model)
		machine_model(&machine, &(struct machine_how){ 0 },
			      &listing->model);
	found = list_events(listing);
	uncore_model_free(listing->model);
	return found || !listing->pattern
		       ? TOOL_OK
		       : nothing_fits(listing->family, listing->pattern);
}

int cmd_list(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	struct json json = { .file = stdout };
	struct page page = { .file = stdout };
	struct listing listing = { .page = &page };
	int status;

	options_parse(&options, argc, argv, 0, &settings);
	listing.family = tool_family(settings.machine);
	if (!listing.family)
		return TOOL_USAGE;
	listing.has_model = uncore_family_has_model(listing.family);
	listing.pattern = settings.pattern;
	if (settings.json && !settings.names)
		page.json = &json;
	if (settings.names)
		status = put_names(&page, listing.family, &settings);
	else if (settings.metrics)
		status = list_metrics(&listing, &settings.metric_files,
				      settings.machine);
	else
		status = put_events(&listing, settings.machine);
	return tool_finish(status, stdout, NULL);
}
