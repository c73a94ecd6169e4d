/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A run is compared as what --json prints of it, so nothing is told here that
 * `uncore compare` would not tell of both files.
 */
#include "stat.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tool/compare/compare.h"
#include "tool/counting.h"
#include "tool/json.h"
#include "tool/tool.h"
#include "uncore/error.h"
#include "uncore/family.h"
#include "uncore/model.h"
#include "uncore/target.h"

static int read_it(struct baseline *baseline, const char *path)
{
	char *text = NULL;
	int status = results_text(path, &text);

	baseline->sides[0].path = path;
	baseline->sides[1].path = "this run";
	if (!status)
		status = results_read_json(&baseline->sides[0], text);
	if (!status && !baseline->sides[0].num)
		status = tool_fail(TOOL_USAGE,
				   "--baseline=%s: there is no result of "
				   "'uncore stat --json' in it",
				   path);
	if (!status)
		baseline->json = json_tokener_parse(text);
	free(text);
	return status;
}

int baseline_open(struct baseline *baseline,
		  const struct stat_settings *settings)
{
	struct compare_settings *how = &baseline->how;
	int status;

	*baseline = (struct baseline){
		.how = {
			.fail_above = settings->fail_above,
			.is_gate = true,
			.level = COMPARE_CONFIDENCE,
			.most_rows = ULLONG_MAX,
			/* of events that nobody asked for metrics are made */
			.shows = { [FIGURE_METRIC] = true,
				   [FIGURE_EVENT] = settings->events.num },
		},
	};
	status = limit_read(how);
	if (!status)
		status = read_it(baseline, settings->baseline);
	if (!status && settings->markdown)
		status = tool_open(how->markdown = settings->markdown, NULL,
				   NULL, &how->markdown_file);
	return status;
}

int baseline_close(struct baseline *baseline, int status)
{
	if (baseline->how.markdown_file)
		status = tool_finish(status, baseline->how.markdown_file,
				     baseline->how.markdown);
	json_object_put(baseline->json);
	results_free(&baseline->sides[0]);
	results_free(&baseline->sides[1]);
	return status;
}

static int check(const struct baseline *baseline, const char *name,
		 const char *here)
{
	const char *there =
		json_object_get_string(json_member(baseline->json, name));
	/* a folder or a socket may be called otherwise */
	size_t length = strcspn(here, ":");

	if (!there ||
	    (!strncmp(there, here, length) && strcspn(there, ":") == length))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "--baseline=%s is of another machine: %s %s there, %s "
			 "here",
			 baseline->sides[0].path, name, there, here);
}

int baseline_check(const struct baseline *baseline,
		   const struct counting *counting)
{
	const struct target *target = &counting->target;
	char sockets[16], cores[16];
	int status;

	snprintf(sockets, sizeof(sockets), "%u",
		 uncore_target_sockets(target->registers));
	snprintf(cores, sizeof(cores), "%u",
		 target->model ? uncore_model_cores(target->model) : 0);
	status = check(baseline, "machine", target_machine(target));
	if (!status)
		status = check(baseline, "sockets", sockets);
	if (!status)
		status = check(baseline, "origin",
			       uncore_target_origin(target->registers));
	return !status && target->model ? check(baseline, "cores", cores)
					: status;
}

/* Another command may be what was changed. */
static void note_command(const struct results *sides)
{
	if (sides[0].what && sides[1].what &&
	    strcmp(sides[0].what, sides[1].what) != 0)
		tool_warn("note: %s is of '%s', this is of '%s'", sides[0].path,
			  sides[0].what, sides[1].what);
}

int baseline_compare(struct baseline *baseline, const struct report *report,
		     FILE *file)
{
	struct results *sides = baseline->sides;
	char *text = NULL;
	FILE *json = tool_text(&text);
	int status;

	out_json(json, report);
	fclose(json);
	status = results_read_json(&sides[1], text);
	free(text);
	if (status)
		return status;
	note_command(sides);
	return compare_sides(&baseline->how, sides, &file);
}
