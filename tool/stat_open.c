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

static int add_event(struct stat *stat, const char *text, bool must_count)
{
	struct report_event *row = &stat->events[stat->num_events];
	const struct uncore_family *family =
		uncore_target_family(stat->subject.target);
	struct uncore_event *event = NULL;
	char *error = NULL;
	int code = uncore_event_parse(family, text, &event, &error);

	if (code)
		return tool_fail_with(code, error);
	row->event = event;
	stat->num_events++;
	if (stat->subject.model && !strcmp(uncore_event_box(event), "cbox") &&
	    uncore_event_instance(event) >=
		    (int)uncore_model_cores(stat->subject.model))
		return tool_fail(TOOL_USAGE,
				 "'%s': this model has %u cores in a socket, "
				 "and C-Boxes 0 to %u ('--set cores')",
				 text, uncore_model_cores(stat->subject.model),
				 uncore_model_cores(stat->subject.model) - 1);
	code = uncore_session_can_count(stat->subject.target, event, &error);
	if (code == UNCORE_ERR_NO_HARDWARE ||
	    (code == UNCORE_ERR_NOT_MODELLED && !must_count)) {
		row->reason = error;
		return TOOL_OK;
	}
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static bool has_event(const struct stat *stat, const char *text)
{
	for (size_t i = 0; i < stat->num_events; i++)
		if (!strcmp(uncore_event_text(stat->events[i].event), text))
			return true;
	return false;
}

/* Where nobody else can tell them, the clock counts the cycles. */
static int add_clock(struct stat *stat)
{
	const struct uncore_family *family =
		uncore_target_family(stat->subject.target);
	struct uncore_event *event = NULL;
	const char *clock = NULL;

	for (unsigned i = 0; i < NUM_CLOCKS && !clock; i++)
		if (!uncore_event_parse(family, clocks[i], &event, NULL))
			clock = clocks[i];
	uncore_event_free(event);
	return clock && !has_event(stat, clock) ? add_event(stat, clock, false)
						: TOOL_OK;
}

/* Events of metrics that the model does not have are left out, and said to be;
 * events that were asked for must be had. */
static int add_events(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	const char *text;
	int status = TOOL_OK;

	stat->events = calloc(settings->events.num +
				      metrics_most_events(&stat->metrics) + 2,
			      sizeof(*stat->events));
	if (!stat->events)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < settings->events.num && !status; i++)
		status = add_event(stat, settings->events.events[i], true);
	for (size_t m = 0; m < stat->metrics.num && !status; m++)
		for (size_t i = 0;
		     !status &&
		     (text = uncore_metrics_event(stat->metrics.set,
						  stat->metrics.chosen[m], i));
		     i++)
			if (!has_event(stat, text))
				status = add_event(stat, text, false);
	if (!status && stat->metrics.num && !stat->subject.is_modelled)
		status = add_clock(stat);
	return status;
}

/* Without events and metrics those of the summary. */
static int open_metrics(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	const struct uncore_family *family =
		uncore_target_family(stat->subject.target);
	const char *words = settings->metrics;

	if (!words && settings->events.num)
		return TOOL_OK;
	return metrics_open(
		family, &settings->metric_files, words ? words : "summary",
		stat->subject.model ? &settings->subject.machine : NULL,
		&stat->metrics);
}

/* The seed of the workload is that of the order of turns, too. */
static uint64_t turn_seed(const char *seed)
{
	return seed ? strtoull(seed, NULL, 0) : 0;
}

/* Groups of -e, whose events come first and are all counted, behind those of
 * the metrics. Both arrays are to be freed with free(). */
static bool join_groups(const struct stat *stat,
			const struct metric_groups *metrics,
			struct metric_groups *joined)
{
	const struct event_list *list = &stat->settings->events;

	*joined = (struct metric_groups){
		.groups = calloc(metrics->num + list->num_groups + 1,
				 sizeof(*joined->groups)),
		.num = metrics->num + list->num_groups,
		.indices = calloc(list->num + 1, sizeof(*joined->indices)),
	};
	if (!joined->groups || !joined->indices)
		return false;
	for (size_t i = 0; i < list->num; i++)
		joined->indices[i] = i;
	for (size_t i = 0; i < metrics->num; i++)
		joined->groups[i] = metrics->groups[i];
	for (size_t i = 0; i < list->num_groups; i++)
		joined->groups[metrics->num + i] = (struct uncore_group){
			.events = joined->indices + list->groups[i].first,
			.num_events = list->groups[i].num,
		};
	return true;
}

static int open_session(struct stat *stat)
{
	struct uncore_event **events = calloc(
		stat->num_events ? stat->num_events : 1, sizeof(*events));
	struct uncore_session_options options = {
		.struct_size = sizeof(options),
		.no_multiplex = stat->settings->no_multiplex,
		.takes_turns = stat->settings->takes_turns,
		.force = stat->settings->force,
		.seed = turn_seed(stat->settings->subject.seed),
	};
	struct metric_groups groups = { 0 }, joined = { 0 };
	char *error = NULL;
	size_t num = 0;
	int code = 0;

	if (!events)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < stat->num_events; i++) {
		const char *why = uncore_event_excluded(stat->events[i].event);

		if (stat->events[i].reason)
			continue;
		if (why)
			tool_warn("warning: %s: %s",
				  uncore_event_text(stat->events[i].event),
				  why);
		events[num++] = (struct uncore_event *)stat->events[i].event;
	}
	if (!metrics_groups(&stat->metrics, events, num, &groups) ||
	    !join_groups(stat, &groups, &joined))
		code = UNCORE_ERR_NO_MEMORY;
	options.groups = joined.groups;
	options.num_groups = joined.num;
	if (num && !code)
		code = uncore_session_open_with(stat->subject.target, events,
						num, &options, &stat->session,
						&error);
	free(groups.groups);
	free(groups.indices);
	free(joined.groups);
	free(joined.indices);
	free(events);
	return code ? tool_fail_with(code, error) : TOOL_OK;
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

int stat_open(struct stat *stat)
{
	int status = subject_open(&stat->subject, &stat->settings->subject,
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
	for (size_t i = 0; i < stat->num_events; i++) {
		uncore_event_free((struct uncore_event *)stat->events[i].event);
		free(stat->events[i].reason);
	}
	free(stat->events);
	metrics_close(&stat->metrics);
	regions_free(&stat->regions);
	regions_free(&stat->laps);
	return subject_close(&stat->subject, status);
}
