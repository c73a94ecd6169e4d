/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What stands behind -e: one event, or several with commas between them
 * and braces around those that must count together.
 */
#ifndef UNCORE_TOOL_EVENT_LIST_H
#define UNCORE_TOOL_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct argp_state;
struct option_row;

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

#endif
