/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Opens the metrics that were asked for.
 */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "tool.h"
#include "uncore/error.h"
#include "uncore/model.h"

/* A parameter of the modelled machine as a number; false: there is none. */
static bool parameter(const struct uncore_model_config *config,
		      const char *name, double *value)
{
	struct uncore_model_param param;
	char *end;

	if (!machine_parameter(config, name, &param))
		return false;
	*value = strtod(param.value, &end);
	return end != param.value;
}

static int follow(struct uncore_metrics *set,
		  const struct machine_settings *machine)
{
	struct uncore_model_config *config;
	struct uncore_metric_fact fact;
	int status = machine_config(machine, &config);
	double value;

	if (status)
		return status;
	for (size_t i = 0; uncore_metrics_fact(set, i, &fact); i++)
		if (*fact.param && parameter(config, fact.param, &value))
			uncore_metrics_set_fact(set, i, value);
	uncore_model_config_free(config);
	return TOOL_OK;
}

static bool is_word(const char *name, size_t size, const char *word,
		    size_t length)
{
	return size == length && !strncmp(name, word, length);
}

/* Of a category, and of no metric. */
static bool is_tag(const struct uncore_metrics *set, const char *word,
		   size_t length)
{
	struct uncore_metric_category category;
	struct uncore_metric metric;

	for (size_t i = 0; uncore_metrics_category(set, i, &category); i++)
		if (is_word(category.name, strlen(category.name), word, length))
			return true;
	for (size_t i = 0; uncore_metrics_at(set, i, &metric); i++)
		if (is_word(metric.name, strlen(metric.name), word, length))
			return false;
	for (size_t i = 0; uncore_metrics_at(set, i, &metric); i++)
		for (const char *tag = metric.categories; *tag;
		     tag += strspn(tag, ",")) {
			size_t size = strcspn(tag, ",");

			if (is_word(tag, size, word, length))
				return true;
			tag += size;
		}
	return false;
}

static bool are_categories(const struct uncore_metrics *set, const char *words)
{
	for (; *words; words += strspn(words, ",")) {
		size_t length = strcspn(words, ",");

		if (!is_tag(set, words, length))
			return false;
		words += length;
	}
	return true;
}

int metrics_open(const struct uncore_family *family,
		 const struct option_texts *files, const char *words,
		 const struct machine_settings *machine,
		 struct metric_list *list)
{
	char *error = NULL;
	int code = uncore_metrics_new(family, &list->set, &error);

	for (size_t i = 0; files && i < files->num && !code; i++)
		code = uncore_metrics_read(list->set, files->list[i], &error);
	if (!code)
		code = uncore_metrics_choose(list->set, words, &list->chosen,
					     &list->num, &error);
	if (code)
		return tool_fail_with(code, error);
	list->offers = are_categories(list->set, words);
	return machine ? follow(list->set, machine) : TOOL_OK;
}

void metrics_close(struct metric_list *list)
{
	free(list->chosen);
	uncore_metrics_free(list->set);
	*list = (struct metric_list){ 0 };
}
