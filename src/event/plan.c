/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counters and slots for several events at once. Each instance of a box is a
 * problem of its own; the fullest one is solved first and the others keep to
 * its answer where they can, so that an event has the same counter everywhere
 * unless there is a reason.
 */
#include "event/plan.h"

#include <stdlib.h>
#include <string.h>

#include "event/assign.h"
#include "event/conflict.h"
#include "uncore/error.h"

/* The items of one box instance, by their index in the plan. */
struct instance {
	size_t *items;
	size_t num;
	unsigned number;
};

unsigned plan_index(const struct plan_item *item, enum uc_role role,
		    const struct plan_place *place)
{
	const struct uncore_event *event = item->need->event;
	const struct uc_select *select;

	if (role == UC_ROLE_CONTROL || role == UC_ROLE_COUNTER ||
	    uc_role_kinds[role] == UC_ROLE_IS_OWN)
		return place->counter;
	select = uc_slot_select(event->family, event->box_index, role);
	return select ? uc_slot_index(select, uncore_event_port(event),
				      place->slot)
		      : 0;
}

static int refuse(const struct need **needs, size_t num, char **error)
{
	struct text text = { 0 };
	int code;

	num = conflict_shrink(needs, num);
	code = conflict_say(needs, num, &text);
	text_add(&text, "; they cannot be counted at the same time");
	return text_fail(&text, code, error);
}

/* A wish is the place that the item has in the other plan, or in the instance
 * of this plan that was solved before. */
static void set_wish(struct assign_item *to, const struct plan_item *item,
		     const struct plan_wish *wish, const unsigned *solved,
		     unsigned instance)
{
	const struct plan_place *place = NULL;

	*to = (struct assign_item){
		.need = item->need,
		.wish_counter = NEED_ANY,
		.wish_slot = NEED_ANY,
	};
	if (wish && wish->like && plan_has(wish->like, instance)) {
		place = plan_place(wish->like, instance);
		to->keep = wish->keep;
	}
	if (!place && solved && plan_has(item, *solved))
		place = plan_place(item, *solved);
	if (!place)
		return;
	to->wish_counter = (int)place->counter;
	if (item->need->has_home)
		to->wish_slot = (int)place->slot;
}

static int solve(struct uncore_plan *plan, const struct instance *of,
		 const struct plan_wish *wishes, const unsigned *solved,
		 char **error)
{
	struct assign_item *items = calloc(of->num, sizeof(*items));
	const struct need **needs = calloc(of->num, sizeof(*needs));
	int result = items && needs ? 0 : UNCORE_ERR_NO_MEMORY;

	for (size_t i = 0; i < of->num && !result; i++) {
		const struct plan_item *item = &plan->items[of->items[i]];

		needs[i] = item->need;
		set_wish(&items[i], item, wishes ? &wishes[of->items[i]] : NULL,
			 solved, of->number);
	}
	if (!result && (!needs_agree(needs, of->num) ||
			assign(items, of->num) != ASSIGN_FITS))
		result = refuse(needs, of->num, error);
	for (size_t i = 0; i < of->num && !result; i++) {
		struct plan_item *item = &plan->items[of->items[i]];

		item->places[of->number - item->need->first] =
			(struct plan_place){ items[i].counter, items[i].slot };
	}
	free(items);
	free(needs);
	return result;
}

static void gather(const struct uncore_plan *plan, unsigned box,
		   struct instance *of)
{
	of->num = 0;
	for (size_t i = 0; i < plan->num_items; i++)
		if (plan->items[i].need->event->box_index == box &&
		    plan_has(&plan->items[i], of->number))
			of->items[of->num++] = i;
}

/* The same events as in the instance that was solved have the same answer. */
static void copy(struct uncore_plan *plan, const struct instance *of,
		 unsigned solved)
{
	for (size_t i = 0; i < of->num; i++) {
		struct plan_item *item = &plan->items[of->items[i]];

		item->places[of->number - item->need->first] =
			*plan_place(item, solved);
	}
}

static bool is_used(const struct uncore_plan *plan, unsigned box)
{
	for (size_t i = 0; i < plan->num_items; i++)
		if (plan->items[i].need->event->box_index == box)
			return true;
	return false;
}

static int solve_box(struct uncore_plan *plan, unsigned box,
		     const struct plan_wish *wishes, char **error)
{
	unsigned num_instances = plan->family->boxes[box].num_instances;
	struct instance fullest = { NULL, 0, 0 }, of = { NULL, 0, 0 };
	int result = 0;

	if (!is_used(plan, box))
		return 0;
	fullest.items = calloc(plan->num_items + 1, sizeof(size_t));
	of.items = calloc(plan->num_items + 1, sizeof(size_t));
	if (!fullest.items || !of.items)
		result = UNCORE_ERR_NO_MEMORY;
	for (unsigned i = 0; i < num_instances && !result; i++) {
		of.number = i;
		gather(plan, box, &of);
		if (of.num > fullest.num) {
			fullest.num = of.num;
			fullest.number = i;
			memcpy(fullest.items, of.items,
			       of.num * sizeof(size_t));
		}
	}
	if (!result && fullest.num)
		result = solve(plan, &fullest, wishes, NULL, error);
	for (unsigned i = 0; i < num_instances && !result; i++) {
		of.number = i;
		gather(plan, box, &of);
		if (!of.num || i == fullest.number)
			continue;
		if (!wishes && of.num == fullest.num &&
		    !memcmp(of.items, fullest.items, of.num * sizeof(size_t)))
			copy(plan, &of, fullest.number);
		else
			result = solve(plan, &of, wishes, &fullest.number,
				       error);
	}
	free(fullest.items);
	free(of.items);
	return result;
}

static bool make_items(struct uncore_plan *plan,
		       const struct need *const *needs, size_t num)
{
	plan->items = calloc(num ? num : 1, sizeof(*plan->items));
	if (!plan->items)
		return false;
	for (size_t i = 0; i < num; i++) {
		struct plan_item *item = &plan->items[i];

		item->need = needs[i];
		item->places = calloc(needs[i]->last - needs[i]->first + 1,
				      sizeof(*item->places));
		plan->num_items++;
		if (!item->places)
			return false;
	}
	return true;
}

/* Notes the items that add nothing to what an item before them needs. Needs
 * tell who was the first alike of all; of the plan it is perhaps another. */
static bool find_repeated(struct uncore_plan *plan)
{
	const struct plan_item **firsts;
	size_t most = 0;
	bool fine;

	for (size_t i = 0; i < plan->num_items; i++)
		if (plan->items[i].need->same >= most)
			most = plan->items[i].need->same + 1;
	firsts = calloc(most + 1, sizeof(*firsts));
	fine = firsts;
	for (size_t i = 0; i < plan->num_items && fine; i++) {
		struct plan_item *item = &plan->items[i];
		const struct need *need = item->need;
		const struct plan_item *first = firsts[need->same];

		if (!first)
			firsts[need->same] = item;
		else
			item->is_repeated =
				!memcmp(item->places, first->places,
					(need->last - need->first + 1) *
						sizeof(*item->places));
	}
	free(firsts);
	return fine;
}

static void add_switch(struct uncore_plan *plan, const struct uc_domain *domain,
		       unsigned box, unsigned instance)
{
	const struct uc_register *reg =
		uc_domain_register(plan->family, domain, box, instance);

	for (size_t i = 0; i < plan->num_switches; i++)
		if (plan->switches[i].reg == reg)
			return;
	plan->switches[plan->num_switches++] =
		(struct plan_switch){ reg, domain };
}

/* One for a socket's domain, else one for each instance that is used. */
static bool find_switches(struct uncore_plan *plan)
{
	const struct uc_family *family = plan->family;
	size_t most = 0;

	for (unsigned b = 0; b < family->num_boxes; b++)
		most += family->boxes[b].num_instances;
	plan->switches = calloc(most + 1, sizeof(*plan->switches));
	if (!plan->switches)
		return false;
	for (size_t i = 0; i < plan->num_items; i++) {
		const struct need *need = plan->items[i].need;
		unsigned box = need->event->box_index;
		const struct uc_domain *domain = uc_domain_of(family, box);

		if (!domain || plan->items[i].is_repeated)
			continue;
		for (unsigned k = need->first; k <= need->last; k++) {
			add_switch(plan, domain, box, k);
			if (domain->scope == UC_SCOPE_SOCKET)
				break;
		}
	}
	return true;
}

int plan_new(const struct uc_family *family, const struct need *const *needs,
	     size_t num, const struct plan_wish *wishes,
	     struct uncore_plan **plan, char **error)
{
	struct uncore_plan *new = calloc(1, sizeof(*new));
	int result = 0;

	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	new->family = family;
	if (!make_items(new, needs, num))
		result = UNCORE_ERR_NO_MEMORY;
	for (unsigned box = 0; box < family->num_boxes && !result; box++)
		result = solve_box(new, box, wishes, error);
	if (!result && (!find_repeated(new) || !find_switches(new)))
		result = UNCORE_ERR_NO_MEMORY;
	if (result)
		uncore_plan_free(new);
	else
		*plan = new;
	return result;
}

int uncore_plan_new(const struct uncore_family *family,
		    struct uncore_event *const *events, size_t num_events,
		    struct uncore_plan **plan, char **error)
{
	struct need *needs = needs_new(events, num_events);
	const struct need **each = calloc(num_events + 1, sizeof(*each));
	int result = needs && each ? 0 : UNCORE_ERR_NO_MEMORY;

	for (size_t i = 0; i < num_events && !result; i++)
		each[i] = &needs[i];
	if (!result)
		result = plan_new(family_row(family), each, num_events, NULL,
				  plan, error);
	free(each);
	if (result)
		free(needs);
	else
		(*plan)->needs = needs;
	return result;
}

void uncore_plan_free(struct uncore_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->num_items; i++)
		free(plan->items[i].places);
	free(plan->items);
	free(plan->switches);
	free(plan->needs);
	free(plan);
}

unsigned uncore_plan_counter(const struct uncore_plan *plan, size_t index,
			     unsigned instance)
{
	const struct plan_item *item = &plan->items[index];

	if (!plan_has(item, instance))
		instance = item->need->first;
	return plan_place(item, instance)->counter;
}

uint64_t uncore_plan_counter_address(const struct uncore_plan *plan,
				     size_t index, unsigned instance)
{
	const struct plan_item *item = &plan->items[index];
	const struct uncore_event *event = item->need->event;
	bool fixed = event->select == UC_SELECT_FIXED;
	const struct uc_register *reg =
		uc_register_of(plan->family, event->box_index, instance,
			       fixed ? UC_ROLE_FIXED_COUNTER : UC_ROLE_COUNTER,
			       fixed ? 0 : plan_place(item, instance)->counter);

	return reg ? reg->address : 0;
}
