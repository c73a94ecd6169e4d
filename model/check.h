/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The parts of the model's look at itself; see check.c.
 */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct uncore_model;
struct llc;
struct llc_way;
struct watch;

/* Keeps the first sentence and logs it; any other one is freed. */
void model_violate(struct uncore_model *model, char *text);

/* A node's copy of a line, or NULL. */
struct llc_way *model_way(const struct uncore_model *model, unsigned node,
			  uint64_t line);

/* The slice or its core has written to its copy. */
bool model_is_modified(const struct llc_way *way);

/* check_rest.c: a machine at rest has everything back; harmless at others. */
void model_check_rest(struct uncore_model *model);

/* check_watch.c: every request completes. Remembers which requests were under
 * way when it looked; NULL without memory. */
struct watch *watch_new(const struct uncore_model *model);
void watch_free(struct watch *watch);
void watch_look(struct watch *watch, struct uncore_model *model);

#endif
