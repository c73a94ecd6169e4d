/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is counted while it is on the screen, written as `uncore record -I`
 * writes it. A recording begins with a sweep; the first sample is that of the
 * step after it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/record/record.h"
#include "tool/tool.h"
#include "tool/watch.h"
#include "top.h"
#include "uncore/error.h"
#include "uncore/recording.h"
#include "uncore/uncore.h"

enum { MOST_NAMES = 1000 };

struct top_record {
	struct uncore_recorder *recorder;
	char *name;
	struct watch_time start;
	uint64_t num_samples;
	struct uncore_sample_count *counts; /* room for those of a sample */
};

/* The file that was named; where there is one, the next one that is free:
 * uncore.rec, uncore-2.rec, ... NULL: none is, or no memory. */
static char *free_name(const char *asked)
{
	const char *slash = strrchr(asked, '/');
	const char *dot = strrchr(slash ? slash : asked, '.');
	int stem = (int)(dot ? dot - asked : (long)strlen(asked));
	char *name = strdup(asked);

	for (int i = 2; name && !access(name, F_OK); i++) {
		free(name);
		name = i < MOST_NAMES ? tool_print("%.*s-%d%s", stem, asked, i,
						   dot ? dot : "")
				      : NULL;
	}
	return name;
}

static void say(struct top *top, const char *what, const char *name)
{
	snprintf(top->screen.message, sizeof(top->screen.message), "%s %s",
		 what, name);
}

static void forget(struct top *top)
{
	uncore_recorder_free(top->record->recorder);
	free(top->record->counts);
	free(top->record->name);
	free(top->record);
	top->record = NULL;
}

/* A sentence for later, and one on the screen. */
static void failed(struct top *top, int code, char *error)
{
	snprintf(top->screen.message, sizeof(top->screen.message),
		 "the recording ends here: %s",
		 error ? error : uncore_error_message(code));
	top->record_status = tool_fail_with(code, error);
	forget(top);
}

static int describe(const struct top *top)
{
	const struct counting *counting = &top->watch->counting;
	const struct top_settings *settings = top->settings;
	struct recorded of = {
		.recorder = top->record->recorder,
		.subject = &counting->subject,
		.set = &counting->set,
		.mode = "interval",
		/* of files they are unknown to the report */
		.metrics = settings->metric_files.num ? NULL
			   : settings->metrics	      ? settings->metrics
						      : "summary",
		.clock_hz = top->watch->clock_hz,
	};
	int status = record_describe(&of);

	return status ? status : record_events(&of);
}

static void begin(struct top *top)
{
	const char *asked = top->settings->output;
	struct watch *watch = top->watch;
	struct top_record *record = calloc(1, sizeof(*record));
	char *error = NULL;
	int code = 0;

	if (!record)
		return;
	top->record = record;
	record->name = free_name(asked ? asked : TOOL_RECORDING);
	record->counts = calloc(watch->num_counts + 1, sizeof(*record->counts));
	if (!record->name || !record->counts)
		code = UNCORE_ERR_NO_MEMORY;
	if (!code)
		code = uncore_recorder_new(record->name, false, NULL,
					   &record->recorder, &error);
	if (code) {
		failed(top, code, error);
		return;
	}
	record->start = watch->whole;
	if (describe(top)) {
		say(top, "cannot write", record->name);
		top->record_status = TOOL_FAILED;
		forget(top);
		return;
	}
	say(top, "from here on into", record->name);
}

void top_record_sweep(struct top *top)
{
	struct top_record *record = top->record;
	struct uncore_sample sample;
	char *error = NULL;
	int code = 0;

	if (!record)
		return;
	for (size_t s = 1; s < top->past.num_columns && !code; s++) {
		size_t num = record_sweep(top->watch, (unsigned)s - 1, &sample,
					  record->counts);

		sample.seconds -= record->start.seconds;
		if (sample.cycle != UNCORE_NO_CYCLE)
			sample.cycle -= (uint64_t)record->start.cycles;
		code = uncore_recorder_sample(record->recorder, &sample,
					      record->counts, num, &error);
		record->num_samples += !code;
	}
	if (!code)
		code = uncore_recorder_commit(record->recorder, &error);
	if (code)
		failed(top, code, error);
}

static void end(struct top *top)
{
	struct top_record *record = top->record;
	char seconds[40], *error = NULL;
	int code;

	snprintf(seconds, sizeof(seconds), "%.12f",
		 top->watch->whole.seconds - record->start.seconds);
	code = uncore_recorder_meta(record->recorder, "seconds", seconds,
				    &error);
	if (!code)
		record_random(record->recorder,
			      &top->watch->counting.subject.run);
	if (!code) {
		code = uncore_recorder_finish(record->recorder, &error);
		record->recorder = NULL;
	}
	if (code) {
		failed(top, code, error);
		return;
	}
	fprintf(stderr, "uncore: %llu samples written to %s\n",
		(unsigned long long)record->num_samples, record->name);
	say(top, "written:", record->name);
	forget(top);
}

void top_record_switch(struct top *top)
{
	if (!top->watch)
		say(top, "this is a recording", "already");
	else if (top->record)
		end(top);
	else if (!top->watch->has_started)
		say(top, "all has ended:", "there is nothing to record");
	else
		begin(top);
}

int top_record_close(struct top *top)
{
	if (top->record)
		end(top);
	return top->record_status;
}

const char *top_record_name(const struct top *top)
{
	return top->record ? top->record->name : NULL;
}

uint64_t top_record_samples(const struct top *top)
{
	return top->record ? top->record->num_samples : 0;
}
