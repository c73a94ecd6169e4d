/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options of `uncore stat`, and which of them go together.
 */
#include "stat.h"

#include <stdio.h>

#include <string.h>

#include "tool/event_set.h"
#include "tool/perf_options.h"
#include "tool/tool.h"

#define AT(MEMBER) .at = offsetof(struct stat_settings, MEMBER)

static const struct option_row rows[] = {
	{ "event", 'e', "EVENT,...",
	  "Count this event, or these with commas between them (A,B or "
	  "cbox/A/,wbox/B/), those in braces ({A,B}) at the same time; may be "
	  "given again. Without it, a summary",
	  AT(events), .take = event_list_add },
	{ "metrics", 'M', "NAME,...",
	  "Count what these metrics need and show them: names, globs and "
	  "categories of 'uncore list --metrics'",
	  AT(metrics) },
	OPTION_METRIC_FILE(AT(metric_files)),
	{ "detail", 0, "HOW",
	  "How much of the accesses of a model goes through all of its queues: "
	  "'full', or a part of them (2%), from which what depends on time is "
	  "estimated, while counts of what happened stay exact; 'auto' "
	  "(default where a run is counted as a whole): the first 100,000, of "
	  "those behind them a quarter, later 1%, all where "
	  "cores fight for lines. ,seed=N behind it says where these parts lie",
	  AT(target.machine.detail) },
	OPTION_TURNS(AT(takes_turns)),
	{ "no-multiplex", 0, NULL,
	  "Refuse events that cannot all count at the same time, and say why; "
	  "without it they take turns, and counts are estimates with an error",
	  AT(no_multiplex) },
	{ "interval", 'I', "TIME",
	  "Print what was counted whenever so much time has passed: 100 (ms), "
	  "20us, 1s; of the model where one counts. Rows come as they are "
	  "made: with -x each begins with the time of the interval's end, "
	  "with --json each interval is a line with an object of its own",
	  AT(interval) },
	{ "delay", 'D', "TIME",
	  "Count from so long after the start on, of a PROGRAM say",
	  AT(delay) },
	{ "timeout", 0, "TIME",
	  "End it after so long: a PROGRAM gets SIGTERM, and SIGKILL if it "
	  "still runs two seconds later",
	  AT(timeout) },
	{ "repeat", 'r', "N",
	  "Run N times, and show means with their standard errors; on the "
	  "model with N seeds, from --seed (or 1) on, and other windows in "
	  "each (--detail)",
	  AT(repeat) },
	{ "all-cpus", 'a', NULL,
	  "As in perf; an uncore counts the whole machine anyway",
	  AT(all_cpus) },
	{ "sweep", 0, "NAME=VALUES",
	  "Count again with each of these values of a parameter of the "
	  "machine (as --set), of --place, --sockets, --machine, --cycles or "
	  "--seed, of a key of the workload, or of {NAME} among the words of "
	  "the PROGRAM. VALUES are a list of words and ranges FROM..TO, "
	  "FROM..TO:STEP, FROM..TO:*FACTOR. Given several times, they make a "
	  "grid of 1000 points at most. One table shows all: a row for each "
	  "point, a column for each metric or event; a point that fails is a "
	  "row that says why",
	  AT(sweeps), .take = options_add },
	{ "jobs", 0, "N", "Run so many points of a --sweep at a time",
	  AT(jobs) },
	{ "shard", 0, "K/N",
	  "Of a --sweep count every Nth point alone, from the Kth on: a job of "
	  "N that a cluster's scheduler starts. 'uncore compare --merge' puts "
	  "their --json together",
	  AT(shard) },
	OPTION_FORCE(AT(force)),
	{ "per-box", 0, NULL, "Show every box on its own", AT(per_box),
	  .group = 1 },
	{ "no-aggr", 'A', NULL, AT(per_box), .group = 1,
	  .flags = OPTION_ALIAS },
	{ "no-merge", 0, NULL, AT(per_box), .group = 1, .flags = OPTION_ALIAS },
	{ "per-socket", 0, NULL, "Show every socket on its own", AT(per_socket),
	  .group = 1 },
	{ "zeros", 0, NULL,
	  "Of --per-box show also the boxes in which nothing happened, which "
	  "the text leaves out",
	  AT(zeros), .group = 1 },
	OPTION_JSON(AT(json), .group = 1),
	{ "json-output", 0, NULL, "perf's name of it", AT(json),
	  .flags = OPTION_HIDDEN },
	{ "field-separator", 'x', "SEP",
	  "Print fields with SEP between them, in the order of perf stat -x; "
	  "where something is estimated four more follow: standard error, half "
	  "width of an interval, how many times in 100 that holds, and exact, "
	  "estimate, about, fewer or n/a",
	  AT(separator), .take = options_separator, .group = 1 },
	{ "output", 'o', "FILE",
	  "Print to FILE; without it to standard error where a PROGRAM runs, "
	  "whose output stays its own, and else to standard output",
	  AT(output), .group = 1 },
	{ "verbose", 'v', NULL,
	  "Show first which counters and registers count the events",
	  AT(is_verbose), .group = 1 },
	OPTION_HTML(AT(html), .group = 1),
	OPTION_DRAWN("svg"),
	{ "baseline", 0, "FILE",
	  "Compare with what --json wrote to FILE before, as 'uncore compare' "
	  "does, and print that behind the text; behind --json and -x, which "
	  "go "
	  "to a file then, where the text would go",
	  AT(baseline), .group = 1 },
	{ "fail-above", 0, "[+|-]PERCENT",
	  "End with 3 if a row got worse by more than PERCENT of the baseline, "
	  "and not by chance, and with 1 if it cannot be compared. Worse is "
	  "more time, bytes, misses and events that -e names; with + or - it "
	  "is each row that grew, or shrank",
	  AT(fail_above), .group = 1 },
	OPTION_MARKDOWN(AT(markdown), .group = 1),
	OPTION_REPLACE(AT(replace), .group = 1),
	{ "append", 0, NULL, "Keep what FILE holds, and add to it", AT(appends),
	  .group = 1 },
	{ "log-fd", 0, "N", "Print to the open file with this number",
	  AT(log_fd), .group = 1 },
	{ 0 },
};

const struct options stat_options = {
	.rows = rows,
	.words = "[--] PROGRAM [ARGUMENT...]\n"
		 "--workload SPEC [--cycles N]\n"
		 "--replay FILE\n"
		 "--on WHERE [--cycles N|--duration SECONDS]",
	.help = "Count uncore events while a program runs: on this machine's "
		"registers or its kernel's PMUs, whichever is better, and "
		"where neither is open the program runs under Valgrind "
		"against a model."
		"\vOn registers elsewhere (--on msr, msr:FOLDER, socket:PATH) "
		"a PROGRAM runs as it is; the traffic of a served model is "
		"its own. Without a PROGRAM, --cycles or --duration, counting "
		"ends with Ctrl-C or with the served traffic; a stepped clock "
		"is stepped until then.\n"
		"\n"
		"EVENT is BOX[N]/EVENT[.MASK...][,option=value...]/; see "
		"'uncore list' and 'uncore model workloads'. A count that "
		"could not be had is printed as n/a with the reason. A count "
		"that took turns with others is followed by its share of the "
		"time, its standard error, and the +- within which the true "
		"count lies 99 times in 100 (95 where --detail is not full). "
		"Exit status: that of PROGRAM; 3 with --fail-above; 1 "
		"if something failed; 2 if what was asked for does not exist "
		"or fit.",
	.perf = PERF_STAT,
	.others = &target_options,
	.others_at = offsetof(struct stat_settings, target),
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

/* "3/16" */
static int set_shard(struct stat_settings *settings)
{
	unsigned long long index = 1, of = 1;
	int length = 0;

	if (settings->shard &&
	    (sscanf(settings->shard, "%4llu/%4llu%n", &index, &of, &length) <
		     2 ||
	     settings->shard[length] || !index || index > of))
		return tool_fail(TOOL_USAGE,
				 "--shard=%s: write K/N, the Kth of N shards "
				 "(3/16)",
				 settings->shard);
	settings->shard_index = (size_t)index;
	settings->shard_of = (size_t)of;
	return TOOL_OK;
}

static int set_jobs(struct stat_settings *settings)
{
	unsigned long long jobs = 1;

	if (settings->jobs && !tool_number("--jobs", settings->jobs, &jobs))
		return TOOL_USAGE;
	if (!jobs || jobs > SWEEP_MOST_JOBS)
		return tool_fail(TOOL_USAGE, "--jobs=%s: between 1 and %d",
				 settings->jobs, SWEEP_MOST_JOBS);
	settings->num_jobs = (size_t)jobs;
	return TOOL_OK;
}

/* Windows stand for a run as a whole, whose time is known at its end. */
static int check_detail(struct stat_settings *settings)
{
	return target_settings_detail(&settings->target,
				      settings->interval      ? "-I"
				      : settings->delay	      ? "--delay"
				      : settings->timeout     ? "--timeout"
				      : settings->takes_turns ? "--turns"
							      : NULL);
}

int stat_settings_check(struct stat_settings *it)
{
	const struct {
		bool is_one;
		const char *why;
	} mistakes[] = {
		{ it->html && (it->json || it->separator || it->output ||
			       it->log_fd),
		  OPTION_HTML_ALONE },
		{ it->json && it->separator, "give --json or -x, not both" },
		{ it->metric_files.num && !it->metrics,
		  "--metric-file is for metrics that -M names" },
		{ it->output && it->log_fd, "give -o or --log-fd, not both" },
		{ it->interval && it->target.region,
		  "give -I or --region, not both" },
		{ it->is_verbose && (it->json || it->separator || it->html),
		  "-v is for people; 'uncore schedule --json' says the same "
		  "for programs" },
		{ it->appends && !it->output, "--append needs -o FILE" },
		{ (it->fail_above || it->markdown) && !it->baseline,
		  "--fail-above and --markdown are for --baseline=FILE" },
		{ it->baseline && (it->interval || it->sweeps.num),
		  "--baseline is for a run as a whole, without -I and "
		  "--sweep" },
		{ it->baseline && (it->json || it->separator) && !it->output &&
			  !it->log_fd,
		  "--baseline prints a comparison, too: give -o FILE for "
		  "--json or -x" },
		{ it->separator && !*it->separator,
		  "-x needs a separator, such as -x," },
		{ it->jobs && !it->sweeps.num, "--jobs is for --sweep" },
		{ it->shard && !it->sweeps.num, "--shard is for --sweep" },
		{ it->interval && it->sweeps.num,
		  "give --sweep or -I, not both" },
		{ it->per_box && it->sweeps.num,
		  "--sweep shows the machine as a whole, not --per-box" },
		{ it->per_socket && it->sweeps.num,
		  "--sweep shows the machine as a whole, not --per-socket" },
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		if (mistakes[i].is_one)
			return tool_fail(TOOL_USAGE, "%s", mistakes[i].why);
	if (it->html) {
		it->json = true;
		it->output = it->html;
		/* what a baseline has not is beside the point */
		it->per_box |=
			!it->interval && !it->sweeps.num && !it->baseline;
	}
	it->per_socket |= it->per_box;
	if (check_detail(it) || set_jobs(it) || set_shard(it) || set_repeat(it))
		return TOOL_USAGE;
	return set_times(it);
}
