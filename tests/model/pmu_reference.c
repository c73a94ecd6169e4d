/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See pmu_reference.h. Speed is of no concern, likeness to the guide's prose
 * is; docs/errata.md has the readings taken where the prose leaves a choice.
 */
#include "pmu_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "signals.h"

#define WRAP	    (UINT64_C(1) << 48)
#define NEVER	    UINT64_MAX
#define MAX_SIGNALS 2048
#define MAX_LATER   4096

struct pick { /* one selected signal */
	unsigned id;
	bool gate;
	uint8_t filter;
	unsigned set;			   /* of match and mask registers */
	const struct uc_register *control; /* Xeon E5-2600: has tid_en */
};

struct ref_counter {
	const struct uc_register *control;
	uint64_t count, sub, tally;
	struct pick picks[400];
	unsigned num_picks;
	bool legal, was_on, previous, stopped, carried;
	unsigned at_least[2], accumulate, tally_bits;
	int64_t pulses[2]; /* of the present cycle */
	/* Xeon E5-2600 */
	uint64_t mask, off_at, signature;
	unsigned band; /* 1 + the band that a level is compared with */
	bool occupied,
		alone; /* gate picks are an occupancy, and all there is */
};

struct ref_unit {
	unsigned box, instance, num_counters;
	const struct uc_register *global_ctl[2];
	struct ref_counter *counters;
	int64_t level[MAX_SIGNALS];
	struct coming {
		enum { SPAN, TRAIN, PACKET, HEADER_SPAN } kind;
		uint64_t from, to, period;
		unsigned id, n;
		struct sig_header header;
	} coming[MAX_LATER];
	unsigned num_coming;
	uint64_t clock_start;
	unsigned num, den; /* its clock */
	/* Xeon E5 v2 on: it is frozen, and will be in this cycle. */
	bool is_frozen;
	uint64_t freezes_at;
};

struct reference {
	const struct uc_family *family;
	const struct uc_register *known[12][24][UC_NUM_ROLES][16];
	uint64_t *values;
	const struct uc_register *global_ctl;
	/* Xeon E5 v2 on: what freezes the socket, and tells of overflows. */
	const struct uc_register *freezer, *top;
	struct ref_unit *units;
	unsigned num_units, num_cores, delay;
	bool strict;
	uint64_t now;
	uint64_t arrivals[256]; /* cycles in which PMIs reach the U-Box, */
	uint64_t tellings[256]; /* E5: and the bits that tell of them there */
	unsigned num_arrivals, num_pmis;
	uint64_t pmi_sum;
};

static unsigned box_called(const struct uc_family *family, const char *name)
{
	unsigned box = 0;

	uc_box_find(family, name, &box);
	return box;
}

static const struct uc_box *box_of(const struct reference *r,
				   const struct ref_unit *u)
{
	return &r->family->boxes[u->box];
}

static const struct uc_register *find(const struct reference *r, unsigned box,
				      unsigned instance, enum uc_role role,
				      unsigned index)
{
	return index < 16 ? r->known[box][instance][role][index] : NULL;
}

static uint64_t *at(const struct reference *r, const struct uc_register *reg)
{
	return &r->values[reg - r->family->registers];
}

/* A field of a register; 0 where there is no register or field. */
static uint64_t field(const struct reference *r, const struct uc_register *reg,
		      const char *name)
{
	const struct uc_field *f =
		reg ? uc_field_find(reg->layout, name) : NULL;

	return f ? uc_field_get(f, *at(r, reg)) : 0;
}

static void set_field(const struct reference *r, const struct uc_register *reg,
		      const char *name, uint64_t value)
{
	const struct uc_field *f = uc_field_find(reg->layout, name);

	if (f)
		*at(r, reg) = uc_field_put(f, *at(r, reg), value);
}

static const struct uc_register *ubox(const struct reference *r,
				      enum uc_role role)
{
	return find(r, box_called(r->family, "ubox"), 0, role, 0);
}

/* The Xeon E5-2600: each box is governed by itself, and has a clock. */
static bool is_ep(const struct reference *r)
{
	return !r->global_ctl;
}

static uint64_t cycle_at(const struct ref_unit *u, uint64_t time)
{
	return time * u->num / u->den;
}

/* Selection */

static struct {
	const struct reference *r;
	const struct ref_unit *u;
	struct ref_counter *c;
	unsigned number, port, slot, code;
} now_selecting;

static const struct uc_register *meant(unsigned role)
{
	const struct ref_unit *u = now_selecting.u;
	unsigned index = 0;

	if (role == UC_ROLE_CONTROL)
		return now_selecting.c->control;
	if (box_of(now_selecting.r, u)->num_ports > 1) {
		index = now_selecting.port;
		if (role != ROLE_QLX)
			index = index * 2 + now_selecting.slot;
	}
	return find(now_selecting.r, u->box, u->instance, role, index);
}

static bool fits(const struct uc_set *set)
{
	const struct uc_register *reg = meant(set->role);
	unsigned shift = set->low;
	uint64_t value;

	if (set->role == ROLE_QLX && now_selecting.slot)
		shift += 8; /* Table 2-49: event 1 is 8 bits above event 0 */
	/* a link without the registers of its filter */
	value = reg ? *at(now_selecting.r, reg) >> shift : 0;
	value &= uc_bits(set->high - set->low, 0);
	if (set->contains)
		return (value & set->value) == set->value;
	return value == set->value;
}

static bool pick_refs(const struct uc_signal_ref *refs, unsigned n, bool gate)
{
	const struct uc_box *box = box_of(now_selecting.r, now_selecting.u);
	struct ref_counter *c = now_selecting.c;
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		struct pick p = { refs[i].signal, gate, refs[i].filter, 0,
				  c->control };
		unsigned dim = 1, index = 0, j;

		for (j = 0; j < box->num_signals; j++)
			if (box->signals[j].first == refs[i].signal)
				dim = box->signals[j].dim;
		if (refs[i].index_role)
			index = (unsigned)(*at(now_selecting.r,
					       meant(refs[i].index_role)) >>
						   refs[i].index_low &
					   uc_bits(refs[i].index_high -
							   refs[i].index_low,
						   0));
		if (index >= dim && index)
			continue;
		p.id = (p.id + index) * box->num_ports + now_selecting.port;
		p.set = now_selecting.port * 2 + now_selecting.slot;
		for (j = 0; j < c->num_picks; j++)
			if (c->picks[j].id == p.id &&
			    c->picks[j].gate == gate &&
			    c->picks[j].filter == p.filter)
				break;
		if (j < c->num_picks)
			continue;
		c->picks[c->num_picks++] = p;
		any = true;
	}
	return any;
}

static bool pick_event(const struct uc_event *e, bool gate)
{
	bool any = false, all = e->select == SELECT_XBR;

	for (unsigned i = 0; i < e->num_sets; i++)
		if (!all && !fits(&e->sets[i]))
			return false;
	any |= pick_refs(e->signals, e->num_signals, gate);
	for (unsigned i = 0; i < e->num_unit_masks; i++) {
		const struct uc_unit_mask *m = &e->unit_masks[i];
		bool ok = true;

		for (unsigned j = 0; j < m->num_sets; j++)
			ok = ok && (all || fits(&m->sets[j]));
		if (ok)
			any |= pick_refs(m->signals, m->num_signals, gate);
	}
	return any;
}

static void pick_events(unsigned select, const char *name, bool gate)
{
	const struct uc_box *box = box_of(now_selecting.r, now_selecting.u);
	struct ref_counter *c = now_selecting.c;
	bool routed = select == SELECT_IPERF || select == SELECT_QLX ||
		      select == SELECT_XBR;
	unsigned picked = 0, found = 0;

	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *e = &box->events[i];
		const struct uc_field *f =
			uc_field_find(c->control->layout, name);

		if (e->select != select ||
		    !(e->counters >> now_selecting.number & 1))
			continue;
		if (is_ep(now_selecting.r)
			    ? e->code != now_selecting.code
			    : f && !routed &&
				      (e->code &
				       uc_bits(f->high - f->low, 0)) !=
					      uc_field_get(f,
							   *at(now_selecting.r,
							       c->control)))
			continue;
		found++;
		if (!pick_event(e, gate))
			continue;
		if (!picked++) {
			c->at_least[gate] = e->combine_ge;
			c->accumulate = e->accumulate;
			c->tally_bits = e->tally_bits;
		} else {
			c->at_least[gate] = 1;
			c->accumulate = c->tally_bits = 0;
		}
	}
	if (!found)
		c->legal = false;
}

static void pick_routed(void)
{
	const struct reference *r = now_selecting.r;
	unsigned half = now_selecting.number / 8;
	uint64_t code = field(r, now_selecting.c->control, "ev_sel");

	for (unsigned i = 0; i < r->family->num_routes; i++) {
		const struct uc_route *route = &r->family->routes[i];

		if (route->code != code || route->port / 4 != half)
			continue;
		now_selecting.port = route->port;
		now_selecting.slot = route->slot;
		pick_events(route->select, "", false);
		return;
	}
	now_selecting.c->legal = false;
}

static bool same_picks(const struct pick *a, unsigned na, const struct pick *b,
		       unsigned nb)
{
	if (na != nb)
		return false;
	for (unsigned i = 0; i < na; i++)
		if (a[i].id != b[i].id || a[i].gate != b[i].gate ||
		    a[i].filter != b[i].filter)
			return false;
	return true;
}

#include "pmu_reference_ep.h"

static void select_events(struct reference *r, struct ref_unit *u, unsigned n)
{
	const struct uc_box *box = box_of(r, u);
	struct ref_counter *c = &u->counters[n];
	struct ref_counter old = *c;
	bool flagged = field(r, c->control, "flag_mode");
	bool gated = field(r, c->control, "storage_mode") & 1;

	now_selecting.r = r;
	now_selecting.u = u;
	now_selecting.c = c;
	now_selecting.number = n;
	now_selecting.port = now_selecting.slot = 0;
	c->num_picks = c->accumulate = c->tally_bits = 0;
	c->at_least[0] = c->at_least[1] = 0;
	c->legal = true;
	if (is_ep(r)) {
		ep_select(r, u, n);
	} else if (n >= box->num_counters) {
		pick_events(UC_SELECT_FIXED, "", false);
	} else if (box->name[0] == 'r') {
		pick_routed();
	} else if (box->name[0] == 'm') {
		if (!flagged || gated)
			pick_events(SELECT_INC_SEL, "inc_sel", false);
		if (flagged)
			pick_events(SELECT_SET_FLAG_SEL, "set_flag_sel", gated);
	} else {
		pick_events(UC_SELECT_EV_SEL, "ev_sel", false);
	}
	if (!same_picks(old.picks, old.num_picks, c->picks, c->num_picks))
		c->sub = 0;
}

/* One cycle */

static bool is_on(const struct reference *r, const struct ref_unit *u,
		  unsigned n)
{
	const struct uc_box *box = box_of(r, u);
	const struct uc_register *g =
		u->global_ctl[box->name[0] == 'r' ? n / 8 : 0];
	bool by_box;

	if (is_ep(r))
		return ep_is_on(r, u, &u->counters[n]);
	if (!field(r, r->global_ctl, "en_all") ||
	    !field(r, u->counters[n].control, "en"))
		return false;
	if (n >= box->num_counters)
		by_box = field(r, g, "fixed_en");
	else if (box->name[0] == 'u')
		by_box = field(r, g, "en");
	else
		by_box = field(r, g, "ctr_en") >>
				 (box->name[0] == 'r' ? n % 8 : n) &
			 1;
	return u->counters[n].legal && by_box;
}

/* What the counter sees this cycle, pulses or not. */
static uint64_t value_of(const struct reference *r, const struct ref_unit *u,
			 const struct ref_counter *c, bool with_pulses)
{
	bool gated = field(r, c->control, "storage_mode") & 1;
	int64_t sum[2] = { 0, 0 };

	if (is_ep(r))
		return ep_value(r, u, c, with_pulses);
	for (unsigned i = 0; i < c->num_picks; i++)
		sum[c->picks[i].gate] += u->level[c->picks[i].id];
	if (c->tally_bits)
		sum[0] = (int64_t)c->tally;
	for (unsigned i = 0; i < 2; i++) {
		if (with_pulses)
			sum[i] += c->pulses[i];
		if (c->at_least[i])
			sum[i] = sum[i] >= c->at_least[i];
	}
	if (gated && sum[1] <= 0)
		return 0;
	return sum[0] > 0 ? (uint64_t)sum[0] : 0;
}

static bool condition(const struct reference *r, const struct ref_counter *c,
		      uint64_t value)
{
	uint64_t threshold = field(r, c->control, "threshold");

	if (!threshold || c->occupied)
		return value > 0;
	if (field(r, c->control, "invert"))
		return value < threshold;
	return value >= threshold;
}

/* Ten C-Boxes, or the eight of the Xeon 7500. */
static bool has_eight(const struct reference *r)
{
	return r->family->cpuid_model == 46;
}

static unsigned side_of_cbox(const struct reference *r, unsigned instance)
{
	return instance >= (has_eight(r) ? 4u : 5u);
}

/* Its bit in the summary of its S-Box: low, mid, high; or left and right. */
static const char *cbox_bit(const struct reference *r, unsigned instance)
{
	static const char *const ten[] = { "ov_c_l", "ov_c_l", "ov_c_m",
					   "ov_c_m", "ov_c_h" };

	if (has_eight(r))
		return instance % 4 < 2 ? "ov_c_l" : "ov_c_r";
	return ten[instance % 5];
}

static void overflow(struct reference *r, struct ref_unit *u, unsigned n)
{
	static const char *const latches[] = { "ov_s0", "ov_s1" };
	const struct uc_box *box = box_of(r, u);
	const struct uc_register *top = ubox(r, UC_ROLE_GLOBAL_STATUS);
	const struct uc_register *status =
		find(r, u->box, u->instance, UC_ROLE_GLOBAL_STATUS,
		     box->name[0] == 'r' ? n / 8 : 0);
	const char *name = n >= box->num_counters ? "ov_fixed"
			   : box->name[0] == 'u'  ? "ov_u"
						  : "ov";
	unsigned bit = box->name[0] == 'r' ? n % 8 : n;
	bool was;

	if (is_ep(r)) {
		ep_overflow(r, u, n);
		return;
	}
	if (strcmp(name, "ov"))
		bit = 0;
	was = field(r, status, name) >> bit & 1;
	set_field(r, status, name, field(r, status, name) | 1u << bit);
	if (box->name[0] == 'w')
		set_field(r, top, "ov_w", 1);
	else if (box->name[0] == 'c')
		set_field(r, top, latches[side_of_cbox(r, u->instance)], 1);
	else if (box->name[0] == 'r')
		set_field(r, top, latches[n >= 8], 1);
	else if (box->name[0] != 'u')
		set_field(r, top, latches[u->instance], 1);
	if (!was && field(r, u->counters[n].control, "pmi_en") &&
	    r->num_arrivals < 256)
		r->arrivals[r->num_arrivals++] = r->now + 1 + r->delay;
}

static void grow(struct reference *r, struct ref_unit *u, unsigned n,
		 uint64_t by)
{
	struct ref_counter *c = &u->counters[n];
	bool down = box_of(r, u)->name[0] == 'm' &&
		    field(r, c->control, "count_mode") == 1;
	bool carry;

	if (!by)
		return;
	if ((c->count & 0xffffff) + by > 0xffffff)
		c->carried = true;
	carry = down ? by > c->count : c->count + by > c->mask;
	c->count = (down ? c->count - by : c->count + by) & c->mask;
	if (!carry)
		return;
	if (box_of(r, u)->name[0] == 'm' && !field(r, c->control, "wrap_mode"))
		c->stopped = true;
	overflow(r, u, n);
}

static void count(struct reference *r, struct ref_unit *u, unsigned n)
{
	struct ref_counter *c = &u->counters[n];
	uint64_t value = value_of(r, u, c, true);
	bool now = condition(r, c, value), before = c->previous;

	c->previous = now;
	if (c->stopped)
		return;
	if (c->accumulate) {
		c->sub += value;
		grow(r, u, n, c->sub / c->accumulate);
		c->sub %= c->accumulate;
	} else if (ep_has_edge(r, c)) {
		grow(r, u, n, now && !before);
	} else if (field(r, c->control, "threshold") && !c->occupied) {
		grow(r, u, n, now);
	} else {
		grow(r, u, n, value);
	}
}

/* After a change of registers: an enabled counter's edge detector starts from
 * the level it finds. */
static void start_counters(struct reference *r)
{
	for (unsigned i = 0; i < r->num_units; i++)
		for (unsigned n = 0; n < r->units[i].num_counters; n++) {
			struct ref_unit *u = &r->units[i];
			struct ref_counter *c = &u->counters[n];
			bool on = is_on(r, u, n);

			if (c->was_on && !on)
				c->off_at = cycle_at(u, r->now);
			if (is_ep(r) && ep_is_other(r, u, c))
				c->off_at = NEVER;
			if (on && !c->was_on &&
			    !(is_ep(r) && c->off_at == cycle_at(u, r->now)))
				c->previous = condition(
					r, c, value_of(r, u, c, false));
			c->was_on = on;
		}
}

static void take_arrivals(struct reference *r)
{
	const struct uc_register *ctl = is_ep(r) ? r->freezer : r->global_ctl;
	const struct uc_register *status = ubox(r, UC_ROLE_GLOBAL_STATUS);
	uint64_t cores = field(r, ctl, "pmi_core_sel");

	if (!r->num_arrivals)
		return;
	ep_freeze_boxes(r);
	for (unsigned i = 0; i < r->num_arrivals; i++) {
		bool is_heard = true;

		if (r->arrivals[i] != r->now)
			continue;
		if (is_ep(r))
			is_heard = ep_arrives(r, r->tellings[i]);
		else
			set_field(r, status, "pmi", 1);
		if (!is_ep(r) && field(r, ctl, "frz_all") &&
		    field(r, ctl, "en_all")) {
			set_field(r, ctl, "en_all", 0);
			set_field(r, status, "cond", 1);
		}
		for (unsigned core = 0; core < r->num_cores; core++)
			if (is_heard && cores >> core & 1) {
				r->num_pmis++;
				r->pmi_sum += (core + 1) * (r->now + 7);
			}
		r->arrivals[i] = r->arrivals[--r->num_arrivals];
		r->tellings[i--] = r->tellings[r->num_arrivals];
	}
	start_counters(r);
}

static void deliver(struct reference *r, struct ref_unit *u, unsigned id,
		    unsigned n)
{
	(void)r;
	for (unsigned i = 0; i < u->num_counters; i++)
		for (unsigned j = 0; j < u->counters[i].num_picks; j++)
			if (u->counters[i].picks[j].id == id)
				u->counters[i]
					.pulses[u->counters[i].picks[j].gate] +=
					n;
}

/* Pulses and packets of a cycle of the uncore that were published before. */
static void deliver_coming(struct reference *r, struct ref_unit *u,
			   uint64_t time)
{
	for (unsigned i = 0; i < u->num_coming; i++) {
		const struct coming *c = &u->coming[i];

		if (c->kind == SPAN || c->kind == HEADER_SPAN ||
		    time < c->from || time >= c->to ||
		    (time - c->from) % c->period)
			continue;
		if (c->kind == TRAIN)
			deliver(r, u, c->id, c->n);
		else
			reference_packet(r, u->box, u->instance, c->id,
					 &c->header);
	}
}

/* What ends with this cycle goes down, then what begins goes up. */
static void move_spans(struct reference *r, struct ref_unit *u)
{
	for (unsigned i = 0; i < u->num_coming; i++) {
		const struct coming *c = &u->coming[i];

		if (cycle_at(u, c->to) + is_ep(r) > cycle_at(u, r->now))
			continue;
		if (c->kind == SPAN && !is_ep(r))
			reference_add(r, u->box, u->instance, c->id,
				      -(int64_t)c->n);
		u->coming[i--] = u->coming[--u->num_coming];
	}
	for (unsigned i = 0; i < u->num_coming; i++)
		if (u->coming[i].kind == SPAN && !is_ep(r) &&
		    u->coming[i].from == r->now)
			reference_add(r, u->box, u->instance, u->coming[i].id,
				      u->coming[i].n);
}

/* The present cycle of a box ends with the uncore's: what was published for any
 * time in it has happened. */
static void end_cycle(struct reference *r, struct ref_unit *u)
{
	uint64_t cycle = cycle_at(u, r->now), time = r->now;

	while (time && cycle_at(u, time - 1) == cycle)
		time--;
	for (; time <= r->now; time++)
		deliver_coming(r, u, time);
	for (unsigned n = 0; n < u->num_counters; n++) {
		if (is_on(r, u, n))
			count(r, u, n);
		u->counters[n].pulses[0] = u->counters[n].pulses[1] = 0;
	}
	if (is_ep(r))
		ep_sum(r, u);
}

void reference_cycle(struct reference *r)
{
	take_arrivals(r);
	for (unsigned i = 0; i < r->num_units; i++) {
		struct ref_unit *u = &r->units[i];

		if (cycle_at(u, r->now + 1) != cycle_at(u, r->now))
			end_cycle(r, u);
	}
	r->now++;
	for (unsigned i = 0; i < r->num_units; i++)
		move_spans(r, &r->units[i]);
}

/* Signals */

static struct ref_unit *unit_of(struct reference *r, unsigned box,
				unsigned instance)
{
	for (unsigned i = 0; i < r->num_units; i++)
		if (r->units[i].box == box && r->units[i].instance == instance)
			return &r->units[i];
	abort();
}

void reference_pulse(struct reference *r, unsigned box, unsigned instance,
		     unsigned id, unsigned n)
{
	deliver(r, unit_of(r, box, instance), id, n);
}

void reference_add(struct reference *r, unsigned box, unsigned instance,
		   unsigned id, int64_t delta)
{
	struct ref_unit *u = unit_of(r, box, instance);

	u->level[id] += delta;
	for (unsigned n = 0; n < u->num_counters; n++) {
		struct ref_counter *c = &u->counters[n];

		for (unsigned i = 0; c->tally_bits && i < c->num_picks; i++) {
			int64_t moved = (int64_t)c->tally + delta;

			if (c->picks[i].id != id)
				continue;
			if (delta < 0)
				c->tally = moved < 0 ? 0 : (uint64_t)moved;
			else
				c->tally =
					(uint64_t)moved % (1u << c->tally_bits);
		}
	}
}

static void add_coming(struct reference *r, unsigned box, unsigned instance,
		       struct coming coming)
{
	struct ref_unit *u = unit_of(r, box, instance);

	if (u->num_coming == MAX_LATER)
		abort();
	u->coming[u->num_coming++] = coming;
}

void reference_span(struct reference *r, unsigned box, unsigned instance,
		    unsigned id, uint64_t from, uint64_t to, unsigned n)
{
	if (from >= to)
		return;
	add_coming(r, box, instance,
		   (struct coming){ .kind = SPAN,
				    .from = from,
				    .to = to,
				    .id = id,
				    .n = n });
	if (from == r->now && !is_ep(r))
		reference_add(r, box, instance, id, n);
}

void reference_span_packet(struct reference *r, unsigned box, unsigned instance,
			   unsigned id, uint64_t from, uint64_t to, unsigned n,
			   const struct sig_header *header)
{
	if (from < to)
		add_coming(r, box, instance,
			   (struct coming){ .kind = HEADER_SPAN,
					    .from = from,
					    .to = to,
					    .id = id,
					    .n = n,
					    .header = *header });
}

void reference_pulses(struct reference *r, unsigned box, unsigned instance,
		      unsigned id, uint64_t first, unsigned period,
		      unsigned num, unsigned n)
{
	add_coming(r, box, instance,
		   (struct coming){ .kind = TRAIN,
				    .from = first,
				    .to = first + (uint64_t)period * num,
				    .period = period,
				    .id = id,
				    .n = n });
}

void reference_packet_at(struct reference *r, unsigned box, unsigned instance,
			 unsigned id, uint64_t time,
			 const struct sig_header *header)
{
	add_coming(r, box, instance,
		   (struct coming){ .kind = PACKET,
				    .from = time,
				    .to = time + 1,
				    .period = 1,
				    .id = id,
				    .header = *header });
}

int reference_selected(const struct reference *r, unsigned box,
		       unsigned instance, unsigned pick)
{
	struct ref_unit *u = unit_of((struct reference *)r, box, instance);

	for (unsigned i = 0; i < u->num_counters; i++) {
		struct ref_counter *c =
			&u->counters[(i + pick) % u->num_counters];

		if (c->num_picks)
			return (int)c
				->picks[pick / u->num_counters % c->num_picks]
				.id;
	}
	return -1;
}

/* Filters, each as its table says it */

static bool differs(uint64_t a, uint64_t b, uint64_t where)
{
	return (a ^ b) & where;
}

static unsigned count_crossing(const struct reference *r,
			       const struct uc_register *cfg,
			       const struct uc_register *match,
			       const struct uc_register *mask,
			       const struct sig_header *h)
{
	uint64_t word = (uint64_t)(h->state & 15) << 48 |
			(uint64_t)(h->requester_node & 31) << 31 |
			(uint64_t)(h->dest_node & 31) << 13 |
			(uint64_t)(h->message_class & 15) << 9 |
			(uint64_t)(h->opcode & 15) << 5 |
			(uint64_t)(h->vn & 3) << 3;
	uint64_t care = *at(r, mask);
	uint64_t first = field(r, cfg, "match_flit_cnt");

	if (field(r, cfg, "dis") || !field(r, cfg, "mm_trig_en"))
		return 0;
	if (field(r, cfg, "match_71_64") & field(r, cfg, "mask_71_64"))
		return 0;
	/* 1x is VNA whatever x is */
	if (field(r, match, "VNW") & field(r, mask, "VNW") & 2)
		care &= ~UINT64_C(8);
	if (differs(word, *at(r, match), care))
		return 0;
	if (field(r, cfg, "ig_flit_cnt") || !first)
		return h->flits;
	return h->flits >= first;
}

static unsigned count_home(const struct reference *r,
			   const struct uc_register *match,
			   const struct uc_register *mask, uint8_t code,
			   const struct sig_header *h)
{
	bool out = code & (LOOK_BBOX_OUT_MSG | LOOK_BBOX_OUT_OPC);
	const char *msg = out ? "msg_out" : "msg_in";
	const char *opc = out ? "opc_out" : "opc_in";

	if (code & (LOOK_BBOX_IN_MSG | LOOK_BBOX_OUT_MSG) &&
	    differs(h->message_class, field(r, match, msg),
		    field(r, mask, msg)))
		return 0;
	if (code & (LOOK_BBOX_IN_OPC | LOOK_BBOX_OUT_OPC) &&
	    differs(h->opcode, field(r, match, opc), field(r, mask, opc)))
		return 0;
	return !(code & LOOK_BBOX_IN_ADDR &&
		 differs(h->address / 64, field(r, match, "addr"),
			 field(r, mask, "addr")));
}

static unsigned count_system(const struct reference *r,
			     const struct uc_register *cfg,
			     const struct uc_register *match,
			     const struct uc_register *mask,
			     const struct sig_header *h)
{
	static const uint8_t classes[] = { 0, 1, 2, 4, 12 };
	static const uint8_t states[] = { 0, 8, 4, 2, 1 };
	uint64_t mc = field(r, match, "mc"), resp = field(r, match, "resp");
	bool class_fits = !mc, opcode_fits = !field(r, match, "opc");
	bool state_fits = !resp;

	if (!field(r, cfg, "mm_en"))
		return 0;
	for (unsigned i = 0; i < 5; i++) {
		if (mc >> i & 1 && h->message_class == classes[i])
			class_fits = true;
		if (resp >> i & 1 && h->state == states[i] &&
		    h->message_class == 14 && h->opcode <= 2)
			state_fits = true;
	}
	for (unsigned i = 0; i < r->family->num_onehots; i++) {
		const struct uc_onehot *o = &r->family->onehots[i];

		if (o->message_class == h->message_class &&
		    o->opcode == h->opcode && *at(r, match) >> o->bit & 1)
			opcode_fits = true;
	}
	if (!field(r, mask, "hnid") &&
	    h->home_node % 32 != field(r, match, "hnid"))
		return 0;
	return class_fits && opcode_fits && state_fits &&
	       !differs(h->address / 64, field(r, match, "addr"),
			~field(r, mask, "addr") & uc_bits(37, 0));
}

static unsigned count_dram(const struct reference *r, const struct ref_unit *u,
			   bool second, const struct sig_header *h)
{
	const struct uc_register *pld =
		find(r, u->box, u->instance, ROLE_PLD, 0);
	const struct uc_register *iss =
		find(r, u->box, u->instance, ROLE_ISS, 0);
	const struct uc_register *match =
		find(r, u->box, u->instance, ROLE_MATCH, 0);
	const struct uc_register *mask =
		find(r, u->box, u->instance, ROLE_MASK, 0);
	uint64_t cmd = field(r, pld, second ? "dram_cmd1" : "dram_cmd");

	if (cmd && h->dram_cmd != cmd)
		return 0;
	if (!second && field(r, pld, "cmd") &&
	    h->sched_mode != field(r, iss, "sched_mode_pld_trig"))
		return 0;
	if (!field(r, pld, "addr_match1"))
		return 1;
	if (!field(r, find(r, u->box, u->instance, ROLE_MM_CFG, 0), "enable"))
		return 0;
	return !differs(h->address >> 6, field(r, match, "address") >> 6,
			~field(r, mask, "address") & uc_bits(27, 0));
}

static unsigned passes(const struct reference *r, const struct ref_unit *u,
		       const struct pick *p, const struct sig_header *h)
{
	unsigned set = box_of(r, u)->name[0] == 'r' ? p->set : 0;
	const struct uc_register *cfg =
		find(r, u->box, u->instance, ROLE_MM_CFG, set);
	const struct uc_register *match =
		find(r, u->box, u->instance, ROLE_MATCH, set);
	const struct uc_register *mask =
		find(r, u->box, u->instance, ROLE_MASK, set);

	if (is_ep(r))
		return ep_passes(r, u, p, h);
	if (!p->filter)
		return 1;
	if (box_of(r, u)->name[0] == 'b')
		return count_home(r, match, mask, p->filter, h);
	if (box_of(r, u)->name[0] == 'r')
		return count_crossing(r, cfg, match, mask, h);
	if (box_of(r, u)->name[0] == 's')
		return count_system(r, cfg, match, mask, h);
	return count_dram(r, u, p->filter == LOOK_MBOX_PLD1, h);
}

void reference_packet(struct reference *r, unsigned box, unsigned instance,
		      unsigned id, const struct sig_header *header)
{
	struct ref_unit *u = unit_of(r, box, instance);

	for (unsigned n = 0; n < u->num_counters; n++)
		for (unsigned i = 0; i < u->counters[n].num_picks; i++) {
			struct pick *p = &u->counters[n].picks[i];

			if (p->id == id)
				u->counters[n].pulses[p->gate] +=
					passes(r, u, p, header);
		}
}

/* Registers */

static struct ref_counter *counter_of(struct reference *r,
				      const struct uc_register *reg)
{
	struct ref_unit *u = unit_of(r, reg->box, reg->instance);
	unsigned n = reg->index;

	if (reg->role == UC_ROLE_FIXED_COUNTER ||
	    reg->role == UC_ROLE_FIXED_CTL)
		n += box_of(r, u)->num_counters;
	return &u->counters[n];
}

/* Table 2-26 */
static uint64_t summarise(struct reference *r, const struct uc_register *reg)
{
	unsigned side = reg->instance;
	uint64_t all = 0;

	for (unsigned i = 0; i < r->family->num_registers; i++) {
		const struct uc_register *s = &r->family->registers[i];
		const char *name = NULL;

		if (s->role != UC_ROLE_GLOBAL_STATUS || !*at(r, s))
			continue;
		switch (r->family->boxes[s->box].name[0]) {
		case 'c':
			if (side_of_cbox(r, s->instance) == side)
				name = cbox_bit(r, s->instance);
			break;
		case 'm':
		case 'b': name = s->instance == side ? "ov_mb" : NULL; break;
		case 's': name = s->instance == side ? "ov_s" : NULL; break;
		case 'r': name = s->index == side ? "ov_r" : NULL; break;
		default: break;
		}
		if (name)
			all |= uc_field_put(uc_field_find(reg->layout, name), 0,
					    1);
	}
	return all;
}

int reference_read(struct reference *r, uint64_t address, uint64_t *value)
{
	const struct uc_register *reg = uc_register_at(r->family, address);
	const struct ref_counter *c;

	if (!reg)
		return -1;
	*value = *at(r, reg);
	if (reg->access == UC_ACCESS_WO || reg->role == UC_ROLE_OVF_CTL)
		*value = 0;
	if (reg->role == UC_ROLE_SUMMARY)
		*value = summarise(r, reg);
	if (reg->role == UC_ROLE_TIMESTAMP)
		*value = (r->now -
			  unit_of(r, reg->box, reg->instance)->clock_start) &
			 0xffff;
	if (reg->role == UC_ROLE_COUNTER ||
	    reg->role == UC_ROLE_FIXED_COUNTER) {
		c = counter_of(r, reg);
		*value = c->count;
		if (r->family->boxes[reg->box].name[0] == 'w' && c->carried &&
		    (c->count & 0xffffff) <= 1)
			*value = (c->count + 0x1000000) % WRAP;
	}
	return 0;
}

static void clear(struct reference *r, const struct uc_register *status,
		  uint64_t bits)
{
	static const char *const names[] = { "ov_s0", "ov_s1" };
	const struct uc_register *top = ubox(r, UC_ROLE_GLOBAL_STATUS);

	bits &= *at(r, status);
	if (!bits)
		return;
	*at(r, status) &= ~bits;
	for (unsigned i = 0; i < r->num_units; i++) {
		struct ref_unit *u = &r->units[i];

		if (u->box != status->box || u->instance != status->instance)
			continue;
		for (unsigned n = 0; n < u->num_counters; n++)
			if (box_of(r, u)->name[0] == 'm' && bits >> n & 1)
				u->counters[n].stopped = false;
	}
	if (status == top)
		return;
	if (r->family->boxes[status->box].name[0] == 'w') {
		if (!*at(r, status))
			set_field(r, top, "ov_w", 0);
		return;
	}
	for (unsigned side = 0; side < 2; side++) {
		const struct uc_register *summary =
			find(r, box_called(r->family, "sbox"), side,
			     UC_ROLE_SUMMARY, 0);
		char type = r->family->boxes[status->box].name[0];
		unsigned own = type == 'r' ? status->index : status->instance;

		if (type == 'c')
			own = side_of_cbox(r, status->instance);

		if (own == side && !summarise(r, summary))
			set_field(r, top, names[side], 0);
	}
}

/* Bit by bit after the field rows. */
static uint64_t written(const struct uc_register *reg, uint64_t old,
			uint64_t value)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < reg->layout->num_fields; i++) {
		const struct uc_field *f = &reg->layout->fields[i];

		for (unsigned bit = f->low; bit <= f->high; bit++) {
			uint64_t one = UINT64_C(1) << bit;

			if (f->kind == UC_KIND_RO || bit >= reg->width)
				result |= old & one;
			else if (f->kind == UC_KIND_RW)
				result |= value & one;
			else if (f->kind == UC_KIND_W1C)
				result |= old & ~value & one;
		}
	}
	return result;
}

static bool breaks_rules(const struct reference *r,
			 const struct uc_register *reg, uint64_t value)
{
	const struct uc_register *cfg;

	if (reg->access == UC_ACCESS_RO)
		return true;
	if (r->family->boxes[reg->box].name[0] == 's' &&
	    (reg->role == ROLE_MATCH || reg->role == ROLE_MASK)) {
		cfg = find(r, reg->box, reg->instance, ROLE_MM_CFG, 0);
		if (field(r, cfg, "mm_en"))
			return true;
	}
	for (unsigned i = 0; r->strict && i < reg->layout->num_fields; i++) {
		const struct uc_field *f = &reg->layout->fields[i];

		if (f->kind == UC_KIND_RSV && f->low < reg->width &&
		    value & uc_bits(f->high, f->low))
			return true;
	}
	return false;
}

static void write_ovf_ctl(struct reference *r, const struct uc_register *reg,
			  uint64_t value)
{
	const struct uc_register *status = find(
		r, reg->box, reg->instance, UC_ROLE_GLOBAL_STATUS, reg->index);
	uint64_t bits = 0;

	/* Every overflow control mirrors its status register bit for bit. */
	for (unsigned i = 0; i < status->layout->num_fields; i++) {
		const struct uc_field *f = &status->layout->fields[i];

		if (f->kind == UC_KIND_RW)
			bits |= value & uc_bits(f->high, f->low);
	}
	clear(r, status, bits);
}

static void reset_all(struct reference *r)
{
	for (unsigned i = 0; i < r->num_units; i++)
		for (unsigned n = 0; n < r->units[i].num_counters; n++) {
			struct ref_counter *c = &r->units[i].counters[n];

			c->count = c->sub = c->tally = 0;
			c->carried = c->stopped = false;
		}
}

int reference_write(struct reference *r, uint64_t address, uint64_t value)
{
	const struct uc_register *reg = uc_register_at(r->family, address);
	uint64_t old, new;
	struct ref_unit *u;

	if (!reg)
		return -1;
	if (reg->width == 32)
		value &= UINT32_MAX;
	if (breaks_rules(r, reg, value))
		return -1;
	u = unit_of(r, reg->box, reg->instance);
	old = *at(r, reg);
	new = written(reg, old, value);
	if (reg->role == UC_ROLE_OVF_CTL) {
		write_ovf_ctl(r, reg, value);
		return 0;
	}
	if (reg->role == UC_ROLE_COUNTER ||
	    reg->role == UC_ROLE_FIXED_COUNTER) {
		counter_of(r, reg)->count = value & counter_of(r, reg)->mask;
		counter_of(r, reg)->carried = false;
		counter_of(r, reg)->stopped = false;
		return 0;
	}
	if (reg->role == UC_ROLE_GLOBAL_STATUS && !is_ep(r)) {
		*at(r, reg) |= new;
		clear(r, reg, old & ~new);
	}
	*at(r, reg) = new;
	if (is_ep(r))
		ep_act(r, u, reg, value);
	if (reg->role == UC_ROLE_TIMESTAMP)
		u->clock_start = r->now - new;
	if (reg == r->global_ctl && field(r, reg, "rst_all") &&
	    (old ^ new) >> 29 & 1)
		reset_all(r);
	for (unsigned n = 0; n < u->num_counters; n++)
		select_events(r, u, n);
	if (reg->role == UC_ROLE_CONTROL && field(r, reg, "reset_occ_cnt")) {
		counter_of(r, reg)->tally = 0;
		set_field(r, reg, "reset_occ_cnt", 0);
	}
	if (box_of(r, u)->name[0] == 'm' && reg->role == UC_ROLE_CONTROL &&
	    field(r, reg, "wrap_mode"))
		counter_of(r, reg)->stopped = false;
	start_counters(r);
	return 0;
}

/* Making it */

static void find_counter(const struct reference *r, struct ref_unit *u,
			 unsigned n)
{
	unsigned general = box_of(r, u)->num_counters;
	bool is_fixed = n >= general;
	struct ref_counter *c = &u->counters[n];

	c->control = find(r, u->box, u->instance,
			  is_fixed ? UC_ROLE_FIXED_CTL : UC_ROLE_CONTROL,
			  is_fixed ? n - general : n);
	c->mask = find(r, u->box, u->instance,
		       is_fixed ? UC_ROLE_FIXED_COUNTER : UC_ROLE_COUNTER,
		       is_fixed ? n - general : n)
			  ->layout->writable;
	c->off_at = NEVER;
}

void reference_set_clock(struct reference *r, unsigned clock, unsigned num,
			 unsigned den)
{
	for (unsigned i = 0; i < r->num_units; i++)
		if (box_of(r, &r->units[i])->clock == clock) {
			r->units[i].num = num;
			r->units[i].den = den;
		}
}

struct reference *reference_new(const struct uc_family *family,
				unsigned delay_cycles, unsigned num_cores,
				bool strict)
{
	struct reference *r = calloc(1, sizeof(*r));

	r->family = family;
	for (unsigned i = family->num_registers; i--;) {
		const struct uc_register *reg = &family->registers[i];

		r->known[reg->box][reg->instance][reg->role][reg->index] = reg;
	}
	r->delay = delay_cycles;
	r->num_cores = num_cores;
	r->strict = strict;
	r->values = calloc(family->num_registers, sizeof(*r->values));
	for (unsigned i = 0; i < family->num_registers; i++)
		r->values[i] = family->registers[i].layout->reset;
	r->units = calloc(64, sizeof(*r->units));
	r->global_ctl = ubox(r, UC_ROLE_GLOBAL_CTL);
	for (unsigned i = 0; i < family->num_registers; i++)
		if (!strcmp(family->registers[i].name, "U_MSR_PMON_GLOBAL_CTL"))
			r->freezer = &family->registers[i];
	r->top = find(r, box_called(family, "ubox"), 0, UC_ROLE_GLOBAL_STATUS,
		      1);
	for (unsigned box = 0; box < family->num_boxes; box++)
		for (unsigned i = 0; i < family->boxes[box].num_instances;
		     i++) {
			struct ref_unit *u = &r->units[r->num_units++];

			u->box = box;
			u->instance = i;
			for (unsigned n = 0; n < 2; n++)
				u->global_ctl[n] =
					find(r, box, i, UC_ROLE_GLOBAL_CTL, n);
			u->num = u->den = 1;
			u->freezes_at = NEVER;
			u->num_counters = family->boxes[box].num_counters +
					  family->boxes[box].num_fixed;
			u->counters =
				calloc(u->num_counters, sizeof(*u->counters));
			for (unsigned n = 0; n < u->num_counters; n++)
				find_counter(r, u, n);
		}
	for (unsigned i = 0; i < r->num_units; i++)
		for (unsigned n = 0; n < r->units[i].num_counters; n++)
			select_events(r, &r->units[i], n);
	return r;
}

void reference_free(struct reference *r)
{
	for (unsigned i = 0; i < r->num_units; i++)
		free(r->units[i].counters);
	free(r->units);
	free(r->values);
	free(r);
}

unsigned reference_num_pmis(const struct reference *r)
{
	return r->num_pmis;
}

uint64_t reference_pmi_sum(const struct reference *r)
{
	return r->pmi_sum;
}
