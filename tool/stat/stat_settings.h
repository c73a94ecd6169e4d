/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What was asked of `uncore stat`.
 */
#ifndef UNCORE_TOOL_STAT_SETTINGS_H
#define UNCORE_TOOL_STAT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/event_list.h"
#include "tool/metrics.h"
#include "tool/target.h"

enum { STAT_MAX_RUNS = 1000 };

/* Seconds, of the model where there is one; 0: not asked for. */
struct stat_times {
	double interval;
	double delay;
	double timeout;
};

struct stat_settings {
	struct target_settings target;
	struct event_list events;
	const char *metrics; /* names and categories; NULL: none given */
	struct option_texts metric_files;
	struct option_texts sweeps;
	const char *jobs, *shard;
	size_t num_jobs, shard_index, shard_of; /* the same */
	const char *output, *html, *log_fd;
	const char *baseline, *fail_above, *markdown;
	const char *separator;
	const char *repeat;
	unsigned runs; /* the same */
	const char *interval, *delay, *timeout;
	struct stat_times times; /* the same */
	bool json, per_box, per_socket, zeros, appends, replace, is_verbose;
	bool no_multiplex, takes_turns, force;
	bool all_cpus; /* as perf has it; it says nothing here */
};

/* Fills in a struct stat_settings. */
extern const struct options stat_options;

/* Whether the ways to print go together; an exit code. */
int stat_settings_check(struct stat_settings *settings);

#endif
