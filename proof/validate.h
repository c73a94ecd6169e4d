/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Figures published for real machines, and the model's.
 */
#ifndef UNCORE_PROOF_VALIDATE_H
#define UNCORE_PROOF_VALIDATE_H

#include <stdbool.h>

#include "proof/proof.h"

/* Measures the figures of a machine (NULL: of all), those that take long where
 * they are asked for; *rows ends with a row without a metric and lives as long
 * as the program. A TOOL_* status. */
int validate_measure(const char *machine, bool with_long,
		     const struct validate_row **rows);

/* The same of the pairs of loops whose names fit a pattern, as the shell has
 * them: each is a row. None fits: TOOL_USAGE. */
int validate_measure_pairs(const char *machine, const char *pattern,
			   const struct validate_row **rows);

/* Of a row that says how it is measured: its value before another figure is
 * taken off, or divides it. */
int validate_measure_row(struct validate_row *row);

/* The next figure of such a machine from *index on, which is left behind it, or
 * NULL. */
const struct validate_row *validate_next(const char *machine, unsigned *index);

/* Whether it is measured on such a machine; NULL: any. */
bool validate_is_of(const struct validate_row *row, const char *machine);

#endif
