/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The two formats differ in little: in OpenMetrics a family is called without
 * the ending of its samples, may have a unit, and the text has an end; in the
 * older one what tells by its labels is a gauge.
 */
#include "export_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void export_text_family(struct export_text *text, enum export_kind kind,
			const char *name, const char *unit, const char *help)
{
	text->kind = kind;
	text->name = name;
	text->unit = unit;
	text->help = help;
	text->is_begun = false;
}

static const char *ending(const struct export_text *text)
{
	return text->kind == EXPORT_COUNTER ? "_total"
	       : text->kind == EXPORT_INFO  ? "_info"
					    : "";
}

static void escape(FILE *file, const char *text, bool quotes)
{
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\\\", file);
		else if (*text == '\n')
			fputs("\\n", file);
		else if (*text == '"' && quotes)
			fputs("\\\"", file);
		else
			fputc(*text, file);
}

static void begin(struct export_text *text)
{
	static const char *const types[] = { "counter", "gauge", "info" };
	bool is_open = text->is_open_metrics;
	const char *end = is_open ? "" : ending(text);

	if (text->is_begun)
		return;
	text->is_begun = true;
	fprintf(text->file, "# HELP %s%s ", text->name, end);
	escape(text->file, text->help, is_open);
	fprintf(text->file, "\n# TYPE %s%s %s\n", text->name, end,
		!is_open && text->kind == EXPORT_INFO ? "gauge"
						      : types[text->kind]);
	if (is_open && *text->unit)
		fprintf(text->file, "# UNIT %s %s\n", text->name, text->unit);
}

static void write_name(struct export_text *text,
		       const struct export_label *labels)
{
	begin(text);
	fprintf(text->file, "%s%s", text->name, ending(text));
	for (unsigned i = 0; labels && labels[i].name; i++) {
		fprintf(text->file, "%s%s=\"", i ? "," : "{", labels[i].name);
		escape(text->file, labels[i].value, true);
		fputc('"', text->file);
	}
	fputs(labels && labels[0].name ? "} " : " ", text->file);
}

/* The fewest digits that give the number again. */
static void write_number(FILE *file, double value)
{
	char digits[32];

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	fputs(digits, file);
}

void export_text_sample(struct export_text *text,
			const struct export_label *labels, double value)
{
	if (!isfinite(value))
		return;
	write_name(text, labels);
	write_number(text->file, value);
	fputc('\n', text->file);
}

void export_text_count(struct export_text *text,
		       const struct export_label *labels, uint64_t value)
{
	write_name(text, labels);
	fprintf(text->file, "%" PRIu64 "\n", value);
}

void export_text_end(struct export_text *text)
{
	if (text->is_open_metrics)
		fputs("# EOF\n", text->file);
}
