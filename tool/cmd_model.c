/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore model console|show|workloads`: the model without a session;
 * and the way to `uncore model serve`.
 */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "page.h"
#include "uncore/model.h"

struct settings {
	struct machine_settings machine;
	const char *workload;
	bool strict, json;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row console_rows[] = {
	{ "workload", 'w', "SPEC",
	  "Traffic that 'run' lets pass (default idle)", AT(workload) },
	{ "strict", 0, NULL, "Writes with a reserved bit set raise #GP",
	  AT(strict) },
	{ 0 },
};

static const struct options console_options = {
	.rows = console_rows,
	.help = "Read commands from the standard input and answer each with "
		"one line:\n"
		"  rdmsr SOCKET ADDRESS          0x... or #GP\n"
		"  wrmsr SOCKET ADDRESS VALUE    ok or #GP\n"
		"  run CYCLES                    the uncore cycle now; at "
		"most 10^12\n"
		"  pmi                           PMIs since the last one: "
		"SOCKET CORE CYCLE ...\n"
		"  help                          these commands\n"
		"  quit                          ends, as the end of the input "
		"does\n"
		"Other lines are answered with 'error: ...'.",
	.too_much = "is too much: commands come from the standard input",
	.others = &machine_options,
	.others_at = offsetof(struct settings, machine),
};

static const struct option_row show_rows[] = { OPTION_JSON(AT(json)), { 0 } };

static const struct options show_options = {
	.rows = show_rows,
	.help = "Show all parameters of the modelled machine: name, value, "
		"unit, what it is, and where the default comes from."
		"\vJSON also says which sockets and I/O hubs the links lead "
		"to.",
	.others = &machine_options,
	.others_at = offsetof(struct settings, machine),
};

static const struct options workloads_options = {
	.help = "Show the built-in workloads."
};

static const struct options faults_options = {
	.help = "Show the faults that --inject=FAULT[:KEY=VALUE,...] can let "
		"happen."
		"\vKeys: rate= probability at each opportunity, at= first "
		"cycle, count= how often at most in a socket, socket= and "
		"box= where. Without rate= and count= the fault happens once, "
		"at the first opportunity.",
};

static int cmd_console(int argc, char **argv)
{
	struct settings settings = { 0 };
	struct uncore_model *model;
	int status;

	options_parse(&console_options, argc, argv, 0, &settings);
	status = machine_model(
		&settings.machine,
		&(struct machine_how){ .workload = settings.workload,
				       .strict = settings.strict },
		&model);
	if (status)
		return status;
	status = machine_free(model, console_run(model, stdin, stdout));
	return tool_finish(status, stdout, NULL);
}

static void put_params(struct page *page,
		       const struct uncore_model_config *config)
{
	struct uncore_model_param row;

	json_open(page->json, "parameters", '[');
	for (size_t i = 0; uncore_model_config_param(config, i, &row); i++) {
		page_put(page, "%-28s %-10s %-10s %s", row.name, row.value,
			 row.unit, row.brief);
		if (strcmp(row.value, row.initial))
			page_put(page, " [default %s]", row.initial);
		page_line(page, 0, " (%s)", row.source);
		json_add_row(page->json,
			     "name:%s value:%s unit:%s default:%s brief:%s "
			     "source:%s",
			     row.name, row.value, row.unit, row.initial,
			     row.brief, row.source);
	}
	json_close(page->json);
}

static int show_json(struct page *page, const struct machine_settings *settings)
{
	struct uncore_model_config *config = NULL;
	struct uncore_model *model = NULL;
	int status = machine_model(
		settings, &(struct machine_how){ .config = &config }, &model);

	if (!status) {
		json_open(page->json, NULL, '{');
		json_members(
			page->json,
			"schema:%s machine:%s sockets:%u cores:%u clock_hz:%g",
			"uncore-model-1", uncore_model_machine(model),
			uncore_model_sockets(model), uncore_model_cores(model),
			uncore_model_clock_hz(model));
		machine_put_links(model, page->json);
		put_params(page, config);
		json_close(page->json);
	}
	uncore_model_config_free(config);
	return machine_free(model, status);
}

static int show_text(struct page *page, const struct machine_settings *settings)
{
	struct uncore_model_config *config;
	int status = machine_config(settings, &config);

	if (!status)
		put_params(page, config);
	uncore_model_config_free(config);
	return status;
}

static int cmd_show(int argc, char **argv)
{
	struct settings settings = { 0 };
	struct json json = { .file = stdout };
	struct page page = { .file = stdout };

	options_parse(&show_options, argc, argv, 0, &settings);
	page.json = settings.json ? &json : NULL;
	return tool_finish((settings.json ? show_json : show_text)(
				   &page, &settings.machine),
			   stdout, NULL);
}

/* Names, and what each is. */
static int show_names(bool (*next)(size_t index, const char **name,
				   const char **help),
		      int width)
{
	struct page page = { .file = stdout };
	const char *name, *help;

	for (size_t i = 0; next(i, &name, &help); i++)
		page_line(&page, 0, "%-*s %s", width, name, help);
	return tool_finish(TOOL_OK, stdout, NULL);
}

static int cmd_workloads(int argc, char **argv)
{
	options_parse(&workloads_options, argc, argv, 0, NULL);
	return show_names(uncore_model_workload, 12);
}

static int cmd_faults(int argc, char **argv)
{
	options_parse(&faults_options, argc, argv, 0, NULL);
	return show_names(uncore_model_fault, 18);
}

static const struct tool_command commands[] = {
	{ "console", "read and write registers, line by line", cmd_console },
	{ "faults", "show what --inject can let go wrong", cmd_faults },
	{ "coverage", "show that every event counts, and counts rightly",
	  cmd_coverage },
	{ "machines", "show the machines that -m can name", cmd_machines },
	{ "serve", "let other programs use its registers", cmd_serve },
	{ "show", "show the parameters of the modelled machine", cmd_show },
	{ "validate", "compare the model with figures of real machines",
	  cmd_validate },
	{ "workloads", "show the built-in workloads", cmd_workloads },
	{ 0 },
};

int cmd_model(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "picture"))
		return tool_fail(
			TOOL_USAGE,
			"there is no 'model picture' any more: 'uncore "
			"stat --html=FILE' writes a page with the machine and "
			"how busy each box was");
	if (argc > 1 && argv[1][0] != '-')
		return tool_dispatch(commands, "uncore model", argc, argv);
	if (argc > 1 && strcmp(argv[1], "--help") && strcmp(argv[1], "-h"))
		return tool_fail(TOOL_USAGE,
				 "there is no option '%s' here; "
				 "try 'uncore model --help'",
				 argv[1]);
	printf("Usage: uncore model COMMAND [OPTION...]\n"
	       "The model of the processor.\n\nCommands:\n");
	tool_show_commands(commands, stdout);
	printf("\n'uncore model COMMAND --help' explains a command.\n");
	return tool_finish(argc > 1 ? TOOL_OK : TOOL_USAGE, stdout, NULL);
}
