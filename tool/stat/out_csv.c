/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Separated values in the order of `perf stat -x`: value, unit, event, run time
 * in ns, percentage of the time counted, metric value, metric unit. Split by
 * socket or box, a line begins with the place and the number of counters that
 * were summed, as with perf's --per-socket. Where events took turns or windows
 * were looked at in detail, four fields follow: the standard error, the half
 * width of an interval, how many times in 100 that holds, and how the value is
 * told. Regions have no place in it, but for one that the whole report is
 * about. Lines of an interval begin with the time of its end.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "stat.h"
#include "tool/tool.h"

/* An event may hold the separator itself. */
static void word(FILE *file, const char *separator, const char *text)
{
	bool is_quoted = strstr(tool_shown(text), separator);

	fprintf(file, is_quoted ? "\"%s\"" : "%s", tool_shown(text));
}

static void place(FILE *file, const struct report *report,
		  const struct report_row *row)
{
	bool has_box = report->settings->per_box && *row->box;
	const char *x = report->settings->separator;

	if (row->socket >= 0)
		fprintf(file, "S%d%s%s%s%u%s", row->socket, has_box ? "-" : "",
			has_box ? tool_shown(row->box) : "", x,
			row->num_counters, x);
}

/* With -r, where perf has it: behind the event. */
static void spread(FILE *file, const char *x, const struct report_row *row)
{
	if (isnan(row->spread) || (row->spread > 0 && !row->value))
		fprintf(file, "%sn/a", x);
	else
		fprintf(file, "%s%.2f%%", x,
			row->spread > 0 ? 100 * row->spread / fabs(row->value)
					: 0);
}

static void error(FILE *file, const char *x, const struct report_row *row,
		  double value)
{
	fputs(x, file);
	if (row->valid && !isnan(value))
		fprintf(file, row->is_metric ? "%.4g" : "%.1f", value);
	else
		fputs("n/a", file);
}

/* How a value is told, as in text. */
static const char *told(const struct report_row *row)
{
	if (!row->valid)
		return "n/a";
	if (!row->is_estimate)
		return "exact";
	return row->telling == UNCORE_TELL_ABOUT   ? "about"
	       : row->telling == UNCORE_TELL_FEWER ? "fewer"
						   : "estimate";
}

static void put(FILE *file, const struct report *report,
		const struct report_row *row)
{
	const char *x = report->settings->separator;
	char value[40] = "n/a";

	if (row->valid && row->is_metric)
		snprintf(value, sizeof(value), "%.6g", row->value);
	else if (row->valid)
		snprintf(value, sizeof(value), "%" PRIu64, row->count);
	if (report->lap)
		fprintf(file, "%.9f%s", report->lap_end, x);
	place(file, report, row);
	fprintf(file, "%s%s", row->is_metric ? "" : value, x);
	word(file, x, row->is_metric || !row->unit ? "" : row->unit);
	fputs(x, file);
	word(file, x, row->name);
	if (report->repeats)
		spread(file, x, row);
	fprintf(file, "%s%.0f%s%.2f%s%s%s", x, row->seconds * 1e9, x,
		row->valid ? 100 * row->share : 0, x,
		row->is_metric ? value : "", x);
	word(file, x, row->is_metric ? row->unit : "");
	if (report->turns || report->is_sampled) {
		error(file, x, row, row->standard_error);
		error(file, x, row, row->error);
		fprintf(file, "%s%d%s%s", x,
			report->turns ? REPORT_TURNS_HOLD : REPORT_WINDOWS_HOLD,
			x, told(row));
	}
	fputc('\n', file);
}

void out_csv(FILE *file, const struct report *report)
{
	for (size_t i = 0; i < report->about.num_rows; i++)
		if (!report->about.rows[i].is_sum)
			put(file, report, &report->about.rows[i]);
}
