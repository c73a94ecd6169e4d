/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore list --metrics`.
 */
#ifndef UNCORE_TOOL_LIST_METRICS_H
#define UNCORE_TOOL_LIST_METRICS_H

#include <stdbool.h>
#include <stddef.h>

struct option_texts;
struct uncore_family;

/* Shows the metrics that `words` names (NULL: all), an exit code. A single one
 * is shown with all that is known of it. */
int list_metrics(const struct uncore_family *family,
		 const struct option_texts *files, const char *words,
		 bool json);

#endif
