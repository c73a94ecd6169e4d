/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A row of a vendor's list of events, and what perf makes of it:
 * docs/machines.md has the whole map.
 */
#ifndef UNCORE_PERF_KEYS_H
#define UNCORE_PERF_KEYS_H

#include <json-c/json.h>

#include "perf/pmus.h"

/* The text that a row has for a key, NULL if none. */
const char *perf_key_text(struct json_object *row, const char *key);

/* Whether the row is for the PMU, by its "Unit" and "Compat". */
bool perf_keys_match(const struct perf_tree *tree, const char *pmu,
		     struct json_object *row);

/* The terms of the row for a box, to be freed; NULL where they are not all
 * understood or the PMU has no room for them, with the reason in *why, to be
 * freed. Both NULL without memory. */
char *perf_keys_terms(struct json_object *row, const struct perf_box *box,
		      char **why);

#endif
