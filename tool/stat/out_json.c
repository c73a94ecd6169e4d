/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One JSON object. Counts come before metrics; the array of metrics is opened
 * by the first of them, or at the end; regions, with the same two arrays, come
 * behind those of the whole run.
 */
#include <math.h>

#include "regions.h"
#include "repeats.h"
#include "report.h"
#include "tool/json.h"
#include "tool/tool.h"
#include "uncore/session.h"

static struct json json;
static bool in_metrics, in_regions;

static void name_region(const struct region *region)
{
	json_string(&json, in_regions ? "name" : "region", region->name);
	json_uint(&json, "entered", region->entered);
}

static void instructions(const struct report *report)
{
	bool is_known = report->run.instructions > 0;

	json_known(&json, "instructions", is_known,
		   is_known ? (uint64_t)report->run.instructions : 0);
}

static void begin(FILE *file, const struct report *report)
{
	json = (struct json){ .file = file, .one_line = report->lap };
	in_metrics = in_regions = false;
	json_open(&json, NULL, '{');
	json_string(&json, "schema", REPORT_SCHEMA);
	json_string(&json, "machine", report->machine);
	json_uint(&json, "sockets", report->num_sockets);
	json_string(&json, "origin", report->origin);
	json_string(&json, "command", report->what);
	if (report->lap)
		json_number(&json, "time", report->time);
	else if (report->region)
		name_region(report->region);
	json_number(&json, "simulated_seconds", report->run.seconds);
	json_known(&json, "uncore_cycles", report_knows_cycles(report),
		   report->cycles);
	instructions(report);
	if (!report->is_modelled)
		json_number(&json, "own_cpu_seconds", tool_cpu_seconds());
	if (report->repeats)
		json_uint(&json, "runs", report->repeats->run + 1);
	json_open(&json, "counts", '[');
}

/* What is no more than that; nothing where value and error are good. */
static void telling(enum uncore_telling telling)
{
	if (telling == UNCORE_TELL_ABOUT)
		json_string(&json, "told", "about");
	else if (telling == UNCORE_TELL_FEWER)
		json_string(&json, "told", "fewer");
}

static void estimate(const struct report_count *row)
{
	json_flag(&json, "is_estimate", true);
	json_number(&json, "share", row->share);
	json_number(&json, "seconds", row->seconds);
	json_uint(&json, "seen", row->seen);
	json_number(&json, "standard_error", row->standard_error);
	json_number(&json, "error", row->error);
	if (row->valid)
		telling(row->telling);
	if (isnan(row->error))
		json_string(&json, "doubt", row->doubt);
}

static void count(FILE *file, const struct report *report,
		  const struct report_count *row)
{
	(void)file;
	json_open(&json, NULL, '{');
	json_string(&json, "event", row->event);
	json_known(&json, "socket", row->socket >= 0, (uint64_t)row->socket);
	json_string(&json, "box", row->box);
	json_known(&json, "value", row->valid, row->value);
	json_string(&json, "unit", row->unit);
	if (*row->scaled && row->valid) {
		json_number(&json, "scaled", (double)row->value * row->scale);
		json_string(&json, "scaled_unit", row->scaled);
	}
	if (report->repeats)
		json_number(&json, "spread", row->spread);
	if (row->is_estimate)
		estimate(row);
	json_string(&json, "note", row->note);
	if (row->wrapped)
		json_string(&json, "may_have_wrapped", row->wrapped);
	json_close(&json);
}

static void open_metrics(void)
{
	if (in_metrics)
		return;
	json_close(&json);
	json_open(&json, "metrics", '[');
	in_metrics = true;
}

static void metric(FILE *file, const struct report *report,
		   const struct report_metric *row)
{
	char box[24];

	(void)file;
	open_metrics();
	json_open(&json, NULL, '{');
	json_string(&json, "name", row->metric.name);
	json_known(&json, "socket", row->socket >= 0, (uint64_t)row->socket);
	if (row->instance >= 0) {
		snprintf(box, sizeof(box), "%s%d", row->metric.box,
			 row->instance);
		json_string(&json, "box", box);
	}
	json_number(&json, "value", row->valid ? row->value : NAN);
	json_string(&json, "unit", row->metric.unit);
	if (report->repeats)
		json_number(&json, "spread", row->spread);
	if (row->valid && row->share < 1) {
		json_flag(&json, "is_estimate", true);
		json_number(&json, "share", row->share);
		json_number(&json, "standard_error", row->standard_error);
		json_number(&json, "error", row->error);
		telling(row->telling);
	}
	if (*row->reason)
		json_string(&json, "note", row->reason);
	json_close(&json);
}

static void turns(const struct report *report)
{
	const char *reason;

	if (!report_took_turns(report))
		return;
	json_open(&json, "take_turns_because", '[');
	for (size_t i = 0; (reason = report_reason(report, i)); i++)
		json_string(&json, NULL, reason);
	json_close(&json);
}

static void put_sampling(const struct uncore_sampling *how)
{
	json_uint(&json, "accesses", how->accesses);
	json_number(&json, "share", how->share);
	json_uint(&json, "windows", how->windows);
	if (how->share < 1)
		json_number(&json, "time_error", how->time_error);
	if (how->reason) {
		json_string(&json, "kept_because", how->reason);
		json_uint(&json, "kept", how->kept);
	}
}

/* Of the run, or the last one, and then of each. */
static void sampling(const struct report *report)
{
	struct uncore_sampling how;

	if (!report->session || !uncore_session_sampling(report->session, &how))
		return;
	json_open(&json, "detail", '{');
	put_sampling(&how);
	if (report->repeats)
		json_open(&json, "runs", '[');
	for (size_t i = 0; report->repeats && report_sampling(report, i, &how);
	     i++) {
		json_open(&json, NULL, '{');
		put_sampling(&how);
		json_close(&json);
	}
	if (report->repeats)
		json_close(&json);
	json_close(&json);
}

/* The arrays of the whole run, or of the region before, end. */
static void region(FILE *file, const struct report *report,
		   const struct report *part)
{
	(void)file;
	(void)report;
	open_metrics();
	json_close(&json);
	if (in_regions)
		json_close(&json);
	else
		json_open(&json, "regions", '[');
	in_regions = true;
	in_metrics = false;
	json_open(&json, NULL, '{');
	name_region(part->region);
	json_number(&json, "simulated_seconds", part->run.seconds);
	json_uint(&json, "uncore_cycles", part->cycles);
	instructions(part);
	if (part->has_windows)
		sampling(part);
	json_open(&json, "counts", '[');
}

static void end(FILE *file, const struct report *report)
{
	const char *name;
	uint64_t times;

	(void)file;
	open_metrics();
	json_close(&json);
	if (in_regions) {
		json_close(&json);
		json_close(&json);
	}
	turns(report);
	sampling(report);
	if (report->random.is_known) {
		json_flag(&json, "random_asked", report->random.asked);
		json_flag(&json, "random_repeatable", report->random.repeats);
	}
	if (report->faulty)
		json_open(&json, "injected", '{');
	for (size_t i = 0; report_fault(report, i, &name, &times); i++)
		json_uint(&json, name, times);
	if (report->faulty)
		json_close(&json);
	json_close(&json);
}

const struct report_output out_json = {
	.laps_are_whole = true,
	.shows_sums = true,
	.begin = begin,
	.count = count,
	.metric = metric,
	.region = region,
	.end = end,
};
