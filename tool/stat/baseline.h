/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore stat --baseline`: a run against the result of an earlier one, for CI.
 * It is the comparison of `uncore compare`, whose second side is this run.
 */
#ifndef UNCORE_TOOL_BASELINE_H
#define UNCORE_TOOL_BASELINE_H

#include <stdio.h>

#include "tool/compare/compare_settings.h"

struct counting;
struct json_object;
struct report;
struct stat_settings;

struct baseline {
	struct compare_settings how;
	struct results sides[2]; /* the baseline, and this run */
	struct json_object *json;
};

/* Reads it and opens the page of Markdown, before anything runs; an exit code.
 * In any case baseline_close() is to be called, which returns one, too: status,
 * if the page can be written. */
int baseline_open(struct baseline *baseline,
		  const struct stat_settings *settings);
int baseline_close(struct baseline *baseline, int status);

/* Whether it is of the machine that is to be counted on; an exit code. */
int baseline_check(const struct baseline *baseline,
		   const struct counting *counting);

/* Compares, and prints what is different; TOOL_DIFFERS: more than is allowed.
 */
int baseline_compare(struct baseline *baseline, const struct report *report,
		     FILE *file);

#endif
