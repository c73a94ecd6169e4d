/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counts while something runs, and prints what was counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "tool/json.h"
#include "tool/tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

/* All that is known of what passed so far. */
static struct report report_of(const struct stat *stat)
{
	const struct counting *counting = &stat->counting;
	const struct target *target = &counting->target;
	const struct uncore_session *session = counting->session;

	return (struct report){
		.settings = stat->settings,
		.target = target,
		.set = &counting->set,
		.session = session,
		.turns = counting_takes_turns(counting)
				 ? uncore_session_schedule(session)
				 : NULL,
		.regions = &stat->regions,
		.faulty = stat->settings->target.machine.faults.num
				  ? target->model
				  : NULL,
		.repeats = stat->repeats,
		.machine = target_machine(target),
		.origin = uncore_target_origin(target->registers),
		.num_sockets = uncore_target_sockets(target->registers),
		.random = run_random(&target->run),
		.time = stat->since,
		.elapsed = stat->elapsed,
	};
}

/* Makes it, about a region (NULL: the run), and prints it, unless it is one of
 * -r that is not the last; an exit code. */
static int print(const struct stat *stat, struct report *report,
		 const struct region *region)
{
	const struct stat_settings *settings = stat->settings;
	int status = report_make(report, region);

	if (!status && (!stat->repeats || repeats_is_last(stat->repeats))) {
		report_print *put = settings->json	  ? out_json
				    : settings->separator ? out_csv
							  : out_text;

		put(stat->file, report);
		if (stat->baseline)
			status = baseline_compare(
				stat->baseline, report,
				put == out_text ? stat->file
						: stat_standard(settings));
	}
	report_free(report);
	return status;
}

static int print_run(const struct stat *stat, const struct region *region)
{
	struct report report = report_of(stat);

	if (stat->repeats)
		stat->repeats->is_over = run_was_interrupted();
	if (!region && !stat->repeats && !stat->regions_status)
		report.num_parts = stat->regions.num;
	return print(stat, &report, region);
}

/* Seconds since the run began. */
static double seconds_now(const struct stat *stat)
{
	return target_seconds(&stat->counting.target) - stat->start;
}

/* Times that were added up differ in their last digits. */
static bool is_due(double now, double when)
{
	return now + 1e-10 >= when;
}

static double or_never(double seconds)
{
	return seconds > 0 ? seconds : INFINITY;
}

static void begin(struct stat *stat, double now)
{
	struct counting *counting = &stat->counting;

	stat->counts = true;
	stat->next_lap = now + or_never(stat->settings->times.interval);
	stat->status = counting_begin(counting, now);
	if (stat->status)
		return;
	if (!counting->session && counting->target.run.model)
		uncore_model_keep_detail(counting->target.run.model,
					 "nothing but time is measured");
	stat->since = target_now(&stat->counting.target);
	stat->laps.session = counting->session;
	if (stat->settings->interval)
		regions_enter(&stat->laps, "", &stat->since);
}

static void put_left_out(const struct stat *stat)
{
	struct json json = { .file = stat->file, .one_line = true };

	json_open(&json, NULL, '{');
	json_open(&json, "left_out", '{');
	json_uint(&json, "intervals", stat->num_left_out);
	json_close(&json);
	json_close(&json);
}

/* Prints it, as long as a page has room; what has none is told in the end. */
static int print_interval(struct stat *stat, struct report *report,
			  const struct region *lap)
{
	int status = TOOL_OK;

	if (!stat->settings->html || ftell(stat->file) < JSON_PAGE_BYTES)
		status = print(stat, report, lap);
	else
		stat->num_left_out++;
	if (report->is_last_lap && stat->num_left_out)
		put_left_out(stat);
	return status;
}

/* An interval is over; the session was read. */
static int print_lap(struct stat *stat, bool is_last)
{
	struct uncore_metric_run now = target_now(&stat->counting.target);
	struct region *lap = stat->laps.list;
	struct report report = report_of(stat);
	int status;

	regions_end(&stat->laps, &now);
	report.regions = &stat->laps;
	report.lap = ++stat->num_laps;
	report.lap_end = seconds_now(stat);
	report.is_last_lap = is_last;
	status = print_interval(stat, &report, lap);
	fflush(stat->file);
	regions_clear(&stat->laps, lap);
	regions_enter(&stat->laps, "", &now);
	return status;
}

/* Ends where it should, or at the first look at the clock after it. */
static void end_lap(struct stat *stat, double now)
{
	while (is_due(now, stat->next_lap))
		stat->next_lap += stat->settings->times.interval;
	if (!stat->status)
		stat->status = counting_read(&stat->counting);
	if (!stat->status)
		stat->status = print_lap(stat, false);
}

/* What is due at this time of the run; the seconds until the next of it. The
 * clock is asked, and not added up from what was waited for: a model looks up
 * from its work a little late, and a processor whenever it likes. */
static double turn(void *context)
{
	struct stat *stat = context;
	const struct stat_times *asked = &stat->settings->times;
	double now = seconds_now(stat), timeout = or_never(asked->timeout);
	double next;

	if (!stat->counts && is_due(now, asked->delay))
		begin(stat, now);
	else if (stat->counts && is_due(now, stat->counting.next_turn))
		counting_rotate(&stat->counting, now, NULL);
	if (stat->counts && is_due(now, stat->next_lap))
		end_lap(stat, now);
	if (!stat->is_over && (stat->status || is_due(now, timeout))) {
		stat->is_over = true;
		run_end(&stat->counting.target.run);
	}
	next = stat->counts ? fmin(stat->counting.next_turn, stat->next_lap)
			    : asked->delay;
	if (!stat->is_over)
		next = fmin(next, timeout);
	return isfinite(next) ? fmax(next - now, 1e-9) : 0;
}

/* With what quick stretches are taken to have lasted, for regions. */
static struct uncore_metric_run all_time_now(const struct stat *stat)
{
	struct uncore_metric_run now = target_now(&stat->counting.target);
	const struct uncore_model *model = stat->counting.target.model;
	uint64_t skipped = model ? uncore_model_skipped(model) : 0;

	if (!skipped)
		return now;
	now.cycles += (double)skipped;
	now.seconds = now.cycles / uncore_model_clock_hz(model);
	return now;
}

/* Whoever asks for a part gets it of regions, too; they may be small. */
static bool keeps_regions(const struct stat *stat)
{
	const struct machine_settings *machine =
		&stat->settings->target.machine;

	return machine_is_auto(machine) ||
	       (machine->detail && !strncmp(machine->detail, "auto", 4));
}

/* A mark of the program is reached. A read costs the model no time. */
static void take_mark(void *context, const struct uncore_program_mark *mark)
{
	struct stat *stat = context;
	struct uncore_metric_run now = all_time_now(stat);

	if (stat->regions_status || counting_takes_turns(&stat->counting) ||
	    !stat->counts)
		return;
	stat->regions.session = stat->counting.session;
	stat->regions_status = counting_read(&stat->counting);
	if (!stat->regions_status)
		regions_mark(&stat->regions, mark, &now);
	if (stat->counting.target.run.model && keeps_regions(stat))
		uncore_model_keep_detail(stat->counting.target.run.model,
					 regions_is_in_one(&stat->regions)
						 ? "the program marked a region"
						 : NULL);
}

void stat_arrange(struct stat *stat)
{
	struct run *run = &stat->counting.target.run;

	run->tells_random =
		(!stat->settings->json && !stat->settings->separator) ||
		stat->settings->sweeps.num;
	run->turn = turn;
	run->mark = take_mark;
	run->context = stat;
}

/* The region that the report is to be about; NULL: the whole run. */
static int choose_region(struct stat *stat, const struct region **region)
{
	const struct target_settings *settings = &stat->settings->target;
	char *names;

	*region = NULL;
	if (stat->counting.target.run.num_marks &&
	    counting_takes_turns(&stat->counting))
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
		  settings->region, names);
	free(names);
	return TOOL_FAILED;
}

/* How much it was since counting began. On real hardware the fixed counter
 * tells the cycles, where it was counted. */
static void end_of_run(struct stat *stat)
{
	struct uncore_metric_run now = all_time_now(stat);
	double clock_hz = now.clock_hz;
	uint64_t cycles;

	regions_end(&stat->regions, &now);
	now = target_now(&stat->counting.target);
	now = target_since(&stat->since, &now);
	cycles = (uint64_t)now.cycles;
	if (!clock_hz)
		cycles = counting_clock(&stat->counting);
	else if (stat->counting.session)
		uncore_session_cycles(stat->counting.session, &cycles);
	now.cycles = (double)cycles;
	if (clock_hz)
		now.seconds = now.cycles / clock_hz;
	stat->since = now;
}

/* What was counted is printed even if something failed on the way, unless the
 * registers themselves are gone. */
int stat_count(struct stat *stat)
{
	const struct region *region;
	const char *error;
	int code, status, stopped = TOOL_OK;

	stat->start = target_seconds(&stat->counting.target);
	if (!stat->settings->times.delay)
		begin(stat, 0);
	if (stat->status)
		return stat->status;
	status = run_all(&stat->counting.target.run, &stat->exit_status,
			 &stat->elapsed);
	if (!stat->counts)
		return tool_fail(TOOL_FAILED,
				 "it was over before --delay %s "
				 "was: nothing was counted",
				 stat->settings->delay);
	if (!*uncore_target_error(stat->counting.target.registers))
		stopped = counting_stop(&stat->counting);
	if (!stopped && !*uncore_target_error(stat->counting.target.registers))
		stopped = counting_read(&stat->counting);
	error = uncore_target_error(stat->counting.target.registers);
	if (*error) {
		if (!status && !stopped && !stat->status)
			tool_fail(TOOL_FAILED, "%s", error);
		return TOOL_FAILED;
	}
	end_of_run(stat);
	code = choose_region(stat, &region);
	if (stat->settings->interval)
		code = print_lap(stat, true);
	else if (!code)
		code = print_run(stat, region);
	status = status ? status : stopped;
	status = status ? status : stat->status;
	return status ? status : code ? code : stat->regions_status;
}
