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

struct settings {
	const char *machine;
	const char *metrics;
	struct option_texts metric_files;
	struct option_texts together;
	struct option_words events;
	bool json;
	bool no_multiplex;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row rows[] = {
	OPTION_MACHINE(AT(machine)),
	{ "together", 0, "EVENTS",
	  "Events, with blanks between them, that must count at the same "
	  "time; may be given again",
	  AT(together), .take = options_add },
	{ "metrics", 'M', "NAME,...",
	  "The events of these metrics, each metric's together; see 'uncore "
	  "list --metrics'",
	  AT(metrics) },
	OPTION_METRIC_FILE(AT(metric_files)),
	{ "no-multiplex", 0, NULL,
	  "Refuse events that cannot all count at the same time",
	  AT(no_multiplex) },
	OPTION_JSON(AT(json)),
	{ 0 },
};

static error_t take_words(int key, char *word, struct argp_state *state)
{
	struct settings *settings = state->input;

	(void)word;
	switch (key) {
	case ARGP_KEY_ARGS:
		options_keep_words(&settings->events, state);
		return 0;
	case ARGP_KEY_END:
		if (!settings->events.num && !settings->together.num &&
		    !settings->metrics)
			argp_error(state, "name at least one EVENT, for "
					  "instance cbox/LLC_MISSES.ALL/, or "
					  "a metric with -M");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct options options = {
	.rows = rows,
	.words = "[EVENT...]",
	.help = "Show which events count at the same time: the counter and "
		"the registers that each of them gets, and, where they take "
		"turns, in which slices and why."
		"\vEVENT is BOX[N]/EVENT[.MASK...][,option=value...]/; see "
		"'uncore list'. What is shown is what 'uncore stat' does with "
		"the same events. A register marked as shared is needed by "
		"several events, with values that go together. Exit status: 2 "
		"if events that must count together cannot, or, with "
		"--no-multiplex, if all of them cannot.",
	.more = take_words,
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

	all->groups = calloc(settings->together.num + 1, sizeof(*all->groups));
	if (!all->groups)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < settings->events.num && !status; i++)
		status = add_event(all, settings->events.list[i], true);
	for (size_t i = 0; i < settings->together.num && !status; i++)
		status = add_group(all, settings->together.list[i]);
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

	options_parse(&options, argc, argv, 0, &settings);
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
