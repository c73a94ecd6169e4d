/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The smallest program with libuncore: what an event's text means. install.py
 * builds it against what was installed.
 */
#include <stdio.h>
#include <uncore/uncore.h>

int main(void)
{
	struct uncore_event *event;

	if (uncore_event_parse(uncore_family_find("xeon-e7"),
			       "cbox/LLC_MISSES.ALL/", &event, NULL))
		return 1;
	puts(uncore_event_canonical(event));
	uncore_event_free(event);
	return 0;
}
