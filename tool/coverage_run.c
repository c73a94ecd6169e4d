/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Runs scenes of the catalogue: events that fit together share a run, the
 * others get runs of their own. Boxes do not disturb each other, so the first
 * groups of all boxes run together, then the second ones, and so on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coverage.h"
#include "machine.h"
#include "tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum { MAX_CYCLES = 5000000, MAX_TOGETHER = 128 };

/* Events of one box that fit together. */
struct group {
	struct uncore_event *events[16];
	size_t counts[16]; /* places in coverage->counts */
	unsigned num;
	const char *box;
};

struct groups {
	struct group *group;
	size_t num, room;
};

const struct coverage_scene *coverage_scene(const char *name, size_t length)
{
	for (const struct coverage_scene *scene = coverage_scenes; scene->name;
	     scene++)
		if (strlen(scene->name) == length &&
		    !strncmp(scene->name, name, length))
			return scene;
	return NULL;
}

void coverage_text(char *text, size_t size, const char *box, const char *name,
		   const char *options)
{
	snprintf(text, size, "%s/%s%s%s/", box, name,
		 options && *options ? "," : "", options ? options : "");
}

size_t coverage_want(struct coverage *coverage,
		     const struct coverage_scene *scene, const char *text)
{
	struct coverage_count *counts = coverage->counts;

	for (size_t i = 0; i < coverage->num_counts; i++)
		if (counts[i].scene == scene && !strcmp(counts[i].text, text))
			return i;
	if (coverage->num_counts == coverage->room) {
		size_t room = coverage->room ? coverage->room * 2 : 1024;

		counts = realloc(counts, room * sizeof(*counts));
		if (!counts)
			return SIZE_MAX;
		coverage->counts = counts;
		coverage->room = room;
	}
	counts[coverage->num_counts] =
		(struct coverage_count){ .scene = scene, .text = strdup(text) };
	if (!counts[coverage->num_counts].text)
		return SIZE_MAX;
	return coverage->num_counts++;
}

static bool fits(const struct coverage *coverage, struct group *group,
		 struct uncore_event *event)
{
	struct uncore_plan *plan = NULL;
	char *error = NULL;
	int code;

	if (strcmp(group->box, uncore_event_box(event)) ||
	    group->num == sizeof(group->events) / sizeof(group->events[0]))
		return false;
	group->events[group->num] = event;
	code = uncore_plan_new(coverage->family, group->events, group->num + 1,
			       &plan, &error);
	free(error);
	if (code)
		return false;
	uncore_plan_free(plan);
	return true;
}

/* The first group in which there is room, or a new one. */
static int put(const struct coverage *coverage, struct groups *groups,
	       struct uncore_event *event, size_t count)
{
	struct group *group = NULL;

	for (size_t i = 0; i < groups->num && !group; i++)
		if (fits(coverage, &groups->group[i], event))
			group = &groups->group[i];
	if (!group) {
		if (groups->num == groups->room) {
			size_t room = groups->room ? groups->room * 2 : 64;

			group = realloc(groups->group, room * sizeof(*group));
			if (!group)
				return -1;
			groups->group = group;
			groups->room = room;
		}
		group = &groups->group[groups->num++];
		group->num = 0;
		group->box = uncore_event_box(event);
		group->events[0] = event;
	}
	group->counts[group->num++] = count;
	return 0;
}

/* Options as in "llc.slice=64 llc.ways=4", one by one, into a list. */
static unsigned split(char *text, const char **list, unsigned room)
{
	unsigned num = 0;
	char *save = NULL;

	for (char *word = strtok_r(text, " ", &save); word && num < room;
	     word = strtok_r(NULL, " ", &save))
		list[num++] = word;
	return num;
}

static int make_model(const struct coverage *coverage,
		      const struct coverage_scene *scene,
		      struct uncore_model **model)
{
	struct machine_settings settings = { .machine = coverage->machine };
	char *workload = coverage_workload(scene, coverage->family);
	char *sets = strdup(scene->sets ? scene->sets : "");
	char *injects = strdup(scene->injects ? scene->injects : "");
	char sockets[8], *error = NULL;
	int status = TOOL_FAILED, code;

	snprintf(sockets, sizeof(sockets), "%u", scene->sockets);
	settings.sockets = sockets;
	if (workload && sets && injects) {
		settings.num_sets =
			split(sets, settings.sets, MACHINE_MAX_SETS);
		settings.num_faults =
			split(injects, settings.faults, MACHINE_MAX_FAULTS);
		status = machine_model(&settings, false, model);
	}
	free(sets);
	free(injects);
	if (status) {
		free(workload);
		return status;
	}
	code = uncore_model_set_workload(*model, workload, &error);
	free(workload);
	if (!code)
		return TOOL_OK;
	uncore_model_free(*model);
	return tool_fail_with(code, error);
}

static void note_counts(struct coverage *coverage,
			const struct uncore_session *session,
			const size_t *places, uint64_t cycles)
{
	struct uncore_count count;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++) {
		struct coverage_count *to =
			&coverage->counts[places[count.event_index]];

		to->is_done = true;
		to->time = cycles;
		to->cycles += cycles;
		to->value += count.value;
		if (!count.valid && !to->problem)
			to->problem = strdup(count.reason);
	}
}

static void note_faults(struct coverage *coverage,
			const struct coverage_scene *scene,
			const struct uncore_model *model)
{
	const char *name, *help;
	struct injected *list;

	for (size_t i = 0; i < coverage->num_injected; i++)
		if (coverage->injected[i].scene == scene)
			return;
	for (size_t i = 0; uncore_model_fault(i, &name, &help); i++) {
		list = realloc(coverage->injected,
			       (coverage->num_injected + 1) * sizeof(*list));
		if (!list)
			return;
		coverage->injected = list;
		list[coverage->num_injected++] = (struct injected){
			.scene = scene,
			.name = name,
			.number = uncore_model_injected(model, i),
		};
	}
}

static bool finish(struct uncore_model *model,
		   const struct coverage_scene *scene)
{
	if (!scene->cycles)
		return uncore_model_finish(model, MAX_CYCLES, NULL);
	uncore_model_run(model, scene->cycles);
	return true;
}

/* Nothing can be counted in a scene that hangs. */
static void give_up(struct coverage *coverage,
		    const struct coverage_scene *scene)
{
	char text[96];

	snprintf(text, sizeof(text),
		 "run '%s' does not end within %d million cycles", scene->name,
		 MAX_CYCLES / 1000000);
	for (size_t i = 0; i < coverage->num_counts; i++)
		if (coverage->counts[i].scene == scene &&
		    !coverage->counts[i].problem)
			coverage->counts[i].problem = strdup(text);
}

/* One run: events of several groups, one of a box. */
static int run_once(struct coverage *coverage,
		    const struct coverage_scene *scene,
		    struct uncore_event **events, const size_t *places,
		    size_t num)
{
	struct uncore_session *session = NULL;
	struct uncore_target *target = NULL;
	struct uncore_model *model;
	char *error = NULL;
	uint64_t cycles;
	bool ended = false;
	int code, status = make_model(coverage, scene, &model);

	if (status)
		return status;
	target = uncore_target_model(model);
	code = target ? uncore_session_open(target, events, num, &session,
					    &error)
		      : UNCORE_ERR_NO_MEMORY;
	if (!code)
		code = uncore_session_start(session, &error);
	cycles = uncore_model_cycle(model);
	if (!code)
		ended = finish(model, scene);
	if (!code)
		code = uncore_session_stop(session, &error);
	if (!code)
		code = uncore_session_read(session, &error);
	if (code)
		status = tool_fail_with(code, error);
	cycles = uncore_model_cycle(model) - cycles;
	if (!ended)
		give_up(coverage, scene);
	if (!status && ended) {
		note_counts(coverage, session, places, cycles);
		note_faults(coverage, scene, model);
	}
	uncore_session_close(session);
	uncore_target_free(target);
	coverage->num_runs++;
	return machine_free(model, status);
}

/* Takes one group of each box that is left; false when there is none. */
static bool gather(struct groups *groups, struct uncore_event **events,
		   size_t *places, size_t *num)
{
	const char *boxes[16];
	unsigned num_boxes = 0;

	*num = 0;
	for (size_t i = 0; i < groups->num; i++) {
		struct group *group = &groups->group[i];
		bool is_new = group->num > 0;

		for (unsigned b = 0; b < num_boxes; b++)
			is_new = is_new && strcmp(boxes[b], group->box);
		if (!is_new || num_boxes == 16 ||
		    *num + group->num > MAX_TOGETHER)
			continue;
		boxes[num_boxes++] = group->box;
		for (unsigned e = 0; e < group->num; e++) {
			events[*num] = group->events[e];
			places[(*num)++] = group->counts[e];
		}
		group->num = 0;
	}
	return *num > 0;
}

static int run_groups(struct coverage *coverage,
		      const struct coverage_scene *scene, struct groups *groups)
{
	struct uncore_event *events[MAX_TOGETHER];
	size_t places[MAX_TOGETHER], num;
	int status = TOOL_OK;

	while (!status && gather(groups, events, places, &num))
		if (!coverage->counts[places[0]].problem)
			status = run_once(coverage, scene, events, places, num);
	return status;
}

/* The events of a scene that are wanted and not counted yet. */
static int group_wanted(struct coverage *coverage,
			const struct coverage_scene *scene,
			struct groups *groups, struct uncore_event **parsed,
			size_t *num_parsed)
{
	for (size_t i = 0; i < coverage->num_counts; i++) {
		struct coverage_count *count = &coverage->counts[i];
		struct uncore_event *event;
		char *error = NULL;

		if (count->scene != scene || count->is_done || count->problem)
			continue;
		if (uncore_event_parse(coverage->family, count->text, &event,
				       &count->problem)) {
			if (!count->problem)
				return tool_fail_with(UNCORE_ERR_NO_MEMORY,
						      NULL);
			continue;
		}
		if (uncore_session_can_count(coverage->probe, event, &error)) {
			free(error);
			uncore_event_free(event);
			count->is_done = true; /* at this port nothing */
			continue;
		}
		parsed[(*num_parsed)++] = event;
		if (put(coverage, groups, event, i))
			return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	return TOOL_OK;
}

static int run_scene(struct coverage *coverage,
		     const struct coverage_scene *scene)
{
	struct uncore_event **parsed =
		calloc(coverage->num_counts + 1, sizeof(*parsed));
	struct groups groups = { 0 };
	size_t num_parsed = 0;
	int status;

	if (!parsed)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	status = group_wanted(coverage, scene, &groups, parsed, &num_parsed);
	if (!status)
		status = run_groups(coverage, scene, &groups);
	for (size_t i = 0; i < num_parsed; i++)
		uncore_event_free(parsed[i]);
	free(parsed);
	free(groups.group);
	return status;
}

int coverage_run(struct coverage *coverage)
{
	int status = TOOL_OK;

	for (const struct coverage_scene *scene = coverage_scenes;
	     scene->name && !status; scene++)
		status = run_scene(coverage, scene);
	return status;
}

char *coverage_command(const struct coverage_scene *scene,
		       const struct uncore_family *family)
{
	static const char *const names[] = { "--set", "--inject" };
	const char *texts[] = { scene->sets, scene->injects };
	char *workload = coverage_workload(scene, family);
	char *command = NULL, *word, *save;
	size_t size;
	FILE *file = open_memstream(&command, &size);

	if (!file || !workload) {
		free(workload);
		if (file)
			fclose(file);
		free(command);
		return NULL;
	}
	fprintf(file, "-N %u", scene->sockets);
	for (unsigned i = 0; i < 2; i++) {
		char *list = texts[i] ? strdup(texts[i]) : NULL;

		for (word = list ? strtok_r(list, " ", &save) : NULL; word;
		     word = strtok_r(NULL, " ", &save))
			fprintf(file, " %s %s", names[i], word);
		free(list);
	}
	if (scene->cycles)
		fprintf(file, " --cycles %llu", scene->cycles);
	fprintf(file, " -w %s", workload);
	free(workload);
	return fclose(file) ? NULL : command;
}
