/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What somebody who counts must be let do with MSRs.
 */
#ifndef UNCORE_TOOL_ALLOWLIST_H
#define UNCORE_TOOL_ALLOWLIST_H

#include <stdbool.h>
#include <stdio.h>

struct uncore_family;

/* All MSRs of a family's uncore, each with the bits that a write may change, as
 * text for msr-safe or as JSON. An exit code. */
int allowlist_print(const struct uncore_family *family, bool json, FILE *file);

#endif
