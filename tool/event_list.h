/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What stands behind -e: one event, or several with commas between them.
 */
#ifndef UNCORE_TOOL_EVENT_LIST_H
#define UNCORE_TOOL_EVENT_LIST_H

#include <stddef.h>

struct argp_state;

/* Cuts the argument (in place) into events and adds them to the list, which has
 * room for max. Commas between slashes belong to an event, and so does one
 * before an option ("A,thresh=2", "A,edge"); any other one begins the next
 * event. */
void event_list_add(char *argument, const char **list, size_t max, size_t *num,
		    const struct argp_state *state);

#endif
