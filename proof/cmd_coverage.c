/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore model coverage`: every event and unit mask of a processor counts
 * something in a run of the model, and the count obeys a law; or the guide
 * rules the row out; or the model has no mechanism for it, and that is said.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "proof/coverage.h"
#include "tool/json.h"
#include "tool/machine.h"
#include "tool/tool.h"
#include "uncore/error.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

struct settings {
	const char *machine, *like;
	const char *box;
	const char *event;
	bool json;
	bool list;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row rows[] = {
	{ "machine", 'm', "NAME",
	  "Machine to model (default " TOOL_DEFAULT_MACHINE ")", AT(machine) },
	{ "like", 'L', "NAME",
	  "With the parameters of this machine, for which the laws were "
	  "written; both are of one kind",
	  AT(like) },
	OPTION_JSON(AT(json)),
	{ "box", 'b', "BOX", "Only the events of one kind of box", AT(box) },
	{ "event", 'e', "PATTERN",
	  "Only EVENT or EVENT.MASK that fit (* and ? stand for anything)",
	  AT(event) },
	{ "list", 'l', NULL,
	  "Show the catalogue: runs and laws of each row; run nothing",
	  AT(list) },
	{ 0 },
};

static const struct options options = {
	.rows = rows,
	.help = "Count every event and unit mask in runs of the model that "
		"exercise it, and check each count against a law."
		"\vEnds with 0 if every row has counted something and obeyed "
		"its law, or is ruled out by the guide; else with 1. "
		"docs/proof.md explains the laws.",
	.too_much = "is too much: rows are chosen by --box and --event",
};

/* Rows */

static bool is_modelled(const struct uncore_model *model,
			const struct coverage_row *row)
{
	for (unsigned port = 0; port < 8; port++)
		if (uncore_model_is_modelled(
			    model, row->event.box, row->event.name,
			    row->has_mask ? row->mask.name : NULL, port))
			return true;
	return false;
}

static int add_row(struct coverage *coverage, const struct uncore_model *model,
		   const struct uncore_event_info *event,
		   const struct uncore_unit_mask *mask)
{
	struct coverage_row *row = &coverage->rows[coverage->num_rows];
	char full[160];

	*row = (struct coverage_row){ .event = *event };
	snprintf(row->name, sizeof(row->name), "%s%s%s", event->name,
		 mask ? "." : "", mask ? mask->name : "");
	row->excluded = event->excluded;
	if (mask) {
		row->mask = *mask;
		row->has_mask = true;
		if (mask->excluded)
			row->excluded = mask->excluded;
	}
	row->signals = uncore_event_info_signals(coverage->family, event, mask);
	if (!row->signals)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	coverage->num_rows++;
	snprintf(full, sizeof(full), "%s/%s", row->event.box, row->name);
	row->law = coverage_law(uncore_family_name(coverage->family), full);
	if (row->excluded)
		row->state = COVERAGE_EXCLUDED;
	else if (!is_modelled(model, row))
		row->state = COVERAGE_NO_MECHANISM;
	return TOOL_OK;
}

static size_t count_rows(const struct uncore_family *family)
{
	struct uncore_event_info event;
	size_t num = 0;

	for (size_t i = 0; uncore_family_event(family, i, &event); i++)
		num += event.num_unit_masks ? event.num_unit_masks : 1;
	return num;
}

static int add_rows(struct coverage *coverage, const struct uncore_model *model)
{
	struct uncore_event_info event;
	struct uncore_unit_mask mask;
	int status = TOOL_OK;

	coverage->rows = calloc(count_rows(coverage->family) + 1,
				sizeof(*coverage->rows));
	if (!coverage->rows)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0;
	     !status && uncore_family_event(coverage->family, i, &event); i++) {
		if (!event.num_unit_masks)
			status = add_row(coverage, model, &event, NULL);
		for (size_t m = 0;
		     !status && uncore_event_info_unit_mask(&event, m, &mask);
		     m++)
			status = add_row(coverage, model, &event, &mask);
	}
	return status;
}

static bool is_chosen(const struct settings *settings,
		      const struct coverage_row *row)
{
	if (settings->box && strcmp(settings->box, row->event.box))
		return false;
	return !settings->event ||
	       !fnmatch(settings->event, row->event.name, 0) ||
	       !fnmatch(settings->event, row->name, 0);
}

/* Trying scenes */

/* Word number index of a list with blanks; false past the last one. */
static bool word_at(const char *list, unsigned index, const char **word,
		    size_t *length)
{
	for (*word = list; *(*word += strspn(*word, " ")); *word += *length) {
		*length = strcspn(*word, " ");
		if (!index--)
			return true;
	}
	return false;
}

/* The next scene and options of a row that waits; false when all have been
 * tried. */
static bool next_scene(struct coverage_row *row)
{
	const char *alternatives =
		row->law && row->law->options ? row->law->options : "";
	const char *word;
	unsigned num_options = 0, place = row->tried;
	size_t length = 0;

	while (word_at(alternatives, num_options, &word, &length))
		num_options++;
	row->options[0] = '\0';
	if (num_options) {
		word_at(alternatives, place % num_options, &word, &length);
		snprintf(row->options, sizeof(row->options), "%.*s",
			 (int)length, word);
		place /= num_options;
	}
	row->tried++;
	if (!row->law || !word_at(row->law->scenes, place, &word, &length))
		return false;
	row->scene = coverage_scene(word, length);
	return true;
}

static const char *problem_of(const struct coverage *coverage,
			      const struct coverage_row *row)
{
	char text[240];

	coverage_text(text, sizeof(text), row->event.box, row->name,
		      row->options);
	for (size_t i = 0; i < coverage->num_counts; i++)
		if (coverage->counts[i].scene == row->scene &&
		    !strcmp(coverage->counts[i].text, text))
			return coverage->counts[i].problem;
	return NULL;
}

static void judge(struct coverage *coverage, struct coverage_row *row)
{
	bool good = coverage_check(coverage, row, true);
	const char *problem = problem_of(coverage, row);

	if (problem) {
		free(row->check);
		row->check = strdup(problem);
		row->state = COVERAGE_FAILED;
	} else if (row->count) {
		row->state = good ? COVERAGE_PASSED : COVERAGE_FAILED;
	}
}

/* Each row that waits in its next scene; false when none waits any more. */
static int try_round(struct coverage *coverage, const struct settings *settings,
		     bool *waits)
{
	int status;

	*waits = false;
	for (size_t i = 0; i < coverage->num_rows; i++) {
		struct coverage_row *row = &coverage->rows[i];

		if (row->state != COVERAGE_WAITS || !is_chosen(settings, row))
			continue;
		if (!next_scene(row)) {
			row->state = COVERAGE_NOTHING;
			continue;
		}
		if (!row->scene)
			return tool_fail(TOOL_FAILED,
					 "the catalogue names a scene for %s "
					 "that it does not have",
					 row->name);
		*waits = true;
		coverage_check(coverage, row, false);
	}
	status = *waits ? coverage_run(coverage) : TOOL_OK;
	for (size_t i = 0; i < coverage->num_rows && !status; i++)
		if (coverage->rows[i].state == COVERAGE_WAITS &&
		    is_chosen(settings, &coverage->rows[i]))
			judge(coverage, &coverage->rows[i]);
	return status;
}

/* Printing */

static const char *check_text(const struct coverage_row *row)
{
	switch (row->state) {
	case COVERAGE_EXCLUDED: return "excluded by the guide";
	case COVERAGE_NO_MECHANISM: return "the model has no mechanism";
	case COVERAGE_NOTHING:
		return row->law ? "counted nothing"
				: "the catalogue has no run for it";
	default: return row->check ? row->check : "";
	}
}

static void print_row(const struct coverage_row *row, FILE *file)
{
	char name[240], count[24] = "-";

	snprintf(name, sizeof(name), "%s/%s%s%s", row->event.box, row->name,
		 *row->options ? "," : "", row->options);
	if (row->state == COVERAGE_PASSED || row->state == COVERAGE_FAILED)
		snprintf(count, sizeof(count), "%llu",
			 (unsigned long long)row->count);
	fprintf(file, "%-48s %-12s %12s  %s%s%s\n", name,
		row->scene && row->state != COVERAGE_EXCLUDED ? row->scene->name
							      : "-",
		count, row->state == COVERAGE_FAILED ? "BROKEN: " : "",
		check_text(row),
		row->state == COVERAGE_EXCLUDED ? row->excluded : "");
}

static char *command_of(const struct coverage *coverage,
			const struct coverage_scene *scene)
{
	bool is_default = !strcmp(coverage->machine, TOOL_DEFAULT_MACHINE);
	char *text = coverage->like ? NULL
				    : coverage_command(scene, coverage->cores);
	char *command =
		text && !is_default
			? tool_print("-m %s %s", coverage->machine, text)
			: NULL;

	if (!command)
		return text;
	free(text);
	return command;
}

static void json_row(struct json *json, const struct coverage *coverage,
		     const struct coverage_row *row)
{
	bool has_count =
		row->state == COVERAGE_PASSED || row->state == COVERAGE_FAILED;
	char *command = has_count ? command_of(coverage, row->scene) : NULL;

	json_open(json, NULL, '{');
	json_members(
		json, "box:%s event:%s unit_mask:%s signals:%s workload:%s",
		row->event.box, row->event.name,
		row->has_mask ? row->mask.name : NULL, row->signals, command);
	json_known(json, "count", has_count, row->count);
	json_members(json, "check:%s why:%s excluded:%s",
		     row->state == COVERAGE_PASSED ? row->check : NULL,
		     row->why, row->excluded);
	json_close(json);
	free(command);
}

static const char *const state_texts[] = {
	[COVERAGE_PASSED] = "counted and obeyed their law",
	[COVERAGE_FAILED] = "broke their law",
	[COVERAGE_NOTHING] = "counted nothing",
	[COVERAGE_NO_MECHANISM] = "have no mechanism in the model",
	[COVERAGE_EXCLUDED] = "are excluded by the guide",
};

static void print_summary(const struct coverage *coverage,
			  const struct settings *settings, FILE *file)
{
	size_t num[COVERAGE_EXCLUDED + 1] = { 0 }, all = 0;

	for (size_t i = 0; i < coverage->num_rows; i++) {
		if (!is_chosen(settings, &coverage->rows[i]))
			continue;
		num[coverage->rows[i].state]++;
		all++;
	}
	fprintf(file, "\n%zu events and unit masks, %llu runs:", all,
		coverage->num_runs);
	for (unsigned i = COVERAGE_PASSED; i <= COVERAGE_EXCLUDED; i++)
		if (num[i])
			fprintf(file, " %zu %s%s", num[i], state_texts[i],
				i == COVERAGE_EXCLUDED ? "" : ";");
	fprintf(file, "\n");
	if (num[COVERAGE_FAILED] && !coverage->like)
		fprintf(file,
			"Laws of rings and queues hold for the sizes of one "
			"machine; for a Xeon E5 v2 to v4 --like xeon-e5-2600 "
			"sets them.\n");
}

static void print(const struct coverage *coverage,
		  const struct settings *settings)
{
	struct json json = { .file = stdout };

	if (settings->json) {
		json_open(&json, NULL, '{');
		json_string(&json, "schema", "uncore-coverage-1");
		json_open(&json, "rows", '[');
	} else {
		printf("%-48s %-12s %12s  %s\n", "event", "run", "count",
		       "law");
	}
	for (size_t i = 0; i < coverage->num_rows; i++) {
		if (!is_chosen(settings, &coverage->rows[i]))
			continue;
		if (settings->json)
			json_row(&json, coverage, &coverage->rows[i]);
		else
			print_row(&coverage->rows[i], stdout);
	}
	if (settings->json) {
		json_close(&json);
		json_close(&json);
	} else {
		print_summary(coverage, settings, stdout);
	}
}

/* Whether a row of this processor is tried in the run. */
static bool is_tried(const struct coverage *coverage,
		     const struct coverage_scene *scene)
{
	const char *word;
	size_t length;

	for (size_t i = 0; i < coverage->num_rows; i++) {
		const struct coverage_law *law = coverage->rows[i].law;

		for (unsigned n = 0;
		     law && word_at(law->scenes, n, &word, &length); n++)
			if (coverage_scene(word, length) == scene)
				return true;
	}
	return false;
}

static void print_catalogue(const struct coverage *coverage,
			    const struct settings *settings)
{
	printf("Runs, as options of uncore stat:\n");
	for (const struct coverage_scene *scene = coverage_scenes; scene->name;
	     scene++) {
		char *command;

		if (!is_tried(coverage, scene))
			continue;
		command = command_of(coverage, scene);
		printf("  %-12s %s\n", scene->name, command ? command : "");
		free(command);
	}
	printf("\nRows, the runs that are tried, and their laws:\n");
	for (size_t i = 0; i < coverage->num_rows; i++) {
		const struct coverage_row *row = &coverage->rows[i];
		const struct coverage_law *law = row->law;

		if (!is_chosen(settings, row))
			continue;
		printf("  %s/%s: %s%s%s%s%s\n", row->event.box, row->name,
		       row->excluded ? "excluded: " : "",
		       row->excluded ? row->excluded
		       : law	     ? law->scenes
				     : "none",
		       law && law->options ? "; options " : "",
		       law && law->options ? law->options : "",
		       law && law->check ? "; law" : "");
		if (law && law->check && !row->excluded)
			printf("      %s%s%s\n", law->check,
			       law->why ? " # " : "", law->why ? law->why : "");
	}
}

static bool is_complete(const struct coverage *coverage,
			const struct settings *settings)
{
	for (size_t i = 0; i < coverage->num_rows; i++)
		if (is_chosen(settings, &coverage->rows[i]) &&
		    coverage->rows[i].state != COVERAGE_PASSED &&
		    coverage->rows[i].state != COVERAGE_EXCLUDED)
			return false;
	return true;
}

static void free_coverage(struct coverage *coverage)
{
	for (size_t i = 0; i < coverage->num_rows; i++) {
		free(coverage->rows[i].signals);
		free(coverage->rows[i].check);
	}
	for (size_t i = 0; i < coverage->num_counts; i++) {
		free(coverage->counts[i].text);
		free(coverage->counts[i].problem);
	}
	free(coverage->rows);
	free(coverage->counts);
	free(coverage->injected);
	uncore_target_free(coverage->probe);
}

/* The rows, and a model that is asked what can be counted. */
static int set_up(struct coverage *coverage, const struct settings *settings,
		  struct uncore_model **model)
{
	struct machine_settings machine = { .machine = coverage->machine };
	int status;

	coverage->family = tool_family(coverage->machine);
	if (!coverage->family)
		return TOOL_USAGE;
	status = machine_model(&machine, &(struct machine_how){ 0 }, model);
	if (status)
		return status;
	coverage->cores = coverage_cores(coverage->like ? coverage->like
							: coverage->machine);
	coverage->probe = uncore_target_model(*model);
	if (!coverage->probe)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	status = add_rows(coverage, *model);
	for (size_t i = 0; i < coverage->num_rows && !status; i++)
		if (is_chosen(settings, &coverage->rows[i]))
			return TOOL_OK;
	return status ? status
		      : tool_fail(TOOL_USAGE, "no row fits --box and --event; "
					      "'uncore list' shows what "
					      "exists");
}

int cmd_coverage(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	struct coverage coverage = { 0 };
	struct uncore_model *model = NULL;
	bool waits = true;
	int status;

	options_parse(&options, argc, argv, 0, &settings);
	coverage.machine = settings.machine;
	coverage.like = settings.like;
	if (settings.like && !tool_family(settings.like))
		return TOOL_USAGE;
	status = set_up(&coverage, &settings, &model);
	if (!status && settings.list)
		print_catalogue(&coverage, &settings);
	while (!status && !settings.list && waits)
		status = try_round(&coverage, &settings, &waits);
	if (!status && !settings.list) {
		print(&coverage, &settings);
		status = is_complete(&coverage, &settings) ? TOOL_OK
							   : TOOL_FAILED;
	}
	free_coverage(&coverage);
	return tool_finish(machine_free(model, status), stdout, NULL);
}
