/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options of `uncore stat`, and which of them go together.
 */
#include "stat_settings.h"

#include "event_list.h"
#include "tool.h"

enum {
	KEY_PER_BOX = 0x100,
	KEY_PER_SOCKET,
	KEY_NO_MULTIPLEX,
	KEY_TURNS,
	KEY_FORCE,
	KEY_APPEND,
	KEY_LOG_FD,
};

static const struct argp_option options[] = {
	{ "event", 'e', "EVENT,...", 0,
	  "Count this event, or these with commas between them; may be "
	  "given again. Without it, a summary",
	  0 },
	{ "metrics", 'M', "NAME,...", 0,
	  "Count what these metrics need and show them: names, globs and "
	  "categories of 'uncore list --metrics'",
	  0 },
	TOOL_OPTION_METRIC_FILE,
	{ "turns", KEY_TURNS, NULL, 0,
	  "Let events that do not fit into one PMU take turns on the model, "
	  "too, as they have to on a processor",
	  0 },
	{ "no-multiplex", KEY_NO_MULTIPLEX, NULL, 0,
	  "Refuse events that cannot all count at the same time, and say why; "
	  "without it they take turns, and counts are estimates with an error",
	  0 },
	{ "force", KEY_FORCE, NULL, 0,
	  "Take counters that are in use by somebody else", 0 },
	{ "per-box", KEY_PER_BOX, NULL, 0, "Show every box on its own", 1 },
	{ "per-socket", KEY_PER_SOCKET, NULL, 0, "Show every socket on its own",
	  1 },
	{ "json", 'j', NULL, 0, "Print JSON", 1 },
	{ "field-separator", 'x', "SEP", 0,
	  "Print fields with SEP between them, in the order of perf stat -x",
	  1 },
	{ "output", 'o', "FILE", 0,
	  "Print to FILE; without it to standard error where a PROGRAM runs, "
	  "whose output stays its own, and else to standard output",
	  1 },
	{ "append", KEY_APPEND, NULL, 0, "Keep what FILE holds, and add to it",
	  1 },
	{ "log-fd", KEY_LOG_FD, "N", 0,
	  "Print to the open file with this number", 1 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct stat_settings *settings = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &settings->subject;
		return 0;
	case 'e':
		event_list_add(argument, settings->events, STAT_MAX_EVENTS,
			       &settings->num_events, state);
		return 0;
	case 'M': settings->metrics = argument; return 0;
	case TOOL_KEY_METRIC_FILE:
		metric_files_add(&settings->metric_files, argument, state);
		return 0;
	case 'o': settings->output = argument; return 0;
	case 'x': settings->separator = argument; return 0;
	case 'j': settings->json = true; return 0;
	case KEY_APPEND: settings->appends = true; return 0;
	case KEY_LOG_FD: settings->log_fd = argument; return 0;
	case KEY_TURNS: settings->takes_turns = true; return 0;
	case KEY_NO_MULTIPLEX: settings->no_multiplex = true; return 0;
	case KEY_FORCE: settings->force = true; return 0;
	case KEY_PER_BOX: settings->per_box = true; return 0;
	case KEY_PER_SOCKET: settings->per_socket = true; return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &subject_argp, 0, NULL, 0 },
					      { 0 } };

const struct argp stat_argp = {
	options,
	parse,
	"[--] PROGRAM [ARGUMENT...]\n--workload SPEC [--cycles N]\n"
	"--replay FILE\n--on WHERE [--cycles N|--duration SECONDS]",
	"Count uncore events while a program runs. Where this machine has no "
	"uncore of a known family, the program runs under Valgrind against a "
	"model of one."
	"\vOn registers elsewhere (--on msr, msr:FOLDER, socket:PATH) a "
	"PROGRAM "
	"runs as it is; the traffic of a served model is its own. Without a "
	"PROGRAM, --cycles or --duration, counting ends with Ctrl-C or with "
	"the "
	"served traffic; a stepped clock is stepped until then.\n\n"
	"EVENT is BOX[N]/EVENT[.MASK...][,option=value...]/; see 'uncore "
	"list' and 'uncore model workloads'. A count that could not be had is "
	"printed as n/a with the reason. A count that took turns with others "
	"is followed by its share of the time, its standard error, and the +- "
	"within which the true count lies 99 times in 100. Exit status: that "
	"of PROGRAM; 1 if something failed; 2 if what was asked for does not "
	"exist or fit.",
	children,
	NULL,
	NULL,
};

int stat_settings_check(const struct stat_settings *settings)
{
	if (settings->json && settings->separator)
		return tool_fail(TOOL_USAGE, "give --json or -x, not both");
	if (settings->metric_files.num && !settings->metrics)
		return tool_fail(TOOL_USAGE, "--metric-file is for metrics "
					     "that -M names");
	if (settings->output && settings->log_fd)
		return tool_fail(TOOL_USAGE, "give -o or --log-fd, not both");
	if (settings->appends && !settings->output)
		return tool_fail(TOOL_USAGE, "--append needs -o FILE");
	if (settings->separator && !*settings->separator)
		return tool_fail(TOOL_USAGE, "-x needs a separator, such as "
					     "-x,");
	return TOOL_OK;
}
