/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options of `uncore compare`.
 */
#ifndef UNCORE_TOOL_COMPARE_SETTINGS_H
#define UNCORE_TOOL_COMPARE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "compare.h"
#include "tool/metrics.h"
#include "tool/options.h"

struct compare_settings {
	struct option_words paths; /* two, but for --merge */
	const char *by, *sort, *confidence, *fail_above, *socket, *top;
	const char *separator, *output, *html, *markdown;
	struct option_texts patterns;
	struct option_texts metric_files;
	bool changed, json, merge, replace;
	/* made of these */
	bool shows[NUM_FIGURE_KINDS];
	enum compare_order order;
	double level, limit; /* parts of 1; limit NAN: none */
	bool is_gate;	     /* --fail-above is for what is worse, or missed */
	FILE *markdown_file; /* NULL: none */
	int only_socket;     /* -1: all */
	unsigned long long most_rows;
};

extern const struct options compare_options;

/* Whether they go together, and what they mean; an exit code. */
int compare_settings_check(struct compare_settings *settings);

/* Compares both sides, which this may add rows to, and prints that to *file,
 * which is opened where it is NULL; an exit code. */
#define COMPARE_CONFIDENCE 0.99
int compare_sides(const struct compare_settings *settings,
		  struct results *sides, FILE **file);

/* --merge: prints the table of a sweep whose shards the files are; an exit
 * code. */
int compare_merge(const struct compare_settings *settings, FILE *file);

#endif
