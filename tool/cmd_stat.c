/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore stat`: count events while a program or a workload runs.
 */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "regions.h"
#include "report.h"
#include "stat_settings.h"
#include "uncore/uncore.h"

#define CLOCK "wbox/FIXED_CTR/"

/* Everything that must be undone at the end. */
struct stat {
	const struct stat_settings *settings;
	struct subject subject;
	struct report_event *events;
	size_t num_events;
	struct metric_list metrics;
	struct uncore_session *session;
	bool has_begun; /* to take turns */
	struct regions regions;
	int regions_status; /* an exit code: could not be counted */
};

static int add_event(struct stat *stat, const char *text, bool must_count)
{
	struct report_event *row = &stat->events[stat->num_events];
	const struct uncore_family *family =
		uncore_target_family(stat->subject.target);
	struct uncore_event *event = NULL;
	char *error = NULL;
	int code = uncore_event_parse(family, text, &event, &error);

	if (code)
		return tool_fail_with(code, error);
	row->event = event;
	stat->num_events++;
	code = uncore_session_can_count(stat->subject.target, event, &error);
	if (code == UNCORE_ERR_NOT_MODELLED && !must_count) {
		row->reason = error;
		return TOOL_OK;
	}
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static bool has_event(const struct stat *stat, const char *text)
{
	for (size_t i = 0; i < stat->num_events; i++)
		if (!strcmp(uncore_event_text(stat->events[i].event), text))
			return true;
	return false;
}

/* Events of metrics that the model does not have are left out, and said to be;
 * events that were asked for must be had. */
static int add_events(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	const char *text;
	int status = TOOL_OK;

	stat->events = calloc(settings->num_events +
				      metrics_most_events(&stat->metrics) + 2,
			      sizeof(*stat->events));
	if (!stat->events)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < settings->num_events && !status; i++)
		status = add_event(stat, settings->events[i], true);
	for (size_t m = 0; m < stat->metrics.num && !status; m++)
		for (size_t i = 0;
		     !status &&
		     (text = uncore_metrics_event(stat->metrics.set,
						  stat->metrics.chosen[m], i));
		     i++)
			if (!has_event(stat, text))
				status = add_event(stat, text, false);
	/* where nobody else can tell them, the clock counts the cycles */
	if (!status && stat->metrics.num && !stat->subject.is_modelled &&
	    !has_event(stat, CLOCK))
		status = add_event(stat, CLOCK, false);
	return status;
}

/* Without events and metrics those of the summary. */
static int open_metrics(struct stat *stat)
{
	const struct stat_settings *settings = stat->settings;
	const struct uncore_family *family =
		uncore_target_family(stat->subject.target);
	const char *words = settings->metrics;

	if (!words && settings->num_events)
		return TOOL_OK;
	return metrics_open(
		family, &settings->metric_files, words ? words : "summary",
		stat->subject.model ? &settings->subject.machine : NULL,
		&stat->metrics);
}

/* The seed of the workload is that of the order of turns, too. */
static uint64_t turn_seed(const char *seed)
{
	return seed ? strtoull(seed, NULL, 0) : 0;
}

static int open_session(struct stat *stat)
{
	struct uncore_event **events = calloc(
		stat->num_events ? stat->num_events : 1, sizeof(*events));
	struct uncore_session_options options = {
		.no_multiplex = stat->settings->no_multiplex,
		.takes_turns = stat->settings->takes_turns,
		.force = stat->settings->force,
		.seed = turn_seed(stat->settings->subject.seed),
	};
	struct metric_groups groups = { 0 };
	char *error = NULL;
	size_t num = 0;
	int code = 0;

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
	if (!metrics_groups(&stat->metrics, events, num, &groups))
		code = UNCORE_ERR_NO_MEMORY;
	options.groups = groups.groups;
	options.num_groups = groups.num;
	if (num && !code)
		code = uncore_session_open_with(stat->subject.target, events,
						num, &options, &stat->session,
						&error);
	free(groups.groups);
	free(groups.indices);
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

/* Of what takes turns nobody knows how much was in which region. */
static bool takes_turns(const struct stat *stat)
{
	const struct uncore_schedule *schedule =
		stat->session ? uncore_session_schedule(stat->session) : NULL;

	return schedule && uncore_schedule_slices(schedule) > 1;
}

/* What passed while it was counted. */
struct passed {
	double seconds;
	double elapsed; /* here, where a model's time passes */
	uint64_t cycles;
	uint64_t instructions; /* 0: not known */
};

static void print(const struct stat *stat, FILE *file,
		  const struct passed *passed, const struct region *region)
{
	double seconds = passed->seconds;
	const struct stat_settings *settings = stat->settings;
	const struct uncore_family *family =
		uncore_target_family(stat->subject.target);
	const struct report_output *output = &out_text;
	struct report report = {
		.machine = uncore_family_name(family),
		.origin = uncore_target_origin(stat->subject.target),
		.is_modelled = stat->subject.is_modelled,
		.what = stat->subject.what,
		.num_sockets = uncore_target_sockets(stat->subject.target),
		.family = family,
		.session = stat->session,
		.region = region,
		.regions = takes_turns(stat) || stat->regions_status
				   ? NULL
				   : &stat->regions,
		.events = stat->events,
		.num_events = stat->num_events,
		.metrics = &stat->metrics,
		.cycles = passed->cycles,
		.elapsed = passed->elapsed,
		.per_socket = settings->per_socket || settings->per_box,
		.per_box = settings->per_box,
		.summary = !settings->num_events,
		.offers = stat->metrics.offers,
		.separator = settings->separator,
		.faulty = settings->subject.machine.num_faults
				  ? stat->subject.model
				  : NULL,
	};

	report.run.seconds = seconds;
	report.run.cycles = (double)passed->cycles;
	report.run.clock_hz = seconds > 0 ? report.run.cycles / seconds : 0;
	report.run.instructions = (double)passed->instructions;
	if (settings->json)
		output = &out_json;
	else if (settings->separator)
		output = &out_csv;
	report_print(&report, output, file);
}

/* The next slice's turn; with one slice a read, so that a counter that wraps is
 * no loss. The first call is that of the start. Seconds until it is due
 * again. */
static double take_turn(void *context)
{
	struct stat *stat = context;

	if (!stat->session)
		return 0;
	if (stat->has_begun)
		uncore_session_rotate(stat->session, NULL);
	stat->has_begun = true;
	return uncore_session_turn_seconds(stat->session);
}

static struct region_time model_time(const struct stat *stat)
{
	return (struct region_time){
		.cycles = uncore_model_cycle(stat->subject.model),
		.instructions = uncore_model_instructions(stat->subject.model),
	};
}

/* A mark of the program is reached. A read costs the model no time. */
static void take_mark(void *context, const struct uncore_program_mark *mark)
{
	struct stat *stat = context;
	struct region_time now = model_time(stat);
	char *error = NULL;
	int code = 0;

	if (stat->regions_status || takes_turns(stat))
		return;
	if (stat->session)
		code = uncore_session_read(stat->session, &error);
	stat->regions.session = stat->session;
	stat->regions_status =
		code ? tool_fail_with(code, error)
		     : regions_mark(&stat->regions, mark, &now);
}

/* What is to be known before the run. */
static int check_region(const struct stat *stat)
{
	const struct subject_settings *settings = &stat->settings->subject;

	if (!settings->region || settings->replay || !takes_turns(stat))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "--region=%s: not all of it fits into the counters at "
			 "the same time, and of events that take turns nobody "
			 "knows what was in a region; give fewer ('uncore "
			 "schedule' shows which go together)",
			 settings->region);
}

/* The region that the report is to be about; NULL: the whole run. */
static int choose_region(struct stat *stat, const struct region **region)
{
	const struct subject_settings *settings = &stat->settings->subject;
	char *names;

	*region = NULL;
	if (stat->subject.run.num_marks && takes_turns(stat))
		tool_warn("note: regions are not counted: of events that take "
			  "turns nobody knows what was in which");
	if (!settings->region || settings->replay)
		return TOOL_OK;
	if (stat->regions_status)
		return stat->regions_status;
	*region = regions_find(&stat->regions, settings->region);
	if (*region)
		return TOOL_OK;
	if (!stat->regions.num)
		return tool_fail(TOOL_FAILED,
				 "--region=%s: the program entered no region "
				 "(uncore/mark.h)",
				 settings->region);
	names = regions_names(&stat->regions);
	tool_fail(TOOL_FAILED, "--region=%s: the program entered %s",
		  settings->region, names ? names : "others");
	free(names);
	return TOOL_FAILED;
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

/* How long it was since then, by whoever's clock can be had. */
static void end_of_run(struct stat *stat, uint64_t start_cycle,
		       struct passed *passed)
{
	double clock_hz = 0;

	passed->seconds = passed->elapsed;
	passed->cycles = counted_cycles(stat);
	if (subject_cycle(&stat->subject, &passed->cycles, &clock_hz)) {
		passed->cycles -= start_cycle;
		if (stat->session)
			uncore_session_cycles(stat->session, &passed->cycles);
		passed->seconds = (double)passed->cycles / clock_hz;
	}
	if (stat->subject.model) {
		struct region_time now = model_time(stat);

		passed->instructions = now.instructions - passed->instructions;
		regions_end(&stat->regions, &now);
	}
}

/* Counts from here to the end of the run; what was counted is printed even if
 * something failed on the way, unless the registers themselves are gone. */
static int count(struct stat *stat, FILE *file)
{
	uint64_t start_cycle = 0;
	struct passed passed = { 0 };
	double clock_hz = 0;
	const struct region *region;
	char *error = NULL;
	int code = 0, status, stopped = TOOL_OK, program = 0;

	if (stat->session)
		code = uncore_session_start(stat->session, &error);
	if (code)
		return tool_fail_with(code, error);
	subject_cycle(&stat->subject, &start_cycle, &clock_hz);
	if (stat->subject.model)
		passed.instructions = model_time(stat).instructions;
	status = run_all(&stat->subject.run, &program, &passed.elapsed);
	if (!*uncore_target_error(stat->subject.target))
		stopped = stop_and_read(stat);
	if (*uncore_target_error(stat->subject.target))
		return TOOL_FAILED;
	end_of_run(stat, start_cycle, &passed);
	code = choose_region(stat, &region);
	if (!code)
		print(stat, file, &passed, region);
	status = status ? status : stopped;
	status = status ? status : code ? code : stat->regions_status;
	return status ? status : program;
}

static int set_up(struct stat *stat)
{
	int status = stat_settings_check(stat->settings);

	if (!status)
		status = subject_open(&stat->subject, &stat->settings->subject,
				      "uncore stat");
	if (!status)
		status = open_metrics(stat);
	if (!status)
		status = add_events(stat);
	if (!status)
		status = open_session(stat);
	return status ? status : check_region(stat);
}

static int tear_down(struct stat *stat, int status)
{
	uncore_session_close(stat->session);
	for (size_t i = 0; i < stat->num_events; i++) {
		uncore_event_free((struct uncore_event *)stat->events[i].event);
		free(stat->events[i].reason);
	}
	free(stat->events);
	metrics_close(&stat->metrics);
	regions_free(&stat->regions);
	return subject_close(&stat->subject, status);
}

/* What a program prints stays its own. */
static int open_output(const struct stat_settings *settings, FILE **file)
{
	if (settings->log_fd)
		return tool_open_fd(settings->log_fd, file);
	if (settings->appends)
		return tool_append(settings->output, file);
	return tool_open(settings->output,
			 settings->subject.program ? stderr : stdout, file);
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
		status = open_output(&settings, &file);
	stat.subject.run.turn = take_turn;
	stat.subject.run.mark = take_mark;
	stat.subject.run.context = &stat;
	if (!status)
		status = subject_prepare(&stat.subject);
	if (!status)
		status = count(&stat, file);
	status = tear_down(&stat, status);
	if (file)
		status = tool_finish(status, file, settings.output);
	return status;
}
