/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Settings of a machine: a value is checked when it is set, at once, against
 * the limits that stand beside its default in model/machine.
 */
#include "model/machine/config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/setting.h"
#include "base/text.h"
#include "uncore/error.h"

#ifdef UNCORE_CHECKED /* builds of type debug */
enum { CHECKS_ALWAYS = true };
#else
enum { CHECKS_ALWAYS = false };
#endif

const struct machine_param *machine_param(const struct machine *machine,
					  unsigned index)
{
	const struct machine *all = machine->like ? machine->like : machine;
	const struct machine_param *param = &all->params[index];

	if (machine->like && param->name)
		for (size_t i = 0; machine->params[i].name; i++)
			if (!strcmp(machine->params[i].name, param->name))
				return &machine->params[i];
	return param;
}

static const struct machine *find_machine(const char *name)
{
	for (size_t i = 0; machines[i].name; i++)
		if (!strcasecmp(machines[i].name, name))
			return &machines[i];
	return NULL;
}

bool uncore_model_machine_at(size_t index, const char **name,
			     const char **family, const char **title)
{
	const struct machine *machine = machines;

	while (index && machine->name)
		machine++, index--;
	*name = machine->name;
	*family = machine->family;
	*title = machine->title;
	return machine->name;
}

static char *no_machine(const char *wanted)
{
	struct text names = { 0 };
	char *list, *error;

	for (size_t i = 0; machines[i].name; i++)
		text_add(&names, "%s%s", i ? ", " : "", machines[i].name);
	list = text_take(&names);
	error = text_format("there is no model of '%s'; modelled: %s", wanted,
			    list ? list : machines[0].name);
	free(list);
	return error;
}

struct uncore_model_config *uncore_model_config_new(const char *machine,
						    char **error)
{
	const struct machine *found = find_machine(machine);
	const struct uc_family *family =
		found ? uc_family_find(found->family) : NULL;
	struct uncore_model_config *config;

	if (!family) {
		text_give(error, no_machine(machine));
		return NULL;
	}
	config = calloc(1, sizeof(*config));
	if (!config) {
		text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
		return NULL;
	}
	config->machine = found;
	config->family = family;
	fault_plan_init(&config->plan, 0);
	config->check = CHECKS_ALWAYS;
	for (unsigned i = 0; i < NUM_PARAMS; i++) {
		const struct machine_param *param = machine_param(found, i);

		config->value[i] = param->value;
		snprintf(config->text[i], CONFIG_VALUE_ROOM, "%s",
			 param->name ? param->initial : "");
	}
	return config;
}

void uncore_model_config_free(struct uncore_model_config *config)
{
	free(config);
}

static int no_parameter(const struct machine *machine, const char *name,
			char **error)
{
	struct nearest near = { .wanted = name };
	char *said;
	int result;

	for (size_t i = 0; i < NUM_PARAMS; i++)
		if (machine_param(machine, i)->name)
			nearest_offer(&near, machine_param(machine, i)->name);
	said = nearest_text(&near);
	result = text_error(UNCORE_ERR_BAD_PARAMETER, error,
			    "%s has no parameter '%s'%s (all: uncore model "
			    "show)",
			    machine->name, name, said ? said : "");
	free(said);
	return result;
}

int machine_find(const struct machine *machine, const char *name)
{
	for (int i = 0; i < NUM_PARAMS; i++)
		if (machine_param(machine, i)->name &&
		    !strcasecmp(machine_param(machine, i)->name, name))
			return i;
	return -1;
}

/* The number of a choice, or -1. */
static int find_choice(const char *choices, const char *value)
{
	size_t length = strlen(value);

	for (int n = 0;; n++) {
		size_t size = strcspn(choices, ",");

		if (size == length && !strncasecmp(choices, value, size))
			return n;
		if (!choices[size])
			return -1;
		choices += size + 1;
	}
}

static int set_choice(struct uncore_model_config *config, int index,
		      const char *value, char **error)
{
	const struct machine_param *param =
		machine_param(config->machine, index);
	int choice = find_choice(param->choices, value);

	if (choice < 0) {
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "%s is one of %s, not '%s'", param->name,
				  param->choices, value);
	}
	config->value[index] = choice;
	return 0;
}

static int set_number(struct uncore_model_config *config, int index,
		      const char *value, char **error)
{
	const struct machine_param *param =
		machine_param(config->machine, index);
	char *end;
	double number = strtod(value, &end);

	if (end == value || !isfinite(number) ||
	    (*end && strcasecmp(end, param->unit))) {
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "%s wants a number%s%s, not '%s'",
				  param->name, *param->unit ? " in " : "",
				  param->unit, value);
	}
	if (number < param->min || number > param->max) {
		return text_error(
			UNCORE_ERR_BAD_PARAMETER, error,
			"%s is at least %.10g and at most %.10g%s%s, not %s",
			param->name, param->min, param->max,
			*param->unit ? " " : "", param->unit, value);
	}
	config->value[index] = number;
	return 0;
}

static int set(struct uncore_model_config *config, const char *name,
	       const char *value, char **error)
{
	int index = machine_find(config->machine, name), result;

	if (index < 0)
		return no_parameter(config->machine, name, error);
	if (machine_param(config->machine, (unsigned)index)->choices)
		result = set_choice(config, index, value, error);
	else
		result = set_number(config, index, value, error);
	if (!result)
		snprintf(config->text[index], CONFIG_VALUE_ROOM, "%.*s",
			 CONFIG_VALUE_ROOM - 1, value);
	return result;
}

int uncore_model_config_set(struct uncore_model_config *config,
			    const char *assignment, char **error)
{
	char *copy = strdup(assignment);
	struct setting setting;
	int result;

	if (!copy)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	setting_split(copy, &setting);
	if (!*setting.name || !setting.value || !*setting.value)
		result = text_error(UNCORE_ERR_BAD_PARAMETER, error,
				    "'%s' is no setting; write NAME=VALUE",
				    assignment);
	else
		result = set(config, setting.name, setting.value, error);
	free(copy);
	return result;
}

bool uncore_model_config_param(const struct uncore_model_config *config,
			       size_t index, struct uncore_model_param *param)
{
	const struct machine_param *found;
	unsigned place = 0;

	for (size_t left = index + 1; place < NUM_PARAMS; place++)
		if (machine_param(config->machine, place)->name && !--left)
			break;
	if (place == NUM_PARAMS)
		return false;
	found = machine_param(config->machine, place);
	*param = (struct uncore_model_param){
		.name = found->name,
		.value = config->text[place],
		.initial = found->initial,
		.unit = found->unit,
		.source = found->source,
		.brief = found->brief,
	};
	return true;
}

int uncore_model_config_sockets(struct uncore_model_config *config,
				unsigned sockets, char **error)
{
	char text[32];

	snprintf(text, sizeof(text), "sockets=%u", sockets);
	return uncore_model_config_set(config, text, error);
}

void uncore_model_config_strict(struct uncore_model_config *config, bool strict)
{
	config->strict = strict;
}

void uncore_model_config_check(struct uncore_model_config *config, bool check)
{
	config->check = check || CHECKS_ALWAYS;
}

int uncore_model_config_inject(struct uncore_model_config *config,
			       const char *spec, char **error)
{
	char *problem = fault_plan_add(&config->plan, spec);

	text_give(error, problem);
	return problem ? UNCORE_ERR_BAD_PARAMETER : 0;
}

bool uncore_model_fault(size_t index, const char **name, const char **help)
{
	return fault_describe(index, name, help);
}

void uncore_model_config_log(struct uncore_model_config *config,
			     void (*log)(void *context, const char *text),
			     void *context)
{
	config->log = log;
	config->log_context = context;
}
