/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The loop of `uncore export`: what is watched goes on, and a sweep is made
 * whenever somebody asks or one is due. All that can be refused is before
 * anything runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export.h"
#include "tool/native.h"
#include "tool/run.h"
#include "tool/tool.h"
#include "uncore/uncore.h"

/* So old a page may be: who asks again within this time gets the same. */
#define OLDEST_SECONDS 0.2
/* Between two looks whether a signal came just before it was waited for. */
#define LOOK_SECONDS 0.5

static void write_text(struct export *export, bool is_open_metrics, FILE *file)
{
	struct export_text text = { .file = file,
				    .is_open_metrics = is_open_metrics };

	export_view_write(&export->view, &export->self, &text);
}

/* Counters that cannot be read now may be read later: what is there is told to
 * be unwell, and it goes on. */
static void sweep(struct export *export)
{
	int status;

	export->swept_seconds = wall_seconds();
	status = monitor_sweep(&export->monitor);
	export->is_well = !status;
	export->due_seconds =
		wall_seconds() + export->settings->interval_seconds;
	if (status) {
		export->self.failed_sweeps++;
		return;
	}
	export->self.sweeps++;
	export->self.sweep_seconds += export->monitor.sweep_seconds;
	export->self.http = export_http_stats(export->http);
	export_view_take(&export->view);
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
	return uncore_target_error(export->monitor.counting.target.registers);
}

/* What is due. The first file has to be written; registers that are gone do not
 * come back. */
static int look(struct export *export)
{
	bool is_first = !export->self.sweeps;
	int status = TOOL_OK;

	if (wall_seconds() < export->due_seconds)
		return TOOL_OK;
	sweep(export);
	if (!export->is_well && *target_error(export))
		return TOOL_FAILED;
	if (export->settings->textfile && export->is_well)
		status = write_file(export);
	return is_first ? status : TOOL_OK;
}

/* All who ask within a short time get the same. */
static bool write_page(void *context, enum export_page page, FILE *file)
{
	struct export *export = context;

	if (!export->status &&
	    wall_seconds() > export->swept_seconds + OLDEST_SECONDS) {
		sweep(export);
		if (!export->is_well && *target_error(export))
			export->status = TOOL_FAILED;
	}
	if (export->is_well && page == EXPORT_HEALTH)
		fputs("ok\n", file);
	else if (export->is_well)
		write_text(export, page == EXPORT_OPEN_METRICS, file);
	return export->is_well;
}

static double patience(const struct export *export, double most)
{
	double left = export->due_seconds - wall_seconds();

	return fmax(0, fmin(fmin(left, most), LOOK_SECONDS));
}

/* Waits for who asks; false: a sweep failed that had to be. */
static bool answer(void *context, double seconds)
{
	struct export *export = context;

	export_http_wait(export->http, patience(export, seconds));
	if (!export->status)
		export->status = look(export);
	return !export->status;
}

/* Whether it stays to tell what has been counted. */
static bool stays(const struct export *export)
{
	const struct target_settings *target = &export->settings->target;

	return !export->settings->once && !target->program &&
	       !target->duration && !run_was_interrupted();
}

static int tell(struct export *export)
{
	struct uncore_target *target =
		export->monitor.counting.target.registers;
	struct uncore_target_status found;

	export->self.is_counting = false;
	export->due_seconds = 0;
	while (!run_was_interrupted() && !export->status) {
		uncore_target_status(target, &found); /* is it still there? */
		if (*target_error(export))
			return tool_fail(TOOL_FAILED, "%s",
					 target_error(export));
		answer(export, 1);
	}
	return export->status;
}

static bool wait_once(void *context, double seconds)
{
	const struct export *export = context;

	export_http_wait(NULL, fmax(0, fmin(seconds, LOOK_SECONDS)));
	return wall_seconds() < export->due_seconds;
}

static int print_once(struct export *export)
{
	const struct target_settings *target = &export->settings->target;
	bool ends = export->monitor.counting.target.model || target->program ||
		    target->duration;
	bool is_asked = export->settings->interval;
	int status;

	export->due_seconds =
		is_asked || !ends
			? wall_seconds() + export->settings->interval_seconds
			: INFINITY;
	status = monitor_drive(&export->monitor, wait_once, export);
	export->self.is_counting = !export->monitor.is_over;
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
	int status = monitor_start(&export->monitor);

	if (status)
		return status;
	if (export->settings->once)
		return print_once(export);
	status = monitor_drive(&export->monitor, answer, export);
	status = status ? status : export->status;
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

static int open_http(struct export *export)
{
	const struct export_settings *settings = export->settings;
	char url[EXPORT_URL_BYTES];
	bool is_open;
	int status;

	export->site = (struct export_site){
		.where = settings->listen,
		.names = settings->hosts.list,
		.num_names = settings->hosts.num,
		.page = write_page,
		.context = export,
	};
	status = export_http_open(&export->site, &export->http, url, &is_open);
	if (!status)
		tool_warn("answers at %s/metrics%s", url,
			  is_open ? "; other machines can reach it, and nobody "
				    "is asked who they are"
				  : "");
	return status;
}

static void warn_of_name(const char *textfile)
{
	size_t length = strlen(textfile);

	if (length < 5 || strcmp(textfile + length - 5, ".prom"))
		tool_warn("note: node_exporter reads files whose names end "
			  "with .prom, which %s does not",
			  textfile);
}

int export_open(struct export *export)
{
	const struct export_settings *settings = export->settings;
	const struct counting_settings counting = COUNTING_OF(settings);
	int status;

	if (settings->textfile)
		warn_of_name(settings->textfile);
	status = monitor_open(&export->monitor, &counting, "uncore export");
	if (!status)
		export_view_open(&export->view, &export->monitor);
	if (!status && settings->listen)
		status = open_http(export);
	export->self.started_seconds = (double)time(NULL);
	export->self.is_counting = true;
	return status;
}

int export_close(struct export *export, int status)
{
	int stopped = monitor_stop(&export->monitor);

	export_http_close(export->http);
	export_view_close(&export->view);
	status = status ? status : stopped;
	status = monitor_close(&export->monitor, status);
	return status ? status : export->monitor.exit_status;
}
