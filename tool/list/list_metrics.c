/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore list --metrics [NAME|CATEGORY|GLOB]`: one line each, or all that is
 * known of the few that were named.
 */
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "tool/json.h"
#include "tool/metrics.h"
#include "tool/tool.h"
#include "uncore/error.h"

static const char *const kinds[] = { "total", "rate", "ratio" };
static const char *const splits[] = { "machine", "socket", "box" };

static void member(const char *name, const char *text)
{
	if (*text)
		printf("    %-9s %s\n", name, tool_shown(text));
}

static void where(const struct metric_list *list, size_t index)
{
	struct uncore_metric_key key;

	for (size_t i = 0; uncore_metrics_key(list->set, index, i, &key); i++)
		printf("    %-9s %s = %s\n", i ? "" : "where",
		       tool_shown(key.name), tool_shown(key.text));
}

static void page(const struct metric_list *list, size_t index,
		 const struct uncore_metric *metric)
{
	const char *event;

	printf("%s [%s]: %s\n", tool_shown(metric->name),
	       tool_shown(metric->unit), tool_shown(metric->brief));
	member("formula", metric->formula);
	where(list, index);
	for (size_t i = 0; (event = uncore_metrics_event(list->set, index, i));
	     i++)
		member(i ? "" : "events", event);
	member("least", metric->minimum);
	member("most", metric->maximum);
	member("includes", metric->includes);
	member("excludes", metric->excludes);
	member("note", metric->note);
	member("kind", kinds[metric->kind]);
	member("split", metric->box ? metric->box : splits[metric->split]);
	member("in", metric->categories);
	member("source", metric->source);
	printf("    %-9s %s:%u\n\n", "row", tool_shown(metric->file),
	       metric->line);
}

/* Whether two lists of categories begin with the same one. */
static bool same_first(const char *a, const char *b)
{
	size_t length = strcspn(a, ",");

	return length == strcspn(b, ",") && !strncmp(a, b, length);
}

/* The metrics of the first category of metric number `first`, if no earlier one
 * has it, below what it is. */
static void section(const struct metric_list *list, size_t first)
{
	struct uncore_metric_category category;
	struct uncore_metric head, metric;
	const char *title = NULL;

	uncore_metrics_at(list->set, list->chosen[first], &head);
	for (size_t i = 0; i < list->num; i++) {
		uncore_metrics_at(list->set, list->chosen[i], &metric);
		if (!same_first(metric.categories, head.categories))
			continue;
		if (i < first)
			return;
		for (size_t n = 0;
		     i == first &&
		     uncore_metrics_category(list->set, n, &category);
		     n++)
			if (same_first(category.name, head.categories))
				title = category.title;
		if (i == first)
			printf("%s%.*s%s%s:\n", first ? "\n" : "",
			       (int)strcspn(head.categories, ","),
			       head.categories, title ? ", " : "",
			       title ? title : "");
		printf("  %-34s %-10s %s\n", tool_shown(metric.name),
		       tool_shown(metric.unit), tool_shown(metric.brief));
	}
}

static void print_text(const struct metric_list *list, bool whole)
{
	struct uncore_metric metric;

	for (size_t i = 0; i < list->num; i++) {
		uncore_metrics_at(list->set, list->chosen[i], &metric);
		if (whole)
			page(list, list->chosen[i], &metric);
		else
			section(list, i);
	}
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
		     "name:t brief:t categories:t unit:t kind:t split:t box:? "
		     "formula:t minimum:t maximum:t",
		     metric.name, metric.brief, metric.categories, metric.unit,
		     kinds[metric.kind], splits[metric.split], metric.box,
		     metric.formula, metric.minimum, metric.maximum);
	json_open(json, "where", '{');
	for (size_t i = 0; uncore_metrics_key(list->set, index, i, &key); i++)
		json_string(json, key.name, key.text);
	json_close(json);
	json_open(json, "events", '[');
	for (size_t i = 0; (event = uncore_metrics_event(list->set, index, i));
	     i++)
		json_string(json, NULL, event);
	json_close(json);
	json_members(json,
		     "includes:t excludes:t note:t source:t file:t line:u",
		     metric.includes, metric.excludes, metric.note,
		     metric.source, metric.file, metric.line);
	json_close(json);
}

static void print_json(const struct metric_list *list,
		       const struct uncore_family *family)
{
	struct json json = { .file = stdout };
	struct uncore_metric_fact fact;

	json_open(&json, NULL, '{');
	json_members(&json, "schema:t machine:t", "uncore-metrics-1",
		     uncore_family_name(family));
	json_open(&json, "facts", '[');
	for (size_t i = 0; uncore_metrics_fact(list->set, i, &fact); i++)
		json_add_row(&json, "name:t value:r unit:t brief:t parameter:t",
			     fact.name, fact.value, fact.unit, fact.brief,
			     fact.param);
	json_close(&json);
	json_open(&json, "metrics", '[');
	for (size_t i = 0; i < list->num; i++)
		put_metric(&json, list, list->chosen[i]);
	json_close(&json);
	json_close(&json);
}

/* Of categories all is listed: each word with ":all" behind it, to be freed. */
static char *whole(const char *words)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	for (; *words; words += strspn(words, ",")) {
		size_t length = strcspn(words, ",");

		fprintf(file, "%s%.*s%s", ftell(file) ? "," : "", (int)length,
			words, memchr(words, ':', length) ? "" : ":all");
		words += length;
	}
	return fclose(file) ? NULL : text;
}

int list_metrics(const struct uncore_family *family,
		 const struct option_texts *files, const char *words, bool json)
{
	struct metric_list list = { 0 };
	char *all = whole(words ? words : "all");
	int status = all ? metrics_open(family, files, all, NULL, &list)
			 : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);

	if (!status && json)
		print_json(&list, family);
	else if (!status)
		print_text(&list, words != NULL);
	metrics_close(&list);
	free(all);
	return status;
}
