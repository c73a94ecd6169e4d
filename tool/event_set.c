/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "event_set.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/event.h"

int event_set_add(struct event_set *set, const char *text)
{
	struct uncore_event *event;
	char *error = NULL;
	int code;

	set->rows = tool_more(set->rows, set->num, sizeof(*set->rows));
	code = uncore_event_parse(set->family, text, &event, &error);
	if (code)
		return tool_fail_with(code, error);
	set->rows[set->num++] = (struct event_row){ .event = event };
	return TOOL_OK;
}

void event_warn(struct uncore_event *event)
{
	const char *why = uncore_event_excluded(event);
	char *closed = uncore_event_passes_nothing(event);

	if (why)
		tool_warn("warning: %s: %s", uncore_event_text(event), why);
	if (closed)
		tool_warn("warning: %s: %s", uncore_event_text(event), closed);
	free(closed);
}

bool event_set_has(const struct event_set *set, const char *text)
{
	for (size_t i = 0; i < set->num; i++)
		if (!strcmp(uncore_event_text(set->rows[i].event), text))
			return true;
	return false;
}

void event_set_group(struct event_set *set,
		     const struct event_list_group *group)
{
	set->groups =
		tool_more(set->groups, set->num_groups, sizeof(*set->groups));
	set->groups[set->num_groups++] = *group;
}

int event_set_add_metrics(struct event_set *set)
{
	const struct metric_list *list = &set->metrics;
	const char *text;
	int status = TOOL_OK;

	for (size_t m = 0; m < list->num; m++)
		for (size_t i = 0;
		     !status && (text = uncore_metrics_event(
					 list->set, list->chosen[m], i));
		     i++)
			if (!event_set_has(set, text))
				status = event_set_add(set, text);
	return status;
}

/* Where the group ends, the next one begins. */
static size_t *add_group(struct event_plan *plan,
			 const struct event_list_group *group, size_t *indices)
{
	plan->groups[plan->num_groups++] = (struct uncore_group){
		.events = indices,
		.num_events = group->num,
	};
	for (size_t i = 0; i < group->num; i++)
		indices[i] = group->first + i;
	return indices + group->num;
}

/* The same for the events of a metric, if any is counted. */
static size_t *add_metric(struct event_plan *plan,
			  const struct metric_list *list, size_t chosen,
			  size_t *indices)
{
	struct uncore_group *group = &plan->groups[plan->num_groups];
	struct uncore_metric metric;
	const char *text;

	uncore_metrics_at(list->set, chosen, &metric);
	group->name = metric.name;
	group->events = indices;
	for (size_t i = 0; (text = uncore_metrics_event(list->set, chosen, i));
	     i++)
		for (size_t e = 0; e < plan->num; e++)
			if (!strcmp(uncore_event_text(plan->events[e]), text)) {
				*indices++ = e;
				group->num_events++;
				break;
			}
	plan->num_groups += group->num_events > 0;
	return indices;
}

/* Not fewer than the events of all groups. */
static size_t most_indices(const struct event_set *set)
{
	const struct metric_list *list = &set->metrics;
	struct uncore_metric metric;
	size_t num = 1;

	for (size_t i = 0; i < set->num_groups; i++)
		num += set->groups[i].num;
	for (size_t i = 0; i < list->num; i++)
		if (uncore_metrics_at(list->set, list->chosen[i], &metric))
			num += metric.num_events;
	return num;
}

void event_plan_make(struct event_plan *plan, const struct event_set *set)
{
	const struct metric_list *list = &set->metrics;
	size_t *indices = tool_new(most_indices(set), sizeof(*indices));

	*plan = (struct event_plan){
		.events = tool_new(set->num, sizeof(struct uncore_event *)),
		.groups = tool_new(set->num_groups + list->num + 1,
				   sizeof(*plan->groups)),
		.indices = indices,
	};
	for (size_t i = 0; i < set->num; i++)
		if (!set->rows[i].reason)
			plan->events[plan->num++] = set->rows[i].event;
	for (size_t i = 0; i < set->num_groups; i++)
		indices = add_group(plan, &set->groups[i], indices);
	for (size_t i = 0; i < list->num; i++)
		indices = add_metric(plan, list, list->chosen[i], indices);
}

void event_plan_free(struct event_plan *plan)
{
	free(plan->events);
	free(plan->groups);
	free(plan->indices);
}

void event_set_free(struct event_set *set)
{
	for (size_t i = 0; i < set->num; i++) {
		uncore_event_free(set->rows[i].event);
		free(set->rows[i].reason);
	}
	free(set->rows);
	free(set->groups);
	metrics_close(&set->metrics);
}
