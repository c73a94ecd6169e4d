/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore stat`: count events while a program or a workload runs.
 */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "report.h"
#include "run.h"
#include "stat_settings.h"
#include "uncore/replay.h"
#include "uncore/uncore.h"
#include "where.h"

/* Everything that must be undone at the end. */
struct stat {
	const struct stat_settings *settings;
	struct uncore_model *model;
	struct uncore_target *target;
	struct report_event *events;
	size_t num_events;
	struct uncore_session *session;
	struct run run;
	char *what;
	bool is_modelled; /* here or elsewhere, and not counted by hardware */
};

static int set_workload(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	const char *spec = settings->workload;
	char *error = NULL;
	int code;

	if (settings->seed) {
		if (asprintf(&stat->what, "%s%cseed=%s", spec,
			     strchr(spec, ':') ? ',' : ':', settings->seed) < 0)
			stat->what = NULL;
	} else {
		stat->what = strdup(spec);
	}
	if (!stat->what)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	code = uncore_model_set_workload(stat->model, stat->what, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int name_span(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	int size;

	if (settings->cycles)
		size = asprintf(&stat->what, "%s cycles", settings->cycles);
	else if (settings->duration)
		size = asprintf(&stat->what, "%s seconds", settings->duration);
	else
		size = asprintf(&stat->what, "all traffic");
	if (size < 0)
		stat->what = NULL;
	return stat->what ? TOOL_OK
			  : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

static int name_program(struct stat *stat)
{
	size_t size = 1;

	if (!stat->settings->program)
		return name_span(stat);
	for (char **word = stat->settings->program; *word; word++)
		size += strlen(*word) + 1;
	stat->what = calloc(1, size);
	if (!stat->what)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (char **word = stat->settings->program; *word; word++) {
		if (word != stat->settings->program)
			strcat(stat->what, " ");
		strcat(stat->what, *word);
	}
	return TOOL_OK;
}

static int name_replay(struct stat *stat)
{
	stat->what = strdup(stat->settings->replay);
	return stat->what ? TOOL_OK
			  : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

static int open_model(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	int status;

	if (settings->replay)
		status = replay_open(settings->replay, settings->region,
				     &settings->machine, &stat->model,
				     &stat->run.replay);
	else
		status = machine_model(&settings->machine, false, &stat->model);
	stat->run.region = settings->region;
	if (status)
		return status;
	stat->run.model = stat->model;
	stat->is_modelled = true;
	stat->target = uncore_target_model(stat->model);
	if (!stat->target)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	if (settings->replay)
		return name_replay(stat);
	return settings->workload ? set_workload(stat) : name_program(stat);
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

static int set_span(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	struct span *span = &stat->run.span;
	unsigned long long cycles = 0;
	int status = TOOL_OK;

	if (settings->cycles &&
	    !tool_number("number of cycles", settings->cycles, &cycles))
		return TOOL_USAGE;
	span->target = stat->target;
	span->cycles = cycles;
	span->kind = settings->cycles	  ? SPAN_CYCLES
		     : settings->duration ? SPAN_SECONDS
					  : SPAN_TRAFFIC;
	if (settings->duration)
		status = set_duration(settings->duration, &span->seconds);
	if (!status && !stat->model && !settings->program)
		status = span_check(span);
	return status;
}

/* This machine's registers where they are asked for, or where nothing speaks
 * of a model and the processor has them. */
static int open_target(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	struct uncore_target_status found;
	char *error = NULL;

	if (stat_settings_want_model(settings))
		return open_model(stat);
	stat->target = where_open(settings->on ? settings->on : "msr", &error);
	if (stat->target) {
		free(error);
		stat->is_modelled =
			uncore_target_status(stat->target, &found) !=
			UNCORE_ERR_STATE;
		return name_program(stat);
	}
	if (settings->on)
		return tool_fail_with(UNCORE_ERR_NO_HARDWARE, error);
	free(error);
	return open_model(stat);
}

static int add_event(struct stat *stat, const char *text, bool must_count)
{
	struct report_event *row = &stat->events[stat->num_events];
	const struct uncore_family *family = uncore_target_family(stat->target);
	struct uncore_event *event = NULL;
	char *error = NULL;
	int code = uncore_event_parse(family, text, &event, &error);

	if (code)
		return tool_fail_with(code, error);
	row->event = event;
	stat->num_events++;
	code = uncore_session_can_count(stat->target, event, &error);
	if (code == UNCORE_ERR_NOT_MODELLED && !must_count) {
		row->reason = error;
		return TOOL_OK;
	}
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* Events of the summary that the model does not have yet are left out, and said
 * to be; events that were asked for must be had. */
static int add_events(struct stat *stat)
{
	const struct uncore_family *family = uncore_target_family(stat->target);
	const struct stat_settings *settings = stat->settings;
	const char *text;
	size_t num = settings->num_events;
	int status = TOOL_OK;

	if (!num)
		while (uncore_metric_event(family, num))
			num++;
	stat->events = calloc(num ? num : 1, sizeof(*stat->events));
	if (!stat->events)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < num && !status; i++) {
		text = settings->num_events ? settings->events[i]
					    : uncore_metric_event(family, i);
		status = add_event(stat, text, settings->num_events);
	}
	return status;
}

static int open_session(struct stat *stat)
{
	struct uncore_event **events = calloc(
		stat->num_events ? stat->num_events : 1, sizeof(*events));
	char *error = NULL;
	size_t num = 0;
	int code;

	if (!events)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < stat->num_events; i++) {
		const char *why = uncore_event_excluded(stat->events[i].event);

		if (stat->events[i].reason)
			continue;
		if (why)
			tool_warn("warning: %s: %s",
				  uncore_event_text(stat->events[i].event),
				  why);
		events[num++] = (struct uncore_event *)stat->events[i].event;
	}
	code = num ? uncore_session_open(stat->target, events, num,
					 &stat->session, &error)
		   : 0;
	free(events);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* On real hardware the fixed counter tells the cycles, where it was counted. */
static uint64_t counted_cycles(const struct stat *stat)
{
	struct uncore_count count;

	for (size_t i = 0;
	     stat->session && uncore_session_count(stat->session, i, &count);
	     i++)
		if (uncore_event_name(count.event) &&
		    !strcmp(uncore_event_name(count.event), "FIXED_CTR"))
			return count.value;
	return 0;
}

static void print(const struct stat *stat, FILE *file, double seconds,
		  uint64_t cycles)
{
	const struct stat_settings *settings = stat->settings;
	const struct uncore_family *family = uncore_target_family(stat->target);
	const struct report_output *output = &out_text;
	struct report report = {
		.machine = uncore_family_name(family),
		.origin = uncore_target_origin(stat->target),
		.is_modelled = stat->is_modelled,
		.what = stat->what,
		.num_sockets = uncore_target_sockets(stat->target),
		.family = family,
		.session = stat->session,
		.events = stat->events,
		.num_events = stat->num_events,
		.cycles = cycles,
		.per_socket = settings->per_socket || settings->per_box,
		.per_box = settings->per_box,
		.summary = !settings->num_events,
		.separator = settings->separator,
		.faulty = settings->machine.num_faults ? stat->model : NULL,
	};

	report.run.seconds = seconds;
	report.run.cycles = (double)cycles;
	report.run.clock_hz = seconds > 0 ? (double)cycles / seconds : 0;
	if (settings->json)
		output = &out_json;
	else if (settings->separator)
		output = &out_csv;
	report_print(&report, output, file);
}

/* Reads in between, so that a counter that wraps is no loss. */
static void read_counts(void *context)
{
	struct stat *stat = context;

	if (stat->session)
		uncore_session_read(stat->session, NULL);
}

/* The cycle of the model, wherever it is; false on real hardware. */
static bool model_cycle(const struct stat *stat, uint64_t *cycle,
			double *clock_hz)
{
	struct uncore_target_status status;

	if (stat->model) {
		*cycle = uncore_model_cycle(stat->model);
		*clock_hz = uncore_model_clock_hz(stat->model);
		return true;
	}
	if (uncore_target_status(stat->target, &status))
		return false;
	*cycle = status.cycle;
	*clock_hz = status.clock_hz;
	return true;
}

static int stop_and_read(struct stat *stat)
{
	char *error = NULL;
	int code;

	if (!stat->session)
		return TOOL_OK;
	code = uncore_session_stop(stat->session, &error);
	if (!code)
		code = uncore_session_read(stat->session, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* Counts from here to the end of the run; what was counted is printed even if
 * something failed on the way, unless the registers themselves are gone. */
static int count(struct stat *stat, FILE *file)
{
	uint64_t start_cycle = 0, cycles;
	double seconds, clock_hz = 0;
	char *error = NULL;
	int code = 0, status, stopped = TOOL_OK, program = 0;
	bool has_cycle;

	if (stat->session)
		code = uncore_session_start(stat->session, &error);
	if (code)
		return tool_fail_with(code, error);
	has_cycle = model_cycle(stat, &start_cycle, &clock_hz);
	status = run_all(&stat->run, &program, &seconds);
	if (!*uncore_target_error(stat->target))
		stopped = stop_and_read(stat);
	if (*uncore_target_error(stat->target))
		return TOOL_FAILED;
	cycles = counted_cycles(stat);
	if (has_cycle && model_cycle(stat, &cycles, &clock_hz)) {
		cycles -= start_cycle;
		if (stat->session)
			uncore_session_cycles(stat->session, &cycles);
		seconds = (double)cycles / clock_hz;
	}
	print(stat, file, seconds, cycles);
	status = status ? status : stopped;
	return status ? status : program;
}

static int set_up(struct stat *stat)
{
	int status = stat_settings_check(stat->settings);

	if (!status)
		status = open_target(stat);
	if (!status)
		status = set_span(stat);
	if (!status)
		status = add_events(stat);
	if (!status)
		status = open_session(stat);
	return status;
}

static int tear_down(struct stat *stat, int status)
{
	run_free(&stat->run);
	uncore_session_close(stat->session);
	for (size_t i = 0; i < stat->num_events; i++) {
		uncore_event_free((struct uncore_event *)stat->events[i].event);
		free(stat->events[i].reason);
	}
	free(stat->events);
	uncore_target_free(stat->target);
	free(stat->what);
	return machine_free(stat->model, status);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_settings settings = { 0 };
	struct stat stat = { .settings = &settings };
	FILE *file = NULL;
	int status;

	/* The first word that is no option is the program. */
	argp_parse(&stat_argp, argc, argv, ARGP_IN_ORDER, NULL, &settings);
	status = set_up(&stat);
	if (!status)
		status = tool_open(settings.output, stdout, &file);
	stat.run.argv = settings.program;
	stat.run.tick = read_counts;
	stat.run.context = &stat;
	if (!status && stat.model && settings.program)
		status = run_prepare_program(
			&stat.run,
			settings.place && !strcmp(settings.place, "scatter"));
	if (!status)
		status = count(&stat, file);
	status = tear_down(&stat, status);
	if (file)
		status = tool_finish(status, file, settings.output);
	return status;
}