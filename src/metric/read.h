/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What reads a file of metrics: rows of all kinds (read.c), and the blocks of
 * lines that a metric is (block.c).
 */
#ifndef UNCORE_METRIC_READ_H
#define UNCORE_METRIC_READ_H

#include "metric/metric.h"
#include "metric/words.h"

enum { BLOCK_MAX_LINES = 16 };

struct block_line {
	unsigned line;
	char *text;
};

struct reader {
	struct uncore_metrics *metrics;
	const char *file;
	const char *text; /* the present line, and what follows */
	size_t length;	  /* of the present line */
	unsigned line;
	bool skips;	/* what follows is of machines with another event */
	unsigned depth; /* 1: the file is the base of another one */
	char **error;
	/* The metric whose lines are being gathered; [0] is its first. */
	struct block_line block[BLOCK_MAX_LINES];
	size_t num_lines;
};

/* Fails at a word of the present line (NULL: at its first column). */
int reader_fail(struct reader *reader, const struct word *word,
		const char *what);

/* A line that begins a metric, and one that goes on with it. */
int reader_metric(struct reader *reader, const struct words *words);
int reader_child(struct reader *reader, const struct words *words);

/* Makes metrics of the lines gathered so far. */
int reader_block_end(struct reader *reader);

#endif
