/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Opens what is to be looked at, from options that go together.
 */
#include "subject.h"

#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "tool.h"
#include "uncore/guest.h"
#include "uncore/model.h"
#include "uncore/uncore.h"
#include "where.h"

static int set_workload(struct subject *subject)
{
	const struct subject_settings *settings = subject->settings;
	const char *spec = settings->workload;
	char *error = NULL;
	int code;

	subject->what = settings->seed
				? tool_print("%s%cseed=%s", spec,
					     strchr(spec, ':') ? ',' : ':',
					     settings->seed)
				: strdup(spec);
	if (!subject->what)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	code = uncore_model_set_workload(subject->model, subject->what, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

char *subject_join(char **words)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (char **word = words; file && *word; word++)
		fprintf(file, "%s%s", word == words ? "" : " ", *word);
	return file && !fclose(file) ? text : NULL;
}

/* What passes, in words. */
static int name_it(struct subject *subject)
{
	const struct subject_settings *settings = subject->settings;

	if (settings->replay)
		subject->what = strdup(settings->replay);
	else if (settings->program)
		subject->what = subject_join(settings->program);
	else if (settings->cycles)
		subject->what = tool_print("%s cycles", settings->cycles);
	else if (settings->duration)
		subject->what = tool_print("%s seconds", settings->duration);
	else
		subject->what = strdup("all traffic");
	return subject->what ? TOOL_OK
			     : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

static int open_model(struct subject *subject)
{
	const struct subject_settings *settings = subject->settings;
	int status;

	if (settings->replay)
		status = replay_open(settings->replay, settings->region,
				     &settings->machine, &subject->model,
				     &subject->run.replay);
	else
		status = machine_model(&settings->machine,
				       &(struct machine_how){ 0 },
				       &subject->model);
	subject->run.region = settings->region;
	if (status)
		return status;
	subject->run.model = subject->model;
	subject->is_modelled = true;
	subject->target = uncore_target_model(subject->model);
	if (!subject->target)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	return settings->workload ? set_workload(subject) : name_it(subject);
}

static int set_duration(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (end != text && !*end && *seconds >= 0 && *seconds < 1e9)
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "--duration=%s: that is no number of seconds", text);
}

static int set_span(struct subject *subject)
{
	const struct subject_settings *settings = subject->settings;
	struct span *span = &subject->run.span;
	unsigned long long cycles = 0;
	int status = TOOL_OK;

	if (settings->cycles &&
	    !tool_number("number of cycles", settings->cycles, &cycles))
		return TOOL_USAGE;
	span->target = subject->target;
	span->cycles = cycles;
	span->kind = settings->cycles	  ? SPAN_CYCLES
		     : settings->duration ? SPAN_SECONDS
					  : SPAN_TRAFFIC;
	if (settings->duration)
		status = set_duration(settings->duration, &span->seconds);
	if (!status && !subject->model && !settings->program)
		status = span_check(span);
	return status;
}

/* The kernel's PMUs with names of a list. */
static struct uncore_target *
open_with_names(const struct subject_settings *settings, char **error)
{
	char *where =
		tool_print("%s,events=%s", settings->on ? settings->on : "perf",
			   settings->events);
	struct uncore_target *target = where ? where_open(where, error) : NULL;

	free(where);
	return target;
}

/* What is asked for, or the best that this machine has where nothing speaks of
 * a model. */
static int open_target(struct subject *subject)
{
	const struct subject_settings *settings = subject->settings;
	struct uncore_target_status found;
	char *error = NULL;

	if (subject_wants_model(settings))
		return open_model(subject);
	if (settings->events)
		subject->target = open_with_names(settings, &error);
	else if (settings->on)
		subject->target = where_open(settings->on, &error);
	else
		subject->target =
			choice_open(&subject->wish, &subject->because);
	if (subject->target) {
		tool_note_family(uncore_target_family(subject->target));
		subject->is_modelled =
			uncore_target_status(subject->target, &found) !=
			UNCORE_ERR_STATE;
		return name_it(subject);
	}
	if (settings->on || settings->events)
		return tool_fail_with(UNCORE_ERR_NO_HARDWARE, error);
	if (!settings->program)
		return tool_fail(TOOL_USAGE,
				 "nothing real can be counted here ('uncore "
				 "doctor' says why); for the model name a "
				 "PROGRAM to run, or a --workload");
	return open_model(subject);
}

bool subject_cycle(const struct subject *subject, uint64_t *cycle,
		   double *clock_hz)
{
	struct uncore_target_status status;

	if (subject->model) {
		*cycle = uncore_model_cycle(subject->model);
		*clock_hz = uncore_model_clock_hz(subject->model);
		return true;
	}
	if (uncore_target_status(subject->target, &status))
		return false;
	*cycle = status.cycle;
	*clock_hz = status.clock_hz;
	return true;
}

double subject_seconds(const struct subject *subject)
{
	double clock_hz;
	uint64_t cycle;

	return subject_cycle(subject, &cycle, &clock_hz)
		       ? (double)cycle / clock_hz
		       : span_now_seconds();
}

struct uncore_metric_run subject_now(const struct subject *subject)
{
	struct uncore_metric_run now = { .seconds = subject_seconds(subject) };
	uint64_t cycle;

	if (subject_cycle(subject, &cycle, &now.clock_hz))
		now.cycles = (double)cycle;
	if (subject->model)
		now.instructions =
			(double)uncore_model_instructions(subject->model);
	return now;
}

struct uncore_metric_run subject_since(const struct uncore_metric_run *then,
				       const struct uncore_metric_run *now)
{
	return (struct uncore_metric_run){
		.seconds = now->seconds - then->seconds,
		.cycles = now->cycles - then->cycles,
		.clock_hz = now->clock_hz,
		.instructions = now->instructions - then->instructions,
	};
}

int subject_open(struct subject *subject,
		 const struct subject_settings *settings, const char *command)
{
	int status = subject_settings_check(settings, command);

	subject->settings = settings;
	if (!status)
		status = open_target(subject);
	if (!status)
		status = set_span(subject);
	subject->run.argv = settings->program;
	subject->run.hides_progress = settings->hides_progress;
	subject->run.hides_sharing = settings->hides_sharing;
	return status;
}

static const char **tell(const char **at, const char *option, const char *value)
{
	if (value) {
		*at++ = option;
		*at++ = value;
	}
	return at;
}

static const char **tell_flag(const char **at, const char *option, bool is_set)
{
	if (is_set)
		*at++ = option;
	return at;
}

/* The words that make another command's run the same, up to NULL. Who asks for
 * them looks at a machine that has interrupts on overflow: of the others the
 * machine and its parameters stay away. */
static void tell_options(const struct subject_settings *settings,
			 const char *machine, const char **at)
{
	const struct machine_settings *of = &settings->machine;
	const struct run_program *how = &settings->how;
	bool is_other = !strcmp(machine, "xeon-e5-2600");

	at = tell(at, "-m", strcmp(machine, "xeon-7500") ? NULL : machine);
	at = tell(at, "-N", of->sockets);
	for (size_t i = 0; i < of->sets.num && !is_other; i++)
		at = tell(at, "-S", of->sets.list[i]);
	for (size_t i = 0; i < of->faults.num && !is_other; i++)
		at = tell(at, "--inject", of->faults.list[i]);
	at = tell(at, "--seed", settings->seed);
	at = tell(at, "--place", how->place);
	at = tell_flag(at, "--host-cpuid", how->keeps_cpuid);
	at = tell_flag(at, "--kernel-copies", how->counts_kernel);
	at = tell_flag(at, "--start-off", how->starts_off);
	at = tell(at, "--clock",
		  how->clock ? clock_word_name(how->clock) : NULL);
	at = tell(at, "--cpus", how->cpus);
	at = tell_flag(at, "--repeatable", how->repeats_random);
	*at = NULL;
}

int subject_prepare(struct subject *subject)
{
	struct run_program how = subject->settings->how;
	unsigned long long seed = 0;

	run_catch_signals(&subject->run);
	if (!subject->model || !subject->settings->program)
		return TOOL_OK;
	if (!how.seed && subject->settings->seed &&
	    !tool_number("seed", subject->settings->seed, &seed))
		return TOOL_USAGE;
	if (seed)
		how.seed = seed;
	tell_options(subject->settings, uncore_model_machine(subject->model),
		     subject->same);
	subject->run.options = subject->same;
	return run_prepare_program(&subject->run, &how);
}

int subject_close(struct subject *subject, int status)
{
	run_free(&subject->run);
	uncore_target_free(subject->target);
	free(subject->what);
	free(subject->because);
	return machine_free(subject->model, status);
}
