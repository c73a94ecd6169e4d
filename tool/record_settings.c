/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options of `uncore record`, and which of them go together.
 */
#include "record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "event_list.h"
#include "tool.h"

enum {
	KEY_FREEZE_AFTER = 0x100,
	KEY_NO_FREEZE,
	KEY_NO_MULTIPLEX,
	KEY_TURNS,
	KEY_REPLACE,
	KEY_FORCE,
	KEY_PROGRESS_FD,
	KEY_WRITE_EVERY,
};

static const struct argp_option options[] = {
	{ "event", 'e', "EVENT", 0,
	  "Record this event; may be given again. With ',period=N' a sample is "
	  "taken each time it has happened N times; without, it is read along",
	  0 },
	{ "interval", 'I', "TIME", 0,
	  "Take a sample each time so much time has passed: 100ms, 20us, 1s",
	  0 },
	{ "metrics", 'M', "NAME,...", 0,
	  "Record the events of these metrics of 'uncore list --metrics', too",
	  0 },
	TOOL_OPTION_METRIC_FILE,
	{ "freeze-after", KEY_FREEZE_AFTER, "N", 0,
	  "Stop everything at the Nth occurrence of the first event, and show "
	  "what all boxes hold",
	  0 },
	{ "output", 'o', "FILE", 0, "Record into FILE (default: uncore.rec)",
	  1 },
	{ "replace", KEY_REPLACE, NULL, 0, "Replace FILE if it is a recording",
	  1 },
	{ "no-freeze", KEY_NO_FREEZE, NULL, 0,
	  "Let counters go on while a sample is taken", 1 },
	{ "turns", KEY_TURNS, NULL, 0,
	  "Let events that do not fit into one PMU take turns on the model, "
	  "too, as they have to on a processor",
	  0 },
	{ "no-multiplex", KEY_NO_MULTIPLEX, NULL, 0,
	  "Refuse events that would have to take turns", 1 },
	{ "force", KEY_FORCE, NULL, 0,
	  "Record though somebody else uses the counters", 1 },
	{ "progress-fd", KEY_PROGRESS_FD, "FD", 0,
	  "Write 'written N' to this file descriptor whenever samples have "
	  "been written",
	  1 },
	{ "write-every", KEY_WRITE_EVERY, "TIME", 0,
	  "Write samples so often (default 500ms of wall time): what a kill "
	  "can lose at most",
	  1 },
	{ "quiet", 'q', NULL, 0, "Do not say how many samples were written",
	  1 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct record_settings *settings = state->input;

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
	case 'o': settings->output = argument; return 0;
	case 'q': settings->quiet = true; return 0;
	case KEY_FREEZE_AFTER: settings->freeze_after = argument; return 0;
	case KEY_NO_FREEZE: settings->no_freeze = true; return 0;
	case KEY_TURNS: settings->takes_turns = true; return 0;
	case KEY_NO_MULTIPLEX: settings->no_multiplex = true; return 0;
	case KEY_REPLACE: settings->replace = true; return 0;
	case KEY_FORCE: settings->force = true; return 0;
	case KEY_PROGRESS_FD: settings->progress_fd = argument; return 0;
	case KEY_WRITE_EVERY: settings->write_every = argument; return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &subject_argp, 0, NULL, 0 },
					      { 0 } };

const struct argp record_argp = {
	options,
	parse,
	"-e EVENT,period=N [-e EVENT...] [--] PROGRAM [ARGUMENT...]\n"
	"-e EVENT,period=N [-e EVENT...] --workload SPEC [--cycles N]\n"
	"-I TIME -e EVENT... ...\n--freeze-after N -e EVENT... ...\n"
	"... --on WHERE [--cycles N|--duration SECONDS]",
	"Record uncore events over time while a program runs, for 'uncore "
	"report'. Where this machine has no uncore of a known family, the "
	"program runs under Valgrind against a model of one."
	"\vA sample is taken when an event has happened N times in a box, "
	"or when TIME has passed; it holds what all events have counted since "
	"the one before. On a model, time is that of the model. Samples are "
	"written twice in a second; what was written survives a kill and a "
	"full disk. See docs/recording.md for the file.\n\n"
	"Exit status: that of PROGRAM; 1 if something failed; 2 if what was "
	"asked for does not exist or fit.",
	children,
	NULL,
	NULL,
};

static int set_freeze(struct record_settings *settings)
{
	unsigned long long number;

	if (!tool_number("number of events", settings->freeze_after, &number))
		return TOOL_USAGE;
	settings->freeze_events = number;
	return number ? TOOL_OK
		      : tool_fail(TOOL_USAGE, "--freeze-after 0: nothing has "
					      "to happen for that");
}

static int set_progress(struct record_settings *settings)
{
	unsigned long long number;

	settings->progress_file = -1;
	if (!settings->progress_fd)
		return TOOL_OK;
	if (!tool_number("file descriptor", settings->progress_fd, &number))
		return TOOL_USAGE;
	settings->progress_file = (int)number;
	if (number > INT32_MAX || fcntl((int)number, F_GETFD) < 0)
		return tool_fail(TOOL_USAGE,
				 "--progress-fd %s: no such file is open",
				 settings->progress_fd);
	fcntl((int)number, F_SETFD, FD_CLOEXEC);
	return TOOL_OK;
}

int record_settings_check(struct record_settings *settings)
{
	int status = TOOL_OK;

	if (!settings->events.num && !(settings->metrics && settings->interval))
		return tool_fail(TOOL_USAGE,
				 "give an event: -e EVENT,period=N, or -I TIME "
				 "-e EVENT or -M METRIC; 'uncore list' shows "
				 "them");
	if (settings->events.num_groups)
		return tool_fail(TOOL_USAGE,
				 "-e {...}: groups are for 'uncore stat'; what "
				 "-M names is recorded together");
	if (settings->metric_files.num && !settings->metrics)
		return tool_fail(TOOL_USAGE, "--metric-file is for metrics "
					     "that -M names");
	if (settings->subject.region && settings->subject.program)
		return tool_fail(TOOL_USAGE,
				 "--region is for --replay; of a PROGRAM, "
				 "--start-off records its regions alone, and "
				 "'uncore stat' counts each of them");
	if (settings->interval && settings->freeze_after)
		return tool_fail(TOOL_USAGE,
				 "give -I or --freeze-after, not both");
	if (settings->interval && settings->no_freeze)
		return tool_fail(TOOL_USAGE, "--no-freeze is for samples of a "
					     "period; -I freezes nothing");
	if (settings->freeze_after && settings->no_freeze)
		return tool_fail(TOOL_USAGE,
				 "give --freeze-after or --no-freeze, not "
				 "both");
	if (!settings->output)
		settings->output = "uncore.rec";
	if (settings->interval)
		status = tool_time("-I", settings->interval,
				   &settings->interval_seconds);
	settings->write_seconds = 0.5;
	if (!status && settings->write_every)
		status = tool_time("--write-every", settings->write_every,
				   &settings->write_seconds);
	if (!status && settings->freeze_after)
		status = set_freeze(settings);
	return status ? status : set_progress(settings);
}
