/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Opens what is to be looked at, from options that go together.
 */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/guest.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

static int set_workload(struct target *target)
{
	const struct target_settings *settings = target->settings;
	const char *spec = settings->workload;
	char *error = NULL;
	int code;

	target->what = settings->seed
			       ? tool_print("%s%cseed=%s", spec,
					    strchr(spec, ':') ? ',' : ':',
					    settings->seed)
			       : tool_copy(spec);
	code = uncore_model_set_workload(target->model, target->what, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

char *target_join(char **words)
{
	char *text = NULL;
	FILE *file = tool_text(&text);

	for (char **word = words; *word; word++)
		fprintf(file, "%s%s", word == words ? "" : " ", *word);
	fclose(file);
	return text;
}

/* What passes, in words. */
static void name_it(struct target *target)
{
	const struct target_settings *settings = target->settings;

	if (settings->replay)
		target->what = tool_copy(settings->replay);
	else if (settings->program)
		target->what = target_join(settings->program);
	else if (settings->cycles)
		target->what = tool_print("%s cycles", settings->cycles);
	else if (settings->duration)
		target->what = tool_print("%s seconds", settings->duration);
	else
		target->what = tool_copy("all traffic");
}

static int open_model(struct target *target)
{
	const struct target_settings *settings = target->settings;
	int status;

	if (settings->replay)
		status = replay_open(settings->replay, settings->region,
				     &settings->machine, &target->model,
				     &target->run.replay);
	else
		status = machine_model(&settings->machine,
				       &(struct machine_how){ 0 },
				       &target->model);
	target->run.region = settings->region;
	if (status)
		return status;
	target->run.model = target->model;
	target->is_modelled = true;
	target->registers = uncore_target_model(target->model);
	if (!target->registers)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	if (settings->workload)
		return set_workload(target);
	name_it(target);
	return TOOL_OK;
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

static int set_span(struct target *target)
{
	const struct target_settings *settings = target->settings;
	struct native *native = &target->run.native;
	unsigned long long cycles = 0;
	int status = TOOL_OK;

	if (settings->cycles &&
	    !tool_number("number of cycles", settings->cycles, &cycles))
		return TOOL_USAGE;
	native->target = target->registers;
	native->cycles = cycles;
	native->kind = settings->cycles	    ? NATIVE_CYCLES
		       : settings->duration ? NATIVE_SECONDS
					    : NATIVE_TRAFFIC;
	if (settings->duration)
		status = set_duration(settings->duration, &native->seconds);
	if (!status && !target->model && !settings->program)
		status = native_check(native);
	return status;
}

/* The kernel's PMUs with names of a list. */
static struct uncore_target *
open_with_names(const struct target_settings *settings, char **error)
{
	char *where =
		tool_print("%s,events=%s", settings->on ? settings->on : "perf",
			   settings->events);
	struct uncore_target *target = where_open(where, error);

	free(where);
	return target;
}

/* What is asked for, or the best that this machine has where nothing speaks of
 * a model. */
static int open_target(struct target *target)
{
	const struct target_settings *settings = target->settings;
	struct uncore_target_status found;
	char *error = NULL;

	if (target_wants_model(settings))
		return open_model(target);
	if (settings->events)
		target->registers = open_with_names(settings, &error);
	else if (settings->on)
		target->registers = where_open(settings->on, &error);
	else
		target->registers =
			choice_open(&target->wish, &target->because);
	if (target->registers) {
		tool_note_family(uncore_target_family(target->registers));
		target->is_modelled =
			uncore_target_status(target->registers, &found) !=
			UNCORE_ERR_STATE;
		name_it(target);
		return TOOL_OK;
	}
	if (settings->on || settings->events)
		return tool_fail_with(UNCORE_ERR_NO_HARDWARE, error);
	if (!settings->program)
		return tool_fail(TOOL_USAGE,
				 "nothing real can be counted here ('uncore "
				 "doctor' says why); for the model name a "
				 "PROGRAM to run, or a --workload");
	return open_model(target);
}

bool target_cycle(const struct target *target, uint64_t *cycle,
		  double *clock_hz)
{
	struct uncore_target_status status;

	if (target->model) {
		*cycle = uncore_model_cycle(target->model);
		*clock_hz = uncore_model_clock_hz(target->model);
		return true;
	}
	if (uncore_target_status(target->registers, &status))
		return false;
	*cycle = status.cycle;
	*clock_hz = status.clock_hz;
	return true;
}

double target_seconds(const struct target *target)
{
	double clock_hz;
	uint64_t cycle;

	return target_cycle(target, &cycle, &clock_hz)
		       ? (double)cycle / clock_hz
		       : wall_seconds();
}

struct uncore_metric_run target_now(const struct target *target)
{
	struct uncore_metric_run now = { .seconds = target_seconds(target) };
	uint64_t cycle;

	if (target_cycle(target, &cycle, &now.clock_hz))
		now.cycles = (double)cycle;
	if (target->model)
		now.instructions =
			(double)uncore_model_instructions(target->model);
	return now;
}

struct uncore_metric_run target_since(const struct uncore_metric_run *then,
				      const struct uncore_metric_run *now)
{
	return (struct uncore_metric_run){
		.seconds = now->seconds - then->seconds,
		.cycles = now->cycles - then->cycles,
		.clock_hz = now->clock_hz,
		.instructions = now->instructions - then->instructions,
	};
}

int target_open(struct target *target, const struct target_settings *settings,
		const char *command)
{
	int status = target_settings_check(settings, command);

	target->settings = settings;
	if (!status)
		status = open_target(target);
	if (!status)
		status = set_span(target);
	target->run.argv = settings->program;
	target->run.hides_progress = settings->hides_progress;
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

/* The words that make another command's run the same, up to NULL. */
static void tell_options(const struct target *target, const char **at)
{
	const struct target_settings *settings = target->settings;
	const struct machine_settings *of = &settings->machine;
	const struct run_program *how = &settings->how;

	at = tell(at, "-m", settings->machine.machine);
	at = tell(at, "-N", of->sockets);
	for (size_t i = 0; i < of->sets.num; i++)
		at = tell(at, "-S", of->sets.list[i]);
	for (size_t i = 0; i < of->faults.num; i++)
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
	at = tell(at, "-w", settings->workload);
	*at = NULL;
}

const char *target_machine(const struct target *target)
{
	return target->model ? uncore_model_machine(target->model)
			     : uncore_family_name(
				       uncore_target_family(target->registers));
}

int target_prepare(struct target *target)
{
	struct run_program how = target->settings->how;
	unsigned long long seed = 0;

	run_catch_signals(&target->run);
	if (!target->model)
		return TOOL_OK;
	tell_options(target, target->same);
	target->run.options = target->same;
	if (!target->settings->program)
		return TOOL_OK;
	if (!how.seed && target->settings->seed &&
	    !tool_number("seed", target->settings->seed, &seed))
		return TOOL_USAGE;
	if (seed)
		how.seed = seed;
	return run_prepare_program(&target->run, &how);
}

int target_close(struct target *target, int status)
{
	run_free(&target->run);
	uncore_target_free(target->registers);
	free(target->what);
	free(target->because);
	return machine_free(target->model, status);
}
