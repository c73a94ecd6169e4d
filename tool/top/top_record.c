/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is counted while it is on the screen, written as `uncore record -I`
 * writes it. A recording begins with a sweep; the first sample is that of the
 * step after it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/monitor.h"
#include "tool/record/record.h"
#include "tool/tool.h"
#include "top.h"
#include "uncore/uncore.h"

enum { MOST_NAMES = 1000 };

struct top_record {
	struct record record;
	struct record_settings settings;
	char *name;
	struct uncore_metric_run start;
	struct uncore_sample_count *counts; /* room for those of a sample */
};

/* The file that was named; where there is one, the next one that is free:
 * uncore.rec, uncore-2.rec, ... NULL: none is. */
static char *free_name(const char *asked)
{
	const char *slash = strrchr(asked, '/');
	const char *dot = strrchr(slash ? slash : asked, '.');
	int stem = (int)(dot ? dot - asked : (long)strlen(asked));
	char *name = tool_copy(asked);

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

/* Takes the name. */
static struct top_record *new_record(const struct top *top, char *name)
{
	const struct top_settings *settings = top->settings;
	struct monitor *monitor = top->monitor;
	struct top_record *new = tool_new(1, sizeof(*new));

	*new = (struct top_record){
		.record = {
			.settings = &new->settings,
			.target = &monitor->counting.target,
			.set = &monitor->counting.set,
			.clock_hz = monitor->clock_hz,
			.is_aside = true,
		},
		.settings = {
			.output = name,
			.interval = "", /* those of the screen */
			.metrics = settings->metrics ? settings->metrics
						     : "summary",
			.metric_files = settings->metric_files,
			.progress_file = -1,
		},
		.name = name,
		.start = monitor->whole,
		.counts = tool_new(monitor->num_counts, sizeof(*new->counts)),
	};
	return new;
}

/* With sentences for later, and one on the screen. */
static void end(struct top *top)
{
	struct top_record *record = top->record;
	struct record *of = &record->record;
	int status;

	record_meta(of, "seconds", "%.12f",
		    top->monitor->whole.seconds - record->start.seconds);
	record_random(of);
	status = record_file_close(of, of->status);
	say(top,
	    status ? "the recording ends here; why is said at the end:"
		   : "written:",
	    record->name);
	top->record_status = status ? status : top->record_status;
	free(record->counts);
	free(record->name);
	free(record);
	top->record = NULL;
}

static void begin(struct top *top)
{
	const char *asked = top->settings->output;
	char *name = free_name(asked ? asked : TOOL_RECORDING);
	struct record *of;

	if (!name) {
		say(top, "cannot write",
		    "that: there are too many of its name");
		return;
	}
	top->record = new_record(top, name);
	say(top, "from here on into", top->record->name);
	of = &top->record->record;
	of->status = record_file_open(of);
	of->has_run = !of->status;
	if (of->status)
		end(top);
}

void top_record_sweep(struct top *top)
{
	struct top_record *record = top->record;
	struct uncore_sample sample;

	if (!record)
		return;
	for (size_t s = 1; s < top->past.num_columns; s++) {
		size_t num = record_sweep(top->monitor, (unsigned)s - 1,
					  &sample, record->counts);

		sample.seconds -= record->start.seconds;
		if (sample.cycle != UNCORE_NO_CYCLE)
			sample.cycle -= (uint64_t)record->start.cycles;
		record_file_add(&record->record, &sample, record->counts, num);
	}
	record_file_pass(&record->record);
	if (record->record.status)
		end(top);
}

void top_record_switch(struct top *top)
{
	if (!top->monitor)
		say(top, "this is a recording", "already");
	else if (top->record)
		end(top);
	else if (!top->monitor->has_started)
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

void top_record_say(const struct top *top, char *text, size_t size)
{
	snprintf(text, size, " REC %s: %llu samples ", top->record->name,
		 (unsigned long long)top->record->record.num_samples);
}
