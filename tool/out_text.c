/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The report for people. A summary shows its figures only; events that were
 * asked for are shown one by one.
 */
#include <math.h>
#include <string.h>

#include "regions.h"
#include "report.h"
#include "tool.h"

enum { MAX_REASONS = 4, WHAT_ROOM = 4096 };

static void heading(FILE *file, const struct report *part)
{
	const struct region *region = part->region;
	char name[UNCORE_PROGRAM_REGION_BYTES];

	tool_clean(region->name, name, sizeof(name));
	fprintf(file,
		" Region '%s', entered %llu time%s: %.6f seconds simulated, "
		"%llu uncore cycles\n",
		name, (unsigned long long)region->entered,
		region->entered == 1 ? "" : "s", part->run.seconds,
		(unsigned long long)region->cycles);
}

static void begin(FILE *file, const struct report *report)
{
	bool is_here = !strcmp(report->origin, "model");
	char what[WHAT_ROOM];

	tool_clean(report->what, what, sizeof(what));
	fprintf(file, "\n Uncore of %s, %u socket%s, %s%s%s: %s\n",
		report->machine, report->num_sockets,
		report->num_sockets == 1 ? "" : "s",
		report->is_modelled ? "counted by the model"
				    : "counted by the processor",
		is_here ? "" : " at ", is_here ? "" : report->origin, what);
	if (report->region)
		heading(file, report);
	fprintf(file, "\n");
}

/* 1234567 as 1,234,567. */
static const char *grouped(uint64_t value, char *text, size_t size)
{
	char digits[24];
	size_t length, at = 0;

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	length = strlen(digits);
	for (size_t i = 0; i < length && at + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = 0;
	return text;
}

static void place(FILE *file, int socket, const char *box)
{
	if (socket >= 0)
		fprintf(file, "S%d %-6s", socket, box);
}

/* Behind the event: part of the time, standard error, and the half width of
 * what holds the true count 99 times in 100. */
static void estimate(FILE *file, const struct report_count *row)
{
	char deviation[40], error[40];

	fprintf(file, "   # %.2f %% of the time", 100 * row->share);
	if (isnan(row->error)) {
		fprintf(file, "; %s", row->doubt);
		return;
	}
	fprintf(file, "; +- %s",
		grouped((uint64_t)ceil(row->error), error, sizeof(error)));
	if (row->value)
		fprintf(file, " (%.2f %%)",
			100 * row->error / (double)row->value);
	fprintf(file, ", standard error %s",
		grouped((uint64_t)ceil(row->standard_error), deviation,
			sizeof(deviation)));
}

static void count(FILE *file, const struct report *report,
		  const struct report_count *row)
{
	char text[40];

	if (report->summary && (row->valid || !row->note))
		return;
	fprintf(file, " ");
	place(file, row->socket, report->per_box ? row->box : "");
	fprintf(file, "%20s  %s",
		row->valid ? grouped(row->value, text, sizeof(text)) : "n/a",
		row->event);
	if (row->valid && row->is_estimate)
		estimate(file, row);
	if (*row->note)
		fprintf(file, "   # %s", row->note);
	if (row->wrapped)
		fprintf(file, "   # may be too low: %s", row->wrapped);
	fprintf(file, "\n");
}

/* Bytes and large numbers with a prefix, all others with few digits. */
static void quantity(double value, const char *unit, char *text, size_t size)
{
	static const char *const binary[] = { "bytes", "KiB", "MiB", "GiB",
					      "TiB" };
	char digits[40];
	unsigned step = 0;

	if (!strcmp(unit, "bytes")) {
		while (value >= 1024 && step < 4) {
			value /= 1024;
			step++;
		}
		snprintf(text, size, step ? "%.2f %s" : "%.0f %s", value,
			 binary[step]);
		return;
	}
	if (value < 1e18 &&
	    (value >= 10000 || (value >= 1000 && floor(value) == value)))
		snprintf(text, size, "%s %s",
			 grouped((uint64_t)(value + 0.5), digits,
				 sizeof(digits)),
			 unit);
	else if (!strcmp(unit, "s"))
		snprintf(text, size, "%.6f s", value);
	else
		snprintf(text, size,
			 floor(value) == value ? "%.0f %s"
			 : fabs(value) < 0.095 ? "%.2g %s"
					       : "%.2f %s",
			 value, unit);
}

static void metric(FILE *file, const struct report *report,
		   const struct report_metric *row)
{
	char text[64] = "n/a", box[24] = "";

	if (row->valid)
		quantity(row->value, row->metric.unit, text, sizeof(text));
	fprintf(file, " ");
	if (row->instance >= 0)
		snprintf(box, sizeof(box), "%s%d", row->metric.box,
			 row->instance);
	if (report->per_socket && row->socket < 0)
		fprintf(file, "%-*s", report->per_box ? 9 : 3, "");
	else if (report->per_box)
		place(file, row->socket, box);
	else if (row->socket >= 0)
		fprintf(file, "S%d ", row->socket);
	fprintf(file, "%-34s %22s   # %s", row->metric.name, text,
		*row->reason ? row->reason : row->metric.brief);
	if (row->valid && row->share < 1)
		fprintf(file, " (%.2f %% of the time)", 100 * row->share);
	fprintf(file, "\n");
}

static void faults(FILE *file, const struct report *report)
{
	const char *name;
	uint64_t times;
	bool any = false;

	for (size_t i = 0; report_fault(report, i, &name, &times); i++) {
		if (!times)
			continue;
		fprintf(file, "%s %20llu  times injected: %s\n",
			any ? "" : "\n", (unsigned long long)times, name);
		any = true;
	}
	if (report->faulty && !any)
		fprintf(file,
			"\n %20d  faults injected: there was no "
			"opportunity\n",
			0);
}

static void turns(FILE *file, const struct report *report)
{
	const char *reason;

	if (!report_took_turns(report))
		return;
	fprintf(file, "\n Not all of it fits into the counters at the same "
		      "time:\n");
	for (size_t i = 0; (reason = report_reason(report, i)); i++) {
		if (i == MAX_REASONS) {
			fprintf(file, "   and more; 'uncore schedule' shows "
				      "the slices and all reasons\n");
			return;
		}
		fprintf(file, "   %s\n", reason);
	}
}

/* What is behind the counts and metrics of the whole run. */
static void end_whole(FILE *file, const struct report *report)
{
	faults(file, report);
	turns(file, report);
	if (report->summary || report->region)
		return;
	fprintf(file, "\n %20.6f  seconds %s", report->run.seconds,
		report->is_modelled ? "simulated" : "elapsed");
	if (report_knows_cycles(report))
		fprintf(file, ", %llu uncore cycles",
			(unsigned long long)report->cycles);
	fprintf(file, "\n");
}

static void region(FILE *file, const struct report *report,
		   const struct report *part)
{
	if (part->region == report->regions->list)
		end_whole(file, report);
	fprintf(file, "\n");
	heading(file, part);
	fprintf(file, "\n");
}

static void end(FILE *file, const struct report *report)
{
	if (!report_num_regions(report))
		end_whole(file, report);
}

const struct report_output out_text = { begin, count, metric, region, end };
