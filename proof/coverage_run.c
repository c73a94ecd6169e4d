/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Runs scenes of the catalogue, each once: what does not fit into one PMU is
 * counted by more of them, which a model can have.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/coverage.h"
#include "tool/machine.h"
#include "tool/tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum { MAX_CYCLES = 5000000 };

const struct coverage_law *coverage_law(const char *family, const char *name)
{
	const struct coverage_law *found = NULL;

	for (const struct coverage_law *law = coverage_laws; law->pattern;
	     law++) {
		if ((found && !law->family) || fnmatch(law->pattern, name, 0))
			continue;
		if (!law->family)
			found = law;
		else if (!fnmatch(law->family, family, 0))
			return law;
	}
	return found;
}

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

/* Options as in "llc.slice=64 llc.ways=4", one by one; false: the machine
 * cannot have them. */
static bool apply(struct uncore_model_config *config, const char *options,
		  int (*set)(struct uncore_model_config *config,
			     const char *option, char **error))
{
	char *copy = strdup(options ? options : ""), *save = NULL;
	bool fits = copy;

	for (char *word = copy ? strtok_r(copy, " ", &save) : NULL;
	     word && fits; word = strtok_r(NULL, " ", &save))
		fits = !set(config, word, NULL);
	free(copy);
	return fits;
}

/* What a machine has to set to be like another, as a run sets it; NULL without
 * memory. */
static char *differences(const char *machine, const char *like)
{
	struct uncore_model_config *own =
		uncore_model_config_new(machine, NULL);
	struct uncore_model_config *other = uncore_model_config_new(like, NULL);
	struct uncore_model_param param, wanted;
	char *text = NULL;
	size_t size;
	FILE *file = own && other ? open_memstream(&text, &size) : NULL;

	for (size_t i = 0; file && uncore_model_config_param(own, i, &param);
	     i++)
		if (machine_parameter(other, param.name, &wanted) &&
		    strcmp(param.value, wanted.value) != 0)
			fprintf(file, " %s=%s", param.name, wanted.value);
	uncore_model_config_free(own);
	uncore_model_config_free(other);
	return file && !fclose(file) ? text : NULL;
}

/* The machine of a scene; NULL: it cannot be. */
static struct uncore_model *make_machine(const struct coverage *coverage,
					 const struct coverage_scene *scene)
{
	struct uncore_model_config *config =
		uncore_model_config_new(coverage->machine, NULL);
	char *like = coverage->like
			     ? differences(coverage->machine, coverage->like)
			     : NULL;
	struct uncore_model *model = NULL;

	if (config && apply(config, like, uncore_model_config_set) &&
	    !uncore_model_config_sockets(config, scene->sockets, NULL) &&
	    apply(config, scene->sets, uncore_model_config_set) &&
	    apply(config, scene->injects, uncore_model_config_inject))
		model = uncore_model_new(config, NULL);
	uncore_model_config_free(config);
	free(like);
	return model;
}

/* With its workload; *model is NULL where the machine cannot be. */
static int make_model(const struct coverage *coverage,
		      const struct coverage_scene *scene,
		      struct uncore_model **model)
{
	char *workload = coverage_workload(scene, coverage->cores);
	char *error = NULL;
	int code;

	*model = workload ? make_machine(coverage, scene) : NULL;
	code = *model ? uncore_model_set_workload(*model, workload, &error) : 0;
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
		size_t place = places[count.event_index];
		struct coverage_count *to;

		if (place == SIZE_MAX)
			continue;
		to = &coverage->counts[place];
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

/* What is counted in one run. */
struct batch {
	struct uncore_event **events;
	size_t *places; /* in coverage->counts; SIZE_MAX: in none */
	size_t num;
	struct uncore_group *pairs; /* the latter beside the former */
	size_t (*members)[2];
	size_t num_pairs;
};

static bool batch_init(struct batch *batch, size_t room)
{
	*batch = (struct batch){
		.events = calloc(room, sizeof(*batch->events)),
		.places = calloc(room, sizeof(*batch->places)),
		.pairs = calloc(room, sizeof(*batch->pairs)),
		.members = calloc(room, sizeof(*batch->members)),
	};
	return batch->events && batch->places && batch->pairs && batch->members;
}

static void batch_free(struct batch *batch)
{
	for (size_t i = 0; i < batch->num; i++)
		uncore_event_free(batch->events[i]);
	free(batch->events);
	free(batch->places);
	free(batch->pairs);
	free(batch->members);
}

static void batch_add(struct batch *batch, struct uncore_event *event,
		      size_t place)
{
	batch->places[batch->num] = place;
	batch->events[batch->num++] = event;
}

/* The latest event counts beside another one, if its law says so. */
static void add_beside(const struct coverage *coverage, struct batch *batch,
		       const char *text)
{
	size_t length = strcspn(text, ",");
	char *name = strndup(text, length - !text[length]);
	const struct coverage_law *law =
		name ? coverage_law(uncore_family_name(coverage->family), name)
		     : NULL;
	size_t *members = batch->members[batch->num_pairs];
	struct uncore_event *event;

	free(name);
	if (!law || !law->beside ||
	    uncore_event_parse(coverage->family, law->beside, &event, NULL))
		return;
	members[0] = batch->num - 1;
	members[1] = batch->num;
	batch_add(batch, event, SIZE_MAX);
	batch->pairs[batch->num_pairs++] =
		(struct uncore_group){ .events = members, .num_events = 2 };
}

/* The events of a scene that are wanted and not counted yet. */
static int find_wanted(struct coverage *coverage,
		       const struct coverage_scene *scene, struct batch *batch)
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
		batch_add(batch, event, i);
		add_beside(coverage, batch, count->text);
	}
	return TOOL_OK;
}

/* In a scene of other machines nothing counts. */
static void leave_out(struct coverage *coverage, const struct batch *batch)
{
	for (size_t i = 0; i < batch->num; i++)
		if (batch->places[i] != SIZE_MAX)
			coverage->counts[batch->places[i]].is_done = true;
}

/* Counts the events, each into its place. */
static int run_events(struct coverage *coverage,
		      const struct coverage_scene *scene,
		      const struct batch *batch)
{
	const struct uncore_session_options options = {
		.struct_size = sizeof(options),
		.groups = batch->pairs,
		.num_groups = batch->num_pairs,
	};
	struct uncore_session *session = NULL;
	struct uncore_target *target = NULL;
	struct uncore_model *model;
	char *error = NULL;
	uint64_t cycles;
	bool ended = false;
	int code, status = make_model(coverage, scene, &model);

	if (status)
		return status;
	if (!model) {
		leave_out(coverage, batch);
		return TOOL_OK;
	}
	target = uncore_target_model(model);
	code = target ? uncore_session_open_with(target, batch->events,
						 batch->num, &options, &session,
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
		note_counts(coverage, session, batch->places, cycles);
		note_faults(coverage, scene, model);
	}
	uncore_session_close(session);
	uncore_target_free(target);
	coverage->num_runs++;
	return machine_free(model, status);
}

static int run_scene(struct coverage *coverage,
		     const struct coverage_scene *scene)
{
	struct batch batch;
	int status = TOOL_FAILED;

	if (batch_init(&batch, 2 * coverage->num_counts + 1))
		status = find_wanted(coverage, scene, &batch);
	else
		tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	if (!status && batch.num)
		status = run_events(coverage, scene, &batch);
	batch_free(&batch);
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

char *coverage_command(const struct coverage_scene *scene, unsigned cores)
{
	static const char *const names[] = { "--set", "--inject" };
	const char *texts[] = { scene->sets, scene->injects };
	char *workload = coverage_workload(scene, cores);
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
