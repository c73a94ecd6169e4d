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

/* A field, or all that can be written of a register. */
static void claim_field(struct need *need, const struct uc_look *look)
{
	enum uc_role role = (enum uc_role)look->field.role;
	const struct uc_layout *layout =
		uc_layout_of(need->event->family, need->event->box_index, role);

	if (look->field.high == 63 && !look->field.low)
		need->view.claimed[role] |= layout ? layout->writable : 0;
	else
		claim(need, role, look->field.high, look->field.low);
}

static bool is_looked_at(const struct need *need, const struct uc_look *look)
{
	return look->unless.role == UC_ROLE_NONE ||
	       need->view.value[look->unless.role] &
		       uc_bits(look->unless.high, look->unless.low);
}

static void claim_filter(struct need *need, unsigned filter)
{
	const struct uc_family *family = need->event->family;

	for (unsigned i = 0; filter && i < family->num_looks; i++) {
		const struct uc_look *look = &family->looks[i];

		if (look->box == need->event->box_index && look->of & filter &&
		    is_looked_at(need, look))
			claim_field(need, look);
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
	if (!uc_holds(need->view.value, row->sets, row->num_sets)) {
		claim_not(need, row->sets, row->num_sets);
		return;
	}
	claim_sets(need, row->sets, row->num_sets);
	claim_signals(need, row->signals, row->num_signals);
	for (unsigned i = 0; i < row->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &row->unit_masks[i];

		if (!mask->num_signals ||
		    !uc_holds(need->view.value, mask->sets, mask->num_sets))
			continue;
		claim_sets(need, mask->sets, mask->num_sets);
		claim_signals(need, mask->signals, mask->num_signals);
	}
	for (unsigned i = 0; i < row->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &row->unit_masks[i];

		if (mask->num_signals &&
		    !uc_holds(need->view.value, mask->sets, mask->num_sets))
			claim_not(need, mask->sets, mask->num_sets);
	}
}

void need_choose(const struct need *need, struct need_choice *choice)
{
	const struct uc_family *family = need->event->family;
	const struct uc_layout *layout =
		uc_layout_of(family, need->event->box_index, UC_ROLE_CONTROL);

	*choice = (struct need_choice){ 0 };
	for (unsigned i = 0; layout && i < family->num_selects; i++) {
		const struct uc_select *select = &family->selects[i];

		if (!uc_select_is_of(select, need->event->box_index) ||
		    select->num_slots ||
		    !uc_select_in_force(select, need->view.value))
			continue;
		choice->code[i] = uc_select_code(
			select, layout, need->view.value[UC_ROLE_CONTROL]);
		choice->width[i] = uc_select_bits(select, layout);
	}
}

bool need_is_chosen(const struct need_choice *choice,
		    const struct uc_event *row)
{
	return choice->width[row->select] &&
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
