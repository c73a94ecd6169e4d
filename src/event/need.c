/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From an event to what it needs: its counters, what it claims of shared
 * registers (need_claim.c), what it holds in slots (need_slot.c), and which
 * events are of one kind.
 */
#include "event/need_parts.h"

#include <stdlib.h>
#include <string.h>

bool need_is_routed(const struct uncore_event *event)
{
	return event->port != EVENT_ANY && event->select >= UC_SELECT_IPERF &&
	       event->select <= UC_SELECT_XBR;
}

/* Raw codes without a counter may stand for another event on each counter
 * (B-Box): they mean that of the lowest one. */
static void settle_counters(struct need *need, const struct need_choice *choice)
{
	const struct uc_box *box = need->event->box;
	uint32_t lowest = need->row_counters & -need->row_counters;

	if (need->event->counter != EVENT_ANY)
		lowest = UINT32_C(1) << need->event->counter;
	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];

		if (need_is_chosen(choice, row) && row->counters & lowest) {
			need->row_counters &= row->counters;
			return;
		}
	}
	/* A code of no event counts what that counter makes of it. */
	if (need->event->counter != EVENT_ANY)
		need->row_counters = lowest;
}

/* The control without what a slot or being enabled makes of it. */
static uint64_t own_control(const struct need *need)
{
	enum uc_role role = event_control_role(need->event);
	const struct uc_layout *layout =
		event_layout(need->event->family, need->event->box_index, role);
	uint64_t value = need->view.value[role];
	const struct uc_field *field = NULL;

	if (need->has_home)
		field = uc_field_find(layout,
				      need->twins.num ? "inc_sel" : "ev_sel");
	return field ? uc_field_put(field, value, 0) : value;
}

static void describe(struct need *need, const struct uncore_event *event)
{
	struct need_choice choice;

	need->event = event;
	need->named = NEED_ANY;
	need->last = event->box->num_instances - 1u;
	if (event->instance != EVENT_ANY)
		need->first = need->last = (unsigned)event->instance;
	event_view(event, &need->view);
	need->row_counters = event_counters(event);
	if (need_is_routed(event)) {
		need_hold(need, NULL);
	} else if (event->select != UC_SELECT_FIXED) {
		need_choose(need, &choice);
		settle_counters(need, &choice);
		need_claim(need, &choice);
		need_hold(need, &choice);
	}
	need->counters = need->row_counters;
	if (event->counter != EVENT_ANY)
		need->counters = UINT32_C(1) << event->counter;
}

static bool same_content(const struct need *a, const struct need *b)
{
	return a->event->box == b->event->box && need_is_routed(a->event) &&
	       need_is_routed(b->event) &&
	       a->holds[0].family == b->holds[0].family &&
	       !memcmp(a->content, b->content, sizeof(a->content));
}

static bool same_kind(const struct need *a, const struct need *b)
{
	return a->event->box == b->event->box &&
	       event_control_role(a->event) == event_control_role(b->event) &&
	       a->row_counters == b->row_counters &&
	       a->has_home == b->has_home &&
	       (!a->has_home || (a->holds[0].family == b->holds[0].family &&
				 a->holds[0].content == b->holds[0].content)) &&
	       own_control(a) == own_control(b);
}

/* Numbers of contents and kinds: that of the first event that has it. */
static void number(struct need *needs, size_t num)
{
	for (size_t i = 0; i < num; i++) {
		size_t j = 0;

		while (need_is_routed(needs[i].event) &&
		       !same_content(&needs[i], &needs[j]))
			j++;
		if (need_is_routed(needs[i].event))
			needs[i].holds[0].content = (uint16_t)j;
		for (j = 0; !same_kind(&needs[i], &needs[j]);)
			j++;
		needs[i].kind = (unsigned)j;
	}
}

struct need *needs_new(struct uncore_event *const *events, size_t num)
{
	struct need *needs = calloc(num ? num : 1, sizeof(*needs));

	if (!needs)
		return NULL;
	for (size_t i = 0; i < num; i++) {
		size_t j = 0;

		while (events[j]->box != events[i]->box)
			j++;
		if (j < i)
			needs[i].twins = needs[j].twins;
		else
			twins_find(events[i]->box, &needs[i].twins);
		describe(&needs[i], events[i]);
	}
	number(needs, num);
	return needs;
}

bool need_meets(const struct need *a, const struct need *b)
{
	return a->event->box == b->event->box && a->first <= b->last &&
	       b->first <= a->last;
}

bool need_differs(const struct need *a, const struct need *b,
		  enum uc_role *role, unsigned *bit)
{
	for (unsigned i = UC_ROLE_DSP; i < UC_NUM_ROLES; i++) {
		uint64_t differ = (a->view.value[i] ^ b->view.value[i]) &
				  a->view.claimed[i] & b->view.claimed[i];

		if (!differ)
			continue;
		*role = (enum uc_role)i;
		*bit = (unsigned)__builtin_ctzll(differ);
		return true;
	}
	return false;
}

bool needs_agree(const struct need *const *needs, size_t num)
{
	enum uc_role role;
	unsigned bit;

	for (size_t i = 0; i < num; i++)
		for (size_t j = 0; j < i; j++)
			if (need_differs(needs[i], needs[j], &role, &bit))
				return false;
	return true;
}
