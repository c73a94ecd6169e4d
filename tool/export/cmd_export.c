/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore export`: counts for Prometheus.
 */
#include <string.h>

#include "export.h"
#include "tool/tool.h"

#define AT(MEMBER) .at = offsetof(struct export_settings, MEMBER)

static const struct option_row rows[] = {
	{ "listen", 0, "ADDRESS:PORT",
	  "Answer HTTP there: /metrics for Prometheus, and /healthz (default "
	  "127.0.0.1:9300; port 0 is a free one)",
	  AT(listen) },
	{ "host", 0, "NAME",
	  "Answer those, too, who ask by this name; may be given again. "
	  "Without it: by the address, by localhost, and, where other machines "
	  "can reach it, by this machine's name",
	  AT(hosts), .take = options_add },
	{ "textfile", 0, "PATH",
	  "Write the same into a file, whole each time, for the textfile "
	  "collector of node_exporter; without --listen nothing is answered",
	  AT(textfile) },
	{ "once", 0, NULL,
	  "Print it once, when what is watched has ended or -I has passed, "
	  "and end",
	  AT(once) },
	{ "interval", 'I', "TIME",
	  "Read the counters so often even if nobody asks, and write "
	  "--textfile then (default 10s); before --once prints (default: 1s "
	  "on registers elsewhere)",
	  AT(interval) },
	{ "event", 'e', "EVENT,...",
	  "Count this event, or these with commas between them, {in braces} "
	  "at the same time; may be given again. Without it, a summary",
	  AT(events), .take = event_list_add },
	{ "metrics", 'M', "NAME,...",
	  "Count what these metrics need and tell them: names, globs and "
	  "categories of 'uncore list --metrics'",
	  AT(metrics) },
	OPTION_METRIC_FILE(AT(metric_files)),
	{ "picture", 0, NULL,
	  "'uncore stat --html=FILE' writes a page with the drawing; -M "
	  "busy:all tells here how busy each box was",
	  .take = options_refuse, .flags = OPTION_HIDDEN },
	OPTION_TURNS(AT(takes_turns)),
	{ "no-multiplex", 0, NULL,
	  "Refuse events that cannot all count at the same time, and say why; "
	  "without it they take turns, and counts are estimates",
	  AT(no_multiplex) },
	OPTION_FORCE(AT(force)),
	{ 0 },
};

static const struct options export_options = {
	.rows = rows,
	.words = "--on WHERE [--duration SECONDS]\n"
		 "--workload SPEC [--cycles N]\n"
		 "[--] PROGRAM [ARGUMENT...]",
	.help = "Count uncore events, and tell Prometheus what has been "
		"counted."
		"\vEach scrape reads the counters once, however many scrape at "
		"the same time. Nothing can be changed from outside, and only "
		"this machine can ask unless --listen has another address. It "
		"ends with Ctrl-C or SIGTERM, with the PROGRAM, or after "
		"--duration; where a workload or served traffic has ended it "
		"goes on telling what was counted.\n"
		"\n"
		"EVENT is BOX[N]/EVENT[.MASK...][,option=value...]/; see "
		"'uncore list'. What could not be counted has no sample. Exit "
		"status: that of PROGRAM; 1 if something failed; 2 if what was "
		"asked for does not exist or fit.",
	.others = &target_options,
	.others_at = offsetof(struct export_settings, target),
};

static int check(struct export_settings *settings)
{
	if (settings->metric_files.num && !settings->metrics)
		return tool_fail(TOOL_USAGE, "--metric-file is for metrics "
					     "that -M names");
	if (settings->once && (settings->listen || settings->textfile))
		return tool_fail(TOOL_USAGE,
				 "--once prints and ends; give it without %s",
				 settings->listen ? "--listen" : "--textfile");
	if (settings->hosts.num &&
	    (settings->once || (settings->textfile && !settings->listen)))
		return tool_fail(TOOL_USAGE, "--host is for who asks: give it "
					     "with --listen");
	if (settings->target.region)
		return tool_fail(TOOL_USAGE,
				 "--region is for 'uncore stat': counters for "
				 "Prometheus only grow");
	settings->interval_seconds = settings->once ? 1 : 10;
	if (!settings->interval)
		return TOOL_OK;
	return tool_time("-I", settings->interval, &settings->interval_seconds);
}

int cmd_export(int argc, char **argv)
{
	static char here[] = "127.0.0.1:9300";
	struct export_settings settings = { 0 };
	struct export export = { .settings = &settings };
	int status;

	/* The first word that is no option is the program. */
	options_parse(&export_options, argc, argv, ARGP_IN_ORDER, &settings);
	status = check(&settings);
	if (status)
		return status;
	if (!settings.listen && !settings.textfile && !settings.once)
		settings.listen = here;
	status = export_open(&export);
	if (!status)
		status = export_run(&export);
	return export_close(&export, status);
}
