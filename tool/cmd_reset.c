/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore reset`: puts back what a command that was killed left behind.
 */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"
#include "uncore/session.h"
#include "uncore/target.h"
#include "where.h"

enum { KEY_ON = 0x100, KEY_ALL, KEY_FORCE };

struct reset_settings {
	const char *on;
	struct uncore_reset_options options;
};

static const struct argp_option options[] = {
	{ "on", KEY_ON, "WHERE", 0,
	  "Registers of this machine ('msr', the default), or those that "
	  "'uncore model serve' shows ('msr:FOLDER', 'socket:PATH')",
	  0 },
	{ "all", KEY_ALL, NULL, 0,
	  "Bring the whole PMU into the state after a hardware reset, whoever "
	  "programmed it",
	  0 },
	{ "force", KEY_FORCE, NULL, 0,
	  "With --all: even if somebody counts with it", 0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct reset_settings *settings = state->input;

	switch (key) {
	case KEY_ON: settings->on = argument; return 0;
	case KEY_ALL: settings->options.all = true; return 0;
	case KEY_FORCE: settings->options.force = true; return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is one too many", argument);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp reset_argp = {
	options,
	parse,
	NULL,
	"Put back the registers that a command left programmed when it was "
	"killed. What they held before is in a journal, written before the "
	"first of them was touched; a command that ends by itself, by Ctrl-C "
	"or by SIGTERM puts them back without help."
	"\vJournals and locks are in $UNCORE_STATE; else in /run/uncore for "
	"root and in $XDG_RUNTIME_DIR/uncore for others. Exit status: 0 also "
	"if there was nothing to put back; 1 if something failed, or somebody "
	"counts.",
	NULL,
	NULL,
	NULL,
};

int cmd_reset(int argc, char **argv)
{
	struct reset_settings settings = {
		.on = "msr",
		.options = { .struct_size = sizeof(settings.options) },
	};
	char *error = NULL, *what = NULL;
	struct uncore_target *target;
	int code;

	argp_parse(&reset_argp, argc, argv, 0, NULL, &settings);
	if (!where_is_known(settings.on) || !strcmp(settings.on, "model"))
		return tool_fail(TOOL_USAGE,
				 "--on=%s: there are registers at 'msr', "
				 "'msr:FOLDER' and 'socket:PATH'",
				 settings.on);
	target = where_open(settings.on, &error);
	if (!target)
		return tool_fail_with(UNCORE_ERR_NO_HARDWARE, error);
	code = uncore_reset(target, &settings.options, &what, &error);
	uncore_target_free(target);
	if (code)
		return tool_fail_with(code, error);
	printf("%s\n", what ? what : "");
	free(what);
	return TOOL_OK;
}
