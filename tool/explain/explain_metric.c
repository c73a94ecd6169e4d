/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The page of a metric.
 */
#include "explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/machine.h"
#include "tool/metrics.h"

int explain_open_metrics(struct explain *explain)
{
	const struct machine_settings machine = { .machine = explain->machine };
	bool has_model = uncore_family_has_model(explain->family);

	/* A family without a model has its own facts and no others. */
	return metrics_open(explain->family, NULL, "all",
			    has_model ? &machine : NULL, &explain->metrics);
}

void explain_offer_metrics(const struct explain *explain,
			   struct uncore_closest *closest)
{
	struct uncore_metric metric;

	for (size_t i = 0; uncore_metrics_at(explain->metrics.set, i, &metric);
	     i++)
		uncore_closest_offer(closest, metric.name);
}

/* BOX/EVENT, with whatever unit mask. */
static bool is_event(const char *text, const char *box, const char *event)
{
	char wanted[160];
	size_t length =
		(size_t)snprintf(wanted, sizeof(wanted), "%s/%s", box, event);

	return !strncasecmp(text, wanted, length) &&
	       strchr("./,", text[length]);
}

/* What the metric says, and the partners that the event has in it; to be
 * freed. NULL where the metric is not made from the event. */
static char *say_use(const struct metric_list *list, size_t index,
		     const char *brief, const char *box, const char *event)
{
	char *use = NULL;
	bool is_made_from = false, any = false;
	const char *text;
	size_t size;
	FILE *file = open_memstream(&use, &size);

	if (!file)
		return NULL;
	fprintf(file, "%s", brief);
	for (size_t i = 0; (text = uncore_metrics_event(list->set, index, i));
	     i++) {
		if (is_event(text, box, event)) {
			is_made_from = true;
			continue;
		}
		fprintf(file, "%s%s", any ? ", " : ". Together with ", text);
		any = true;
	}
	if (!fclose(file) && is_made_from)
		return use;
	free(use);
	return NULL;
}

void explain_metrics_of(struct explain *explain, const char *box,
			const char *event)
{
	const struct metric_list *list = &explain->metrics;
	struct uncore_metric metric;
	bool any = false;

	page_list(&explain->page, "metrics", "Metrics made from it");
	for (size_t i = 0; uncore_metrics_at(list->set, i, &metric); i++) {
		char *use = say_use(list, i, metric.brief, box, event);

		if (use)
			page_pair(&explain->page, "metric", metric.name, use);
		any |= use != NULL;
		free(use);
	}
	if (!any)
		page_line(&explain->page, "none");
	page_list_end(&explain->page);
}

static void text(struct explain *explain, const char *key, const char *heading,
		 const char *value)
{
	if (*value)
		page_text(&explain->page, key, heading, "%s", value);
}

/* With traffic that makes the rarest of its events count: the last one for
 * which some is known, since what a share is taken of comes first. */
static void say_command(struct explain *explain, const struct metric_list *list,
			size_t index, const char *name)
{
	bool is_rare = false, has_rare = false;
	char *traffic = NULL;
	const char *event;

	for (size_t i = 0; (event = uncore_metrics_event(list->set, index, i));
	     i++) {
		char *other =
			strstr(event, "FIXED_CTR")
				? NULL
				: explain_traffic(explain, event, &is_rare);

		if (!other || has_rare) {
			free(other);
			continue;
		}
		free(traffic);
		traffic = other;
		has_rare = is_rare;
	}
	explain_command(explain, "-M", name,
			traffic ? traffic : "-w 'stream:threads=4,size=1M'");
	free(traffic);
}

static void print_page(struct explain *explain, const struct metric_list *list,
		       size_t index, const struct uncore_metric *metric)
{
	struct uncore_metric_key key;
	const char *event;

	page_begin(&explain->page, "metric", metric->name);
	text(explain, "brief", "What it says", metric->brief);
	text(explain, "unit", "Unit", metric->unit);
	text(explain, "formula", "Formula", metric->formula);
	if (uncore_metrics_key(list->set, index, 0, &key)) {
		page_list(&explain->page, "where", "Where");
		for (size_t i = 0;
		     uncore_metrics_key(list->set, index, i, &key); i++)
			page_item(&explain->page, "%s = %s", key.name,
				  key.text);
		page_list_end(&explain->page);
	}
	page_list(&explain->page, "events", "Events");
	for (size_t i = 0; (event = uncore_metrics_event(list->set, index, i));
	     i++)
		page_item(&explain->page, "%s", event);
	page_list_end(&explain->page);
	text(explain, "includes", "What is in it", metric->includes);
	text(explain, "excludes", "What is not", metric->excludes);
	text(explain, "note", "Mind", metric->note);
	text(explain, "minimum", "Less than this cannot be", metric->minimum);
	text(explain, "maximum", "More than this cannot be", metric->maximum);
	text(explain, "source", "In the guide", metric->source);
	say_command(explain, list, index, metric->name);
	page_end(&explain->page);
}

enum explain_result explain_metric(struct explain *explain, const char *name)
{
	enum explain_result result = EXPLAIN_UNKNOWN;
	const struct metric_list *list = &explain->metrics;
	struct uncore_metric metric;

	for (size_t i = 0; uncore_metrics_at(list->set, i, &metric); i++)
		if (!strcmp(metric.name, name)) {
			print_page(explain, list, i, &metric);
			result = EXPLAIN_DONE;
		}
	return result;
}
