/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an exporter tells of itself, and of events that take turns.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "export.h"
#include "tool/tool.h"
#include "uncore/uncore.h"

static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long all, resident;
	int num = 0;

	if (file) {
		num = fscanf(file, "%llu %llu", &all, &resident);
		fclose(file);
	}
	return num == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE)
			: NAN;
}

/* Counts and figures that could not be had. */
static double num_missing(const struct export_view *view)
{
	const struct event_set *set = &view->monitor->counting.set;
	unsigned num = 0;

	for (size_t i = 0; i < view->monitor->num_counts; i++)
		num += !view->monitor->counts[i].valid;
	for (size_t i = 0; i < view->num_figures; i++)
		for (unsigned s = 0; s < view->figures[i].num; s++)
			num += isnan(view->figures[i].values[s]);
	for (size_t i = 0; i < set->num; i++)
		num += set->rows[i].reason != NULL;
	return num;
}

/* The part of the time in which an event counted: the least of the boxes from
 * this count on. */
static double share_from(const struct monitor *monitor, size_t first)
{
	struct uncore_count count;
	double share = NAN;

	for (size_t i = first;
	     i < monitor->num_counts &&
	     monitor->counts[i].event == monitor->counts[first].event;
	     i++)
		if (uncore_session_count(monitor->counting.session, i,
					 &count) &&
		    count.valid)
			share = fmin(share, count.share);
	return share;
}

static void write_shares(const struct monitor *monitor,
			 struct export_text *text)
{
	const struct export_family family = {
		EXPORT_GAUGE, "uncore_share_ratio", "ratio",
		"Part of the time in which an event was counted that takes "
		"turns with others, or with those of somebody else; what it is "
		"told to have counted is an estimate from that."
	};

	export_text_family(text, &family);
	for (size_t i = 0; i < monitor->num_counts; i++) {
		const struct monitor_count *count = &monitor->counts[i];
		const struct export_label labels[] = {
			{ "event", uncore_event_text(count->event) }, { 0 }
		};
		double share;

		if (i && count->event == count[-1].event)
			continue;
		share = share_from(monitor, i);
		if (count->is_estimate || share < 1)
			export_text_sample(text, labels, share);
	}
}

static void write_build(const struct target *target, struct export_text *text)
{
	const struct export_family family = {
		EXPORT_INFO, "uncore_export_build", "",
		"What counts: the version of uncore, the processor, and where "
		"its registers are."
	};
	const struct export_label labels[] = {
		{ "version", UNCORE_VERSION },
		{ "machine",
		  uncore_family_name(uncore_target_family(target->registers)) },
		{ "origin",
		  tool_shown(uncore_target_origin(target->registers)) },
		{ "modelled", target->is_modelled ? "yes" : "no" },
		{ 0 },
	};

	export_text_family(text, &family);
	export_text_sample(text, labels, 1);
}

/* Errors by what failed. */
static void write_errors(const struct export_self *self,
			 struct export_text *text)
{
	const struct export_family family = {
		EXPORT_COUNTER, "uncore_export_errors", "",
		"Sweeps that could not read the counters, and text files that "
		"could not be written."
	};
	const struct export_label sweep[] = { { "what", "sweep" }, { 0 } };
	const struct export_label file[] = { { "what", "textfile" }, { 0 } };

	export_text_family(text, &family);
	export_text_count(text, sweep, self->failed_sweeps);
	export_text_count(text, file, self->failed_files);
}

static void tell(struct export_text *text, enum export_kind kind,
		 const char *name, const char *unit, double value,
		 const char *help)
{
	const struct export_family family = { kind, name, unit, help };

	export_text_family(text, &family);
	export_text_sample(text, NULL, value);
}

void export_self_write(const struct export_view *view,
		       const struct export_self *self, struct export_text *text)
{
	const struct monitor *monitor = view->monitor;

	write_shares(monitor, text);
	tell(text, EXPORT_GAUGE, "uncore_export_turns", "",
	     (double)monitor->num_slices,
	     "Groups of events that take turns in the counters; 1: none do, "
	     "and all counts are exact.");
	write_build(&monitor->counting.target, text);
	write_errors(self, text);
	tell(text, EXPORT_GAUGE, "uncore_export_counting", "",
	     self->is_counting,
	     "1 while what is watched goes on, 0 when it has ended.");
	tell(text, EXPORT_COUNTER, "uncore_export_sweeps", "",
	     (double)self->sweeps, "Reads of all counters.");
	tell(text, EXPORT_COUNTER, "uncore_export_sweep_seconds", "seconds",
	     self->sweep_seconds, "Time that these took.");
	tell(text, EXPORT_GAUGE, "uncore_export_window_seconds", "seconds",
	     monitor->since.seconds,
	     "Time between the last two sweeps, which gauges are of; of the "
	     "model where one counts.");
	tell(text, EXPORT_COUNTER, "uncore_export_counted_seconds", "seconds",
	     monitor->whole.seconds,
	     "Time from the start to the last sweep; of the model where one "
	     "counts.");
	tell(text, EXPORT_GAUGE, "uncore_export_unavailable_samples", "",
	     num_missing(view),
	     "Counts and figures that could not be had at the last sweep, and "
	     "so have no sample.");
	tell(text, EXPORT_COUNTER, "uncore_export_scrapes", "",
	     (double)self->http.scrapes, "Answers to /metrics.");
	tell(text, EXPORT_COUNTER, "uncore_export_refused_requests", "",
	     (double)self->http.refused,
	     "Requests of paths and methods that there are not.");
	tell(text, EXPORT_COUNTER, "uncore_export_dropped_clients", "",
	     (double)self->http.dropped,
	     "Connections that were closed since others came.");
	tell(text, EXPORT_GAUGE, "uncore_export_clients", "",
	     self->http.clients, "Connections now.");
	tell(text, EXPORT_GAUGE, "uncore_export_start_time_seconds", "seconds",
	     self->started_seconds, "When it began, since 1970.");
	tell(text, EXPORT_COUNTER, "uncore_export_cpu_seconds", "seconds",
	     tool_cpu_seconds(),
	     "Time of processors that this process used, with that of a model "
	     "in it.");
	tell(text, EXPORT_GAUGE, "uncore_export_resident_memory_bytes", "bytes",
	     resident_bytes(), "Memory of this process.");
}
