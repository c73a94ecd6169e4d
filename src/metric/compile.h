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

/* Says what is wrong at a place of the present text, once; no node (-1). */
int compile_fail(struct compiler *compiler, const char *at, const char *format,
		 ...) __attribute__((format(printf, 3, 4)));
int compile_no_memory(struct compiler *compiler);

/* Nodes, or -1: one as it is; the event of a text, which is kept; the
 * formula of a let; what a name stands for; a function over the boxes of
 * its argument. */
int compile_node(struct compiler *compiler, struct metric_node node);
int compile_event(struct compiler *compiler, const char *at, const char *text);
int compile_let(struct compiler *compiler, const char *at,
		const struct metric_key *key);
int compile_name(struct compiler *compiler, const char *at, size_t length);
int compile_over_boxes(struct compiler *compiler, const char *at,
		       enum metric_op op, int argument);

/* Whether the first bytes of a text, length of them, are a name. */
bool compile_is(const char *name, size_t length, const char *wanted);

/* Works out how far the row can be split. */
int compile_split(struct compiler *compiler);

#endif
