/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore top`: figures of the uncore while they are counted, or out of a
 * recording, on the whole screen.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/perf_options.h"
#include "tool/tool.h"
#include "top.h"

#define AT(MEMBER) .at = offsetof(struct top_settings, MEMBER)

static const struct option_row rows[] = {
	{ "metrics", 'M', "NAME,...",
	  "Show these metrics: names, globs and categories of 'uncore list "
	  "--metrics'; without it those of the summary",
	  AT(metrics) },
	OPTION_METRIC_FILE(AT(metric_files)),
	{ "interval", 'I', "TIME",
	  "Look whenever so much time has passed, by the clock on the wall: 1s "
	  "(default), 100 (ms)",
	  AT(interval) },
	OPTION_TURNS(AT(takes_turns)),
	{ "no-multiplex", 0, NULL,
	  "Refuse metrics that cannot all be counted at the same time, and say "
	  "why; without it they take turns",
	  AT(no_multiplex) },
	OPTION_FORCE(AT(force)),
	{ "once", 0, NULL,
	  "Print one table instead, of the first interval or, where it ends by "
	  "itself and no interval is given, of all; also where there is no "
	  "terminal",
	  AT(once), .group = 1 },
	{ "output", 'o', "FILE",
	  "Where the key r records to (default " TOOL_RECORDING "); a number "
	  "is added where there is such a file",
	  AT(output), .group = 1 },
	{ 0 },
};

static const struct options options = {
	.rows = rows,
	.words = "\n"
		 "[--] PROGRAM [ARGUMENT...]\n"
		 "--workload SPEC [--cycles N]\n"
		 "--on WHERE [--cycles N|--duration SECONDS]\n"
		 "FILE",
	.help = "Show on the whole screen what the uncore does: bandwidths "
		"against the most that the machine can, the last-level cache, "
		"the links, its sockets side by side, with a minute of "
		"history; or a recording (FILE), in which the arrows go back "
		"and forth."
		"\vKeys: arrows move, Enter explains the figure, r records "
		"and ends recording, ? shows all keys, q leaves. Exit status: "
		"that of PROGRAM where it ended by itself; 1 if something "
		"failed; 2 if what was asked for does not exist or fit.",
	.perf = PERF_TOP,
	.others = &target_options,
	.others_at = offsetof(struct top_settings, target),
};

/* A single word that is a file of SQLite is a recording, and no program. */
static bool is_recording(const struct target_settings *target)
{
	static const char head[] = "SQLite format 3";
	char found[sizeof(head)] = "";
	ssize_t size;
	int file;

	if (!target->program || target->program[1] || target->workload ||
	    target->on)
		return false;
	file = open(target->program[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return false;
	size = read(file, found, sizeof(found));
	close(file);
	return size == sizeof(found) && !memcmp(found, head, sizeof(head));
}

char *top_title(const char *machine, const char *origin, const char *what)
{
	/* a family that was made from a tree is called by its place */
	if (!strcmp(machine, origin))
		return tool_print("uncore top   %s: %s", machine, what);
	return tool_print("uncore top   %s, %s: %s", machine, origin, what);
}

static int check(struct top_settings *settings)
{
	int status = TOOL_OK;

	settings->interval_seconds = 1;
	if (settings->interval)
		status = tool_time("-I", settings->interval,
				   &settings->interval_seconds);
	if (!status && settings->interval_seconds < 0.01)
		status = tool_fail(TOOL_USAGE,
				   "-I %s: nobody can follow that; 10 ms are "
				   "the least ('uncore record -I' takes less)",
				   settings->interval);
	if (!status && settings->metric_files.num && !settings->metrics)
		status = tool_fail(TOOL_USAGE, "--metric-file is for metrics "
					       "that -M names");
	return status;
}

int cmd_top(int argc, char **argv)
{
	struct top_settings settings = { .target.looks_on = true };
	struct top top = { .settings = &settings };
	bool is_table;
	int status;

	/* The first word that is no option is the program. */
	options_parse(&options, argc, argv, ARGP_IN_ORDER, &settings);
	status = check(&settings);
	if (status)
		return status;
	is_table = settings.once || !isatty(STDIN_FILENO) ||
		   !isatty(STDOUT_FILENO);
	if (!is_recording(&settings.target))
		return top_live(&top, is_table);
	settings.recording = settings.target.program[0];
	return top_file(&top, is_table);
}
