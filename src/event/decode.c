/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From register values back to the text of an event. The event that accounts
 * for most bits is named; what its name does not account for is added as
 * options, so that encoding the text gives the same values again.
 */
#include "event/filter.h"

#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"

struct decoder {
	const struct uc_family *family;
	const struct uc_box *box;
	const struct uc_register *control;
	const struct uncore_write *writes;
	size_t num_writes;
	struct event_view view;
	const struct uc_route *route; /* NULL: the control points at no slot */
};

/* The best reading found so far. */
struct reading {
	const struct uc_event *row;
	const struct uc_unit_mask *masks[EVENT_MAX_MASKS];
	unsigned num_masks;
	unsigned worth; /* bits accounted for */
};

static uint64_t value_of(const void *object, enum uc_role role, unsigned index)
{
	const struct decoder *decoder = object;
	const struct uc_register *reg =
		uc_register_of(decoder->family, decoder->control->box,
			       decoder->control->instance, role, index);

	/* Of several writes the last one holds. */
	for (size_t i = decoder->num_writes; reg && i-- > 0;)
		if (decoder->writes[i].address == reg->address)
			return decoder->writes[i].value & reg->layout->writable;
	return 0;
}

static const struct uc_select *route_select(const struct decoder *decoder)
{
	return &decoder->family->selects[decoder->route->select];
}

static void read_view(struct decoder *decoder)
{
	const struct uc_family *family = decoder->family;
	const struct uc_register *control = decoder->control;
	uint64_t value = decoder->writes[0].value & control->layout->writable;

	decoder->route =
		uc_route_of(family, control->box, control->index,
			    uc_select_code(&family->selects[UC_SELECT_EV_SEL],
					   control->layout, value));
	uc_read_view(family, control->box, decoder->route, value_of, decoder,
		     decoder->view.value);
	decoder->view.value[control->role] = value;
}

/* Whether the control register chooses this event, sub-registers apart. */
static bool is_selected(const struct decoder *decoder,
			const struct uc_event *row)
{
	const struct uc_select *select = &decoder->family->selects[row->select];
	const struct uc_layout *layout = decoder->control->layout;
	uint64_t bits;

	if (row->select == UC_SELECT_FIXED)
		return decoder->control->role == UC_ROLE_FIXED_CTL;
	if (decoder->control->role == UC_ROLE_FIXED_CTL ||
	    !(row->counters >> decoder->control->index & 1))
		return false;
	if (select->num_slots)
		return decoder->route && row->select == decoder->route->select;
	bits = uc_select_bits(select, layout);
	return bits && uc_select_in_force(select, decoder->view.value) &&
	       !uc_select_gates(select, decoder->view.value) &&
	       uc_select_code(select, layout,
			      decoder->view.value[UC_ROLE_CONTROL]) ==
		       (row->code & bits);
}

/* The bits that the sets account for, per role, ORed into `view`. */
static unsigned account(struct event_view *view, const struct uc_set *sets,
			unsigned num_sets)
{
	unsigned worth = 0;

	for (unsigned i = 0; i < num_sets; i++) {
		uint64_t bits = sets[i].contains
					? sets[i].value << sets[i].low
					: uc_bits(sets[i].high, sets[i].low);
		uint64_t *claimed = &view->claimed[sets[i].role];

		worth += (unsigned)__builtin_popcountll(bits & ~*claimed);
		*claimed |= bits;
	}
	return worth;
}

/* Adds the unit mask that accounts for most bits not yet accounted for. */
static bool add_mask(const struct decoder *decoder, struct reading *reading,
		     struct event_view *view, bool excluded)
{
	const struct uc_event *row = reading->row;
	const struct uc_unit_mask *best = NULL;
	unsigned most = 0;

	for (unsigned i = 0; i < row->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &row->unit_masks[i];
		struct event_view trial = *view;
		unsigned worth;

		if (!mask->excluded == excluded ||
		    !uc_holds(decoder->view.value, mask->sets, mask->num_sets))
			continue;
		worth = account(&trial, mask->sets, mask->num_sets);
		if (worth > most) {
			most = worth;
			best = mask;
		}
	}
	if (!best || reading->num_masks == EVENT_MAX_MASKS)
		return false;
	reading->masks[reading->num_masks++] = best;
	reading->worth += account(view, best->sets, best->num_sets);
	return true;
}

static void read_event(const struct decoder *decoder,
		       const struct uc_event *row, struct reading *best)
{
	struct reading reading = { .row = row };
	struct event_view view = { 0 };

	if (!is_selected(decoder, row) ||
	    !uc_holds(decoder->view.value, row->sets, row->num_sets))
		return;
	reading.worth = account(&view, row->sets, row->num_sets) + 1;
	while (add_mask(decoder, &reading, &view, false))
		;
	if (!reading.num_masks)
		add_mask(decoder, &reading, &view, true);
	if (row->num_unit_masks && !reading.num_masks)
		return;
	if (reading.worth > best->worth)
		*best = reading;
}

static void say_head(const struct decoder *decoder,
		     const struct reading *reading, struct text *text)
{
	text_add(text, "%s%u/", decoder->box->name, decoder->control->instance);
	if (reading->row)
		text_add(text, "%s", reading->row->name);
	for (unsigned i = 0; i < reading->num_masks; i++)
		text_add(text, ".%s", reading->masks[i]->name);
	text_add(text, "%s", reading->row ? "," : "");
	if (!decoder->route)
		return;
	text_add(text, "port=%d,slot=%d,", decoder->route->port,
		 decoder->route->slot);
	if (!reading->row) {
		unsigned role = (unsigned)__builtin_ctz(
			route_select(decoder)->registers);

		text_add(text, "%s=0x%llx,",
			 event_role_name((enum uc_role)role),
			 (unsigned long long)decoder->view.value[role]);
	}
}

static void say_field(const struct decoder *decoder, enum uc_role role,
		      const struct uc_field *field, struct text *text)
{
	const char *name = field->canonical;

	if (role != (enum uc_role)decoder->control->role)
		text_add(text, "%s.", event_role_name(role));
	text_add(text, "%s=0x%llx,", name,
		 (unsigned long long)uc_field_get(field,
						  decoder->view.value[role]));
}

/* Options for the fields in which the text so far differs. */
static void say_rest(const struct decoder *decoder,
		     const struct event_view *have, struct text *text)
{
	for (unsigned i = 0; i < UC_NUM_ROLES; i++) {
		enum uc_role role = (enum uc_role)i;
		uint64_t differ = decoder->view.value[i] ^ have->value[i];
		const struct uc_layout *layout = uc_layout_of(
			decoder->family, decoder->control->box, role);

		for (unsigned f = 0; differ && layout && f < layout->num_fields;
		     f++) {
			const struct uc_field *field = &layout->fields[f];

			if (field->kind == UC_KIND_IG ||
			    field->kind == UC_KIND_RSV ||
			    !strcmp(field->canonical, "en") ||
			    (decoder->route &&
			     !strcmp(field->canonical, "ev_sel")))
				continue;
			if (uc_field_get(field, differ))
				say_field(decoder, role, field, text);
		}
	}
}

static char *close_text(const struct decoder *decoder, const struct text *head,
			const struct text *rest)
{
	struct text text = { 0 };

	text_add(&text, "%s%s", head->data, rest->data ? rest->data : "");
	if (decoder->control->role == UC_ROLE_CONTROL)
		text_add(&text, "counter=%u", decoder->control->index);
	else if (text.data && text.data[text.length - 1] == ',')
		text.data[--text.length] = 0;
	text_add(&text, "/");
	return text_take(&text);
}

static struct uncore_event *parse_view(const struct decoder *decoder,
				       const char *text,
				       struct event_view *view)
{
	struct uncore_event *event = NULL;

	if (uncore_event_parse((const struct uncore_family *)decoder->family,
			       text, &event, NULL))
		return NULL;
	event_view(event, view);
	return event;
}

/* Filter options in words, after which these fields differ no more. */
static void say_words(const struct decoder *decoder,
		      const struct uncore_event *event, struct event_view *have,
		      struct text *text)
{
	struct event_view told = { 0 };
	struct text words = { 0 };

	filter_say(event, &decoder->view, have, &told, &words);
	if (words.data)
		text_add(text, "%s,", words.data + 1);
	for (unsigned role = 0; role < UC_NUM_ROLES; role++) {
		have->value[role] &= ~told.claimed[role];
		have->value[role] |=
			decoder->view.value[role] & told.claimed[role];
	}
	text_free(&words);
}

/* Whether a text gives the filters that were read. */
static bool filters_agree(const struct decoder *decoder, const char *text)
{
	struct event_view view;
	struct uncore_event *event = parse_view(decoder, text, &view);
	bool agree = event;

	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_NUM_ROLES && agree;
	     role++)
		agree = uc_role_kinds[role] < UC_ROLE_IS_SWITCH ||
			!((view.value[role] ^ decoder->view.value[role]) &
			  view.claimed[role]);
	uncore_event_free(event);
	return agree;
}

/* Text of a reading, or NULL where no text of this form has these values: a
 * unit mask may leave bits of its field that an option cannot add. */
static char *say(const struct decoder *decoder, const struct reading *reading)
{
	struct text head = { 0 }, rest = { 0 };
	struct event_view have = { 0 };
	struct uncore_event *event = NULL;
	char *text;

	say_head(decoder, reading, &head);
	/* What the name alone gives; raw codes give nothing yet. */
	text = close_text(decoder, &head, &rest);
	if (text && (reading->row || decoder->route))
		event = parse_view(decoder, text, &have);
	free(text);
	if (event)
		say_words(decoder, event, &have, &rest);
	uncore_event_free(event);
	say_rest(decoder, &have, &rest);
	text = close_text(decoder, &head, &rest);
	text_free(&head);
	text_free(&rest);
	if (text && !filters_agree(decoder, text)) {
		free(text);
		return NULL;
	}
	return text;
}

/* With unit masks, with the unit mask as a number, as raw codes. */
static char *say_somehow(const struct decoder *decoder,
			 const struct reading *best)
{
	struct reading without = { .row = best->row };
	const struct reading raw = { 0 };
	char *text = say(decoder, best);

	if (!text && best->num_masks)
		text = say(decoder, &without);
	if (!text)
		text = say(decoder, &raw);
	return text;
}

int uncore_event_decode(const struct uncore_family *family,
			const struct uncore_write *writes, size_t num_writes,
			char **text, char **error)
{
	struct decoder decoder = {
		.family = family_row(family),
		.writes = writes,
		.num_writes = num_writes,
	};
	struct reading best = { 0 };
	char address[UNCORE_ADDRESS_BYTES];

	if (num_writes)
		decoder.control =
			uc_register_at(decoder.family, writes[0].address);
	if (!decoder.control || (decoder.control->role != UC_ROLE_CONTROL &&
				 decoder.control->role != UC_ROLE_FIXED_CTL))
		return text_error(
			UNCORE_ERR_NO_REGISTER, error,
			"%s is not the control register of a "
			"counter",
			uncore_address_say(num_writes ? writes[0].address : 0,
					   address));
	decoder.box = &decoder.family->boxes[decoder.control->box];
	read_view(&decoder);
	for (unsigned i = 0; i < decoder.box->num_events; i++)
		read_event(&decoder, &decoder.box->events[i], &best);
	*text = say_somehow(&decoder, &best);
	return *text ? 0 : UNCORE_ERR_NO_MEMORY;
}
