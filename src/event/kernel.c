/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An event of a live family in the kernel's words.
 */
#include <string.h>
#include <strings.h>

#include "event/event.h"
#include "perf/map.h"

bool event_is_of(const struct uncore_event *event, unsigned socket,
		 unsigned instance)
{
	const struct perf_pmus *pmus =
		event->pmu ? perf_family_pmus(event->family) : NULL;
	const struct perf_place *place =
		pmus ? perf_place_of(pmus, &pmus->boxes[event->box_index],
				     socket, instance)
		     : NULL;

	return !event->pmu || (place && place->pmu == event->pmu);
}

bool event_has_instance(const struct uncore_event *event, uint64_t instance)
{
	const struct perf_pmus *pmus = perf_family_pmus(event->family);

	if (!pmus || instance >= event->box->num_instances)
		return instance < event->box->num_instances;
	for (unsigned s = 0; s < pmus->num_sockets; s++)
		if (perf_place_of(pmus, &pmus->boxes[event->box_index], s,
				  (unsigned)instance)
			    ->pmu)
			return true;
	return false;
}

/* The instance that a PMU is in all of its sockets, or any: it is several. */
static int instance_of(const struct perf_pmus *pmus, const struct perf_box *box,
		       const struct perf_pmu *pmu)
{
	int found = EVENT_ANY;

	for (unsigned s = 0; s < pmus->num_sockets; s++)
		for (unsigned i = 0; i < box->num_instances; i++) {
			if (perf_place_of(pmus, box, s, i)->pmu != pmu)
				continue;
			if (found != EVENT_ANY && found != (int)i)
				return EVENT_ANY;
			found = (int)i;
		}
	return found;
}

/* As perf takes it: with uncore_ or without. */
static bool is_named(const struct perf_pmu *pmu, const char *name)
{
	size_t skip = strlen(PERF_KERNEL_PREFIX);

	return !strcasecmp(pmu->name, name) ||
	       (!strncmp(pmu->name, PERF_KERNEL_PREFIX, skip) &&
		!strcasecmp(pmu->name + skip, name));
}

bool event_find_pmu(struct uncore_event *event, const char *name)
{
	const struct perf_pmus *pmus = perf_family_pmus(event->family);
	const struct perf_pmu *pmu = pmus ? pmus->list : NULL;

	while (pmus && pmu < pmus->list + pmus->num && !is_named(pmu, name))
		pmu++;
	if (!pmus || pmu == pmus->list + pmus->num)
		return false;
	for (unsigned b = 0; b < pmus->num_boxes; b++) {
		const struct perf_box *box = &pmus->boxes[b];

		if (pmu < box->pmu || pmu >= box->pmu + box->num_pmus)
			continue;
		event->box = &event->family->boxes[b];
		event->box_index = b;
		event->instance = instance_of(pmus, box, pmu);
		event->pmu = box->num_pmus > 1 ? pmu : NULL;
		return true;
	}
	return false;
}

/* The PMU of the instance; of any, what their names have in common. */
static void say_pmu(const struct uncore_event *event,
		    const struct perf_box *box, struct text *text)
{
	const struct perf_pmu *pmu = box->pmu;
	const struct perf_place *place =
		event->instance == EVENT_ANY ? NULL
					     : &box->places[event->instance];

	if (event->pmu)
		text_add(text, "%s", event->pmu->name);
	else if (place && place->pmu)
		text_add(text, "%s", place->pmu->name);
	else
		text_add(text, "%s", pmu->box);
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
