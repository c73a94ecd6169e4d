/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Opens what is counted on, and the events that are counted.
 */
#include "counting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

/* What counts cycles of the uncore, by the family. */
static const char *const clocks[] = { "wbox/FIXED_CTR/", "ubox/FIXED_CTR/" };

enum { NUM_CLOCKS = sizeof(clocks) / sizeof(clocks[0]), MOST_INSTANCES = 64 };

static bool is_clock(const struct uncore_event *event)
{
	const char *name = uncore_event_name(event);
	const char *box = uncore_event_box(event);

	for (unsigned i = 0; i < NUM_CLOCKS; i++)
		if (!strncmp(clocks[i], box, strlen(box)))
			return name && !strcmp(name, "FIXED_CTR");
	return false;
}

/* Whether the model has that instance of a box, by any of its registers. */
static bool has_instance(const struct counting *counting, const char *box,
			 unsigned instance)
{
	const struct uncore_family *family =
		uncore_target_family(counting->target.registers);
	struct uncore_register reg;

	for (size_t i = 0; uncore_family_register(family, i, &reg); i++)
		if (reg.instance == instance && !strcmp(reg.box, box))
			return uncore_model_has_box(counting->target.model, 0,
						    reg.address);
	return false;
}

/* Who names an instance that the machine lacks is told those that it has. */
static int check_instance(const struct counting *counting,
			  const struct uncore_event *event)
{
	const char *box = uncore_event_box(event);
	int instance = uncore_event_instance(event), status;
	char *text = NULL;
	unsigned num = 0;
	FILE *file;

	if (instance < 0 || has_instance(counting, box, (unsigned)instance))
		return TOOL_OK;
	file = tool_text(&text);
	for (unsigned i = 0; i < MOST_INSTANCES; i++)
		if (has_instance(counting, box, i))
			fprintf(file, "%s%u", num++ ? ", " : "", i);
	fclose(file);
	status = tool_fail(TOOL_USAGE,
			   "'%s': this model has of a socket's %s: %s",
			   uncore_event_text(event), box, num ? text : "none");
	free(text);
	return status;
}

/* Events of metrics that the model does not have are left out, and said to be;
 * events that were asked for must be had. */
static int check_event(struct counting *counting, struct event_row *row,
		       bool must_count)
{
	struct uncore_event *event = row->event;
	const struct uncore_model *model = counting->target.model;
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
	if (model && check_instance(counting, event))
		return TOOL_USAGE;
	code = uncore_session_can_count(counting->target.registers, event,
					&error);
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

static int add_events(struct counting *counting,
		      const struct counting_settings *settings)
{
	const struct event_list *list = settings->events;
	struct event_set *set = &counting->set;
	int status = TOOL_OK;

	for (size_t i = 0; i < list->num && !status; i++) {
		status = event_set_add(set, list->events[i]);
		if (!status)
			status = check_event(counting, &set->rows[i], true);
	}
	for (size_t i = 0; i < list->num_groups && !status; i++)
		event_set_group(set, &list->groups[i]);
	if (!status)
		status = event_set_add_metrics(set);
	if (!status && set->metrics.num && !counting->target.is_modelled)
		status = add_clock(set);
	for (size_t i = list->num; i < set->num && !status; i++)
		status = check_event(counting, &set->rows[i], false);
	return status;
}

/* Without events and metrics those of the summary. */
static int open_metrics(struct counting *counting,
			const struct counting_settings *settings)
{
	const char *words = settings->metrics;

	counting->set.family = uncore_target_family(counting->target.registers);
	if (!words && counting->target.is_modelled)
		words = settings->summary;
	if (!settings->metrics && settings->events->num)
		return TOOL_OK;
	return metrics_open(counting->set.family, settings->metric_files,
			    words ? words : "summary",
			    counting->target.model ? &settings->target->machine
						   : NULL,
			    &counting->set.metrics);
}

/* The seed of the workload is that of the order of turns, too. */
static uint64_t turn_seed(const char *seed)
{
	return seed ? strtoull(seed, NULL, 0) : 0;
}

int counting_open_session(struct counting *counting,
			  const struct counting_settings *settings)
{
	struct uncore_session_options options = {
		.struct_size = sizeof(options),
		.no_multiplex = settings->no_multiplex,
		.takes_turns = settings->takes_turns,
		.force = settings->force,
		.seed = turn_seed(settings->target->seed),
	};
	struct event_plan plan;
	char *error = NULL;
	int code = 0;

	event_plan_make(&plan, &counting->set);
	options.groups = plan.groups;
	options.num_groups = plan.num_groups;
	if (plan.num)
		code = uncore_session_open_with(counting->target.registers,
						plan.events, plan.num, &options,
						&counting->session, &error);
	event_plan_free(&plan);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

int counting_open(struct counting *counting,
		  const struct counting_settings *settings, const char *command)
{
	int status;

	counting->target.wish = (struct choice_wish){
		.events = settings->events,
		.metrics = settings->metrics	   ? settings->metrics
			   : settings->events->num ? NULL
						   : "summary",
		.metric_files = settings->metric_files,
	};
	status = target_open(&counting->target, settings->target, command);
	if (!status)
		status = open_metrics(counting, settings);
	if (!status)
		status = add_events(counting, settings);
	if (status)
		return status;
	for (size_t i = 0; i < counting->set.num; i++)
		if (!counting->set.rows[i].reason)
			event_warn(counting->set.rows[i].event);
	return counting_open_session(counting, settings);
}

int counting_close(struct counting *counting, int status)
{
	uncore_session_close(counting->session);
	event_set_free(&counting->set);
	return target_close(&counting->target, status);
}

int counting_begin(struct counting *counting, double now)
{
	struct uncore_session *session = counting->session;
	double length = session ? uncore_session_turn_seconds(session) : 0;
	char *error = NULL;
	int code = session ? uncore_session_start(session, &error) : 0;

	counting->next_turn = length > 0 ? now + length : INFINITY;
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

int counting_rotate(struct counting *counting, double now, char **error)
{
	int code = uncore_session_rotate(counting->session, error);
	double length = uncore_session_turn_seconds(counting->session);

	counting->next_turn = length > 0 ? now + length : INFINITY;
	return code;
}

size_t counting_slices(const struct counting *counting)
{
	const struct uncore_schedule *schedule =
		counting->session ? uncore_session_schedule(counting->session)
				  : NULL;

	return schedule ? uncore_schedule_slices(schedule) : 1;
}

bool counting_takes_turns(const struct counting *counting)
{
	return counting_slices(counting) > 1;
}

int counting_stop(struct counting *counting)
{
	char *error = NULL;
	int code = counting->session
			   ? uncore_session_stop(counting->session, &error)
			   : 0;

	return code ? tool_fail_with(code, error) : TOOL_OK;
}

int counting_read(struct counting *counting)
{
	char *error = NULL;
	int code = counting->session
			   ? uncore_session_read(counting->session, &error)
			   : 0;

	return code ? tool_fail_with(code, error) : TOOL_OK;
}

uint64_t counting_clock(const struct counting *counting)
{
	struct uncore_count count;

	for (size_t i = 0; counting->session &&
			   uncore_session_count(counting->session, i, &count);
	     i++)
		if (is_clock(count.event))
			return count.value;
	return 0;
}
