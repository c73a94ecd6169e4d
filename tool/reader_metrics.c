/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Metrics of a recording, as a whole and over time: those whose events were
 * recorded. A sample is spread evenly over the time since the one before.
 *
 * Where events took turns, the intervals of the recording, or 32 stretches of
 * it, are the cells that tell how far a figure may be off (uncore/session.h).
 * A single step of time has no such cells, so there it cannot be told.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "reader.h"
#include "tool.h"
#include "uncore/uncore.h"

/* What was counted, and the same in cells; these NULL: not known. */
struct tallies {
	const struct reader_tally *all, *cells;
};

struct intervals {
	double last;
	size_t num;
};

static void count_interval(void *context, const struct uncore_sample *sample,
			   const struct uncore_sample_count *counts,
			   size_t num_counts)
{
	struct intervals *intervals = context;

	(void)counts;
	if (!num_counts || sample->seconds <= intervals->last)
		return;
	intervals->last = sample->seconds;
	intervals->num++;
}

int reader_intervals(struct reader *reader, size_t *num)
{
	struct intervals intervals = { 0 };
	int status = reader_each(reader, count_interval, &intervals);

	*num = intervals.num;
	return status;
}

/* In the cells of the recording. */
static int tally_cells(struct reader *reader, struct reader_tally *cells)
{
	size_t num;
	int status = reader_intervals(reader, &num);

	if (num > UNCORE_MAX_CELLS)
		num = UNCORE_MAX_CELLS;
	return status || !num ? status
			      : reader_tally(reader, READER_SPOTS,
					     (unsigned)num, cells);
}

/* What the cells tell of a spot that took turns. */
static void estimate(const struct reader_tally *cells, size_t spot,
		     double value, struct uncore_estimate *to)
{
	const struct reader *reader = cells->reader;
	const struct reader_spot *of = &reader->spots[spot];

	*to = (struct uncore_estimate){
		.value = value,
		.level = 0.99,
		.share = fmin(1, of->counted / reader->seconds),
		.num_cells = cells->num_steps,
	};
	to->step = to->share > 0 ? 1 / to->share : 0;
	to->seen = value * to->share;
	for (unsigned i = 0; i < cells->num_steps; i++) {
		to->parts[i] =
			cells->values[i * reader->num_spots + spot] * of->scale;
		to->rests[i] = to->parts[i] - value / cells->num_steps;
	}
}

/* The event of the recording with this text, or num_events. */
static size_t recorded(const struct reader *reader, const char *text)
{
	size_t i = 0;

	while (i < reader->num_events && strcmp(reader->events[i].text, text))
		i++;
	return i;
}

static bool is_recorded(const struct reader *reader,
			const struct metric_list *list, size_t index)
{
	const char *text;
	size_t i = 0;

	for (; (text = uncore_metrics_event(list->set, index, i)); i++)
		if (recorded(reader, text) == reader->num_events)
			return false;
	return i > 0;
}

/* Counts of one event in one step. */
static void add_counts(const struct tallies *tallies, unsigned step,
		       size_t event, size_t as,
		       struct uncore_metric_counts *counts,
		       struct uncore_estimate *estimates)
{
	const struct reader *reader = tallies->all->reader;
	bool takes_turns = tallies->cells && reader->events[event].is_estimate;
	size_t num = reader->num_spots;
	struct uncore_metric_count *rows = (void *)counts->counts;

	for (size_t i = 0; i < num; i++) {
		const struct reader_spot *spot = &reader->spots[i];

		struct uncore_metric_count *row;

		if (spot->event != event || !spot->is_counted)
			continue;
		rows = tool_more(rows, counts->num, sizeof(*rows));
		row = &rows[counts->num];
		*row = (struct uncore_metric_count){
			.event = as,
			.socket = spot->socket,
			.instance = spot->instance,
			.value = tallies->all->values[step * num + i] *
				 spot->scale,
		};
		counts->num++;
		if (!takes_turns)
			continue;
		estimate(tallies->cells, i, row->value, &estimates[i]);
		row->estimate = &estimates[i];
		counts->share = fmin(counts->share, estimates[i].share);
	}
	counts->counts = rows;
}

static void value_of(const struct tallies *tallies,
		     const struct metric_list *list, size_t index,
		     unsigned step, struct uncore_metric_value *value)
{
	const struct reader_tally *tally = tallies->all;
	struct reader *reader = tally->reader;
	double seconds = tally->step_seconds * reader->slower;
	const struct uncore_metric_scope scope = { reader->socket, -1 };
	const char *clock =
		uncore_recording_meta(reader->recording, "clock_hz");
	struct uncore_metric_counts counts = {
		.num_sockets = reader->num_sockets,
		.seconds = seconds,
		.cycles = clock ? seconds * atof(clock) : NAN,
		.share = 1,
		.is_apart = true, /* or not: nobody wrote it down */
	};
	struct uncore_estimate *estimates =
		tool_new(reader->num_spots, sizeof(*estimates));
	bool took_turns = false, has_gaps = false;
	const char *text;
	size_t i = 0;

	for (; (text = uncore_metrics_event(list->set, index, i)); i++) {
		size_t event = recorded(reader, text);

		if (event == reader->num_events)
			continue;
		took_turns |= reader->events[event].is_estimate;
		has_gaps |=
			reader->events[event].has_gaps && tally->num_steps > 1;
		add_counts(tallies, step, event, i, &counts, estimates);
	}
	uncore_metrics_value(list->set, index, &counts, &scope, value);
	free((void *)counts.counts);
	free(estimates);
	if (took_turns && i > 1 && !tallies->cells) {
		value->valid = false;
		snprintf(value->reason, sizeof(value->reason),
			 "its events took turns, and a step tells nothing of "
			 "how far it may be off");
	} else if (has_gaps) {
		value->valid = false;
		snprintf(value->reason, sizeof(value->reason),
			 "its turn did not come in every interval");
	}
}

int reader_metric_list(struct reader *reader,
		       const struct reader_metrics *wanted,
		       struct metric_list *list)
{
	const struct uncore_family *family = reader_family(reader);
	const char *asked = uncore_recording_meta(reader->recording, "metrics");
	size_t kept = 0;
	int status;

	if (!family)
		return TOOL_FAILED;
	status = metrics_open(family, wanted->files,
			      wanted->names ? wanted->names
			      : asked	    ? asked
					    : "all",
			      NULL, list);
	for (size_t i = 0; !wanted->names && i < list->num; i++)
		if (is_recorded(reader, list, list->chosen[i]))
			list->chosen[kept++] = list->chosen[i];
	if (!wanted->names)
		list->num = kept;
	return status;
}

static void whole(const struct metric_list *list, size_t chosen,
		  const struct uncore_metric_value *value, bool is_estimate,
		  struct table *table)
{
	struct uncore_metric metric;
	size_t row = table_add_row(table);

	uncore_metrics_at(list->set, list->chosen[chosen], &metric);
	table_set_text(table, row, 0, metric.name);
	table_set(table, row, 1, value->valid ? value->value : NAN);
	table_set_text(table, row, 2, metric.unit);
	if (is_estimate && value->valid)
		table_set(table, row, 3, value->error);
	table_set_text(table, row, is_estimate ? 4 : 3,
		       *value->reason ? value->reason : metric.brief);
}

static int fill_whole(struct reader *reader, const struct metric_list *list,
		      struct table *table)
{
	struct reader_tally tally, cells = { 0 };
	struct tallies tallies = { .all = &tally };
	struct uncore_metric_value value;
	int status = reader_tally(reader, READER_SPOTS, 1, &tally);

	table_init(table, "metrics", "Metrics");
	table_add_columns(table, reader->is_estimate
					 ? "metric:t value:v unit:t error:v "
					   "what:t"
					 : "metric:t value:v unit:t what:t");
	if (!status && reader->is_estimate)
		status = tally_cells(reader, &cells);
	if (cells.num_steps)
		tallies.cells = &cells;
	for (size_t i = 0; i < list->num && !status; i++) {
		value_of(&tallies, list, list->chosen[i], 0, &value);
		whole(list, i, &value, reader->is_estimate, table);
	}
	reader_tally_free(&tally);
	reader_tally_free(&cells);
	return status;
}

int reader_values(struct reader *reader, const struct metric_list *list,
		  unsigned num_steps, double **values)
{
	struct reader_tally tally;
	const struct tallies tallies = { .all = &tally };
	struct uncore_metric_value value;
	int status = reader_tally(reader, READER_SPOTS, num_steps, &tally);

	*values = tool_new(num_steps * list->num, sizeof(double));
	for (size_t i = 0; i < num_steps * list->num && !status; i++) {
		value_of(&tallies, list, list->chosen[i % list->num],
			 (unsigned)(i / list->num), &value);
		(*values)[i] = value.valid ? value.value : NAN;
	}
	reader_tally_free(&tally);
	return status;
}

static int fill_steps(struct reader *reader, const struct metric_list *list,
		      unsigned num_steps, struct table *table)
{
	double length = reader->seconds / num_steps, *values;
	int status = reader_values(reader, list, num_steps, &values);
	struct uncore_metric metric;

	table_init(table, "trend", "Metrics over time");
	table_add_column(table, "from", "s", TABLE_REAL);
	table_add_column(table, "until", "s", TABLE_REAL);
	for (size_t i = 0; i < list->num; i++) {
		uncore_metrics_at(list->set, list->chosen[i], &metric);
		table_add_column(table, metric.name, metric.unit, TABLE_NUMBER);
	}
	for (unsigned step = 0; step < num_steps && !status; step++) {
		size_t row = table_add_row(table);

		table_set(table, row, 0, step * length);
		table_set(table, row, 1, (step + 1) * length);
		for (size_t i = 0; i < list->num; i++)
			table_set(table, row, 2 + i,
				  values[step * list->num + i]);
	}
	free(values);
	return status;
}

int reader_metrics(struct reader *reader, const struct reader_metrics *wanted,
		   unsigned num_steps, struct table *table)
{
	struct metric_list list = { 0 };
	int status = reader_metric_list(reader, wanted, &list);

	if (!status && num_steps && list.num + 2 > TABLE_MAX_COLUMNS)
		status = tool_fail(TOOL_USAGE,
				   "too many metrics over time: name some with "
				   "-M");
	if (!status)
		status = num_steps ? fill_steps(reader, &list, num_steps, table)
				   : fill_whole(reader, &list, table);
	metrics_close(&list);
	return status;
}
