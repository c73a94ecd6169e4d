/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A sweep as it is printed, by who has run it and by who has put shards of it
 * together: for people, with separators, as JSON.
 */
#ifndef UNCORE_TOOL_SWEEP_DOCUMENT_H
#define UNCORE_TOOL_SWEEP_DOCUMENT_H

#include "run.h"
#include "table.h"

#define SWEEP_SCHEMA "uncore-sweep-1"

struct sweep_document {
	const char *command;
	size_t shard, shard_of; /* shard_of 1: all of it is here */
	size_t num_grid;	/* points of all shards */
	struct run_random random;
	/* A row for each point. Its first columns are the parameters; then come
	 * figures, "NAME.error" behind those that have one; then "why" (it
	 * failed), "status" and "note" (why a figure has no value). */
	struct table points;
	size_t num_parameters;
	struct table missing; /* for people: figures without a value, and why */
};

/* Both tables are to be freed. */
void sweep_document_init(struct sweep_document *document, const char *command);
void sweep_document_free(struct sweep_document *document);

/* As --json and -x say (NULL: neither). */
void sweep_document_print(const struct sweep_document *document, bool json,
			  const char *separator, FILE *file);

/* What a note says of a figure ("NAME: REASON"); NULL: nothing. */
const char *sweep_note_on(const char *note, const char *name);

#endif
