/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore explain EVENT|METRIC|REGISTER...`: all that is known of a name.
 */
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "tool/machine.h"
#include "uncore/error.h"
#include "uncore/event.h"

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

void explain_errata(struct explain *explain,
		    bool (*concerns)(const struct explain *explain,
				     const void *about,
				     const struct uncore_erratum *erratum),
		    const void *about)
{
	struct uncore_erratum row;

	page_list(&explain->page, "errata",
		  "Slips of the guide that concern it (docs/errata.md)");
	for (size_t i = 0; uncore_family_erratum(explain->family, i, &row);
	     i++) {
		char *text;

		if (!concerns(explain, about, &row))
			continue;
		text = tool_print("(%s) %s Read as: %s", row.where, row.printed,
				  row.reading);
		page_pair(&explain->page, "number", row.number, text);
		free(text);
	}
	page_list_end(&explain->page, NULL);
}

/* What comes before the first '/', '.' or ',' is no name of anything; what it
 * is near to may be. */
static int say_unknown(const struct explain *explain, const char *text)
{
	struct uncore_closest *closest = uncore_closest_new(text);
	struct uncore_event_info event;
	struct uncore_metric metric;
	struct uncore_register reg;
	char *near;

	if (!closest)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; uncore_family_event(explain->family, i, &event); i++)
		uncore_closest_offer(closest, event.name);
	for (size_t i = 0; uncore_metrics_at(explain->metrics.set, i, &metric);
	     i++)
		uncore_closest_offer(closest, metric.name);
	for (size_t i = 0; explain_register_at(explain, i, &reg); i++)
		uncore_closest_offer(closest, reg.name);
	near = uncore_closest_say(closest);
	tool_fail(0, "%s has no event, metric or register '%s'%s",
		  uncore_family_name(explain->family), text,
		  near && *near ? near
				: "; 'uncore list' and 'uncore registers' show "
				  "what there is");
	free(near);
	return TOOL_USAGE;
}

/* The words of libpfm4 and LIKWID, which are those of events alone. */
static int explain_foreign(const struct explain *explain, const char *text)
{
	struct uncore_event *event;
	char *error = NULL;
	int code = strchr(text, ':') ? uncore_event_parse(explain->family, text,
							  &event, &error)
				     : 0;

	if (code)
		return tool_fail_with(code, error);
	return say_unknown(explain, text);
}

static int explain_one(struct explain *explain, const char *text)
{
	int status = explain_register(explain, text);

	if (status == EXPLAIN_UNKNOWN)
		status = explain_metric(explain, text);
	if (status == EXPLAIN_UNKNOWN)
		status = explain_event(explain, text);
	return status == EXPLAIN_UNKNOWN ? explain_foreign(explain, text)
					 : status;
}

int cmd_explain(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	struct explain explain = { .page.file = stdout };
	struct machine_settings machine = { 0 };
	struct json json = { .file = stdout };
	int status;

	options_parse(&options, argc, argv, 0, &settings);
	explain.machine = settings.machine;
	explain.family = tool_family(settings.machine);
	if (!explain.family)
		return TOOL_USAGE;
	while (uncore_family_register(explain.family, explain.num_registers,
				      &(struct uncore_register){ 0 }))
		explain.num_registers++;
	explain.page.json = settings.json ? &json : NULL;
	json_open(explain.page.json, NULL, '[');
	/* A family without a model has its own facts and no others. */
	machine.machine = settings.machine;
	status = metrics_open(explain.family, NULL, "all",
			      uncore_family_has_model(explain.family) ? &machine
								      : NULL,
			      &explain.metrics);
	for (size_t i = 0; i < settings.names.num && !status; i++)
		status = explain_one(&explain, settings.names.list[i]);
	json_close(explain.page.json);
	metrics_close(&explain.metrics);
	return tool_finish(status, stdout, NULL);
}
