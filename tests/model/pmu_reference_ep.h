/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The Xeon E5-2600 in pmu_reference.c, which alone includes it: what its guide
 * (327043-001) says otherwise, and what that of the v2 (329468-002) adds.
 * Levels are worked out anew for each cycle, from all that was published.
 */

/* In the order of the look row of the box. */
enum { BY_OPC = 1, BY_NID = 2, BY_STATE = 4, BY_TID = 8 };

static char ep_kind(const struct reference *r, const struct ref_unit *u,
		    unsigned id)
{
	const struct uc_box *box = box_of(r, u);

	for (unsigned i = 0; i < box->num_signals; i++)
		if (box->signals[i].first == id)
			return "plhs"[box->signals[i].kind];
	return 'p';
}

static const struct uc_register *ep_filter(const struct reference *r,
					   const struct ref_unit *u)
{
	return find(r, u->box, u->instance, ROLE_FILTER, 0);
}

/* Of a CBo's filter, which is in two registers from the v2 on. */
static uint64_t ep_filter_field(const struct reference *r,
				const struct ref_unit *u, const char *name)
{
	return field(r, ep_filter(r, u), name) |
	       field(r, find(r, u->box, u->instance, ROLE_FILTER1, 0), name);
}

static uint64_t ep_register(const struct reference *r, const struct ref_unit *u,
			    unsigned role)
{
	const struct uc_register *reg =
		find(r, u->box, u->instance, (enum uc_role)role, 0);

	return reg ? *at(r, reg) : 0;
}

/* Counter 0's levels, for those that follow it. */
static void ep_follow(struct reference *r, struct ref_unit *u,
		      struct ref_counter *c)
{
	struct ref_counter *first = &u->counters[0];

	for (unsigned i = 0; i < first->num_picks; i++) {
		char kind = ep_kind(r, u, first->picks[i].id);

		if (kind == 'l' || kind == 's')
			c->picks[c->num_picks++] = first->picks[i];
	}
}

static void ep_select(struct reference *r, struct ref_unit *u, unsigned n)
{
	const struct uc_box *box = box_of(r, u);
	struct ref_counter *c = &u->counters[n];
	unsigned code = (unsigned)(field(r, c->control, "ev_sel") |
				   field(r, c->control, "ev_sel_ext") << 8);

	c->band = 0;
	c->occupied = c->alone = false;
	if (n >= box->num_counters) {
		now_selecting.code = 0;
		pick_events(UC_SELECT_FIXED, "", false);
		return;
	}
	if (box->name[0] == 'p' && code & 0x80) {
		c->occupied = true;
		c->alone = code == 0x80;
		now_selecting.code = 0x80;
		pick_events(UC_SELECT_EV_SEL, "", true);
		code &= ~0x80u;
	}
	if (box->name[0] == 'c' && code == 0x1f && n) {
		ep_follow(r, u, c);
		return;
	}
	now_selecting.code = code;
	if (!c->alone)
		pick_events(UC_SELECT_EV_SEL, "", false);
	if (box->name[0] == 'p' && code >= 0x0b && code <= 0x0e)
		c->band = code - 0x0b + 1;
}

static bool ep_is_on(const struct reference *r, const struct ref_unit *u,
		     const struct ref_counter *c)
{
	const struct uc_register *ctl = u->global_ctl[0];
	bool is_allowed = ctl && (!uc_field_find(ctl->layout, "frz_en") ||
				  field(r, ctl, "frz_en"));

	if (u->is_frozen || (is_allowed && field(r, ctl, "frz")))
		return false;
	return field(r, c->control, "en") && c->legal;
}

static bool ep_state_fits(uint64_t chosen, unsigned state)
{
	static const uint8_t bits[] = { 1, 16, 2, 0, 4, 0, 0, 0, 8 };

	return bits[state] & chosen; /* I, F, S, E, M */
}

static bool ep_request_fits(const struct reference *r, const struct ref_unit *u,
			    const struct pick *p, const struct sig_header *h)
{
	if (p->filter & BY_OPC &&
	    ep_filter_field(r, u, "opc") != h->core_opcode)
		return false;
	if (p->filter & BY_NID &&
	    !(ep_filter_field(r, u, "nid") >> h->home_node & 1))
		return false;
	if (p->filter & BY_STATE &&
	    !ep_state_fits(ep_filter_field(r, u, "state"), h->state))
		return false;
	return !(p->filter & BY_TID && field(r, p->control, "tid_en") &&
		 ep_filter_field(r, u, "tid") != h->thread);
}

/* Address and opcode at once, or from the v2 on one of them alone. */
static bool ep_home_fits(const struct reference *r, const struct ref_unit *u,
			 const struct pick *p, const struct sig_header *h)
{
	uint64_t address = ep_register(r, u, ROLE_MATCH) |
			   ep_register(r, u, ROLE_MATCH1) << 32;

	if (!(p->filter & 4) && address >> 12 != h->address >> 12)
		return false;
	return p->filter & 2 ||
	       ep_register(r, u, ROLE_OPCODEMATCH) ==
		       ((uint64_t)h->message_class << 4 | h->opcode);
}

static bool ep_packet_fits(const struct reference *r, const struct ref_unit *u,
			   const struct sig_header *h)
{
	uint64_t word = (uint64_t)(h->requester_node >> 4 & 1) << 31 |
			(uint64_t)h->dest_node << 13 |
			(uint64_t)h->message_class << 9 |
			(uint64_t)h->opcode << 5 | (uint64_t)h->vn << 3;
	uint64_t word1 = (uint64_t)h->state << 16 | (h->requester_node & 15u);
	uint64_t care = ep_register(r, u, ROLE_MASK);
	uint64_t match = ep_register(r, u, ROLE_MATCH);

	if (match & care & 0x10)
		care &= ~UINT64_C(8); /* 1x is VNA whatever x is */
	return !((word ^ match) & care) &&
	       !((word1 ^ ep_register(r, u, ROLE_MATCH1)) &
		 ep_register(r, u, ROLE_MASK1));
}

/* What carries no header is not filtered. */
static unsigned ep_passes(const struct reference *r, const struct ref_unit *u,
			  const struct pick *p, const struct sig_header *h)
{
	char kind = ep_kind(r, u, p->id);

	if (!p->filter || (kind != 'h' && kind != 's'))
		return 1;
	switch (box_of(r, u)->name[0]) {
	case 'c': return ep_request_fits(r, u, p, h);
	case 'h': return ep_home_fits(r, u, p, h);
	case 'q': return ep_packet_fits(r, u, h);
	default: return 1;
	}
}

static int64_t ep_level(const struct reference *r, const struct ref_unit *u,
			const struct pick *p)
{
	uint64_t now = cycle_at(u, r->now);
	int64_t level = u->level[p->id];

	for (unsigned i = 0; i < u->num_coming; i++) {
		const struct coming *c = &u->coming[i];

		if (c->id != p->id || cycle_at(u, c->from) > now ||
		    cycle_at(u, c->to) <= now)
			continue;
		if (c->kind == SPAN ||
		    (c->kind == HEADER_SPAN && ep_passes(r, u, p, &c->header)))
			level += c->n;
	}
	return level;
}

/* Table 2-80 */
static uint64_t ep_combine(const struct reference *r,
			   const struct ref_counter *c, uint64_t event,
			   uint64_t cores)
{
	uint64_t threshold = field(r, c->control, "threshold");
	bool holds = cores > 0;

	if (threshold)
		holds = field(r, c->control, "occ_invert") ? cores < threshold
							   : cores >= threshold;
	if (c->alone)
		return threshold ? holds : cores;
	if (threshold && field(r, c->control, "invert"))
		event = !event;
	return holds ? event : 0;
}

static uint64_t ep_value(const struct reference *r, const struct ref_unit *u,
			 const struct ref_counter *c, bool with_pulses)
{
	int64_t sum[2] = { 0, 0 };

	for (unsigned i = 0; i < c->num_picks; i++)
		sum[c->picks[i].gate] += ep_level(r, u, &c->picks[i]);
	for (unsigned i = 0; with_pulses && i < 2; i++)
		sum[i] += c->pulses[i];
	if (c->at_least[0])
		sum[0] = sum[0] >= c->at_least[0];
	if (c->band)
		sum[0] = sum[0] >= (int64_t)(*at(r, ep_filter(r, u)) >>
						     8 * (c->band - 1) &
					     0xff);
	if (c->occupied)
		return ep_combine(r, c, (uint64_t)sum[0], (uint64_t)sum[1]);
	return (uint64_t)sum[0];
}

static bool ep_has_edge(const struct reference *r, const struct ref_counter *c)
{
	bool edge = field(r, c->control, "edge_detect");

	if (!c->occupied)
		return edge;
	return field(r, c->control, "occ_edge_det") || (edge && !c->alone);
}

/* Whether it counts something else than when it was last asked. */
static bool ep_is_other(const struct reference *r, const struct ref_unit *u,
			struct ref_counter *c)
{
	static const uint64_t prime = UINT64_C(0x9E3779B97F4A7C15);
	static const char *const names[] = { "threshold", "invert",
					     "occ_invert" };
	uint64_t sum = ep_has_edge(r, c) + 2u * c->occupied + 4u * c->alone;
	bool is_other;

	for (unsigned i = 0; i < 2u + c->occupied; i++)
		sum = sum * prime + field(r, c->control, names[i]);
	for (unsigned i = 0; i < c->num_picks; i++) {
		const struct pick *p = &c->picks[i];
		bool by_thread =
			p->filter & BY_TID && field(r, p->control, "tid_en");

		sum = sum * prime + p->id * 2 + p->gate;
		if (p->filter)
			sum = sum * prime + by_thread;
		for (unsigned role = UC_FIRST_SUB_ROLE;
		     p->filter && role < UC_NUM_ROLES; role++)
			sum = sum * prime + ep_register(r, u, role);
	}
	is_other = sum != c->signature;
	c->signature = sum;
	return is_other;
}

/* The bit that tells of a box in the global status; 0: none is known. v2:
 * p. 18, 23 and LIKWID; v3: LIKWID, and for CBo and SBo what that leaves. */
static uint64_t ep_told(const struct reference *r, const struct ref_unit *u,
			unsigned n)
{
	static const struct {
		const char *box;
		int v2, v3, num, per;
	} rows[] = {
		{ "cbo", 3, 3, 18, 1 },	    { "pcu", 2, 2, 1, 1 },
		{ "ha", 18, 21, 2, 1 },	    { "imc", 20, 23, 8, 4 },
		{ "qpi", 22, 25, 2, 1 },    { "r3qpi", 24, 27, 2, 1 },
		{ "r2pcie", 26, 29, 1, 1 }, { "sbo", -1, 30, 4, 1 },
		{ "irp", -1, 34, 1, 1 },
	};
	const struct uc_box *box = box_of(r, u);

	if (box->name[0] == 'u')
		return n < box->num_counters ? 2 : 1;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int first = r->top->width == 32 ? rows[i].v2 : rows[i].v3;

		if (!strcmp(rows[i].box, box->name) && first >= 0 &&
		    (int)u->instance < rows[i].num)
			return UINT64_C(1)
			       << ((unsigned)first +
				   u->instance / (unsigned)rows[i].per);
	}
	return 0;
}

/* Its bit in the status of its box, where there is one: the fixed counter of a
 * channel of memory has the lowest (p. 79), that of the U-Box none (p. 22). */
static uint64_t ep_local(const struct reference *r, const struct ref_unit *u,
			 unsigned n)
{
	const struct uc_box *box = box_of(r, u);

	if (box->name[0] == 'i' && box->num_fixed)
		return n < box->num_counters ? UINT64_C(2) << n : 1;
	return n < box->num_counters ? UINT64_C(1) << n : 0;
}

/* p. 15, 21: with ov_en the box's bit is set, and the box is frozen first; a
 * message goes to the U-Box. Not while the last one has not been cleared. */
static void ep_overflow(struct reference *r, struct ref_unit *u, unsigned n)
{
	const struct uc_register *status =
		find(r, u->box, u->instance, UC_ROLE_GLOBAL_STATUS, 0);
	bool was = false;
	uint64_t told;

	if (!r->top || !field(r, u->counters[n].control, "pmi_en"))
		return;
	if (status) {
		was = *at(r, status) & ep_local(r, u, n);
		*at(r, status) |= ep_local(r, u, n);
	}
	told = ep_told(r, u, n);
	if (was || *at(r, r->top) & told || r->num_arrivals == 256)
		return;
	u->freezes_at = r->now + 1;
	r->tellings[r->num_arrivals] = told;
	r->arrivals[r->num_arrivals++] = r->now + 1 + r->delay;
}

static void ep_freeze_boxes(struct reference *r)
{
	for (unsigned i = 0; i < r->num_units; i++)
		if (r->units[i].freezes_at == r->now)
			r->units[i].is_frozen = true;
}

/* The U-Box sets the bit and asserts the freeze; false: it was set already. */
static bool ep_arrives(struct reference *r, uint64_t told)
{
	if (*at(r, r->top) & told)
		return false;
	*at(r, r->top) |= told;
	for (unsigned i = 0; i < r->num_units; i++)
		r->units[i].is_frozen = true;
	return true;
}

/* Bits that act when they are written. */
static void ep_act(struct reference *r, struct ref_unit *u,
		   const struct uc_register *reg, uint64_t value)
{
	const struct uc_field *rst = uc_field_find(reg->layout, "rst");
	bool is_box = reg->role == UC_ROLE_GLOBAL_CTL &&
		      uc_field_find(reg->layout, "rst_ctrs");

	if (reg->sums)
		*at(r, reg) = value;
	for (unsigned i = 0; r->top && reg == r->freezer && i < r->num_units;
	     i++)
		if (value >> 29 & 5)
			r->units[i].is_frozen = value >> 31;
	for (unsigned n = 0; n < u->num_counters; n++) {
		struct ref_counter *c = &u->counters[n];

		if (is_box && value & 1)
			*at(r, c->control) = 0;
		if (is_box && value & 2)
			c->count = 0;
		if (c->control == reg && rst && uc_field_get(rst, value))
			c->count = 0;
	}
}

/* Registers that nothing stops. */
static void ep_sum(struct reference *r, const struct ref_unit *u)
{
	for (unsigned i = 0; i < r->family->num_registers; i++) {
		const struct uc_register *reg = &r->family->registers[i];
		struct pick p = { .id = reg->sums - 1u };

		if (reg->sums && reg->box == u->box)
			*at(r, reg) += (uint64_t)ep_level(r, u, &p);
	}
}
