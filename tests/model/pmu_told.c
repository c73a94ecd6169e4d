/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * No silent zero: with every signal of a box stirred, a counter that stands
 * still has been complained about, and one that has been complained about
 * stands still. By each event code of the tables with each unit mask there can
 * be, whatever the tables say of it.
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
#include "uncore/model.h"

enum { NUM_MASKS = 256, MUCH = 1000, TEXT_BYTES = 240 };

static const struct uc_register *reg_of(const struct rig *rig, unsigned box,
					enum uc_role role)
{
	return uc_register_of(rig->family, box, 0, role, 0);
}

static void put_field(struct rig *rig, const struct uc_register *reg,
		      const char *name, uint64_t value)
{
	const struct uc_field *field =
		reg ? uc_field_find(reg->layout, name) : NULL;
	uint64_t old;

	if (!field)
		return;
	assert_int_equal(pmu_read(rig->pmu, reg->address, &old), PMU_OK);
	assert_int_equal(pmu_write(rig->pmu, reg->address,
				   uc_field_put(field, old, value)),
			 PMU_OK);
}

/* All that stands between a control and its counter, filters among it. */
static void open_box(struct rig *rig, unsigned box)
{
	const struct uc_register *global = reg_of(rig, box, UC_ROLE_GLOBAL_CTL);

	put_field(rig, global, "en", 1);
	put_field(rig, global, "ctr_en", 0xff);
	put_field(rig, reg_of(rig, box, ROLE_FILTER), "state", 0x1f);
	put_field(rig, reg_of(rig, box, ROLE_FILTER), "nid", 0xff);
	if (strcmp(rig->family->name, "xeon-e5-2600"))
		rig_set(rig, "U_MSR_PMON_GLOBAL_CTL", "en_all", 1);
}

static void stir(struct rig *rig, unsigned box)
{
	const struct uc_box *row = &rig->family->boxes[box];
	struct sigbank *bank = pmu_bank(rig->pmu, box, 0);
	const struct sig_header header = { .flits = 1 };
	uint64_t now = sim_now(rig->sim);

	for (unsigned i = 0; i < row->num_signals; i++)
		for (unsigned n = 0; n < row->signals[i].dim; n++) {
			unsigned id = row->signals[i].first + n;

			switch (row->signals[i].kind) {
			case UC_SIGNAL_LEVEL: sig_set(bank, id, MUCH); break;
			case UC_SIGNAL_SPAN:
				sig_span_packet(bank, id, now, now + 1, MUCH,
						&header);
				break;
			case UC_SIGNAL_PACKET:
				sig_packet(bank, id, &header);
				break;
			default: sig_pulse(bank, id, MUCH); break;
			}
		}
	rig_run_until(rig, now + 2);
	for (unsigned i = 0; i < row->num_signals; i++)
		for (unsigned n = 0; n < row->signals[i].dim; n++)
			if (row->signals[i].kind == UC_SIGNAL_LEVEL)
				sig_set(bank, row->signals[i].first + n, 0);
}

static void try(struct rig *rig, unsigned box, unsigned code, unsigned mask)
{
	const struct uc_register *control = reg_of(rig, box, UC_ROLE_CONTROL);
	const struct uc_register *counter = reg_of(rig, box, UC_ROLE_COUNTER);
	uint64_t before, after;
	unsigned told;

	assert_int_equal(pmu_write(rig->pmu, control->address, 0), PMU_OK);
	put_field(rig, control, "ev_sel", code);
	put_field(rig, control, "umask", mask);
	told = rig->num_complaints[PMU_SOFTWARE_BROKE_A_RULE];
	put_field(rig, control, "en", 1);
	told = rig->num_complaints[PMU_SOFTWARE_BROKE_A_RULE] - told;
	assert_int_equal(pmu_read(rig->pmu, counter->address, &before), 0);
	stir(rig, box);
	assert_int_equal(pmu_read(rig->pmu, counter->address, &after), 0);
	if ((before == after) != (told > 0))
		fail_msg("%s of %s: code 0x%x, unit mask 0x%x: counts %llu and "
			 "is told %u times",
			 control->name, rig->family->name, code, mask,
			 (unsigned long long)(after - before), told);
	assert_int_equal(rig->num_complaints[PMU_NOT_MODELLED], 0);
}

/* Other boxes choose events by more than a code and a unit mask. */
static bool is_plain(const struct rig *rig, unsigned box)
{
	const struct uc_register *control = reg_of(rig, box, UC_ROLE_CONTROL);

	return rig->family->boxes[box].num_ports < 2 && control &&
	       uc_field_find(control->layout, "ev_sel") &&
	       uc_field_find(control->layout, "umask");
}

static void each_mask_counts_or_is_told(void **state)
{
	struct rig *rig = rig_new(0, false);
	unsigned num_boxes = 0;

	(void)state;
	for (unsigned box = 0; box < rig->family->num_boxes; box++) {
		const struct uc_box *row = &rig->family->boxes[box];
		uint64_t seen[4] = { 0 };

		if (!is_plain(rig, box))
			continue;
		num_boxes++;
		open_box(rig, box);
		for (unsigned i = 0; i < row->num_events; i++) {
			unsigned code = row->events[i].code & 0xff;

			if (seen[code / 64] >> code % 64 & 1)
				continue;
			seen[code / 64] |= UINT64_C(1) << code % 64;
			for (unsigned mask = 0; mask < NUM_MASKS; mask++)
				try(rig, box, code, mask);
		}
	}
	assert_true(num_boxes > 1);
	rig_free(rig);
}

static void keep(void *context, const char *text)
{
	char *kept = context;

	snprintf(kept, TEXT_BYTES, "%s", text);
}

/* A part with two cores has two slices; the family goes up to more. */
static void a_box_that_is_not_there_is_named(void **state)
{
	bool is_ep = !strcmp(rig_machine, "xeon-e5-2600");
	char told[TEXT_BYTES] = "", *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(rig_machine, &error);
	struct uncore_model *model;

	(void)state;
	assert_non_null(config);
	assert_int_equal(uncore_model_config_set(config, "cores=2", &error), 0);
	uncore_model_config_log(config, keep, told);
	model = uncore_model_new(config, &error);
	assert_non_null(model);
	/* Slice 5: LLC_VICTIMS.M_STATE; LLC_MISSES.ALL of its own control, and
	 * all that it hangs on. */
	if (is_ep) {
		assert_int_equal(uncore_model_write(model, 0, 0xdb0, 0x400137),
				 0);
	} else {
		assert_int_equal(uncore_model_write(model, 0, 0xc00, 1 << 28),
				 0);
		assert_int_equal(uncore_model_write(model, 0, 0xda0, 1), 0);
		assert_int_equal(uncore_model_write(model, 0, 0xdb0, 0x400714),
				 0);
	}
	assert_non_null(strstr(told, is_ep ? "cbo 5" : "cbox 5"));
	assert_non_null(strstr(told, "lacks"));
	uncore_model_free(model);
	uncore_model_config_free(config);
}

int main(void)
{
	static const char *const machines[] = { "xeon-e7", "xeon-7500",
						"xeon-e5-2600" };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mask_counts_or_is_told),
		cmocka_unit_test(a_box_that_is_not_there_is_named),
	};
	int failed = 0;

	for (unsigned i = 0; i < 3; i++) {
		rig_machine = machines[i];
		failed += cmocka_run_group_tests_name(machines[i], tests, NULL,
						      NULL);
	}
	return failed;
}
