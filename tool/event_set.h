/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The events that a command is about: those that were named, then those that
 * its metrics need; and what of them must count at the same time.
 */
#ifndef UNCORE_TOOL_EVENT_SET_H
#define UNCORE_TOOL_EVENT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics.h"
#include "options.h"
#include "uncore/schedule.h"

/* --- event_list.c: what stands behind -e, one event, or several with commas
 * between them and braces around those that must count together --- */

enum { EVENT_LIST_MAX = 256 };

/* Begins as all zero. */
struct event_list {
	const char *events[EVENT_LIST_MAX];
	size_t num;
	struct event_list_group {
		size_t first, num; /* of these events */
	} groups[EVENT_LIST_MAX];
	size_t num_groups;
	bool in_group; /* while a list is read */
};

/* struct option_row.take: cuts the argument (in place) into events and adds
 * them to the list. Commas between slashes belong to an event, and so does one
 * before an option ("A,thresh=2", "A,edge"); any other one begins the next
 * event. Events in braces are a group, which counts at the same time. */
void event_list_add(const struct option_row *row, void *list, char *argument,
		    const struct argp_state *state);

/* --- event_set.c --- */

struct event_row {
	struct uncore_event *event;
	uint64_t period; /* of `uncore record`; 0: none */
	char *reason;	 /* why it is not counted; NULL: it is */
};

struct event_set {
	const struct uncore_family *family;
	struct event_row *rows;
	size_t num;
	struct metric_list metrics; /* of which some of the events are */
	/* Events that must count together, from row `first` on; all of them are
	 * counted, and before them in the set there is none that is not. */
	struct event_list_group *groups;
	size_t num_groups;
};

/* Adds the event of a text, as the last row; an exit code. In any case
 * event_set_free() is to be called. */
int event_set_add(struct event_set *set, const char *text);

/* Says what the guide says against an event, if anything. */
void event_warn(struct uncore_event *event);

/* Whether a row has this text. */
bool event_set_has(const struct event_set *set, const char *text);

/* Adds a group. */
void event_set_group(struct event_set *set,
		     const struct event_list_group *group);

/* Adds the events of the metrics that are in no row yet; an exit code. */
int event_set_add_metrics(struct event_set *set);

/* The events that are counted and their groups, as sessions and schedules want
 * them; those of metrics come last. To be freed before the set. */
struct event_plan {
	struct uncore_event **events;
	size_t num;
	struct uncore_group *groups;
	size_t num_groups;
	size_t *indices; /* of the groups' events */
};
void event_plan_make(struct event_plan *plan, const struct event_set *set);
void event_plan_free(struct event_plan *plan);

void event_set_free(struct event_set *set);

#endif
