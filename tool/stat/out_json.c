/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One JSON object. Regions, with the same two arrays of counts and metrics,
 * come behind those of the whole run.
 */
#include <math.h>
#include <stdlib.h>

#include "stat.h"
#include "tool/json.h"
#include "tool/machine.h"
#include "tool/target.h"
#include "tool/tool.h"
#include "uncore/family.h"
#include "uncore/model.h"
#include "uncore/schedule.h"
#include "uncore/session.h"
#include "uncore/target.h"

static void put_time(struct json *json, const struct report *report,
		     const struct uncore_metric_run *time)
{
	json_number(json, "simulated_seconds", time->seconds);
	json_known(json, "uncore_cycles",
		   report->target->is_modelled || time->cycles,
		   (uint64_t)time->cycles);
	json_known(json, "instructions", time->instructions > 0,
		   (uint64_t)time->instructions);
}

/* How sure it is; nothing is told where value and error are good. */
static void put_estimate(struct json *json, const struct report_row *row)
{
	static const char *const words[] = {
		[UNCORE_TELL_ABOUT] = "about",
		[UNCORE_TELL_FEWER] = "fewer",
	};

	json_members(json, "is_estimate:%d share:%g", true, row->share);
	if (!row->is_metric)
		json_members(json, "seconds:%g seen:%lu", row->seconds,
			     row->seen);
	json_members(json, "standard_error:%g error:%g told:%s? doubt:%s?",
		     row->standard_error, row->error,
		     row->valid ? words[row->telling] : NULL,
		     isnan(row->error) ? row->doubt : NULL);
}

static void put_row(struct json *json, const struct report *report,
		    const struct report_row *row)
{
	json_open(json, NULL, '{');
	json_string(json, row->is_metric ? "name" : "event", row->name);
	json_known(json, "socket", row->socket >= 0, (uint64_t)row->socket);
	if (*row->box)
		json_string(json, "box", row->box);
	if (row->is_metric)
		json_number(json, "value", row->valid ? row->value : NAN);
	else
		json_known(json, "value", row->valid, row->count);
	json_string(json, "unit", row->unit);
	if (!row->is_metric && *row->scaled && row->valid)
		json_members(json, "scaled:%g scaled_unit:%s",
			     row->value * row->scale, row->scaled);
	if (report->repeats)
		json_number(json, "spread", row->spread);
	if (row->is_estimate)
		put_estimate(json, row);
	json_members(json, "note:%s? may_have_wrapped:%s?",
		     row->is_metric && !*row->note ? NULL : row->note,
		     row->wrapped);
	json_close(json);
}

static void put_rows(struct json *json, const struct report *report,
		     const struct report_part *part)
{
	size_t i = 0;

	json_open(json, "counts", '[');
	for (; i < part->num_rows && !part->rows[i].is_metric; i++)
		put_row(json, report, &part->rows[i]);
	json_close(json);
	json_open(json, "metrics", '[');
	for (; i < part->num_rows; i++)
		put_row(json, report, &part->rows[i]);
	json_close(json);
}

static void put_sampling(struct json *json, const struct uncore_sampling *how)
{
	json_members(json, "accesses:%lu share:%g windows:%lu", how->accesses,
		     how->share, (uint64_t)how->windows);
	if (how->share < 1)
		json_number(json, "time_error", how->time_error);
	if (how->reason)
		json_members(json, "kept_because:%s kept:%lu", how->reason,
			     how->kept);
}

/* Of the run, or the last one, and then of each. */
static void put_detail(struct json *json, const struct report *report,
		       const struct report_part *part)
{
	if (!part->has_detail)
		return;
	json_open(json, "detail", '{');
	put_sampling(json, &part->detail);
	if (report->repeats) {
		json_open(json, "runs", '[');
		for (size_t i = 0; i < report->num_details; i++) {
			json_open(json, NULL, '{');
			put_sampling(json, &report->details[i]);
			json_close(json);
		}
		json_close(json);
	}
	json_close(json);
}

/* Whose memory most accesses are to. */
static void put_memory(struct json *json, const struct report *report,
		       const struct region *region)
{
	double part;
	char *name = report_memory(report, region ? region->name : NULL, false,
				   &part);

	if (!name)
		return;
	json_open(json, "memory", '{');
	json_members(json, "site:%s", name);
	json_number(json, "part", part);
	json_close(json);
	free(name);
}

static void put_regions(struct json *json, const struct report *report)
{
	json_open(json, "regions", '[');
	for (size_t i = 0; i < report->num_parts; i++) {
		const struct report_part *part = &report->parts[i];

		json_open(json, NULL, '{');
		json_members(json, "name:%s entered:%lu", part->region->name,
			     part->region->entered);
		put_time(json, report, &part->time);
		if (part->has_windows)
			put_detail(json, report, part);
		put_memory(json, report, part->region);
		put_rows(json, report, part);
		json_close(json);
	}
	json_close(json);
}

static void put_turns(struct json *json, const struct report *report)
{
	const char *reason;

	json_open(json, "take_turns_because", '[');
	for (size_t i = 0; (reason = uncore_schedule_reason(report->turns, i));
	     i++)
		json_string(json, NULL, reason);
	json_close(json);
}

static void put_faults(struct json *json, const struct report *report)
{
	const char *name;
	uint64_t times;

	json_open(json, "injected", '{');
	for (size_t i = 0; report_fault(report, i, &name, &times); i++)
		json_uint(json, name, times);
	json_close(json);
}

/* What the machine is made of, for who draws it. */
static void put_machine(struct json *json, const struct report *report)
{
	const struct uncore_family *family =
		uncore_target_family(report->target->registers);
	const struct uncore_model *model = report->target->model;
	struct uncore_box box;

	json_open(json, "box_types", '[');
	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		json_add_row(json, "name:%s title:%s instances:%u", box.name,
			     box.guide_name, box.num_instances);
	json_close(json);
	if (!model)
		return;
	json_uint(json, "cores", uncore_model_cores(model));
	machine_put_links(model, json);
}

void out_json(FILE *file, const struct report *report)
{
	struct json json = { .file = file,
			     .one_line = report->lap,
			     .is_page = report->settings->html };
	const struct report_part *about = &report->about;

	json_open(&json, NULL, '{');
	json_members(&json,
		     "schema:%s machine:%s sockets:%u origin:%s command:%s",
		     REPORT_SCHEMA, report->machine, report->num_sockets,
		     report->origin, report->target->what);
	if (report->lap)
		json_number(&json, "time", report->lap_end);
	else if (about->region)
		json_members(&json, "region:%s entered:%lu",
			     about->region->name, about->region->entered);
	put_time(&json, report, &about->time);
	if (!report->target->is_modelled)
		json_number(&json, "own_cpu_seconds", tool_cpu_seconds());
	if (report->repeats)
		json_uint(&json, "runs", report->repeats->run + 1);
	verdict_put_json(report->verdicts, report->num_verdicts, &json);
	put_memory(&json, report, about->region);
	put_rows(&json, report, about);
	if (report->num_parts)
		put_regions(&json, report);
	if (report->turns)
		put_turns(&json, report);
	put_detail(&json, report, about);
	if (report->random.is_known)
		json_members(&json, "random_asked:%d random_repeatable:%d",
			     report->random.asked, report->random.repeats);
	if (report->faulty)
		put_faults(&json, report);
	if (!report->lap)
		put_machine(&json, report);
	json_close(&json);
}
