/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore schedule EVENT...`: which events count at the same time, where, and
 * why not all of them do. Nothing is run or written.
 */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "schedule_print.h"
#include "uncore/error.h"
#include "uncore/event.h"

enum { KEY_NO_MULTIPLEX = 0x100, KEY_TOGETHER, MAX_GIVEN = 64 };

struct settings {
	const char *machine;
	const char *metrics;
	struct metric_files metric_files;
	const char *together[MAX_GIVEN];
	size_t num_together;
	char **events;
	size_t num_events;
	bool json;
	bool no_multiplex;
};

static const struct argp_option options[] = {
	TOOL_OPTION_MACHINE,
	{ "together", KEY_TOGETHER, "EVENTS", 0,
	  "Events, with blanks between them, that must count at the same time; "
	  "may be given again",
	  0 },
	{ "metrics", 'M', "NAME,...", 0,
	  "The events of these metrics, each metric's together; see "
	  "'uncore list --metrics'",
	  0 },
	TOOL_OPTION_METRIC_FILE,
	{ "no-multiplex", KEY_NO_MULTIPLEX, NULL, 0,
	  "Refuse events that cannot all count at the same time", 0 },
	TOOL_OPTION_JSON,
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'm': settings->machine = argument; return 0;
	case 'M': settings->metrics = argument; return 0;
	case 'j': settings->json = true; return 0;
	case KEY_TOGETHER:
		if (settings->num_together == MAX_GIVEN)
			argp_error(state, "more than %d groups", MAX_GIVEN);
		settings->together[settings->num_together++] = argument;
		return 0;
	case TOOL_KEY_METRIC_FILE:
		metric_files_add(&settings->metric_files, argument, state);
		return 0;
	case KEY_NO_MULTIPLEX: settings->no_multiplex = true; return 0;
	case ARGP_KEY_ARGS:
		settings->events = state->argv + state->next;
		settings->num_events = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (!settings->num_events && !settings->num_together &&
		    !settings->metrics)
			argp_error(state, "name at least one EVENT, for "
					  "instance cbox/LLC_MISSES.ALL/, or "
					  "a metric with -M");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options,
	parse,
	"[EVENT...]",
	"Show which events count at the same time: the counter and the "
	"registers that each of them gets, and, where they take turns, in "
	"which slices and why."
	"\vEVENT is BOX[N]/EVENT[.MASK...][,option=value...]/; see 'uncore "
	"list'. What is shown is what 'uncore stat' does with the same events. "
	"A register marked as shared is needed by several events, with values "
	"that go together. Exit status: 2 if events that must count together "
	"cannot, or, with --no-multiplex, if all of them cannot.",
	NULL,
	NULL,
	NULL,
};

/* Everything that is planned. */
struct scheduling {
	const struct settings *settings;
	const struct uncore_family *family;
	struct metric_list metrics;
	struct uncore_event **events;
	size_t num_events, max_events;
	struct uncore_group *groups;
	size_t num_groups;
};

static int add_event(struct scheduling *all, const char *text, bool warn)
{
	char *error = NULL;
	struct uncore_event *event;
	int code;

	if (all->num_events == all->max_events) {
		size_t max = 2 * all->max_events + 16;
		struct uncore_event **events =
			realloc(all->events, max * sizeof(*events));

		if (!events)
			return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
		all->events = events;
		all->max_events = max;
	}
	code = uncore_event_parse(all->family, text, &event, &error);
	if (code)
		return tool_fail_with(code, error);
	if (warn && uncore_event_excluded(event))
		tool_warn("warning: %s: %s", text,
			  uncore_event_excluded(event));
	all->events[all->num_events++] = event;
	return TOOL_OK;
}

static bool has_event(const struct scheduling *all, const char *text)
{
	for (size_t i = 0; i < all->num_events; i++)
		if (!strcmp(uncore_event_text(all->events[i]), text))
			return true;
	return false;
}

/* A group from the words of a text. */
static int add_group(struct scheduling *all, const char *words)
{
	char *copy = strdup(words), *save = NULL;
	size_t first = all->num_events, *indices;
	int status = TOOL_OK;

	if (!copy)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (char *word = strtok_r(copy, " \t\n", &save); word && !status;
	     word = strtok_r(NULL, " \t\n", &save))
		status = add_event(all, word, true);
	free(copy);
	if (status)
		return status;
	if (all->num_events == first)
		return tool_fail(TOOL_USAGE, "--together '%s' names no event",
				 words);
	indices = calloc(all->num_events - first, sizeof(*indices));
	if (!indices)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = first; i < all->num_events; i++)
		indices[i - first] = i;
	all->groups[all->num_groups++] =
		(struct uncore_group){ .events = indices,
				       .num_events = all->num_events - first };
	return TOOL_OK;
}

static int add_metrics(struct scheduling *all)
{
	const struct settings *settings = all->settings;
	const char *text;
	int status;

	if (!settings->metrics)
		return TOOL_OK;
	status = metrics_open(all->family, &settings->metric_files,
			      settings->metrics, NULL, &all->metrics);
	for (size_t m = 0; m < all->metrics.num && !status; m++)
		for (size_t i = 0;
		     !status &&
		     (text = uncore_metrics_event(all->metrics.set,
						  all->metrics.chosen[m], i));
		     i++)
			if (!has_event(all, text))
				status = add_event(all, text, false);
	return status;
}

static int gather(struct scheduling *all)
{
	const struct settings *settings = all->settings;
	int status = TOOL_OK;

	all->groups = calloc(settings->num_together + 1, sizeof(*all->groups));
	if (!all->groups)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < settings->num_events && !status; i++)
		status = add_event(all, settings->events[i], true);
	for (size_t i = 0; i < settings->num_together && !status; i++)
		status = add_group(all, settings->together[i]);
	return status ? status : add_metrics(all);
}

static int show(const struct scheduling *all,
		const struct uncore_schedule *schedule)
{
	const struct shown_schedule shown = { stdout, all->family, schedule,
					      all->events, all->num_events };
	const char *reason = uncore_schedule_reason(schedule, 0);

	if (all->settings->no_multiplex && uncore_schedule_slices(schedule) > 1)
		return tool_fail(TOOL_USAGE,
				 "the events need %zu turns, and "
				 "--no-multiplex allows one: %s",
				 uncore_schedule_slices(schedule),
				 reason ? reason : "");
	if (all->settings->json)
		schedule_print_json(&shown);
	else
		schedule_print_text(&shown);
	return TOOL_OK;
}

/* Groups of the command line and those of the metrics. */
static int schedule(struct scheduling *all)
{
	struct metric_groups metric_groups = { 0 };
	struct uncore_group *groups = NULL;
	struct uncore_schedule *made = NULL;
	char *error = NULL;
	int code = 0, status = TOOL_OK;

	if (!metrics_groups(&all->metrics, all->events, all->num_events,
			    &metric_groups))
		code = UNCORE_ERR_NO_MEMORY;
	groups = calloc(all->num_groups + metric_groups.num + 1,
			sizeof(*groups));
	if (!groups)
		code = UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < all->num_groups && !code; i++)
		groups[i] = all->groups[i];
	for (size_t i = 0; i < metric_groups.num && !code; i++)
		groups[all->num_groups + i] = metric_groups.groups[i];
	if (!code)
		code = uncore_schedule_new(
			all->family, all->events, all->num_events, groups,
			all->num_groups + metric_groups.num, &made, &error);
	status = code ? tool_fail_with(code, error) : show(all, made);
	uncore_schedule_free(made);
	free(groups);
	free(metric_groups.groups);
	free(metric_groups.indices);
	return status;
}

int cmd_schedule(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	struct scheduling all = { .settings = &settings };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &settings);
	all.family = tool_family(settings.machine);
	if (!all.family)
		return TOOL_USAGE;
	status = gather(&all);
	if (!status)
		status = schedule(&all);
	metrics_close(&all.metrics);
	for (size_t i = 0; i < all.num_events; i++)
		uncore_event_free(all.events[i]);
	for (size_t i = 0; i < all.num_groups; i++)
		free((void *)all.groups[i].events);
	free(all.groups);
	free(all.events);
	return tool_finish(status, stdout, NULL);
}
