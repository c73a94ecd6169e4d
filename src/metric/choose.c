/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looking up metrics and facts in a set.
 */
#include "metric/metric.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
	row = metrics->rows[index];
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
	    event >= metrics->rows[index]->num_events)
		return NULL;
	return metrics->rows[index]->events[event].text;
}

bool uncore_metrics_key(const struct uncore_metrics *metrics, size_t index,
			size_t key, struct uncore_metric_key *found)
{
	const struct metric_key *row;

	if (index >= metrics->num_rows || key >= metrics->rows[index]->num_keys)
		return false;
	row = &metrics->keys[metrics->rows[index]->keys[key]];
	found->name = row->name;
	found->text = row->kind == KEY_FACT ? row->number : row->text.text;
	return true;
}

static bool in_category(const char *categories, const char *word)
{
	for (;;) {
		size_t length = strcspn(categories, ",");

		if (strlen(word) == length &&
		    !strncasecmp(categories, word, length))
			return true;
		if (!categories[length])
			return false;
		categories += length + 1;
	}
}

bool uncore_metrics_category(const struct uncore_metrics *metrics, size_t index,
			     struct uncore_metric_category *category)
{
	const struct metric_category *row;

	if (index >= metrics->num_categories)
		return false;
	row = &metrics->categories[index];
	*category = (struct uncore_metric_category){
		.name = row->name,
		.title = row->title,
		.shows = row->shows,
	};
	return true;
}

static const struct metric_category *
find_category(const struct uncore_metrics *metrics, const char *name)
{
	for (size_t i = metrics->num_categories; i-- > 0;)
		if (!strcasecmp(metrics->categories[i].name, name))
			return &metrics->categories[i];
	return NULL;
}

/* What has been chosen so far. */
struct choice {
	const struct uncore_metrics *metrics;
	bool *marked;
	size_t *chosen;
	size_t num;
};

static bool take(struct choice *choice, size_t index)
{
	if (!choice->marked[index])
		choice->chosen[choice->num++] = index;
	return choice->marked[index] = true;
}

/* Metrics that a category shows; one that the family has dropped is none. */
static bool take_shown(struct choice *choice,
		       const struct metric_category *category)
{
	const struct uncore_metrics *metrics = choice->metrics;
	const char *name = category->shows;
	bool found = false;

	while (*(name += strspn(name, ", "))) {
		size_t length = strcspn(name, ", ");

		for (size_t i = 0; i < metrics->num_rows; i++)
			if (strlen(metrics->rows[i]->name) == length &&
			    !strncmp(metrics->rows[i]->name, name, length))
				found = take(choice, i);
		name += length;
	}
	return found;
}

/* Whether a word stands for something; a category in full where it has no row
 * that says what is shown. */
static bool take_word(struct choice *choice, char *word)
{
	const struct metric_category *category =
		find_category(choice->metrics, word);
	char *colon = strchr(word, ':');
	bool is_whole = colon && !strcmp(colon, ":all");
	bool found = !strcmp(word, "all"); /* though there may be none */

	if (category)
		return take_shown(choice, category);
	if (is_whole) {
		*colon = 0;
		category = find_category(choice->metrics, word);
		found = category && take_shown(choice, category);
	}
	for (size_t i = 0; i < choice->metrics->num_rows; i++) {
		const struct metric_row *row = choice->metrics->rows[i];

		if (!strcmp(word, "all") ||
		    in_category(row->categories, word) ||
		    !fnmatch(word, row->name, FNM_CASEFOLD))
			found = take(choice, i);
	}
	return found;
}

/* Groups of LIKWID and perf, and which category is of the same; NULL: cores
 * count that, and no uncore. Only of such is a beginning enough (*): else a
 * metric that is mistyped would be a category. */
static const struct group {
	const char *name, *ours;
} groups[] = {
	{ "L3", "llc" },	   { "L3CACHE", "llc" },
	{ "CACHE", "llc" },	   { "CACHES", "llc" },
	{ "MEM", "memory" },	   { "MEM_DP", "memory" },
	{ "MEM_SP", "memory" },	   { "MEM_HP", "memory" },
	{ "MEMREAD", "memory" },   { "MEMWRITE", "memory" },
	{ "MEMORY_BW", "memory" }, { "MEMORY_LAT", "memory" },
	{ "MEMORYBW", "memory" },  { "MEMORYLAT", "memory" },
	{ "DDR", "memory" },	   { "HA", "home" },
	{ "UPI", "qpi" },	   { "NUMA", "qpi" },
	{ "SOC", "summary" },	   { "DEFAULT", "summary" },
	{ "CLOCK", "frequency" },  { "POWER", "frequency" },
	{ "ENERGY*", NULL },	   { "BRANCH*", NULL },
	{ "DATA", NULL },	   { "FLOPS*", NULL },
	{ "L1*", NULL },	   { "L2*", NULL },
	{ "ICACHE*", NULL },	   { "DIVIDE", NULL },
	{ "CYCLE*", NULL },	   { "UOPS*", NULL },
	{ "TLB*", NULL },	   { "TMA*", NULL },
	{ "TOPDOWN*", NULL },	   { "FALSE_SHARE", NULL },
	{ "PIPELINE*", NULL },	   { "RECOVERY", NULL },
	{ "IPC", NULL },	   { "SMT", NULL },
	{ "OFFCORE*", NULL },	   { "BACKEND*", NULL },
	{ "FRONTEND*", NULL },	   { "RETIRE*", NULL },
};

static const struct group *group_of(const char *word)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!fnmatch(groups[i].name, word, FNM_CASEFOLD))
			return &groups[i];
	return NULL;
}

/* What others call a category here. */
static bool take_group(struct choice *choice, const char *word)
{
	const struct group *group = group_of(word);
	char ours[16];

	if (!group || !group->ours)
		return false;
	snprintf(ours, sizeof(ours), "%s", group->ours);
	return take_word(choice, ours);
}

static int nothing_fits(const struct uncore_metrics *metrics, const char *word,
			char **error)
{
	struct nearest nearest = { .wanted = word };
	struct text text = { 0 };

	if (!metrics->num_rows)
		return text_error(UNCORE_ERR_BAD_METRIC, error,
				  "there is no metric of this processor; name "
				  "events (-e), or metrics of a file of yours "
				  "(--metric-file)");
	for (size_t i = 0; i < metrics->num_rows; i++)
		nearest_offer(&nearest, metrics->rows[i]->name);
	text_add(&text, "no metric and no category '%s'", word);
	nearest_say(&nearest, &text);
	if (group_of(word))
		text_add(&text,
			 "; LIKWID and perf have it as a group of what %s",
			 group_of(word)->ours ? "this processor's uncore does "
						"not count"
					      : "cores count, and count it "
						"themselves (likwid-perfctr, "
						"perf stat)");
	text_add(&text, "; categories:");
	for (size_t i = 0; i < metrics->num_categories; i++)
		text_add(&text, "%s %s", i ? "," : "",
			 metrics->categories[i].name);
	text_add(&text, "; 'uncore list --metrics' shows all");
	return text_fail(&text, UNCORE_ERR_BAD_METRIC, error);
}

static int take_words(struct choice *choice, const char *words, char **error)
{
	int code = 0;

	do {
		size_t length = strcspn(words, ",");
		char *word = strndup(words, length);

		if (!word)
			code = UNCORE_ERR_NO_MEMORY;
		else if (!take_word(choice, word) && !take_group(choice, word))
			code = nothing_fits(choice->metrics, word, error);
		free(word);
		words += length + (words[length] == ',');
	} while (*words && !code);
	return code;
}

int uncore_metrics_choose(const struct uncore_metrics *metrics,
			  const char *words, size_t **chosen, size_t *num,
			  char **error)
{
	struct choice choice = {
		.metrics = metrics,
		.marked = calloc(metrics->num_rows + 1, sizeof(bool)),
		.chosen = calloc(metrics->num_rows + 1, sizeof(size_t)),
	};
	int code = choice.marked && choice.chosen
			   ? take_words(&choice, words, error)
			   : UNCORE_ERR_NO_MEMORY;

	free(choice.marked);
	if (code) {
		free(choice.chosen);
		choice = (struct choice){ 0 };
	}
	*chosen = choice.chosen;
	*num = choice.num;
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
