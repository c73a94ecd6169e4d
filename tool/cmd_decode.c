/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore decode ADDRESS VALUE [ADDRESS VALUE]...`: what registers hold.
 */
#include "tool.h"

#include <stdlib.h>

#include "uncore/error.h"
#include "uncore/event.h"

struct settings {
	const char *machine;
	char **words;
	size_t num_words;
};

static const struct argp_option options[] = {
	TOOL_OPTION_MACHINE,
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'm': settings->machine = argument; return 0;
	case ARGP_KEY_ARGS:
		settings->words = state->argv + state->next;
		settings->num_words = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (!settings->num_words || settings->num_words % 2)
			argp_error(state, "give pairs of ADDRESS and VALUE");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options,
	parse,
	"ADDRESS VALUE...",
	"Say what a register value means: the register, its fields, the event "
	"that it selects."
	"\vAn ADDRESS is the number of an MSR (0x3f6), "
	"pci:DEVICE.FUNCTION+OFFSET or mem:WINDOW+OFFSET. "
	"Further pairs give the sub-registers that a control register relies "
	"on (FVC, IPERF, ...); without them they are taken to be 0.",
	NULL,
	NULL,
	NULL,
};

static bool read_pairs(const struct settings *settings,
		       struct uncore_write *writes)
{
	for (size_t i = 0; i < settings->num_words; i += 2) {
		unsigned long long value;
		uint64_t address;

		if (!tool_address(settings->words[i], &address) ||
		    !tool_number("value", settings->words[i + 1], &value))
			return false;
		writes[i / 2] = (struct uncore_write){
			.address = address,
			.value = value,
		};
	}
	return true;
}

/* All texts are made before the first is printed. */
static int explain(const struct uncore_family *family,
		   struct uncore_write *writes, size_t num_writes, char **texts)
{
	char *error = NULL;

	for (size_t i = 0; i < num_writes; i++) {
		struct uncore_write first = writes[0];
		int code;

		writes[0] = writes[i];
		writes[i] = first;
		code = uncore_event_explain(family, writes, num_writes,
					    &texts[i], &error);
		if (code)
			return tool_fail_with(code, error);
	}
	for (size_t i = 0; i < num_writes; i++)
		fputs(texts[i], stdout);
	return TOOL_OK;
}

static int decode(const struct settings *settings,
		  const struct uncore_family *family)
{
	size_t num_writes = settings->num_words / 2;
	struct uncore_write *writes = calloc(num_writes, sizeof(*writes));
	char **texts = calloc(num_writes, sizeof(*texts));
	int status = TOOL_USAGE;

	if (!writes || !texts)
		status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	else if (read_pairs(settings, writes))
		status = explain(family, writes, num_writes, texts);
	for (size_t i = 0; texts && i < num_writes; i++)
		free(texts[i]);
	free(texts);
	free(writes);
	return status;
}

int cmd_decode(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	const struct uncore_family *family;

	argp_parse(&argp, argc, argv, 0, NULL, &settings);
	family = tool_family(settings.machine);
	if (!family)
		return TOOL_USAGE;
	return tool_finish(decode(&settings, family), stdout, NULL);
}
