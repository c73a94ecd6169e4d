/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looking up metrics and facts in a set.
 */
#include "metric/metric.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uncore/error.h"

static const char *or_none(const struct metric_text *text)
{
	return text->text ? text->text : "";
}

bool uncore_metrics_at(const struct uncore_metrics *metrics, size_t index,
		       struct uncore_metric *metric)
{
	const struct metric_row *row;

	if (index >= metrics->num_rows)
		return false;
	row = &metrics->rows[index];
	*metric = (struct uncore_metric){
		.name = row->name,
		.brief = row->title,
		.categories = row->categories,
		.unit = row->unit,
		.formula = or_none(&row->formula),
		.minimum = or_none(&row->minimum),
		.maximum = or_none(&row->maximum),
		.includes = row->includes,
		.excludes = row->excludes,
		.note = row->note,
		.source = row->source,
		.file = row->file,
		.line = row->line,
		.kind = row->kind,
		.split = (enum uncore_metric_split)row->split,
		.box = row->box,
		.num_events = row->num_events,
	};
	return true;
}

const char *uncore_metrics_event(const struct uncore_metrics *metrics,
				 size_t index, size_t event)
{
	if (index >= metrics->num_rows ||
	    event >= metrics->rows[index].num_events)
		return NULL;
	return metrics->rows[index].events[event].text;
}

bool uncore_metrics_key(const struct uncore_metrics *metrics, size_t index,
			size_t key, struct uncore_metric_key *found)
{
	const struct metric_key *row;

	if (index >= metrics->num_rows || key >= metrics->rows[index].num_keys)
		return false;
	row = &metrics->keys[metrics->rows[index].keys[key]];
	found->name = row->name;
	found->text = row->kind == KEY_FACT ? row->number : row->text.text;
	return true;
}

static bool in_category(const char *categories, const char *word)
{
	for (;;) {
		size_t length = strcspn(categories, ",");

		if (strlen(word) == length &&
		    !strncmp(categories, word, length))
			return true;
		if (!categories[length])
			return false;
		categories += length + 1;
	}
}

static bool fits(const struct metric_row *row, const char *word)
{
	return !strcmp(word, "all") || in_category(row->categories, word) ||
	       !fnmatch(word, row->name, FNM_CASEFOLD);
}

static int nothing_fits(const struct uncore_metrics *metrics, const char *word,
			char **error)
{
	struct nearest nearest = { .wanted = word };
	struct text text = { 0 };
	char *said;

	for (size_t i = 0; i < metrics->num_rows; i++)
		nearest_offer(&nearest, metrics->rows[i].name);
	text_add(&text, "no metric and no category '%s'", word);
	nearest_say(&nearest, &text);
	text_add(&text, "; 'uncore list --metrics' shows them");
	said = text_take(&text);
	if (!said)
		return UNCORE_ERR_NO_MEMORY;
	text_error(UNCORE_ERR_BAD_METRIC, error, "%s", said);
	free(said);
	return UNCORE_ERR_BAD_METRIC;
}

static int mark(const struct uncore_metrics *metrics, const char *words,
		bool *marked, char **error)
{
	int code = 0;

	do {
		size_t length = strcspn(words, ",");
		char *word = strndup(words, length);
		bool found = false;

		for (size_t i = 0; word && i < metrics->num_rows; i++)
			if (fits(&metrics->rows[i], word))
				found = marked[i] = true;
		if (!word)
			code = UNCORE_ERR_NO_MEMORY;
		else if (!found)
			code = nothing_fits(metrics, word, error);
		free(word);
		words += length + (words[length] == ',');
	} while (*words && !code);
	return code;
}

int uncore_metrics_choose(const struct uncore_metrics *metrics,
			  const char *words, size_t **chosen, size_t *num,
			  char **error)
{
	bool *marked = calloc(metrics->num_rows + 1, sizeof(*marked));
	int code;

	*num = 0;
	*chosen = calloc(metrics->num_rows + 1, sizeof(**chosen));
	code = marked && *chosen ? mark(metrics, words, marked, error)
				 : UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < metrics->num_rows && !code; i++)
		if (marked[i])
			(*chosen)[(*num)++] = i;
	free(marked);
	if (code) {
		free(*chosen);
		*chosen = NULL;
	}
	return code;
}

/* The key that is fact number index, or NULL. */
static struct metric_key *fact(const struct uncore_metrics *metrics,
			       size_t index)
{
	for (size_t i = 0; i < metrics->num_keys; i++)
		if (metrics->keys[i].kind == KEY_FACT && index-- == 0)
			return &metrics->keys[i];
	return NULL;
}

bool uncore_metrics_fact(const struct uncore_metrics *metrics, size_t index,
			 struct uncore_metric_fact *found)
{
	const struct metric_key *key = fact(metrics, index);

	if (!key)
		return false;
	*found = (struct uncore_metric_fact){ .name = key->name,
					      .unit = key->unit,
					      .brief = key->title,
					      .param = key->param,
					      .value = key->value };
	return true;
}

void uncore_metrics_set_fact(struct uncore_metrics *metrics, size_t index,
			     double value)
{
	struct metric_key *key = fact(metrics, index);

	if (key)
		key->value = value;
}
