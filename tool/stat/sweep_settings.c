/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the value of a point goes: where {NAME} stands among the words of the
 * program or in the workload; else to the option of that name, to the key of
 * the workload, or to the parameter of the machine.
 */
#include <stdlib.h>
#include <string.h>

#include "stat_settings.h"
#include "sweep.h"
#include "tool/tool.h"
#include "uncore/error.h"
#include "uncore/model.h"

struct sweep_settings {
	struct stat_settings settings;
	char **program;
	char **texts; /* to be freed */
	size_t num_texts;
};

/* Keeps a text that the settings point to; false: there is none. */
static bool keep(struct sweep_settings *made, char *text)
{
	char **texts =
		realloc(made->texts, (made->num_texts + 1) * sizeof(*texts));

	if (texts)
		made->texts = texts;
	if (!texts || !text) {
		free(text);
		return false;
	}
	texts[made->num_texts++] = text;
	return true;
}

/* Where {name} stands in a text, or NULL. */
static const char *find_mark(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (; text && (text = strchr(text, '{')); text++)
		if (!strncmp(text + 1, name, length) && text[length + 1] == '}')
			return text;
	return NULL;
}

/* The text with the value for each {name}, kept; NULL: no memory. */
static char *fill(struct sweep_settings *made, const char *text,
		  const char *name, const char *value)
{
	char *filled = strdup(text);
	const char *mark;
	size_t done = 0;

	while (filled && (mark = find_mark(filled + done, name))) {
		int before = (int)(mark - filled);
		char *longer = tool_print("%.*s%s%s", before, filled, value,
					  mark + strlen(name) + 2);

		free(filled);
		filled = longer;
		done = (size_t)before + strlen(value);
	}
	return keep(made, filled) ? filled : NULL;
}

static bool has_mark(const struct stat_settings *settings, const char *name)
{
	bool has = find_mark(settings->subject.workload, name) != NULL;

	for (char **word = settings->subject.program; word && *word; word++)
		has |= find_mark(*word, name) != NULL;
	return has;
}

static int fill_marks(struct sweep_settings *made, const char *name,
		      const char *value)
{
	struct subject_settings *subject = &made->settings.subject;
	bool fine = true;

	if (find_mark(subject->workload, name))
		fine = (subject->workload =
				fill(made, subject->workload, name, value));
	for (char **word = made->program; word && *word && fine; word++)
		if (find_mark(*word, name))
			fine = (*word = fill(made, *word, name, value));
	return fine ? TOOL_OK : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

/* The setting that an option of this name has; NULL: there is none. */
static const char **option_of(struct stat_settings *settings, const char *name)
{
	struct subject_settings *subject = &settings->subject;
	const struct {
		const char *name;
		const char **setting;
	} rows[] = {
		{ "machine", &subject->machine.machine },
		{ "sockets", &subject->machine.sockets },
		{ "cycles", &subject->cycles },
		{ "seed", &subject->seed },
		{ "place", subject->program ? &subject->how.place : NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].setting;
	return NULL;
}

/* Of the parameters without a dot these are the machine's. */
static bool is_key(const struct stat_settings *settings, const char *name)
{
	return settings->subject.workload && !strchr(name, '.') &&
	       strcmp(name, "cores") != 0;
}

/* A later key of a workload takes the place of an earlier one. */
static int set_key(struct sweep_settings *made, const char *name,
		   const char *value)
{
	const char *spec = made->settings.subject.workload;
	char *text;

	if (strchr(spec, '+'))
		return tool_fail(TOOL_USAGE,
				 "--sweep=%s: the workload has several parts; "
				 "write %s={%s} in those that are meant",
				 name, name, name);
	text = tool_print("%s%c%s=%s", spec, strchr(spec, ':') ? ',' : ':',
			  name, value);
	if (!keep(made, text))
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	made->settings.subject.workload = text;
	return TOOL_OK;
}

static int set_parameter(struct sweep_settings *made, const char *name,
			 const char *value)
{
	struct machine_settings *machine = &made->settings.subject.machine;
	char *text;

	if (machine->sets.num == OPTION_MOST_TEXTS)
		return tool_fail(TOOL_USAGE, "more than %d times --set",
				 OPTION_MOST_TEXTS);
	text = tool_print("%s=%s", name, value);
	if (!keep(made, text))
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	machine->sets.list[machine->sets.num++] = text;
	return TOOL_OK;
}

static int set_value(struct sweep_settings *made, const char *name,
		     const char *value)
{
	const char **option = option_of(&made->settings, name);

	if (has_mark(&made->settings, name))
		return fill_marks(made, name, value);
	if (option) {
		*option = value;
		return TOOL_OK;
	}
	return is_key(&made->settings, name) ? set_key(made, name, value)
					     : set_parameter(made, name, value);
}

/* A point prints what the table is made of, and nothing else. */
static void set_output(struct stat_settings *settings)
{
	settings->sweeps.num = 0;
	settings->json = true;
	settings->is_verbose = false;
	settings->separator = settings->output = settings->log_fd = NULL;
	settings->appends = false;
}

static int copy_program(struct sweep_settings *made)
{
	char **program = made->settings.subject.program;
	size_t num = 0;

	if (!program)
		return TOOL_OK;
	while (program[num])
		num++;
	made->program = calloc(num + 1, sizeof(*made->program));
	if (!made->program)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	memcpy(made->program, program, num * sizeof(*program));
	made->settings.subject.program = made->program;
	return TOOL_OK;
}

int sweep_settings_make(const struct stat_settings *settings,
			const struct sweep *sweep, size_t number,
			struct sweep_settings **made)
{
	int status;

	*made = calloc(1, sizeof(**made));
	if (!*made)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	(*made)->settings = *settings;
	set_output(&(*made)->settings);
	status = copy_program(*made);
	for (size_t i = 0; i < sweep->num_axes && !status; i++) {
		const struct sweep_axis *axis = &sweep->axes[i];
		size_t index = sweep_index(sweep, number, i);

		status = set_value(*made, axis->name, axis->values[index]);
	}
	return status;
}

const struct stat_settings *
sweep_settings_of(const struct sweep_settings *settings)
{
	return &settings->settings;
}

void sweep_settings_free(struct sweep_settings *settings)
{
	for (size_t i = 0; settings && i < settings->num_texts; i++)
		free(settings->texts[i]);
	if (settings) {
		free(settings->texts);
		free(settings->program);
	}
	free(settings);
}

/* A misspelt name is one mistake and not one for each point. */
int sweep_settings_check(const struct stat_settings *settings,
			 const struct sweep *sweep)
{
	struct stat_settings copy = *settings;
	struct uncore_model_config *config = NULL;
	struct uncore_model_param param;
	int status = machine_config(&settings->subject.machine, &config);

	for (size_t i = 0; i < sweep->num_axes && !status; i++) {
		const char *name = sweep->axes[i].name;

		if (!has_mark(settings, name) && !option_of(&copy, name) &&
		    !is_key(settings, name) &&
		    !machine_parameter(config, name, &param))
			status = tool_fail(
				TOOL_USAGE,
				"--sweep=%s: there is no such parameter "
				"('uncore model show' lists them); among the "
				"words of a PROGRAM write {%s} where the "
				"value belongs",
				name, name);
	}
	uncore_model_config_free(config);
	return status;
}
