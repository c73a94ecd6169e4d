/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A name is made of words of lower case with '_' between them. What checks
 * names takes a word that is short for a unit (m, s, b, ms ...) for that unit:
 * as a unit mask, a state of a line say, it becomes maskm, masks, maskb; within
 * a name it is joined to the word before.
 */
#include "export_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"
#include "uncore/event.h"
#include "uncore/metric.h"

/* Abbreviations that stand for units. */
static const char *const short_units[] = {
	"s",  "ms", "us", "ns", "sec", "b", "kb", "mb",
	"gb", "tb", "pb", "m",	"h",   "d", NULL,
};

static bool is_short_unit(const char *word, size_t length)
{
	for (unsigned i = 0; short_units[i]; i++)
		if (strlen(short_units[i]) == length &&
		    !strncasecmp(short_units[i], word, length))
			return true;
	return false;
}

static size_t word_length(const char *text, size_t size)
{
	size_t length = 0;

	while (length < size && isalnum((unsigned char)text[length]))
		length++;
	return length;
}

/* Writes the words of a text, each with '_' before it, or `before_short`. */
static void write_words(FILE *file, const char *text, const char *before_short)
{
	size_t size = strlen(text);

	while (size) {
		size_t length = word_length(text, size);

		if (length)
			fputs(is_short_unit(text, length) ? before_short : "_",
			      file);
		for (size_t i = 0; i < length; i++)
			fputc(tolower((unsigned char)text[i]), file);
		length += length < size; /* and what ends it */
		text += length;
		size -= length;
	}
}

static void write_text(FILE *file, const char *text)
{
	write_words(file, text, "");
}

/* What stands between the slashes of an event's text, from the first comma on
 * or, of one that has no name, all of it. */
static void write_options(FILE *file, const struct uncore_event *event)
{
	const char *text = uncore_event_text(event);
	const char *slash = strchr(text, '/');
	const char *from = slash ? slash + 1 : text;
	const char *comma = strchr(from, ',');

	if (!uncore_event_name(event))
		write_text(file, from);
	else if (comma)
		write_text(file, comma);
}

char *export_event_name(const struct uncore_event *event)
{
	const char *mask;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fputs("uncore", file);
	write_text(file, uncore_event_box(event));
	if (uncore_event_name(event))
		write_text(file, uncore_event_name(event));
	for (size_t i = 0; (mask = uncore_event_unit_mask(event, i)); i++)
		write_words(file, mask, "_mask");
	write_options(file, event);
	return fclose(file) ? NULL : text;
}

bool export_is_same_event(const struct uncore_event *a,
			  const struct uncore_event *b)
{
	const char *at_a = strchr(uncore_event_canonical(a), '/');
	const char *at_b = strchr(uncore_event_canonical(b), '/');

	return at_a && at_b && !strcmp(at_a, at_b) &&
	       !strcmp(uncore_event_box(a), uncore_event_box(b));
}

/* A metric's unit, and what it is here. Totals of things that are counted have
 * no unit but what their name says. */
static const struct {
	const char *from;
	struct export_unit to;
} units[] = {
	{ "%", { "ratio", 1, 100 } },
	{ "ratio", { "ratio", 1, 1 } },
	{ "bytes", { "bytes", 1, 1 } },
	{ "kB", { "bytes", 1e3, 1 } },
	{ "MB", { "bytes", 1e6, 1 } },
	{ "GB", { "bytes", 1e9, 1 } },
	{ "KiB", { "bytes", 1024, 1 } },
	{ "MiB", { "bytes", 1048576, 1 } },
	{ "GiB", { "bytes", 1073741824, 1 } },
	{ "B/s", { "bytes_per_second", 1, 1 } },
	{ "kB/s", { "bytes_per_second", 1e3, 1 } },
	{ "MB/s", { "bytes_per_second", 1e6, 1 } },
	{ "GB/s", { "bytes_per_second", 1e9, 1 } },
	{ "MiB/s", { "bytes_per_second", 1048576, 1 } },
	{ "GiB/s", { "bytes_per_second", 1073741824, 1 } },
	{ "/s", { "per_second", 1, 1 } },
	{ "k/s", { "per_second", 1e3, 1 } },
	{ "M/s", { "per_second", 1e6, 1 } },
	{ "G/s", { "per_second", 1e9, 1 } },
	{ "s", { "seconds", 1, 1 } },
	{ "ms", { "seconds", 1, 1e3 } },
	{ "us", { "seconds", 1, 1e6 } },
	{ "ns", { "seconds", 1, 1e9 } },
	{ "Hz", { "hertz", 1, 1 } },
	{ "MHz", { "hertz", 1e6, 1 } },
	{ "GHz", { "hertz", 1e9, 1 } },
	{ "J", { "joules", 1, 1 } },
	{ "W", { "watts", 1, 1 } },
	{ "C", { "celsius", 1, 1 } },
	{ "cycles", { "cycles", 1, 1 } },
	{ "entries", { "entries", 1, 1 } },
	{ "packets", { "packets", 1, 1 } },
	{ "flits", { "flits", 1, 1 } },
};

enum { NUM_UNITS = sizeof(units) / sizeof(units[0]) };

struct export_unit export_metric_unit(const struct uncore_metric *metric)
{
	for (unsigned i = 0; i < NUM_UNITS; i++)
		if (!strcmp(metric->unit, units[i].from))
			return units[i].to;
	return (struct export_unit){ "", 1, 1 };
}

/* Whether words end with these. */
static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), of_end = strlen(end);

	return length > of_end && text[length - of_end - 1] == '_' &&
	       !strcmp(text + length - of_end, end);
}

char *export_metric_name(const struct uncore_metric *metric,
			 const struct export_unit *unit)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fputs("uncore", file);
	write_text(file, metric->name);
	fflush(file);
	if (*unit->suffix && !ends_with(text, unit->suffix))
		fprintf(file, "_%s", unit->suffix);
	return fclose(file) ? NULL : text;
}
