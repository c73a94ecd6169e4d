/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Recording of samples that overflows take. On a model in this process they are
 * taken in their cycle and fetched now and then; elsewhere this looks for
 * overflows as often as it can afford.
 */
#include <stdlib.h>

#include "record.h"
#include "tool/tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

/* Between two looks: for samples that were taken already; for overflows, by
 * wall time; and in cycles of a stepped clock. */
static const double fetch_seconds = 100e-6, look_seconds = 1e-3;

/* Of those whose period is found so many are left. */
enum { MOST_SAMPLES = 3000 };

enum { STEP_CYCLES = NATIVE_END_CYCLES, QUIET_TURNS = 20 };

static void frozen(void *context, unsigned socket, uint64_t cycle)
{
	(void)cycle;
	record_state_take(context, socket);
	run_stop();
}

/* With the events and periods that there are. */
static int open_sampler(struct record *record,
			const struct uncore_sampler_options *options)
{
	const struct event_set *set = record->set;
	struct uncore_sampled *events = tool_new(set->num, sizeof(*events));
	char *error = NULL;
	int code;

	for (size_t i = 0; i < set->num; i++)
		events[i] = (struct uncore_sampled){ set->rows[i].event,
						     set->rows[i].period };
	code = uncore_sampler_open(record->target->registers, events, set->num,
				   options, &record->sampler, &error);
	free(events);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int open_samples(struct record *record)
{
	const struct record_settings *settings = record->settings;
	struct uncore_sampler_options options = {
		.struct_size = sizeof(options),
		.no_freeze = settings->no_freeze,
		.by_lot = settings->adapts,
		.once = settings->freeze_after,
		.force = settings->force,
		.clock_hz = record->clock_hz,
		.note = record_place_note,
		.note_bytes = record_place_bytes(),
		.frozen = frozen,
		.context = record,
	};
	int code = record->target->model
			   ? uncore_model_keep_answers(record->target->model)
			   : 0;

	if (code)
		return tool_fail_with(code, NULL);
	if (settings->freeze_after) {
		record_state_open(record);
		record->set->rows[0].period = settings->freeze_events;
	}
	return open_sampler(record, &options);
}

static void serve(void *context, const struct uncore_target_event *event)
{
	struct record *record = context;
	char *error = NULL;
	int code;

	record->quiet_turns = 0;
	code = uncore_sampler_serve(record->sampler, event->socket, event->core,
				    event->cycle, &error);
	if (!code && event->lost)
		code = uncore_sampler_poll(record->sampler, &error);
	record_failed(record, code, error);
}

/* Interrupts elsewhere come by themselves; or never, and are looked for. */
static void listen_for_pmis(struct record *record)
{
	struct run *run = &record->target->run;
	struct uncore_target *target = record->target->registers;
	struct uncore_target_status status;

	record->turn_seconds = look_seconds;
	if (!uncore_target_status(target, &status) && status.is_stepped)
		record->turn_seconds = STEP_CYCLES / status.clock_hz;
	if (!uncore_target_subscribe(target, UNCORE_TARGET_PMI))
		run->native.pmi = serve;
}

static int start(struct record *record)
{
	char *error = NULL;
	int code;

	listen_for_pmis(record); /* before the first can come */
	code = uncore_sampler_start(record->sampler, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* There are too many: half of them go, and the rest has twice the period. */
static void thin(struct record *record)
{
	uint64_t gone = 0;
	char *error = NULL;
	int code = 0;

	for (size_t i = 0; i < record->set->num && !code; i++) {
		struct event_row *row = &record->set->rows[i];

		if (!row->period)
			continue;
		row->period *= 2;
		uncore_sampler_set_period(record->sampler, i, row->period);
		code = uncore_recorder_thin(record->recorder, i, row->period,
					    &gone, &error);
	}
	record->num_of_period -= gone;
	record_failed(record, code, error);
}

static void fetch(struct record *record)
{
	const struct uncore_sample_count *counts;
	struct uncore_sample sample;
	const void *note;
	size_t num;
	int code;

	while ((code = uncore_sampler_take(record->sampler, &sample, &counts,
					   &num, &note)) > 0 &&
	       !record->status) {
		record_place_find(record, note, &sample);
		record_file_add(record, &sample, counts, num);
		record->num_of_period += sample.kind == UNCORE_SAMPLE_PERIOD;
		if (sample.kind == UNCORE_SAMPLE_FREEZE)
			record_state_freeze(record, &sample);
	}
	if (code < 0)
		record_failed(record, code, NULL);
	if (record->settings->adapts && record->num_of_period > MOST_SAMPLES)
		thin(record);
}

/* What came since the last look, where nobody tells of it. An interrupt that
 * never came would leave a socket frozen: when all is quiet, the status is
 * looked at, too. */
static void look(struct record *record)
{
	char *error = NULL;
	int code = 0;

	if (record->target->run.native.pmi &&
	    record->quiet_turns++ < QUIET_TURNS)
		return;
	record->quiet_turns = 0;
	code = uncore_sampler_poll(record->sampler, &error);
	record_failed(record, code, error);
}

static double turn(void *context)
{
	struct record *record = context;
	bool is_exact = uncore_sampler_is_exact(record->sampler);

	if (!is_exact)
		look(record);
	fetch(record);
	record_file_pass(record);
	return is_exact ? fetch_seconds : record->turn_seconds;
}

static int stop(struct record *record)
{
	char *error = NULL;
	int code = uncore_sampler_stop(record->sampler, &error);

	fetch(record);
	record_failed(record, code, error);
	return code ? record->status : TOOL_OK;
}

static void close_samples(struct record *record)
{
	uncore_sampler_close(record->sampler);
	record_state_close(record);
}

const struct record_way record_samples = { open_samples, start, turn, stop,
					   close_samples };
