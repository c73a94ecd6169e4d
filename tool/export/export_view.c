/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From counts and metrics to families. Names are made once; two events that
 * differ in what a name does not show get numbers behind theirs.
 */
#include "export_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "uncore/uncore.h"

static unsigned num_sockets(const struct export_view *view)
{
	return uncore_target_sockets(view->monitor->counting.target.registers);
}

static bool is_taken(const struct export_view *view, const char *name)
{
	for (size_t i = 0; i < view->num_events; i++)
		if (!strcmp(view->events[i].name, name))
			return true;
	for (size_t i = 0; i < view->num_figures; i++)
		if (!strcmp(view->figures[i].name, name))
			return true;
	return false;
}

/* Takes a name over, and returns one that nothing else has. */
static char *make_unique(const struct export_view *view, char *name)
{
	char *other;

	for (unsigned number = 2; name && is_taken(view, name); number++) {
		other = tool_print("%s_%u", name, number);
		if (!other || !is_taken(view, other)) {
			free(name);
			return other;
		}
		free(other);
	}
	return name;
}

/* The same event, named before: for another box, or by another word. */
static const struct export_event *find_same(const struct export_view *view,
					    const struct uncore_event *event)
{
	for (size_t i = 0; i < view->num_events; i++)
		if (export_is_same_event(view->events[i].event, event))
			return &view->events[i];
	return NULL;
}

static int add_event(struct export_view *view, size_t first, size_t num)
{
	const struct monitor *monitor = view->monitor;
	const struct monitor_count *count = &monitor->counts[first];
	struct export_event new = { .event = count->event,
				    .first = first,
				    .num = num };
	const struct export_event *same = find_same(view, new.event);

	new.follows = same;
	new.name = same ? strdup(same->name)
			: make_unique(view, export_event_name(new.event));
	new.help = export_event_help(monitor->counting.set.family, new.event,
				     count->is_estimate);
	if (!new.name || !new.help) {
		free(new.name);
		free(new.help);
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	view->events[view->num_events++] = new;
	return TOOL_OK;
}

static int add_events(struct export_view *view)
{
	const struct monitor *monitor = view->monitor;
	size_t next;
	int status = TOOL_OK;

	view->events = calloc(monitor->num_counts + 1, sizeof(*view->events));
	if (!view->events)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < monitor->num_counts && !status; i = next) {
		for (next = i + 1;
		     next < monitor->num_counts &&
		     monitor->counts[next].event == monitor->counts[i].event;)
			next++;
		status = add_event(view, i, next - i);
	}
	return status;
}

static int add_figure(struct export_view *view, size_t chosen)
{
	const struct metric_list *list = &view->monitor->counting.set.metrics;
	struct export_figure *new = &view->figures[view->num_figures];
	bool takes_turns = monitor_takes_turns(view->monitor, chosen);
	char *name;

	new->chosen = chosen;
	uncore_metrics_at(list->set, list->chosen[chosen], &new->metric);
	new->unit = export_metric_unit(&new->metric);
	new->num = new->metric.split == UNCORE_SPLIT_MACHINE
			   ? 1
			   : num_sockets(view);
	name = make_unique(view, export_metric_name(&new->metric, &new->unit));
	new->help = export_metric_help(&new->metric, &new->unit, takes_turns);
	new->values = calloc(new->num + 1, sizeof(double));
	new->held = calloc(new->num + 1, sizeof(double));
	new->name = name;
	view->num_figures += name != NULL;
	if (!name || !new->help || !new->values || !new->held)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	return TOOL_OK;
}

static int add_figures(struct export_view *view)
{
	size_t num = view->monitor->counting.set.metrics.num;
	int status = TOOL_OK;

	view->figures = calloc(num + 1, sizeof(*view->figures));
	if (!view->figures)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < num && !status; i++)
		status = add_figure(view, i);
	return status;
}

int export_view_open(struct export_view *view, struct monitor *monitor)
{
	int status;

	*view = (struct export_view){ .monitor = monitor };
	snprintf(view->origin, sizeof(view->origin), "%s",
		 tool_shown(uncore_target_origin(
			 monitor->counting.target.registers)));
	status = add_events(view);
	return status ? status : add_figures(view);
}

void export_view_close(struct export_view *view)
{
	for (size_t i = 0; i < view->num_events; i++) {
		free(view->events[i].name);
		free(view->events[i].help);
	}
	for (size_t i = 0; i < view->num_figures; i++) {
		free(view->figures[i].name);
		free(view->figures[i].help);
		free(view->figures[i].values);
		free(view->figures[i].held);
	}
	free(view->events);
	free(view->figures);
	*view = (struct export_view){ 0 };
}

static bool is_total(const struct export_figure *figure)
{
	return figure->metric.kind == UNCORE_METRIC_TOTAL;
}

/* A total of estimates may fall; a counter waits until it has grown again. */
static double take_value(struct export_view *view, struct export_figure *figure,
			 unsigned index)
{
	int socket =
		figure->metric.split == UNCORE_SPLIT_MACHINE ? -1 : (int)index;
	struct uncore_metric_value value;

	monitor_metric(view->monitor, figure->chosen,
		       is_total(figure) ? MONITOR_WHOLE : MONITOR_SINCE, socket,
		       &value);
	if (!value.valid || !isfinite(value.value))
		return NAN;
	value.value = value.value * figure->unit.times / figure->unit.over;
	if (!is_total(figure))
		return value.value;
	figure->held[index] = fmax(figure->held[index], value.value);
	return figure->held[index];
}

void export_view_take(struct export_view *view)
{
	for (size_t i = 0; i < view->num_figures; i++)
		for (unsigned s = 0; s < view->figures[i].num; s++)
			view->figures[i].values[s] =
				take_value(view, &view->figures[i], s);
}

/* Whether an event before this one, with its name, has counted there, too. */
static bool is_told(const struct export_view *view, size_t index,
		    const struct monitor_count *count)
{
	for (size_t i = 0; i < index; i++) {
		const struct export_event *before = &view->events[i];
		const struct monitor_count *of =
			&view->monitor->counts[before->first];

		if (strcmp(before->name, view->events[index].name))
			continue;
		for (size_t c = 0; c < before->num; c++)
			if (of[c].socket == count->socket &&
			    of[c].instance == count->instance)
				return true;
	}
	return false;
}

static void write_counts(const struct export_view *view, size_t index,
			 struct export_text *text)
{
	const struct export_event *event = &view->events[index];
	char socket[12], box[12];
	const struct export_label labels[] = {
		{ "socket", socket },
		{ "box", box },
		{ 0 },
	};

	for (size_t i = 0; i < event->num; i++) {
		const struct monitor_count *count =
			&view->monitor->counts[event->first + i];

		if (!count->valid ||
		    (event->follows && is_told(view, index, count)))
			continue;
		snprintf(socket, sizeof(socket), "%u", count->socket);
		snprintf(box, sizeof(box), "%u", count->instance);
		export_text_count(text, labels, count->total);
	}
}

static void write_event(const struct export_view *view, size_t index,
			struct export_text *text)
{
	const struct export_event *event = &view->events[index];

	if (event->follows)
		return;
	export_text_family(text, EXPORT_COUNTER, event->name, "", event->help);
	for (size_t i = index; i < view->num_events; i++)
		if (!strcmp(view->events[i].name, event->name))
			write_counts(view, i, text);
}

static void write_figure(const struct export_figure *figure,
			 struct export_text *text)
{
	char socket[12];
	const struct export_label of_socket[] = { { "socket", socket }, { 0 } };
	const struct export_label *labels =
		figure->metric.split == UNCORE_SPLIT_MACHINE ? NULL : of_socket;

	export_text_family(text,
			   is_total(figure) ? EXPORT_COUNTER : EXPORT_GAUGE,
			   figure->name, figure->unit.suffix, figure->help);
	for (unsigned i = 0; i < figure->num; i++) {
		snprintf(socket, sizeof(socket), "%u", i);
		export_text_sample(text, labels, figure->values[i]);
	}
}

void export_view_write(const struct export_view *view,
		       const struct export_self *self, struct export_text *text)
{
	for (size_t i = 0; i < view->num_figures; i++)
		write_figure(&view->figures[i], text);
	for (size_t i = 0; i < view->num_events; i++)
		write_event(view, i, text);
	export_turns_write(view, text);
	export_self_write(view, self, text);
	export_text_end(text);
}
