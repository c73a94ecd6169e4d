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

#include "tool/metrics.h"
#include "tool/tool.h"

/* BOX/EVENT, with whatever unit mask. */
static bool is_event(const char *text, const char *box, const char *event)
{
	char wanted[160];
	size_t length =
		(size_t)snprintf(wanted, sizeof(wanted), "%s/%s", box, event);

	return !strncasecmp(text, wanted, length) &&
	       strchr("./,", text[length]);
}

static bool is_made_from(const struct metric_list *list, size_t index,
			 const char *box, const char *event)
{
	const char *text;

	for (size_t i = 0; (text = uncore_metrics_event(list->set, index, i));
	     i++)
		if (is_event(text, box, event))
			return true;
	return false;
}

/* What the metric says, and the partners that the event has in it; to be
 * freed. */
static char *say_use(const struct metric_list *list, size_t index,
		     const char *brief, const char *box, const char *event)
{
	char *use = NULL;
	bool any = false;
	const char *text;
	FILE *file = tool_text(&use);

	fprintf(file, "%s", brief);
	for (size_t i = 0; (text = uncore_metrics_event(list->set, index, i));
	     i++) {
		if (is_event(text, box, event))
			continue;
		fprintf(file, "%s%s", any ? ", " : ". Together with ", text);
		any = true;
	}
	fclose(file);
	return use;
}

void explain_metrics_of(struct explain *explain, const char *box,
			const char *event)
{
	const struct metric_list *list = &explain->metrics;
	struct uncore_metric metric;

	page_list(&explain->page, "metrics", "Metrics made from it");
	for (size_t i = 0; uncore_metrics_at(list->set, i, &metric); i++) {
		char *use = is_made_from(list, i, box, event)
				    ? say_use(list, i, metric.brief, box, event)
				    : NULL;

		if (use)
			page_pair(&explain->page, "metric", metric.name, use);
		free(use);
	}
	page_list_end(&explain->page, "none");
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

const char *const explain_kinds[] = { "total", "rate", "ratio" };
const char *const explain_splits[] = { "machine", "socket", "box" };

void explain_metric_page(struct explain *explain, size_t index)
{
	const struct metric_list *list = &explain->metrics;
	struct page *page = &explain->page;
	struct uncore_metric_key key;
	struct uncore_metric metric;
	const char *event;

	uncore_metrics_at(list->set, index, &metric);
	page_begin(page, "metric", metric.name);
	page_say(page, "brief", "What it says", metric.brief);
	page_say(page, "unit", "Unit", metric.unit);
	page_say(page, "formula", "Formula", metric.formula);
	page_list(page, "where", "Where");
	for (size_t i = 0; uncore_metrics_key(list->set, index, i, &key); i++)
		page_item(page, "%s = %s", key.name, key.text);
	page_list_end(page, NULL);
	page_list(page, "events", "Events");
	for (size_t i = 0; (event = uncore_metrics_event(list->set, index, i));
	     i++)
		page_item(page, "%s", event);
	page_list_end(page, "");
	page_say(page, "includes", "What is in it", metric.includes);
	page_say(page, "excludes", "What is not", metric.excludes);
	page_say(page, "note", "Mind", metric.note);
	page_say(page, "minimum", "Less than this cannot be", metric.minimum);
	page_say(page, "maximum", "More than this cannot be", metric.maximum);
	page_say(page, "source", "In the guide", metric.source);
	page_text(page, NULL, "Kind, split and categories", "%s, by %s; %s",
		  explain_kinds[metric.kind],
		  metric.box ? metric.box : explain_splits[metric.split],
		  metric.categories);
	page_text(page, NULL, "Row", "%s:%u", metric.file, metric.line);
	say_command(explain, list, index, metric.name);
	page_end(page);
}

int explain_metric(struct explain *explain, const char *name)
{
	const struct metric_list *list = &explain->metrics;
	struct uncore_metric metric;

	for (size_t i = 0; uncore_metrics_at(list->set, i, &metric); i++)
		if (!strcmp(metric.name, name)) {
			explain_metric_page(explain, i);
			return 0;
		}
	return EXPLAIN_UNKNOWN;
}
