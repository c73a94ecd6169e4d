/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See pmu_e5_family.h.
 */
#include "pmu_e5_family.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_SIGNALS = 2048, MAX_FAMILIES = 5 };

static bool is_summed(const struct uc_event *event)
{
	static const char *const words[] = { "OCC", "CYCLES", "TICKS", "FIXED",
					     NULL };

	for (unsigned i = 0; words[i]; i++)
		if (strstr(event->name, words[i]))
			return true;
	return false;
}

static const struct uc_signal_ref *own_ref(struct uc_box *box,
					   const struct uc_event *event,
					   const struct uc_signal_ref *old,
					   unsigned num_old)
{
	struct uc_signal *signal =
		(struct uc_signal *)&box->signals[box->num_signals];
	struct uc_signal_ref *ref = calloc(1, sizeof(*ref));

	ref->filter = num_old ? old[0].filter : 0;
	ref->signal = box->num_elements++;
	signal->first = ref->signal;
	signal->dim = 1;
	if (!ref->filter || strstr(event->name, "BAND"))
		signal->kind =
			is_summed(event) ? UC_SIGNAL_LEVEL : UC_SIGNAL_PULSE;
	else
		signal->kind =
			is_summed(event) ? UC_SIGNAL_SPAN : UC_SIGNAL_PACKET;
	box->num_signals++;
	return ref;
}

static void give_signals(struct uc_box *box, struct uc_event *event)
{
	size_t size = event->num_unit_masks * sizeof(*event->unit_masks);
	struct uc_unit_mask *masks;

	if (event->of_counter)
		return;
	if (!event->num_unit_masks) {
		event->signals =
			own_ref(box, event, event->signals, event->num_signals);
		event->num_signals = 1;
		return;
	}
	masks = malloc(size);
	memcpy(masks, event->unit_masks, size);
	for (unsigned i = 0; i < event->num_unit_masks; i++) {
		masks[i].signals = own_ref(box, event, masks[i].signals,
					   masks[i].num_signals);
		masks[i].num_signals = 1;
	}
	event->unit_masks = masks;
}

static void copy_box(struct uc_box *box)
{
	size_t size = box->num_events * sizeof(*box->events);
	struct uc_event *events = malloc(size);
	struct uc_signal *signals =
		calloc(box->num_signals + MAX_SIGNALS, sizeof(*signals));

	if (size)
		memcpy(events, box->events, size);
	box->events = events;
	if (box->num_signals)
		memcpy(signals, box->signals,
		       box->num_signals * sizeof(*signals));
	box->signals = signals;
	for (unsigned i = 0; i < box->num_events; i++)
		give_signals(box, &events[i]);
}

const struct uc_family *e5_family_of(const char *name)
{
	static struct uc_family *made[MAX_FAMILIES];
	const struct uc_family *plain = uc_family_find(name);
	size_t size = plain->num_boxes * sizeof(*plain->boxes);
	struct uc_box *boxes;
	unsigned n = 0;

	for (; made[n]; n++)
		if (!strcmp(made[n]->name, name))
			return made[n];
	made[n] = malloc(sizeof(**made));
	boxes = malloc(size);
	*made[n] = *plain;
	made[n]->has_model = true;
	memcpy(boxes, plain->boxes, size);
	for (unsigned i = 0; i < plain->num_boxes; i++)
		copy_box(&boxes[i]);
	made[n]->boxes = boxes;
	return made[n];
}

const struct uc_family *e5_family(void)
{
	return e5_family_of("xeon-e5-2600");
}

int e5_signal(const char *box, const char *event, const char *umask)
{
	return e5_signal_of(e5_family(), box, event, umask);
}

int e5_signal_of(const struct uc_family *family, const char *box,
		 const char *event, const char *umask)
{
	const struct uc_box *row = uc_box_find(family, box, NULL);

	for (unsigned i = 0; row && i < row->num_events; i++) {
		const struct uc_event *e = &row->events[i];

		if (strcasecmp(e->name, event))
			continue;
		if (!umask)
			return e->num_signals ? e->signals->signal : -1;
		for (unsigned j = 0; j < e->num_unit_masks; j++)
			if (!strcasecmp(e->unit_masks[j].name, umask))
				return e->unit_masks[j].signals->signal;
	}
	return -1;
}
