/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The names of the options that events of a box take, for those who list or
 * complete them. option.c says what they do.
 */
#include "event/event.h"

#include <string.h>
#include <strings.h>

/* Counts down to the name that is wanted. */
struct walk {
	const struct uc_family *family;
	size_t left;
	bool is_found;
	const char *box, *option;
	bool takes_value;
};

static void visit(struct walk *walk, const struct uc_box *box, const char *name,
		  bool takes_value)
{
	if (walk->is_found || walk->left--)
		return;
	walk->is_found = true;
	walk->box = box->name;
	walk->option = name;
	walk->takes_value = takes_value;
}

static void visit_fields(struct walk *walk, unsigned index,
			 const struct uc_layout *layout)
{
	for (unsigned i = 0; layout && i < layout->num_fields; i++) {
		const struct uc_field *field = &layout->fields[i];

		if (field->kind == UC_KIND_RW &&
		    strcasecmp(field->canonical, "en"))
			visit(walk, &walk->family->boxes[index],
			      field->canonical, field->high > field->low);
	}
}

/* Whether an earlier event of the box, or an earlier unit mask of the same
 * event, has the parameter. */
static bool is_known(const struct uc_box *box, const struct uc_event *until,
		     unsigned until_mask, const char *name)
{
	const struct uc_event *end = box->events + box->num_events;

	for (const struct uc_event *row = box->events;
	     row <= until && row < end; row++) {
		unsigned masks =
			row == until ? until_mask : row->num_unit_masks;

		for (unsigned i = 0; row < until && i < row->num_params; i++)
			if (!strcmp(row->params[i].name, name))
				return true;
		for (unsigned m = 0; m < masks; m++)
			for (unsigned i = 0; i < row->unit_masks[m].num_params;
			     i++)
				if (!strcmp(row->unit_masks[m].params[i].name,
					    name))
					return true;
	}
	return false;
}

static bool is_param(const struct uc_box *box, const char *name)
{
	const struct uc_event *end = box->events + box->num_events;

	return box->num_events && is_known(box, end, 0, name);
}

static void visit_params(struct walk *walk, const struct uc_box *box,
			 const struct uc_event *row)
{
	for (unsigned i = 0; i < row->num_params; i++)
		if (!is_known(box, row, 0, row->params[i].name))
			visit(walk, box, row->params[i].name, true);
	for (unsigned m = 0; m < row->num_unit_masks; m++)
		for (unsigned i = 0; i < row->unit_masks[m].num_params; i++) {
			const char *name = row->unit_masks[m].params[i].name;

			if (!is_known(box, row, m, name))
				visit(walk, box, name, true);
		}
}

static void visit_filters(struct walk *walk, unsigned index)
{
	const struct uc_family *family = walk->family;

	for (unsigned i = 0; i < family->num_filter_words; i++) {
		const struct uc_filter_word *word = &family->filter_words[i];
		bool again = false;

		for (unsigned j = 0; j < i; j++)
			again |= family->filter_words[j].box == word->box &&
				 !strcmp(family->filter_words[j].name,
					 word->name);
		again |= is_param(&family->boxes[index], word->name);
		if (word->box == index && !again)
			visit(walk, &family->boxes[index], word->name, true);
	}
}

static void visit_box(struct walk *walk, unsigned index)
{
	const struct uc_box *box = &walk->family->boxes[index];

	visit(walk, box, "counter", true);
	if (box->num_ports > 1) {
		visit(walk, box, "port", true);
		visit(walk, box, "slot", true);
	}
	visit_fields(walk, index,
		     event_layout(walk->family, index, UC_ROLE_CONTROL));
	for (unsigned i = 0; i < box->num_events && !walk->is_found; i++)
		visit_params(walk, box, &box->events[i]);
	visit_filters(walk, index);
}

bool uncore_family_option(const struct uncore_family *family, size_t index,
			  struct uncore_option *option)
{
	struct walk walk = { .family = family_row(family), .left = index };

	for (unsigned i = 0; i < walk.family->num_boxes && !walk.is_found; i++)
		visit_box(&walk, i);
	*option = (struct uncore_option){
		.box = walk.box,
		.name = walk.option,
		.takes_value = walk.takes_value,
	};
	return walk.is_found;
}
