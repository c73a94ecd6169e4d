/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Built-in traffic: small programs whose accesses can be counted by hand, one
 * per thread, each behind the private caches of its core.
 */
#ifndef UNCORE_WORKLOAD_H
#define UNCORE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "uncore/model.h"

struct workload;

/* Makes "NAME:key=value,..." for a model; NULL and *error (to be freed) when
 * the text is wrong. */
struct workload *workload_new(const struct uncore_model *model,
			      const char *spec, char **error);
void workload_free(struct workload *workload);

/* Its accesses. */
void workload_traffic(struct workload *workload,
		      struct uncore_traffic *traffic);

/* Name and help of workload number index; false past the last one. */
bool workload_describe(size_t index, const char **name, const char **help);

#endif
