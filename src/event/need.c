/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From an event to what it needs. Its settings are not all: its counter counts
 * every unit mask that holds in the registers, whoever set them, so whatever
 * the event does not set but would be counted by (a further unit mask, an
 * address filter) has to stay off.
 */
#include "event/need.h"

#include <stdlib.h>
#include <string.h>

static void claim(struct need *need, enum uc_role role, unsigned high,
		  unsigned low)
{
	need->view.claimed[role] |= uc_bits(high, low);
}

static void claim_field(struct need *need, enum uc_role role, const char *name)
{
	const struct uc_layout *layout =
		event_layout(need->event->family, need->event->box_index, role);
	const struct uc_field *field =
		layout ? uc_field_find(layout, name) : NULL;

	if (field)
		claim(need, role, field->high, field->low);
}

static void claim_whole(struct need *need, enum uc_role role)
{
	const struct uc_layout *layout =
		event_layout(need->event->family, need->event->box_index, role);

	if (layout)
		need->view.claimed[role] |= layout->writable;
}

static uint64_t field_value(const struct need *need, enum uc_role role,
			    const char *name)
{
	const struct uc_layout *layout =
		event_layout(need->event->family, need->event->box_index, role);
	const struct uc_field *field =
		layout ? uc_field_find(layout, name) : NULL;

	return field ? uc_field_get(field, need->view.value[role]) : 0;
}

/* What the comparison of DRAM commands looks at. */
static void claim_dram(struct need *need, bool second)
{
	claim_field(need, UC_ROLE_PLD, second ? "dram_cmd1" : "dram_cmd");
	claim_field(need, UC_ROLE_PLD, "addr_match1");
	if (!second)
		claim_field(need, UC_ROLE_PLD, "cmd");
	if (!second && field_value(need, UC_ROLE_PLD, "cmd"))
		claim_field(need, UC_ROLE_ISS, "sched_mode_pld_trig");
	if (!field_value(need, UC_ROLE_PLD, "addr_match1"))
		return;
	claim_field(need, UC_ROLE_MM_CFG, "mm_en");
	claim_field(need, UC_ROLE_MATCH, "address");
	claim_field(need, UC_ROLE_MASK, "address");
}

static void claim_message(struct need *need, unsigned filter)
{
	const char *message = filter & UC_FILTER_OUT ? "msg_out" : "msg_in";
	const char *opcode = filter & UC_FILTER_OUT ? "opc_out" : "opc_in";
	const char *names[3] = {
		filter & UC_FILTER_MSG ? message : "",
		filter & UC_FILTER_OPC ? opcode : "",
		filter & UC_FILTER_ADDR ? "addr" : "",
	};

	for (unsigned i = 0; i < 3; i++) {
		claim_field(need, UC_ROLE_MATCH, names[i]);
		claim_field(need, UC_ROLE_MASK, names[i]);
	}
}

static void claim_filter(struct need *need, unsigned filter)
{
	if (filter & UC_FILTER_BBOX) {
		claim_message(need, filter);
	} else if (filter == UC_FILTER_PLD || filter == UC_FILTER_PLD1) {
		claim_dram(need, filter == UC_FILTER_PLD1);
	} else if (filter == UC_FILTER_MM) {
		claim_whole(need, UC_ROLE_MM_CFG);
		claim_whole(need, UC_ROLE_MATCH);
		claim_whole(need, UC_ROLE_MASK);
	}
}

static void claim_signals(struct need *need, const struct uc_signal_ref *refs,
			  unsigned num)
{
	for (unsigned i = 0; i < num; i++) {
		if (refs[i].index_role != UC_ROLE_NONE)
			claim(need, (enum uc_role)refs[i].index_role,
			      refs[i].index_high, refs[i].index_low);
		claim_filter(need, refs[i].filter);
	}
}

static uint64_t set_bits(const struct uc_set *set)
{
	return set->contains ? set->value << set->low
			     : uc_bits(set->high, set->low);
}

static void claim_sets(struct need *need, const struct uc_set *sets,
		       unsigned num)
{
	for (unsigned i = 0; i < num; i++)
		need->view.claimed[sets[i].role] |= set_bits(&sets[i]);
}

/* Sets that do not hold have to stay so: one bit that rules them out does. The
 * control belongs to the event alone, so what it rules out is ruled out. */
static void claim_not(struct need *need, const struct uc_set *sets,
		      unsigned num)
{
	const struct uc_set *first = NULL;

	for (unsigned i = 0; i < num; i++) {
		enum uc_role role = (enum uc_role)sets[i].role;
		uint64_t wrong = (need->view.value[role] ^
				  sets[i].value << sets[i].low) &
				 set_bits(&sets[i]);

		if (wrong && (role == UC_ROLE_CONTROL ||
			      wrong & need->view.claimed[role]))
			return;
		if (wrong && !first)
			first = &sets[i];
	}
	if (first)
		need->view.claimed[first->role] |= set_bits(first);
}

/* What decides whether and what an event of the tables adds to the count. */
static void claim_row(struct need *need, const struct uc_event *row)
{
	if (!event_fits(&need->view, row->sets, row->num_sets)) {
		claim_not(need, row->sets, row->num_sets);
		return;
	}
	claim_sets(need, row->sets, row->num_sets);
	claim_signals(need, row->signals, row->num_signals);
	for (unsigned i = 0; i < row->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &row->unit_masks[i];

		if (!mask->num_signals ||
		    !event_fits(&need->view, mask->sets, mask->num_sets))
			continue;
		claim_sets(need, mask->sets, mask->num_sets);
		claim_signals(need, mask->signals, mask->num_signals);
	}
	for (unsigned i = 0; i < row->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &row->unit_masks[i];

		if (mask->num_signals &&
		    !event_fits(&need->view, mask->sets, mask->num_sets))
			claim_not(need, mask->sets, mask->num_sets);
	}
}

/* What a control chooses through each of its select fields. */
struct choice {
	uint64_t code[UC_SELECT_SET_FLAG_SEL + 1];
	uint64_t width[UC_SELECT_SET_FLAG_SEL + 1]; /* 0: nothing */
};

static void choose(const struct need *need, struct choice *choice)
{
	static const char *const names[] = {
		[UC_SELECT_EV_SEL] = "ev_sel",
		[UC_SELECT_INC_SEL] = "inc_sel",
		[UC_SELECT_SET_FLAG_SEL] = "set_flag_sel",
	};
	const struct uc_layout *layout = event_layout(
		need->event->family, need->event->box_index, UC_ROLE_CONTROL);
	bool flagged = field_value(need, UC_ROLE_CONTROL, "flag_mode");
	bool gated = field_value(need, UC_ROLE_CONTROL, "storage_mode") & 1;

	*choice = (struct choice){ 0 };
	for (unsigned i = 0; i <= UC_SELECT_SET_FLAG_SEL; i++) {
		const struct uc_field *field =
			layout ? uc_field_find(layout, names[i]) : NULL;

		if (!field || (i == UC_SELECT_INC_SEL && flagged && !gated) ||
		    (i == UC_SELECT_SET_FLAG_SEL && !flagged))
			continue;
		choice->code[i] =
			uc_field_get(field, need->view.value[UC_ROLE_CONTROL]);
		choice->width[i] = uc_bits(field->high - field->low, 0);
	}
}

/* Whether a counter with this control counts the event. */
static bool is_chosen(const struct choice *choice, const struct uc_event *row)
{
	return row->select <= UC_SELECT_SET_FLAG_SEL &&
	       choice->width[row->select] &&
	       (row->code & choice->width[row->select]) ==
		       choice->code[row->select];
}

/* Raw codes without a counter may stand for another event on each counter
 * (B-Box): they mean that of the lowest one. */
static void settle_counters(struct need *need, const struct choice *choice)
{
	const struct uc_box *box = need->event->box;
	uint32_t lowest = need->row_counters & -need->row_counters;

	if (need->event->counter != EVENT_ANY)
		lowest = UINT32_C(1) << need->event->counter;
	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];

		if (is_chosen(choice, row) && row->counters & lowest) {
			need->row_counters &= row->counters;
			return;
		}
	}
	/* A code of no event counts what that counter makes of it. */
	if (need->event->counter != EVENT_ANY)
		need->row_counters = lowest;
}

static void claim_rows(struct need *need, const struct choice *choice)
{
	const struct uc_box *box = need->event->box;

	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];

		if (row->counters & need->row_counters &&
		    is_chosen(choice, row))
			claim_row(need, row);
	}
}

static bool is_routed(const struct uncore_event *event)
{
	return event->port != EVENT_ANY && event->select >= UC_SELECT_IPERF &&
	       event->select <= UC_SELECT_XBR;
}

/* R-Box: what the event sets is the content of one slot of its port. */
static void hold_port(struct need *need)
{
	const struct uncore_event *event = need->event;
	struct hold *home = &need->holds[0];
	unsigned slots = 0;

	for (unsigned i = 0; i < event->family->num_routes; i++)
		if (event->family->routes[i].port == event->port &&
		    event->family->routes[i].select == event->select)
			slots |= 1u << event->family->routes[i].slot;
	if (event->slot != EVENT_ANY)
		slots &= 1u << event->slot;
	home->family =
		(uint8_t)(event->port * 3 + event->select - UC_SELECT_IPERF);
	home->slots = (uint8_t)slots;
	need->num_holds = 1;
	need->has_home = true;
	if (event->select == UC_SELECT_XBR) {
		need->content[0] = need->view.value[UC_ROLE_MM_CFG];
		need->content[1] = need->view.value[UC_ROLE_MATCH];
		need->content[2] = need->view.value[UC_ROLE_MASK];
	} else {
		need->content[0] =
			need->view.value[event->select == UC_SELECT_IPERF
						 ? UC_ROLE_IPERF
						 : UC_ROLE_QLX];
	}
	for (unsigned role = UC_ROLE_DSP; role < UC_NUM_ROLES; role++)
		need->view.claimed[role] = 0;
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

/* The event's own slot first: if only its name says which, any will do. */
static void hold_own_twin(struct need *need, const struct choice *choice)
{
	const struct twins *twins = &need->twins;

	for (unsigned s = 0; s < twins->num; s++) {
		uint64_t bits = uc_bits(twins->high[s], twins->low[s]);

		if (!is_chosen(choice, twins->rows[s]) ||
		    !(need->view.claimed[twins->role] & bits))
			continue;
		need->has_home = true;
		add_hold(need, 1u << s,
			 (need->view.value[twins->role] & bits) >>
				 twins->low[s]);
		if (need->event->row != twins->rows[s] ||
		    !is_implied(need->event, twins->role, twins->high[s],
				twins->low[s]))
			return;
		need->named = (int)s;
		need->holds[0].slots = (uint8_t)uc_bits(twins->num - 1u, 0);
		return;
	}
}

/* M-Box: fields of twins are slots; who sets one by hand gets that one. */
static void hold_twins(struct need *need, const struct choice *choice)
{
	const struct twins *twins = &need->twins;

	hold_own_twin(need, choice);
	for (unsigned s = 0; s < twins->num; s++) {
		uint64_t bits = uc_bits(twins->high[s], twins->low[s]);
		uint64_t value =
			(need->view.value[twins->role] & bits) >> twins->low[s];
		bool own = need->has_home && is_chosen(choice, twins->rows[s]);

		if (need->view.claimed[twins->role] & bits && !own)
			add_hold(need, 1u << s, value);
		need->view.claimed[twins->role] &= ~bits;
		need->view.value[twins->role] &= ~bits;
	}
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
	struct choice choice;

	need->event = event;
	need->named = NEED_ANY;
	need->last = event->box->num_instances - 1u;
	if (event->instance != EVENT_ANY)
		need->first = need->last = (unsigned)event->instance;
	event_view(event, &need->view);
	need->row_counters = event_counters(event);
	if (is_routed(event)) {
		hold_port(need);
	} else if (event->select != UC_SELECT_FIXED) {
		choose(need, &choice);
		settle_counters(need, &choice);
		claim_rows(need, &choice);
		hold_twins(need, &choice);
	}
	need->counters = need->row_counters;
	if (event->counter != EVENT_ANY)
		need->counters = UINT32_C(1) << event->counter;
}

static bool same_content(const struct need *a, const struct need *b)
{
	return a->event->box == b->event->box && is_routed(a->event) &&
	       is_routed(b->event) &&
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

		while (is_routed(needs[i].event) &&
		       !same_content(&needs[i], &needs[j]))
			j++;
		if (is_routed(needs[i].event))
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

static void view_port(const struct need *need, unsigned slot,
		      struct event_view *view)
{
	const struct uncore_event *event = need->event;
	const struct uc_layout *control =
		event_layout(event->family, event->box_index, UC_ROLE_CONTROL);
	const struct uc_layout *qlx =
		event_layout(event->family, event->box_index, UC_ROLE_QLX);
	struct event_view whole;

	event_view(event, &whole);
	for (unsigned role = UC_ROLE_DSP; role < UC_NUM_ROLES; role++) {
		view->value[role] = whole.value[role];
		view->claimed[role] = whole.claimed[role];
	}
	if (event->select == UC_SELECT_QLX && slot) {
		view->value[UC_ROLE_QLX] <<= event_qlx_shift(qlx);
		view->claimed[UC_ROLE_QLX] <<= event_qlx_shift(qlx);
	}
	for (unsigned i = 0; i < event->family->num_routes; i++) {
		const struct uc_route *route = &event->family->routes[i];

		if (route->port == event->port && route->slot == slot &&
		    route->select == event->select)
			view->value[UC_ROLE_CONTROL] = uc_field_put(
				uc_field_find(control, "ev_sel"),
				view->value[UC_ROLE_CONTROL], route->code);
	}
}

static void view_twins(const struct need *need, unsigned slot,
		       struct event_view *view)
{
	const struct twins *twins = &need->twins;
	const struct uc_field *select = uc_field_find(
		event_layout(need->event->family, need->event->box_index,
			     UC_ROLE_CONTROL),
		"inc_sel");

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
	if (need->has_home && select)
		view->value[UC_ROLE_CONTROL] =
			uc_field_put(select, view->value[UC_ROLE_CONTROL],
				     twins->rows[slot]->code);
}

void need_view(const struct need *need, unsigned slot, struct event_view *view)
{
	enum uc_role role = event_control_role(need->event);
	const struct uc_layout *layout =
		event_layout(need->event->family, need->event->box_index, role);
	const struct uc_field *enable =
		layout ? uc_field_find(layout, "en") : NULL;

	*view = need->view;
	if (is_routed(need->event))
		view_port(need, slot, view);
	else if (need->twins.num)
		view_twins(need, slot, view);
	if (enable)
		view->value[role] = uc_field_put(enable, view->value[role], 1);
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
