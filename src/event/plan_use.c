/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which registers an event of a plan needs, and which of them with others.
 */
#include "event/plan.h"

static enum uc_role nth_role(const struct plan_item *item,
			     const struct event_view *view, size_t n)
{
	if (!n--)
		return event_control_role(item->need->event);
	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_NUM_ROLES; role++)
		if (view->claimed[role] && !n--)
			return (enum uc_role)role;
	return UC_ROLE_NONE;
}

static bool needs_too(const struct plan_item *other, unsigned instance,
		      enum uc_role role, unsigned index)
{
	const struct plan_place *place = plan_place(other, instance);
	struct event_view view;

	if (plan_index(other, role, place) != index)
		return false;
	if (role == UC_ROLE_CONTROL || role == UC_ROLE_FIXED_CTL)
		return event_control_role(other->need->event) == role;
	need_view(other->need, place->slot, &view);
	return view.claimed[role] != 0;
}

static bool is_shared(const struct uncore_plan *plan,
		      const struct plan_item *item, unsigned instance,
		      enum uc_role role)
{
	unsigned index = plan_index(item, role, plan_place(item, instance));

	for (size_t i = 0; i < plan->num_items; i++) {
		const struct plan_item *other = &plan->items[i];

		if (other != item &&
		    other->need->event->box == item->need->event->box &&
		    plan_has(other, instance) &&
		    needs_too(other, instance, role, index))
			return true;
	}
	return false;
}

bool uncore_plan_use(const struct uncore_plan *plan, size_t index,
		     unsigned instance, size_t n, struct uncore_plan_use *use)
{
	const struct plan_item *item = &plan->items[index];
	const struct uc_register *reg;
	struct event_view view;
	enum uc_role role;

	if (!plan_has(item, instance))
		return false;
	need_view(item->need, plan_place(item, instance)->slot, &view);
	role = nth_role(item, &view, n);
	if (role == UC_ROLE_NONE)
		return false;
	reg = uc_register_of(
		plan->family, item->need->event->box_index, instance, role,
		plan_index(item, role, plan_place(item, instance)));
	if (!reg)
		return false;
	*use = (struct uncore_plan_use){
		.address = reg->address,
		.name = reg->name,
		.mask = n ? view.claimed[role] : reg->layout->writable,
		.value = view.value[role],
		.is_shared = is_shared(plan, item, instance, role),
	};
	return true;
}
