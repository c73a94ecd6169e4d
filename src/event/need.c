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
	return event->port != EVENT_ANY && event_routed(event);
}

/* Raw codes without a counter may stand for another event on each counter
 * of its box: they mean that of the lowest one. */
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
		uc_layout_of(need->event->family, need->event->box_index, role);
	const struct uc_select *selects = need->event->family->selects;
	const struct uc_twins *twins = need->event->box->twins;
	uint64_t value = need->view.value[role];

	if (!need->has_home)
		return value;
	return uc_select_put(
		&selects[twins ? twins->rows[0]->select : UC_SELECT_EV_SEL],
		layout, value, 0);
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
	return a->event->box == b->event->box &&
	       a->holds[0].family == b->holds[0].family &&
	       !memcmp(a->content, b->content, sizeof(a->content));
}

/* The rest of what a counter's own registers hold. */
static bool same_terms(const struct need *a, const struct need *b)
{
	for (unsigned i = UC_FIRST_SUB_ROLE; i < UC_FIRST_SHARED_ROLE; i++)
		if (a->view.value[i] != b->view.value[i])
			return false;
	return true;
}

static bool same_kind(const struct need *a, const struct need *b)
{
	return a->event->box == b->event->box &&
	       event_control_role(a->event) == event_control_role(b->event) &&
	       a->row_counters == b->row_counters &&
	       a->has_home == b->has_home &&
	       (!a->has_home || (a->holds[0].family == b->holds[0].family &&
				 a->holds[0].content == b->holds[0].content)) &&
	       own_control(a) == own_control(b) && same_terms(a, b);
}

/* Wherever one of them is, the other one may be, too. */
static bool same_need(const struct need *a, const struct need *b)
{
	return a->kind == b->kind && a->first == b->first &&
	       a->last == b->last && a->counters == b->counters &&
	       a->named == b->named && a->num_holds == b->num_holds &&
	       !memcmp(&a->view, &b->view, sizeof(a->view)) &&
	       !memcmp(a->holds, b->holds, a->num_holds * sizeof(a->holds[0]));
}

static uint64_t hash_content(const struct need *need)
{
	return text_hash(need->holds[0].family, need->content,
			 sizeof(need->content));
}

static uint64_t hash_kind(const struct need *need)
{
	const uint64_t parts[] = { need->event->box_index, need->row_counters,
				   own_control(need),
				   need->view.value[UC_ROLE_TERMS1],
				   need->view.value[UC_ROLE_TERMS2] };

	return text_hash(TEXT_HASH, parts, sizeof(parts));
}

/* By whole registers, as there are many of them. */
static uint64_t hash_need(const struct need *need)
{
	const uint64_t prime = UINT64_C(0x100000001b3);
	uint64_t sum = need->kind;

	for (unsigned role = 0; role < UC_NUM_ROLES; role++) {
		sum = (sum ^ need->view.value[role]) * prime;
		sum = (sum ^ need->view.claimed[role]) * prime;
	}
	return sum ^ sum >> 32;
}

/* What needs may have in common. */
struct likeness {
	bool (*is_same)(const struct need *a, const struct need *b);
	uint64_t (*hash)(const struct need *need);
};

/* Tells who was the first that is like an event, for many events in turn. */
struct firsts {
	size_t *table; /* by hash: number of the first, plus 1 */
	size_t mask;
};

static size_t first_like(const struct firsts *firsts,
			 const struct likeness *likeness,
			 const struct need *needs, size_t i)
{
	size_t at = likeness->hash(&needs[i]) & firsts->mask;

	while (firsts->table[at]) {
		size_t first = firsts->table[at] - 1;

		if (likeness->is_same(&needs[first], &needs[i]))
			return first;
		at = (at + 1) & firsts->mask;
	}
	firsts->table[at] = i + 1;
	return i;
}

static bool firsts_new(struct firsts *firsts, size_t num)
{
	size_t size = 16;

	while (size < 2 * num)
		size *= 2;
	firsts->mask = size - 1;
	firsts->table = calloc(size, sizeof(*firsts->table));
	return firsts->table;
}

/* Numbers of contents, kinds and needs: that of the first event that has it. */
static bool number(struct need *needs, size_t num)
{
	static const struct likeness contents = { same_content, hash_content };
	static const struct likeness kinds = { same_kind, hash_kind };
	static const struct likeness whole = { same_need, hash_need };
	struct firsts of_contents = { 0 }, of_kinds = { 0 }, of_needs = { 0 };
	bool fine;

	if (num == 1) { /* it is like itself: all are 0 */
		if (need_is_routed(needs->event))
			needs->holds[0].content = 0;
		return true;
	}
	fine = firsts_new(&of_contents, num) && firsts_new(&of_kinds, num) &&
	       firsts_new(&of_needs, num);
	for (size_t i = 0; i < num && fine; i++) {
		struct need *need = &needs[i];

		if (need_is_routed(need->event))
			need->holds[0].content = (uint16_t)first_like(
				&of_contents, &contents, needs, i);
		need->kind = (unsigned)first_like(&of_kinds, &kinds, needs, i);
		need->same = first_like(&of_needs, &whole, needs, i);
	}
	free(of_contents.table);
	free(of_kinds.table);
	free(of_needs.table);
	return fine;
}

struct need *needs_new(struct uncore_event *const *events, size_t num)
{
	struct need *needs = calloc(num ? num : 1, sizeof(*needs));

	if (!needs)
		return NULL;
	for (size_t i = 0; i < num; i++)
		describe(&needs[i], events[i]);
	if (number(needs, num))
		return needs;
	free(needs);
	return NULL;
}

bool need_meets(const struct need *a, const struct need *b)
{
	return a->event->box == b->event->box && a->first <= b->last &&
	       b->first <= a->last;
}

bool need_differs(const struct need *a, const struct need *b,
		  enum uc_role *role, unsigned *bit)
{
	for (unsigned i = UC_FIRST_SHARED_ROLE; i < UC_NUM_ROLES; i++) {
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

/* All bits that the events so far claim, with their values: an event that
 * differs from any of them differs from these. */
bool needs_agree(const struct need *const *needs, size_t num)
{
	struct event_view all = { 0 };

	for (size_t i = 0; i < num; i++)
		for (unsigned role = UC_FIRST_SHARED_ROLE; role < UC_NUM_ROLES;
		     role++) {
			const struct event_view *view = &needs[i]->view;
			uint64_t claimed = view->claimed[role];

			if ((view->value[role] ^ all.value[role]) & claimed &
			    all.claimed[role])
				return false;
			all.value[role] |= view->value[role] & claimed;
			all.claimed[role] |= claimed;
		}
	return true;
}
