/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Sums counts as far as they are not to be split, and goes over the metrics.
 */
#include "stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/event_set.h"
#include "tool/tool.h"
#include "uncore/event.h"
#include "uncore/model.h"
#include "uncore/session.h"

static void add(struct report_part *part, const struct report_row *row,
		const char *note)
{
	part->rows = tool_more(part->rows, part->num_rows, sizeof(*row));
	part->rows[part->num_rows] = *row;
	part->rows[part->num_rows++].note = tool_copy(note);
}

static bool same_row(const struct stat_settings *settings,
		     const struct uncore_count *a, const struct uncore_count *b)
{
	return a->event == b->event &&
	       (!settings->per_socket || a->socket == b->socket) &&
	       (!settings->per_box || a->instance == b->instance);
}

static void name_box(struct report_row *row, const char *box, int instance)
{
	if (instance < 0)
		snprintf(row->box, sizeof(row->box), "%s", box);
	else
		snprintf(row->box, sizeof(row->box), "%s%d", box, instance);
}

/* What the same counts are of a region, which is had only where no event took
 * turns: what is no estimate of the region's windows was all seen. */
static void limit_to_region(const struct report_part *part, size_t first,
			    size_t num, struct uncore_count *sum)
{
	if (!part->region || (part->has_windows && sum->is_estimate))
		return;
	sum->value = 0;
	for (size_t i = 0; i < num; i++)
		sum->value += part->region->counts[first + i];
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

static void sum_up(const struct report *report, const struct report_part *part,
		   size_t first, size_t num, struct uncore_count *sum)
{
	size_t *indices = tool_new(num, sizeof(*indices));

	for (size_t i = 0; i < num; i++)
		indices[i] = first + i;
	uncore_session_sum(report->session, indices, num, sum);
	free(indices);
	limit_to_region(part, first, num, sum);
}

/* The row of an event that `num` counts make; 0: it was not counted. */
static void add_count(const struct report *report, struct report_part *part,
		      const struct uncore_count *sum, size_t num)
{
	const struct stat_settings *settings = report->settings;
	struct report_row row = {
		.name = uncore_event_text(sum->event),
		.unit = uncore_event_unit(sum->event),
		.socket = num && settings->per_socket ? (int)sum->socket : -1,
		.num_counters = (unsigned)num,
		.valid = sum->valid,
		.count = sum->value,
		.value = (double)sum->value,
		.is_estimate = sum->is_estimate,
		.share = sum->share,
		.seconds = sum->is_estimate ? sum->seconds : part->time.seconds,
		.standard_error = sum->standard_error,
		.error = sum->error,
		.telling = sum->telling,
		.seen = sum->seen,
		.doubt = sum->reason,
		.wrapped = sum->may_have_wrapped ? sum->reason : NULL,
	};

	row.scale = uncore_event_scale(sum->event, &row.scaled);
	name_box(&row, uncore_event_box(sum->event),
		 !num		     ? -1
		 : settings->per_box ? (int)sum->instance
				     : uncore_event_instance(sum->event));
	add(part, &row, sum->valid ? sum->note : sum->reason);
}

/* Counts come event by event, socket by socket, box by box: those of a row
 * follow each other. */
static void add_counts(const struct report *report, struct report_part *part)
{
	struct uncore_count head, count, sum;
	size_t i = 0, first;

	for (size_t e = 0; e < report->set->num; e++) {
		const struct event_row *event = &report->set->rows[e];

		sum = (struct uncore_count){ .event = event->event,
					     .reason = event->reason };
		if (event->reason)
			add_count(report, part, &sum, 0);
		while (!event->reason &&
		       uncore_session_count(report->session, i, &head) &&
		       head.event == event->event) {
			first = i++;
			while (uncore_session_count(report->session, i,
						    &count) &&
			       same_row(report->settings, &head, &count))
				i++;
			sum_up(report, part, first, i - first, &sum);
			add_count(report, part, &sum, i - first);
		}
	}
}

/* A metric of which the counts are there. */
struct source {
	size_t index;
	struct uncore_metric metric;
	struct uncore_metric_counts counts;
};

static void add_metric(const struct report *report, struct report_part *part,
		       const struct source *source, int socket, int instance,
		       bool is_sum)
{
	const struct uncore_metric *metric = &source->metric;
	const struct uncore_metric_counts *counts = &source->counts;
	const struct uncore_metric_scope scope = { socket, instance };
	struct uncore_metric_value value;
	struct report_row row = {
		.is_metric = true,
		.name = metric->name,
		.unit = metric->unit,
		.brief = metric->brief,
		.is_total = metric->kind == UNCORE_METRIC_TOTAL,
		.socket = socket,
		.is_sum = is_sum,
		.share = counts->share,
		.seconds = part->time.seconds,
	};

	uncore_metrics_value(report->set->metrics.set, source->index, counts,
			     &scope, &value);
	if (counts->time) /* windows: its events, or the time, may be exact */
		row.share = value.error > 0 ? counts->time->share : 1;
	row.valid = value.valid;
	row.value = value.value;
	row.is_estimate = value.valid && row.share < 1;
	row.standard_error = value.standard_error;
	row.error = value.error;
	row.telling = value.telling;
	row.is_empty = value.is_empty;
	if (instance >= 0)
		name_box(&row, metric->box, instance);
	add(part, &row, value.reason);
}

/* One metric for the machine, and as far as wanted and possible for its
 * parts. */
static void add_split(const struct report *report, struct report_part *part,
		      const struct source *source)
{
	const struct uncore_metric *metric = &source->metric;
	bool is_split = report->settings->per_socket &&
			metric->split != UNCORE_SPLIT_MACHINE;
	struct uncore_box box = { 0 };

	add_metric(report, part, source, -1, -1, is_split);
	if (metric->box && report->settings->per_box &&
	    !tool_box(report->set->family, metric->box, &box))
		box.num_instances = 0;
	for (unsigned s = 0; is_split && s < report->num_sockets; s++) {
		add_metric(report, part, source, (int)s, -1,
			   box.num_instances > 0);
		for (unsigned i = 0; i < box.num_instances; i++)
			add_metric(report, part, source, (int)s, (int)i, false);
	}
}

static void limit_metric(const struct report *report,
			 const struct report_part *part, struct source *source)
{
	struct uncore_metric_counts *counts = &source->counts;
	struct uncore_metric_count *list =
		(struct uncore_metric_count *)counts->counts;
	struct uncore_count count;

	if (!part->has_windows) {
		counts->time = NULL;
		counts->share = 1;
	}
	for (size_t i = 0; i < counts->num; i++) {
		if (!uncore_session_count(report->session, list[i].index,
					  &count) ||
		    (count.is_estimate && part->has_windows))
			continue;
		list[i].estimate = NULL;
		if (count.is_estimate)
			list[i].reason = NULL;
		list[i].value = (double)part->region->counts[list[i].index];
	}
}

static double clock_hz(const struct report *report)
{
	return report->time.seconds > 0
		       ? report->time.cycles / report->time.seconds
		       : 0;
}

/* Of a link that brings what one socket has to another only one direction is
 * busy, and others are idle: the mean of all would hide it. */
static double busiest_link(const struct report *report,
			   const struct uncore_metric_source *made)
{
	static const char name[] = "qpi_utilisation";
	const struct uncore_metrics *set = report->set->metrics.set;
	struct uncore_metric metric;
	double most = NAN;

	for (size_t i = 0; uncore_metrics_at(set, i, &metric); i++) {
		struct uncore_metric_counts counts;

		if (strncmp(metric.name, name, sizeof(name) - 1) != 0 ||
		    uncore_metric_source_counts(made, set, i, &counts))
			continue;
		for (unsigned s = 0; s < report->num_sockets; s++) {
			const struct uncore_metric_scope scope = { (int)s, -1 };
			struct uncore_metric_value value;

			uncore_metrics_value(set, i, &counts, &scope, &value);
			if (value.valid)
				most = fmax(most, value.value);
		}
		free((void *)counts.counts);
	}
	return most;
}

static int add_metrics(const struct report *report, struct report_part *part)
{
	const struct metric_list *metrics = &report->set->metrics;
	struct uncore_metric_run run = part->time;
	struct uncore_metric_source *made;
	int code;

	run.clock_hz = clock_hz(report);
	code = uncore_metric_source_new(report->session, &run,
					report->num_sockets, &made);
	for (size_t i = 0; i < metrics->num && !code; i++) {
		struct source source = { .index = metrics->chosen[i] };

		uncore_metrics_at(metrics->set, source.index, &source.metric);
		code = uncore_metric_source_counts(
			made, metrics->set, source.index, &source.counts);
		if (!code && part->region)
			limit_metric(report, part, &source);
		if (!code)
			add_split(report, part, &source);
		free((void *)source.counts.counts);
	}
	if (!code && metrics->num)
		part->link_use = busiest_link(report, made);
	uncore_metric_source_free(made);
	return code;
}

/* Where a region has windows, estimates are theirs, and the time is one of
 * them. */
static int fill(const struct report *report, struct report_part *part,
		const struct region *region)
{
	const struct uncore_session *session = report->session;
	uint64_t cycles;

	part->region = region;
	part->time = region ? region->time : report->time;
	part->has_windows =
		region && session &&
		uncore_session_tell(session,
				    (size_t)(region - report->regions->list));
	if (part->has_windows && uncore_session_cycles(session, &cycles)) {
		part->time.cycles = (double)cycles;
		part->time.seconds = part->time.cycles / clock_hz(report);
	}
	part->has_detail =
		session && uncore_session_sampling(session, &part->detail);
	add_counts(report, part);
	return add_metrics(report, part);
}

bool repeats_is_last(const struct repeats *repeats)
{
	return repeats->is_over || repeats->run + 1 == repeats->num;
}

static double mean(const double *values, unsigned num, double *error)
{
	double sum = 0, squares = 0;
	unsigned valid = 0;

	for (unsigned i = 0; i < num; i++)
		if (!isnan(values[i])) {
			sum += values[i];
			valid++;
		}
	for (unsigned i = 0; i < num; i++)
		if (!isnan(values[i]))
			squares += pow(values[i] - sum / valid, 2);
	*error = valid > 1 ? sqrt(squares / (valid - 1) / valid) : NAN;
	return valid ? sum / valid : NAN;
}

void repeats_rows(struct repeats *repeats, struct report_row *rows, size_t num)
{
	if (!repeats->values) {
		repeats->values =
			tool_new(num * repeats->num, sizeof(*repeats->values));
		repeats->num_rows = num;
	}
	repeats->failed |= num != repeats->num_rows;
	for (size_t i = 0; i < num && !repeats->failed; i++) {
		struct report_row *row = &rows[i];
		double *values = repeats->values + i * repeats->num;

		values[repeats->run] = row->valid ? row->value : NAN;
		if (!repeats_is_last(repeats))
			continue;
		row->value = mean(values, repeats->run + 1, &row->spread);
		if (row->is_metric)
			continue;
		row->count = row->valid ? (uint64_t)llround(row->value) : 0;
		row->value = (double)row->count;
	}
}

void repeats_detail(struct repeats *repeats,
		    const struct uncore_sampling *detail)
{
	if (!repeats->details)
		repeats->details =
			tool_new(repeats->num, sizeof(*repeats->details));
	repeats->details[repeats->num_details++] = *detail;
}

void repeats_free(struct repeats *repeats)
{
	free(repeats->values);
	free(repeats->details);
}

/* How much of the run, or of each of several, was in detail. */
static void set_details(struct report *report)
{
	struct report_part *about = &report->about;
	struct repeats *repeats = report->repeats;

	if (repeats && about->has_detail)
		repeats_detail(repeats, &about->detail);
	report->details = repeats ? repeats->details : &about->detail;
	report->num_details =
		repeats ? repeats->num_details : about->has_detail;
	for (size_t i = 0; i < report->num_details; i++)
		report->is_sampled |= report->details[i].share < 1;
}

int report_make(struct report *report, const struct region *region)
{
	int code = fill(report, &report->about, region);

	report->parts = tool_new(report->num_parts, sizeof(*report->parts));
	for (size_t i = 0; i < report->num_parts && !code; i++)
		code = fill(report, &report->parts[i],
			    &report->regions->list[i]);
	if (report->session)
		uncore_session_tell(report->session, UNCORE_WHOLE);
	if (code)
		return tool_fail_with(code, NULL);
	set_details(report);
	if (report->repeats)
		repeats_rows(report->repeats, report->about.rows,
			     report->about.num_rows);
	if (!report->lap && !region)
		report_verdict(report);
	return TOOL_OK;
}

static void free_part(struct report_part *part)
{
	for (size_t i = 0; i < part->num_rows; i++)
		free(part->rows[i].note);
	free(part->rows);
}

void report_free(struct report *report)
{
	free_part(&report->about);
	verdict_free(report->verdicts, report->num_verdicts);
	for (size_t i = 0; i < report->num_parts; i++)
		free_part(&report->parts[i]);
	free(report->parts);
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
