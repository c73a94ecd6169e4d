/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The report for people. A summary shows its figures only; events that were
 * asked for are shown one by one.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regions.h"
#include "repeats.h"
#include "report.h"
#include "tool/tool.h"
#include "uncore/session.h"

enum { MAX_REASONS = 4 };

static void heading(FILE *file, const struct report *part)
{
	const struct region *region = part->region;
	char cycles[40];

	fprintf(file,
		" Region '%s', entered %llu time%s: %.6f seconds simulated, "
		"%s uncore cycles\n",
		tool_shown(region->name), (unsigned long long)region->entered,
		region->entered == 1 ? "" : "s", part->run.seconds,
		tool_grouped(cycles, sizeof(cycles), "%" PRIu64, part->cycles));
}

/* The run as a whole was looked at in windows: its head says how much, and how
 * well its time is known; of repeats that of each one. */
static bool is_sampled;
static double time_error;
enum { MOST_RUNS = 20 };

static void say_sampling(FILE *file, const struct uncore_sampling *how,
			 const char *run, bool explains)
{
	char accesses[40], kept[40];

	tool_grouped(accesses, sizeof(accesses), "%" PRIu64, how->accesses);
	tool_grouped(kept, sizeof(kept), "%" PRIu64, how->kept);
	if (how->share < 1)
		fprintf(file,
			" %s%.3g %% of %s accesses in detail, in %zu "
			"window%s%s\n",
			run, 100 * how->share, accesses, how->windows,
			how->windows == 1 ? "" : "s",
			explains ? ": what stands without +- is exact, +- "
				   "holds 95 times in 100"
				 : "");
	if (how->share < 1 && how->reason)
		fprintf(file, " %s of them in detail because %s\n", kept,
			how->reason);
	else if (how->reason)
		fprintf(file, " %sAll %s accesses in detail: %s\n", run,
			accesses, how->reason);
	else if (how->share >= 1 && *run)
		fprintf(file, " %sAll %s accesses in detail\n", run, accesses);
}

/* Half of an interval in per cent, two digits of it. */
static void say_error(FILE *file, double part)
{
	fprintf(file, part < 1 ? "+- %.2g %%" : "+- %.0f %%", 100 * part);
}

static void say_part(FILE *file, const struct report *part,
		     struct uncore_sampling *how)
{
	how->reason = NULL; /* is the run's */
	say_sampling(file, how, "", false);
	if (isnan(how->time_error) || part->run.seconds <= 0) {
		fprintf(file, " Its time is known roughly: the windows are too "
			      "few\n");
		return;
	}
	fprintf(file, " Its time is ");
	say_error(file, how->time_error / part->run.seconds);
	fprintf(file, "\n");
}

static void sampling(FILE *file, const struct report *report)
{
	struct uncore_sampling how;
	char run[40] = "";

	is_sampled = false;
	for (size_t i = 0; report_sampling(report, i, &how); i++) {
		is_sampled |= how.share < 1;
		time_error = how.time_error;
	}
	for (size_t i = 0; report_sampling(report, i, &how) && i < MOST_RUNS;
	     i++) {
		if (report->repeats && is_sampled)
			snprintf(run, sizeof(run), "Run %zu: ", i + 1);
		if (is_sampled || !i)
			say_sampling(file, &how, run, !report->repeats);
	}
	if (report_sampling(report, MOST_RUNS, &how))
		fprintf(file, " (--json has the others.)\n");
	if (report->repeats && is_sampled)
		fprintf(file, " What depends on time is an estimate in each of "
			      "these runs\n");
}

static void begin(FILE *file, const struct report *report)
{
	bool is_here = !strcmp(report->origin, "model");

	fprintf(file, "\n Uncore of %s, %u socket%s, %s%s%s%s: %s\n",
		tool_shown(report->machine), report->num_sockets,
		report->num_sockets == 1 ? "" : "s",
		report->is_modelled ? "counted by the model"
		: !strncmp(report->origin, "perf", 4)
			? "counted by the kernel"
			: "counted by the processor",
		is_here ? "" : " at ",
		is_here ? "" : tool_shown(report->origin),
		is_here && report->because ? " ('uncore doctor' says why)" : "",
		tool_shown(report->what));
	if (!is_here && report->because)
		fprintf(file, " Counting on %s: %s\n",
			tool_shown(report->origin),
			tool_shown(report->because));
	sampling(file, report);
	if (report->repeats)
		fprintf(file, " Means of %u runs, with their standard errors\n",
			report->repeats->run + 1);
	if (report->region && !report->lap)
		heading(file, report);
	if (!report->lap)
		fprintf(file, "\n");
}

static void lap(FILE *file, const struct report *report)
{
	fprintf(file, "\n To %.6f seconds:\n", report->time);
}

static void place(FILE *file, int socket, const char *box)
{
	if (socket >= 0)
		fprintf(file, "S%d %-6s", socket, tool_shown(box));
}

/* The two digits that are told of what is "about" so much. */
static double rounded(double value)
{
	char number[40];

	snprintf(number, sizeof(number), "%.1e", value);
	return strtod(number, NULL);
}

/* Behind the event: part of the time, standard error, and the half width of
 * what holds the true count 99 times in 100, or where windows were looked at 95
 * times. */
static void estimate(FILE *file, const struct report_count *row)
{
	char deviation[40], error[40];
	double half = row->error;

	if (row->telling == UNCORE_TELL_FEWER)
		return;
	if (row->telling == UNCORE_TELL_ABOUT)
		half += fabs(rounded((double)row->value) - (double)row->value);
	if (is_sampled)
		fprintf(file, "   #");
	else
		fprintf(file, "   # %.2f %% of the time;", 100 * row->share);
	if (isnan(row->error)) {
		fprintf(file, " %s", tool_shown(row->doubt));
		return;
	}
	fprintf(file, " +- %s",
		tool_grouped(error, sizeof(error), "%" PRIu64,
			     (uint64_t)ceil(half)));
	if (row->value)
		fprintf(file, " (%.2f %%)", 100 * half / (double)row->value);
	fprintf(file, ", standard error %s",
		tool_grouped(deviation, sizeof(deviation), "%" PRIu64,
			     (uint64_t)ceil(row->standard_error)));
}

/* What -r found, as perf prints it. */
static void spread(FILE *file, const struct report *report, double error,
		   double value)
{
	if (!report->repeats)
		return;
	if (isnan(error) || (error > 0 && !value))
		fprintf(file, "( +-   n/a  ) ");
	else
		fprintf(file, "( +- %5.2f%% ) ",
			error > 0 ? 100 * error / fabs(value) : 0);
}

/* Names of what a line each would say nothing new of; lines of boxes in which
 * nothing happened, and the name of those that are being looked at. */
static struct names {
	FILE *file;
	char *text;
	size_t size;
} nothing, unseen;
static size_t left_rows;
static const char *looked_at;
static bool is_shown; /* a line of it */

static void leave_out(struct names *names, const char *name)
{
	if (!names->file)
		names->file = open_memstream(&names->text, &names->size);
	else
		fputs(", ", names->file);
	if (names->file)
		fputs(tool_shown(name), names->file);
}

static void show_left_out(FILE *file, struct names *names, const char *why)
{
	if (names->file && !fclose(names->file))
		fprintf(file, " %s: %s\n", why, names->text);
	free(names->text);
	*names = (struct names){ 0 };
}

/* Goes on to the rows of a name (NULL: none); one that had no line is named. */
static void look_at(const char *name)
{
	if (looked_at && name && !strcmp(looked_at, name))
		return;
	if (looked_at && !is_shown)
		leave_out(&nothing, looked_at);
	looked_at = name;
	is_shown = false;
}

/* Whether a row of a box says nothing but that nothing happened there. */
static bool is_quiet(const struct report *report, const char *name,
		     bool is_nothing)
{
	if (!report->per_box || report->zeros)
		return false;
	look_at(name);
	is_shown |= !is_nothing;
	left_rows += is_nothing;
	return is_nothing;
}

/* A count with as many digits as are known: two of what is known about. */
static const char *digits(const struct report_count *row, char *text,
			  size_t size)
{
	double value = (double)row->value;
	char number[40];

	if (!row->valid)
		return "n/a";
	if (row->telling == UNCORE_TELL_VALUE)
		return tool_grouped(text, size, "%" PRIu64, row->value);
	if (row->telling == UNCORE_TELL_FEWER) {
		tool_grouped(number, sizeof(number), "%.0f",
			     ceil(value + row->error));
		snprintf(text, size, "fewer than %s", number);
		return text;
	}
	tool_grouped(number, sizeof(number), "%.0f", rounded(value));
	snprintf(text, size, "about %s", number);
	return text;
}

static void count(FILE *file, const struct report *report,
		  const struct report_count *row)
{
	char text[60];

	bool is_expected =
		row->valid || !row->note || (is_sampled && row->is_estimate);

	if (report->summary && is_expected)
		return;
	if (row->socket >= 0 &&
	    is_quiet(report, row->event,
		     row->valid && !row->value && !row->is_estimate &&
			     !*row->note && !row->wrapped))
		return;
	fprintf(file, " ");
	place(file, row->socket, report->per_box ? row->box : "");
	fprintf(file, "%20s  %s", digits(row, text, sizeof(text)),
		tool_shown(row->event));
	if (row->valid && *row->scaled)
		fprintf(file, "   # %.2f %s", (double)row->value * row->scale,
			tool_shown(row->scaled));
	if (report->repeats)
		fprintf(file, "  ");
	spread(file, report, row->spread, (double)row->value);
	if (row->valid && row->is_estimate)
		estimate(file, row);
	if (*row->note)
		fprintf(file, "   # %s", tool_shown(row->note));
	if (row->wrapped)
		fprintf(file, "   # may be too low: %s",
			tool_shown(row->wrapped));
	fprintf(file, "\n");
}

/* Digits behind the point: the same ones for a unit whenever it is printed, so
 * that two runs can be compared by eye. */
static int decimals(const struct uncore_metric *metric)
{
	if (!strcmp(metric->unit, "s"))
		return 6;
	if (!strcmp(metric->unit, "GB/s") || !strcmp(metric->unit, "M/s"))
		return 3;
	return metric->kind == UNCORE_METRIC_TOTAL ? 0 : 2;
}

/* A number with its point in a fixed column, and the unit behind it: that of
 * the largest of several that are to be compared. */
static void quantity(const struct uncore_metric *metric, double value,
		     double largest, char *text, size_t size)
{
	static const char *const binary[] = { "bytes", "KiB", "MiB", "GiB",
					      "TiB" };
	const char *unit = metric->unit;
	int digits = decimals(metric);
	char whole[40], number[400], *point;
	unsigned step = 0;

	if (!strcmp(unit, "bytes")) {
		while (largest >= 1024 && step < 4) {
			largest /= 1024;
			value /= 1024;
			step++;
		}
		unit = binary[step];
		digits = step ? 2 : 0;
	}
	snprintf(number, sizeof(number), "%.*f", digits, value);
	point = strchr(number, '.');
	if (value >= 0 && value < 1e18)
		tool_grouped(whole, sizeof(whole), "%llu",
			     strtoull(number, NULL, 10));
	else
		snprintf(whole, sizeof(whole), "%.6g", value);
	snprintf(text, size, "%15s%-7s %-8s", whole,
		 point && value < 1e18 ? point : "", tool_shown(unit));
}

static void metric(FILE *file, const struct report *report,
		   const struct report_metric *row)
{
	bool is_nothing = row->is_empty || (row->valid && !row->value);
	char text[80], box[24] = "";

	if (report->offers && !report->per_socket &&
	    (is_nothing || (is_sampled && !row->valid))) {
		leave_out(is_nothing ? &nothing : &unseen, row->metric.name);
		return;
	}
	if (row->socket >= 0 && is_quiet(report, row->metric.name, is_nothing))
		return;
	snprintf(text, sizeof(text), "%15s%16s", "n/a", "");
	if (row->valid)
		quantity(&row->metric, row->value,
			 isnan(row->largest) ? row->value : row->largest, text,
			 sizeof(text));
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
	fprintf(file, "%-28s %s  ", tool_shown(row->metric.name), text);
	spread(file, report, row->spread, row->value);
	fprintf(file, "# %s",
		tool_shown(*row->reason ? row->reason : row->metric.brief));
	if (row->valid && row->share < 1 && is_sampled) {
		fprintf(file, " (%s",
			row->telling == UNCORE_TELL_ABOUT ? "about, " : "");
		say_error(file, row->value ? row->error / fabs(row->value) : 0);
		fprintf(file, ")");
	} else if (row->valid && row->share < 1)
		fprintf(file, " (+- %.2g, %.2f %% of the time)", row->error,
			100 * row->share);
	fprintf(file, "\n");
}

static void metrics_end(FILE *file, const struct report *report)
{
	(void)report;
	look_at(NULL);
	show_left_out(file, &nothing, "0, or nothing to make it from");
	show_left_out(file, &unseen,
		      "n/a, since the windows saw too little of it "
		      "(--detail=full tells)");
	if (left_rows)
		fprintf(file,
			" %zu lines of 0, or of nothing to make a value from, "
			"are left out; --zeros shows them\n",
			left_rows);
	left_rows = 0;
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
	fprintf(file, "\n What happens once, within a turn, is seen by some "
		      "events and missed by others:\n errors hold for what "
		      "goes on or comes again.\n");
	fprintf(file, "\n Not all of it fits into the counters at the same "
		      "time:\n");
	for (size_t i = 0; (reason = report_reason(report, i)); i++) {
		if (i == MAX_REASONS) {
			fprintf(file, "   and more; 'uncore schedule' shows "
				      "the slices and all reasons\n");
			return;
		}
		fprintf(file, "   %s\n", tool_shown(reason));
	}
}

static void random_bytes(FILE *file, const struct report *report)
{
	const char *text = run_say_random(&report->random);

	if (text)
		fprintf(file, "\n Note: %s\n", text);
}

/* What is behind the counts and metrics of the whole run. */
static void end_whole(FILE *file, const struct report *report)
{
	char cycles[40];

	faults(file, report);
	turns(file, report);
	if (report->region) {
		random_bytes(file, report);
		return;
	}
	fprintf(file, "\n %20.6f  seconds %s", report->run.seconds,
		report->is_modelled ? "simulated" : "elapsed");
	if (report_knows_cycles(report))
		fprintf(file, ", %s uncore cycles",
			tool_grouped(cycles, sizeof(cycles), "%" PRIu64,
				     report->cycles));
	if (is_sampled && isnan(time_error)) {
		fprintf(file, " (roughly: the windows are too few)");
	} else if (is_sampled) {
		fprintf(file, " (");
		say_error(file, time_error / report->run.seconds);
		fprintf(file, ")");
	}
	if (report->is_modelled)
		fprintf(file, ", in %.2f seconds", report->elapsed);
	fprintf(file, "\n");
	if (!report->is_modelled)
		fprintf(file, " %20.6f  seconds of a CPU for counting\n",
			tool_cpu_seconds());
	random_bytes(file, report);
}

static void region(FILE *file, const struct report *report,
		   const struct report *part)
{
	struct uncore_sampling how;

	if (part->region == report->regions->list)
		end_whole(file, report);
	fprintf(file, "\n");
	heading(file, part);
	if (part->has_windows && uncore_session_sampling(part->session, &how) &&
	    how.share < 1)
		say_part(file, part, &how);
	fprintf(file, "\n");
}

static void end(FILE *file, const struct report *report)
{
	if (!report_num_regions(report))
		end_whole(file, report);
}

const struct report_output out_text = {
	.begin = begin,
	.count = count,
	.metric = metric,
	.lap = lap,
	.metrics_end = metrics_end,
	.region = region,
	.end = end,
};
