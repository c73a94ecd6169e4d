/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The tables say which ways there are to choose an event of a box:
 *   - a code in a field of the control register, a unit mask beside it; of
 *     several such fields each has its conditions, and one may only say in
 *     which cycles what the other one chooses is counted;
 *   - ev_sel points at a slot of a port (routes), and the bits set there are
 *     the event;
 *   - bits of the code stand for an occupancy, which is counted, or compared so
 *     that what the other bits choose counts while that holds (PCU).
 * Of the unit masks that fit, all signals are taken; composites have none of
 * their own.
 */
#include "model/pmu/decode.h"

#include <string.h>

struct decoding {
	const struct decode_place *place;
	const struct uc_box *box;
	const struct uc_register *control;
	uint64_t value[UC_NUM_ROLES];
	struct expression *expression;
	enum decode_fault fault;
	uint8_t input; /* enum tap_input that terms are added to */
	unsigned port; /* where the control points, if it does */
	unsigned max_terms;
	unsigned num_events;	       /* that have the chosen code */
	const struct uc_event *adding; /* the event that last added a term */
	struct filter filter; /* the latest, of the kind `filter_code` */
	uint8_t filter_code;
	bool only_levels; /* another counter wants to know */
	bool is_compared; /* the threshold has been used up */
	bool is_of_time;  /* a term of it is no fact of state, */
	bool is_of_clock; /* and one is the box's clock */
};

static unsigned num_refs(const struct uc_event *event)
{
	unsigned n = event->num_signals;

	for (unsigned i = 0; i < event->num_unit_masks; i++)
		n += event->unit_masks[i].num_signals;
	return n;
}

unsigned decode_max_terms(const struct uc_box *box)
{
	unsigned most = 0;

	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *event = &box->events[i];
		unsigned n = 0;

		for (unsigned j = 0; j < box->num_events; j++) {
			const struct uc_event *other = &box->events[j];

			if (other->select == event->select &&
			    (other->code == event->code || box->num_ports > 1))
				n += num_refs(other);
		}
		if (n > most)
			most = n;
	}
	return TAP_NUM_INPUTS * most;
}

void decode_find_control(struct decode_place *place)
{
	static const char *const names[DECODE_NUM_FIELDS] = {
		[FIELD_STORAGE_MODE] = "storage_mode",
		[FIELD_COUNT_MODE] = "count_mode",
		[FIELD_WRAP_MODE] = "wrap_mode",
		[FIELD_THRESHOLD] = "threshold",
		[FIELD_INVERT] = "invert",
		[FIELD_EDGE_DETECT] = "edge_detect",
		[FIELD_PMI_EN] = "pmi_en",
		[FIELD_EN] = "en",
	};
	const struct uc_box *box = &place->registers->family->boxes[place->box];
	bool is_fixed = place->counter >= box->num_counters;

	place->control = register_find(
		place->registers, place->box, place->instance,
		is_fixed ? UC_ROLE_FIXED_CTL : UC_ROLE_CONTROL,
		is_fixed ? place->counter - box->num_counters : place->counter);
	for (unsigned i = 0; i < DECODE_NUM_FIELDS; i++)
		place->fields[i] =
			uc_field_find(place->control->layout, names[i]);
}

uint64_t decode_field(const struct decode_place *place, enum decode_field field)
{
	const struct uc_field *found = place->fields[field];

	return found ? uc_field_get(found, *register_place(place->registers,
							   place->control))
		     : 0;
}

static uint64_t read_sub(const void *object, enum uc_role role, unsigned index)
{
	const struct decode_place *place = object;
	const struct uc_register *reg = register_find(
		place->registers, place->box, place->instance, role, index);

	return reg ? *register_place(place->registers, reg) : 0;
}

/* The row of a signal, one of whose elements it is. */
static const struct uc_signal *signal_of(const struct uc_box *box,
					 unsigned element)
{
	const struct uc_signal *row = box->signals;

	while (element - row->first >= row->dim)
		row++;
	return row;
}

static bool add_term(struct decoding *d, const struct term *term)
{
	struct expression *expression = d->expression;

	for (unsigned i = 0; i < expression->num_terms; i++)
		if (!memcmp(&expression->terms[i], term, sizeof(*term)))
			return false;
	if (expression->num_terms == d->max_terms)
		return false;
	memcpy(&expression->terms[expression->num_terms++], term,
	       sizeof(*term));
	return true;
}

/* Filters look at what carries a header; what does not is counted as it is. */
static bool has_headers(const struct uc_signal *signal)
{
	return signal->kind == UC_SIGNAL_PACKET ||
	       signal->kind == UC_SIGNAL_SPAN;
}

/* All events of a port look at the same filter. */
static void set_filter(struct decoding *d, struct term *term, uint8_t code)
{
	if (d->filter_code != code) {
		filter_compile(&d->filter, d->place->registers->family,
			       d->place->box, d->value, code);
		d->filter_code = code;
	}
	if (filter_is_open(&d->filter))
		return;
	term->filtered = true;
	term->filter = d->filter;
}

/* A level is compared with what a word of the filter says. */
static void set_least(struct decoding *d, uint8_t code)
{
	const struct uc_family *family = d->place->registers->family;
	struct options *options = &d->expression->options;

	for (unsigned i = 0; i < family->num_filter_words; i++) {
		const struct uc_filter_word *word = &family->filter_words[i];

		if (word->box != d->place->box || !(word->filter & code) ||
		    word->is != UC_HEADER_LEVEL)
			continue;
		options->at_least[d->input] =
			(uint16_t)(d->value[word->match_role] >>
					   word->match_low &
				   uc_bits(word->match_high - word->match_low,
					   0));
		/* Any level is at least 0. */
		options->below[d->input] = !options->at_least[d->input];
		if (options->below[d->input])
			options->at_least[d->input] = UINT16_MAX;
	}
}

/* Whether the signal is one more than there were. */
static bool add_ref(struct decoding *d, const struct uc_signal_ref *ref)
{
	const struct uc_signal *signal = signal_of(d->box, ref->signal);
	unsigned element = ref->signal;
	struct term term;

	if (d->only_levels && !uc_is_level((enum uc_signal_kind)signal->kind))
		return false;
	if (ref->index_role != UC_ROLE_NONE) {
		uint64_t index = (d->value[ref->index_role] &
				  uc_bits(ref->index_high, ref->index_low)) >>
				 ref->index_low;

		if (index >= signal->dim)
			return false;
		element += (unsigned)index;
	}
	memset(&term, 0, sizeof(term));
	term.signal = (uint16_t)(element * d->box->num_ports + d->port);
	term.input = d->input;
	if (ref->filter && has_headers(signal))
		set_filter(d, &term, ref->filter);
	return add_term(d, &term);
}

/* How the terms of the event go together. Several events at once (R-Box) are
 * ORed: the counter sees one wire. A sub-counter cannot be shared. */
static void combine(struct decoding *d, const struct uc_event *event)
{
	struct options *options = &d->expression->options;

	if (d->adding == event)
		return;
	if (d->adding) {
		if (event->accumulate || options->accumulate ||
		    event->tally_bits || options->tally_bits)
			d->fault = DECODE_MIXED;
		options->accumulate = 0;
		options->tally_bits = 0;
		options->at_least[d->input] = 1;
	} else {
		options->accumulate = event->accumulate;
		options->tally_bits = event->tally_bits;
		options->at_least[d->input] = event->combine_ge;
	}
	d->adding = event;
}

/* Which event it is. */
static void name(struct decoding *d, const struct uc_event *event,
		 const struct uc_unit_mask *unit_mask)
{
	struct options *options = &d->expression->options;

	if (options->event && options->unit_mask != unit_mask)
		options->unit_mask = NULL;
	if (options->event)
		return;
	options->event = event;
	options->unit_mask = unit_mask;
}

/* Terms of an event, or of one of its unit masks. */
static void add_refs(struct decoding *d, const struct uc_event *event,
		     const struct uc_unit_mask *unit_mask)
{
	const struct uc_signal_ref *refs =
		unit_mask ? unit_mask->signals : event->signals;
	unsigned n = unit_mask ? unit_mask->num_signals : event->num_signals;

	if (!d->place->registers->family->has_model)
		return; /* the refs have filters only */
	for (unsigned i = 0; i < n; i++) {
		if (!add_ref(d, &refs[i]))
			continue;
		combine(d, event);
		name(d, event, unit_mask);
		d->is_of_time |=
			unit_mask ? !unit_mask->is_state : !event->is_state;
		d->is_of_clock |= signal_of(d->box, refs[i].signal)->kind ==
				  UC_SIGNAL_CLOCK;
		if (refs[i].filter &&
		    signal_of(d->box, refs[i].signal)->kind == UC_SIGNAL_LEVEL)
			set_least(d, refs[i].filter);
	}
}

static void add_coded(struct decoding *d);

/* The occupancy that another counter of the box has chosen, whether it counts
 * or not. What never adds more than 1 in a cycle is none. */
static void add_other(struct decoding *d, unsigned counter)
{
	struct decode_place place = *d->place;
	struct decoding other = *d;

	d->is_of_time = true;
	if (d->only_levels)
		return;
	place.counter = (uint8_t)counter;
	decode_find_control(&place);
	other.place = &place;
	other.control = place.control;
	other.value[other.control->role] =
		*register_place(place.registers, other.control);
	other.filter_code = 0;
	other.only_levels = true;
	add_coded(&other);
}

static void add_event(struct decoding *d, const struct uc_event *event)
{
	/* The conditions of a packet filter event are the filter's business. */
	bool any =
		d->place->registers->family->selects[event->select].is_filter;

	d->num_events++;
	if (event->of_counter) {
		d->expression->options.follows = true;
		add_other(d, event->of_counter - 1u);
		return;
	}
	if (d->only_levels && event->max_increment < 2)
		return;
	if (!any && !uc_holds(d->value, event->sets, event->num_sets))
		return;
	add_refs(d, event, NULL);
	for (unsigned i = 0; i < event->num_unit_masks; i++) {
		const struct uc_unit_mask *mask = &event->unit_masks[i];

		if (any || uc_holds(d->value, mask->sets, mask->num_sets))
			add_refs(d, event, mask);
	}
}

static uint64_t code_of(const struct decoding *d,
			const struct uc_select *select)
{
	return uc_select_code(select, d->control->layout,
			      d->value[d->control->role]);
}

/* Adds the events of one way to select that have a code. */
static void add_selected(struct decoding *d, const struct uc_select *select,
			 uint64_t code)
{
	const struct uc_family *family = d->place->registers->family;
	uint64_t bits = uc_select_bits(select, d->control->layout);

	d->num_events = 0;
	for (unsigned i = 0; i < d->box->num_events; i++) {
		const struct uc_event *event = &d->box->events[i];

		if (&family->selects[event->select] == select &&
		    (event->code & bits) == code &&
		    event->counters >> d->place->counter & 1)
			add_event(d, event);
	}
	if (!d->num_events)
		d->fault = DECODE_NO_EVENT;
	d->adding = NULL;
}

const struct uc_route *decode_route(const struct decode_place *place)
{
	const struct uc_family *family = place->registers->family;

	return uc_route_of(family, place->box, place->counter,
			   uc_select_code(&family->selects[UC_SELECT_EV_SEL],
					  place->control->layout,
					  *register_place(place->registers,
							  place->control)));
}

/* Every event that is chosen by what its slot holds is looked at. */
static void add_routed(struct decoding *d, const struct uc_route *route)
{
	if (!route) {
		d->fault = DECODE_NO_EVENT;
		return;
	}
	d->port = route->port;
	for (unsigned i = 0; i < d->box->num_events; i++)
		if (d->box->events[i].select == route->select)
			add_event(d, &d->box->events[i]);
}

/* Of the event beside an occupancy: cycles without it. */
static void turn_round(struct decoding *d)
{
	struct options *options = &d->expression->options;

	if (!options->at_least[TAP_COUNTED])
		options->at_least[TAP_COUNTED] = 1;
	options->below[TAP_COUNTED] = !options->below[TAP_COUNTED];
}

/* An occupancy, or an event while it is so. The threshold is the occupancy's
 * (Table 2-80). */
static void add_occupancy(struct decoding *d, const struct uc_occupancy *row)
{
	const struct uc_select *select =
		&d->place->registers->family->selects[UC_SELECT_EV_SEL];
	uint64_t control = d->value[d->control->role];
	uint64_t code = code_of(d, select) & ~(uint64_t)row->bits;
	uint64_t threshold = decode_field(d->place, FIELD_THRESHOLD);
	struct options *options = &d->expression->options;

	d->input = code ? TAP_GATE : TAP_COUNTED;
	add_event(d, &d->box->events[row->event]);
	d->adding = NULL;
	options->at_least[d->input] =
		(uint16_t)(threshold ? threshold : !!code);
	options->below[d->input] =
		threshold && register_field(d->control, row->invert, control);
	options->edge_detect = register_field(d->control, row->edge, control);
	d->is_compared = true;
	if (!code)
		return;
	options->gated = true;
	options->edge_detect |= decode_field(d->place, FIELD_EDGE_DETECT);
	d->input = TAP_COUNTED;
	add_selected(d, select, code);
	if (threshold && decode_field(d->place, FIELD_INVERT))
		turn_round(d);
}

static const struct uc_occupancy *occupancy_of(const struct decoding *d)
{
	const struct uc_family *family = d->place->registers->family;

	for (unsigned i = 0; i < family->num_occupancies; i++) {
		const struct uc_occupancy *row = &family->occupancies[i];

		if (&family->boxes[row->box] == d->box &&
		    code_of(d, &family->selects[UC_SELECT_EV_SEL]) & row->bits)
			return row;
	}
	return NULL;
}

/* A code in one field, or (M-Box, Table 2-67) in two. */
static void add_coded(struct decoding *d)
{
	const struct uc_family *family = d->place->registers->family;
	const struct uc_occupancy *occupancy = occupancy_of(d);
	struct options *options = &d->expression->options;

	if (occupancy) {
		add_occupancy(d, occupancy);
		return;
	}
	for (unsigned i = 0; i < family->num_selects; i++) {
		const struct uc_select *select = &family->selects[i];
		bool gate = uc_select_gates(select, d->value);

		if (!uc_select_is_of(select, d->place->box) ||
		    !uc_select_bits(select, d->control->layout))
			continue;
		options->gated |= gate;
		if (!uc_select_in_force(select, d->value))
			continue;
		d->input = gate ? TAP_GATE : TAP_COUNTED;
		add_selected(d, select, code_of(d, select));
	}
}

static void read_modes(struct decoding *d)
{
	struct options *options = &d->expression->options;
	uint64_t count_mode = decode_field(d->place, FIELD_COUNT_MODE);

	if (decode_field(d->place, FIELD_STORAGE_MODE) > 1 || count_mode > 2)
		d->fault = DECODE_UNDEFINED;
	options->down = count_mode == 1;
	options->stops = d->place->fields[FIELD_WRAP_MODE] &&
			 !decode_field(d->place, FIELD_WRAP_MODE);
}

static void add_terms(struct decoding *d)
{
	const struct uc_family *family = d->place->registers->family;
	const struct uc_route *route =
		d->box->num_ports > 1 ? decode_route(d->place) : NULL;

	uc_read_view(family, d->place->box, route, read_sub, d->place,
		     d->value);
	d->value[d->control->role] =
		*register_place(d->place->registers, d->control);
	read_modes(d);
	if (d->place->counter >= d->box->num_counters)
		add_selected(d, &family->selects[UC_SELECT_FIXED], 0);
	else if (d->box->num_ports > 1)
		add_routed(d, route);
	else
		add_coded(d);
}

/* Nothing but a sum is. */
static enum counter_sort sort_of(const struct decoding *d)
{
	const struct expression *expression = d->expression;
	const struct options *options = &expression->options;

	if (!expression->num_terms || options->threshold || options->invert ||
	    options->edge_detect || options->gated || options->tally_bits ||
	    options->at_least[TAP_COUNTED] || options->below[TAP_COUNTED])
		return COUNTER_OF_TIME;
	if (!d->is_of_time)
		return COUNTER_OF_STATE;
	return d->is_of_clock && expression->num_terms == 1 ? COUNTER_OF_CLOCK
							    : COUNTER_OF_TIME;
}

enum decode_fault decode(const struct decode_place *place,
			 struct expression *expression)
{
	const struct uc_family *family = place->registers->family;
	struct options *options = &expression->options;
	struct decoding d = { .place = place, .expression = expression };

	memset(options, 0, sizeof(*options));
	expression->num_terms = 0;
	d.box = &family->boxes[place->box];
	d.max_terms = expression->max_terms;
	d.control = place->control;
	add_terms(&d);
	if (!d.is_compared) {
		options->threshold =
			(uint8_t)decode_field(place, FIELD_THRESHOLD);
		options->invert = decode_field(place, FIELD_INVERT);
		options->edge_detect = decode_field(place, FIELD_EDGE_DETECT);
	}
	options->pmi = decode_field(place, FIELD_PMI_EN);
	options->never = d.fault == DECODE_NO_EVENT;
	options->early_carry = d.box->early_carry;
	options->sort = (uint8_t)sort_of(&d);
	return d.fault;
}
