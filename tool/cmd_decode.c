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
	struct option_words words;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row rows[] = {
	OPTION_MACHINE(AT(machine)),
	{ 0 },
};

static error_t take_words(int key, char *word, struct argp_state *state)
{
	struct settings *settings = state->input;

	(void)word;
	switch (key) {
	case ARGP_KEY_ARGS:
		options_keep_words(&settings->words, state);
		return 0;
	case ARGP_KEY_END:
		if (!settings->words.num || settings->words.num % 2)
			argp_error(state, "give pairs of ADDRESS and VALUE");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct options options = {
	.rows = rows,
	.words = "ADDRESS VALUE...",
	.help = "Say what a register value means: the register, its fields, "
		"the event that it selects."
		"\vAn ADDRESS is the number of an MSR (0x3f6), "
		"pci:DEVICE.FUNCTION+OFFSET or mem:WINDOW+OFFSET. Further "
		"pairs give the sub-registers that a control register relies "
		"on (FVC, IPERF, ...); without them they are taken to be 0.",
	.more = take_words,
};

static bool read_pairs(const struct settings *settings,
		       struct uncore_write *writes)
{
	for (size_t i = 0; i < settings->words.num; i += 2) {
		unsigned long long value;
		uint64_t address;

		if (!tool_address(settings->words.list[i], &address) ||
		    !tool_number("value", settings->words.list[i + 1], &value))
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
		tool_put_lines(texts[i], stdout);
	return TOOL_OK;
}

static int decode(const struct settings *settings,
		  const struct uncore_family *family)
{
	size_t num_writes = settings->words.num / 2;
	struct uncore_write *writes = tool_new(num_writes, sizeof(*writes));
	char **texts = tool_new(num_writes, sizeof(*texts));
	int status = TOOL_USAGE;

	if (read_pairs(settings, writes))
		status = explain(family, writes, num_writes, texts);
	for (size_t i = 0; i < num_writes; i++)
		free(texts[i]);
	free(texts);
	free(writes);
	return status;
}

int cmd_decode(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	const struct uncore_family *family;

	options_parse(&options, argc, argv, 0, &settings);
	family = tool_family(settings.machine);
	if (!family)
		return TOOL_USAGE;
	return tool_finish(decode(&settings, family), stdout, NULL);
}
