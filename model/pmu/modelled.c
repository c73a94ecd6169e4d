/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whether an event means anything on this model: every signal it is made of has
 * to be driven by a box. A tool asks before it counts, so that an event without
 * a mechanism is refused and never shown as 0.
 */
#include "model/pmu/inside.h"

struct question {
	const struct sigbank *bank;
	const struct uc_box *box;
	unsigned port;
};

/* All elements that a reference may mean. */
static bool ref_is_driven(const struct question *q,
			  const struct uc_signal_ref *ref)
{
	unsigned first = ref->signal, last = ref->signal;

	for (unsigned i = 0; i < q->box->num_signals; i++)
		if (ref->index_role != UC_ROLE_NONE &&
		    q->box->signals[i].first == first)
			last = first + q->box->signals[i].dim - 1u;
	for (unsigned element = first; element <= last; element++)
		if (!q->bank->driven[element * q->box->num_ports + q->port])
			return false;
	return true;
}

static bool refs_are_driven(const struct question *q,
			    const struct uc_signal_ref *refs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!ref_is_driven(q, &refs[i]))
			return false;
	return true;
}

/* Whether registers set for the composite would also fit this condition. */
static bool implies(const struct uc_unit_mask *composite,
		    const struct uc_set *set)
{
	for (unsigned i = 0; i < composite->num_sets; i++) {
		const struct uc_set *own = &composite->sets[i];

		if (own->role != set->role || own->high != set->high ||
		    own->low != set->low)
			continue;
		return set->contains ? (own->value & set->value) == set->value
				     : own->value == set->value;
	}
	return false;
}

static bool holds(const struct uc_unit_mask *composite,
		  const struct uc_unit_mask *part)
{
	for (unsigned i = 0; i < part->num_sets; i++)
		if (!implies(composite, &part->sets[i]))
			return false;
	return true;
}

/* Whether it is the union of others, and no other name of one. */
static bool is_union(const struct uc_event *event,
		     const struct uc_unit_mask *mask)
{
	for (unsigned i = 0; i < event->num_unit_masks; i++) {
		const struct uc_unit_mask *part = &event->unit_masks[i];

		if (holds(mask, part) && !holds(part, mask))
			return true;
	}
	return false;
}

/* A part without signals would be missing in the sum quietly, unless it is a
 * sum itself, another name of the whole, or ruled out. */
static bool part_is_driven(const struct question *q,
			   const struct uc_event *event,
			   const struct uc_unit_mask *whole,
			   const struct uc_unit_mask *part)
{
	if (part->num_signals)
		return refs_are_driven(q, part->signals, part->num_signals);
	return part->excluded || holds(part, whole) || is_union(event, part);
}

static bool mask_is_driven(const struct question *q,
			   const struct uc_event *event,
			   const struct uc_unit_mask *mask)
{
	bool has_signals = false;

	if (mask->num_signals)
		return refs_are_driven(q, mask->signals, mask->num_signals);
	for (unsigned i = 0; i < event->num_unit_masks; i++) {
		const struct uc_unit_mask *part = &event->unit_masks[i];

		if (!holds(mask, part))
			continue;
		if (!part_is_driven(q, event, mask, part))
			return false;
		has_signals |= part->num_signals;
	}
	return has_signals;
}

bool pmu_has_box(struct pmu *pmu, unsigned box, unsigned instance)
{
	const struct sigbank *bank = pmu_bank(pmu, box, instance);

	for (unsigned i = 0; bank && i < bank->num_signals; i++)
		if (bank->driven[i])
			return true;
	return false;
}

bool pmu_is_modelled(struct pmu *pmu, const struct uc_event *event,
		     const struct uc_unit_mask *unit_mask, unsigned port)
{
	struct question q = { pmu_bank(pmu, event->box, 0),
			      &pmu->config.family->boxes[event->box], port };

	if (!q.bank || port >= q.box->num_ports)
		return false;
	if (unit_mask)
		return mask_is_driven(&q, event, unit_mask);
	if (event->of_counter)
		return true; /* of whatever that one counts */
	if (event->num_signals)
		return refs_are_driven(&q, event->signals, event->num_signals);
	for (unsigned i = 0; i < event->num_unit_masks; i++)
		if (mask_is_driven(&q, event, &event->unit_masks[i]))
			return true;
	return false;
}
