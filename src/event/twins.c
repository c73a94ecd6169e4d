/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events that are the same but for the field that chooses what they count,
 * such as four of one name with a number: each has its code and its field, and
 * any of them counts what the others count. Such a field is set by the unit
 * mask, or is the word of a filter that a level is compared with.
 */
#include "event/twins.h"

#include <string.h>

static bool same_signals(const struct uc_unit_mask *a,
			 const struct uc_unit_mask *b)
{
	if (a->num_signals != b->num_signals)
		return false;
	for (unsigned i = 0; i < a->num_signals; i++) {
		const struct uc_signal_ref *x = &a->signals[i];
		const struct uc_signal_ref *y = &b->signals[i];

		if (x->signal != y->signal || x->filter != y->filter ||
		    x->index_role != y->index_role ||
		    x->index_high != y->index_high ||
		    x->index_low != y->index_low)
			return false;
	}
	return true;
}

static bool same_params(const struct uc_unit_mask *a,
			const struct uc_unit_mask *b)
{
	if (a->num_params != b->num_params)
		return false;
	for (unsigned i = 0; i < a->num_params; i++)
		if (strcmp(a->params[i].name, b->params[i].name) ||
		    a->params[i].role != b->params[i].role ||
		    a->params[i].low != b->params[i].low)
			return false;
	return true;
}

/* The one set in which two unit masks differ, by its place only; NULL if they
 * are not alike. *other is that of b. */
static const struct uc_set *moved_set(const struct uc_unit_mask *a,
				      const struct uc_unit_mask *b,
				      const struct uc_set **other)
{
	const struct uc_set *moved = NULL;

	if (strcmp(a->name, b->name) || a->num_sets != b->num_sets ||
	    !same_signals(a, b) || !same_params(a, b))
		return NULL;
	for (unsigned i = 0; i < a->num_sets; i++) {
		const struct uc_set *x = &a->sets[i], *y = &b->sets[i];

		if (x->role != y->role || x->value != y->value ||
		    x->contains != y->contains || x->contains ||
		    x->high - x->low != y->high - y->low)
			return NULL;
		if (x->low == y->low)
			continue;
		if (moved)
			return NULL;
		moved = x;
		*other = y;
	}
	return moved;
}

static bool are_alike(const struct uc_event *a, const struct uc_event *b)
{
	return a->select == b->select && a->counters == b->counters &&
	       a->max_increment == b->max_increment &&
	       a->combine_ge == b->combine_ge &&
	       a->accumulate == b->accumulate &&
	       a->tally_bits == b->tally_bits && !a->num_sets && !b->num_sets &&
	       a->num_unit_masks == b->num_unit_masks && a->code != b->code;
}

/* The one word that the event's only signal is compared with, or NULL. */
static const struct uc_filter_word *word_of(const struct uc_family *family,
					    unsigned box,
					    const struct uc_event *event)
{
	const struct uc_filter_word *found = NULL;

	for (unsigned i = 0; i < family->num_filter_words; i++) {
		const struct uc_filter_word *word = &family->filter_words[i];

		if (word->box != box || word->is != UC_HEADER_LEVEL ||
		    !(word->filter & event->signals[0].filter))
			continue;
		if (found)
			return NULL;
		found = word;
	}
	return found;
}

/* The same as is_twin() of events whose fields are words. */
static bool is_twin_by_word(const struct uc_family *family, unsigned box,
			    const struct uc_event *a, const struct uc_event *b,
			    struct twin_field *own, struct twin_field *moved)
{
	const struct uc_filter_word *x, *y;

	if (a->num_signals != 1 || b->num_signals != 1 ||
	    a->signals[0].signal != b->signals[0].signal)
		return false;
	x = word_of(family, box, a);
	y = word_of(family, box, b);
	if (!x || !y || x == y || x->match_role != y->match_role ||
	    x->match_high - x->match_low != y->match_high - y->match_low)
		return false;
	*own = (struct twin_field){ x->match_role, x->match_high,
				    x->match_low };
	*moved = (struct twin_field){ y->match_role, y->match_high,
				      y->match_low };
	return true;
}

/* The same of events whose fields their unit masks set. */
static bool is_twin_by_mask(const struct uc_event *a, const struct uc_event *b,
			    const struct uc_set **own,
			    const struct uc_set **moved)
{
	*own = NULL;
	for (unsigned i = 0; i < a->num_unit_masks; i++) {
		const struct uc_set *y = NULL;
		const struct uc_set *x =
			moved_set(&a->unit_masks[i], &b->unit_masks[i], &y);

		if (!x || (*own &&
			   (x->role != (*own)->role || x->low != (*own)->low ||
			    y->low != (*moved)->low)))
			return false;
		if (x->role < UC_FIRST_SUB_ROLE)
			return false;
		*own = x;
		*moved = y;
	}
	return true;
}

static struct twin_field field_of(const struct uc_set *set)
{
	return (struct twin_field){ set->role, set->high, set->low };
}

/* Whether b is a twin of a; its field in *moved, that of a in *own. */
static bool is_twin(const struct uc_family *family, unsigned box,
		    const struct uc_event *a, const struct uc_event *b,
		    struct twin_field *own, struct twin_field *moved)
{
	const struct uc_set *x, *y = NULL;

	if (!are_alike(a, b))
		return false;
	if (!a->num_unit_masks)
		return is_twin_by_word(family, box, a, b, own, moved);
	if (!is_twin_by_mask(a, b, &x, &y))
		return false;
	*own = field_of(x);
	*moved = field_of(y);
	return true;
}

static void add_twin(struct twins *twins, const struct uc_event *row,
		     const struct twin_field *field)
{
	unsigned n = twins->num++;

	twins->rows[n] = row;
	twins->role = field->role;
	twins->high[n] = field->high;
	twins->low[n] = field->low;
}

/* The first event that has a twin, and its field; NULL: none has. */
static const struct uc_event *first_twin(const struct uc_family *family,
					 unsigned index, struct twin_field *own)
{
	const struct uc_box *box = &family->boxes[index];
	struct twin_field moved;

	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];

		/* a vendor's list has thousands of these */
		if (!row->num_unit_masks && row->num_signals != 1)
			continue;
		for (unsigned j = i + 1; j < box->num_events; j++)
			if (is_twin(family, index, row, &box->events[j], own,
				    &moved))
				return row;
	}
	return NULL;
}

void twins_find(const struct uc_family *family, unsigned index,
		struct twins *twins)
{
	const struct uc_box *box = &family->boxes[index];
	struct twin_field own, moved, same;
	const struct uc_event *row = first_twin(family, index, &own);

	*twins = (struct twins){ 0 };
	if (!row)
		return;
	twins->by_word = !row->num_unit_masks;
	add_twin(twins, row, &own);
	for (const struct uc_event *other = row + 1;
	     other < box->events + box->num_events; other++)
		if (twins->num < NEED_MAX_SLOTS &&
		    is_twin(family, index, row, other, &same, &moved))
			add_twin(twins, other, &moved);
}
