/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The inside of a set of metrics. Files are read into rows first (read.c); when
 * all files of a family have been read, formulas are compiled (compile.c), so
 * that a later file may give another meaning to a key of an earlier one. For
 * families that are known when the library is built, tools/genmetrics.py has
 * done so: a set begins as a copy of a table (set.c).
 */
#ifndef UNCORE_METRIC_METRIC_H
#define UNCORE_METRIC_METRIC_H

#include "base/arena.h"
#include "uncore/metric.h"

/* A built-in file: data/FAMILY/metrics.txt. */
struct metric_file {
	const char *family;
	const char *name;		    /* for messages */
	const struct uncore_metrics *table; /* what it makes; NULL: text only */
	const char *text;
};

/* All of them, ended by a NULL family; generated. */
extern const struct metric_file metric_files[];

/* $NAME and what stands for it in one copy of a row. */
struct metric_binding {
	char name[32];
	char value[96];
};

enum { METRIC_MAX_BINDINGS = 6 };

/* A piece of a file, and where it stood. */
struct metric_text {
	char *text; /* NULL: none */
	char *raw;  /* before $NAMEs were replaced; NULL: the same */
	const char *file;
	unsigned line, column;
	size_t offset; /* of text in the line that raw was made into */
};

enum metric_op {
	OP_NUMBER,
	OP_FACT,    /* number: its index */
	OP_BOXES,   /* instances of a type in the scope */
	OP_SOCKETS, /* in the scope */
	OP_SECONDS,
	OP_CYCLES,
	OP_CLOCK,
	OP_INSTRUCTIONS,
	OP_EVENT, /* first: its index in the metric */
	OP_NEGATE,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_LARGER, /* of two values */
	OP_SMALLER,
	OP_MAX, /* over boxes */
	OP_MIN,
	OP_MEAN,
	OP_SOCKET_SUM, /* over sockets, each evaluated by itself */
};

struct metric_node {
	enum metric_op op;
	double number;
	int first, second; /* nodes; of OP_EVENT: the event */
	const char *box;   /* of the over-boxes functions and OP_BOXES */
};

/* A formula as a tree; root -1: there is none. */
struct metric_tree {
	const struct metric_node *nodes;
	size_t num_nodes;
	int root;
};

/* A warning: the value is doubtful where left > right. */
struct metric_doubt {
	struct metric_text left, right;
	char *why;
	struct metric_tree left_tree, right_tree;
};

struct metric_event {
	const char *text;
	const char *box;
};

enum { METRIC_MAX_DOUBTS = 3, METRIC_MAX_EVENTS = 64 };

struct metric_row {
	char *name, *title, *categories, *unit, *source;
	char *includes, *excludes, *note;
	const char *file;
	unsigned line;
	enum uncore_metric_kind kind;
	int split; /* enum uncore_metric_split; -1: as far as it goes */
	const char *box;
	struct metric_text formula, minimum, maximum;
	struct metric_tree tree, minimum_tree, maximum_tree;
	const struct metric_doubt *doubts;
	size_t num_doubts;
	const struct metric_event *events;
	size_t num_events;
	struct metric_binding *bindings;
	size_t num_bindings;
	const size_t *keys; /* that its formulas name: places in the set */
	size_t num_keys;
	bool compiled;
};

/* What is shown of a category where not all of it is asked for. */
struct metric_category {
	char *name, *title;
	char *shows; /* names, with commas and blanks between them */
};

enum metric_key_kind { KEY_EVENT, KEY_LET, KEY_FACT };

/* A name in formulas. */
struct metric_key {
	enum metric_key_kind kind;
	char *name;
	struct metric_text text; /* of an event or a sub-formula */
	char *unit, *title, *param;
	char *number; /* of a fact, as it was written */
	double value;
};

struct uncore_metrics {
	const struct uncore_family *family;
	struct arena arena; /* of all that is no table's */
	struct metric_row **rows;
	size_t num_rows;
	struct metric_key *keys;
	size_t num_keys;
	struct metric_category *categories;
	size_t num_categories;
};

/* Rows about the bytes that memory moves, of what a live family's events say of
 * them; "" or NULL where they say nothing. To be freed. */
char *metric_of_memory(const struct uncore_family *family);

/* Adds the rows of a text; `name` is that of its file; depth 0: a file that may
 * have a base. */
int metric_read(struct uncore_metrics *metrics, const char *name,
		const char *text, unsigned depth, char **error);

/* Compiles what is not compiled yet. */
int metric_compile(struct uncore_metrics *metrics, char **error);

/* The latest key of a name, or NULL. */
const struct metric_key *metric_key_find(const struct uncore_metrics *metrics,
					 const char *name, size_t length);

/* "FILE:LINE:COLUMN: ..." for the byte `offset` of a text; returns the code of
 * a bad metric. */
int metric_fail(char **error, const struct metric_text *text, size_t offset,
		const struct metric_row *row, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* A copy of a text with each $NAME replaced; the byte of it that byte `offset`
 * of the copy comes from is stored in *origin if not NULL. NULL: no memory. */
char *metric_expand(const char *text, const struct metric_binding *bindings,
		    size_t num_bindings, size_t offset, size_t *origin);

#endif
