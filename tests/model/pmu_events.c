/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Every event and every unit mask of the tables, programmed as the tables say
 * and then stirred by each of its signals alone: the counter has to move by
 * exactly one. So no row of the data is out of the PMU's reach.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pmu_rig.h"
#include "signals.h"
#include "table/select.h"

struct trial {
	struct rig *rig;
	const struct uc_box *box;
	const struct uc_event *event;
	const struct uc_unit_mask *mask; /* NULL: the event has none */
	unsigned counter;
};

static bool is_ex(const struct uc_family *family)
{
	return strcmp(family->name, "xeon-e5-2600") != 0;
}

static const struct uc_register *register_of(const struct trial *t,
					     enum uc_role role, unsigned index)
{
	return uc_register_of(t->rig->family, t->event->box, 0, role, index);
}

static const struct uc_register *control_of(const struct trial *t)
{
	if (t->counter >= t->box->num_counters)
		return register_of(t, UC_ROLE_FIXED_CTL, 0);
	return register_of(t, UC_ROLE_CONTROL, t->counter);
}

static uint64_t read_register(const struct trial *t,
			      const struct uc_register *reg)
{
	uint64_t value = 0;

	assert_int_equal(pmu_read(t->rig->pmu, reg->address, &value), PMU_OK);
	return value;
}

static void write_bits(const struct trial *t, const struct uc_register *reg,
		       uint64_t bits, uint64_t value)
{
	uint64_t old = read_register(t, reg);

	if (pmu_write(t->rig->pmu, reg->address, (old & ~bits) | value))
		fail_msg("#GP on %s for %s", reg->name, t->event->name);
}

static void write_field(const struct trial *t, const struct uc_register *reg,
			const char *name, uint64_t value)
{
	const struct uc_field *field = uc_field_find(reg->layout, name);
	uint64_t bits;

	assert_non_null(field);
	bits = uc_bits(field->high, field->low);
	write_bits(t, reg, bits, value << field->low & bits);
}

static void apply(const struct trial *t, const struct uc_set *sets, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		bool is_own = sets[i].role == UC_ROLE_CONTROL;

		write_bits(t,
			   is_own ? control_of(t)
				  : register_of(t, sets[i].role, 0),
			   uc_bits(sets[i].high, sets[i].low),
			   sets[i].value << sets[i].low);
	}
}

/* R-Box: the code that leads to slot 0 of port 0. */
static uint64_t route_to(const struct trial *t)
{
	const struct uc_family *family = t->rig->family;

	for (unsigned i = 0; i < family->num_routes; i++)
		if (family->routes[i].port == 0 &&
		    family->routes[i].slot == 0 &&
		    family->routes[i].select == t->event->select)
			return family->routes[i].code;
	fail_msg("no route for %s", t->event->name);
	return 0;
}

/* Which may have a bit more in a field of its own. */
static void choose_code(const struct trial *t, const struct uc_register *reg)
{
	const struct uc_select *select =
		&t->rig->family->selects[t->event->select];

	write_bits(t, reg, 0,
		   uc_select_put(select, reg->layout, 0, t->event->code));
}

static void choose(const struct trial *t)
{
	switch (t->event->select) {
	case UC_SELECT_EV_SEL: choose_code(t, control_of(t)); break;
	case SELECT_INC_SEL:
		write_field(t, control_of(t), "inc_sel", t->event->code);
		break;
	case SELECT_SET_FLAG_SEL:
		write_field(t, control_of(t), "set_flag_sel", t->event->code);
		break;
	case UC_SELECT_FIXED: break;
	default: write_field(t, control_of(t), "ev_sel", route_to(t)); break;
	}
}

static void write_where_there(const struct trial *t, enum uc_role role,
			      const char *name, uint64_t value)
{
	const struct uc_register *reg = register_of(t, role, 0);

	if (reg && uc_field_find(reg->layout, name))
		write_field(t, reg, name, value);
}

/* All that stands between the control and its counter is opened; a band of
 * frequencies begins at what a signal is stirred by. */
static void start(const struct trial *t)
{
	static const char *const bands[] = { "filt7_0", "filt15_8", "filt23_16",
					     "filt31_24" };

	write_where_there(t, UC_ROLE_GLOBAL_CTL, "en", 1);
	write_where_there(t, UC_ROLE_GLOBAL_CTL, "fixed_en", 1);
	write_where_there(t, UC_ROLE_GLOBAL_CTL, "ctr_en", 0xff);
	write_where_there(t, ROLE_FILTER, "state", 0x1f);
	write_where_there(t, ROLE_FILTER, "nid", 0xff);
	for (unsigned i = 0; i < 4; i++)
		write_where_there(t, ROLE_FILTER, bands[i], 1);
	if (is_ex(t->rig->family))
		rig_set(t->rig, "U_MSR_PMON_GLOBAL_CTL", "en_all", 1);
}

static void program(struct trial *t)
{
	t->counter = 0;
	while (!(t->event->counters >> t->counter & 1))
		t->counter++;
	apply(t, t->event->sets, t->event->num_sets);
	if (t->mask)
		apply(t, t->mask->sets, t->mask->num_sets);
	choose(t);
	write_field(t, control_of(t), "en", 1);
	start(t);
}

static uint64_t field_of(const struct trial *t, enum uc_role role,
			 const char *name)
{
	const struct uc_register *reg = register_of(t, role, 0);
	const struct uc_field *field =
		reg ? uc_field_find(reg->layout, name) : NULL;

	return field ? uc_field_get(field, read_register(t, reg)) : 0;
}

/* A packet that the programmed filter lets through. */
static struct sig_header passing(const struct trial *t, uint8_t filter)
{
	struct sig_header header = { .flits = 1 };

	header.dram_cmd = (uint8_t)field_of(
		t, ROLE_PLD,
		filter == LOOK_MBOX_PLD1 ? "dram_cmd1" : "dram_cmd");
	header.sched_mode =
		(uint8_t)field_of(t, ROLE_ISS, "sched_mode_pld_trig");
	header.message_class = (uint8_t)field_of(t, ROLE_MATCH, "MC");
	header.opcode = (uint8_t)field_of(t, ROLE_MATCH, "OPC");
	header.state = (uint8_t)field_of(t, ROLE_MATCH, "RDS");
	return header;
}

static unsigned kind_of(const struct trial *t, unsigned element)
{
	for (unsigned i = 0; i < t->box->num_signals; i++)
		if (element >= t->box->signals[i].first &&
		    element < t->box->signals[i].first + t->box->signals[i].dim)
			return t->box->signals[i].kind;
	fail_msg("signal %u of %s has no row", element, t->box->name);
	return 0;
}

static void stir(const struct trial *t, const struct uc_signal_ref *ref)
{
	struct sigbank *bank = pmu_bank(t->rig->pmu, t->event->box, 0);
	unsigned id = ref->signal * t->box->num_ports;
	struct sig_header header = passing(t, ref->filter);
	unsigned n = 1;

	if (t->event->combine_ge)
		n = t->event->combine_ge;
	if (t->event->accumulate)
		n = t->event->accumulate;
	switch (kind_of(t, ref->signal)) {
	case UC_SIGNAL_LEVEL: sig_set(bank, id, n); break;
	case UC_SIGNAL_SPAN:
		sig_span_packet(bank, id, 0, 1, (int)n, &header);
		break;
	case UC_SIGNAL_PACKET:
		while (n--)
			sig_packet(bank, id, &header);
		break;
	default: sig_pulse(bank, id, n); break;
	}
}

static uint64_t count_of(const struct trial *t)
{
	bool fixed = t->counter >= t->box->num_counters;

	return read_register(
		t, fixed ? register_of(t, UC_ROLE_FIXED_COUNTER, 0)
			 : register_of(t, UC_ROLE_COUNTER, t->counter));
}

static void try_signal(struct trial *t, const struct uc_signal_ref *ref)
{
	uint64_t count;

	t->rig = rig_new(0, true);
	program(t);
	stir(t, ref);
	rig_run_until(t->rig, 1);
	count = count_of(t);
	if (count != 1)
		fail_msg("%s/%s.%s counts %llu when signal %u is stirred",
			 t->box->name, t->event->name,
			 t->mask ? t->mask->name : "-",
			 (unsigned long long)count, ref->signal);
	if (t->rig->num_complaints[PMU_SOFTWARE_BROKE_A_RULE] ||
	    t->rig->num_complaints[PMU_NOT_MODELLED])
		fail_msg("%s/%s.%s is complained about", t->box->name,
			 t->event->name, t->mask ? t->mask->name : "-");
	rig_free(t->rig);
}

static unsigned try_event(const struct uc_box *box,
			  const struct uc_event *event)
{
	struct trial t = { NULL, box, event, NULL, 0 };
	unsigned num_tried = 0;

	for (unsigned i = 0; i < event->num_signals; i++, num_tried++)
		try_signal(&t, &event->signals[i]);
	for (unsigned i = 0; i < event->num_unit_masks; i++) {
		t.mask = &event->unit_masks[i];
		for (unsigned n = 0; n < t.mask->num_signals; n++, num_tried++)
			try_signal(&t, &t.mask->signals[n]);
	}
	return num_tried;
}

static void every_event_counts_each_of_its_signals(void **state)
{
	const struct uc_family *family = uc_family_find(rig_machine);
	unsigned num_tried = 0;

	(void)state;
	for (unsigned i = 0; i < family->num_boxes; i++)
		for (unsigned n = 0; n < family->boxes[i].num_events; n++)
			num_tried += try_event(&family->boxes[i],
					       &family->boxes[i].events[n]);
	assert_true(num_tried > (is_ex(family) ? 500 : 400));
}

/* With all signals driven every row is modelled: no composite without parts. */
static void every_composite_has_parts(void **state)
{
	struct rig *rig = rig_new(0, true);

	(void)state;
	for (unsigned i = 0; i < rig->family->num_boxes; i++) {
		const struct uc_box *box = &rig->family->boxes[i];

		for (unsigned n = 0; n < box->num_events; n++) {
			const struct uc_event *e = &box->events[n];

			for (unsigned m = 0; m < e->num_unit_masks; m++)
				if (!e->unit_masks[m].excluded &&
				    !pmu_is_modelled(rig->pmu, e,
						     &e->unit_masks[m], 0))
					fail_msg("%s/%s.%s has no parts",
						 box->name, e->name,
						 e->unit_masks[m].name);
		}
	}
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_counts_each_of_its_signals),
		cmocka_unit_test(every_composite_has_parts),
	};

	int failed = cmocka_run_group_tests_name("xeon-e7", tests, NULL, NULL);

	rig_machine = "xeon-7500";
	failed += cmocka_run_group_tests_name("xeon-7500", tests, NULL, NULL);
	rig_machine = "xeon-e5-2600";
	return failed +
	       cmocka_run_group_tests_name("xeon-e5-2600", tests, NULL, NULL);
}
