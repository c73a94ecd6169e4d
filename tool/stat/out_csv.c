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

#include "report.h"
#include "tool/tool.h"

/* An event may hold the separator itself. */
static void word(FILE *file, const struct report *report, const char *text)
{
	text = tool_shown(text);
	if (strstr(text, report->separator))
		fprintf(file, "\"%s\"", text);
	else
		fputs(text, file);
}

/* Of an interval, before all else, as perf has it. */
static void time_of(FILE *file, const struct report *report)
{
	if (report->lap)
		fprintf(file, "%.9f%s", report->time, report->separator);
}

static void place(FILE *file, const struct report *report, int socket,
		  const char *box, unsigned num)
{
	if (socket < 0)
		return;
	fprintf(file, "S%d%s%s%s%u%s", socket,
		report->per_box && *box ? "-" : "",
		report->per_box ? tool_shown(box) : "", report->separator, num,
		report->separator);
}

/* With -r, where perf has it: behind the event. */
static void spread(FILE *file, const struct report *report, double error,
		   double value)
{
	if (report->repeats && (isnan(error) || (error > 0 && !value)))
		fprintf(file, "%sn/a", report->separator);
	else if (report->repeats)
		fprintf(file, "%s%.2f%%", report->separator,
			error > 0 ? 100 * error / fabs(value) : 0);
}

static void number(FILE *file, const char *separator, double value)
{
	if (isnan(value))
		fprintf(file, "%sn/a", separator);
	else
		fprintf(file, "%s%.1f", separator, value);
}

/* How a value is told, as in text. */
static const char *word_of(bool valid, bool is_estimate,
			   enum uncore_telling telling)
{
	if (!valid)
		return "n/a";
	if (!is_estimate)
		return "exact";
	return telling == UNCORE_TELL_ABOUT   ? "about"
	       : telling == UNCORE_TELL_FEWER ? "fewer"
					      : "estimate";
}

static void told(FILE *file, const struct report *report, const char *how)
{
	fprintf(file, "%s%u%s%s", report->separator, report_errors_hold(report),
		report->separator, how);
}

static void count(FILE *file, const struct report *report,
		  const struct report_count *row)
{
	const char *x = report->separator;

	time_of(file, report);
	place(file, report, row->socket, row->box, row->num_counters);
	if (row->valid)
		fprintf(file, "%" PRIu64, row->value);
	else
		fputs("n/a", file);
	fputs(x, file);
	word(file, report, row->unit ? row->unit : "");
	fputs(x, file);
	word(file, report, row->event);
	spread(file, report, row->spread, (double)row->value);
	fprintf(file, "%s%.0f%s%.2f%s%s", x,
		(row->is_estimate ? row->seconds : report->run.seconds) * 1e9,
		x, row->valid ? 100 * row->share : 0, x, x);
	if (report_has_errors(report)) {
		number(file, x, row->valid ? row->standard_error : NAN);
		number(file, x, row->valid ? row->error : NAN);
		told(file, report,
		     word_of(row->valid, row->is_estimate, row->telling));
	}
	fputs("\n", file);
}

static void metric(FILE *file, const struct report *report,
		   const struct report_metric *row)
{
	const char *x = report->separator;
	char box[24] = "";

	if (row->instance >= 0)
		snprintf(box, sizeof(box), "%s%d", row->metric.box,
			 row->instance);
	time_of(file, report);
	place(file, report, row->socket, box, 0);
	fprintf(file, "%s%s%s", x, x, tool_shown(row->metric.name));
	spread(file, report, row->spread, row->value);
	fprintf(file, "%s%.0f%s%.2f%s", x, report->run.seconds * 1e9, x,
		row->valid ? 100 * row->share : 0, x);
	if (row->valid)
		fprintf(file, "%.6g", row->value);
	else
		fputs("n/a", file);
	fprintf(file, "%s%s", x, tool_shown(row->metric.unit));
	if (report_has_errors(report) && row->valid)
		fprintf(file, "%s%.4g%s%.4g", x, row->standard_error, x,
			row->error);
	else if (report_has_errors(report))
		fprintf(file, "%sn/a%sn/a", x, x);
	if (report_has_errors(report))
		told(file, report,
		     word_of(row->valid, row->share < 1, row->telling));
	fputs("\n", file);
}

const struct report_output out_csv = {
	.count = count,
	.metric = metric,
};
