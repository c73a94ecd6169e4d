/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore stat`: count events while a program or a workload runs.
 */
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "tool/html.h"
#include "tool/page.h"
#include "tool/schedule_print.h"
#include "uncore/uncore.h"

FILE *stat_standard(const struct stat_settings *settings)
{
	return settings->target.program ? stderr : stdout;
}

static int open_output(const struct stat_settings *settings, FILE **file)
{
	FILE *standard = stat_standard(settings);
	const char *schema = !settings->json	    ? NULL
			     : settings->sweeps.num ? "uncore-sweep-1"
						    : REPORT_SCHEMA;

	if (settings->log_fd)
		return tool_open_fd(settings->log_fd, file);
	if (settings->appends)
		return tool_append(settings->output, schema, file);
	if (settings->html)
		return html_open(settings->output, standard, file);
	return tool_open(settings->output, standard,
			 settings->replace ? schema : NULL, file);
}

/* What is written where, before anything runs. */
static void show_plan(const struct stat *stat)
{
	const struct uncore_schedule *schedule =
		stat->counting.session
			? uncore_session_schedule(stat->counting.session)
			: NULL;
	struct page page = { .file = stat->file };
	struct event_plan plan;

	event_plan_make(&plan, &stat->counting.set);
	if (schedule)
		schedule_show(&(struct shown_schedule){
			&page, stat->counting.set.family, schedule, plan.events,
			plan.num });
	event_plan_free(&plan);
	fflush(stat->file);
}

/* What is to be known before the run. */
static int check_region(const struct stat *stat)
{
	const struct target_settings *settings = &stat->settings->target;

	if (!counting_takes_turns(&stat->counting))
		return TOOL_OK;
	if (stat->settings->interval)
		return tool_fail(TOOL_USAGE,
				 "-I: not all of it fits into the counters at "
				 "the same time, and of events that take turns "
				 "nobody knows what was in an interval; give "
				 "fewer, or 'uncore record -I', whose "
				 "intervals hold what their turns saw");
	if (!settings->region || settings->replay)
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "--region=%s: not all of it fits into the counters at "
			 "the same time, and of events that take turns nobody "
			 "knows what was in a region; give fewer ('uncore "
			 "schedule' shows which go together)",
			 settings->region);
}

static int run(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	struct counting_settings counting = COUNTING_OF(settings);
	int status;

	/* for the drawing; a baseline would lack it */
	if (settings->html && settings->per_box && !stat->baseline)
		counting.summary = "summary,busy:all";
	status = counting_open(&stat->counting, &counting, "uncore stat");
	if (!status)
		status = check_region(stat);
	if (!status && stat->baseline)
		status = baseline_check(stat->baseline, &stat->counting);
	stat_arrange(stat);
	if (!status && !stat->file)
		status = open_output(settings, &stat->file);
	if (!status && settings->is_verbose)
		show_plan(stat);
	if (!status)
		status = target_prepare(&stat->counting.target);
	if (!status)
		status = stat_count(stat);
	regions_free(&stat->regions);
	regions_free(&stat->laps);
	return counting_close(&stat->counting, status);
}

/* Each run has a seed of its own, unless the workload names one. */
static int run_each(struct stat_settings *settings, struct baseline *baseline,
		    FILE **file)
{
	struct target_settings *target = &settings->target;
	uint64_t seed = target->seed ? strtoull(target->seed, NULL, 0) : 1;
	bool has_seeds = target->workload && !strstr(target->workload, "seed=");
	struct repeats repeats = { .num = settings->runs };
	char text[24];
	int status = TOOL_OK, exit_status = 0;

	for (unsigned i = 0; i < repeats.num && !status; i++) {
		struct stat stat = {
			.settings = settings,
			.repeats = repeats.num > 1 ? &repeats : NULL,
			.baseline = baseline,
			.file = *file,
		};

		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)seed + i);
		if (stat.repeats && has_seeds)
			target->seed = text;
		if (stat.repeats)
			target->how.seed = seed + i;
		target->machine.run = i;
		target->how.keeps_sites = true;
		repeats.run = i;
		status = run(&stat);
		*file = stat.file;
		exit_status = exit_status ? exit_status : stat.exit_status;
		if (run_was_interrupted())
			break;
	}
	if (!status && repeats.failed)
		status = tool_fail(TOOL_FAILED,
				   "-r: the runs do not have the same counts");
	repeats_free(&repeats);
	return status && (status != TOOL_DIFFERS || !exit_status) ? status
								  : exit_status;
}

int stat_run(struct stat_settings *settings, FILE **file)
{
	struct baseline baseline;
	int status;

	if (!settings->baseline)
		return run_each(settings, NULL, file);
	status = baseline_open(&baseline, settings);
	if (!status)
		status = run_each(settings, &baseline, file);
	return baseline_close(&baseline, status);
}

static int sweep(const struct stat_settings *settings, FILE **file)
{
	int status = open_output(settings, file);

	return status ? status : sweep_run(settings, *file);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_settings settings = { 0 };
	FILE *file = NULL;
	int status;

	/* The first word that is no option is the program. */
	options_parse(&stat_options, argc, argv, ARGP_IN_ORDER, &settings);
	status = stat_settings_check(&settings);
	if (!status)
		status = settings.sweeps.num ? sweep(&settings, &file)
					     : stat_run(&settings, &file);
	if (file)
		status = tool_finish(status, file, settings.output);
	return status;
}
