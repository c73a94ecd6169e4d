/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From counts and metrics to families. Names are made once; two events that
 * differ in what a name does not show get numbers behind theirs.
 */
#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "uncore/uncore.h"

static bool is_taken(const struct export_view *view, const char *name)
{
	for (size_t i = 0; i < view->num_events; i++)
		if (!strcmp(view->events[i].family.name, name))
			return true;
	for (size_t i = 0; i < view->num_figures; i++)
		if (!strcmp(view->figures[i].family.name, name))
			return true;
	return false;
}

/* Takes a name over, and returns one that nothing else has. */
static char *make_unique(const struct export_view *view, char *name)
{
	char *other = tool_copy(name);

	for (unsigned number = 2; is_taken(view, other); number++) {
		free(other);
		other = tool_print("%s_%u", name, number);
	}
	free(name);
	return other;
}

static struct export_event *event_of(struct export_view *view,
				     const struct monitor_count *count)
{
	struct export_event *new;

	for (size_t i = 0; i < view->num_events; i++)
		if (export_is_same_event(view->events[i].event, count->event))
			return &view->events[i];
	view->events = tool_more(view->events, view->num_events, sizeof(*new));
	new = &view->events[view->num_events];
	*new = (struct export_event){
		.family = { EXPORT_COUNTER,
			    make_unique(view, export_event_name(count->event)),
			    "",
			    export_event_help(
				    view->monitor->counting.set.family,
				    count->event, count->is_estimate) },
		.event = count->event,
	};
	view->num_events++;
	return new;
}

static bool has_box(const struct export_event *event,
		    const struct monitor_count *counts, size_t index)
{
	for (size_t i = 0; i < event->num; i++)
		if (counts[event->counts[i]].socket == counts[index].socket &&
		    counts[event->counts[i]].instance == counts[index].instance)
			return true;
	return false;
}

static void add_events(struct export_view *view)
{
	const struct monitor_count *counts = view->monitor->counts;
	struct export_event *event = NULL;

	for (size_t i = 0; i < view->monitor->num_counts; i++) {
		if (!i || counts[i].event != counts[i - 1].event)
			event = event_of(view, &counts[i]);
		if (has_box(event, counts, i))
			continue;
		event->counts = tool_more(event->counts, event->num,
					  sizeof(*event->counts));
		event->counts[event->num++] = i;
	}
}

static void add_figure(struct export_view *view, size_t chosen)
{
	const struct metric_list *list = &view->monitor->counting.set.metrics;
	struct export_figure *new = &view->figures[chosen];

	new->chosen = chosen;
	uncore_metrics_at(list->set, list->chosen[chosen], &new->metric);
	new->unit = export_metric_unit(&new->metric);
	new->num = 1;
	if (new->metric.split != UNCORE_SPLIT_MACHINE)
		new->num = uncore_target_sockets(
			view->monitor->counting.target.registers);
	new->family = (struct export_family){
		new->metric.kind == UNCORE_METRIC_TOTAL ? EXPORT_COUNTER
							: EXPORT_GAUGE,
		make_unique(view, export_metric_name(&new->metric, &new->unit)),
		new->unit.suffix,
		export_metric_help(&new->metric, &new->unit,
				   monitor_takes_turns(view->monitor, chosen)),
	};
	new->values = tool_new(new->num, sizeof(double));
	new->held = tool_new(new->num, sizeof(double));
	view->num_figures++;
}

void export_view_open(struct export_view *view, struct monitor *monitor)
{
	size_t num = monitor->counting.set.metrics.num;

	*view = (struct export_view){ .monitor = monitor };
	add_events(view);
	view->figures = tool_new(num, sizeof(*view->figures));
	for (size_t i = 0; i < num; i++)
		add_figure(view, i);
}

static void free_family(const struct export_family *family)
{
	free((char *)family->name);
	free((char *)family->help);
}

void export_view_close(struct export_view *view)
{
	for (size_t i = 0; i < view->num_events; i++) {
		free_family(&view->events[i].family);
		free(view->events[i].counts);
	}
	for (size_t i = 0; i < view->num_figures; i++) {
		free_family(&view->figures[i].family);
		free(view->figures[i].values);
		free(view->figures[i].held);
	}
	free(view->events);
	free(view->figures);
}

/* A total of estimates may fall; a counter waits until it has grown again. */
static double take_value(struct export_view *view, struct export_figure *figure,
			 unsigned index)
{
	bool is_total = figure->family.kind == EXPORT_COUNTER;
	int socket =
		figure->metric.split == UNCORE_SPLIT_MACHINE ? -1 : (int)index;
	struct uncore_metric_value value;

	monitor_metric(view->monitor, figure->chosen,
		       is_total ? MONITOR_WHOLE : MONITOR_SINCE, socket,
		       &value);
	if (!value.valid || !isfinite(value.value))
		return NAN;
	value.value = value.value * figure->unit.times / figure->unit.over;
	if (!is_total)
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

static void write_event(const struct export_view *view,
			const struct export_event *event,
			struct export_text *text)
{
	char socket[12], box[12];
	const struct export_label labels[] = {
		{ "socket", socket },
		{ "box", box },
		{ 0 },
	};

	export_text_family(text, &event->family);
	for (size_t i = 0; i < event->num; i++) {
		const struct monitor_count *count =
			&view->monitor->counts[event->counts[i]];

		snprintf(socket, sizeof(socket), "%u", count->socket);
		snprintf(box, sizeof(box), "%u", count->instance);
		if (count->valid)
			export_text_count(text, labels, count->total);
	}
}

static void write_figure(const struct export_figure *figure,
			 struct export_text *text)
{
	bool is_split = figure->metric.split != UNCORE_SPLIT_MACHINE;
	char socket[12];
	const struct export_label labels[] = { { "socket", socket }, { 0 } };

	export_text_family(text, &figure->family);
	for (unsigned i = 0; i < figure->num; i++) {
		snprintf(socket, sizeof(socket), "%u", i);
		export_text_sample(text, is_split ? labels : NULL,
				   figure->values[i]);
	}
}

void export_view_write(const struct export_view *view,
		       const struct export_self *self, struct export_text *text)
{
	for (size_t i = 0; i < view->num_figures; i++)
		write_figure(&view->figures[i], text);
	for (size_t i = 0; i < view->num_events; i++)
		write_event(view, &view->events[i], text);
	export_self_write(view, self, text);
	export_text_end(text);
}
