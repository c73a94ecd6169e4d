/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "event_list.h"

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

/* The comma behind the first event, or NULL. */
static char *end_of_event(char *text)
{
	bool is_inside = false;

	for (; *text; text++) {
		if (*text == '/')
			is_inside = !is_inside;
		if (*text == ',' && !is_inside && !is_option(text + 1))
			return text;
	}
	return NULL;
}

void event_list_add(char *argument, const char **list, size_t max, size_t *num,
		    const struct argp_state *state)
{
	while (argument) {
		char *end = end_of_event(argument);

		if (*num == max)
			argp_error(state, "more than %zu events", max);
		if (end)
			*end++ = '\0';
		list[(*num)++] = argument;
		argument = end;
	}
}
