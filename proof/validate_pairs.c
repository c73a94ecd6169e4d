/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Pairs of loops (proof/pairs) as figures: each runs as a program on the
 * machine's defaults, and the ratio of the times of its two regions counts.
 */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/find.h"
#include "proof/validate.h"
#include "tool/machine.h"
#include "tool/run.h"
#include "tool/tool.h"
#include "uncore/model.h"
#include "uncore/program.h"

enum {
	MOST_ROWS = 256,
	TEXT_ROOM = 96,
};

static const char *const machines[] = { "xeon-e7", "xeon-7500",
					"xeon-e5-2600" };

/* What the regions "bad" and "good" took. */
struct times {
	struct uncore_model *model;
	uint64_t begin, bad, good;
};

static void take_mark(void *context, const struct uncore_program_mark *mark)
{
	struct times *times = context;
	uint64_t now = uncore_model_cycle(times->model);

	if (mark->begins)
		times->begin = now;
	else if (!strcmp(mark->region, "bad"))
		times->bad = now - times->begin;
	else
		times->good = now - times->begin;
}

static int run_pair(const char *program, const char *name, const char *machine,
		    struct times *times)
{
	static const struct run_program as_it_is = { 0 };
	const struct machine_settings settings = { .machine = machine };
	const struct machine_how how = { 0 };
	char *argv[] = { (char *)program, (char *)name, NULL };
	struct run run = { .argv = argv, .mark = take_mark, .context = times };
	double seconds;
	int ended = 0, status = machine_model(&settings, &how, &run.model);

	if (status)
		return status;
	times->model = run.model;
	run.hides_progress = true;
	status = run_prepare_program(&run, &as_it_is);
	if (!status)
		status = run_all(&run, &ended, &seconds);
	if (!status && (ended || !times->good))
		status = tool_fail(TOOL_FAILED, "%s %s ended with %d", program,
				   name, ended);
	run_free(&run);
	return machine_free(run.model, status);
}

/* The machine's part of "xeon-e7=1.0 xeon-7500=1.1"; NULL: it has none. */
static const char *limit_of(const struct validate_pair *pair,
			    const char *machine)
{
	size_t length = strlen(machine);
	const char *at = pair->limits;

	for (; at && (at = strstr(at, machine)); at += length)
		if (at[length] == '=')
			return at + length + 1;
	return NULL;
}

static int measure(const char *program, const struct validate_pair *pair,
		   const char *machine, struct validate_row *row)
{
	static char on[MOST_ROWS][TEXT_ROOM];
	static unsigned num;
	const char *limit = limit_of(pair, machine);
	double high = pair->high > 0 ? pair->high : INFINITY;
	struct times times = { 0 };
	int status = run_pair(program, pair->name, machine, &times);

	if (status)
		return status;
	snprintf(on[num], TEXT_ROOM, "%s, uncore-pairs %s, all as by default",
		 machine, pair->name);
	*row = (struct validate_row){
		.metric = pair->metric,
		.unit = "",
		.machine = on[num++],
		.source = pair->why,
		.published_low = pair->low,
		.published_high = high,
		.low = pair->low,
		.high = high,
		.digits = 2,
		.value = (double)times.bad / (double)times.good,
		.unmet = limit ? pair->unmet : NULL,
		.limit = limit ? strtod(limit, NULL) : 0,
	};
	return TOOL_OK;
}

static int measure_all(const char *program, const char *machine,
		       const char *pattern, struct validate_row *row)
{
	bool fits = false;
	int status = TOOL_OK;

	for (size_t m = 0; m < sizeof(machines) / sizeof(*machines); m++) {
		if (machine && strcasecmp(machine, machines[m]))
			continue;
		for (const struct validate_pair *pair = validate_pairs;
		     pair->name && !status; pair++) {
			if (fnmatch(pattern, pair->name, FNM_EXTMATCH))
				continue;
			fits = true;
			status = measure(program, pair, machines[m], row++);
		}
	}
	if (!fits)
		return tool_fail(TOOL_USAGE,
				 "no pair is called '%s'; '%s --list' has all",
				 pattern, program);
	return status;
}

int validate_measure_pairs(const char *machine, const char *pattern,
			   const struct validate_row **rows)
{
	static struct validate_row chosen[MOST_ROWS];
	char *tried = NULL, *program = find_helper("uncore-pairs", &tried);
	int status;

	if (program)
		status = measure_all(program, machine, pattern, chosen);
	else
		status = tool_fail(TOOL_FAILED,
				   "the pairs of loops were not found at %s; "
				   "build them (they are part of the build), "
				   "or name their folder in UNCORE_LIBEXEC",
				   tried ? tried : "any place");
	free(program);
	free(tried);
	*rows = chosen;
	return status;
}
