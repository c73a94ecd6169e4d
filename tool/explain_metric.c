/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The page of a metric.
 */
#include "explain.h"

#include <string.h>

#include "uncore/metric.h"

void explain_offer_metrics(const struct explain *explain,
			   struct uncore_closest *closest)
{
	struct uncore_metric metric;

	for (size_t i = 0; uncore_metric_at(explain->family, i, &metric); i++)
		uncore_closest_offer(closest, metric.name);
}

void explain_metrics_of(struct explain *explain, const char *box,
			const char *event)
{
	(void)explain;
	(void)box;
	(void)event;
}

enum explain_result explain_metric(struct explain *explain, const char *name)
{
	struct uncore_metric metric;

	for (size_t i = 0; uncore_metric_at(explain->family, i, &metric); i++) {
		if (strcmp(metric.name, name))
			continue;
		page_begin(&explain->page, "metric", metric.name);
		page_text(&explain->page, "brief", "What it says", "%s",
			  metric.brief);
		page_text(&explain->page, "formula", "Formula", "%s",
			  metric.formula);
		page_text(&explain->page, "unit", "Unit", "%s", metric.unit);
		page_end(&explain->page);
		return EXPLAIN_DONE;
	}
	return EXPLAIN_UNKNOWN;
}
