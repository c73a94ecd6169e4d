/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The period is an option among those of the event, but not one of the event:
 * it says when to look, not what to count. So it is taken out of the text.
 */
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "tool/tool.h"
#include "uncore/error.h"

static const char option[] = ",period=";

int record_event_split(const char *text, char **plain, uint64_t *period)
{
	const char *found = strstr(text, option);
	unsigned long long number = 0;
	size_t head, length;
	char *value;
	int status = TOOL_OK;

	*period = 0;
	*plain = strdup(text);
	if (!*plain)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	if (!found)
		return TOOL_OK;
	head = (size_t)(found - text);
	found += strlen(option);
	length = strcspn(found, ",/");
	strcpy(*plain + head, found + length);
	/* "box/X,period=N" is short for "box/X,period=N/" */
	if (strchr(*plain, '/') && (*plain)[strlen(*plain) - 1] != '/')
		strcat(*plain, "/");
	value = strndup(found, length);
	if (!value)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	if (!tool_number("period", value, &number))
		status = TOOL_USAGE;
	else if (!number)
		status = tool_fail(TOOL_USAGE,
				   "'%s': a period has at least one event",
				   text);
	free(value);
	*period = number;
	return status;
}
