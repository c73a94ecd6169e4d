/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Results as `uncore stat --json` writes them, one or several.
 */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "tool/json.h"
#include "tool/stat/stat.h"
#include "tool/tool.h"
#include "uncore/error.h"

enum { PLACE_ROOM = 256, MOST_RUNS = 1000000 };

/* "S0 cbox3", after the region that it is of. */
static void name_place(const struct json_object *row, const char *region,
		       char *place)
{
	double socket = json_real(row, "socket");
	const char *box = json_text(row, "box");
	size_t used = 0;

	place[0] = 0;
	if (region)
		used = (size_t)snprintf(place, PLACE_ROOM, "region '%s'%s",
					region, isnan(socket) ? "" : " ");
	if (isnan(socket) || used >= PLACE_ROOM)
		return;
	used += (size_t)snprintf(place + used, PLACE_ROOM - used, "S%.0f",
				 socket);
	if (box && *box && strpbrk(box, "0123456789") && used < PLACE_ROOM)
		snprintf(place + used, PLACE_ROOM - used, " %s", box);
}

static bool flag(const struct json_object *object, const char *name)
{
	struct json_object *member = json_member(object, name);

	return json_object_is_type(member, json_type_boolean) &&
	       json_object_get_boolean(member);
}

/* What a row is of: all results are read row by row in the same way. */
struct part {
	const char *region; /* NULL: the whole run */
	size_t runs;	    /* that the values are means of */
	double probability; /* with which errors hold */
};

/* How sure a single result is of its value. What was not seen at all has no
 * standard error, and yet an interval. */
static void set_error(struct figure *figure, const struct json_object *row,
		      const struct part *part)
{
	double error = json_real(row, "standard_error");
	double width = json_real(row, "error");
	bool is_estimate =
		flag(row, "is_estimate") || json_real(row, "share") < 1;

	figure->standard_error = is_estimate ? NAN : 0;
	figure->freedom = INFINITY;
	if (isnan(error))
		return;
	if (error <= 0 && width > 0)
		error = width /
			significance_within(part->probability, INFINITY);
	figure->standard_error = error;
	if (error > 0 && !isnan(width))
		figure->freedom =
			significance_freedom(part->probability, width / error);
}

static void add_row(struct results *results, enum figure_kind kind,
		    const struct json_object *row, const struct part *part)
{
	char place[PLACE_ROOM];
	const struct figure_key key = {
		.kind = kind,
		.name = json_text(row, kind == FIGURE_EVENT ? "event" : "name"),
		.place = place,
		.unit = kind == FIGURE_METRIC ? json_text(row, "unit") : NULL,
	};
	const struct figure_mean mean = {
		.value = json_real(row, "value"),
		.standard_error = json_real(row, "spread"),
		.num = part->runs,
	};
	struct figure *figure;

	if (!key.name)
		return;
	name_place(row, part->region, place);
	figure = results_add_mean(results, &key, &mean, json_text(row, "note"));
	if (figure && !isnan(mean.value))
		set_error(figure, row, part);
}

static void add_rows(struct results *results, const struct json_object *result,
		     const struct part *part)
{
	static const char *const lists[] = {
		[FIGURE_EVENT] = "counts", [FIGURE_METRIC] = "metrics"
	};
	const struct json_object *row;

	for (int kind = FIGURE_EVENT; kind <= FIGURE_METRIC; kind++)
		for (size_t i = 0;
		     (row = json_element(json_member(result, lists[kind]), i));
		     i++)
			add_row(results, (enum figure_kind)kind, row, part);
}

/* Of each run; the time is that of the last one. Whether there are windows. */
static bool add_details(struct results *results,
			const struct json_object *result)
{
	const struct json_object *detail = json_member(result, "detail");
	const struct json_object *runs = json_member(detail, "runs");
	const struct json_object *run = runs ? json_element(runs, 0) : detail;
	unsigned before = results->detail.runs;

	for (size_t i = 1; run; run = json_element(runs, i++))
		results_add_detail(
			results, json_real(run, "accesses"),
			json_real(run, "share"),
			json_real(run, "time_error") /
				json_real(result, "simulated_seconds"));
	return results->detail.runs > before;
}

static int add_result(struct results *results, const struct json_object *result)
{
	const struct json_object *regions = json_member(result, "regions");
	const struct json_object *region;
	const char *schema = json_text(result, "schema");
	double runs = json_real(result, "runs");
	const struct run_random random = {
		.is_known = json_member(result, "random_asked"),
		.asked = flag(result, "random_asked"),
		.repeats = flag(result, "random_repeatable"),
	};
	struct part part = {
		.region = json_text(result, "region"),
		.runs = runs > 1 && runs < MOST_RUNS ? (size_t)runs : 1,
	};

	if (!schema || strcmp(schema, REPORT_SCHEMA))
		return tool_fail(TOOL_USAGE,
				 "%s: that is JSON, but no result of 'uncore "
				 "stat --json' (\"schema\": \"%s\")",
				 results->path, REPORT_SCHEMA);
	if (json_member(result, "time"))
		return tool_fail(TOOL_USAGE,
				 "%s: that is a part of a run ('uncore stat "
				 "-I'); take results of whole runs",
				 results->path);
	part.probability = (add_details(results, result) ? REPORT_WINDOWS_HOLD
							 : REPORT_TURNS_HOLD) /
			   100.;
	results_set_random(results, &random);
	results->runs += (unsigned)part.runs;
	if (!results->what)
		results->what = tool_copy(json_text(result, "command"));
	if (!results->machine)
		results->machine = tool_copy(json_text(result, "machine"));
	add_rows(results, result, &part);
	for (size_t i = 0; (region = json_element(regions, i)); i++) {
		part.region = json_text(region, "name");
		add_rows(results, region, &part);
	}
	return TOOL_OK;
}

/* The next of several results; *at behind it. */
static int read_result(struct results *results, struct json_tokener *tokener,
		       const char *text, const char **at)
{
	size_t length = strlen(*at) + 1, line = 1; /* the end is told, too */
	struct json_object *result;
	enum json_tokener_error code;
	int status;

	result = json_tokener_parse_ex(tokener, *at, (int)length);
	*at += json_tokener_get_parse_end(tokener);
	code = json_tokener_get_error(tokener);
	if (code == json_tokener_success) {
		status = add_result(results, result);
	} else {
		for (; text < *at; text++)
			line += *text == '\n';
		status = tool_fail(TOOL_USAGE,
				   "%s, line %zu: %s: this is no result of "
				   "'uncore stat --json'",
				   results->path, line,
				   json_tokener_error_desc(code));
	}
	json_object_put(result);
	return status;
}

int results_read_json(struct results *results, const char *text)
{
	struct json_tokener *tokener = json_tokener_new();
	const char *at = text;
	int status = TOOL_OK;

	if (!tokener)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	json_tokener_set_flags(tokener,
			       JSON_TOKENER_STRICT |
				       JSON_TOKENER_ALLOW_TRAILING_CHARS);
	while (!status && at[strspn(at, " \t\r\n")])
		status = read_result(results, tokener, text, &at);
	json_tokener_free(tokener);
	return status;
}
