/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The rows behind the summary of a family, and the evaluation of a formula.
 */
#ifndef UNCORE_METRIC_METRIC_H
#define UNCORE_METRIC_METRIC_H

#include "uncore/metric.h"
#include "uncore/session.h"

/* A short name in formulas for an event. */
struct metric_event {
	const char *key;
	const char *text;
};

struct metric_table {
	const char *family;
	const struct metric_event *events;   /* ended by a NULL key */
	const struct uncore_metric *metrics; /* ended by a NULL name */
};

/* All tables, ended by a NULL family. */
extern const struct metric_table metric_tables[];

/* The counts that a formula is about. */
struct formula_scope {
	const struct metric_table *table;
	const struct uncore_session *session;
	const struct uncore_metric_run *run;
	int socket;   /* -1: all */
	int instance; /* -1: all boxes */
};

/* The value of a formula, or false and why not. Grammar: numbers, keys, + - * /
 * ( ), seconds, cycles, clock_hz, and max(...), mean(...) over boxes. */
bool formula_value(const struct formula_scope *scope, const char *formula,
		   double *value, const char **reason);

#endif
