/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whether two events can share a box. Sub-registers belong to the box, not to a
 * counter, so an event may change what its neighbour counts in two ways: both
 * need another value of the same field, or one sets a field that makes a
 * further unit mask of the other one hold.
 */
#include "event/plan.h"

#include "uncore/error.h"

static bool is_shared(const struct plan_item *a, const struct plan_item *b,
		      enum uc_role role)
{
	return a->view.claimed[role] && b->view.claimed[role] &&
	       plan_index(a, role) == plan_index(b, role);
}

static int refuse(const struct plan_item *a, const struct plan_item *b,
		  enum uc_role role, unsigned bit, char **error)
{
	const struct uc_layout *layout = plan_layout(a, role);
	const struct uc_field *field = event_field_at(layout, bit);

	return text_error(UNCORE_ERR_CONFLICT, error,
			  "'%s' and '%s' cannot be counted at the same time: "
			  "they need different values of %s.%s",
			  a->event->text, b->event->text, layout->name,
			  field ? field->name : "its bits");
}

static int check_fields(const struct plan_item *a, const struct plan_item *b,
			char **error)
{
	for (unsigned i = UC_ROLE_DSP; i < UC_NUM_ROLES; i++) {
		enum uc_role role = (enum uc_role)i;
		uint64_t shared = a->view.claimed[i] & b->view.claimed[i];
		uint64_t differ =
			(a->view.value[i] ^ b->view.value[i]) & shared;

		if (is_shared(a, b, role) && differ)
			return refuse(a, b, role,
				      (unsigned)__builtin_ctzll(differ), error);
	}
	return 0;
}

/* The first role in which the other item adds bits to the registers of a. */
static enum uc_role added_role(const struct plan_item *a,
			       const struct event_view *both)
{
	for (unsigned i = UC_ROLE_DSP; i < UC_NUM_ROLES; i++)
		if (a->view.claimed[i] && a->view.value[i] != both->value[i])
			return (enum uc_role)i;
	return UC_ROLE_NONE;
}

static int check_masks(const struct plan_item *a, const struct plan_item *b,
		       char **error)
{
	const struct uc_event *row = a->event->row;
	struct event_view both = a->view;

	/* A slot of its own is not shared with others. */
	if (!row || a->event->select > UC_SELECT_SET_FLAG_SEL)
		return 0;
	for (unsigned i = UC_ROLE_DSP; i < UC_NUM_ROLES; i++)
		if (plan_index(a, (enum uc_role)i) ==
		    plan_index(b, (enum uc_role)i))
			both.value[i] |= b->view.value[i];
	for (unsigned i = 0; i < row->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &row->unit_masks[i];
		enum uc_role role;

		if (mask->excluded ||
		    event_fits(&a->view, mask->sets, mask->num_sets) ==
			    event_fits(&both, mask->sets, mask->num_sets))
			continue;
		role = added_role(a, &both);
		return text_error(UNCORE_ERR_CONFLICT, error,
				  "'%s' and '%s' cannot be counted at the same "
				  "time: what the second sets in %s makes the "
				  "first count %s as well",
				  a->event->text, b->event->text,
				  role ? plan_layout(a, role)->name : "the box",
				  mask->name);
	}
	return 0;
}

int plan_check(const struct plan_item *a, const struct plan_item *b,
	       char **error)
{
	int result = check_fields(a, b, error);

	if (!result)
		result = check_masks(a, b, error);
	if (!result)
		result = check_masks(b, a, error);
	return result;
}
