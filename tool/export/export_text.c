/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The two formats differ in little: in OpenMetrics a family is called without
 * the ending of its samples, may have a unit, and the text has an end; in the
 * older one what tells by its labels is a gauge.
 */
#include "export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const endings[] = { [EXPORT_COUNTER] = "_total",
				       [EXPORT_GAUGE] = "",
				       [EXPORT_INFO] = "_info" };

void export_text_family(struct export_text *text,
			const struct export_family *family)
{
	text->family = family;
	text->is_begun = false;
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

static void begin(const struct export_text *text)
{
	static const char *const types[] = { "counter", "gauge", "info" };
	const struct export_family *family = text->family;
	bool is_open = text->is_open_metrics;
	const char *end = is_open ? "" : endings[family->kind];

	fprintf(text->file, "# HELP %s%s ", family->name, end);
	escape(text->file, family->help, is_open);
	fprintf(text->file, "\n# TYPE %s%s %s\n", family->name, end,
		!is_open && family->kind == EXPORT_INFO ? "gauge"
							: types[family->kind]);
	if (is_open && *family->unit)
		fprintf(text->file, "# UNIT %s %s\n", family->name,
			family->unit);
}

static void write_name(struct export_text *text,
		       const struct export_label *labels)
{
	if (!text->is_begun)
		begin(text);
	text->is_begun = true;
	fprintf(text->file, "%s%s", text->family->name,
		endings[text->family->kind]);
	for (unsigned i = 0; labels && labels[i].name; i++) {
		fprintf(text->file, "%s%s=\"", i ? "," : "{", labels[i].name);
		escape(text->file, labels[i].value, true);
		fputc('"', text->file);
	}
	fputs(labels ? "} " : " ", text->file);
}

/* The fewest digits that give the number again. */
void export_text_sample(struct export_text *text,
			const struct export_label *labels, double value)
{
	char digits[32];
	int precision = 15;

	if (!isfinite(value))
		return;
	write_name(text, labels);
	do
		snprintf(digits, sizeof(digits), "%.*g", precision, value);
	while (strtod(digits, NULL) != value && precision++ < 17);
	fprintf(text->file, "%s\n", digits);
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
