/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Stacks of a recording for other tools. Exit codes.
 */
#ifndef UNCORE_TOOL_CALLS_H
#define UNCORE_TOOL_CALLS_H

#include <stdio.h>

struct reader;

/* A line for each stack, "main;run;work 17", as flame graphs are made of. The
 * numbers are samples; of several events the event is the outermost. */
int calls_print_folded(struct reader *reader, FILE *file);

/* In callgrind's format: events of each line of source, and of each call those
 * that happened in it; how often it was made is the samples that it was in.
 * `what` was recorded. */
int calls_print_callgrind(struct reader *reader, const char *what, FILE *file);

#endif
