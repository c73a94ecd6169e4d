/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an exporter tells of itself, and of events that take turns.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "export_view.h"
#include "tool/tool.h"
#include "uncore/uncore.h"

static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long long all, resident;
	int num = 0;

	if (file) {
		num = fscanf(file, "%llu %llu", &all, &resident);
		fclose(file);
	}
	return num == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE)
			: NAN;
}

void export_self_take(struct export_self *self)
{
	self->cpu_seconds = tool_cpu_seconds();
	self->resident_bytes = resident_bytes();
}

/* Counts and figures that could not be had. */
static double num_missing(const struct export_view *view)
{
	unsigned num = 0;

	for (size_t i = 0; i < view->monitor->num_counts; i++)
		num += !view->monitor->counts[i].valid;
	for (size_t i = 0; i < view->num_figures; i++)
		for (unsigned s = 0; s < view->figures[i].num; s++)
			num += isnan(view->figures[i].values[s]);
	for (size_t i = 0; i < view->monitor->counting.set.num; i++)
		num += view->monitor->counting.set.rows[i].reason != NULL;
	return num;
}

static void write_build(const struct export_view *view,
			struct export_text *text)
{
	const struct target *target = &view->monitor->counting.target;
	const struct export_label labels[] = {
		{ "version", UNCORE_VERSION },
		{ "machine",
		  uncore_family_name(uncore_target_family(target->registers)) },
		{ "origin", view->origin },
		{ "modelled", target->is_modelled ? "yes" : "no" },
		{ 0 },
	};

	export_text_family(text, EXPORT_INFO, "uncore_export_build", "",
			   "What counts: the version of uncore, the processor, "
			   "and where its registers are.");
	export_text_sample(text, labels, 1);
}

/* Errors by what failed. */
static void write_errors(const struct export_self *self,
			 struct export_text *text)
{
	const struct {
		const char *what;
		uint64_t num;
	} rows[] = {
		{ "sweep", self->failed_sweeps },
		{ "textfile", self->failed_files },
	};

	export_text_family(text, EXPORT_COUNTER, "uncore_export_errors", "",
			   "Sweeps that could not read the counters, and "
			   "text files that could not be written.");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		export_text_count(text,
				  (const struct export_label[]){
					  { "what", rows[i].what }, { 0 } },
				  rows[i].num);
}

void export_self_write(const struct export_view *view,
		       const struct export_self *self, struct export_text *text)
{
	const struct {
		enum export_kind kind;
		const char *name, *unit;
		double value;
		const char *help;
	} rows[] = {
		{ EXPORT_GAUGE, "uncore_export_counting", "", self->is_counting,
		  "1 while what is watched goes on, 0 when it has ended." },
		{ EXPORT_COUNTER, "uncore_export_sweeps", "",
		  (double)self->sweeps, "Reads of all counters." },
		{ EXPORT_COUNTER, "uncore_export_sweep_seconds", "seconds",
		  self->sweep_seconds, "Time that these took." },
		{ EXPORT_GAUGE, "uncore_export_window_seconds", "seconds",
		  view->monitor->since.seconds,
		  "Time between the last two sweeps, which gauges are of; of "
		  "the model where one counts." },
		{ EXPORT_COUNTER, "uncore_export_counted_seconds", "seconds",
		  view->monitor->whole.seconds,
		  "Time from the start to the last sweep; of the model where "
		  "one counts." },
		{ EXPORT_GAUGE, "uncore_export_unavailable_samples", "",
		  num_missing(view),
		  "Counts and figures that could not be had at the last sweep, "
		  "and so have no sample." },
		{ EXPORT_COUNTER, "uncore_export_scrapes", "",
		  (double)self->http.scrapes, "Answers to /metrics." },
		{ EXPORT_COUNTER, "uncore_export_refused_requests", "",
		  (double)self->http.refused,
		  "Requests of paths and methods that there are not." },
		{ EXPORT_COUNTER, "uncore_export_dropped_clients", "",
		  (double)self->http.dropped,
		  "Connections that were closed since others came." },
		{ EXPORT_GAUGE, "uncore_export_clients", "", self->http.clients,
		  "Connections now." },
		{ EXPORT_GAUGE, "uncore_export_start_time_seconds", "seconds",
		  self->started_seconds, "When it began, since 1970." },
		{ EXPORT_COUNTER, "uncore_export_cpu_seconds", "seconds",
		  self->cpu_seconds,
		  "Time of processors that this process used, with that of a "
		  "model in it." },
		{ EXPORT_GAUGE, "uncore_export_resident_memory_bytes", "bytes",
		  self->resident_bytes, "Memory of this process." },
	};

	write_build(view, text);
	write_errors(self, text);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		export_text_family(text, rows[i].kind, rows[i].name,
				   rows[i].unit, rows[i].help);
		export_text_sample(text, NULL, rows[i].value);
	}
}

/* The part of the time in which an event counted: the least of its boxes. */
static double share_of(const struct export_view *view,
		       const struct export_event *event)
{
	const struct uncore_session *session = view->monitor->counting.session;
	struct uncore_count count;
	double share = NAN;

	for (size_t i = 0; i < event->num; i++)
		if (uncore_session_count(session, event->first + i, &count) &&
		    count.valid)
			share = fmin(share, count.share);
	return share;
}

void export_turns_write(const struct export_view *view,
			struct export_text *text)
{
	const struct monitor *monitor = view->monitor;

	export_text_family(text, EXPORT_GAUGE, "uncore_share_ratio", "ratio",
			   "Part of the time in which an event was counted "
			   "that takes turns with others, or with those of "
			   "somebody else; what it is told to have counted is "
			   "an estimate from that.");
	for (size_t i = 0; i < view->num_events; i++) {
		const struct export_event *event = &view->events[i];
		double share = share_of(view, event);

		if (monitor->counts[event->first].is_estimate || share < 1)
			export_text_sample(
				text,
				(const struct export_label[]){
					{ "event",
					  uncore_event_text(event->event) },
					{ 0 } },
				share);
	}
	export_text_family(text, EXPORT_GAUGE, "uncore_export_turns", "",
			   "Groups of events that take turns in the counters; "
			   "1: none do, and all counts are exact.");
	export_text_sample(text, NULL, (double)monitor->num_slices);
}
