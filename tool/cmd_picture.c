/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore model picture`: the modelled machine as a drawing, coloured by what a
 * workload or a program made of it.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "picture.h"
#include "run.h"
#include "tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

struct settings {
	struct machine_settings machine;
	const char *output;
	const char *workload;
	const char *cycles;
	const char *place;
	char **program;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row rows[] = {
	{ "output", 'o', "FILE", "Draw into FILE (default: standard output)",
	  AT(output) },
	OPTION_WORKLOAD(AT(workload)),
	{ "cycles", 0, "N", "Let the workload run N uncore cycles",
	  AT(cycles) },
	{ "place", 0, "HOW",
	  "Threads of a program on cores: compact (default) or scatter",
	  AT(place) },
	{ 0 },
};

static const struct options options = {
	.rows = rows,
	.words = "[--] PROGRAM [ARGUMENT...]\n--workload SPEC [--cycles N]\n",
	.help = "Draw the modelled machine as SVG: sockets, boxes, links and "
		"DIMMs, coloured by how busy they were."
		"\vWithout PROGRAM and --workload the machine is drawn at "
		"rest. Give a program an output file with -o, since it has "
		"the standard output.",
	.is_program = true,
	.words_at = offsetof(struct settings, program),
	.others = &machine_options,
	.others_at = offsetof(struct settings, machine),
	.others_title = "The modelled machine:",
	.others_group = 2,
};

static int check(const struct settings *settings)
{
	if (settings->program && settings->workload)
		return tool_fail(TOOL_USAGE, "give a PROGRAM or a --workload, "
					     "not both");
	if (settings->cycles && !settings->workload)
		return tool_fail(TOOL_USAGE, "--cycles is for workloads");
	return run_check_place(settings->place);
}

/* "uncore model picture ..." as it was typed, without the output. */
static char *name_run(const struct settings *settings)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	if (settings->workload)
		fprintf(file, "%s", settings->workload);
	for (char **word = settings->program; word && *word; word++)
		fprintf(file, "%s%s", word == settings->program ? "" : " ",
			*word);
	if (!settings->workload && !settings->program)
		fprintf(file, "idle");
	for (unsigned i = 0; i < settings->machine.sets.num; i++)
		fprintf(file, " --set %s", settings->machine.sets.list[i]);
	return fclose(file) ? NULL : text;
}

static int set_traffic(const struct settings *settings, struct run *run)
{
	unsigned long long cycles = 0;
	char *error = NULL;
	int code;

	if (settings->cycles &&
	    !tool_number("number of cycles", settings->cycles, &cycles))
		return TOOL_USAGE;
	if (settings->program) {
		run->argv = settings->program;
		return run_prepare_program(
			run, &(struct run_program){ .place = settings->place });
	}
	run->span.kind = settings->cycles ? SPAN_CYCLES : SPAN_TRAFFIC;
	run->span.cycles = cycles;
	code = uncore_model_set_workload(
		run->model, settings->workload ? settings->workload : "idle",
		&error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* Runs what was asked for while everything in the picture is counted. */
static int count(struct run *run, struct picture *picture,
		 struct uncore_session *session)
{
	uint64_t start = uncore_model_cycle(run->model);
	int status, program = 0, code;
	char *error = NULL;
	double wall;

	code = uncore_session_start(session, &error);
	if (code)
		return tool_fail_with(code, error);
	status = run_all(run, &program, &wall);
	code = uncore_session_stop(session, &error);
	if (!code)
		code = uncore_session_read(session, &error);
	if (code)
		return tool_fail_with(code, error);
	picture->seconds = (double)(uncore_model_cycle(run->model) - start) /
			   picture->clock_hz;
	if (picture->seconds <= 0)
		picture->seconds = 1e-9;
	picture_fill(picture, session);
	return status ? status : program;
}

static int draw(const struct settings *settings, struct picture *picture,
		struct uncore_model *model, FILE *file)
{
	struct run run = { .model = model };
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_session *session = NULL;
	int status;

	if (!target)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	run.span.target = target;
	status = set_traffic(settings, &run);
	if (!status)
		status = picture_open(picture, target, &session);
	if (!status) {
		status = count(&run, picture, session);
		picture_draw(picture, file);
	}
	run_free(&run);
	uncore_session_close(session);
	uncore_target_free(target);
	for (unsigned i = 0; i < PICTURE_EVENTS; i++)
		uncore_event_free(picture->events[i]);
	return status;
}

int cmd_picture(int argc, char **argv)
{
	struct settings settings = { 0 };
	struct picture *picture = calloc(1, sizeof(*picture));
	struct uncore_model *model = NULL;
	FILE *file = NULL;
	int status;

	/* The first word that is no option is the program. */
	options_parse(&options, argc, argv, ARGP_IN_ORDER, &settings);
	if (!picture)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	status = check(&settings);
	if (!status)
		status = machine_model(&settings.machine,
				       &(struct machine_how){ 0 }, &model);
	if (!status)
		status = picture_describe(picture, &settings.machine, model);
	picture->what = name_run(&settings);
	if (!status)
		status = tool_open(settings.output, stdout, &file);
	if (!status)
		status = draw(&settings, picture, model, file);
	status = machine_free(model, status);
	free(picture->what);
	free(picture);
	return file ? tool_finish(status, file, settings.output) : status;
}
