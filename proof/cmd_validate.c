/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore model validate`: figures published for real machines beside the
 * model's. docs/validation.md says how each is measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proof/validate.h"
#include "tool/json.h"
#include "tool/page.h"
#include "tool/tool.h"

struct settings {
	const char *machine; /* NULL: all */
	const char *pairs;   /* NULL: figures */
	bool json, with_long;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row option_rows[] = {
	{ "machine", 'm', "NAME",
	  "Only the figures of one machine (default: of all)", AT(machine) },
	OPTION_JSON(AT(json)),
	{ "long", 0, NULL, "Also the figures that take long", AT(with_long) },
	{ "pairs", 0, "PATTERN",
	  "Instead of figures run the pairs of loops whose names fit, '*' for "
	  "all (which takes long)",
	  AT(pairs) },
	{ 0 },
};

static const struct options options = {
	.rows = option_rows,
	.help = "Measure on the model what was published for real machines, "
		"and compare."
		"\vA figure that is known not to be met says why. Ends with 1 "
		"if another one is outside the range in which it is accepted, "
		"or if such a one is worse than is known, or met. "
		"docs/validation.md explains the figures.",
	.too_much = "is too much: all figures are measured",
};

static bool passes(const struct validate_row *row)
{
	return row->value >= row->low && row->value <= row->high;
}

/* What is said behind a figure; "" where all is well. */
static const char *verdict(const struct validate_row *row)
{
	double limit = row->limit, value = row->value;

	if (!row->unmet)
		return passes(row) ? "" : "OUTSIDE";
	if (passes(row))
		return "MET, AND NOTED AS NOT MET";
	if (limit < row->low ? value < limit || value > row->high
			     : value > limit || value < row->low)
		return "WORSE THAN KNOWN";
	return "";
}

/* In per cent of the published figure; where a range was published, of the
 * nearer end of it, and 0 inside. */
static double deviation(const struct validate_row *row)
{
	double from = row->value < row->published_low	 ? row->published_low
		      : row->value > row->published_high ? row->published_high
							 : row->value;

	return row->value == from ? 0 : (row->value - from) / from * 100;
}

static void range_text(char *text, size_t size, double low, double high,
		       unsigned digits)
{
	if (isinf(high))
		snprintf(text, size, ">= %.*f", digits, low);
	else if (low == high)
		snprintf(text, size, "%.*f", digits, low);
	else if (low <= 0)
		snprintf(text, size, "<= %.*f", digits, high);
	else
		snprintf(text, size, "%.*f-%.*f", digits, low, digits, high);
}

void validate_put_published(struct page *page, const char *machine)
{
	const struct validate_row *row;
	char published[32], *text;

	page_heading(page, "Published ('uncore model validate' measures it)");
	json_open(page->json, "published", '[');
	for (unsigned i = 0; (row = validate_next(machine, &i));) {
		range_text(published, sizeof(published), row->published_low,
			   row->published_high, row->digits);
		json_add_row(page->json,
			     "metric:%s published:%s unit:%s machine:%s "
			     "source:%s",
			     row->metric, published, row->unit, row->machine,
			     row->source);
		text = tool_print("%s: %s %s, %s (%s)", row->metric, published,
				  row->unit, row->machine, row->source);
		if (!page->json) {
			fputs("    ", page->file);
			page_wrap(page->file, text, 4, 8);
		}
		free(text);
	}
	json_close(page->json);
}

static void print_text(const struct validate_row *rows)
{
	char published[32], accept[32];

	printf("%-62s %12s %8s %9s %12s %-5s\n", "figure", "published", "model",
	       "deviation", "accepted", "unit");
	for (; rows->metric; rows++) {
		range_text(published, sizeof(published), rows->published_low,
			   rows->published_high, rows->digits);
		range_text(accept, sizeof(accept), rows->low, rows->high,
			   rows->digits);
		printf("%-62s %12s %8.*f %+8.1f%% %12s %-5s  %s\n",
		       rows->metric, published, rows->digits, rows->value,
		       deviation(rows), accept, rows->unit, verdict(rows));
		printf("    %s; %s\n", rows->machine, rows->source);
		if (rows->unmet)
			printf("    not met: %s\n", rows->unmet);
	}
}

static void print_json(const struct validate_row *rows)
{
	struct json json = { .file = stdout };

	json_open(&json, NULL, '{');
	json_string(&json, "schema", "uncore-validate-1");
	json_open(&json, "rows", '[');
	for (; rows->metric; rows++)
		json_add_row(&json,
			     "metric:%s unit:%s source:%s machine:%s "
			     "published_low:%g "
			     "published_high:%g model:%g deviation_percent:%g "
			     "accept_low:%g accept_high:%g passed:%d unmet:%s "
			     "unmet_limit:%g complaint:%s",
			     rows->metric, rows->unit, rows->source,
			     rows->machine, rows->published_low,
			     rows->published_high, rows->value, deviation(rows),
			     rows->low, rows->high, passes(rows), rows->unmet,
			     rows->unmet ? rows->limit : NAN, verdict(rows));
	json_close(&json);
	json_close(&json);
}

int cmd_validate(int argc, char **argv)
{
	const struct validate_row *rows;
	struct settings settings = { 0 };
	int status;

	options_parse(&options, argc, argv, 0, &settings);
	if (settings.machine && !tool_family(settings.machine))
		return TOOL_USAGE;
	status = settings.pairs ? validate_measure_pairs(settings.machine,
							 settings.pairs, &rows)
				: validate_measure(settings.machine,
						   settings.with_long, &rows);
	if (status)
		return status;
	if (settings.json)
		print_json(rows);
	else
		print_text(rows);
	for (; rows->metric; rows++)
		if (*verdict(rows))
			status = TOOL_FAILED;
	return tool_finish(status, stdout, NULL);
}
