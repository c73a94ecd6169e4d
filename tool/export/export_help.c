/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What stands behind HELP: the event or metric as the command line has it, in
 * the words of `uncore list`.
 */
#include <stdlib.h>
#include <string.h>

#include "export_view.h"
#include "tool/tool.h"
#include "uncore/event.h"

/* The row of an event; false: it is given by codes. */
static bool find_event(const struct uncore_family *family,
		       const struct uncore_event *event,
		       struct uncore_event_info *info)
{
	const char *name = uncore_event_name(event);

	for (size_t i = 0; name && uncore_family_event(family, i, info); i++)
		if (!strcmp(info->name, name) &&
		    !strcmp(info->box, uncore_event_box(event)))
			return true;
	return false;
}

/* A sentence without its end. */
static void write_sentence(FILE *file, const char *text)
{
	size_t length = strlen(text);

	if (length && text[length - 1] == '.')
		length--;
	fprintf(file, "%.*s", (int)length, text);
}

static void write_masks(FILE *file, const struct uncore_event *event,
			const struct uncore_event_info *info)
{
	struct uncore_unit_mask mask;
	const char *name;

	for (size_t m = 0; (name = uncore_event_unit_mask(event, m)); m++)
		for (size_t i = 0; uncore_event_info_unit_mask(info, i, &mask);
		     i++)
			if (!strcmp(mask.name, name) && *mask.brief) {
				fprintf(file, "; %s: ", name);
				write_sentence(file, mask.brief);
			}
}

static const char *note(bool takes_turns)
{
	return takes_turns ? " An estimate: it takes turns with other events, "
			     "see uncore_share_ratio."
			   : "";
}

char *export_event_help(const struct uncore_family *family,
			const struct uncore_event *event, bool takes_turns)
{
	struct uncore_event_info info;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fprintf(file, "%s in %s", uncore_event_text(event),
		uncore_event_unit(event));
	if (find_event(family, event, &info)) {
		fputs(": ", file);
		write_sentence(file, info.brief);
		write_masks(file, event, &info);
	}
	fprintf(file, ".%s", note(takes_turns));
	return fclose(file) ? NULL : text;
}

char *export_metric_help(const struct uncore_metric *metric,
			 const struct export_unit *unit, bool takes_turns)
{
	bool is_total = metric->kind == UNCORE_METRIC_TOTAL;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	write_sentence(file, metric->brief);
	fprintf(file, " (-M %s)", metric->name);
	if (!*unit->suffix && *metric->unit) {
		fputs(", in ", file);
		write_sentence(file, metric->unit);
	}
	fprintf(file, ".%s%s",
		is_total ? "" : " Over the time between two sweeps.",
		note(takes_turns));
	return fclose(file) ? NULL : text;
}
