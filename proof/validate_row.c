/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Figures whose rows say how they are measured: a workload runs twice, once
 * with more to do, and the difference counts, so that the way to the steady
 * state is left out.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proof/validate.h"
#include "tool/machine.h"
#include "tool/tool.h"
#include "uncore/model.h"

enum {
	MAX_CYCLES = 200000000,
	TEXT_ROOM = 512,
};

/* The first (0) or second of {LESS|MORE}, in its place. */
static void choose(const char *run, unsigned which, char *text)
{
	const char *open = strchr(run, '{'), *bar = strchr(open, '|');
	const char *close = strchr(bar, '}');
	const char *from = which ? bar + 1 : open + 1;
	int length = (int)((which ? close : bar) - from);

	snprintf(text, TEXT_ROOM, "%.*s%.*s%s", (int)(open - run), run, length,
		 from, close + 1);
}

/* "xeon-e7 sockets=4 core.prefetch=0", whose words the settings point to. */
static void read_model(char *text, struct machine_settings *settings)
{
	char *rest = NULL;

	settings->machine = strtok_r(text, " ", &rest);
	for (char *word; (word = strtok_r(NULL, " ", &rest));)
		if (!strncmp(word, "sockets=", 8))
			settings->sockets = word + 8;
		else
			settings->sets.list[settings->sets.num++] = word;
}

bool validate_is_of(const struct validate_row *row, const char *machine)
{
	size_t length = strcspn(row->model, " ");

	return !machine ||
	       (!strncasecmp(row->model, machine, length) && !machine[length]);
}

static double core_hz(const struct uncore_model_config *config)
{
	struct uncore_model_param param;

	return machine_parameter(config, "core.clock", &param)
		       ? strtod(param.value, NULL) * 1e6
		       : 0;
}

static int run(const struct validate_row *row, unsigned which, double *seconds,
	       double *hz)
{
	char machine[TEXT_ROOM], workload[TEXT_ROOM];
	struct machine_settings settings = { 0 };
	struct uncore_model_config *config = NULL;
	const struct machine_how how = { .workload = workload,
					 .config = &config };
	struct uncore_model *model;
	int status;

	snprintf(machine, sizeof(machine), "%s", row->model);
	read_model(machine, &settings);
	choose(row->run, which, workload);
	status = machine_model(&settings, &how, &model);
	if (!status) {
		if (!uncore_model_finish(model, MAX_CYCLES, NULL))
			status = tool_fail(TOOL_FAILED,
					   "%s does not come to an end",
					   workload);
		*seconds = (double)uncore_model_cycle(model) /
			   uncore_model_clock_hz(model);
		*hz = core_hz(config);
		status = machine_free(model, status);
	}
	uncore_model_config_free(config);
	return status;
}

int validate_measure_row(struct validate_row *row)
{
	double less = 0, more = 0, hz = 0;
	int status = run(row, 0, &less, &hz);

	if (!status)
		status = run(row, 1, &more, &hz);
	if (row->per_bytes > 0)
		row->value = row->per_bytes / (more - less) / 1e9;
	else if (row->per_cycles > 0)
		row->value = (more - less) * hz / row->per_cycles;
	else
		row->value = (more - less) * 1e9 / row->per_ns;
	return status;
}
