/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Opens what `uncore stat` counts on, and the events that it counts.
 */
#include "stat.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

/* What counts cycles of the uncore, by the family. */
static const char *const clocks[] = { "wbox/FIXED_CTR/", "ubox/FIXED_CTR/" };

enum { NUM_CLOCKS = sizeof(clocks) / sizeof(clocks[0]) };

bool stat_is_clock(const struct uncore_event *event)
{
	const char *name = uncore_event_name(event);
	const char *box = uncore_event_box(event);

	for (unsigned i = 0; i < NUM_CLOCKS; i++)
		if (!strncmp(clocks[i], box, strlen(box)))
			return name && !strcmp(name, "FIXED_CTR");
	return false;
}

/* Events of metrics that the model does not have are left out, and said to be;
 * events that were asked for must be had. */
static int check_event(struct stat *stat, struct event_row *row,
		       bool must_count)
{
	struct uncore_event *event = row->event;
	const struct uncore_model *model = stat->subject.model;
	char *error = NULL;
	int code;

	if (model && !strcmp(uncore_event_box(event), "cbox") &&
	    uncore_event_instance(event) >= (int)uncore_model_cores(model))
		return tool_fail(TOOL_USAGE,
				 "'%s': this model has %u cores in a socket, "
				 "and C-Boxes 0 to %u ('--set cores')",
				 uncore_event_text(event),
				 uncore_model_cores(model),
				 uncore_model_cores(model) - 1);
	code = uncore_session_can_count(stat->subject.target, event, &error);
	if (code == UNCORE_ERR_NO_HARDWARE ||
	    (code == UNCORE_ERR_NOT_MODELLED && !must_count)) {
		row->reason = error;
		return TOOL_OK;
	}
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* Where nobody else can tell them, the clock counts the cycles. */
static int add_clock(struct event_set *set)
{
	for (unsigned i = 0; i < NUM_CLOCKS; i++) {
		struct uncore_event *event = NULL;

		if (uncore_event_parse(set->family, clocks[i], &event, NULL))
			continue;
		uncore_event_free(event);
		return event_set_has(set, clocks[i])
			       ? TOOL_OK
			       : event_set_add(set, clocks[i]);
	}
	return TOOL_OK;
}

static int add_events(struct stat *stat)
{
	const struct event_list *list = &stat->settings->events;
	struct event_set *set = &stat->set;
	int status = TOOL_OK;

	for (size_t i = 0; i < list->num && !status; i++) {
		status = event_set_add(set, list->events[i]);
		if (!status)
			status = check_event(stat, &set->rows[i], true);
	}
	for (size_t i = 0; i < list->num_groups && !status; i++)
		status = event_set_group(set, &list->groups[i]);
	if (!status)
		status = event_set_add_metrics(set);
	if (!status && set->metrics.num && !stat->subject.is_modelled)
		status = add_clock(set);
	for (size_t i = list->num; i < set->num && !status; i++)
		status = check_event(stat, &set->rows[i], false);
	return status;
}

/* Without events and metrics those of the summary. */
static int open_metrics(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	const char *words = settings->metrics;

	stat->set.family = uncore_target_family(stat->subject.target);
	if (!words && settings->events.num)
		return TOOL_OK;
	return metrics_open(stat->set.family, &settings->metric_files,
			    words ? words : "summary",
			    stat->subject.model ? &settings->subject.machine
						: NULL,
			    &stat->set.metrics);
}

/* The seed of the workload is that of the order of turns, too. */
static uint64_t turn_seed(const char *seed)
{
	return seed ? strtoull(seed, NULL, 0) : 0;
}

static int open_session(struct stat *stat)
{
	struct uncore_session_options options = {
		.struct_size = sizeof(options),
		.no_multiplex = stat->settings->no_multiplex,
		.takes_turns = stat->settings->takes_turns,
		.force = stat->settings->force,
		.seed = turn_seed(stat->settings->subject.seed),
	};
	struct event_plan plan;
	int status = event_plan_make(&plan, &stat->set);
	char *error = NULL;
	int code = 0;

	for (size_t i = 0; i < plan.num; i++)
		event_warn(plan.events[i]);
	options.groups = plan.groups;
	options.num_groups = plan.num_groups;
	if (plan.num && !status)
		code = uncore_session_open_with(stat->subject.target,
						plan.events, plan.num, &options,
						&stat->session, &error);
	event_plan_free(&plan);
	return code ? tool_fail_with(code, error) : status;
}

/* Of what takes turns nobody knows how much was in which region. */
bool stat_takes_turns(const struct stat *stat)
{
	const struct uncore_schedule *schedule =
		stat->session ? uncore_session_schedule(stat->session) : NULL;

	return schedule && uncore_schedule_slices(schedule) > 1;
}

/* What is to be known before the run. */
static int check_region(const struct stat *stat)
{
	const struct subject_settings *settings = &stat->settings->subject;

	if (!stat_takes_turns(stat))
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

static void make_wish(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;

	stat->subject.wish = (struct choice_wish){
		.events = &settings->events,
		.metrics = settings->metrics	  ? settings->metrics
			   : settings->events.num ? NULL
						  : "summary",
		.metric_files = &settings->metric_files,
	};
}

int stat_open(struct stat *stat)
{
	int status;

	make_wish(stat);
	status = subject_open(&stat->subject, &stat->settings->subject,
			      "uncore stat");
	if (!status)
		status = open_metrics(stat);
	if (!status)
		status = add_events(stat);
	if (!status)
		status = open_session(stat);
	return status ? status : check_region(stat);
}

int stat_close(struct stat *stat, int status)
{
	uncore_session_close(stat->session);
	event_set_free(&stat->set);
	regions_free(&stat->regions);
	regions_free(&stat->laps);
	return subject_close(&stat->subject, status);
}
