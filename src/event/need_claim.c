/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an event claims. Its settings are not all: its counter counts every unit
 * mask that holds in the registers, whoever set them, so whatever the event
 * does not set but would be counted by (a further unit mask, an address filter)
 * has to stay off.
 */
#include "event/need_parts.h"

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
	if (filter & UC_FILTER_PARTS) {
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

void need_choose(const struct need *need, struct need_choice *choice)
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

	*choice = (struct need_choice){ 0 };
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

bool need_is_chosen(const struct need_choice *choice,
		    const struct uc_event *row)
{
	return row->select <= UC_SELECT_SET_FLAG_SEL &&
	       choice->width[row->select] &&
	       (row->code & choice->width[row->select]) ==
		       choice->code[row->select];
}

void need_claim(struct need *need, const struct need_choice *choice)
{
	const struct uc_box *box = need->event->box;

	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];

		if (row->counters & need->row_counters &&
		    need_is_chosen(choice, row))
			claim_row(need, row);
	}
}
