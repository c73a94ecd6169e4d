/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording: as many steps as it has intervals, each of the same length, with
 * the figures that `uncore report --by=trend` has for them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/reader.h"
#include "tool/run.h"
#include "tool/tool.h"
#include "top.h"

enum { MOST_STEPS = 5000 };

struct file {
	struct top *top;
	struct reader reader; /* of the machine */
	struct metric_list list;
	unsigned num_steps, num_sockets;
};

static int count_steps(struct file *file, bool is_table)
{
	size_t num;
	int status = reader_intervals(&file->reader, &num);

	if (is_table && num) /* of all of it */
		num = 1;
	file->num_steps = num > MOST_STEPS ? MOST_STEPS : (unsigned)num;
	if (!status && !num)
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
		uncore_recording_meta(file->reader.recording, "clock_hz");
	const struct uncore_metric_counts counts = {
		.num_sockets = file->num_sockets,
		.seconds = seconds,
		.cycles = clock ? seconds * atof(clock) : NAN,
	};
	const struct uncore_metric_scope scope = { socket, -1 };

	return uncore_metrics_most(file->list.set, file->list.chosen[figure],
				   &counts, &scope);
}

/* The values of the steps in one column. */
static int read_column(struct file *file, struct reader *reader, size_t column)
{
	struct top_past *past = &file->top->past;
	size_t num = past->num_figures;
	double *values;
	int status =
		reader_values(reader, &file->list, file->num_steps, &values);

	for (size_t i = 0; i < file->num_steps * num && !status; i++)
		if (!column || past->figures[i % num].is_split)
			top_past_put(past, i / num, i % num, column, values[i]);
	free(values);
	return status;
}

static int read_machine(struct file *file)
{
	const struct top_settings *settings = file->top->settings;
	struct top_past *past = &file->top->past;
	double length = file->reader.seconds / file->num_steps;
	int status = reader_metric_list(
		&file->reader,
		&(struct reader_metrics){ settings->metrics,
					  &settings->metric_files },
		&file->list);

	if (!status && !file->list.num)
		status = tool_fail(TOOL_USAGE,
				   "%s: there is no metric whose events were "
				   "all recorded; 'uncore report' shows the "
				   "events",
				   settings->recording);
	file->top->list = &file->list;
	if (status)
		return status;
	top_past_open(past, &file->list, file->num_sockets);
	top_past_limit(past, most, file);
	for (unsigned i = 0; i < file->num_steps; i++)
		top_past_add(past, (i + 1) * length,
			     (i + 1) * length - i * length);
	return read_column(file, &file->reader, 0);
}

static int read_socket(struct file *file, unsigned socket)
{
	struct reader reader = { 0 };
	int status = reader_open(&reader, file->top->settings->recording,
				 (int)socket);

	if (!status)
		status = read_column(file, &reader, 1 + socket);
	reader_close(&reader);
	return status;
}

/* A copy of what it says of itself, to be freed. */
static char *meta(const struct file *file, const char *key, const char *other)
{
	const char *text = uncore_recording_meta(file->reader.recording, key);

	return tool_copy(text ? text : other);
}

static int describe(struct file *file)
{
	struct top *top = file->top;
	char *machine = meta(file, "machine", TOOL_DEFAULT_MACHINE);
	char *origin = meta(file, "origin", "recorded");
	char *what = meta(file, "what", "nobody says what");

	top->family = reader_family(&file->reader);
	top->title = top_title(machine, origin, what);
	top->minute = 60;
	snprintf(top->line, sizeof(top->line), "of %.6g s in %u step%s; %s",
		 file->reader.seconds, file->num_steps,
		 file->num_steps == 1 ? "" : "s", top->settings->recording);
	free(machine);
	free(origin);
	free(what);
	return top->family ? TOOL_OK : TOOL_USAGE;
}

static int open_file(struct file *file, bool is_table)
{
	const char *sockets;
	int status =
		reader_open(&file->reader, file->top->settings->recording, -1);

	if (status)
		return status;
	sockets = uncore_recording_meta(file->reader.recording, "sockets");
	file->num_sockets = sockets ? (unsigned)strtoul(sockets, NULL, 10) : 0;
	if (!file->num_sockets)
		file->num_sockets = file->reader.num_sockets;
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
	int status = top_term_open(&top->screen);

	if (status)
		return status;
	run_catch_signals(&run);
	top_look(top);
	top_page_close();
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
	reader_close(&file.reader);
	return status;
}
