/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From options to a model of a machine.
 */
#include "machine.h"

#include <limits.h>

#include "tool.h"
#include "uncore/error.h"
#include "uncore/model.h"

enum { KEY_CHECK = 0x200, KEY_INJECT };

static const struct argp_option options[] = {
	{ "machine", 'm', "NAME", 0,
	  "Machine to model (default " TOOL_DEFAULT_MACHINE ")", 0 },
	{ "sockets", 'N', "N", 0, "Number of sockets: 1, 2, 4 or 8 (default 2)",
	  0 },
	{ "set", 'S', "NAME=VALUE", 0,
	  "Set a parameter of the machine; 'uncore model show' lists them", 0 },
	{ "inject", KEY_INJECT, "FAULT[:KEY=VALUE,...]", 0,
	  "Let something go wrong: once, or with a probability (rate=), not "
	  "before a cycle (at=), so often at most (count=), in one socket or "
	  "box (socket=, box=); 'uncore model faults' lists what there is",
	  0 },
	{ "check", KEY_CHECK, NULL, 0,
	  "Let the model look for what can never be, now and then and at its "
	  "end: two owners of a line, lost credits, counters and signals "
	  "that disagree",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct machine_settings *settings = state->input;

	switch (key) {
	case 'm': settings->machine = argument; return 0;
	case 'N': settings->sockets = argument; return 0;
	case 'S':
		if (settings->num_sets == MACHINE_MAX_SETS)
			argp_error(state, "more than %d times --set",
				   MACHINE_MAX_SETS);
		settings->sets[settings->num_sets++] = argument;
		return 0;
	case KEY_CHECK: settings->check = true; return 0;
	case KEY_INJECT:
		if (settings->num_faults == MACHINE_MAX_FAULTS)
			argp_error(state, "more than %d times --inject",
				   MACHINE_MAX_FAULTS);
		settings->faults[settings->num_faults++] = argument;
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

const struct argp machine_argp = {
	options, parse, NULL, NULL, NULL, NULL, NULL
};

static int set_sockets(struct uncore_model_config *config, const char *text)
{
	unsigned long long number;
	char *error = NULL;
	int code;

	if (!tool_number("number of sockets", text, &number))
		return TOOL_USAGE;
	if (number > UINT_MAX)
		number = UINT_MAX;
	code = uncore_model_config_sockets(config, (unsigned)number, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

int machine_config(const struct machine_settings *settings,
		   struct uncore_model_config **config)
{
	const char *name =
		settings->machine ? settings->machine : TOOL_DEFAULT_MACHINE;
	char *error = NULL;
	int status = TOOL_OK;

	*config = NULL;
	if (!tool_family(name))
		return TOOL_USAGE;
	*config = uncore_model_config_new(name, &error);
	if (!*config)
		return tool_fail_with(UNCORE_ERR_UNKNOWN_FAMILY, error);
	if (settings->sockets)
		status = set_sockets(*config, settings->sockets);
	for (unsigned i = 0; i < settings->num_sets && !status; i++) {
		int code = uncore_model_config_set(*config, settings->sets[i],
						   &error);

		if (code)
			status = tool_fail_with(code, error);
	}
	for (unsigned i = 0; i < settings->num_faults && !status; i++) {
		int code = uncore_model_config_inject(
			*config, settings->faults[i], &error);

		if (code)
			status = tool_fail_with(code, error);
	}
	uncore_model_config_check(*config, settings->check);
	if (status) {
		uncore_model_config_free(*config);
		*config = NULL;
	}
	return status;
}

int machine_model(const struct machine_settings *settings, bool strict,
		  struct uncore_model **model)
{
	struct uncore_model_config *config;
	char *error = NULL;
	int status = machine_config(settings, &config);

	if (status)
		return status;
	uncore_model_config_strict(config, strict);
	*model = uncore_model_new(config, &error);
	uncore_model_config_free(config);
	if (*model)
		return TOOL_OK;
	return tool_fail_with(UNCORE_ERR_BAD_PARAMETER, error);
}

int machine_free(struct uncore_model *model, int status)
{
	const char *wrong = model ? uncore_model_check(model) : NULL;

	if (wrong)
		status =
			tool_fail(TOOL_FAILED,
				  "the model contradicts itself (%s); its "
				  "counts are not to be trusted: please report "
				  "this fault of uncore",
				  wrong);
	if (model)
		uncore_model_free(model);
	return status;
}
