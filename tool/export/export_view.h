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

/* An event with the counts that are its samples, those of one that is named
 * again (for another box, or by another word) each once. */
struct export_event {
	struct export_family family;
	const struct uncore_event *event; /* as it was named first */
	size_t *counts;			  /* numbers in the monitor */
	size_t num;
};

/* A metric. */
struct export_figure {
	struct export_family family;
	size_t chosen; /* number in the monitor */
	struct uncore_metric metric;
	struct export_unit unit;
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
};

struct export_view {
	struct monitor *monitor;
	struct export_event *events;
	size_t num_events;
	struct export_figure *figures;
	size_t num_figures;
};

/* Names all of it; export_view_close() is to be called before the monitor is
 * closed. */
void export_view_open(struct export_view *view, struct monitor *monitor);
void export_view_close(struct export_view *view);

/* After a sweep: takes the values of the metrics. */
void export_view_take(struct export_view *view);

/* Writes all families; the second, of export_self.c, those about the exporter,
 * and about turns. */
void export_view_write(const struct export_view *view,
		       const struct export_self *self,
		       struct export_text *text);
void export_self_write(const struct export_view *view,
		       const struct export_self *self,
		       struct export_text *text);

#endif
