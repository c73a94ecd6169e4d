/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An event of a live family in the kernel's words.
 */
#include <string.h>

#include "event/event.h"
#include "perf/map.h"

/* The PMU of the instance; of any, what their names have in common. */
static void say_pmu(const struct uncore_event *event,
		    const struct perf_box *box, struct text *text)
{
	const struct perf_pmu *pmu = box->pmu;
	const struct perf_place *place =
		event->instance == EVENT_ANY ? NULL
					     : &box->places[event->instance];

	if (place && place->pmu)
		text_add(text, "%s", place->pmu->name);
	else
		text_add(text, "%.*s", (int)pmu->base, pmu->name);
}

char *uncore_event_kernel(const struct uncore_event *event)
{
	const struct perf_pmus *pmus = perf_family_pmus(event->family);
	struct perf_asked asked = { .box = event->box_index };
	uint64_t words[PERF_NUM_WORDS];
	struct event_view view;
	struct perf_map map;
	struct text text = { 0 };

	if (!pmus)
		return NULL;
	event_view(event, &view);
	memcpy(asked.view, view.value, sizeof(asked.view));
	if (perf_map_make(&map, event->family, pmus)) {
		perf_map_words(&map, &asked, words);
		say_pmu(event, &pmus->boxes[event->box_index], &text);
		for (unsigned i = 0; i < PERF_NUM_WORDS; i++)
			if (!i || words[i])
				text_add(&text, "%cconfig%.0u=0x%llx",
					 i ? ',' : '/', i,
					 (unsigned long long)words[i]);
		text_add(&text, "/");
	}
	perf_map_free(&map);
	return text_take(&text);
}
