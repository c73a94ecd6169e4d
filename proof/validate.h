/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Figures published for real machines, and the model's.
 */
#ifndef UNCORE_PROOF_VALIDATE_H
#define UNCORE_PROOF_VALIDATE_H

#include "proof/proof.h"

/* Measures the figures of a machine (NULL: of all); *rows ends with a row
 * without a metric and lives as long as the program. A TOOL_* status. */
int validate_measure(const char *machine, const struct validate_row **rows);

#endif
