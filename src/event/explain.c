/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What one register value means, in lines for people: the register, its fields,
 * and as far as it alone tells, the event or the counters it is about.
 */
#include "event/filter.h"

#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"

static void say_register(const struct uc_family *family,
			 const struct uc_register *reg, uint64_t value,
			 struct text *text)
{
	const struct uc_box *box = &family->boxes[reg->box];
	char address[UNCORE_ADDRESS_BYTES];

	text_add(text, "%s = 0x%llx\n", reg->name, (unsigned long long)value);
	text_add(text, "  address %s, %s",
		 uncore_address_say(reg->address, address), box->guide_name);
	if (box->num_instances > 1)
		text_add(text, " %u", reg->instance);
	text_add(text, ", %u bits, %s: %s\n", reg->width, reg->access_text,
		 reg->brief);
}

static void say_bits(const struct uc_field *field, struct text *text)
{
	if (field->high == field->low)
		text_add(text, "  [%u]", field->low);
	else
		text_add(text, "  [%u:%u]", field->high, field->low);
}

static void say_field(const struct uc_field *field, uint64_t value,
		      struct text *text)
{
	uint64_t content = uc_field_get(field, value);

	if (field->kind == UC_KIND_IG && !content)
		return;
	if (field->kind == UC_KIND_RSV && !content)
		return;
	say_bits(field, text);
	if (field->kind == UC_KIND_IG)
		text_add(text, " ignored bits set: 0x%llx\n",
			 (unsigned long long)content);
	else if (field->kind == UC_KIND_RSV)
		text_add(text, " reserved bits set, must be 0: 0x%llx\n",
			 (unsigned long long)content);
	else
		text_add(text, " %s = 0x%llx%s%s\n", field->name,
			 (unsigned long long)content, *field->brief ? "  " : "",
			 field->brief);
}

/* All fields, then bits outside of them. */
static void say_fields(const struct uc_register *reg, uint64_t value,
		       struct text *text)
{
	const struct uc_layout *layout = reg->layout;
	uint64_t known = 0;

	for (unsigned i = 0; i < layout->num_fields; i++) {
		const struct uc_field *field = &layout->fields[i];

		say_field(field, value, text);
		known |= uc_bits(field->high, field->low);
	}
	if (value & ~known)
		text_add(text, "  bits of no field: 0x%llx\n",
			 (unsigned long long)(value & ~known));
}

static void say_event(const struct uncore_family *family,
		      const struct uncore_write *writes, size_t num_writes,
		      struct text *text)
{
	struct uncore_event *event = NULL;
	char *name = NULL;

	if (uncore_event_decode(family, writes, num_writes, &name, NULL))
		return;
	text_add(text, "  selects %s\n", name);
	if (!uncore_event_parse(family, name, &event, NULL) && event->row)
		text_add(text, "  %s: %s\n", event->row->name,
			 event->row->brief);
	for (unsigned i = 0; event && i < event->num_masks; i++)
		text_add(text, "  %s: %s\n", event->masks[i]->name,
			 event->masks[i]->brief);
	uncore_event_free(event);
	free(name);
}

/* Sub-registers: the events whose unit masks hold by what stands here. */
static void say_sub(const struct uc_family *family,
		    const struct uc_register *reg, uint64_t value,
		    struct text *text)
{
	const struct uc_box *box = &family->boxes[reg->box];
	struct event_view view = { 0 };

	view.value[reg->role] = value;
	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];

		for (unsigned m = 0; m < row->num_unit_masks; m++) {
			const struct uc_unit_mask *mask = &row->unit_masks[m];
			bool only = mask->num_sets && !mask->excluded;
			bool zero = true;

			for (unsigned s = 0; s < mask->num_sets; s++) {
				only &= mask->sets[s].role == reg->role;
				zero &= !mask->sets[s].value;
			}
			if (only && !zero &&
			    uc_holds(view.value, mask->sets, mask->num_sets))
				text_add(text, "  chooses %s.%s: %s\n",
					 row->name, mask->name, mask->brief);
		}
	}
}

/* Match and mask: what they let pass, with the one beside it; what is not
 * among the writes is taken to be 0. */
static void say_filter(const struct uc_family *family,
		       const struct uc_register *reg,
		       const struct uncore_write *writes, size_t num_writes,
		       struct text *text)
{
	struct event_view view = { 0 };

	for (size_t i = num_writes; i-- > 0;) {
		const struct uc_register *other =
			uc_register_at(family, writes[i].address);

		if (other && other->box == reg->box &&
		    other->instance == reg->instance &&
		    other->index == reg->index)
			view.value[other->role] = writes[i].value;
	}
	filter_explain(family, reg->box, &view, text);
}

static void say_counters(const struct uc_family *family,
			 const struct uc_register *reg, uint64_t value,
			 struct text *text)
{
	const struct uc_box *box = &family->boxes[reg->box];
	const struct uc_field *field = uc_field_find(reg->layout, "ctr_en");
	unsigned first = reg->index * box->global_span;
	unsigned num = 0;
	uint64_t enabled;

	if (!field)
		return;
	enabled = uc_field_get(field, value);
	text_add(text, "  enables counter");
	for (unsigned i = 0; i < 32; i++)
		if (enabled >> i & 1)
			text_add(text, "%s%u", num++ ? ", " : " ", first + i);
	text_add(text, "%s\n", num ? "" : " none");
}

int uncore_event_explain(const struct uncore_family *family,
			 const struct uncore_write *writes, size_t num_writes,
			 char **text, char **error)
{
	const struct uc_family *table = family_row(family);
	const struct uc_register *reg =
		uc_register_at(table, writes[0].address);
	uint64_t value = writes[0].value;
	char address[UNCORE_ADDRESS_BYTES];
	struct text out = { 0 };

	if (!reg)
		return text_error(
			UNCORE_ERR_NO_REGISTER, error,
			"%s has no uncore register at address %s", table->name,
			uncore_address_say(writes[0].address, address));
	if (reg->width < 64 && value >> reg->width)
		return text_error(UNCORE_ERR_VALUE_TOO_WIDE, error,
				  "0x%llx does not fit into %s, which has %u "
				  "bits",
				  (unsigned long long)value, reg->name,
				  reg->width);
	say_register(table, reg, value, &out);
	say_fields(reg, value, &out);
	if (reg->role == UC_ROLE_CONTROL || reg->role == UC_ROLE_FIXED_CTL)
		say_event(family, writes, num_writes, &out);
	else if (reg->role == UC_ROLE_GLOBAL_CTL)
		say_counters(table, reg, value, &out);
	else if (uc_role_kinds[reg->role] >= UC_ROLE_IS_MATCH)
		say_filter(table, reg, writes, num_writes, &out);
	else if (event_role_name((enum uc_role)reg->role))
		say_sub(table, reg, value, &out);
	*text = text_take(&out);
	return *text ? 0 : UNCORE_ERR_NO_MEMORY;
}
