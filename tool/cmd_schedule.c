/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore schedule EVENT...`: which events count at the same time, where, and
 * why not all of them do. Nothing is run or written.
 */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "event_set.h"
#include "page.h"
#include "schedule_print.h"
#include "uncore/error.h"

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

static int add_event(struct event_set *set, const char *text)
{
	int status = event_set_add(set, text);

	if (!status)
		event_warn(set->rows[set->num - 1].event);
	return status;
}

/* A group from the words of a text. */
static int add_group(struct event_set *set, const char *words)
{
	char *copy = tool_copy(words), *save = NULL;
	size_t first = set->num;
	int status = TOOL_OK;

	for (char *word = strtok_r(copy, " \t\n", &save); word && !status;
	     word = strtok_r(NULL, " \t\n", &save))
		status = add_event(set, word);
	free(copy);
	if (!status && set->num == first)
		status = tool_fail(TOOL_USAGE, "--together '%s' names no event",
				   words);
	if (!status)
		event_set_group(set, &(struct event_list_group){
					     first, set->num - first });
	return status;
}

static int gather(const struct settings *settings, struct event_set *set)
{
	int status = TOOL_OK;

	for (size_t i = 0; i < settings->events.num && !status; i++)
		status = add_event(set, settings->events.list[i]);
	for (size_t i = 0; i < settings->together.num && !status; i++)
		status = add_group(set, settings->together.list[i]);
	if (!status && settings->metrics)
		status = metrics_open(set->family, &settings->metric_files,
				      settings->metrics, NULL, &set->metrics);
	return status ? status : event_set_add_metrics(set);
}

static int show(const struct settings *settings, const struct event_set *set,
		const struct event_plan *plan,
		const struct uncore_schedule *schedule)
{
	struct json json = { .file = stdout };
	struct page page = { .file = stdout,
			     .json = settings->json ? &json : NULL };
	const struct shown_schedule shown = { &page, set->family, schedule,
					      plan->events, plan->num };
	const char *reason = uncore_schedule_reason(schedule, 0);

	if (settings->no_multiplex && uncore_schedule_slices(schedule) > 1)
		return tool_fail(TOOL_USAGE,
				 "the events need %zu turns, and "
				 "--no-multiplex allows one: %s",
				 uncore_schedule_slices(schedule),
				 reason ? reason : "");
	schedule_show(&shown);
	return TOOL_OK;
}

static int schedule(const struct settings *settings,
		    const struct event_set *set)
{
	struct uncore_schedule *made = NULL;
	struct event_plan plan;
	char *error = NULL;
	int code, status;

	event_plan_make(&plan, set);
	code = uncore_schedule_new(set->family, plan.events, plan.num,
				   plan.groups, plan.num_groups, &made, &error);
	status = code ? tool_fail_with(code, error)
		      : show(settings, set, &plan, made);
	uncore_schedule_free(made);
	event_plan_free(&plan);
	return status;
}

int cmd_schedule(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	struct event_set set = { 0 };
	int status;

	options_parse(&options, argc, argv, 0, &settings);
	set.family = tool_family(settings.machine);
	if (!set.family)
		return TOOL_USAGE;
	status = gather(&settings, &set);
	if (!status)
		status = schedule(&settings, &set);
	event_set_free(&set);
	return tool_finish(status, stdout, NULL);
}
