/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "guest_demo.h"

#include <stdlib.h>

#include "tool.h"

int guest_demo_prepare(struct guest_demo *demo,
		       struct uncore_guest_config *config)
{
	(void)demo, (void)config;
	return tool_fail(TOOL_FAILED, "the demo is not there");
}

int guest_demo_finish(struct guest_demo *demo, int status)
{
	(void)demo;
	return status;
}
