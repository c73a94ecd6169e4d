/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore schedule` shows: box by box each event with its slices, counter
 * and registers; then why events take turns.
 */
#include "schedule_print.h"

#include <string.h>

#include "page.h"
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

static bool same_use(const struct uncore_plan_use *a,
		     const struct uncore_plan_use *b)
{
	return a->address == b->address && a->value == b->value &&
	       a->is_shared == b->is_shared;
}

/* Whether an event runs in both slices, at the same places. */
static bool is_like(const struct shown_schedule *shown, size_t event,
		    const struct uncore_box *box, size_t a, size_t b)
{
	const struct uncore_plan *x = uncore_schedule_plan(shown->schedule, a);
	const struct uncore_plan *y = uncore_schedule_plan(shown->schedule, b);
	long i = uncore_schedule_item(shown->schedule, a, event);
	long j = uncore_schedule_item(shown->schedule, b, event);
	bool same = i >= 0 && j >= 0, more;
	struct uncore_plan_use p, q;
	unsigned first, last;

	instances_of(shown->events[event], box, &first, &last);
	for (unsigned n = first; same && n <= last; n++)
		for (size_t k = 0; same; k++) {
			more = uncore_plan_use(x, (size_t)i, n, k, &p);
			same = more == uncore_plan_use(y, (size_t)j, n, k,
						       &q) &&
			       (!more || same_use(&p, &q));
			if (!more)
				break;
		}
	return same;
}

/* Where instances differ, each of them. */
static void say_places(const struct shown_schedule *shown,
		       const struct uncore_plan *plan, size_t item,
		       const struct uncore_event *event,
		       const struct uncore_box *box)
{
	struct page *page = shown->page;
	struct uncore_plan_use use;
	unsigned first, last, counter;

	instances_of(event, box, &first, &last);
	counter = uncore_plan_counter(plan, item, first);
	page_put(page, ": counter %u", counter);
	for (unsigned i = first + 1; i <= last; i++)
		if (uncore_plan_counter(plan, item, i) != counter)
			page_put(page, ", in %s%u %u", box->name, i,
				 uncore_plan_counter(plan, item, i));
	if (last > first)
		page_put(page,
			 "; registers of %s%u, as in the others:", box->name,
			 first);
	page_line(page, 0, "%s", "");
	for (size_t n = 0; uncore_plan_use(plan, item, first, n, &use); n++) {
		page_put(page, "      %-34s 0x%llx", use.name,
			 (unsigned long long)use.value);
		if (n)
			page_put(page, " in bits 0x%llx",
				 (unsigned long long)use.mask);
		page_line(page, 0, "%s", use.is_shared ? ", shared" : "");
	}
}

/* "slice 1", "slices 1, 3" or "always": those that are like this one. */
static void say_slices(const struct shown_schedule *shown, size_t event,
		       const struct uncore_box *box, size_t slice)
{
	size_t num = uncore_schedule_slices(shown->schedule), same = 0, n = 0;
	bool like[num];

	for (size_t s = 0; s < num; s++)
		same += like[s] = is_like(shown, event, box, slice, s);
	page_put(shown->page, same == num ? "    always" : "    slice%s",
		 same > 1 ? "s" : "");
	for (size_t s = 0; same < num && s < num; s++)
		if (like[s])
			page_put(shown->page, "%s %zu", n++ ? "," : "", s + 1);
}

static void say_event(const struct shown_schedule *shown, size_t event,
		      const struct uncore_box *box)
{
	const struct uncore_schedule *schedule = shown->schedule;
	const struct uncore_event *of = shown->events[event];
	double share = uncore_schedule_share(schedule, event);

	page_put(shown->page, "  %s", uncore_event_text(of));
	if (share < 1)
		page_put(shown->page, "  %.3g %% of the time", 100 * share);
	page_line(shown->page, 0, "%s", "");
	for (size_t s = 0; s < uncore_schedule_slices(schedule); s++) {
		long item = uncore_schedule_item(schedule, s, event);
		size_t first = 0;

		while (item >= 0 && first < s &&
		       !is_like(shown, event, box, first, s))
			first++;
		if (item < 0 || first < s)
			continue;
		say_slices(shown, event, box, s);
		say_places(shown, uncore_schedule_plan(schedule, s),
			   (size_t)item, of, box);
	}
}

static void say_boxes(const struct shown_schedule *shown)
{
	struct uncore_box box;

	for (size_t b = 0; uncore_family_box(shown->family, b, &box); b++) {
		bool any = false;

		for (size_t e = 0; e < shown->num_events; e++) {
			if (strcmp(uncore_event_box(shown->events[e]),
				   box.name))
				continue;
			if (!any)
				page_heading(shown->page, "%s", box.guide_name);
			any = true;
			say_event(shown, e, &box);
		}
	}
}

static void say_schedule(const struct shown_schedule *shown)
{
	size_t num = uncore_schedule_slices(shown->schedule);
	const char *reason;

	if (num == 1)
		page_heading(shown->page, "All events count at the same time.");
	else
		page_heading(shown->page, "%zu slices take turns; %s.", num,
			     uncore_schedule_is_optimal(shown->schedule)
				     ? "fewer would not do"
				     : "whether fewer would do is not known");
	say_boxes(shown);
	for (size_t i = 0;
	     (reason = uncore_schedule_reason(shown->schedule, i)); i++) {
		if (!i)
			page_heading(shown->page, "Why events take turns");
		page_line(shown->page, 2, "%s", reason);
	}
}

static void put_item(const struct shown_schedule *shown, size_t slice,
		     size_t event)
{
	struct json *json = shown->page->json;
	const struct uncore_plan *plan =
		uncore_schedule_plan(shown->schedule, slice);
	long item = uncore_schedule_item(shown->schedule, slice, event);
	const struct uncore_event *of = shown->events[event];
	struct uncore_plan_use use;
	struct uncore_box box;
	unsigned first, last;

	if (item < 0 || !tool_box(shown->family, uncore_event_box(of), &box))
		return;
	instances_of(of, &box, &first, &last);
	for (unsigned i = first; i <= last; i++) {
		json_open(json, NULL, '{');
		json_members(json,
			     "event:%s event_index:%lu box:%s instance:%u "
			     "counter:%u",
			     uncore_event_text(of), event, box.name, i,
			     uncore_plan_counter(plan, (size_t)item, i));
		json_open(json, "registers", '[');
		for (size_t n = 0;
		     uncore_plan_use(plan, (size_t)item, i, n, &use); n++)
			json_add_row(
				json,
				"register:%s address:%lu value:%lu mask:%lu "
				"shared:%d",
				use.name, use.address, use.value, use.mask,
				use.is_shared);
		json_close(json);
		json_close(json);
	}
}

static void put_schedule(const struct shown_schedule *shown)
{
	const struct uncore_schedule *schedule = shown->schedule;
	struct json *json = shown->page->json;
	const char *reason;

	json_open(json, NULL, '{');
	json_members(json, "schema:%s family:%s optimal:%d",
		     "uncore-schedule-1", uncore_family_name(shown->family),
		     uncore_schedule_is_optimal(schedule));
	json_open(json, "events", '[');
	for (size_t e = 0; e < shown->num_events; e++)
		json_add_row(json, "event:%s share:%g",
			     uncore_event_text(shown->events[e]),
			     uncore_schedule_share(schedule, e));
	json_close(json);
	json_open(json, "slices", '[');
	for (size_t s = 0; s < uncore_schedule_slices(schedule); s++) {
		json_open(json, NULL, '[');
		for (size_t e = 0; e < shown->num_events; e++)
			put_item(shown, s, e);
		json_close(json);
	}
	json_close(json);
	json_open(json, "reasons", '[');
	for (size_t i = 0; (reason = uncore_schedule_reason(schedule, i)); i++)
		json_string(json, NULL, reason);
	json_close(json);
	json_close(json);
}

void schedule_show(const struct shown_schedule *shown)
{
	(shown->page->json ? put_schedule : say_schedule)(shown);
}
