/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Sums counts as far as they are not to be split, and goes over the metrics.
 */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regions.h"
#include "repeats.h"
#include "tool/event_set.h"
#include "tool/tool.h"
#include "uncore/event.h"
#include "uncore/model.h"
#include "uncore/schedule.h"
#include "uncore/session.h"

static bool same_row(const struct report *report, const struct uncore_count *a,
		     const struct uncore_count *b)
{
	if (a->event != b->event)
		return false;
	if (report->per_box)
		return a->socket == b->socket && a->instance == b->instance;
	return !report->per_socket || a->socket == b->socket;
}

static void name_box(const struct report *report,
		     const struct uncore_count *count, struct report_count *row)
{
	const char *box = uncore_event_box(count->event);
	int instance = uncore_event_instance(count->event);

	if (report->per_box)
		instance = (int)count->instance;
	if (instance < 0)
		snprintf(row->box, sizeof(row->box), "%s", box);
	else
		snprintf(row->box, sizeof(row->box), "%s%d", box, instance);
}

/* What the same counts are of a region, which is had only where no event took
 * turns: what is no estimate of the region's windows was all seen. */
static void limit_to_region(const struct report *report, size_t first,
			    size_t num, struct uncore_count *sum)
{
	if (!report->region || (report->has_windows && sum->is_estimate))
		return;
	sum->value = 0;
	for (size_t i = 0; i < num; i++)
		sum->value += report->region->counts[first + i];
	sum->seen = sum->value;
	if (!sum->is_estimate)
		return;
	sum->is_estimate = false;
	sum->valid = true;
	sum->reason = "";
	sum->share = 1;
	sum->standard_error = sum->error = 0;
	sum->telling = UNCORE_TELL_VALUE;
}

/* The row that `num` counts from number first on make. */
static void sum_row(const struct report *report, size_t first, size_t num,
		    struct report_count *row)
{
	size_t *indices = calloc(num, sizeof(*indices));
	struct uncore_count sum = { 0 };

	for (size_t i = 0; indices && i < num; i++)
		indices[i] = first + i;
	if (indices)
		uncore_session_sum(report->session, indices, num, &sum);
	free(indices);
	limit_to_region(report, first, num, &sum);
	*row = (struct report_count){
		.event = uncore_event_text(sum.event),
		.unit = uncore_event_unit(sum.event),
		.socket = report->per_socket || report->per_box
				  ? (int)sum.socket
				  : -1,
		.num_counters = (unsigned)num,
		.valid = sum.valid,
		.value = sum.value,
		.note = sum.valid ? sum.note : sum.reason,
		.is_estimate = sum.is_estimate,
		.share = sum.share,
		.seconds = sum.seconds,
		.standard_error = sum.standard_error,
		.error = sum.error,
		.telling = sum.telling,
		.seen = sum.seen,
		.doubt = sum.reason,
		.wrapped = sum.may_have_wrapped ? sum.reason : NULL,
	};
	row->scale = uncore_event_scale(sum.event, &row->scaled);
	name_box(report, &sum, row);
	row->spread = NAN;
	if (report->repeats) {
		double value = (double)sum.value;

		row->spread = repeats_take(report->repeats, row->valid, &value);
		row->valid = !isnan(value) && row->valid;
		row->value = row->valid ? (uint64_t)llround(value) : sum.value;
	}
}

/* Counts come event by event, socket by socket, box by box: those of a row
 * follow each other. */
static void print_counted(const struct report *report,
			  const struct report_output *output, FILE *file,
			  const struct uncore_event *event, size_t *index)
{
	struct uncore_count head, count;
	struct report_count row;
	size_t i = *index, first;

	while (uncore_session_count(report->session, i, &head) &&
	       head.event == event) {
		first = i++;
		while (uncore_session_count(report->session, i, &count) &&
		       same_row(report, &head, &count))
			i++;
		sum_row(report, first, i - first, &row);
		if (output->count)
			output->count(file, report, &row);
	}
	*index = i;
}

static void print_not_counted(const struct report *report,
			      const struct report_output *output, FILE *file,
			      const struct event_row *event)
{
	struct report_count row = {
		.event = uncore_event_text(event->event),
		.unit = uncore_event_unit(event->event),
		.socket = -1,
		.note = event->reason,
	};

	row.scale = uncore_event_scale(event->event, &row.scaled);
	snprintf(row.box, sizeof(row.box), "%s",
		 uncore_event_box(event->event));
	if (output->count)
		output->count(file, report, &row);
}

static void print_metric(const struct report *report,
			 const struct report_output *output, FILE *file,
			 size_t index,
			 const struct uncore_metric_counts *counts,
			 double largest, int socket, int instance)
{
	struct uncore_metric_scope scope = { .socket = socket,
					     .instance = instance };
	struct report_metric row = { .socket = socket,
				     .instance = instance,
				     .largest = largest };
	struct uncore_metric_value value;

	uncore_metrics_at(report->metrics->set, index, &row.metric);
	uncore_metrics_value(report->metrics->set, index, counts, &scope,
			     &value);
	row.valid = value.valid;
	row.value = value.value;
	row.share = counts->share;
	if (counts->time) /* windows: its events, or the time, may be exact */
		row.share = value.error > 0 ? counts->time->share : 1;
	row.standard_error = value.standard_error;
	row.error = value.error;
	row.telling = value.telling;
	row.reason = value.reason;
	row.is_empty = value.is_empty;
	row.spread = report->repeats ? repeats_take(report->repeats, row.valid,
						    &row.value)
				     : NAN;
	if (output->metric)
		output->metric(file, report, &row);
}

/* The largest value of a part, so that all are shown in one unit. */
static double largest_part(const struct report *report, size_t index,
			   const struct uncore_metric_counts *counts,
			   unsigned instances)
{
	struct uncore_metric_value value;
	double largest = 0;

	for (unsigned s = 0; s < report->num_sockets; s++)
		for (unsigned i = 0; i < (instances ? instances : 1); i++) {
			const struct uncore_metric_scope scope = {
				(int)s, instances ? (int)i : -1
			};

			uncore_metrics_value(report->metrics->set, index,
					     counts, &scope, &value);
			if (value.valid)
				largest = fmax(largest, fabs(value.value));
		}
	return largest;
}

/* One metric for the machine, or as far as wanted and possible for its
 * parts. */
static void print_split(const struct report *report,
			const struct report_output *output, FILE *file,
			size_t index, const struct uncore_metric_counts *counts)
{
	struct uncore_metric metric;
	struct uncore_box box;
	double largest = NAN;
	unsigned instances;
	bool is_split;

	uncore_metrics_at(report->metrics->set, index, &metric);
	instances = metric.box && report->per_box &&
				    tool_box(report->family, metric.box, &box)
			    ? box.num_instances
			    : 0;
	is_split = report->per_socket && metric.split != UNCORE_SPLIT_MACHINE;
	if (!is_split || output->shows_sums)
		print_metric(report, output, file, index, counts, NAN, -1, -1);
	if (is_split)
		largest = largest_part(report, index, counts, instances);
	for (unsigned s = 0; is_split && s < report->num_sockets; s++) {
		if (!instances || output->shows_sums)
			print_metric(report, output, file, index, counts,
				     largest, (int)s, -1);
		for (unsigned i = 0; i < instances; i++)
			print_metric(report, output, file, index, counts,
				     largest, (int)s, (int)i);
	}
}

/* The count of the session that one of a metric's was made from; they come in
 * the same order, mostly. */
static size_t find_count(const struct report *report, const char *event,
			 const struct uncore_metric_count *wanted, size_t start)
{
	size_t num = report->regions->num_counts;
	struct uncore_count count;

	for (size_t n = 0; n < num; n++) {
		size_t i = (start + n) % num;

		if (uncore_session_count(report->session, i, &count) &&
		    count.socket == wanted->socket &&
		    count.instance == wanted->instance &&
		    !strcmp(uncore_event_text(count.event), event))
			return i;
	}
	return num;
}

static void limit_metric(const struct report *report, size_t index,
			 struct uncore_metric_counts *counts)
{
	struct uncore_metric_count *list =
		(struct uncore_metric_count *)counts->counts;
	struct uncore_count count;
	size_t at = 0;

	if (!report->region)
		return;
	if (!report->has_windows) {
		counts->time = NULL;
		counts->share = 1;
	}
	for (size_t i = 0; i < counts->num; i++) {
		const char *event = uncore_metrics_event(report->metrics->set,
							 index, list[i].event);

		at = find_count(report, event, &list[i], at);
		if (at >= report->regions->num_counts)
			continue;
		if (uncore_session_count(report->session, at, &count) &&
		    count.is_estimate && report->has_windows)
			continue;
		list[i].estimate = NULL;
		if (count.is_estimate)
			list[i].reason = NULL;
		list[i].value = (double)report->region->counts[at++];
	}
}

static void print_metrics(const struct report *report,
			  const struct report_output *output, FILE *file)
{
	struct uncore_metric_source *source;
	struct uncore_metric_counts counts;
	int code = uncore_metric_source_new(report->session, &report->run,
					    report->num_sockets, &source);

	for (size_t i = 0; i < report->metrics->num && !code; i++) {
		size_t index = report->metrics->chosen[i];

		code = uncore_metric_source_counts(source, report->metrics->set,
						   index, &counts);
		if (!code)
			limit_metric(report, index, &counts);
		if (!code)
			print_split(report, output, file, index, &counts);
		free((void *)counts.counts);
	}
	uncore_metric_source_free(source);
	if (output->metrics_end)
		output->metrics_end(file, report);
}

/* Counts and metrics, of the whole run or of a region. */
static void print_all(const struct report *report,
		      const struct report_output *output, FILE *file)
{
	size_t index = 0; /* of the next count; events are in the same order */

	for (size_t i = 0; i < report->num_events; i++) {
		const struct event_row *event = &report->events[i];

		if (event->reason)
			print_not_counted(report, output, file, event);
		else
			print_counted(report, output, file, event->event,
				      &index);
	}
	print_metrics(report, output, file);
}

/* Where the region has windows, estimates are theirs from now on, and the time
 * is one of them. */
static void tell_windows(const struct report *report,
			 const struct region *region, struct report *part)
{
	size_t number = (size_t)(region - report->regions->list);
	uint64_t cycles;

	part->has_windows = uncore_session_tell(report->session, number);
	if (!part->has_windows ||
	    !uncore_session_cycles(report->session, &cycles))
		return;
	part->cycles = cycles;
	part->run.cycles = (double)cycles;
	part->run.seconds = (double)cycles / report->run.clock_hz;
}

/* The same report, about a region. */
static struct report about(const struct report *report,
			   const struct region *region)
{
	struct report part = *report;

	part.region = region;
	part.cycles = region->time.cycles;
	part.run.cycles = (double)region->time.cycles;
	part.run.instructions = (double)region->time.instructions;
	part.run.seconds = region->time.seconds;
	if (report->regions && report->session)
		tell_windows(report, region, &part);
	return part;
}

void report_print(const struct report *report,
		  const struct report_output *output, FILE *file)
{
	struct report whole = *report, part;

	if (report->region)
		whole = about(report, report->region);
	if (output->begin)
		output->begin(file, &whole);
	print_all(&whole, output, file);
	for (size_t i = 0; output->region && i < report_num_regions(&whole);
	     i++) {
		part = about(report, &report->regions->list[i]);
		output->region(file, &whole, &part);
		print_all(&part, output, file);
	}
	if (report->session && !report->region)
		uncore_session_tell(report->session, UNCORE_WHOLE);
	if (output->end)
		output->end(file, &whole);
	if (report->session)
		uncore_session_tell(report->session, UNCORE_WHOLE);
}

void report_take(const struct report *report,
		 const struct report_output *output)
{
	const struct report_output silent = { .shows_sums =
						      output->shows_sums };

	report_print(report, &silent, NULL);
}

void report_lap(const struct report *report, const struct report_output *output,
		FILE *file, const struct region *lap)
{
	struct report part = about(report, lap), whole = *report;
	bool is_whole = output->laps_are_whole;

	part.lap = lap;
	whole.regions = NULL;
	if (output->begin && (is_whole || report->is_first_lap))
		output->begin(file, &part);
	if (output->lap)
		output->lap(file, &part);
	print_all(&part, output, file);
	if (output->end && (is_whole || report->is_last_lap))
		output->end(file, is_whole ? &part : &whole);
	fflush(file);
}

size_t report_num_regions(const struct report *report)
{
	return report->regions && !report->region ? report->regions->num : 0;
}

static const struct uncore_schedule *schedule_of(const struct report *report)
{
	return report->session ? uncore_session_schedule(report->session)
			       : NULL;
}

bool report_knows_cycles(const struct report *report)
{
	return report->is_modelled || report->cycles;
}

bool report_took_turns(const struct report *report)
{
	const struct uncore_schedule *schedule = schedule_of(report);

	return schedule && uncore_schedule_slices(schedule) > 1;
}

bool report_sampling(const struct report *report, size_t run,
		     struct uncore_sampling *how)
{
	const struct repeats *repeats = report->repeats;

	if (!repeats || !repeats->num_samplings)
		return !run && report->session &&
		       uncore_session_sampling(report->session, how);
	if (run >= repeats->num_samplings)
		return false;
	*how = repeats->samplings[run];
	return true;
}

bool report_has_errors(const struct report *report)
{
	struct uncore_sampling how;
	bool has_errors = report_took_turns(report);

	for (size_t i = 0; report_sampling(report, i, &how); i++)
		has_errors |= how.share < 1;
	return has_errors;
}

unsigned report_errors_hold(const struct report *report)
{
	return report_took_turns(report) ? REPORT_TURNS_HOLD
					 : REPORT_WINDOWS_HOLD;
}

const char *report_reason(const struct report *report, size_t index)
{
	return report_took_turns(report)
		       ? uncore_schedule_reason(schedule_of(report), index)
		       : NULL;
}

bool report_fault(const struct report *report, size_t index, const char **name,
		  uint64_t *times)
{
	const char *help;

	if (!report->faulty || !uncore_model_fault(index, name, &help))
		return false;
	*times = uncore_model_injected(report->faulty, index);
	return true;
}
