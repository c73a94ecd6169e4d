/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore record`: events over time, into a file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "tool/tool.h"
#include "tool/usual.h"
#include "uncore/error.h"
#include "uncore/model.h"
#include "uncore/recording.h"
#include "uncore/uncore.h"

/* "cbox/X,period=N/" and "X,period=N" without the period, to be freed, and N
 * (0: there was none). It says when to look, not what to count. */
static int split_event(const char *text, char **plain, uint64_t *period)
{
	const char *found = strstr(text, ",period=");
	unsigned long long number = 0;
	size_t head, length;
	char *value;
	int status = TOOL_OK;

	*period = 0;
	*plain = strdup(text);
	if (!*plain)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	if (!found)
		return TOOL_OK;
	head = (size_t)(found - text);
	found += strlen(",period=");
	length = strcspn(found, ",/");
	strcpy(*plain + head, found + length);
	/* "box/X,period=N" is short for "box/X,period=N/" */
	if (strchr(*plain, '/') && (*plain)[strlen(*plain) - 1] != '/')
		strcat(*plain, "/");
	value = strndup(found, length);
	if (!value)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	if (!tool_number("period", value, &number))
		status = TOOL_USAGE;
	else if (!number)
		status = tool_fail(TOOL_USAGE,
				   "'%s': a period has at least one event",
				   text);
	free(value);
	*period = number;
	return status;
}

static int add_event(struct record *record, const char *text)
{
	const struct record_settings *settings = record->settings;
	struct event_set *set = record->set;
	char *plain = NULL;
	uint64_t period;
	int status = split_event(text, &plain, &period);

	if (!status)
		status = event_set_add(set, plain);
	free(plain);
	if (status)
		return status;
	if (settings->event_period && !period)
		period = settings->event_period;
	set->rows[set->num - 1].period = period;
	if (period && (settings->interval || settings->freeze_after))
		return tool_fail(TOOL_USAGE,
				 "'%s': a period goes without -I and "
				 "--freeze-after",
				 text);
	return TOOL_OK;
}

static int add_events(struct record *record)
{
	const struct record_settings *settings = record->settings;
	struct event_set *set = record->set;
	const char *const *chosen = NULL;
	int status = TOOL_OK;

	set->family = uncore_target_family(record->target->registers);
	if (settings->metrics)
		status = metrics_open(set->family, &settings->metric_files,
				      settings->metrics, NULL, &set->metrics);
	if (settings->has_default)
		chosen = settings->is_detailed ? usual_of(set->family)->lines
					       : usual_of(set->family)->misses;
	for (; chosen && *chosen && !status; chosen++)
		status = add_event(record, *chosen);
	for (size_t i = 0; i < settings->events.num && !status; i++)
		status = add_event(record, settings->events.events[i]);
	if (!status)
		status = event_set_add_metrics(set);
	for (size_t i = 0; i < set->num && !status; i++)
		event_warn(set->rows[i].event);
	return status;
}

/* When something happens the quick way does not know, so who samples what hangs
 * on that has all in detail. */
static int choose_detail(struct record *record)
{
	const struct machine_settings *machine =
		&record->settings->target.machine;
	struct uncore_model *model = record->target->model;

	for (size_t i = 0; i < record->set->num; i++) {
		const struct uncore_event *event = record->set->rows[i].event;

		if (!model || !uncore_model_classes(model, NULL) ||
		    uncore_event_is_state(event))
			continue;
		if (!machine_is_auto(machine))
			return tool_fail(
				TOOL_USAGE,
				"'%s' depends on when accesses happen, "
				"which is not known of those outside "
				"of windows: record it with "
				"--detail=full",
				uncore_event_text(event));
		uncore_model_keep_detail(model, "an event that is recorded "
						"depends on time");
	}
	return TOOL_OK;
}

/* A recording says what it is of when it is read; this is for who waits. */
static void say_where(const struct target *target)
{
	if (target->because && !target->model)
		tool_warn("counting on %s: %s",
			  uncore_target_origin(target->registers),
			  target->because);
}

static int set_up(struct record *record)
{
	struct record_settings *settings = record->settings;
	uint64_t cycle;
	int status = record_settings_check(settings);

	record->symbols = uncore_symbols_new();
	if (!settings->interval)
		settings->target.how.symbols = record->symbols;
	record->target->wish = (struct choice_wish){
		.events = &settings->events,
		.metrics = settings->metrics,
		.metric_files = &settings->metric_files,
	};
	if (!status)
		status = target_open(record->target, &settings->target,
				     "uncore record");
	if (!status && !target_cycle(record->target, &cycle, &record->clock_hz))
		record->clock_hz = 0;
	if (!status)
		status = add_events(record);
	if (!status)
		status = choose_detail(record);
	if (!status)
		status = record->way->open(record);
	if (!status)
		status = target_prepare(record->target);
	/* the file last: what is refused leaves none, and replaces none */
	if (!status)
		status = record_file_open(record);
	if (!status)
		say_where(record->target);
	return status;
}

/* What taking samples has cost, where the counters stood still for it. */
static void add_frozen(struct record *record, double seconds)
{
	unsigned num = uncore_target_sockets(record->target->registers);
	unsigned most = 0;
	double frozen;

	if (!record->clock_hz || record->settings->freeze_after)
		return;
	for (unsigned i = 0; i < num; i++)
		if (uncore_sampler_frozen(record->sampler, i) >
		    uncore_sampler_frozen(record->sampler, most))
			most = i;
	frozen = (double)uncore_sampler_frozen(record->sampler, most) /
		 record->clock_hz;
	record_meta(record, "frozen_seconds", "%.12f", frozen);
	if (frozen > 0 && seconds > 0 && !record->settings->quiet)
		tool_warn("note: the counters of socket %u stood still for "
			  "%.3g %% of the time, while samples were taken",
			  most, 100 * frozen / seconds);
}

/* How much of the run was in detail, where not all of it had to be. */
static void add_detail(struct record *record)
{
	const struct uncore_model *model = record->target->model;
	uint64_t classes[UNCORE_MODEL_CLASSES], kept;
	char accesses[40];
	const char *why;
	double share;

	if (!model || !uncore_model_classes(model, classes) || !classes[0])
		return;
	why = uncore_model_needs_detail(model, &kept);
	share = 1 - (double)uncore_model_quick(model) / (double)classes[0];
	record_meta(record, "detail_accesses", "%.0f", (double)classes[0]);
	record_meta(record, "detail_share", "%.6f", share);
	tool_grouped(accesses, sizeof(accesses), "%" PRIu64, classes[0]);
	if (record->settings->quiet || (share >= 1 && !why))
		return;
	if (share < 1)
		fprintf(stderr,
			"uncore: %.3g %% of %s accesses in detail; samples are "
			"of all of them, their times are about right\n",
			100 * share, accesses);
	else
		fprintf(stderr, "uncore: all %s accesses in detail: %s\n",
			accesses, why);
}

static void add_length(struct record *record, uint64_t start, double seconds)
{
	double clock_hz;
	uint64_t cycle;

	if (record->status)
		return;
	if (target_cycle(record->target, &cycle, &clock_hz)) {
		if (record->target->model)
			cycle += uncore_model_skipped(record->target->model);
		record_meta(record, "cycles", "%.0f", (double)(cycle - start));
		seconds = (double)(cycle - start) / clock_hz;
	}
	record_meta(record, "seconds", "%.12f", seconds);
	if (record->sampler && !record->status) /* else samples end before */
		add_frozen(record, seconds);
	add_detail(record);
}

static int run(struct record *record)
{
	int program = 0, stopped = TOOL_OK, status;
	uint64_t start = 0;
	double seconds, clock_hz;

	status = record->way->start(record);
	if (status)
		return status;
	record->has_run = true;
	target_cycle(record->target, &start, &clock_hz);
	record->target->run.context = record;
	record->target->run.turn = record->way->turn;
	status = run_all(&record->target->run, &program, &seconds);
	if (!*uncore_target_error(record->target->registers))
		stopped = record->way->stop(record);
	add_length(record, start, seconds);
	record_random(record);
	record_place_end(record);
	if (!status && !stopped && record->settings->freeze_after)
		stopped = record_state_show(record);
	if (*uncore_target_error(record->target->registers))
		status = TOOL_FAILED;
	status = status ? status : stopped ? stopped : record->status;
	record->status = status; /* the recording is not complete then */
	return status ? status : program;
}

/* `uncore record` and others that record. */
static int record_with(struct record_settings *settings)
{
	struct record record = {
		.settings = settings,
		.way = settings->interval ? &record_intervals : &record_samples,
	};
	int status;

	record.target = &record.monitor.counting.target;
	record.set = &record.monitor.counting.set;
	status = set_up(&record);
	if (!status)
		status = run(&record);
	status = record_file_close(&record, status);
	record.way->close(&record);
	record_place_close(&record);
	return monitor_close(&record.monitor, status);
}

int cmd_record(int argc, char **argv)
{
	struct record_settings settings = { .progress_file = -1 };

	/* The first word that is no option is the program. */
	options_parse(&record_options, argc, argv, ARGP_IN_ORDER, &settings);
	return record_with(&settings);
}

/* perf's second step, of what is recorded already. */
static int report_lines(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 1, sizeof(*words));
	int status;

	if (!words)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	words[0] = (char *)"uncore c2c report";
	words[1] = (char *)"--by=line";
	memcpy(words + 2, argv + 2, (size_t)(argc - 2) * sizeof(*words));
	status = cmd_report_c2c(argc, words);
	free(words);
	return status;
}

/* Lines that cores take from each other: of one socket, of several. */
int cmd_c2c(int argc, char **argv)
{
	struct record_settings settings = { .progress_file = -1 };
	char *words[] = { (char *)"uncore report", (char *)"--by=line", NULL,
			  NULL };
	int status, shown;

	if (argc > 1 && !strcmp(argv[1], "report"))
		return report_lines(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "record")) {
		argv[1] = argv[0];
		argv++;
		argc--;
	}
	options_parse(&record_c2c_options, argc, argv, ARGP_IN_ORDER,
		      &settings);
	settings.is_detailed = true;
	settings.replace |= !settings.output; /* perf replaces its file, too */
	settings.output = settings.output ? settings.output : TOOL_RECORDING;
	status = record_with(&settings);
	if (!settings.has_recorded)
		return status;
	words[2] = (char *)settings.output;
	shown = cmd_report(3, words);
	return shown ? shown : status;
}
