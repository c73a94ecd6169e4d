/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The metrics that a command was asked for.
 */
#ifndef UNCORE_TOOL_METRICS_H
#define UNCORE_TOOL_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "uncore/metric.h"

struct machine_settings;
struct option_texts;

struct metric_list {
	struct uncore_metrics *set;
	size_t *chosen; /* indices of the set */
	size_t num;
	bool offers; /* it was asked for by the names of categories alone */
};

/* The built-in metrics of a family and those of files (--metric-file; NULL:
 * none), and of all of them what `words` names. `machine` (NULL: no model) is
 * the modelled machine, whose parameters set the limits of what is plausible.
 * An exit code; in any case metrics_close() is to be called. */
int metrics_open(const struct uncore_family *family,
		 const struct option_texts *files, const char *words,
		 const struct machine_settings *machine,
		 struct metric_list *list);
void metrics_close(struct metric_list *list);

#endif
