/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the value of a point goes: where {NAME} stands among the words of the
 * program or in the workload; else to the option of that name, to the key of
 * the workload, or to the parameter of the machine.
 */
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "tool/tool.h"
#include "uncore/model.h"

/* Where {name} stands in a text, or NULL. */
static const char *find_mark(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (; text && (text = strchr(text, '{')); text++)
		if (!strncmp(text + 1, name, length) && text[length + 1] == '}')
			return text;
	return NULL;
}

/* Puts the value in the place of each {name}. */
static void fill(const char **text, const char *name, const char *value)
{
	size_t done = 0;
	const char *mark;

	while ((mark = find_mark(*text ? *text + done : NULL, name))) {
		int before = (int)(mark - *text);

		*text = tool_print("%.*s%s%s", before, *text, value,
				   mark + strlen(name) + 2);
		done = (size_t)before + strlen(value);
	}
}

static bool has_mark(const struct stat_settings *settings, const char *name)
{
	bool has = find_mark(settings->target.workload, name) != NULL;

	for (char **word = settings->target.program; word && *word; word++)
		has |= find_mark(*word, name) != NULL;
	return has;
}

/* The setting that an option of this name has; NULL: there is none. */
static const char **option_of(struct stat_settings *settings, const char *name)
{
	struct target_settings *target = &settings->target;
	const struct {
		const char *name;
		const char **setting;
	} rows[] = {
		{ "machine", &target->machine.machine },
		{ "sockets", &target->machine.sockets },
		{ "cycles", &target->cycles },
		{ "seed", &target->seed },
		{ "place", target->program ? &target->how.place : NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].setting;
	return NULL;
}

/* Of the parameters without a dot these are the machine's. */
static bool is_key(const struct stat_settings *settings, const char *name)
{
	return settings->target.workload && !strchr(name, '.') &&
	       strcmp(name, "cores") != 0;
}

static void set_value(struct stat_settings *settings, const char *name,
		      const char *value)
{
	struct target_settings *target = &settings->target;
	struct option_texts *sets = &target->machine.sets;
	const char **option = option_of(settings, name);
	const char *spec = target->workload;

	if (has_mark(settings, name)) {
		fill(&target->workload, name, value);
		for (char **word = target->program; word && *word; word++)
			fill((const char **)word, name, value);
	} else if (option) {
		*option = value;
	} else if (is_key(settings, name)) {
		/* a later key takes the place of an earlier one */
		target->workload =
			tool_print("%s%c%s=%s", spec,
				   strchr(spec, ':') ? ',' : ':', name, value);
	} else {
		sets->list[sets->num++] = tool_print("%s=%s", name, value);
	}
}

/* A point prints what the table is made of, and nothing else. */
static void set_output(struct stat_settings *settings)
{
	settings->sweeps.num = 0;
	settings->json = true;
	settings->is_verbose = false;
	settings->separator = settings->output = NULL;
	settings->html = settings->log_fd = NULL;
	settings->appends = false;
}

void sweep_settings_set(struct stat_settings *settings,
			const struct sweep *sweep, size_t number)
{
	set_output(settings);
	for (size_t i = 0; i < sweep->num_axes; i++) {
		const struct sweep_axis *axis = &sweep->axes[i];

		set_value(settings, axis->name,
			  axis->values[sweep_index(sweep, number, i)]);
	}
}

static int check_key(const struct stat_settings *settings, const char *name)
{
	if (!strchr(settings->target.workload, '+'))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "--sweep=%s: the workload has several parts; "
			 "write %s={%s} in those that are meant",
			 name, name, name);
}

static int check_parameter(const struct uncore_model_config *config,
			   const char *name, size_t num_sets)
{
	struct uncore_model_param param;

	if (!machine_parameter(config, name, &param))
		return tool_fail(TOOL_USAGE,
				 "--sweep=%s: there is no such parameter "
				 "('uncore model show' lists them); among the "
				 "words of a PROGRAM write {%s} where the "
				 "value belongs",
				 name, name);
	return num_sets > OPTION_MOST_TEXTS
		       ? tool_fail(TOOL_USAGE, "more than %d times --set",
				   OPTION_MOST_TEXTS)
		       : TOOL_OK;
}

/* A misspelt name is one mistake and not one for each point. */
int sweep_settings_check(const struct sweep *sweep)
{
	const struct stat_settings *settings = sweep->settings;
	struct stat_settings copy = *settings;
	struct uncore_model_config *config = NULL;
	size_t num_sets = settings->target.machine.sets.num;
	int status = machine_config(&settings->target.machine, &config);

	for (size_t i = 0; i < sweep->num_axes && !status; i++) {
		const char *name = sweep->axes[i].name;

		if (has_mark(settings, name) || option_of(&copy, name))
			continue;
		status = is_key(settings, name)
				 ? check_key(settings, name)
				 : check_parameter(config, name, ++num_sets);
	}
	uncore_model_config_free(config);
	return status;
}
