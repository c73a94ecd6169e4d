/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording: as many steps as it has intervals, each of the same length, with
 * the figures that `uncore report --by=trend` has for them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/history.h"
#include "tool/run.h"
#include "tool/tool.h"
#include "top.h"
#include "uncore/error.h"

enum { MOST_STEPS = 5000 };

struct file {
	struct top *top;
	struct history history; /* of the machine */
	struct metric_list list;
	unsigned num_steps, num_sockets;
};

struct times {
	double last;
	unsigned num;
};

static void count_times(void *context, const struct uncore_sample *sample,
			const struct uncore_sample_count *counts,
			size_t num_counts)
{
	struct times *times = context;

	(void)counts;
	if (!num_counts || sample->seconds <= times->last)
		return;
	times->last = sample->seconds;
	times->num++;
}

static int count_steps(struct file *file, bool is_table)
{
	struct times times = { 0 };
	int status = history_each(&file->history, count_times, &times);

	if (is_table && times.num) /* of all of it */
		times.num = 1;
	file->num_steps = times.num > MOST_STEPS ? MOST_STEPS : times.num;
	if (!status && !times.num)
		status = tool_fail(TOOL_USAGE,
				   "%s: the recording holds no counts",
				   file->top->settings->recording);
	return status;
}

/* Without counts: where a limit is made of them, there is none. */
static double most(const void *of, size_t figure, int socket, double seconds)
{
	const struct file *file = of;
	const char *clock =
		uncore_recording_meta(file->history.recording, "clock_hz");
	const struct uncore_metric_counts counts = {
		.num_sockets = file->num_sockets,
		.seconds = seconds,
		.cycles = clock ? seconds * atof(clock) : NAN,
	};
	const struct uncore_metric_scope scope = { socket, -1 };

	return uncore_metrics_most(file->list.set, file->list.chosen[figure],
				   &counts, &scope);
}

/* Figures for the columns of a table behind the two of time. */
static int choose(struct file *file, const struct table *table)
{
	struct top *top = file->top;
	struct uncore_metric metric;
	size_t num = 0;
	int status = metrics_open(top->family, &top->settings->metric_files,
				  "all", NULL, &file->list);

	if (status)
		return status;
	file->list.chosen = reallocarray(file->list.chosen, table->num_columns,
					 sizeof(size_t));
	if (!file->list.chosen)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	for (size_t c = 2; c < table->num_columns; c++)
		for (size_t i = 0;
		     uncore_metrics_at(file->list.set, i, &metric); i++)
			if (!strcmp(metric.name, table->columns[c].name)) {
				file->list.chosen[num++] = i;
				break;
			}
	file->list.num = num;
	top->list = &file->list;
	if (!num)
		return tool_fail(TOOL_USAGE,
				 "%s: there is no metric whose events were all "
				 "recorded; 'uncore report' shows the events",
				 top->settings->recording);
	status = top_past_open(&top->past, &file->list, file->num_sockets);
	if (!status)
		top_past_limit(&top->past, &(struct top_limits){ most, file });
	return status;
}

static int make_table(const struct file *file, struct history *history,
		      struct table *table)
{
	const struct top_settings *settings = file->top->settings;
	const struct history_metrics wanted = { settings->metrics,
						&settings->metric_files };

	return history_metrics(history, &wanted, file->num_steps, table);
}

/* The values of the steps in one column. */
static void put_column(struct file *file, const struct table *table,
		       size_t column)
{
	struct top_past *past = &file->top->past;

	for (size_t step = 0; step < table->num_rows; step++)
		for (size_t i = 0; i < past->num_figures; i++)
			if (!column || past->figures[i].is_split)
				top_past_put(past, step, i, column,
					     table_get(table, step, 2 + i));
}

static int read_machine(struct file *file)
{
	struct top_past *past = &file->top->past;
	struct table table = { 0 };
	int status = make_table(file, &file->history, &table);

	if (!status)
		status = choose(file, &table);
	for (size_t i = 0; i < table.num_rows && !status; i++) {
		double from = table_get(&table, i, 0);
		double until = table_get(&table, i, 1);

		if (!top_past_add(past, until, until - from))
			status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	if (!status)
		put_column(file, &table, 0);
	table_free(&table);
	return status;
}

static int read_socket(struct file *file, unsigned socket)
{
	struct history history = { 0 };
	struct table table = { 0 };
	int status = history_open(&history, file->top->settings->recording,
				  (int)socket);

	if (!status)
		status = make_table(file, &history, &table);
	if (!status)
		put_column(file, &table, 1 + socket);
	table_free(&table);
	history_close(&history);
	return status;
}

/* A copy of what it says of itself, to be freed; NULL without memory. */
static char *meta(const struct file *file, const char *key, const char *other)
{
	const char *text = uncore_recording_meta(file->history.recording, key);

	return strdup(text ? text : other);
}

static int describe(struct file *file)
{
	struct top *top = file->top;
	char *machine = meta(file, "machine", TOOL_DEFAULT_MACHINE);
	char *origin = meta(file, "origin", "recorded");
	char *what = meta(file, "what", "nobody says what");

	if (machine && origin && what) {
		top->family = history_family(&file->history);
		top->title = top_title(machine, origin, what);
	}
	free(machine);
	free(origin);
	free(what);
	top->minute = 60;
	snprintf(top->line, sizeof(top->line), "of %.6g s in %u step%s; %s",
		 file->history.seconds, file->num_steps,
		 file->num_steps == 1 ? "" : "s", top->settings->recording);
	return top->family ? TOOL_OK : TOOL_USAGE;
}

static int open_file(struct file *file, bool is_table)
{
	const char *sockets;
	int status = history_open(&file->history,
				  file->top->settings->recording, -1);

	if (status)
		return status;
	sockets = uncore_recording_meta(file->history.recording, "sockets");
	file->num_sockets = sockets ? (unsigned)strtoul(sockets, NULL, 10) : 0;
	if (!file->num_sockets)
		file->num_sockets = file->history.num_sockets;
	status = count_steps(file, is_table);
	if (!status)
		status = describe(file);
	if (!status)
		status = read_machine(file);
	for (unsigned i = 0; i < file->num_sockets && !status; i++)
		status = read_socket(file, i);
	return status;
}

static int show_screen(struct top *top)
{
	struct run run = { 0 };
	int status = top_term_open(&top->screen), key = -1;

	if (status)
		return status;
	run_catch_signals(&run);
	do
		top_draw(top);
	while (((key = top_term_key(3600)) < 0 || top_answer(top, key)) &&
	       !run_was_interrupted());
	top_page_close(top);
	top_term_close();
	return TOOL_OK;
}

int top_file(struct top *top, bool is_table)
{
	struct file file = { .top = top };
	int status = open_file(&file, is_table);

	if (!status)
		status = is_table ? top_table(top, stdout) : show_screen(top);
	top_past_free(&top->past);
	metrics_close(&file.list);
	free(top->title);
	history_close(&file.history);
	return status;
}
