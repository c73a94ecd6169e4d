/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options of `uncore record`, and which of them go together.
 */
#include "record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tool/event_set.h"
#include "tool/perf_options.h"
#include "tool/tool.h"

#define AT(MEMBER) .at = offsetof(struct record_settings, MEMBER)

static void refuse_freq(const struct option_row *row, void *at, char *text,
			const struct argp_state *state)
{
	unsigned long hertz = strtoul(text, NULL, 10);

	(void)at;
	if (!hertz || hertz > 1000000)
		hertz = 1000;
	argp_failure(
		state, TOOL_USAGE, 0,
		"-%c %s: samples by time, so many in a second, hold counts "
		"and no places: give -I %luus; or a period of events (-c "
		"N), or neither of both for some 2000 samples",
		row->letter, text, 1000000 / hertz);
}

#define OPTION_RECORD_REPLACE(...)                                             \
	{                                                                      \
		"replace", 0, NULL, "Replace FILE if it is a recording",       \
			__VA_ARGS__                                            \
	}

static const struct option_row rows[] = {
	{ "event", 'e', "EVENT",
	  "Record this event; may be given again. With ',period=N' a sample "
	  "is taken each time it has happened N times; without, it is read "
	  "along",
	  AT(events), .take = event_list_add },
	{ "count", 'c', "N",
	  "A period for all events that have none: a sample each N events",
	  AT(period) },
	{ "freq", 'F', "N", "Samples by time; see -I", .take = refuse_freq,
	  .flags = OPTION_HIDDEN },
	{ "interval", 'I', "TIME",
	  "Take a sample each time so much time has passed: 100ms, 20us, 1s",
	  AT(interval) },
	{ "metrics", 'M', "NAME,...",
	  "Record the events of these metrics of 'uncore list --metrics', too",
	  AT(metrics) },
	OPTION_METRIC_FILE(AT(metric_files)),
	{ "detail", 0, "HOW",
	  "How much of the accesses of a model goes through all of its queues, "
	  "as in 'uncore stat': 'full'; or 'auto' or a part (2%), where a "
	  "sample is taken at the very access all the same and its time is "
	  "about right, for events that depend on the order of accesses "
	  "alone. Default: 'auto' if all events are such, else 'full'",
	  AT(target.machine.detail) },
	{ "freeze-after", 0, "N",
	  "Stop everything at the Nth occurrence of the first event, and show "
	  "what all boxes hold",
	  AT(freeze_after) },
	{ "output", 'o', "FILE", "Record into FILE (default: uncore.rec)",
	  AT(output), .group = 1 },
	OPTION_RECORD_REPLACE(AT(replace), .group = 1),
	{ "no-freeze", 0, NULL, "Let counters go on while a sample is taken",
	  AT(no_freeze), .group = 1 },
	OPTION_TURNS(AT(takes_turns)),
	{ "no-multiplex", 0, NULL,
	  "Refuse events that would have to take turns", AT(no_multiplex),
	  .group = 1 },
	{ "force", 0, NULL, "Record though somebody else uses the counters",
	  AT(force), .group = 1 },
	{ "progress-fd", 0, "FD",
	  "Write 'written N' to this file descriptor whenever samples have "
	  "been written",
	  AT(progress_fd), .group = 1 },
	{ "write-every", 0, "TIME",
	  "Write samples so often (default 500ms of wall time): what a kill "
	  "can lose at most",
	  AT(write_every), .group = 1 },
	{ "quiet", 'q', NULL, "Do not say how many samples were written",
	  AT(quiet), .group = 1 },
	{ 0 },
};

const struct options record_options = {
	.rows = rows,
	.words = "[--] PROGRAM [ARGUMENT...]\n"
		 "-e EVENT[,period=N] [-e EVENT...] [--] PROGRAM "
		 "[ARGUMENT...]\n"
		 "-e EVENT[,period=N] [-e EVENT...] --workload SPEC "
		 "[--cycles N]\n"
		 "-I TIME -e EVENT... ...\n--freeze-after N -e EVENT... ...\n"
		 "... --on WHERE [--cycles N|--duration SECONDS]",
	.help = "Record uncore events over time while a program runs, for "
		"'uncore report'. Where neither this machine's registers nor "
		"its kernel's PMUs are open, the program runs under Valgrind "
		"against a model."
		"\vA sample is taken when an event has happened N times in a "
		"box, or when TIME has passed; it holds what all events have "
		"counted since the one before. On a model, time is that of "
		"the model. Without an event, samples are of misses of the "
		"last-level cache; without a period, some 2000 are left of "
		"any run. Samples are written twice in a second; what was "
		"written survives a kill and a full disk. See "
		"docs/formats.md for the file.\n"
		"\n"
		"Exit status: that of PROGRAM; 1 if something failed; 2 if "
		"what was asked for does not exist or fit.",
	.perf = PERF_RECORD,
	.others = &target_options,
	.others_at = offsetof(struct record_settings, target),
};

static const struct option_row c2c_rows[] = {
	{ "output", 'o', "FILE",
	  "Record into FILE (default: " TOOL_RECORDING ", which is replaced)",
	  AT(output) },
	OPTION_RECORD_REPLACE(AT(replace)),
	{ "force", 0, NULL, "Record though somebody else uses the counters",
	  AT(force) },
	{ "quiet", 'q', NULL, "Do not say how many samples were written",
	  AT(quiet) },
	{ 0 },
};

const struct options record_c2c_options = {
	.rows = c2c_rows,
	.words = "[--] PROGRAM [ARGUMENT...]\n--workload SPEC [--cycles N]",
	.help = "Show the lines of memory that cores take from each other "
		"while a program runs, and who uses them: 'uncore record' of "
		"hits of the last-level cache and of lines that another socket "
		"has changed (on a Xeon Scalable of snoops of the cores that "
		"have them), and 'uncore report --by=line' of that."
		"\vA program runs under Valgrind against a model. Some 2000 "
		"samples are left, drawn by lot.\n\n"
		"Exit status: that of PROGRAM; 1 if something failed; 2 if "
		"what was asked for does not exist or fit.",
	.perf = PERF_C2C_RECORD,
	.others = &target_options,
	.others_at = offsetof(struct record_settings, target),
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

static int set_period(struct record_settings *settings)
{
	unsigned long long number;

	if (!tool_number("number of events", settings->period, &number))
		return TOOL_USAGE;
	settings->event_period = number;
	return number ? TOOL_OK
		      : tool_fail(TOOL_USAGE,
				  "-c 0: a period has at least one event");
}

/* Where none of them has a period, one is found for all. */
static void find_period(struct record_settings *settings)
{
	for (unsigned i = 0; i < settings->events.num; i++)
		if (strstr(settings->events.events[i], ",period="))
			return;
	settings->event_period = RECORD_FIRST_PERIOD;
	settings->adapts = true;
}

int record_settings_check(struct record_settings *settings)
{
	int status = TOOL_OK;

	settings->has_default = !settings->events.num && !settings->metrics &&
				!settings->interval && !settings->freeze_after;
	if (!settings->events.num && !settings->has_default &&
	    !(settings->metrics && settings->interval))
		return tool_fail(TOOL_USAGE,
				 "give an event: -e EVENT,period=N, or -I TIME "
				 "-e EVENT or -M METRIC; 'uncore list' shows "
				 "them");
	if (settings->period)
		status = set_period(settings);
	else if (!settings->interval && !settings->freeze_after)
		find_period(settings);
	if (status)
		return status;
	if (settings->events.num_groups)
		return tool_fail(TOOL_USAGE,
				 "-e {...}: groups are for 'uncore stat'; what "
				 "-M names is recorded together");
	if (target_settings_detail(&settings->target,
				   settings->interval	    ? "-I"
				   : settings->freeze_after ? "--freeze-after"
				   : settings->is_detailed  ? "'uncore c2c'"
							    : NULL))
		return TOOL_USAGE;
	if (settings->metric_files.num && !settings->metrics)
		return tool_fail(TOOL_USAGE, "--metric-file is for metrics "
					     "that -M names");
	if (settings->target.region && settings->target.program)
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
