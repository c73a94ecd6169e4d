/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Random programs of control registers, random signals and random register
 * writes at random cycles: the PMU and the per-cycle reference have to agree on
 * every register, every PMI and every #GP. A failure names its seed; running
 * the test with UNCORE_SEED=n repeats that one program and nothing else. Of
 * four programs one is of the Xeon 7500 and one of a Xeon E5, with clocks of
 * any ratio: the E5-2600, the v2 or the v3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/pmu/pmu.h"
#include "pmu_e5_family.h"
#include "pmu_reference.h"
#include "signals.h"

enum { NUM_PROGRAMS = 400, NUM_LONG = 2000, MAX_FOCUS = 3 };

/* What a program dwells on, so that rare things happen often somewhere. */
enum theme {
	ANYTHING,
	PACKETS,      /* filtered events */
	SUB_COUNTERS, /* accumulated and tallied events */
	SAMPLING,     /* counters on the brink of overflow */
	NUM_THEMES
};

struct program {
	const struct uc_family *family;
	struct sim *sim;
	struct pmu *pmu;
	struct reference *reference;
	struct {
		unsigned box, instance;
	} focus[MAX_FOCUS];
	unsigned num_focus, num_pmis;
	uint64_t pmi_sum, random, seed;
	bool strict, is_ep; /* the Xeon E5-2600 */
	struct pmu_clock clocks[UC_MAX_CLOCKS];
	unsigned ahead; /* of 8 things so many are published before they are */
	enum theme theme;
};

/* xorshift64*: the same numbers everywhere */
static uint64_t draw(struct program *p)
{
	p->random ^= p->random >> 12;
	p->random ^= p->random << 25;
	p->random ^= p->random >> 27;
	return p->random * UINT64_C(2685821657736338717);
}

static unsigned below(struct program *p, unsigned n)
{
	return (unsigned)((draw(p) >> 33) % n);
}

static bool one_in(struct program *p, unsigned n)
{
	return !below(p, n);
}

static void on_pmi(void *context, unsigned socket, unsigned core,
		   uint64_t cycle)
{
	struct program *p = context;

	(void)socket;
	p->num_pmis++;
	p->pmi_sum += (core + 1) * (cycle + 7);
}

static void fail_at(const struct program *p, const char *what,
		    uint64_t expected, uint64_t got)
{
	fail_msg("seed %llu, cycle %llu: %s is 0x%llx, the reference has "
		 "0x%llx",
		 (unsigned long long)p->seed,
		 (unsigned long long)sim_now(p->sim), what,
		 (unsigned long long)got, (unsigned long long)expected);
}

static void write_both(struct program *p, const struct uc_register *reg,
		       uint64_t value)
{
	int expected = reference_write(p->reference, reg->address, value);
	int got = pmu_write(p->pmu, reg->address, value);

	if (expected != got)
		fail_at(p, reg->name, (uint64_t)expected, (uint64_t)got);
}

static void compare(struct program *p, const struct uc_register *reg)
{
	uint64_t expected = 0, got = 0;

	reference_read(p->reference, reg->address, &expected);
	pmu_read(p->pmu, reg->address, &got);
	if (expected != got)
		fail_at(p, reg->name, expected, got);
}

static bool is_in_focus(const struct program *p, const struct uc_register *reg)
{
	for (unsigned i = 0; i < p->num_focus; i++)
		if (reg->box == p->focus[i].box &&
		    reg->instance == p->focus[i].instance)
			return true;
	return false;
}

static void compare_all(struct program *p)
{
	for (unsigned i = 0; i < p->family->num_registers; i++) {
		const struct uc_register *reg = &p->family->registers[i];
		bool is_global = reg->role == UC_ROLE_GLOBAL_CTL ||
				 reg->role == UC_ROLE_GLOBAL_STATUS ||
				 reg->role == UC_ROLE_SUMMARY;

		if (is_global || is_in_focus(p, reg))
			compare(p, reg);
	}
	if (reference_num_pmis(p->reference) != p->num_pmis ||
	    reference_pmi_sum(p->reference) != p->pmi_sum)
		fail_at(p, "the sum over PMIs", reference_pmi_sum(p->reference),
			p->pmi_sum);
}

/* A look at one counter, or at what needs a look at all. */
static void compare_one(struct program *p)
{
	const struct uc_register *reg;

	do
		reg = &p->family->registers[below(p, p->family->num_registers)];
	while (!is_in_focus(p, reg));
	compare(p, reg);
}

/* Registers */

static uint64_t put(const struct uc_register *reg, const char *name,
		    uint64_t reg_value, uint64_t value)
{
	const struct uc_field *field = uc_field_find(reg->layout, name);

	return field ? uc_field_put(field, reg_value, value) : reg_value;
}

static uint64_t apply(const struct uc_register *reg, enum uc_role role,
		      const struct uc_set *sets, unsigned n, uint64_t value)
{
	for (unsigned i = 0; i < n; i++) {
		if (sets[i].role != role)
			continue;
		if (!sets[i].contains)
			value &= ~uc_bits(sets[i].high, sets[i].low);
		value |= sets[i].value << sets[i].low;
	}
	(void)reg;
	return value;
}

/* One that is not there for every event, as that by thread is in a CBo. */
static bool has_filter(const struct program *p, const struct uc_event *e)
{
	uint8_t filters = p->is_ep ? 7 : UINT8_MAX;

	for (unsigned i = 0; i < e->num_signals; i++)
		if (e->signals[i].filter & filters)
			return true;
	for (unsigned i = 0; i < e->num_unit_masks; i++)
		for (unsigned j = 0; j < e->unit_masks[i].num_signals; j++)
			if (e->unit_masks[i].signals[j].filter & filters)
				return true;
	return false;
}

static bool is_on_theme(const struct program *p, const struct uc_event *e)
{
	switch (p->theme) {
	case PACKETS: return has_filter(p, e);
	case SUB_COUNTERS: return e->accumulate || e->tally_bits;
	default: return true;
	}
}

static const struct uc_event *some_event(struct program *p, unsigned index)
{
	const struct uc_box *box = &p->family->boxes[index];
	const struct uc_event *e = NULL;

	for (unsigned tries = 0; tries < 300; tries++) {
		e = &box->events[below(p, box->num_events)];
		if (is_on_theme(p, e) || one_in(p, 20))
			break;
	}
	return e;
}

static bool is_box_on_theme(const struct program *p, unsigned index)
{
	const struct uc_box *box = &p->family->boxes[index];

	for (unsigned i = 0; i < box->num_events; i++)
		if (is_on_theme(p, &box->events[i]))
			return true;
	return false;
}

/* Filters that let something pass: few bits to compare. */
static uint64_t filter_value(struct program *p, const struct uc_register *reg)
{
	uint64_t value = draw(p) & draw(p) & draw(p);
	bool is_sbox = p->family->boxes[reg->box].name[0] == 's';

	if (reg->role == ROLE_MASK)
		return is_sbox ? ~(value & draw(p)) : value;
	if (reg->role == ROLE_MATCH)
		return is_sbox && one_in(p, 2) ? value & uc_bits(58, 0) : value;
	value = put(reg, "mm_en", value, !one_in(p, 3));
	value = put(reg, "dis", value, one_in(p, 6));
	value = put(reg, "mm_trig_en", value, !one_in(p, 6));
	return put(reg, "match_71_64", value, one_in(p, 9));
}

/* A value for a register of the box that makes sense for one of its events. */
static uint64_t sensible(struct program *p, const struct uc_register *reg)
{
	static const char *const selects[UC_MAX_SELECTS] = {
		[SELECT_EV_SEL] = "ev_sel",
		[SELECT_INC_SEL] = "inc_sel",
		[SELECT_SET_FLAG_SEL] = "set_flag_sel",
	};
	const struct uc_event *e = some_event(p, reg->box);
	uint64_t value = one_in(p, 3) ? draw(p) & draw(p) : 0;

	value = apply(reg, (enum uc_role)reg->role, e->sets, e->num_sets,
		      value);
	if (e->num_unit_masks) {
		const struct uc_unit_mask *m =
			&e->unit_masks[below(p, e->num_unit_masks)];

		value = apply(reg, (enum uc_role)reg->role, m->sets,
			      m->num_sets, value);
	}
	if (reg->role == UC_ROLE_CONTROL && selects[e->select])
		value = put(reg, selects[e->select], value, e->code);
	if (reg->role == UC_ROLE_CONTROL)
		value = put(reg, "ev_sel_ext", value, e->code >> 8);
	return value & ~reg->layout->reserved;
}

static uint64_t ep_filter_value(struct program *p,
				const struct uc_register *reg)
{
	uint64_t value = draw(p) & ~reg->layout->reserved;

	if (one_in(p, 8))
		return value;
	value = put(reg, "opc", value, 0x180 + below(p, 3));
	value = put(reg, "tid", value, below(p, 3));
	if (one_in(p, 3))
		value = put(reg, "nid", value, 0xff);
	if (reg->role == ROLE_FILTER)
		return reg->layout->fields[0].high == 31 &&
				       uc_field_find(reg->layout, "filt7_0")
			       ? value & 0x07070707
			       : value;
	value = put(reg, "lo_addr", 0, below(p, 2) << 6);
	return put(reg, "opc", value, 0);
}

/* What only the Xeon E5-2600's have. */
static uint64_t ep_control_value(struct program *p,
				 const struct uc_register *reg, uint64_t value)
{
	if (!p->is_ep)
		return value;
	value = put(reg, "tid_en", value, one_in(p, 4));
	value = put(reg, "rst", value, one_in(p, 12));
	if (!uc_field_find(reg->layout, "occ_sel") || one_in(p, 2))
		return value;
	value = put(reg, "occ_sel", value, below(p, 4));
	value = put(reg, "occ_invert", value, one_in(p, 3));
	value = put(reg, "occ_edge_det", value, one_in(p, 3));
	return (one_in(p, 3) ? value & ~UINT64_C(0x2000ff) : value) | 0x80;
}

static uint64_t ep_box_value(struct program *p, const struct uc_register *reg)
{
	uint64_t value = put(reg, "frz_en", 0, !one_in(p, 6));

	value = put(reg, "frz", value, one_in(p, 4));
	value = put(reg, "rst_ctrl", value, one_in(p, 20));
	return put(reg, "rst_ctrs", value, one_in(p, 10));
}

/* What freezes all boxes and lets them go on (v2 on). */
static bool is_freeze(const struct program *p, const struct uc_register *reg)
{
	const struct uc_freeze *freeze = p->family->freeze;

	return freeze && reg == &p->family->registers[freeze->reg];
}

static uint64_t ep_freeze_value(struct program *p,
				const struct uc_register *reg)
{
	uint64_t value = put(reg, "pmi_core_sel", 0, draw(p));

	value = put(reg, "frz_all", value, one_in(p, 6));
	return put(reg, "unfrz_all", value, !one_in(p, 4));
}

static uint64_t control_value(struct program *p, const struct uc_register *reg)
{
	uint64_t value = sensible(p, reg);

	value = put(reg, "threshold", value, one_in(p, 2) ? 0 : below(p, 6));
	value = put(reg, "invert", value, one_in(p, 3));
	value = put(reg, "edge_detect", value, one_in(p, 3));
	value = put(reg, "en", value, !one_in(p, 6));
	value = put(reg, "pmi_en", value, p->theme == SAMPLING || one_in(p, 2));
	if (p->theme == SAMPLING)
		value = put(reg, "wrap_mode", value, one_in(p, 2));
	value = ep_control_value(p, reg, value);
	if (p->family->boxes[reg->box].num_ports > 1)
		value = put(reg, "ev_sel", value,
			    p->theme == PACKETS
				    ? below(p, 4) * 6 + 4 + below(p, 2)
				    : below(p, 25));
	return value;
}

static uint64_t counter_value(struct program *p, const struct uc_register *reg)
{
	const uint64_t ends[] = { reg->layout->writable + 1,
				  UINT64_C(0x123456000000), UINT64_C(0x1000000),
				  0 };
	uint64_t end = ends[below(p, 4)];

	if (p->theme == SAMPLING)
		return ends[0] - 1 - below(p, one_in(p, 3) ? 200 : 3);
	return one_in(p, 8) ? draw(p) : end - below(p, one_in(p, 2) ? 8 : 300);
}

static uint64_t value_for(struct program *p, const struct uc_register *reg)
{
	bool is_top = p->family->boxes[reg->box].name[0] == 'u';
	uint64_t value;

	if (one_in(p, 20))
		return draw(p);
	if (is_freeze(p, reg))
		return ep_freeze_value(p, reg);
	if (p->is_ep && reg->role >= UC_FIRST_SUB_ROLE && !one_in(p, 8) &&
	    p->family->boxes[reg->box].name[0] != 'q')
		return ep_filter_value(p, reg);
	switch (reg->role) {
	case UC_ROLE_CONTROL:
	case UC_ROLE_FIXED_CTL: return control_value(p, reg);
	case UC_ROLE_COUNTER:
	case UC_ROLE_FIXED_COUNTER: return counter_value(p, reg);
	case UC_ROLE_GLOBAL_CTL:
		if (p->is_ep)
			return ep_box_value(p, reg);
		value = ~UINT64_C(0);
		if (!is_top)
			return one_in(p, 4) ? draw(p) : value;
		value = put(reg, "rst_all", value, one_in(p, 10));
		value = put(reg, "frz_all", value, one_in(p, 2));
		value = put(reg, "pmi_core_sel", value, draw(p));
		return put(reg, "en_all", value, !one_in(p, 5));
	case UC_ROLE_OVF_CTL: return draw(p);
	case UC_ROLE_GLOBAL_STATUS: return draw(p) & draw(p);
	case ROLE_MM_CFG:
	case ROLE_MATCH:
	case ROLE_MASK: return filter_value(p, reg);
	default: return one_in(p, 2) ? sensible(p, reg) : draw(p) & draw(p);
	}
}

static void write_something(struct program *p)
{
	const struct uc_register *reg;
	bool is_top;

	do {
		reg = &p->family->registers[below(p, p->family->num_registers)];
		is_top = p->family->boxes[reg->box].name[0] == 'u';
		if (one_in(p, 8) && p->family->freeze)
			reg = &p->family->registers[p->family->freeze->reg];
	} while (!is_in_focus(p, reg) && !(is_top && one_in(p, 2)));
	write_both(p, reg, value_for(p, reg));
}

/* 2.1.5; v2, p. 18: clear the overflow bits, set the counters again, and let
 * all go on. */
static void start_sample(struct program *p)
{
	for (unsigned i = 0; i < p->family->num_registers; i++) {
		const struct uc_register *reg = &p->family->registers[i];

		if (p->is_ep && reg->role == UC_ROLE_GLOBAL_STATUS &&
		    (is_in_focus(p, reg) || reg->index))
			write_both(p, reg,
				   (draw(p) | draw(p) | draw(p)) &
					   ~reg->layout->reserved);
		if (!is_in_focus(p, reg))
			continue;
		if (reg->role == UC_ROLE_OVF_CTL ||
		    reg->role == UC_ROLE_COUNTER ||
		    reg->role == UC_ROLE_FIXED_COUNTER)
			write_both(p, reg,
				   reg->role == UC_ROLE_OVF_CTL
					   ? draw(p) | draw(p)
					   : value_for(p, reg));
	}
	for (unsigned i = 0; i < p->family->num_registers; i++) {
		const struct uc_register *reg = &p->family->registers[i];

		if ((reg->role == UC_ROLE_GLOBAL_CTL &&
		     p->family->boxes[reg->box].name[0] == 'u') ||
		    is_freeze(p, reg))
			write_both(p, reg, value_for(p, reg));
	}
}

/* Signals */

static uint8_t kind_of(const struct uc_box *box, unsigned id)
{
	unsigned element = id / box->num_ports;

	for (unsigned i = 0; i < box->num_signals; i++)
		if (element >= box->signals[i].first &&
		    element < box->signals[i].first + box->signals[i].dim)
			return box->signals[i].kind;
	return UC_SIGNAL_PULSE;
}

/* What happens at once is seen by who listens by then: of a cycle of a slower
 * clock that is a part. */
static bool is_ahead(struct program *p, unsigned box)
{
	const struct pmu_clock *clock = &p->clocks[p->family->boxes[box].clock];

	return below(p, 8) < p->ahead || clock->num != clock->den;
}

/* The present one or one to come, mostly a near one. */
static uint64_t coming_cycle(struct program *p)
{
	static const unsigned spans[] = { 1, 3, 30, 200 };

	return sim_now(p->sim) + below(p, spans[below(p, 4)]);
}

static void make_span(struct program *p, unsigned box, unsigned instance,
		      unsigned id)
{
	uint64_t from = coming_cycle(p);
	uint64_t to = from + (one_in(p, 9) ? below(p, 2) : below(p, 60));
	unsigned n = one_in(p, 3) ? 1 + below(p, 5) : 1;

	if (one_in(p, 40))
		to += 5000;
	reference_span(p->reference, box, instance, id, from, to, n);
	sig_span(pmu_bank(p->pmu, box, instance), id, from, to, (int)n);
}

static void make_pulses(struct program *p, unsigned box, unsigned instance,
			unsigned id)
{
	struct sigbank *bank = pmu_bank(p->pmu, box, instance);
	unsigned n = 1 + below(p, 2), num = below(p, 12);
	unsigned period = 1 + below(p, 20);
	uint64_t first = coming_cycle(p);

	if (one_in(p, 2)) {
		reference_pulses(p->reference, box, instance, id, first, 1, 1,
				 n);
		sig_later(bank, id, first, n);
		return;
	}
	reference_pulses(p->reference, box, instance, id, first, period, num,
			 n);
	for (unsigned i = 0; i < num; i++)
		sig_later(bank, id, first + i * period, n);
}

static void fit_header(struct program *p, unsigned box, struct sig_header *h)
{
	h->core_opcode = (uint16_t)(0x180 + below(p, 3));
	h->thread = (uint8_t)below(p, 3);
	h->home_node &= 7;
	if (p->family->boxes[box].name[0] != 'h')
		return;
	h->address = below(p, 3) << 12;
	h->message_class = h->opcode = (uint8_t)one_in(p, 4);
}

static void make_header_span(struct program *p, unsigned box, unsigned instance,
			     unsigned id)
{
	static const uint8_t states[] = { 0, 1, 2, 4, 8 };
	uint64_t from = coming_cycle(p), to = from + below(p, 60);
	struct sig_header h = { .state = states[below(p, 5)],
				.home_node = (uint8_t)below(p, 8) };
	unsigned n = 1 + below(p, 2);

	fit_header(p, box, &h);
	if (one_in(p, 40))
		to += 5000;
	reference_span_packet(p->reference, box, instance, id, from, to, n, &h);
	sig_span_packet(pmu_bank(p->pmu, box, instance), id, from, to, (int)n,
			&h);
}

static void send_packet(struct program *p, unsigned box, unsigned instance,
			unsigned id)
{
	static const uint8_t classes[] = { 0, 1, 2, 3, 4, 12, 14 };
	static const uint8_t states[] = { 0, 1, 2, 4, 8 };
	struct sig_header h = {
		.address = (draw(p) & draw(p) & draw(p)) >> 14,
		.message_class = classes[below(p, 7)],
		.opcode = (uint8_t)below(p, 16),
		.state = states[below(p, 5)],
		.vn = (uint8_t)below(p, 3),
		.flits = (uint8_t)(1 + below(p, 11)),
		.home_node = (uint8_t)below(p, 32),
		.dest_node = (uint8_t)below(p, 32),
		.requester_node = (uint8_t)below(p, 32),
		.dram_cmd = (uint8_t)below(p, 32),
		.sched_mode = (uint8_t)below(p, 4),
	};

	if (one_in(p, 2))
		h.opcode &= 3;
	if (p->is_ep)
		fit_header(p, box, &h);
	if (is_ahead(p, box)) {
		uint64_t time = coming_cycle(p);

		reference_packet_at(p->reference, box, instance, id, time, &h);
		sig_packet_at(pmu_bank(p->pmu, box, instance), id, time, &h);
		return;
	}
	reference_packet(p->reference, box, instance, id, &h);
	sig_packet(pmu_bank(p->pmu, box, instance), id, &h);
}

static void move_level(struct program *p, unsigned box, unsigned instance,
		       unsigned id)
{
	struct sigbank *bank = pmu_bank(p->pmu, box, instance);
	int64_t level = bank->signals[id].level;
	int64_t delta = (int64_t)below(p, 5) - 2;

	if (one_in(p, 10))
		delta = (int64_t)below(p, 70);
	if (one_in(p, 4) || level + delta < 0)
		delta = -level;
	reference_add(p->reference, box, instance, id, delta);
	if (delta)
		sig_set(bank, id, level + delta);
}

static void make_pulse(struct program *p, unsigned box, unsigned instance,
		       unsigned id)
{
	struct sigbank *bank = pmu_bank(p->pmu, box, instance);
	unsigned n = one_in(p, 4) ? 1 + below(p, 5) : 1;

	if (is_ahead(p, box)) {
		make_pulses(p, box, instance, id);
		return;
	}
	reference_pulse(p->reference, box, instance, id, n);
	sig_pulse(bank, id, n);
}

static void move_something(struct program *p)
{
	unsigned n = below(p, p->num_focus);
	unsigned box = p->focus[n].box, instance = p->focus[n].instance;
	const struct uc_box *type = &p->family->boxes[box];
	int id = reference_selected(p->reference, box, instance, below(p, 200));

	if (id < 0 || one_in(p, 30))
		id = (int)below(p,
				(unsigned)type->num_elements * type->num_ports);
	switch (kind_of(type, (unsigned)id)) {
	case UC_SIGNAL_PULSE: make_pulse(p, box, instance, (unsigned)id); break;
	case UC_SIGNAL_PACKET:
		send_packet(p, box, instance, (unsigned)id);
		break;
	case UC_SIGNAL_SPAN:
		make_header_span(p, box, instance, (unsigned)id);
		break;
	default:
		if (below(p, 8) < p->ahead)
			make_span(p, box, instance, (unsigned)id);
		else
			move_level(p, box, instance, (unsigned)id);
		break;
	}
}

/* Programs */

static void draw_clocks(struct program *p, struct pmu_clock *clocks)
{
	for (unsigned i = 1; p->is_ep && i < UC_MAX_CLOCKS; i++) {
		p->clocks[i].num = 1 + below(p, 7);
		p->clocks[i].den = p->clocks[i].num + below(p, 7);
		clocks[i] = p->clocks[i];
	}
}

static void start(struct program *p, uint64_t seed)
{
	struct pmu_config config = { 0 };
	static const char *const successors[] = { "xeon-e5-2600", "xeon-e5-v2",
						  "xeon-e5-v3" };
	const char *machine = seed % 4 ? "xeon-e7" : "xeon-7500";
	unsigned delay, cores = seed % 4 ? 10 : 8;

	*p = (struct program){ .seed = seed,
			       .random =
				       seed * 2654435761u + 88172645463325252u,
			       .family = uc_family_find(machine),
			       .is_ep = seed % 4 == 3 };
	if (p->is_ep)
		p->family = e5_family_of(successors[seed / 4 % 3]);
	delay = below(p, 30);
	p->strict = one_in(p, 4);
	p->ahead = below(p, 9);
	p->sim = sim_new();
	config.family = p->family;
	config.sim = p->sim;
	config.num_cores = cores;
	config.pmi_delay_cycles = delay;
	config.strict = p->strict;
	config.pmi = on_pmi;
	config.context = p;
	draw_clocks(p, config.clocks);
	p->pmu = pmu_new(&config);
	p->reference = reference_new(p->family, delay, cores, p->strict);
	for (unsigned i = 1; p->is_ep && i < UC_MAX_CLOCKS; i++)
		reference_set_clock(p->reference, i, p->clocks[i].num,
				    p->clocks[i].den);
	p->num_focus = 1 + below(p, MAX_FOCUS);
	p->theme = (enum theme)below(p, NUM_THEMES);
	if (p->is_ep && p->theme == SUB_COUNTERS)
		p->theme = ANYTHING; /* it has none */
	for (unsigned i = 0; i < p->num_focus; i++) {
		do
			p->focus[i].box = below(p, p->family->num_boxes);
		while (!is_box_on_theme(p, p->focus[i].box));
		p->focus[i].instance = below(
			p, p->family->boxes[p->focus[i].box].num_instances);
	}
}

static void finish(struct program *p)
{
	pmu_free(p->pmu);
	reference_free(p->reference);
	sim_free(p->sim);
}

static void switch_on(struct program *p)
{
	for (unsigned i = 0; i < p->family->num_registers; i++) {
		const struct uc_register *reg = &p->family->registers[i];

		if (!is_in_focus(p, reg))
			continue;
		if (reg->role == UC_ROLE_CONTROL ||
		    reg->role == UC_ROLE_GLOBAL_CTL ||
		    (p->is_ep && reg->role >= UC_FIRST_SUB_ROLE) ||
		    one_in(p, 3))
			write_both(p, reg, value_for(p, reg));
	}
}

static void run_program(uint64_t seed)
{
	struct program p;
	unsigned cycles, writes, moves;

	start(&p, seed);
	cycles = 100 + below(&p, 400);
	writes = 5 + below(&p, 60);
	moves = p.theme != ANYTHING || one_in(&p, 2) ? 2 + below(&p, 4) : 0;
	switch_on(&p);
	for (unsigned t = 0; t < cycles; t++) {
		while (one_in(&p, writes))
			write_something(&p);
		if (p.theme == SAMPLING && one_in(&p, 10))
			start_sample(&p);
		while (moves ? !one_in(&p, moves) : one_in(&p, 40))
			move_something(&p);
		reference_cycle(p.reference);
		sim_run_until(p.sim, t + 1);
		if (one_in(&p, 40))
			compare_all(&p);
		if (one_in(&p, 10))
			compare_one(&p);
	}
	compare_all(&p);
	finish(&p);
}

static void pmu_agrees_with_the_reference(void **state)
{
	const char *only = getenv("UNCORE_SEED");
	uint64_t last = getenv("UNCORE_LONG") ? NUM_LONG : NUM_PROGRAMS;

	(void)state;
	if (only) {
		run_program(strtoull(only, NULL, 0));
		return;
	}
	for (uint64_t seed = 1; seed <= last; seed++)
		run_program(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmu_agrees_with_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
