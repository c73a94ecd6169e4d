/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore list [PATTERN]`: boxes, events and unit masks.
 */
#include "tool.h"

#include "list_events.h"
#include "list_metrics.h"
#include "list_names.h"
#include "metrics.h"

enum { KEY_NAMES = 0x100, KEY_METRICS };

struct settings {
	const char *machine;
	const char *pattern;
	bool json;
	bool names;
	const char *kind; /* of names; NULL: events */
	bool metrics;
	struct metric_files metric_files;
};

static const struct argp_option options[] = {
	TOOL_OPTION_MACHINE,
	TOOL_OPTION_JSON,
	{ "metrics", KEY_METRICS, NULL, 0,
	  "Show metrics instead; PATTERN is names, globs and categories", 0 },
	{ "metric-file", TOOL_KEY_METRIC_FILE, "FILE", 0,
	  "With --metrics: those of this file, too", 0 },
	{ "names", KEY_NAMES, "KIND", OPTION_ARG_OPTIONAL,
	  "Print bare names, one a line: of events, or of KIND (boxes, "
	  "metrics, registers, machines, models, workloads, faults, "
	  "parameters, ports, classes, opcodes, options)",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'm': settings->machine = argument; return 0;
	case 'j': settings->json = true; return 0;
	case KEY_METRICS: settings->metrics = true; return 0;
	case TOOL_KEY_METRIC_FILE:
		metric_files_add(&settings->metric_files, argument, state);
		return 0;
	case KEY_NAMES:
		settings->names = true;
		settings->kind = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (settings->pattern)
			argp_error(state, "one PATTERN is enough");
		settings->pattern = argument;
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options,
	parse,
	"[PATTERN]",
	"Show the boxes and events of a processor, with the counters that may "
	"count them."
	"\vPATTERN chooses events: a part of a name or of a description, or a "
	"glob (LLC_*, cbox/*, *.ALL) over the name, BOX/NAME or "
	"BOX/NAME.MASK.",
	NULL,
	NULL,
	NULL,
};

int cmd_list(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	const struct uncore_family *family;
	int status = TOOL_OK;
	size_t found;

	argp_parse(&argp, argc, argv, 0, NULL, &settings);
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
		status = tool_fail(TOOL_FAILED, "no event fits '%s'",
				   settings.pattern);
	return tool_finish(status, stdout, NULL);
}
