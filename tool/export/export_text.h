/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writes an exposition: families of samples, as OpenMetrics 1.0 or in the
 * text format 0.0.4 that Prometheus had before it (and that the textfile
 * collector of node_exporter reads). The writer keeps the form: a family is
 * begun once, its samples follow it, and names end as their kind wants.
 */
#ifndef UNCORE_TOOL_EXPORT_TEXT_H
#define UNCORE_TOOL_EXPORT_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum export_kind {
	EXPORT_COUNTER, /* never falls */
	EXPORT_GAUGE,
	EXPORT_INFO, /* of value 1: its labels tell */
};

struct export_family {
	enum export_kind kind;
	const char *name;
	const char *unit; /* what the name ends with, or "" */
	const char *help;
};

struct export_text {
	FILE *file;
	bool is_open_metrics;
	const struct export_family *family;
	bool is_begun; /* a sample of it has been written */
};

struct export_label {
	const char *name, *value;
};

/* A family; it is written when its first sample is, so one that has none is
 * left out. It is needed until the next one begins. */
void export_text_family(struct export_text *text,
			const struct export_family *family);

/* A sample with labels up to one without a name (NULL: none); of a number, or
 * of a count with all its digits. What is no number (NAN, infinite) is not
 * written. */
void export_text_sample(struct export_text *text,
			const struct export_label *labels, double value);
void export_text_count(struct export_text *text,
		       const struct export_label *labels, uint64_t value);

void export_text_end(struct export_text *text);

#endif
