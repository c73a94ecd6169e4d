/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Opens what `uncore export` tells, and where it tells it. All that can be
 * refused is before anything runs.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export.h"
#include "tool/subject_settings.h"
#include "tool/tool.h"
#include "uncore/error.h"

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
		.page = export_page,
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
	int status;

	export->counting = (struct counting_settings){
		.subject = &settings->subject,
		.events = &settings->events,
		.metrics = settings->metrics,
		.metric_files = &settings->metric_files,
		.no_multiplex = settings->no_multiplex,
		.takes_turns = settings->takes_turns,
		.force = settings->force,
	};
	if (settings->textfile)
		warn_of_name(settings->textfile);
	status = watch_open(&export->watch, &export->counting, "uncore export");
	if (!status)
		status = export_view_open(&export->view, &export->watch);
	if (!status && settings->listen)
		status = open_http(export);
	export->self.started_seconds = (double)time(NULL);
	export->self.is_counting = true;
	return status;
}

int export_close(struct export *export, int status)
{
	int stopped = watch_stop(&export->watch);

	export_http_close(export->http);
	export_view_close(&export->view);
	status = status ? status : stopped;
	status = watch_close(&export->watch, status);
	return status ? status : export->watch.exit_status;
}
