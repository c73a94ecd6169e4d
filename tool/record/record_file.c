/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The recording that is being made. What was committed is told to whoever
 * listens (--progress-fd); the first failure ends the run, since what would
 * come after it could not be kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"
#include "tool/tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

void record_ended(struct record *record, int status)
{
	if (!status)
		return;
	record->status = record->status ? record->status : status;
	if (!record->is_aside)
		run_stop();
}

void record_failed(struct record *record, int code, char *error)
{
	if (code && record->status)
		free(error);
	else if (code)
		record_ended(record, tool_fail_with(code, error));
}

static const char *mode(const struct record *record)
{
	const struct record_settings *settings = record->settings;

	return settings->interval	? "interval"
	       : settings->freeze_after ? "freeze"
					: "sample";
}

static int describe(struct record *record)
{
	const struct record_settings *settings = record->settings;
	const struct target *target = record->target;
	const struct uncore_family *family =
		uncore_target_family(target->registers);
	char sockets[24], cores[24], clock[40], started[40];
	time_t now = time(NULL);
	struct tm utc;
	const char *const meta[] = {
		"machine",
		target_machine(target),
		"origin",
		uncore_target_origin(target->registers),
		"what",
		target->what,
		"mode",
		mode(record),
		"version",
		UNCORE_VERSION,
		"started",
		started,
		"sockets",
		sockets,
		"cores",
		cores,
		"clock_hz",
		record->clock_hz > 0 ? clock : NULL,
		"metrics",
		/* of files they are unknown to the report */
		settings->metric_files.num ? NULL : settings->metrics,
		NULL,
	};
	char *error = NULL, *capture = uncore_family_capture(family);
	int code = 0;

	if (capture)
		code = uncore_recorder_meta(record->recorder, "capture",
					    capture, &error);
	free(capture);
	snprintf(sockets, sizeof(sockets), "%u",
		 uncore_target_sockets(target->registers));
	snprintf(cores, sizeof(cores), "%u",
		 target->model ? uncore_model_cores(target->model) : 0);
	snprintf(clock, sizeof(clock), "%.0f", record->clock_hz);
	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ",
		 gmtime_r(&now, &utc));
	for (size_t i = 0; meta[i] && !code; i += 2)
		if (meta[i + 1] && strcmp(meta[i + 1], "0"))
			code = uncore_recorder_meta(record->recorder, meta[i],
						    meta[i + 1], &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* The ids of events are their places among those of the set that are
 * counted. */
static int add_events(struct record *record)
{
	char *error = NULL;
	int code = 0;
	size_t id;

	for (size_t i = 0; i < record->set->num && !code; i++) {
		const struct event_row *row = &record->set->rows[i];
		const struct uncore_recorded_event event = {
			.text = uncore_event_text(row->event),
			.canonical = uncore_event_canonical(row->event),
			.box = uncore_event_box(row->event),
			.multiplier = uncore_event_multiplier(row->event),
			.period = row->period,
		};

		if (!row->reason)
			code = uncore_recorder_event(record->recorder, &event,
						     &id, &error);
	}
	if (!code)
		code = uncore_recorder_commit(record->recorder, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

int record_file_open(struct record *record)
{
	char *error = NULL;
	int status, code;

	code = uncore_recorder_new(record->settings->output,
				   record->settings->replace, NULL,
				   &record->recorder, &error);
	if (code)
		return tool_fail_with(code, error);
	uncore_recorder_every(record->recorder,
			      record->settings->write_seconds);
	status = describe(record);
	return status ? status : add_events(record);
}

void record_random(struct record *record)
{
	struct run_random random = run_random(&record->target->run);
	char *error = NULL;
	int code = 0;

	if (random.is_known && !record->status)
		code = uncore_recorder_meta(record->recorder, "random_asked",
					    random.asked ? "yes" : "no",
					    &error);
	if (random.is_known && !record->status && !code)
		code = uncore_recorder_meta(
			record->recorder, "random_repeatable",
			random.repeats ? "yes" : "no", &error);
	record_failed(record, code, error);
}

void record_meta(struct record *record, const char *key, const char *format,
		 double value)
{
	char text[64], *error = NULL;
	int code;

	if (record->status)
		return;
	snprintf(text, sizeof(text), format, value);
	code = uncore_recorder_meta(record->recorder, key, text, &error);
	record_failed(record, code, error);
}

static void tell(struct record *record)
{
	uint64_t written = uncore_recorder_written(record->recorder);

	if (written == record->told)
		return;
	record->told = written;
	if (record->settings->progress_file >= 0 &&
	    dprintf(record->settings->progress_file, "written %llu\n",
		    (unsigned long long)written) < 0)
		record->settings->progress_file = -1; /* nobody listens */
}

void record_file_add(struct record *record, const struct uncore_sample *sample,
		     const struct uncore_sample_count *counts,
		     size_t num_counts)
{
	char *error = NULL;
	int code;

	if (record->status)
		return;
	record->lost += sample->lost;
	/* what is left at the end is no sample of a period */
	record->num_samples +=
		record->settings->interval || sample->kind != UNCORE_SAMPLE_END;
	code = uncore_recorder_sample(record->recorder, sample, counts,
				      num_counts, &error);
	record_failed(record, code, error);
	tell(record);
}

/* On a terminal, where a run may be long, and nobody else writes to it. The
 * progress of a model has a line of its own, which this is a part of. */
static void show_progress(struct record *record)
{
	unsigned long long samples = record->num_samples;
	struct run *run = &record->target->run;

	snprintf(run->remark, sizeof(run->remark), ", %llu samples", samples);
	if (record->target->model || record->settings->quiet || run->argv ||
	    !run_may_show(run))
		return;
	fprintf(stderr, "\r\033[K%llu samples, %llu written", samples,
		(unsigned long long)record->told);
	fflush(stderr);
	record->has_progress = true;
}

static void end_progress(struct record *record)
{
	if (record->has_progress)
		fprintf(stderr, "\r\033[K");
	record->has_progress = false;
}

void record_file_pass(struct record *record)
{
	uint64_t now = wall_ns();
	char *error = NULL;
	int code;

	if (record->status || (double)(now - record->last_write) / 1e9 <
				      record->settings->write_seconds)
		return;
	record->last_write = now;
	show_progress(record);
	code = uncore_recorder_commit(record->recorder, &error);
	record_failed(record, code, error);
	tell(record);
}

static void say_written(const struct record *record)
{
	if (!record->settings->quiet)
		fprintf(stderr, "uncore: %llu samples written to %s\n",
			(unsigned long long)(record->settings->adapts
						     ? record->num_of_period
						     : record->num_samples),
			record->settings->output);
}

int record_file_close(struct record *record, int status)
{
	const char *name = record->settings->output;
	char *error = NULL;
	int code;

	if (!record->recorder)
		return status;
	end_progress(record);
	code = uncore_recorder_commit(record->recorder, &error);
	tell(record);
	if (code || record->status || !record->has_run)
		uncore_recorder_free(record->recorder);
	else
		code = uncore_recorder_finish(record->recorder, &error);
	record->recorder = NULL;
	if (!record->has_run)
		unlink(name);
	if (!record->has_run || (code && record->status)) {
		free(error);
		return status;
	}
	if (code)
		return tool_fail_with(code, error);
	record->settings->has_recorded = true;
	say_written(record);
	if (record->lost)
		tool_warn("warning: %llu periods passed without a sample of "
			  "their own, because the counter ran over again "
			  "before a sample was taken; '%s' says where; give a "
			  "longer period",
			  (unsigned long long)record->lost, name);
	return status;
}
