/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the kernel says of its PMUs in sysfs, as texts by path: read from a
 * folder like /sys, or from a *capture*, a text file that holds such a folder:
 *
 *     # any remark
 *     bus/event_source/devices/uncore_imc_0/type = 13
 *
 * A line is a file; what is more than a line in it is not kept.
 */
#ifndef UNCORE_PERF_TREE_H
#define UNCORE_PERF_TREE_H

#include <stddef.h>

#define PERF_DEVICES "bus/event_source/devices"

struct perf_file {
	char *path; /* below the folder */
	char *text;
};

struct perf_tree {
	struct perf_file *files; /* sorted by path */
	size_t num;
};

/* Reads what matters of a folder, or a capture. 0, or a negative UNCORE_ERR_*
 * and *error; perf_tree_free() in any case. */
int perf_tree_read(struct perf_tree *tree, const char *place, char **error);
void perf_tree_free(struct perf_tree *tree);

/* The same of the text of a capture. */
int perf_tree_parse(struct perf_tree *tree, const char *text, char **error);

/* The text of a file whose path is made as printf() does, or NULL. */
const char *perf_tree_text(const struct perf_tree *tree, const char *format,
			   ...) __attribute__((format(printf, 2, 3)));

/* The first file at or behind a path in their order; num if there is none. */
size_t perf_tree_first(const struct perf_tree *tree, const char *path);

/* The tree as a capture, to be freed; NULL without memory. */
char *perf_tree_say(const struct perf_tree *tree);

#endif
