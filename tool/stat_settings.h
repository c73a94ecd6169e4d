/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What was asked of `uncore stat`.
 */
#ifndef UNCORE_TOOL_STAT_SETTINGS_H
#define UNCORE_TOOL_STAT_SETTINGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "machine.h"

enum { STAT_MAX_EVENTS = 256 };

struct stat_settings {
	struct machine_settings machine;
	const char *events[STAT_MAX_EVENTS];
	size_t num_events;
	const char *workload;
	const char *replay;
	const char *region;
	const char *output;
	const char *separator;
	const char *on;
	const char *place;
	const char *seed;
	const char *cycles;
	const char *duration;
	char **program;
	bool json, per_box, per_socket;
};

/* Fills in a struct stat_settings. */
extern const struct argp stat_argp;

/* Whether all that goes together; an exit code. */
int stat_settings_check(const struct stat_settings *settings);

/* Whether a model in this process is asked for by what was said. */
bool stat_settings_want_model(const struct stat_settings *settings);

#endif
