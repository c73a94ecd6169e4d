/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore schedule` shows: box by box each event with its slices, counter
 * and registers; then why events take turns.
 */
#include "schedule_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "tool.h"
#include "uncore/event.h"

/* Instances of an event's box that it is for. */
static void instances_of(const struct uncore_event *event,
			 const struct uncore_box *box, unsigned *first,
			 unsigned *last)
{
	int instance = uncore_event_instance(event);

	*first = instance < 0 ? 0 : (unsigned)instance;
	*last = instance < 0 ? box->num_instances - 1 : (unsigned)instance;
}

static bool same_places(const struct shown_schedule *shown, size_t event,
			const struct uncore_box *box, size_t a, size_t b)
{
	const struct uncore_plan *x = uncore_schedule_plan(shown->schedule, a);
	const struct uncore_plan *y = uncore_schedule_plan(shown->schedule, b);
	size_t i = (size_t)uncore_schedule_item(shown->schedule, a, event);
	size_t j = (size_t)uncore_schedule_item(shown->schedule, b, event);
	unsigned first, last;

	instances_of(shown->events[event], box, &first, &last);
	for (unsigned n = first; n <= last; n++) {
		struct uncore_plan_use p, q;
		bool more = true;

		for (size_t k = 0; more; k++) {
			more = uncore_plan_use(x, i, n, k, &p);
			if (more != uncore_plan_use(y, j, n, k, &q))
				return false;
			if (more &&
			    (p.address != q.address || p.value != q.value ||
			     p.is_shared != q.is_shared))
				return false;
		}
	}
	return true;
}

static bool runs(const struct shown_schedule *shown, size_t event, size_t slice)
{
	return uncore_schedule_item(shown->schedule, slice, event) >= 0;
}

/* The first slice with the same places as each; its own number where it is the
 * first, their number where the event does not run. */
static void find_firsts(const struct shown_schedule *shown, size_t event,
			const struct uncore_box *box, size_t *firsts)
{
	size_t num = uncore_schedule_slices(shown->schedule);

	for (size_t s = 0; s < num; s++) {
		size_t first = 0;

		firsts[s] = num;
		if (!runs(shown, event, s))
			continue;
		while (first < s && (firsts[first] != first ||
				     !same_places(shown, event, box, first, s)))
			first++;
		firsts[s] = first;
	}
}

/* "slice 1", "slices 1, 3" or "always" */
static void print_slices(const struct shown_schedule *shown,
			 const size_t *firsts, size_t first)
{
	size_t num = uncore_schedule_slices(shown->schedule), same = 0;

	for (size_t s = first; s < num; s++)
		same += firsts[s] == first;
	if (same == num) {
		fprintf(shown->file, "always");
		return;
	}
	fprintf(shown->file, "slice%s", same > 1 ? "s" : "");
	for (size_t s = first, n = 0; s < num; s++)
		if (firsts[s] == first)
			fprintf(shown->file, "%s %zu", n++ ? "," : "", s + 1);
}

static void print_uses(const struct shown_schedule *shown,
		       const struct uncore_plan *plan, size_t item,
		       unsigned instance)
{
	struct uncore_plan_use use;

	for (size_t n = 0; uncore_plan_use(plan, item, instance, n, &use);
	     n++) {
		fprintf(shown->file, "      %-34s 0x%llx", tool_shown(use.name),
			(unsigned long long)use.value);
		if (n)
			fprintf(shown->file, " in bits 0x%llx",
				(unsigned long long)use.mask);
		fprintf(shown->file, "%s\n", use.is_shared ? ", shared" : "");
	}
}

/* Where instances differ, each of them. */
static void print_places(const struct shown_schedule *shown,
			 const struct uncore_plan *plan, size_t item,
			 const struct uncore_event *event,
			 const struct uncore_box *box)
{
	unsigned first, last;

	instances_of(event, box, &first, &last);
	fprintf(shown->file, ": counter %u",
		uncore_plan_counter(plan, item, first));
	for (unsigned i = first + 1; i <= last; i++)
		if (uncore_plan_counter(plan, item, i) !=
		    uncore_plan_counter(plan, item, first))
			fprintf(shown->file, ", in %s%u %u",
				tool_shown(box->name), i,
				uncore_plan_counter(plan, item, i));
	if (last > first)
		fprintf(shown->file, "; registers of %s%u, as in the others:\n",
			tool_shown(box->name), first);
	else
		fprintf(shown->file, "\n");
	print_uses(shown, plan, item, first);
}

static void print_event(const struct shown_schedule *shown, size_t event,
			const struct uncore_box *box)
{
	const struct uncore_schedule *schedule = shown->schedule;
	size_t num = uncore_schedule_slices(schedule);
	size_t firsts[num];

	fprintf(shown->file, "  %s",
		tool_shown(uncore_event_text(shown->events[event])));
	if (uncore_schedule_share(schedule, event) < 1)
		fprintf(shown->file, "  %.3g %% of the time",
			100 * uncore_schedule_share(schedule, event));
	fprintf(shown->file, "\n");
	find_firsts(shown, event, box, firsts);
	for (size_t s = 0; s < num; s++) {
		if (firsts[s] != s)
			continue;
		fprintf(shown->file, "    ");
		print_slices(shown, firsts, s);
		print_places(shown, uncore_schedule_plan(schedule, s),
			     (size_t)uncore_schedule_item(schedule, s, event),
			     shown->events[event], box);
	}
}

static void print_head(const struct shown_schedule *shown)
{
	size_t num = uncore_schedule_slices(shown->schedule);

	if (num == 1)
		fprintf(shown->file, "All events count at the same time.\n");
	else if (uncore_schedule_is_optimal(shown->schedule))
		fprintf(shown->file,
			"%zu slices take turns; fewer would not do.\n", num);
	else
		fprintf(shown->file,
			"%zu slices take turns; whether fewer would do is not "
			"known.\n",
			num);
}

void schedule_print_text(const struct shown_schedule *shown)
{
	struct uncore_box box;
	const char *reason;

	print_head(shown);
	for (size_t b = 0; uncore_family_box(shown->family, b, &box); b++) {
		bool any = false;

		for (size_t e = 0; e < shown->num_events; e++) {
			if (strcmp(uncore_event_box(shown->events[e]),
				   box.name))
				continue;
			if (!any)
				fprintf(shown->file, "\n%s\n",
					tool_shown(box.guide_name));
			any = true;
			print_event(shown, e, &box);
		}
	}
	for (size_t i = 0;
	     (reason = uncore_schedule_reason(shown->schedule, i)); i++)
		fprintf(shown->file, "%s  %s\n",
			i ? "" : "\nWhy events take turns\n",
			tool_shown(reason));
}

/* JSON */

static void json_uses(struct json *json, const struct uncore_plan *plan,
		      size_t item, unsigned instance)
{
	struct uncore_plan_use use;

	json_open(json, "registers", '[');
	for (size_t n = 0; uncore_plan_use(plan, item, instance, n, &use);
	     n++) {
		json_open(json, NULL, '{');
		json_string(json, "register", use.name);
		json_uint(json, "address", use.address);
		json_uint(json, "value", use.value);
		json_uint(json, "mask", use.mask);
		json_flag(json, "shared", use.is_shared);
		json_close(json);
	}
	json_close(json);
}

static void json_item(struct json *json, const struct shown_schedule *shown,
		      size_t slice, size_t event)
{
	const struct uncore_plan *plan =
		uncore_schedule_plan(shown->schedule, slice);
	long item = uncore_schedule_item(shown->schedule, slice, event);
	const struct uncore_event *of = shown->events[event];
	struct uncore_box box;
	unsigned first, last;

	if (item < 0 || !tool_box(shown->family, uncore_event_box(of), &box))
		return;
	instances_of(of, &box, &first, &last);
	for (unsigned i = first; i <= last; i++) {
		json_open(json, NULL, '{');
		json_string(json, "event", uncore_event_text(of));
		json_uint(json, "event_index", event);
		json_string(json, "box", box.name);
		json_uint(json, "instance", i);
		json_uint(json, "counter",
			  uncore_plan_counter(plan, (size_t)item, i));
		json_uses(json, plan, (size_t)item, i);
		json_close(json);
	}
}

void schedule_print_json(const struct shown_schedule *shown)
{
	const struct uncore_schedule *schedule = shown->schedule;
	struct json json = { .file = stdout };
	const char *reason;

	json_open(&json, NULL, '{');
	json_string(&json, "schema", "uncore-schedule-1");
	json_string(&json, "family", uncore_family_name(shown->family));
	json_flag(&json, "optimal", uncore_schedule_is_optimal(schedule));
	json_open(&json, "events", '[');
	for (size_t e = 0; e < shown->num_events; e++) {
		json_open(&json, NULL, '{');
		json_string(&json, "event",
			    uncore_event_text(shown->events[e]));
		json_number(&json, "share", uncore_schedule_share(schedule, e));
		json_close(&json);
	}
	json_close(&json);
	json_open(&json, "slices", '[');
	for (size_t s = 0; s < uncore_schedule_slices(schedule); s++) {
		json_open(&json, NULL, '[');
		for (size_t e = 0; e < shown->num_events; e++)
			json_item(&json, shown, s, e);
		json_close(&json);
	}
	json_close(&json);
	json_open(&json, "reasons", '[');
	for (size_t i = 0; (reason = uncore_schedule_reason(schedule, i)); i++)
		json_string(&json, NULL, reason);
	json_close(&json);
	json_close(&json);
}
