/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore export`: what was asked of it, and what is open while it runs.
 */
#ifndef UNCORE_TOOL_EXPORT_H
#define UNCORE_TOOL_EXPORT_H

#include <stdbool.h>

#include "export_http.h"
#include "export_view.h"
#include "tool/event_list.h"
#include "tool/monitor.h"
#include "tool/target.h"

struct export_settings {
	struct target_settings target;
	struct event_list events;
	const char *metrics; /* NULL: none given */
	struct option_texts metric_files;
	const char *listen, *textfile;
	struct option_texts hosts;
	const char *interval;
	double interval_seconds; /* the same, or what it is if not given */
	bool once, no_multiplex, takes_turns, force;
};

/* Everything that must be undone at the end. */
struct export
{
	const struct export_settings *settings;
	struct monitor monitor;
	struct export_view view;
	struct export_self self;
	struct export_site site;
	struct export_http *http; /* NULL: none */
	bool is_well;		  /* the last sweep could read the counters */
	double due_seconds;	  /* CLOCK_MONOTONIC, of the next sweep */
	double swept_seconds;	  /* the same, as the last one began */
	int status;		  /* of what had to be written and was not */
};

/* Counters, pages, socket: an exit code. In any case export_close() is to be
 * called, which returns status, what --check found, or the program's. */
int export_open(struct export *export);
int export_close(struct export *export, int status);

/* Tells what is counted until it ends, or whoever started it has enough; an
 * exit code. */
int export_run(struct export *export);

#endif
