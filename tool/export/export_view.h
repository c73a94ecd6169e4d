/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore export` tells of a monitor: each event as a counter, one sample
 * for each box of each socket; each metric that is a total as a counter, any
 * other as a gauge over the time between two sweeps, one sample for each socket
 * or, where it cannot be split, one. No name has a total beside its parts, so
 * sums over labels are right. What could not be had has no sample.
 */
#ifndef UNCORE_TOOL_EXPORT_VIEW_H
#define UNCORE_TOOL_EXPORT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "export_http.h"
#include "export_name.h"
#include "export_text.h"
#include "tool/monitor.h"

/* An event with its counts of the monitor: num from number first on. */
struct export_event {
	const struct uncore_event *event;
	char *name, *help;
	size_t first, num;
	bool follows; /* its samples stand with those of an event before */
};

/* A metric. */
struct export_figure {
	size_t chosen; /* number in the monitor */
	struct uncore_metric metric;
	struct export_unit unit;
	char *name, *help;
	unsigned num;	/* of values: sockets, or 1 for the machine */
	double *values; /* as of the last sweep, in the unit; NAN: none */
	double *held;	/* of a total, the most that it ever was */
};

/* About the exporter itself. */
struct export_self {
	uint64_t sweeps, failed_sweeps, failed_files;
	double sweep_seconds;	/* of all sweeps */
	double started_seconds; /* since 1970 */
	bool is_counting;	/* what is watched goes on */
	struct export_http_stats http;
	double cpu_seconds, resident_bytes; /* NAN: not known */
};

struct export_view {
	struct monitor *monitor;
	struct export_event *events;
	size_t num_events;
	struct export_figure *figures;
	size_t num_figures;
	char origin[256];
};

/* Names all of it; an exit code. In any case export_view_close() is to be
 * called, before the monitor is closed. */
int export_view_open(struct export_view *view, struct monitor *monitor);
void export_view_close(struct export_view *view);

/* After a sweep: takes the values of the metrics. */
void export_view_take(struct export_view *view);

/* Writes all families. */
void export_view_write(const struct export_view *view,
		       const struct export_self *self,
		       struct export_text *text);

/* What the process has used so far. */
void export_self_take(struct export_self *self);

/* Of export_self.c: those about the exporter, and about turns. */
void export_self_write(const struct export_view *view,
		       const struct export_self *self,
		       struct export_text *text);
void export_turns_write(const struct export_view *view,
			struct export_text *text);

/* "what it is; a note": what an event or metric is, for HELP; to be freed. NULL
 * without memory. Of export_help.c. */
char *export_event_help(const struct uncore_family *family,
			const struct uncore_event *event, bool takes_turns);
char *export_metric_help(const struct uncore_metric *metric,
			 const struct export_unit *unit, bool takes_turns);

#endif
