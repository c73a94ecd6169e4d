/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Contents and slots: what of an event's registers is the content of a slot
 * that is still to be found, and the registers once it is.
 */
#include "event/need_parts.h"

/* What the event sets is the content of one slot of its port. */
static void hold_port(struct need *need)
{
	const struct uncore_event *event = need->event;
	const struct uc_family *family = event->family;
	const struct uc_select *select = event_routed(event);
	struct hold *home = &need->holds[0];
	unsigned slots = 0, num = 0;

	for (unsigned i = 0; i < family->num_routes; i++)
		if (family->routes[i].port == event->port &&
		    family->routes[i].select == event->select)
			slots |= 1u << family->routes[i].slot;
	if (event->slot != EVENT_ANY)
		slots &= 1u << event->slot;
	home->family = (uint8_t)(event->port * UC_MAX_SELECTS + event->select);
	home->slots = (uint8_t)slots;
	need->num_holds = 1;
	need->has_home = true;
	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_NUM_ROLES; role++) {
		if (select->registers >> role & 1 && num < NEED_MAX_CONTENT)
			need->content[num++] = need->view.value[role];
		need->view.claimed[role] = 0;
	}
}

/* Whether the field was set by the event's name and by nobody else. */
static bool is_implied(const struct uncore_event *event, unsigned role,
		       unsigned high, unsigned low)
{
	bool found = false;

	for (unsigned i = 0; i < event->num_settings; i++) {
		const struct event_setting *setting = &event->settings[i];

		if (setting->role != role ||
		    !(uc_bits(setting->high, setting->low) &
		      uc_bits(high, low)))
			continue;
		if (!setting->implied)
			return false;
		found = true;
	}
	return found;
}

static void add_hold(struct need *need, unsigned slots, uint64_t content)
{
	if (need->num_holds == NEED_MAX_HOLDS)
		return;
	need->holds[need->num_holds++] = (struct hold){
		.slots = (uint8_t)slots,
		.content = (uint16_t)content,
	};
}

/* The event's own slot first: if only its name says which, any will do, and so
 * where the field is that of a word, which moves along. */
static void hold_own_twin(struct need *need, const struct need_choice *choice)
{
	const struct uc_twins *twins = need->event->box->twins;

	for (unsigned s = 0; s < twins->num; s++) {
		uint64_t bits = uc_bits(twins->high[s], twins->low[s]);

		if (!need_is_chosen(choice, twins->rows[s]) ||
		    !(need->view.claimed[twins->role] & bits))
			continue;
		need->has_home = true;
		add_hold(need, 1u << s,
			 (need->view.value[twins->role] & bits) >>
				 twins->low[s]);
		if (need->event->row != twins->rows[s] ||
		    (!twins->by_word &&
		     !is_implied(need->event, twins->role, twins->high[s],
				 twins->low[s])))
			return;
		need->named = (int)s;
		need->holds[0].slots = (uint8_t)uc_bits(twins->num - 1u, 0);
		return;
	}
}

/* Fields of twins are slots; who sets one by hand gets that one. */
static void hold_twins(struct need *need, const struct need_choice *choice)
{
	const struct uc_twins *twins = need->event->box->twins;

	hold_own_twin(need, choice);
	for (unsigned s = 0; s < twins->num; s++) {
		uint64_t bits = uc_bits(twins->high[s], twins->low[s]);
		uint64_t value =
			(need->view.value[twins->role] & bits) >> twins->low[s];
		bool own = need->has_home &&
			   need_is_chosen(choice, twins->rows[s]);

		if (need->view.claimed[twins->role] & bits && !own)
			add_hold(need, 1u << s, value);
		need->view.claimed[twins->role] &= ~bits;
		need->view.value[twins->role] &= ~bits;
	}
}

void need_hold(struct need *need, const struct need_choice *choice)
{
	if (need_is_routed(need->event))
		hold_port(need);
	else if (need->event->box->twins)
		hold_twins(need, choice);
}

static void view_port(const struct need *need, unsigned slot,
		      struct event_view *view)
{
	const struct uncore_event *event = need->event;
	const struct uc_family *family = event->family;
	const struct uc_layout *control =
		uc_layout_of(family, event->box_index, UC_ROLE_CONTROL);
	const struct uc_select *select = event_routed(event);
	struct event_view whole;

	event_view(event, &whole);
	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_NUM_ROLES; role++) {
		unsigned shift = select->registers >> role & 1
					 ? slot * select->slot_shift
					 : 0;

		view->value[role] = whole.value[role] << shift;
		view->claimed[role] = whole.claimed[role] << shift;
	}
	for (unsigned i = 0; i < family->num_routes; i++) {
		const struct uc_route *route = &family->routes[i];

		if (route->port == event->port && route->slot == slot &&
		    route->select == event->select)
			view->value[UC_ROLE_CONTROL] = uc_select_put(
				&family->selects[UC_SELECT_EV_SEL], control,
				view->value[UC_ROLE_CONTROL], route->code);
	}
}

static void view_twins(const struct need *need, unsigned slot,
		       struct event_view *view)
{
	const struct uc_twins *twins = need->event->box->twins;
	const struct uc_family *family = need->event->family;
	const struct uc_layout *control =
		uc_layout_of(family, need->event->box_index, UC_ROLE_CONTROL);

	for (unsigned i = 0; i < need->num_holds; i++) {
		const struct hold *hold = &need->holds[i];
		unsigned s = need->has_home && !i
				     ? slot
				     : (unsigned)__builtin_ctz(hold->slots);

		view->value[twins->role] |= (uint64_t)hold->content
					    << twins->low[s];
		view->claimed[twins->role] |=
			uc_bits(twins->high[s], twins->low[s]);
	}
	if (need->has_home)
		view->value[UC_ROLE_CONTROL] = uc_select_put(
			&family->selects[twins->rows[slot]->select], control,
			view->value[UC_ROLE_CONTROL], twins->rows[slot]->code);
}

void need_view(const struct need *need, unsigned slot, struct event_view *view)
{
	enum uc_role role = event_control_role(need->event);
	const struct uc_layout *layout =
		uc_layout_of(need->event->family, need->event->box_index, role);
	const struct uc_field *enable =
		layout ? uc_field_find(layout, "en") : NULL;

	*view = need->view;
	if (need_is_routed(need->event))
		view_port(need, slot, view);
	else if (need->event->box->twins)
		view_twins(need, slot, view);
	if (enable)
		view->value[role] = uc_field_put(enable, view->value[role], 1);
}
