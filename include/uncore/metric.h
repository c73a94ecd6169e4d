/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Figures made from counts: each metric is a row of name, unit and a formula
 * over the events of the summary.
 */
#ifndef UNCORE_METRIC_H
#define UNCORE_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_family;
struct uncore_session;

struct uncore_metric {
	const char *name;
	const char *unit;
	const char *formula;
	const char *brief;
};

/* The run that the counts belong to. */
struct uncore_metric_run {
	double seconds;
	double cycles; /* of the uncore clock */
	double clock_hz;
};

/* Text of the event number index that the metrics of a family are made from;
 * NULL past the last one. They fit into the counters together. */
const char *uncore_metric_event(const struct uncore_family *family,
				size_t index);

/* Metric number index of a family; false past the last one. */
bool uncore_metric_at(const struct uncore_family *family, size_t index,
		      struct uncore_metric *metric);

/* The value of a metric from a session that counted (at least) its events:
 * socket number, or -1 for all sockets together. False when it cannot be had:
 * an event was not counted, or there is nothing to divide by; *reason (as long
 * as the program) says which. */
bool uncore_metric_value(const struct uncore_family *family, size_t index,
			 const struct uncore_session *session,
			 const struct uncore_metric_run *run, int socket,
			 double *value, const char **reason);

#ifdef __cplusplus
}
#endif

#endif
