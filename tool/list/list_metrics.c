/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore list --metrics [NAME|CATEGORY|GLOB]`: one line each, or the pages of
 * `uncore explain` about the few that were named.
 */
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "tool/explain/explain.h"
#include "tool/tool.h"
#include "uncore/error.h"

static const char *title_of(const struct metric_list *list, const char *name,
			    size_t length)
{
	struct uncore_metric_category category;
	const char *title = NULL;

	for (size_t i = 0; uncore_metrics_category(list->set, i, &category);
	     i++)
		if (!strncmp(category.name, name, length) &&
		    !category.name[length])
			title = category.title;
	return title;
}

/* A line for each metric, below the first of its categories. */
static void put_sections(struct page *page, const struct metric_list *list)
{
	struct uncore_metric *left = tool_new(list->num, sizeof(*left));

	for (size_t i = 0; i < list->num; i++)
		uncore_metrics_at(list->set, list->chosen[i], &left[i]);
	for (size_t first = 0; first < list->num; first++) {
		const char *name = left[first].categories, *title;
		size_t length = name ? strcspn(name, ",") : 0;

		if (!name)
			continue;
		title = title_of(list, name, length);
		page_heading(page, "%.*s%s%s:", (int)length, name,
			     title ? ", " : "", title ? title : "");
		for (size_t i = first; i < list->num; i++) {
			const char *other = left[i].categories;

			if (!other || strncmp(other, name, length) ||
			    (other[length] && other[length] != ','))
				continue;
			page_line(page, 2, "%-34s %-10s %s", left[i].name,
				  left[i].unit, left[i].brief);
			left[i].categories = NULL; /* it is done */
		}
	}
	free(left);
}

static void put_metric(struct json *json, const struct metric_list *list,
		       size_t index)
{
	struct uncore_metric metric;
	struct uncore_metric_key key;
	const char *event;

	uncore_metrics_at(list->set, index, &metric);
	json_open(json, NULL, '{');
	json_members(json,
		     "name:%s brief:%s categories:%s unit:%s kind:%s split:%s "
		     "box:%s? "
		     "formula:%s minimum:%s maximum:%s",
		     metric.name, metric.brief, metric.categories, metric.unit,
		     explain_kinds[metric.kind], explain_splits[metric.split],
		     metric.box, metric.formula, metric.minimum,
		     metric.maximum);
	json_open(json, "where", '{');
	for (size_t i = 0; uncore_metrics_key(list->set, index, i, &key); i++)
		json_string(json, key.name, key.text);
	json_close(json);
	json_open(json, "events", '[');
	for (size_t i = 0; (event = uncore_metrics_event(list->set, index, i));
	     i++)
		json_string(json, NULL, event);
	json_close(json);
	json_members(
		json,
		"includes:%s excludes:%s note:%s source:%s file:%s line:%u",
		metric.includes, metric.excludes, metric.note, metric.source,
		metric.file, metric.line);
	json_close(json);
}

static void put_facts(struct json *json, const struct metric_list *list)
{
	struct uncore_metric_fact fact;

	json_open(json, "facts", '[');
	for (size_t i = 0; uncore_metrics_fact(list->set, i, &fact); i++)
		json_add_row(json,
			     "name:%s value:%g unit:%s brief:%s parameter:%s",
			     fact.name, fact.value, fact.unit, fact.brief,
			     fact.param);
	json_close(json);
}

static void put_metrics(struct explain *explain, bool whole)
{
	const struct metric_list *list = &explain->metrics;
	struct json *json = explain->page.json;

	json_open(json, NULL, '{');
	json_members(json, "schema:%s machine:%s", "uncore-metrics-1",
		     uncore_family_name(explain->family));
	put_facts(json, list);
	json_open(json, "metrics", '[');
	for (size_t i = 0; i < list->num && (json || whole); i++)
		if (json)
			put_metric(json, list, list->chosen[i]);
		else
			explain_metric_page(explain, list->chosen[i]);
	if (!json && !whole)
		put_sections(&explain->page, list);
	json_close(json);
	json_close(json);
}

/* Of categories all is listed: each word with ":all" behind it, to be freed. */
static char *whole(const char *words)
{
	char *text = NULL;
	FILE *file = tool_text(&text);

	for (; *words; words += strspn(words, ",")) {
		size_t length = strcspn(words, ",");

		fprintf(file, "%s%.*s%s", ftell(file) ? "," : "", (int)length,
			words, memchr(words, ':', length) ? "" : ":all");
		words += length;
	}
	fclose(file);
	return text;
}

int list_metrics(const struct listing *listing,
		 const struct option_texts *files, const char *machine)
{
	const char *words = listing->pattern;
	struct explain explain = { .machine = machine,
				   .family = listing->family,
				   .page = *listing->page };
	char *all = whole(words ? words : "all");
	int status = metrics_open(listing->family, files, all, NULL,
				  &explain.metrics);

	if (!status)
		put_metrics(&explain, words != NULL);
	metrics_close(&explain.metrics);
	free(all);
	return status;
}
