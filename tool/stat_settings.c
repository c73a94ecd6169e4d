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
	KEY_TIMEOUT,
	KEY_NO_MERGE,
	KEY_SWEEP,
	KEY_SVG,
};

static const struct argp_option options[] = {
	{ "event", 'e', "EVENT,...", 0,
	  "Count this event, or these with commas between them, {in braces} "
	  "at the same time; may be given again. Without it, a summary",
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
	{ "interval", 'I', "TIME", 0,
	  "Print what was counted whenever so much time has passed: 100 (ms), "
	  "20us, 1s; of the model where one counts",
	  0 },
	{ "delay", 'D', "TIME", 0,
	  "Count from so long after the start on, of a PROGRAM say", 0 },
	{ "timeout", KEY_TIMEOUT, "TIME", 0, "End it after so long", 0 },
	{ "repeat", 'r', "N", 0,
	  "Run N times, and show means with their standard errors; workloads "
	  "with N seeds, from --seed (or 1) on",
	  0 },
	{ "all-cpus", 'a', NULL, 0,
	  "As in perf; an uncore counts the whole machine anyway", 0 },
	{ "pid", 'p', "PID", OPTION_HIDDEN, NULL, 0 },
	{ "tid", 't', "TID", OPTION_HIDDEN, NULL, 0 },
	{ "cpu", 'C', "CPUS", OPTION_HIDDEN, NULL, 0 },
	{ "detailed", 'd', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "sweep", KEY_SWEEP, "NAME=VALUES", 0,
	  "Count again with each of these values of a parameter (--set, "
	  "--place, a key of the workload, {NAME} among the words of the "
	  "PROGRAM): a list, and ranges FROM..TO, FROM..TO:STEP, "
	  "FROM..TO:*FACTOR. Given several times: a grid. One table",
	  0 },
	{ "force", KEY_FORCE, NULL, 0,
	  "Take counters that are in use by somebody else", 0 },
	{ "per-box", KEY_PER_BOX, NULL, 0, "Show every box on its own", 1 },
	{ "no-aggr", 'A', NULL, OPTION_ALIAS, NULL, 1 },
	{ "no-merge", KEY_NO_MERGE, NULL, OPTION_ALIAS, NULL, 1 },
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
	{ "verbose", 'v', NULL, 0,
	  "Show first which counters and registers count the events", 1 },
	{ "svg", KEY_SVG, NULL, 0, "Draw a --sweep", 1 },
	{ "append", KEY_APPEND, NULL, 0, "Keep what FILE holds, and add to it",
	  1 },
	{ "log-fd", KEY_LOG_FD, "N", 0,
	  "Print to the open file with this number", 1 },
	{ 0 },
};

static void add_sweep(struct stat_settings *settings, const char *text,
		      const struct argp_state *state)
{
	if (settings->num_sweeps == STAT_MAX_SWEEPS)
		argp_error(state, "more than %d times --sweep",
			   STAT_MAX_SWEEPS);
	settings->sweeps[settings->num_sweeps++] = text;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct stat_settings *settings = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &settings->subject;
		return 0;
	case 'e': event_list_add(argument, &settings->events, state); return 0;
	case 'M': settings->metrics = argument; return 0;
	case TOOL_KEY_METRIC_FILE:
		metric_files_add(&settings->metric_files, argument, state);
		return 0;
	case 'I': settings->interval = argument; return 0;
	case 'D': settings->delay = argument; return 0;
	case KEY_TIMEOUT: settings->timeout = argument; return 0;
	case 'o': settings->output = argument; return 0;
	case 'x': settings->separator = argument; return 0;
	case 'j': settings->json = true; return 0;
	case KEY_APPEND: settings->appends = true; return 0;
	case KEY_LOG_FD: settings->log_fd = argument; return 0;
	case KEY_SWEEP: add_sweep(settings, argument, state); return 0;
	case KEY_SVG: settings->svg = true; return 0;
	case KEY_TURNS: settings->takes_turns = true; return 0;
	case KEY_NO_MULTIPLEX: settings->no_multiplex = true; return 0;
	case KEY_FORCE: settings->force = true; return 0;
	case 'a': return 0;
	case 'p':
	case 't':
		argp_failure(state, TOOL_USAGE, 0,
			     "-%c %s: the counters of an uncore see all cores "
			     "of their socket and cannot tell processes apart; "
			     "run the program itself (uncore stat -- PROGRAM), "
			     "or count everything for a while (--on msr "
			     "--duration SECONDS)",
			     key, argument);
		return 0;
	case 'C':
		argp_failure(state, TOOL_USAGE, 0,
			     "-C %s: the counters of an uncore belong to a "
			     "socket, not to a CPU; --per-socket and --per-box "
			     "split what they count",
			     argument);
		return 0;
	case 'd':
		argp_failure(state, TOOL_USAGE, 0,
			     "-d asks perf for caches; here: -M llc, -M "
			     "memory, -M qpi, -M CATEGORY:all ('uncore list "
			     "--metrics')");
		return 0;
	case 'r': settings->repeat = argument; return 0;
	case 'v': settings->is_verbose = true; return 0;
	case 'A':
	case KEY_NO_MERGE:
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

static int set_times(struct stat_settings *settings)
{
	struct stat_times *times = &settings->times;
	int status = TOOL_OK;

	if (settings->interval)
		status = tool_time("-I", settings->interval, &times->interval);
	if (!status && settings->delay)
		status = tool_time("--delay", settings->delay, &times->delay);
	if (!status && settings->timeout)
		status = tool_time("--timeout", settings->timeout,
				   &times->timeout);
	return status;
}

static int set_repeat(struct stat_settings *settings)
{
	unsigned long long runs = 1;

	if (settings->repeat &&
	    !tool_number("number of runs", settings->repeat, &runs))
		return TOOL_USAGE;
	if (!runs || runs > STAT_MAX_RUNS)
		return tool_fail(TOOL_USAGE, "-r %s: between 1 and %d runs",
				 settings->repeat, STAT_MAX_RUNS);
	if (runs > 1 && settings->interval)
		return tool_fail(TOOL_USAGE, "give -r or -I, not both");
	settings->runs = (unsigned)runs;
	return TOOL_OK;
}

static int check_sweep(const struct stat_settings *settings)
{
	if (settings->svg && !settings->num_sweeps)
		return tool_fail(TOOL_USAGE, "--svg draws a --sweep");
	if (settings->svg && (settings->json || settings->separator))
		return tool_fail(TOOL_USAGE,
				 "give one of --json, --svg and -x");
	if (settings->num_sweeps && settings->interval)
		return tool_fail(TOOL_USAGE, "give --sweep or -I, not both");
	if (settings->num_sweeps && (settings->per_box || settings->per_socket))
		return tool_fail(TOOL_USAGE,
				 "--sweep shows the machine as a whole, not %s",
				 settings->per_box ? "--per-box"
						   : "--per-socket");
	return TOOL_OK;
}

int stat_settings_check(struct stat_settings *settings)
{
	if (settings->json && settings->separator)
		return tool_fail(TOOL_USAGE, "give --json or -x, not both");
	if (settings->metric_files.num && !settings->metrics)
		return tool_fail(TOOL_USAGE, "--metric-file is for metrics "
					     "that -M names");
	if (settings->output && settings->log_fd)
		return tool_fail(TOOL_USAGE, "give -o or --log-fd, not both");
	if (settings->interval && settings->subject.region)
		return tool_fail(TOOL_USAGE, "give -I or --region, not both");
	if (settings->is_verbose && (settings->json || settings->separator))
		return tool_fail(TOOL_USAGE,
				 "-v is for people; 'uncore schedule --json' "
				 "says the same for programs");
	if (settings->appends && !settings->output)
		return tool_fail(TOOL_USAGE, "--append needs -o FILE");
	if (settings->separator && !*settings->separator)
		return tool_fail(TOOL_USAGE, "-x needs a separator, such as "
					     "-x,");
	if (check_sweep(settings))
		return TOOL_USAGE;
	return set_repeat(settings) ? TOOL_USAGE : set_times(settings);
}
