/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Overflow, freeze and PMI of the Xeon E5 v2 and v3, by hand: addresses and
 * bits are those of guide 329468-002 (p. 15 to 23, 56, 79) and of LIKWID, not
 * looked up in the tables that the model reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmu_e5_family.h"
#include "pmu_rig.h"
#include "uncore/address.h"

#define EN     (UINT64_C(1) << 22)
#define OV_EN  (UINT64_C(1) << 20)
#define HOLD   (UINT64_C(1) << 31)
#define GO     (UINT64_C(1) << 29)
#define TOP_44 ((UINT64_C(1) << 44) - 1)
#define TOP_48 ((UINT64_C(1) << 48) - 1)

enum { DELAY = 5, CORE_2 = 4, C0_CTL0 = 0xd10, C0_CTR0 = 0xd16 };

#define PCI(device, function, offset)                                          \
	((uint64_t)UNCORE_SPACE_PCI << 60 |                                    \
	 (uint64_t)((device) << 3 | (function)) << 32 | (offset))

static void put(struct rig *rig, uint64_t address, uint64_t value)
{
	if (pmu_write(rig->pmu, address, value))
		fail_msg("#GP on 0x%llx", (unsigned long long)address);
}

static uint64_t get(struct rig *rig, uint64_t address)
{
	uint64_t value = 0;

	if (pmu_read(rig->pmu, address, &value))
		fail_msg("#GP on 0x%llx", (unsigned long long)address);
	return value;
}

static void run(struct rig *rig, unsigned cycles)
{
	sim_run_until(rig->sim, sim_now(rig->sim) + cycles);
}

static struct rig *rig_of(const char *family)
{
	rig_family = e5_family_of(family);
	return rig_new(DELAY, true);
}

/* A level of 1 for ever, or from a pulse on one event, in the present cycle. */
static void happens(struct rig *rig, const char *box, unsigned instance,
		    const char *event, const char *umask, bool is_level)
{
	struct sigbank *bank = rig_bank(rig, box, instance);
	int signal = e5_signal_of(rig->family, box, event, umask);

	if (signal < 0)
		fail_msg("%s has no %s", box, event);
	if (is_level)
		sig_set(bank, (unsigned)signal, 1);
	else
		sig_pulse(bank, (unsigned)signal, 1);
}

static void insert(struct rig *rig, unsigned instance)
{
	happens(rig, "cbo", instance, "RxR_INSERTS", "IRQ", false);
}

static void read_home(struct rig *rig)
{
	happens(rig, "ha", 0, "REQUESTS", "READS", false);
}

/* HA 0 counts REQUESTS.READS (code 1, mask 3) on counter 0, and is `left`
 * events from its end. */
static void arm_home(struct rig *rig, uint64_t left)
{
	put(rig, PCI(0xe, 1, 0xa0), TOP_48 + 1 - left);
	put(rig, PCI(0xe, 1, 0xd8), EN | OV_EN | 0x301);
}

/* p. 15, 18: the carry of cycle 0 is seen in cycle 1, from which on the box
 * does not count any more; the message is at the U-Box in cycle 6, from which
 * on nobody counts. */
static void the_box_is_frozen_first(void **state)
{
	struct rig *rig = rig_of("xeon-e5-v2");

	(void)state;
	put(rig, 0xc00, CORE_2);
	put(rig, C0_CTL0, EN | 0x113);
	arm_home(rig, 1);
	for (unsigned cycle = 0; cycle < 9; cycle++) {
		read_home(rig);
		insert(rig, 0);
		run(rig, 1);
		assert_int_equal(get(rig, PCI(0xe, 1, 0xf8)), 1);
		assert_int_equal(get(rig, 0xc01),
				 cycle < 6 ? 0 : UINT64_C(1) << 18);
		assert_int_equal(rig->num_pmis, cycle >= 6);
	}
	assert_int_equal(get(rig, PCI(0xe, 1, 0xa0)), 0);
	assert_int_equal(get(rig, C0_CTR0), 6);
	assert_int_equal(rig->last_core, 2);
	assert_int_equal(rig->last_pmi_cycle, 6);
	rig_free(rig);
}

/* p. 15: with no core chosen nobody is interrupted; all the same it freezes. */
static void a_freeze_needs_no_interrupt(void **state)
{
	struct rig *rig = rig_of("xeon-e5-v2");

	(void)state;
	put(rig, 0xc00, 0);
	arm_home(rig, 1);
	put(rig, C0_CTL0, EN | 0x113);
	read_home(rig);
	run(rig, 10);
	insert(rig, 0);
	run(rig, 1);
	assert_int_equal(get(rig, C0_CTR0), 0);
	assert_int_equal(rig->num_pmis, 0);
	rig_free(rig);
}

/* p. 15, 22: without ov_en nobody is told, and nothing stops. */
static void an_overflow_is_told_on_request(void **state)
{
	struct rig *rig = rig_of("xeon-e5-v2");

	(void)state;
	put(rig, 0xc00, CORE_2);
	arm_home(rig, 1);
	put(rig, PCI(0xe, 1, 0xd8), EN | 0x301);
	for (unsigned cycle = 0; cycle < 9; cycle++) {
		read_home(rig);
		run(rig, 1);
	}
	assert_int_equal(get(rig, PCI(0xe, 1, 0xa0)), 8);
	assert_int_equal(get(rig, PCI(0xe, 1, 0xf8)), 0);
	assert_int_equal(get(rig, 0xc01), 0);
	assert_int_equal(rig->num_pmis, 0);
	rig_free(rig);
}

/* p. 18, 21: a new freeze takes that both bits were cleared. */
static void what_is_not_cleared_freezes_no_more(void **state)
{
	static const struct {
		uint64_t local, global;
		unsigned num_pmis;
	} rows[] = {
		{ 0, 0, 1 },
		{ 1, 0, 1 },
		{ 0, UINT64_C(1) << 18, 1 },
		{ 1, UINT64_C(1) << 18, 2 },
		{ 1, UINT64_C(1) << 19, 1 }, /* that of HA 1 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig *rig = rig_of("xeon-e5-v2");

		put(rig, 0xc00, CORE_2);
		arm_home(rig, 1);
		read_home(rig);
		run(rig, 10);
		put(rig, PCI(0xe, 1, 0xf8), rows[i].local);
		put(rig, 0xc01, rows[i].global);
		put(rig, PCI(0xe, 1, 0xa0), TOP_48);
		put(rig, 0xc00, GO | CORE_2);
		read_home(rig);
		run(rig, 10);
		read_home(rig);
		run(rig, 1);
		assert_int_equal(rig->num_pmis, rows[i].num_pmis);
		assert_int_equal(get(rig, PCI(0xe, 1, 0xa0)),
				 2 - rows[i].num_pmis);
		rig_free(rig);
	}
}

/* p. 19: both bits of one write; the U-Box is among those that stop. Those of
 * the Xeon Scalable lie higher by 32 (E453). */
static void software_freezes_and_unfreezes(void **state)
{
	static const char *const families[] = { "xeon-e5-v3",
						"xeon-scalable-1" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct rig *rig = rig_of(families[i]);

		happens(rig, "ubox", 0, "FIXED_CTR", NULL, true);
		put(rig, 0x703, EN);
		run(rig, 3);
		put(rig, 0x700, HOLD << 32 * i);
		run(rig, 4);
		put(rig, 0x700, 1); /* neither of them */
		run(rig, 4);
		put(rig, 0x700, GO << 32 * i);
		run(rig, 2);
		assert_int_equal(get(rig, 0x704), 5);
		assert_int_equal(get(rig, 0x700), 0);
		rig_free(rig);
	}
}

/* Where each box tells: the bit of its own status (none: no such register, or
 * no bit for this counter), and that of the global one. */
static void each_box_tells_of_itself(void **state)
{
	static const struct {
		const char *family, *box;
		unsigned instance;
		const char *event, *umask;
		uint64_t control, value, counter, top, status;
		unsigned local, global;
	} rows[] = {
		{ "xeon-e5-v2", "cbo", 0, "RxR_INSERTS", "IRQ", 0xd10, 0x113,
		  0xd16, TOP_44, 0, 0, 3 },
		{ "xeon-e5-v2", "cbo", 14, "RxR_INSERTS", "IRQ", 0xed0, 0x113,
		  0xed6, TOP_44, 0, 0, 17 },
		{ "xeon-e5-v2", "ubox", 0, "EVENT_MSG", "DOORBELL_RCVD", 0xc11,
		  0x842, 0xc17, TOP_44, 0xc15, 2, 1 },
		{ "xeon-e5-v2", "ubox", 0, "FIXED_CTR", NULL, 0xc08, 0, 0xc09,
		  TOP_48, 0xc15, 0, 0 },
		{ "xeon-e5-v2", "pcu", 0, "CLOCKTICKS", NULL, 0xc33, 0, 0xc39,
		  TOP_48, 0xc35, 8, 2 },
		{ "xeon-e5-v2", "ha", 1, "REQUESTS", "READS",
		  PCI(0x1c, 1, 0xdc), 0x301, PCI(0x1c, 1, 0xa8), TOP_48,
		  PCI(0x1c, 1, 0xf8), 2, 19 },
		{ "xeon-e5-v2", "imc", 3, "FIXED_CTR", NULL, PCI(0x10, 1, 0xf0),
		  0, PCI(0x10, 1, 0xd0), TOP_48, PCI(0x10, 1, 0xf8), 1, 20 },
		{ "xeon-e5-v2", "imc", 4, "CAS_COUNT", "WR_WMM",
		  PCI(0x1e, 4, 0xd8), 0x404, PCI(0x1e, 4, 0xa0), TOP_48,
		  PCI(0x1e, 4, 0xf8), 2, 21 },
		{ "xeon-e5-v2", "r2pcie", 0, "CLOCKTICKS", NULL,
		  PCI(0x13, 1, 0xe4), 1, PCI(0x13, 1, 0xb8), TOP_44,
		  PCI(0x13, 1, 0xf8), 8, 26 },
		{ "xeon-e5-v3", "cbo", 17, "RxR_INSERTS", "IRQ", 0xf14, 0x113,
		  0xf1b, TOP_48, 0xf17, 8, 20 },
		{ "xeon-e5-v3", "sbo", 2, "CLOCKTICKS", NULL, 0x735, 0, 0x73a,
		  TOP_48, 0x739, 1, 32 },
		{ "xeon-e5-v3", "ubox", 0, "FIXED_CTR", NULL, 0x703, 0, 0x704,
		  TOP_48, 0x708, 0, 0 },
		{ "xeon-e5-v3", "pcu", 0, "CLOCKTICKS", NULL, 0x711, 0, 0x717,
		  TOP_48, 0x716, 1, 2 },
		{ "xeon-e5-v3", "ha", 0, "REQUESTS", "READS",
		  PCI(0x12, 1, 0xd8), 0x301, PCI(0x12, 1, 0xa0), TOP_48,
		  PCI(0x12, 1, 0xf8), 1, 21 },
		{ "xeon-e5-v3", "imc", 5, "FIXED_CTR", NULL, PCI(0x17, 1, 0xf0),
		  0, PCI(0x17, 1, 0xd0), TOP_48, PCI(0x17, 1, 0xf8), 1, 24 },
		{ "xeon-e5-v3", "qpi", 1, "CLOCKTICKS", NULL, PCI(9, 2, 0xd8),
		  0x14, PCI(9, 2, 0xa0), TOP_48, PCI(9, 2, 0xf8), 1, 26 },
		{ "xeon-e5-v3", "r3qpi", 0, "CLOCKTICKS", NULL,
		  PCI(0xb, 1, 0xe0), 1, PCI(0xb, 1, 0xb0), TOP_44,
		  PCI(0xb, 1, 0xf8), 4, 27 },
		{ "xeon-e5-v3", "irp", 0, "CLOCKTICKS", NULL, PCI(5, 6, 0xd8),
		  0, PCI(5, 6, 0xa0), TOP_48, PCI(5, 6, 0xf8), 1, 34 },
		{ "xeon-scalable-1", "cha", 27, "CLOCKTICKS", NULL, 0xfb1, 0,
		  0xfb8, TOP_48, 0xfb7, 1, 30 },
		{ "xeon-scalable-1", "ubox", 0, "FIXED_CTR", NULL, 0x703, 0,
		  0x704, TOP_48, 0x708, 0, 0 },
		{ "xeon-scalable-1", "pcu", 0, "CLOCKTICKS", NULL, 0x711, 0,
		  0x717, TOP_48, 0x716, 1, 2 },
		{ "xeon-scalable-1", "iio", 4, "CLOCKTICKS", NULL, 0xaca, 1,
		  0xac3, TOP_48, 0xac7, 4, 60 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig *rig = rig_of(rows[i].family);
		uint64_t top = rows[i].family[9] == '2' ? 0xc01 : 0x701;

		put(rig, rows[i].counter, rows[i].top);
		put(rig, rows[i].control, EN | OV_EN | rows[i].value);
		happens(rig, rows[i].box, rows[i].instance, rows[i].event,
			rows[i].umask, !rows[i].umask);
		run(rig, 20);
		assert_int_equal(get(rig, rows[i].counter), 0);
		if (get(rig, top) != UINT64_C(1) << rows[i].global)
			fail_msg("row %zu: 0x%llx in the global status", i,
				 (unsigned long long)get(rig, top));
		if (rows[i].status)
			assert_int_equal(get(rig, rows[i].status),
					 rows[i].local);
		rig_free(rig);
	}
}

/* Two boxes whose messages are on their way at once: both interrupt. Two
 * channels of one controller share a bit, so the second one says nothing
 * new. */
static void messages_meet(void **state)
{
	static const unsigned channels[] = { 4, 1 };
	static const uint64_t pages[] = { PCI(0x1e, 4, 0), PCI(0x10, 5, 0) };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct rig *rig = rig_of("xeon-e5-v2");

		put(rig, 0xc00, CORE_2);
		put(rig, PCI(0x10, 4, 0xd0), TOP_48);
		put(rig, PCI(0x10, 4, 0xf0), EN | OV_EN);
		put(rig, pages[i] + 0xd0, TOP_48 - 2);
		put(rig, pages[i] + 0xf0, EN | OV_EN);
		happens(rig, "imc", 0, "FIXED_CTR", NULL, true);
		happens(rig, "imc", channels[i], "FIXED_CTR", NULL, true);
		run(rig, 20);
		assert_int_equal(rig->num_pmis, 2 - i);
		assert_int_equal(get(rig, 0xc01), i ? 1 << 20 : 3 << 20);
		assert_int_equal(get(rig, pages[i] + 0xd0), 0);
		assert_int_equal(get(rig, pages[i] + 0xf8), 1);
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_box_is_frozen_first),
		cmocka_unit_test(a_freeze_needs_no_interrupt),
		cmocka_unit_test(an_overflow_is_told_on_request),
		cmocka_unit_test(what_is_not_cleared_freezes_no_more),
		cmocka_unit_test(software_freezes_and_unfreezes),
		cmocka_unit_test(each_box_tells_of_itself),
		cmocka_unit_test(messages_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
