/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A name is made of words of lower case with '_' between them. What checks
 * names takes a word that is short for a unit (m, s, b, ms ...) for that unit:
 * as a unit mask, a state of a line say, it becomes maskm, masks, maskb; within
 * a name it is joined to the word before.
 */
#include "export.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"
#include "uncore/event.h"
#include "uncore/metric.h"

/* Abbreviations that stand for units. */
static bool is_short_unit(const char *word, size_t length)
{
	static const char *const units[] = { "s",  "ms", "us", "ns", "sec",
					     "b",  "kb", "mb", "gb", "tb",
					     "pb", "m",	 "h",  "d",  NULL };
	unsigned i = 0;

	while (units[i] && (strlen(units[i]) != length ||
			    strncasecmp(units[i], word, length) != 0))
		i++;
	return units[i];
}

/* Writes the words of a text, each with '_' before it, or `before_short`. */
static void write_words(FILE *file, const char *text, const char *before_short)
{
	for (size_t length; *text; text += length) {
		for (length = 0; isalnum((unsigned char)text[length]);)
			length++;
		if (length)
			fputs(is_short_unit(text, length) ? before_short : "_",
			      file);
		for (size_t i = 0; i < length; i++)
			fputc(tolower((unsigned char)text[i]), file);
		length += text[length] != '\0'; /* and what ends it */
	}
}

/* With what stands between the slashes of its text, from the first comma on or,
 * of an event that has no name, all of it. */
char *export_event_name(const struct uncore_event *event)
{
	const char *name = uncore_event_name(event), *mask;
	const char *slash = strchr(uncore_event_text(event), '/');
	const char *options = slash ? slash + 1 : uncore_event_text(event);
	char *text = NULL;
	FILE *file = tool_text(&text);

	fputs("uncore", file);
	write_words(file, uncore_event_box(event), "");
	if (name)
		write_words(file, name, "");
	for (size_t i = 0; (mask = uncore_event_unit_mask(event, i)); i++)
		write_words(file, mask, "_mask");
	if (name)
		options = strchr(options, ',');
	if (options)
		write_words(file, options, "");
	fclose(file);
	return text;
}

bool export_is_same_event(const struct uncore_event *a,
			  const struct uncore_event *b)
{
	const char *at_a = strchr(uncore_event_canonical(a), '/');
	const char *at_b = strchr(uncore_event_canonical(b), '/');

	return at_a && at_b && !strcmp(at_a, at_b) &&
	       !strcmp(uncore_event_box(a), uncore_event_box(b));
}

/* A sentence without its end. */
static void write_sentence(FILE *file, const char *text)
{
	size_t length = strlen(text);

	if (length && text[length - 1] == '.')
		length--;
	fprintf(file, "%.*s", (int)length, text);
}

/* What `uncore list` says of an event; nothing of one given by codes. */
static void write_event(FILE *file, const struct uncore_family *family,
			const struct uncore_event *event)
{
	const char *name = uncore_event_name(event), *mask_name;
	struct uncore_event_info info;
	struct uncore_unit_mask mask;
	size_t i = 0;

	if (!name)
		return;
	do
		if (!uncore_family_event(family, i++, &info))
			return;
	while (strcmp(info.name, name) ||
	       strcmp(info.box, uncore_event_box(event)));
	fputs(": ", file);
	write_sentence(file, info.brief);
	for (size_t m = 0; (mask_name = uncore_event_unit_mask(event, m)); m++)
		for (i = 0; uncore_event_info_unit_mask(&info, i, &mask); i++)
			if (!strcmp(mask.name, mask_name) && *mask.brief) {
				fprintf(file, "; %s: ", mask_name);
				write_sentence(file, mask.brief);
			}
}

static char *end_help(FILE *file, char **text, bool takes_turns)
{
	if (takes_turns)
		fputs(" An estimate: it takes turns with other events, see "
		      "uncore_share_ratio.",
		      file);
	fclose(file);
	return *text;
}

char *export_event_help(const struct uncore_family *family,
			const struct uncore_event *event, bool takes_turns)
{
	char *text = NULL;
	FILE *file = tool_text(&text);

	fprintf(file, "%s in %s", uncore_event_text(event),
		uncore_event_unit(event));
	write_event(file, family, event);
	fputc('.', file);
	return end_help(file, &text, takes_turns);
}

char *export_metric_help(const struct uncore_metric *metric,
			 const struct export_unit *unit, bool takes_turns)
{
	char *text = NULL;
	FILE *file = tool_text(&text);

	write_sentence(file, metric->brief);
	fprintf(file, " (-M %s)", metric->name);
	if (!*unit->suffix && *metric->unit) {
		fputs(", in ", file);
		write_sentence(file, metric->unit);
	}
	fprintf(file, ".%s",
		metric->kind == UNCORE_METRIC_TOTAL
			? ""
			: " Over the time between two sweeps.");
	return end_help(file, &text, takes_turns);
}

/* Metrics' units behind a prefix, and what they are here. Totals of things that
 * are counted have no unit but what their name says. */
static const struct {
	const char *unit, *suffix;
} units[] = {
	{ "ratio", "ratio" },
	{ "bytes", "bytes" },
	{ "B", "bytes" },
	{ "B/s", "bytes_per_second" },
	{ "/s", "per_second" },
	{ "s", "seconds" },
	{ "Hz", "hertz" },
	{ "J", "joules" },
	{ "W", "watts" },
	{ "C", "celsius" },
	{ "cycles", "cycles" },
	{ "entries", "entries" },
	{ "packets", "packets" },
	{ "flits", "flits" },
	{ 0 },
};

static const struct {
	const char *prefix;
	double times, over;
} prefixes[] = {
	{ "", 1, 1 },
	{ "k", 1e3, 1 },
	{ "M", 1e6, 1 },
	{ "G", 1e9, 1 },
	{ "Ki", 1024, 1 },
	{ "Mi", 1048576, 1 },
	{ "m", 1, 1e3 },
	{ "u", 1, 1e6 },
	{ "n", 1, 1e9 },
	{ "Gi", 1 << 30, 1 },
	{ 0 },
};

struct export_unit export_metric_unit(const struct uncore_metric *metric)
{
	if (!strcmp(metric->unit, "%"))
		return (struct export_unit){ "ratio", 1, 100 };
	for (unsigned i = 0; prefixes[i].prefix; i++) {
		size_t length = strlen(prefixes[i].prefix);

		if (strncmp(metric->unit, prefixes[i].prefix, length))
			continue;
		for (unsigned u = 0; units[u].unit; u++)
			if (!strcmp(metric->unit + length, units[u].unit))
				return (struct export_unit){ units[u].suffix,
							     prefixes[i].times,
							     prefixes[i].over };
	}
	return (struct export_unit){ "", 1, 1 };
}

char *export_metric_name(const struct uncore_metric *metric,
			 const struct export_unit *unit)
{
	char *text = NULL;
	FILE *file = tool_text(&text);
	size_t length, of_unit = strlen(unit->suffix);

	fputs("uncore", file);
	write_words(file, metric->name, "");
	fflush(file);
	length = strlen(text);
	if (of_unit &&
	    (length <= of_unit || text[length - of_unit - 1] != '_' ||
	     strcmp(text + length - of_unit, unit->suffix) != 0))
		fprintf(file, "_%s", unit->suffix);
	fclose(file);
	return text;
}
