/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore explain EVENT|METRIC|REGISTER...`: all that is known of a name.
 */
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#include "explain.h"

struct settings {
	const char *machine;
	struct option_words names;
	bool json;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row rows[] = {
	OPTION_MACHINE(AT(machine)),
	OPTION_JSON(AT(json)),
	{ 0 },
};

static const struct options options = {
	.rows = rows,
	.words = "EVENT|METRIC|REGISTER...",
	.help = "Say all that is known of an event, a metric or a register: "
		"what it counts, where, from which signals, what to beware "
		"of, which registers it takes, what is related to it, and a "
		"command to try it."
		"\vEVENT is BOX[N]/EVENT[.MASK...][,option=value...]/ with "
		"all options of 'uncore stat -e'. REGISTER is a name, the "
		"name of a layout, or an address.",
	.need = "name an EVENT, a METRIC or a REGISTER, for instance "
		"cbox/LLC_MISSES.ALL/",
	.words_at = offsetof(struct settings, names),
};

/* What comes before the first '/', '.' or ',' is no name of anything; what it
 * is near to may be. */
static int say_unknown(const struct explain *explain, const char *text)
{
	struct uncore_closest *closest = uncore_closest_new(text);
	char *near = NULL;

	if (closest) {
		explain_offer_events(explain, closest);
		explain_offer_metrics(explain, closest);
		explain_offer_registers(explain, closest);
		near = uncore_closest_say(closest);
	}
	tool_fail(0, "%s has no event, metric or register '%s'%s",
		  uncore_family_name(explain->family), text,
		  near && *near ? near
				: "; 'uncore list' and 'uncore registers' show "
				  "what there is");
	free(near);
	return TOOL_USAGE;
}

static int explain_one(struct explain *explain, const char *text)
{
	enum explain_result result = explain_register(explain, text);

	if (result == EXPLAIN_UNKNOWN)
		result = explain_metric(explain, text);
	if (result == EXPLAIN_UNKNOWN)
		result = explain_event(explain, text);
	if (result == EXPLAIN_UNKNOWN)
		return say_unknown(explain, text);
	return result == EXPLAIN_DONE ? TOOL_OK : explain->status;
}

int cmd_explain(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	struct explain explain = { .page.file = stdout };
	struct json json = { .file = stdout };
	int status = TOOL_OK;

	options_parse(&options, argc, argv, 0, &settings);
	explain.machine = settings.machine;
	explain.family = tool_family(settings.machine);
	if (!explain.family)
		return TOOL_USAGE;
	if (settings.json) {
		explain.page.json = &json;
		json_open(&json, NULL, '[');
	}
	status = explain_open_metrics(&explain);
	for (size_t i = 0; i < settings.names.num && !status; i++)
		status = explain_one(&explain, settings.names.list[i]);
	if (settings.json)
		json_close(&json);
	metrics_close(&explain.metrics);
	return tool_finish(status, stdout, NULL);
}
