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

#include "stat.h"
#include "tool/event_set.h"
#include "tool/page.h"
#include "tool/tool.h"
#include "uncore/schedule.h"
#include "uncore/session.h"

enum { MAX_REASONS = 4, MAX_RUNS = 20 };

static void put_cycles(FILE *file, double cycles)
{
	char text[40];

	fprintf(file, ", %s uncore cycles",
		tool_grouped(text, sizeof(text), "%.0f", cycles));
}

static void put_region(FILE *file, const struct report *report,
		       const struct report_part *part)
{
	const struct region *region = part->region;
	char *memory = report_memory_text(report, region->name);

	fprintf(file,
		" Region '%s', entered %llu time%s: %.6f seconds simulated",
		tool_shown(region->name), (unsigned long long)region->entered,
		region->entered == 1 ? "" : "s", part->time.seconds);
	put_cycles(file, part->time.cycles);
	fputc('\n', file);
	if (*memory) {
		fputc(' ', file);
		page_wrap(file, tool_shown(memory + 1), 1, 1);
	}
	free(memory);
}

static void put_detail(FILE *file, const struct uncore_sampling *how,
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
static void put_error(FILE *file, double part)
{
	fprintf(file, part < 1 ? "+- %.2g %%" : "+- %.0f %%", 100 * part);
}

/* Of a region that was looked at in windows. */
static void put_part_detail(FILE *file, const struct report_part *part)
{
	struct uncore_sampling how = part->detail;

	how.reason = NULL; /* is the run's */
	put_detail(file, &how, "", false);
	if (isnan(how.time_error) || part->time.seconds <= 0) {
		fprintf(file, " Its time is known roughly: the windows are too "
			      "few\n");
		return;
	}
	fprintf(file, " Its time is ");
	put_error(file, how.time_error / part->time.seconds);
	fprintf(file, "\n");
}

static void put_details(FILE *file, const struct report *report)
{
	bool is_sampled = report->is_sampled;
	char run[40] = "";

	for (size_t i = 0; i < report->num_details && i < MAX_RUNS; i++) {
		if (report->repeats && is_sampled)
			snprintf(run, sizeof(run), "Run %zu: ", i + 1);
		if (is_sampled || !i)
			put_detail(file, &report->details[i], run,
				   !report->repeats);
	}
	if (report->num_details > MAX_RUNS)
		fprintf(file, " (--json has the others.)\n");
	if (report->repeats && is_sampled)
		fprintf(file, " What depends on time is an estimate in each of "
			      "these runs\n");
}

static void put_head(FILE *file, const struct report *report)
{
	const struct target *target = report->target;
	bool is_here = !strcmp(report->origin, "model");

	fprintf(file, "\n Uncore of %s, %u socket%s, %s%s%s%s: %s\n",
		tool_shown(report->machine), report->num_sockets,
		report->num_sockets == 1 ? "" : "s",
		target->is_modelled ? "counted by the model"
		: !strncmp(report->origin, "perf", 4)
			? "counted by the kernel"
			: "counted by the processor",
		is_here ? "" : " at ",
		is_here ? "" : tool_shown(report->origin),
		is_here && target->because ? " ('uncore doctor' says why)" : "",
		tool_shown(target->what));
	if (!is_here && target->because)
		fprintf(file, " Counting on %s: %s\n",
			tool_shown(report->origin),
			tool_shown(target->because));
	put_details(file, report);
	if (report->repeats)
		fprintf(file, " Means of %u runs, with their standard errors\n",
			report->repeats->run + 1);
	if (report->about.region && !report->lap)
		put_region(file, report, &report->about);
	if (!report->lap)
		fprintf(file, "\n");
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
static void put_estimate(FILE *file, const struct report *report,
			 const struct report_row *row)
{
	char deviation[40], error[40];
	double half = row->error;

	if (row->telling == UNCORE_TELL_FEWER)
		return;
	if (row->telling == UNCORE_TELL_ABOUT)
		half += fabs(rounded(row->value) - row->value);
	if (report->is_sampled)
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
		fprintf(file, " (%.2f %%)", 100 * half / row->value);
	fprintf(file, ", standard error %s",
		tool_grouped(deviation, sizeof(deviation), "%" PRIu64,
			     (uint64_t)ceil(row->standard_error)));
}

/* What -r found, as perf prints it. */
static void put_spread(FILE *file, const struct report *report,
		       const struct report_row *row)
{
	if (!report->repeats)
		return;
	if (isnan(row->spread) || (row->spread > 0 && !row->value))
		fprintf(file, "( +-   n/a  ) ");
	else
		fprintf(file, "( +- %5.2f%% ) ",
			row->spread > 0 ? 100 * row->spread / fabs(row->value)
					: 0);
}

/* A count with as many digits as are known: two of what is known about. */
static const char *digits(const struct report_row *row, char *text, size_t size)
{
	char number[40];

	if (!row->valid)
		return "n/a";
	if (row->telling == UNCORE_TELL_VALUE)
		return tool_grouped(text, size, "%" PRIu64, row->count);
	if (row->telling == UNCORE_TELL_FEWER) {
		tool_grouped(number, sizeof(number), "%.0f",
			     ceil(row->value + row->error));
		snprintf(text, size, "fewer than %s", number);
		return text;
	}
	tool_grouped(number, sizeof(number), "%.0f", rounded(row->value));
	snprintf(text, size, "about %s", number);
	return text;
}

/* Whose row it is, where they are split; columns wide. */
static void put_place(FILE *file, const struct report *report,
		      const struct report_row *row)
{
	if (row->socket >= 0 && report->settings->per_box)
		fprintf(file, "S%d %-6s", row->socket, tool_shown(row->box));
	else if (row->socket >= 0)
		fprintf(file, row->is_metric ? "S%d " : "S%d       ",
			row->socket);
	else if (row->is_metric && report->settings->per_socket)
		fprintf(file, "%-*s", report->settings->per_box ? 9 : 3, "");
}

static void put_count(FILE *file, const struct report *report,
		      const struct report_row *row)
{
	char text[60];

	fprintf(file, "%20s  %s", digits(row, text, sizeof(text)),
		tool_shown(row->name));
	if (row->valid && *row->scaled)
		fprintf(file, "   # %.2f %s", row->value * row->scale,
			tool_shown(row->scaled));
	if (report->repeats)
		fprintf(file, "  ");
	put_spread(file, report, row);
	if (row->valid && row->is_estimate)
		put_estimate(file, report, row);
	if (*row->note)
		fprintf(file, "   # %s", tool_shown(row->note));
	if (row->wrapped)
		fprintf(file, "   # may be too low: %s",
			tool_shown(row->wrapped));
}

/* Digits behind the point: the same ones for a unit whenever it is printed, so
 * that two runs can be compared by eye. */
static int decimals(const struct report_row *row)
{
	if (!strcmp(row->unit, "s"))
		return 6;
	if (!strcmp(row->unit, "GB/s") || !strcmp(row->unit, "M/s"))
		return 3;
	return row->is_total ? 0 : 2;
}

/* A number with its point in a fixed column, and the unit behind it: that of
 * the largest of several that are to be compared. */
static void quantity(const struct report_row *row, double largest, char *text,
		     size_t size)
{
	static const char *const binary[] = { "bytes", "KiB", "MiB", "GiB",
					      "TiB" };
	const char *unit = row->unit;
	double value = row->value;
	int digits = decimals(row);
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

static void put_metric(FILE *file, const struct report *report,
		       const struct report_row *row, double largest)
{
	char text[80];

	snprintf(text, sizeof(text), "%15s%16s", "n/a", "");
	if (row->valid)
		quantity(row, largest, text, sizeof(text));
	fprintf(file, "%-28s %s  ", tool_shown(row->name), text);
	put_spread(file, report, row);
	fprintf(file, "# %s", tool_shown(*row->note ? row->note : row->brief));
	if (row->valid && row->telling == UNCORE_TELL_FEWER) {
		fprintf(file, " (less than %.2g)", row->error);
	} else if (row->is_estimate && report->is_sampled) {
		fprintf(file, " (%s",
			row->telling == UNCORE_TELL_ABOUT ? "about, " : "");
		put_error(file, row->value ? row->error / fabs(row->value) : 0);
		fprintf(file, ")");
	} else if (row->is_estimate)
		fprintf(file, " (+- %.2g, %.2f %% of the time)", row->error,
			100 * row->share);
}

/* Names of what a line each would say nothing new of. */
struct names {
	FILE *file;
	char *text;
};

static void leave_out(struct names *names, const char *name)
{
	if (!names->file)
		names->file = tool_text(&names->text);
	else
		fputs(", ", names->file);
	fputs(tool_shown(name), names->file);
}

static void put_left_out(FILE *file, struct names *names, const char *why)
{
	if (!names->file)
		return;
	fclose(names->file);
	fprintf(file, " %s: %s\n", why, names->text);
	free(names->text);
}

static bool is_nothing(const struct report_row *row)
{
	if (row->is_metric)
		return row->is_empty ||
		       (row->valid && !row->value && !row->is_estimate);
	return row->valid && !row->count && !row->is_estimate && !*row->note &&
	       !row->wrapped;
}

/* Of rows of one name, one behind the other. */
static bool is_other(const struct report_part *part, size_t a, size_t b)
{
	return b >= part->num_rows ||
	       strcmp(part->rows[a].name, part->rows[b].name) != 0;
}

/* Counts that metrics alone need; sums of what is shown. */
static bool is_hidden(const struct report *report, const struct report_row *row)
{
	if (row->is_metric)
		return row->is_sum;
	return !report->settings->events.num &&
	       (row->valid || (report->is_sampled && row->is_estimate));
}

/* So that all rows of a name are shown in one unit. */
static double largest_of(const struct report_part *part, size_t first)
{
	double largest = 0;
	size_t i = first;

	do
		if (part->rows[i].valid && !part->rows[i].is_sum)
			largest = fmax(largest, fabs(part->rows[i].value));
	while (!is_other(part, first, ++i));
	return largest;
}

static void put_rows(FILE *file, const struct report *report,
		     const struct report_part *part)
{
	const struct stat_settings *settings = report->settings;
	bool offers = report->set->metrics.offers && !settings->per_socket;
	struct names nothing = { 0 }, unseen = { 0 };
	bool is_shown = false; /* a line of this name */
	double largest = 0;
	size_t left = 0;

	for (size_t i = 0; i < part->num_rows; i++) {
		const struct report_row *row = &part->rows[i];
		bool is_quiet = settings->per_box && !settings->zeros &&
				row->socket >= 0 && is_nothing(row);

		if (!i || is_other(part, i - 1, i)) {
			is_shown = false;
			largest = largest_of(part, i);
		}
		if (is_hidden(report, row))
			continue;
		if (offers && row->is_metric && is_nothing(row)) {
			leave_out(&nothing, row->name);
			continue;
		}
		if (offers && row->is_metric && report->is_sampled &&
		    !row->valid) {
			leave_out(&unseen, row->name);
			continue;
		}
		left += is_quiet;
		is_shown |= !is_quiet;
		if (!is_shown && is_other(part, i, i + 1))
			leave_out(&nothing, row->name);
		if (is_quiet)
			continue;
		fputc(' ', file);
		put_place(file, report, row);
		if (row->is_metric)
			put_metric(file, report, row, largest);
		else
			put_count(file, report, row);
		fputc('\n', file);
	}
	put_left_out(file, &nothing, "0, or nothing to make it from");
	put_left_out(file, &unseen,
		     "n/a, since the windows saw too little of it "
		     "(--detail=full tells)");
	if (left)
		fprintf(file,
			" %zu lines of 0, or of nothing to make a value from, "
			"are left out; --zeros shows them\n",
			left);
}

static void put_faults(FILE *file, const struct report *report)
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

static void put_turns(FILE *file, const struct report *report)
{
	const char *reason;

	if (!report->turns)
		return;
	fprintf(file, "\n What happens once, within a turn, is seen by some "
		      "events and missed by others:\n errors hold for what "
		      "goes on or comes again.\n");
	fprintf(file, "\n Not all of it fits into the counters at the same "
		      "time:\n");
	for (size_t i = 0; (reason = uncore_schedule_reason(report->turns, i));
	     i++) {
		if (i == MAX_REASONS) {
			fprintf(file, "   and more; 'uncore schedule' shows "
				      "the slices and all reasons\n");
			return;
		}
		fprintf(file, "   %s\n", tool_shown(reason));
	}
}

static void put_time(FILE *file, const struct report *report)
{
	bool is_modelled = report->target->is_modelled;
	double error =
		report->num_details
			? report->details[report->num_details - 1].time_error
			: 0;

	fprintf(file, "\n %20.6f  seconds %s", report->time.seconds,
		is_modelled ? "simulated" : "elapsed");
	if (is_modelled || report->time.cycles)
		put_cycles(file, report->time.cycles);
	if (report->is_sampled && isnan(error)) {
		fprintf(file, " (roughly: the windows do not tell)");
	} else if (report->is_sampled) {
		fprintf(file, " (");
		put_error(file, error / report->time.seconds);
		fprintf(file, ")");
	}
	if (is_modelled)
		fprintf(file, ", in %.2f seconds\n", report->elapsed);
	else
		fprintf(file, "\n %20.6f  seconds of a CPU for counting\n",
			tool_cpu_seconds());
}

/* What is behind the counts and metrics of the whole run. */
static void put_end(FILE *file, const struct report *report)
{
	const char *random = run_say_random(&report->random);

	put_faults(file, report);
	put_turns(file, report);
	if (!report->about.region || report->lap)
		put_time(file, report);
	if (random)
		fprintf(file, "\n Note: %s\n", random);
}

void out_text(FILE *file, const struct report *report)
{
	if (report->lap < 2)
		put_head(file, report);
	verdict_put_text(report->verdicts, report->num_verdicts, file);
	if (report->num_verdicts)
		fputc('\n', file);
	if (report->lap)
		fprintf(file, "\n To %.6f seconds:\n", report->lap_end);
	put_rows(file, report, &report->about);
	if (!report->lap || report->is_last_lap)
		put_end(file, report);
	for (size_t i = 0; i < report->num_parts; i++) {
		const struct report_part *part = &report->parts[i];

		fprintf(file, "\n");
		put_region(file, report, part);
		if (part->has_windows && part->has_detail &&
		    part->detail.share < 1)
			put_part_detail(file, part);
		fprintf(file, "\n");
		put_rows(file, report, part);
	}
}
