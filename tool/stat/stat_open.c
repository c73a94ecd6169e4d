/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Opens what `uncore stat` counts on, and looks whether what it was asked for
 * can be had of it.
 */
#include "stat.h"
#include "tool/tool.h"

/* What is to be known before the run. */
static int check_region(const struct stat *stat)
{
	const struct subject_settings *settings = &stat->settings->subject;

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

int stat_open(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	int status =
		counting_open(&stat->counting,
			      &(struct counting_settings){
				      .subject = &settings->subject,
				      .events = &settings->events,
				      .metrics = settings->metrics,
				      .metric_files = &settings->metric_files,
				      .no_multiplex = settings->no_multiplex,
				      .takes_turns = settings->takes_turns,
				      .force = settings->force,
			      },
			      "uncore stat");

	return status ? status : check_region(stat);
}

int stat_close(struct stat *stat, int status)
{
	regions_free(&stat->regions);
	regions_free(&stat->laps);
	return counting_close(&stat->counting, status);
}
