/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The event that a text is about. One that needs a unit mask or a port and
 * comes without is shown with the first that there is.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "explain.h"
#include "tool/tool.h"
#include "uncore/error.h"
#include "uncore/event.h"

/* Length of the longest of an event's names that the path begins with. */
static size_t match(const struct uncore_event_info *info, const char *path)
{
	const char *name = info->name;
	size_t best = 0, index = 0;

	for (; name; name = uncore_event_info_alias(info, index++)) {
		size_t length = strlen(name);

		if (length > best && !strncasecmp(path, name, length) &&
		    (!path[length] || strchr("./,", path[length])))
			best = length;
	}
	return best;
}

/* The event that a text without a unit mask is about. */
static bool find_bare(const struct explain *explain, const char *text,
		      struct uncore_event_info *found)
{
	const char *slash = strchr(text, '/');
	const char *path = slash && slash[1] ? slash + 1 : text;
	struct uncore_event_info info;
	size_t best = 0;

	for (size_t i = 0; uncore_family_event(explain->family, i, &info);
	     i++) {
		size_t length = match(&info, path);

		if (path != text &&
		    strncasecmp(text, info.box, strlen(info.box)))
			continue;
		if (length <= best || path[length] == '.')
			continue;
		best = length;
		*found = info;
	}
	return best;
}

/* The one at the end of its name, the other at the end of all. */
char *explain_extended(const char *text, const char *mask, const char *option)
{
	size_t name = strcspn(text, ","), all = strlen(text);
	bool slash = all && text[all - 1] == '/';

	all -= slash;
	if (name > all)
		name = all;
	return tool_print("%.*s%s%s%.*s%s%s%s", (int)name, text,
			  mask ? "." : "", mask ? mask : "", (int)(all - name),
			  text + name, option ? "," : "", option ? option : "",
			  slash ? "/" : "");
}

/* The text's event with both put in; an error code. */
static int parse(const struct explain *explain, const char *text,
		 const char *mask, const char *option,
		 struct uncore_event **event)
{
	char *full = explain_extended(text, mask, option);
	int code = uncore_event_parse(explain->family, full, event, NULL);

	free(full);
	return code;
}

/* Where it takes a port: that at which there is something to count. */
static int try_with(const struct explain *explain, const char *text,
		    const char *mask, struct uncore_event **event)
{
	int code = parse(explain, text, mask, NULL, event);
	struct uncore_event *moved;
	struct uncore_port port;
	char option[64];

	if (!code)
		return code;
	for (size_t i = 0;
	     code && uncore_family_port(explain->family, i, &port); i++) {
		snprintf(option, sizeof(option), "port=%s", port.name);
		code = parse(explain, text, mask, option, event);
	}
	if (!code && explain_usual_port(explain, *event, option) &&
	    !parse(explain, text, mask, option, &moved)) {
		uncore_event_free(*event);
		*event = moved;
	}
	return code;
}

/* The event of a text to which a unit mask or a port had to be added. */
static int complete(const struct explain *explain, const char *text,
		    struct uncore_event **event)
{
	struct uncore_event_info info;
	struct uncore_unit_mask mask;
	int code = try_with(explain, text, NULL, event);

	if (!code || !find_bare(explain, text, &info))
		return code;
	code = try_with(explain, text, "ALL", event);
	for (int excluded = 0; excluded < 2; excluded++)
		for (size_t i = 0;
		     code && uncore_event_info_unit_mask(&info, i, &mask); i++)
			if (!mask.excluded || excluded)
				code = try_with(explain, text, mask.name,
						event);
	return code;
}

/* The row of a parsed event; raw codes have none. */
static bool describe(const struct explain *explain, struct uncore_event *event,
		     struct explain_subject *subject)
{
	const char *name = uncore_event_name(event);

	*subject = (struct explain_subject){
		.event = event,
		.multiplier = uncore_event_multiplier(event),
	};
	while (uncore_event_unit_mask(event, subject->num_masks))
		subject->num_masks++;
	tool_box(explain->family, uncore_event_box(event), &subject->box);
	for (size_t i = 0;
	     name && uncore_family_event(explain->family, i, &subject->info);
	     i++)
		if (!strcmp(subject->info.box, subject->box.name) &&
		    !strcmp(subject->info.name, name))
			return true;
	return false;
}

static int explain_text(struct explain *explain, const char *text)
{
	struct explain_subject subject;
	struct uncore_event *event = NULL;
	char *error = NULL;
	bool named;
	int code = uncore_event_parse(explain->family, text, &event, &error);

	if (code && !complete(explain, text, &event))
		code = 0;
	if (code && (code != UNCORE_ERR_UNKNOWN_EVENT || strchr(text, '/')))
		return tool_fail_with(code, error);
	free(error);
	if (code)
		return EXPLAIN_UNKNOWN;
	named = describe(explain, event, &subject);
	explain_event_plan(explain, &subject);
	(named ? explain_event_page : explain_event_raw)(explain, &subject);
	free(subject.writes);
	free(subject.refused);
	uncore_event_free(event);
	return TOOL_OK;
}

/* The slash at the end of BOX/EVENT may be left out here. */
int explain_event(struct explain *explain, const char *text)
{
	size_t length = strlen(text);
	bool is_open = strchr(text, '/') && text[length - 1] != '/';
	char *closed = tool_print("%s%s", text, is_open ? "/" : "");
	int status = explain_text(explain, closed);

	free(closed);
	return status;
}
