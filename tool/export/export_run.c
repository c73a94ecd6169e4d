/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The loop of `uncore export`: what is watched goes on, and a sweep is made
 * whenever somebody asks or one is due.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "tool/run.h"
#include "tool/span.h"
#include "tool/tool.h"
#include "uncore/target.h"

enum { INTERVAL_SECONDS = 10 };
#define ONCE_SECONDS 1.0
/* A model in this process works so long between two looks at who asks. */
#define WORK_SECONDS 0.02
/* Between two looks whether a signal came just before it was waited for. */
#define LOOK_SECONDS 0.5

static double interval_of(const struct export *export)
{
	return export->settings->interval_seconds > 0
		       ? export->settings->interval_seconds
		       : INTERVAL_SECONDS;
}

static void write_text(struct export *export, bool is_open_metrics, FILE *file)
{
	struct export_text text = { .file = file,
				    .is_open_metrics = is_open_metrics };

	export_view_write(&export->view, &export->self, &text);
}

/* The contents of one page; without memory there are none. */
static void make_page(struct export *export, enum export_page page,
		      struct export_content *content)
{
	FILE *file = open_memstream(&content->bytes, &content->size);

	if (!file)
		return;
	if (page == EXPORT_HEALTH)
		fputs("ok\n", file);
	else
		write_text(export, page == EXPORT_OPEN_METRICS, file);
	if (fclose(file)) {
		free(content->bytes);
		*content = (struct export_content){ 0 };
	}
}

static void take_stats(struct export *export)
{
	struct export_http_stats stats = { 0 };

	if (export->http)
		export_http_stats(export->http, &stats);
	export->self.scrapes = stats.scrapes;
	export->self.refused = stats.refused;
	export->self.dropped = stats.dropped;
	export->self.clients = stats.clients;
	export_self_take(&export->self);
}

/* Counters that cannot be read now may be read later: what is there is told to
 * be unwell, and it goes on. */
static void sweep(struct export *export)
{
	int status = watch_sweep(&export->watch);

	export->is_well = !status;
	export->due_seconds = span_now_seconds() + interval_of(export);
	if (status) {
		export->self.failed_sweeps++;
		return;
	}
	export->self.sweeps++;
	export->self.sweep_seconds += export->watch.sweep_seconds;
	take_stats(export);
	export_view_take(&export->view);
}

static void publish(struct export *export, uint64_t swept_ns)
{
	struct export_pages pages = { .swept_ns = swept_ns };

	for (unsigned i = 0; i < NUM_EXPORT_PAGES && export->is_well; i++)
		make_page(export, (enum export_page)i, &pages.list[i]);
	export_http_publish(export->http, &pages);
}

static int write_file(struct export *export)
{
	const char *name = export->settings->textfile;
	FILE *file;
	int status = tool_open_new(name, &file);

	if (!status) {
		write_text(export, false, file);
		status = tool_finish(TOOL_OK, file, name);
	}
	export->self.failed_files += status != 0;
	return status;
}

/* What went wrong with the registers themselves, or "". */
static const char *target_error(const struct export *export)
{
	return uncore_target_error(export->watch.counting.subject.target);
}

/* What is due, or wanted. The first file has to be written; registers that are
 * gone do not come back. */
static int look(struct export *export, bool is_wanted)
{
	uint64_t now_ns = span_now_ns();
	bool is_due = span_now_seconds() >= export->due_seconds;
	bool is_first = !export->self.sweeps;
	int status = TOOL_OK;

	if (!is_wanted && !is_due)
		return TOOL_OK;
	sweep(export);
	if (!export->is_well && *target_error(export))
		return TOOL_FAILED;
	if (is_wanted)
		publish(export, now_ns);
	if (is_due && export->settings->textfile && export->is_well)
		status = write_file(export);
	return is_first ? status : TOOL_OK;
}

static double patience(const struct export *export, double most)
{
	double left = export->due_seconds - span_now_seconds();

	return fmax(0, fmin(fmin(left, most), LOOK_SECONDS));
}

/* Until it has ended. */
static int count(struct export *export)
{
	int status = TOOL_OK;

	while (!status && !export->watch.is_over) {
		double wait = watch_tend(&export->watch, WORK_SECONDS, &status);

		if (status || export->watch.is_over)
			break;
		status = look(export, export_http_wait(export->http,
						       patience(export, wait)));
	}
	return status;
}

/* Whether it stays to tell what has been counted. */
static bool stays(const struct export *export)
{
	const struct subject_settings *subject = &export->settings->subject;

	return !export->settings->once && !subject->program &&
	       !subject->duration && !run_was_interrupted();
}

static int tell(struct export *export)
{
	struct uncore_target *target = export->watch.counting.subject.target;
	struct uncore_target_status found;
	int status = TOOL_OK;

	export->self.is_counting = false;
	export->due_seconds = 0;
	while (!status && !run_was_interrupted()) {
		uncore_target_status(target, &found); /* is it still there? */
		if (*target_error(export))
			return tool_fail(TOOL_FAILED, "%s",
					 target_error(export));
		status = look(export, export_http_wait(export->http,
						       patience(export, 1)));
	}
	return status;
}

static int print_once(struct export *export)
{
	bool is_model = export->watch.counting.subject.model;
	double seconds = export->settings->interval_seconds;
	double end = INFINITY;
	int status = TOOL_OK;

	if (seconds > 0 || (!is_model && !export->settings->subject.program &&
			    !export->settings->subject.duration))
		end = span_now_seconds() +
		      (seconds > 0 ? seconds : ONCE_SECONDS);
	while (!status && !export->watch.is_over && span_now_seconds() < end) {
		double wait = watch_tend(&export->watch, WORK_SECONDS, &status);

		export_http_wait(NULL, fmax(0, fmin(wait, LOOK_SECONDS)));
	}
	export->self.is_counting = !export->watch.is_over;
	if (!status)
		sweep(export);
	if (!status && !export->is_well)
		return TOOL_FAILED;
	if (!status)
		write_text(export, false, stdout);
	return tool_finish(status, stdout, NULL);
}

int export_run(struct export *export)
{
	int status = watch_start(&export->watch);

	if (status)
		return status;
	if (export->settings->once)
		return print_once(export);
	status = count(export);
	if (!status && stays(export))
		status = tell(export);
	if (status || *target_error(export))
		return status;
	export->self.is_counting = false;
	if (export->settings->textfile) {
		sweep(export);
		status = write_file(export);
	}
	return status;
}
