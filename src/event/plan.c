/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Counters and slots for several events at once. Events with the fewest
 * counters to choose from are placed first, each on its first free counter, the
 * same one in every instance of the box. The two slots that an R-Box port has
 * for each kind of event are shared by events that program them alike.
 */
#include "event/plan.h"

#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"

unsigned plan_index(const struct plan_item *item, enum uc_role role)
{
	unsigned port = uncore_event_port(item->event);

	switch (role) {
	case UC_ROLE_CONTROL:
	case UC_ROLE_COUNTER: return item->counter;
	case UC_ROLE_QLX: return port;
	case UC_ROLE_IPERF: return port * 2 + item->slot;
	case UC_ROLE_MM_CFG:
	case UC_ROLE_MATCH:
	case UC_ROLE_MASK:
		return item->event->select == UC_SELECT_XBR
			       ? port * 2 + item->slot
			       : 0;
	default: return 0;
	}
}

const struct uc_layout *plan_layout(const struct plan_item *item,
				    enum uc_role role)
{
	return event_layout(item->event->family, item->event->box_index, role);
}

bool plan_same_box(const struct plan_item *a, const struct plan_item *b)
{
	return a->event->box == b->event->box && a->first <= b->last &&
	       b->first <= a->last;
}

static bool has_slots(const struct plan_item *item)
{
	return item->event->select == UC_SELECT_IPERF ||
	       item->event->select == UC_SELECT_QLX ||
	       item->event->select == UC_SELECT_XBR;
}

static bool same_sub_registers(const struct event_view *a,
			       const struct event_view *b)
{
	for (unsigned role = UC_ROLE_DSP; role < UC_NUM_ROLES; role++)
		if (a->value[role] != b->value[role])
			return false;
	return true;
}

/* The item that has the slot, or NULL. */
static const struct plan_item *slot_owner(const struct uncore_plan *plan,
					  const struct plan_item *item,
					  unsigned slot)
{
	for (size_t i = 0; i < plan->num_items; i++) {
		const struct plan_item *other = &plan->items[i];

		if (other->placed && other != item &&
		    plan_same_box(other, item) &&
		    other->event->select == item->event->select &&
		    other->event->port == item->event->port &&
		    other->slot == slot)
			return other;
	}
	return NULL;
}

/* 2: a slot with the same programming; 1: a free one; 0: taken. */
static int slot_worth(const struct uncore_plan *plan,
		      const struct plan_item *item, unsigned slot)
{
	const struct plan_item *owner;
	struct event_view mine, theirs;

	if (item->event->slot != EVENT_ANY &&
	    (unsigned)item->event->slot != slot)
		return 0;
	owner = slot_owner(plan, item, slot);
	if (!owner)
		return 1;
	event_view(item->event, &mine);
	event_view(owner->event, &theirs);
	return same_sub_registers(&mine, &theirs) ? 2 : 0;
}

static int no_slot(const struct uncore_plan *plan, const struct plan_item *item,
		   char **error)
{
	unsigned slot = item->event->slot == EVENT_ANY
				? 0
				: (unsigned)item->event->slot;
	const struct plan_item *first = slot_owner(plan, item, slot);
	const struct plan_item *second = slot_owner(plan, item, 1);

	if (item->event->slot != EVENT_ANY)
		return text_error(UNCORE_ERR_CONFLICT, error,
				  "'%s' cannot be counted together with '%s': "
				  "both need slot %u of the port",
				  item->event->text, first->event->text, slot);
	return text_error(UNCORE_ERR_CONFLICT, error,
			  "'%s' cannot be counted together with '%s' and "
			  "'%s': they have both slots of the port",
			  item->event->text, first->event->text,
			  second->event->text);
}

/* The code that points a counter at a slot of a port. */
static bool route_code(const struct plan_item *item, uint64_t *code)
{
	const struct uc_family *family = item->event->family;

	for (unsigned i = 0; i < family->num_routes; i++) {
		const struct uc_route *route = &family->routes[i];

		if (route->port == item->event->port &&
		    route->select == item->event->select &&
		    route->slot == item->slot) {
			*code = route->code;
			return true;
		}
	}
	return false;
}

static int place_slot(const struct uncore_plan *plan, struct plan_item *item,
		      char **error)
{
	int first = slot_worth(plan, item, 0), second;
	const struct uc_field *field;
	uint64_t code = 0;

	if (!has_slots(item))
		return 0;
	second = slot_worth(plan, item, 1);
	if (!first && !second)
		return no_slot(plan, item, error);
	item->slot = second > first;
	if (item->event->select == UC_SELECT_QLX && item->slot) {
		unsigned shift =
			event_qlx_shift(plan_layout(item, UC_ROLE_QLX));

		item->view.value[UC_ROLE_QLX] <<= shift;
		item->view.claimed[UC_ROLE_QLX] <<= shift;
	}
	field = uc_field_find(plan_layout(item, UC_ROLE_CONTROL), "ev_sel");
	if (!field || !route_code(item, &code))
		return text_error(UNCORE_ERR_BAD_PORT, error,
				  "'%s': no counter can listen to this port",
				  item->event->text);
	item->view.value[UC_ROLE_CONTROL] =
		uc_field_put(field, item->view.value[UC_ROLE_CONTROL], code);
	return 0;
}

static uint32_t allowed(const struct plan_item *item)
{
	if (item->event->counter != EVENT_ANY)
		return UINT32_C(1) << item->event->counter;
	return event_counters(item->event);
}

static const struct plan_item *counter_owner(const struct uncore_plan *plan,
					     const struct plan_item *item,
					     unsigned counter)
{
	for (size_t i = 0; i < plan->num_items; i++) {
		const struct plan_item *other = &plan->items[i];

		if (other->placed && other != item &&
		    plan_same_box(other, item) && other->counter == counter)
			return other;
	}
	return NULL;
}

static int no_counter(const struct uncore_plan *plan,
		      const struct plan_item *item, char **error)
{
	uint32_t counters = allowed(item);
	const char *box = item->event->box->guide_name;
	unsigned num = 0;
	struct text text = { 0 };
	int code = UNCORE_ERR_NO_COUNTER;

	for (unsigned i = 0; i < 32; i++) {
		const struct plan_item *owner;

		if (!(counters >> i & 1))
			continue;
		owner = counter_owner(plan, item, i);
		text_add(&text, "%s'%s'", num++ ? ", " : "",
			 owner ? owner->event->text : "");
	}
	if (num == 1) {
		code = text_error(UNCORE_ERR_CONFLICT, error,
				  "'%s' cannot be counted together with %s: "
				  "both need the same counter of the %s",
				  item->event->text, text.data, box);
	} else {
		text_error(code, error,
			   "no counter of the %s is free for '%s': the %u "
			   "that could count it have %s",
			   box, item->event->text, num,
			   text.data ? text.data : "nothing");
	}
	text_free(&text);
	return code;
}

static int place(struct uncore_plan *plan, struct plan_item *item, char **error)
{
	uint32_t counters = allowed(item);
	const struct uc_field *enable;
	enum uc_role control = event_control_role(item->event);
	unsigned counter = 0;
	int result;

	while (counter < 32 && (!(counters >> counter & 1) ||
				counter_owner(plan, item, counter)))
		counter++;
	if (counter == 32)
		return no_counter(plan, item, error);
	item->counter = counter;
	event_view(item->event, &item->view);
	result = place_slot(plan, item, error);
	if (result)
		return result;
	enable = uc_field_find(plan_layout(item, control), "en");
	if (enable)
		item->view.value[control] =
			uc_field_put(enable, item->view.value[control], 1);
	for (size_t i = 0; i < plan->num_items && !result; i++) {
		struct plan_item *other = &plan->items[i];

		if (other->placed && plan_same_box(other, item))
			result = plan_check(other, item, error);
	}
	item->placed = !result;
	return result;
}

/* Number of instances is the same for all, so fewest counters is the most
 * constrained event; of equals the first comes first. */
static int place_all(struct uncore_plan *plan, char **error)
{
	for (size_t n = 0; n < plan->num_items; n++) {
		struct plan_item *next = NULL;
		int result = 0;

		for (size_t i = 0; i < plan->num_items; i++) {
			struct plan_item *item = &plan->items[i];

			if (!item->placed &&
			    (!next ||
			     __builtin_popcount(allowed(item)) <
				     __builtin_popcount(allowed(next))))
				next = item;
		}
		if (next)
			result = place(plan, next, error);
		if (result)
			return result;
	}
	return 0;
}

/* The register that enables all boxes of a socket. */
static const struct uc_register *find_master(const struct uc_family *family)
{
	for (unsigned i = 0; i < family->num_registers; i++)
		if (family->registers[i].role == UC_ROLE_GLOBAL_CTL &&
		    uc_field_find(family->registers[i].layout, "en_all"))
			return &family->registers[i];
	return NULL;
}

int uncore_plan_new(const struct uncore_family *family,
		    struct uncore_event *const *events, size_t num_events,
		    struct uncore_plan **plan, char **error)
{
	struct uncore_plan *new = calloc(1, sizeof(*new));
	int result = UNCORE_ERR_NO_MEMORY;

	if (!new)
		return result;
	new->family = family_row(family);
	new->master = find_master(new->family);
	new->items = calloc(num_events ? num_events : 1, sizeof(*new->items));
	if (!new->items)
		goto fail;
	new->num_items = num_events;
	for (size_t i = 0; i < num_events; i++) {
		struct plan_item *item = &new->items[i];

		item->event = events[i];
		item->last = events[i]->box->num_instances - 1u;
		if (events[i]->instance != EVENT_ANY)
			item->first = item->last =
				(unsigned)events[i]->instance;
	}
	result = place_all(new, error);
	if (result)
		goto fail;
	*plan = new;
	return 0;
fail:
	uncore_plan_free(new);
	return result;
}

void uncore_plan_free(struct uncore_plan *plan)
{
	if (!plan)
		return;
	free(plan->items);
	free(plan);
}

unsigned uncore_plan_counter(const struct uncore_plan *plan, size_t index)
{
	return plan->items[index].counter;
}

uint32_t uncore_plan_counter_address(const struct uncore_plan *plan,
				     size_t index, unsigned instance)
{
	const struct plan_item *item = &plan->items[index];
	bool fixed = item->event->select == UC_SELECT_FIXED;
	const struct uc_register *reg =
		uc_register_of(plan->family, item->event->box_index, instance,
			       fixed ? UC_ROLE_FIXED_COUNTER : UC_ROLE_COUNTER,
			       fixed ? 0 : item->counter);

	return reg ? reg->address : 0;
}
