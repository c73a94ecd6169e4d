/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore reset`: puts back what a command that was killed left behind.
 */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "target.h"
#include "uncore/error.h"
#include "uncore/session.h"
#include "uncore/target.h"

struct reset_settings {
	const char *on;
	struct uncore_reset_options options;
};

#define AT(MEMBER) .at = offsetof(struct reset_settings, MEMBER)

static const struct option_row rows[] = {
	{ "on", 0, "WHERE",
	  "Registers of this machine (the default; 'msr', 'pci' or "
	  "'msr,pci'), or those that 'uncore model serve' shows "
	  "('msr:FOLDER', 'msr:FOLDER,pci:FOLDER', 'socket:PATH')",
	  AT(on) },
	{ "all", 0, NULL,
	  "Bring the whole PMU into the state after a hardware reset, whoever "
	  "programmed it",
	  AT(options.all) },
	{ "force", 0, NULL, "With --all: even if somebody counts with it",
	  AT(options.force) },
	{ 0 },
};

static const struct options reset_options = {
	.rows = rows,
	.help = "Put back the registers that a command left programmed when "
		"it was killed. What they held before is in a journal, "
		"written before the first of them was touched; a command that "
		"ends by itself, by Ctrl-C or by SIGTERM puts them back "
		"without help."
		"\vJournals and locks are in $UNCORE_STATE; else in "
		"/run/uncore for root and in $XDG_RUNTIME_DIR/uncore for "
		"others. Exit status: 0 also if there was nothing to put "
		"back; 1 if something failed, or somebody counts.",
	.too_much = "is one too many",
};

int cmd_reset(int argc, char **argv)
{
	struct reset_settings settings = {
		.options = { .struct_size = sizeof(settings.options) },
	};
	char *error = NULL, *what = NULL;
	struct uncore_target *target;
	int code;

	options_parse(&reset_options, argc, argv, 0, &settings);
	if (settings.on &&
	    (!where_is_known(settings.on) || !strcmp(settings.on, "model")))
		return tool_fail(TOOL_USAGE,
				 "--on=%s: there are registers at 'msr', "
				 "'pci', 'msr:FOLDER', 'pci:FOLDER' and "
				 "'socket:PATH'",
				 settings.on);
	target = where_open(settings.on, &error);
	if (!target)
		return tool_fail_with(UNCORE_ERR_NO_HARDWARE, error);
	code = uncore_reset(target, &settings.options, &what, &error);
	uncore_target_free(target);
	if (code)
		return tool_fail_with(code, error);
	tool_put_lines(what ? what : "", stdout);
	putchar('\n');
	free(what);
	return TOOL_OK;
}
