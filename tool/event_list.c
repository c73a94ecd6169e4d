/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "event_set.h"

#include <argp.h>
#include <stdbool.h>
#include <string.h>

/* Options that may stand without a value; no event is called so. */
static const char *const flags[] = { "edge",   "edge_detect", "inv",
				     "invert", "pmi",	      "pmi_en" };

/* Whether what follows a comma goes on about the same event. */
static bool is_option(const char *text)
{
	size_t length = strcspn(text, ",/=");

	if (text[length] == '=' || text[length] == '/')
		return text[length] == '=';
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strlen(flags[i]) == length &&
		    !strncasecmp(text, flags[i], length))
			return true;
	return false;
}

/* The end of the first event: a comma, the brace of a group, or the end of the
 * text. */
static char *end_of_event(char *text)
{
	bool is_inside = false;

	for (; *text; text++) {
		if (*text == '/')
			is_inside = !is_inside;
		if (!is_inside && *text == '}')
			return text;
		if (*text == ',' && !is_inside && !is_option(text + 1))
			return text;
	}
	return text;
}

static void open_group(struct event_list *list, const struct argp_state *state)
{
	if (list->in_group)
		argp_error(state, "-e: a group within a group");
	if (list->num_groups == EVENT_LIST_MAX)
		argp_error(state, "more than %d groups", EVENT_LIST_MAX);
	list->in_group = true;
	list->groups[list->num_groups].first = list->num;
}

/* Behind the brace comes a comma or nothing. */
static char *close_group(struct event_list *list, char *text,
			 const struct argp_state *state)
{
	struct event_list_group *group = &list->groups[list->num_groups];

	if (!list->in_group)
		argp_error(state, "-e: '}' without a '{'");
	if (*text == ':')
		argp_error(state,
			   "-e: '%s': an uncore counts for all programs and "
			   "at all privileges; groups have no modifiers",
			   text);
	if (*text && *text != ',')
		argp_error(state, "-e: expected ',' behind '}', not '%s'",
			   text);
	group->num = list->num - group->first;
	if (!group->num)
		argp_error(state, "-e: a group without an event");
	list->num_groups++;
	list->in_group = false;
	return *text ? text + 1 : text;
}

void event_list_add(const struct option_row *row, void *at, char *argument,
		    const struct argp_state *state)
{
	struct event_list *list = at;

	(void)row;
	if (!*argument)
		argp_error(state, "-e needs an event");
	while (*argument) {
		char *end, mark;

		if (*argument == '{') {
			open_group(list, state);
			argument++;
		}
		end = end_of_event(argument);
		mark = *end;
		*end = 0;
		if (list->num == EVENT_LIST_MAX)
			argp_error(state, "more than %d events",
				   EVENT_LIST_MAX);
		list->events[list->num++] = argument;
		argument = mark ? end + 1 : end;
		if (mark == ',' && !*argument)
			argp_error(state, "-e: no event behind the last ','");
		if (mark == '}')
			argument = close_group(list, argument, state);
	}
	if (list->in_group)
		argp_error(state, "-e: '{' without a '}'");
}
