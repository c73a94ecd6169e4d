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
#include "repeats.h"
#include "report.h"
#include "schedule_print.h"
#include "stat_settings.h"
#include "sweep.h"
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
	struct stat_time time;
	struct passed {
		struct region_time since; /* the start of counting */
		double elapsed;		  /* here, in real time */
	} passed;
	struct regions regions;
	int regions_status; /* an exit code: could not be counted */
	struct regions laps; /* of -I: one region, again and again */
	uint64_t num_laps;
	struct repeats *repeats;
	int exit_status; /* of the program */
	FILE *file; /* that all is printed to */
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
	if (stat->subject.model && !strcmp(uncore_event_box(event), "cbox") &&
	    uncore_event_instance(event) >=
		    (int)uncore_model_cores(stat->subject.model))
		return tool_fail(TOOL_USAGE,
				 "'%s': this model has %u cores in a socket, "
				 "and C-Boxes 0 to %u ('--set cores')",
				 text,
				 uncore_model_cores(stat->subject.model),
				 uncore_model_cores(stat->subject.model) - 1);
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

	stat->events = calloc(settings->events.num +
				      metrics_most_events(&stat->metrics) + 2,
			      sizeof(*stat->events));
	if (!stat->events)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t i = 0; i < settings->events.num && !status; i++)
		status = add_event(stat, settings->events.events[i], true);
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

	if (!words && settings->events.num)
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

/* Groups of -e, whose events come first and are all counted, behind those of
 * the metrics. Both arrays are to be freed with free(). */
static bool join_groups(const struct stat *stat,
			const struct metric_groups *metrics,
			struct metric_groups *joined)
{
	const struct event_list *list = &stat->settings->events;

	*joined = (struct metric_groups){
		.groups = calloc(metrics->num + list->num_groups + 1,
				 sizeof(*joined->groups)),
		.num = metrics->num + list->num_groups,
		.indices = calloc(list->num + 1, sizeof(*joined->indices)),
	};
	if (!joined->groups || !joined->indices)
		return false;
	for (size_t i = 0; i < list->num; i++)
		joined->indices[i] = i;
	for (size_t i = 0; i < metrics->num; i++)
		joined->groups[i] = metrics->groups[i];
	for (size_t i = 0; i < list->num_groups; i++)
		joined->groups[metrics->num + i] = (struct uncore_group){
			.events = joined->indices + list->groups[i].first,
			.num_events = list->groups[i].num,
		};
	return true;
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
	struct metric_groups groups = { 0 }, joined = { 0 };
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
	if (!metrics_groups(&stat->metrics, events, num, &groups) ||
	    !join_groups(stat, &groups, &joined))
		code = UNCORE_ERR_NO_MEMORY;
	options.groups = joined.groups;
	options.num_groups = joined.num;
	if (num && !code)
		code = uncore_session_open_with(stat->subject.target, events,
						num, &options, &stat->session,
						&error);
	free(groups.groups);
	free(groups.indices);
	free(joined.groups);
	free(joined.indices);
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

/* All that is known of what passed so far. */
static void fill_report(const struct stat *stat, const struct region *region,
			struct report *report)
{
	const struct stat_settings *settings = stat->settings;
	const struct uncore_family *family =
		uncore_target_family(stat->subject.target);
	const struct region_time *since = &stat->passed.since;

	*report = (struct report){
		.machine = uncore_family_name(family),
		.origin = uncore_target_origin(stat->subject.target),
		.is_modelled = stat->subject.is_modelled,
		.what = stat->subject.what,
		.num_sockets = uncore_target_sockets(stat->subject.target),
		.family = family,
		.session = stat->session,
		.region = region,
		.regions = takes_turns(stat) || stat->regions_status ||
					   stat->repeats
				   ? NULL
				   : &stat->regions,
		.repeats = stat->repeats,
		.events = stat->events,
		.num_events = stat->num_events,
		.metrics = &stat->metrics,
		.cycles = since->cycles,
		.elapsed = stat->passed.elapsed,
		.per_socket = settings->per_socket || settings->per_box,
		.per_box = settings->per_box,
		.summary = !settings->events.num,
		.offers = stat->metrics.offers,
		.separator = settings->separator,
		.faulty = settings->subject.machine.num_faults
				  ? stat->subject.model
				  : NULL,
	};
	report->run.seconds = since->seconds;
	report->run.cycles = (double)since->cycles;
	report->run.clock_hz = since->seconds > 0
				       ? report->run.cycles / since->seconds
				       : 0;
	report->run.instructions = (double)since->instructions;
}

static const struct report_output *output_of(const struct stat *stat)
{
	if (stat->settings->json)
		return &out_json;
	return stat->settings->separator ? &out_csv : &out_text;
}

static void print(const struct stat *stat, const struct region *region)
{
	struct report report;

	fill_report(stat, region, &report);
	if (stat->repeats)
		stat->repeats->is_over = run_was_interrupted();
	if (stat->repeats && !repeats_is_last(stat->repeats))
		report_take(&report, output_of(stat));
	else
		report_print(&report, output_of(stat), stat->file);
}

/* How far the run has come, by whoever's clock can be had. */
static struct region_time time_now(const struct stat *stat)
{
	struct region_time now = { 0 };
	double clock_hz;

	if (subject_cycle(&stat->subject, &now.cycles, &clock_hz))
		now.seconds = (double)now.cycles / clock_hz;
	else
		now.seconds = (double)span_now_ns() / 1e9;
	if (stat->subject.model)
		now.instructions =
			uncore_model_instructions(stat->subject.model);
	return now;
}

static int begin_counting(void *context)
{
	struct stat *stat = context;
	char *error = NULL;
	int code = 0;

	if (stat->session)
		code = uncore_session_start(stat->session, &error);
	if (code)
		return tool_fail_with(code, error);
	stat->passed.since = time_now(stat);
	stat->laps.session = stat->session;
	return stat->settings->interval
		       ? regions_enter(&stat->laps, "", &stat->passed.since)
		       : TOOL_OK;
}

/* An interval is over; the session was read. */
static void print_lap(struct stat *stat, bool is_last)
{
	struct region_time now = time_now(stat);
	struct region *lap = stat->laps.list;
	struct report report;

	regions_end(&stat->laps, &now);
	fill_report(stat, NULL, &report);
	report.regions = &stat->laps;
	report.time = stat_time_now(&stat->time);
	report.is_first_lap = !stat->num_laps++;
	report.is_last_lap = is_last;
	report_lap(&report, output_of(stat), stat->file, lap);
	regions_clear(&stat->laps, lap);
	regions_enter(&stat->laps, "", &now);
}

static int end_lap(void *context)
{
	struct stat *stat = context;
	char *error = NULL;
	int code = stat->session ? uncore_session_read(stat->session, &error)
				 : 0;

	if (code)
		return tool_fail_with(code, error);
	print_lap(stat, false);
	return TOOL_OK;
}

/* A mark of the program is reached. A read costs the model no time. */
static void take_mark(void *context, const struct uncore_program_mark *mark)
{
	struct stat_time *time = context;
	struct stat *stat = time->context;
	struct region_time now = time_now(stat);
	char *error = NULL;
	int code = 0;

	if (stat->regions_status || takes_turns(stat) || !time->counts)
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

	if (!takes_turns(stat))
		return TOOL_OK;
	if (stat->settings->interval)
		return tool_fail(TOOL_USAGE,
				 "-I: not all of it fits into the counters at "
				 "the same time, and of events that take turns "
				 "nobody knows what was in an interval; give "
				 "fewer, or 'uncore record -I', whose "
				 "intervals hold what their turns saw");
	if (!settings->region || settings->replay)
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

/* How much it was since counting began. On real hardware the fixed counter
 * tells the cycles, where it was counted. */
static void end_of_run(struct stat *stat)
{
	struct region_time *since = &stat->passed.since;
	struct region_time now = time_now(stat);
	double clock_hz;

	regions_end(&stat->regions, &now);
	now.seconds -= since->seconds;
	now.instructions -= since->instructions;
	if (subject_cycle(&stat->subject, &now.cycles, &clock_hz)) {
		now.cycles -= since->cycles;
		if (stat->session)
			uncore_session_cycles(stat->session, &now.cycles);
		now.seconds = (double)now.cycles / clock_hz;
	} else {
		now.cycles = counted_cycles(stat);
	}
	*since = now;
}

/* What was counted is printed even if something failed on the way, unless the
 * registers themselves are gone. */
static int count(struct stat *stat)
{
	const struct region *region;
	int code, status, stopped = TOOL_OK;

	status = stat_time_start(&stat->time);
	if (status)
		return status;
	status = run_all(&stat->subject.run, &stat->exit_status,
			 &stat->passed.elapsed);
	if (!stat->time.counts)
		return tool_fail(TOOL_FAILED, "it was over before --delay %s "
					      "was: nothing was counted",
				 stat->settings->delay);
	if (!*uncore_target_error(stat->subject.target))
		stopped = stop_and_read(stat);
	if (*uncore_target_error(stat->subject.target))
		return TOOL_FAILED;
	end_of_run(stat);
	code = choose_region(stat, &region);
	if (stat->settings->interval)
		print_lap(stat, true);
	else if (!code)
		print(stat, region);
	status = status ? status : stopped;
	status = status ? status : stat->time.status;
	return status ? status : code ? code : stat->regions_status;
}

static int set_up(struct stat *stat)
{
	int status = subject_open(&stat->subject, &stat->settings->subject,
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
	regions_free(&stat->laps);
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

/* What is written where, before anything runs. */
static void show_plan(const struct stat *stat)
{
	struct uncore_event **events =
		calloc(stat->num_events + 1, sizeof(*events));
	struct shown_schedule shown = {
		.file = stat->file,
		.family = uncore_target_family(stat->subject.target),
		.events = events,
	};

	if (!events || !stat->session)
		goto out;
	shown.schedule = uncore_session_schedule(stat->session);
	for (size_t i = 0; i < stat->num_events; i++)
		if (!stat->events[i].reason)
			events[shown.num_events++] =
				(struct uncore_event *)stat->events[i].event;
	if (shown.schedule)
		schedule_print_text(&shown);
	fflush(stat->file);
out:
	free(events);
}

static int run(struct stat *stat)
{
	struct stat_time *time = &stat->time;
	int status = set_up(stat);

	*time = (struct stat_time){
		.asked = &stat->settings->times,
		.subject = &stat->subject,
		.session = stat->session,
		.begin = begin_counting,
		.lap = end_lap,
		.context = stat,
	};
	stat->subject.run.turn = stat_time_pass;
	stat->subject.run.mark = take_mark;
	stat->subject.run.context = time;
	if (!status && !stat->file)
		status = open_output(stat->settings, &stat->file);
	if (!status && stat->settings->is_verbose)
		show_plan(stat);
	if (!status)
		status = subject_prepare(&stat->subject);
	if (!status)
		status = count(stat);
	return tear_down(stat, status);
}

/* Each run has a seed of its own, unless the workload names one. */
static int run_again_and_again(struct stat_settings *settings, FILE **file)
{
	struct subject_settings *subject = &settings->subject;
	uint64_t seed = subject->seed ? strtoull(subject->seed, NULL, 0) : 1;
	bool has_seeds = subject->workload &&
			 !strstr(subject->workload, "seed=");
	struct repeats repeats = { .num = settings->runs };
	char text[24];
	int status = TOOL_OK, exit_status = 0;

	for (unsigned i = 0; i < repeats.num && !status; i++) {
		struct stat stat = {
			.settings = settings,
			.repeats = repeats.num > 1 ? &repeats : NULL,
			.file = *file,
		};

		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)seed + i);
		if (stat.repeats && has_seeds)
			subject->seed = text;
		repeats_begin(&repeats);
		status = run(&stat);
		*file = stat.file;
		exit_status = exit_status ? exit_status : stat.exit_status;
		if (run_was_interrupted())
			break;
	}
	if (!status && repeats.failed)
		status = tool_fail(TOOL_FAILED,
				   "-r: the runs do not have the same counts");
	repeats_free(&repeats);
	return status ? status : exit_status;
}

/* One point of a sweep. */
static int count_point(const struct stat_settings *settings, FILE *file)
{
	struct stat_settings copy = *settings;

	return run_again_and_again(&copy, &file);
}

static int sweep(const struct stat_settings *settings, FILE **file)
{
	int status = open_output(settings, file);

	return status ? status : sweep_run(settings, count_point, *file);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_settings settings = { 0 };
	FILE *file = NULL;
	int status;

	/* The first word that is no option is the program. */
	argp_parse(&stat_argp, argc, argv, ARGP_IN_ORDER, NULL, &settings);
	status = stat_settings_check(&settings);
	if (!status)
		status = settings.num_sweeps
				 ? sweep(&settings, &file)
				 : run_again_and_again(&settings, &file);
	if (file)
		status = tool_finish(status, file, settings.output);
	return status;
}
