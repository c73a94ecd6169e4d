/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The page of a metric.
 */
#include "explain.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "metrics.h"

/* All metrics of the family; false after a sentence on what is wrong. */
static bool open_all(const struct explain *explain, struct metric_list *list)
{
	*list = (struct metric_list){ 0 };
	if (!metrics_open(explain->family, NULL, 0, "all", NULL, list))
		return true;
	metrics_close(list);
	return false;
}

void explain_offer_metrics(const struct explain *explain,
			   struct uncore_closest *closest)
{
	struct uncore_metric metric;
	struct metric_list list;

	if (!open_all(explain, &list))
		return;
	for (size_t i = 0; uncore_metrics_at(list.set, i, &metric); i++)
		uncore_closest_offer(closest, metric.name);
	metrics_close(&list);
}

/* Whether one of its events is BOX/EVENT, with whatever unit mask. */
static bool is_made_from(const struct metric_list *list, size_t index,
			 const char *box, const char *event)
{
	char wanted[160];
	const char *text;
	size_t length =
		(size_t)snprintf(wanted, sizeof(wanted), "%s/%s", box, event);

	for (size_t i = 0; (text = uncore_metrics_event(list->set, index, i));
	     i++)
		if (!strncasecmp(text, wanted, length) &&
		    strchr("./,", text[length]))
			return true;
	return false;
}

void explain_metrics_of(struct explain *explain, const char *box,
			const char *event)
{
	struct uncore_metric metric;
	struct metric_list list;
	bool any = false;

	if (!open_all(explain, &list))
		return;
	for (size_t i = 0; uncore_metrics_at(list.set, i, &metric); i++) {
		if (!is_made_from(&list, i, box, event))
			continue;
		if (!any)
			page_list(&explain->page, "metrics",
				  "Metrics made from it");
		page_pair(&explain->page, "metric", metric.name, metric.brief);
		any = true;
	}
	if (any)
		page_list_end(&explain->page);
	metrics_close(&list);
}

static void text(struct explain *explain, const char *key, const char *heading,
		 const char *value)
{
	if (*value)
		page_text(&explain->page, key, heading, "%s", value);
}

static void print_page(struct explain *explain, const struct metric_list *list,
		       size_t index, const struct uncore_metric *metric)
{
	const char *event;

	page_begin(&explain->page, "metric", metric->name);
	text(explain, "brief", "What it says", metric->brief);
	text(explain, "unit", "Unit", metric->unit);
	text(explain, "formula", "Formula", metric->formula);
	page_list(&explain->page, "events", "Events");
	for (size_t i = 0; (event = uncore_metrics_event(list->set, index, i));
	     i++)
		page_item(&explain->page, "%s", event);
	page_list_end(&explain->page);
	text(explain, "includes", "What is in it", metric->includes);
	text(explain, "excludes", "What is not", metric->excludes);
	text(explain, "note", "Mind", metric->note);
	text(explain, "maximum", "More than this cannot be", metric->maximum);
	text(explain, "source", "Source", metric->source);
	page_line(&explain->page, "uncore stat -M %s -- PROGRAM", metric->name);
	page_end(&explain->page);
}

enum explain_result explain_metric(struct explain *explain, const char *name)
{
	enum explain_result result = EXPLAIN_UNKNOWN;
	struct uncore_metric metric;
	struct metric_list list;

	if (!open_all(explain, &list))
		return result;
	for (size_t i = 0; uncore_metrics_at(list.set, i, &metric); i++)
		if (!strcmp(metric.name, name)) {
			print_page(explain, &list, i, &metric);
			result = EXPLAIN_DONE;
		}
	metrics_close(&list);
	return result;
}
