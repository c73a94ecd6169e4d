/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a guest did, printed when it has ended.
 */
#ifndef UNCORE_TOOL_GUEST_SUMMARY_H
#define UNCORE_TOOL_GUEST_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "uncore/guest.h"

struct uncore_model;

struct guest_summary {
	struct uncore_guest_status status;
	const struct uncore_model *model;
};

void guest_summary_print(const struct guest_summary *summary, bool json,
			 FILE *file);

#endif
