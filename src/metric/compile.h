/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What turns the formulas of a row into trees.
 */
#ifndef UNCORE_METRIC_COMPILE_H
#define UNCORE_METRIC_COMPILE_H

#include "metric/metric.h"

struct compiler {
	struct uncore_metrics *metrics;
	struct metric_row *row;
	struct metric_tree *tree;
	const struct metric_text *text;
	const char *at; /* in text */
	unsigned depth; /* of brackets */
	unsigned lets;	/* within each other */
	int code;
	char **error;
};

/* Appends the events of a formula to the row, and its nodes to a tree. */
int compile_formula(struct compiler *compiler, const struct metric_text *text,
		    struct metric_tree *tree);

/* Works out how far the row can be split. */
int compile_split(struct compiler *compiler);

#endif
