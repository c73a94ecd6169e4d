/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore list [PATTERN]`: boxes, events and unit masks.
 */
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#include "list_events.h"
#include "list_metrics.h"
#include "list_names.h"
#include "tool/foreign.h"
#include "tool/metrics.h"

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
	.foreign = FOREIGN_LIST,
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

static int nothing_fits(const struct uncore_family *family, const char *pattern)
{
	struct uncore_metrics *metrics = NULL;
	char *words = strdup(pattern), *word = NULL;
	int status;

	if (words && !uncore_metrics_new(family, &metrics, NULL))
		word = word_of_metrics(metrics, words);
	status = tool_fail(TOOL_FAILED, "no event fits '%s'%s%s%s", pattern,
			   word ? ", but metrics do: 'uncore list --metrics "
				: "",
			   word ? word : "", word ? "'" : "");
	uncore_metrics_free(metrics);
	free(words);
	return status;
}

int cmd_list(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	const struct uncore_family *family;
	int status = TOOL_OK;
	size_t found;

	options_parse(&options, argc, argv, 0, &settings);
	family = tool_family(settings.machine);
	if (!family)
		return TOOL_USAGE;
	if (settings.names)
		return tool_finish(
			list_names(family, settings.machine, settings.kind),
			stdout, NULL);
	if (settings.metrics) {
		status = list_metrics(family, &settings.metric_files,
				      settings.pattern, settings.json);
		return tool_finish(status, stdout, NULL);
	}
	found = list_events(family, settings.machine, settings.pattern,
			    settings.json);
	if (!found && settings.pattern)
		status = nothing_fits(family, settings.pattern);
	return tool_finish(status, stdout, NULL);
}
