/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the PMU of the Xeon E5-2600 does by its own rules: freeze and reset in
 * the control of each box, widths, halves of counters, filters. Every
 * number is counted by hand; addresses and bits are written as the guide
 * (327043-001) and Linux's driver have them, not looked up in the tables that
 * the model reads.
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
#define FRZ_EN (UINT64_C(1) << 16)
#define FRZ    (UINT64_C(1) << 8)
#define RST    (UINT64_C(1) << 17)

enum {
	C0_CTL = 0xd04,
	C0_CTL0 = 0xd10,
	C0_FILTER = 0xd14,
	C0_CTR0 = 0xd16,
	U_UCLK_CTL = 0xc08,
	U_UCLK_CTR = 0xc09,
	U_CTL0 = 0xc10,
	U_CTR0 = 0xc16,
};

static uint64_t pci(unsigned device, unsigned function, uint32_t offset)
{
	return uncore_address(UNCORE_SPACE_PCI, device << 3 | function, offset);
}

static uint64_t ha(uint32_t offset)
{
	return pci(0xe, 1, offset);
}

static uint64_t imc0(uint32_t offset)
{
	return pci(0x10, 0, offset);
}

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

static uint64_t get_part(struct rig *rig, uint64_t address)
{
	uint64_t value = 0;

	assert_int_equal(pmu_read_part(rig->pmu, address, &value), PMU_OK);
	return value;
}

static void put_part(struct rig *rig, uint64_t address, uint64_t value)
{
	assert_int_equal(pmu_write_part(rig->pmu, address, value), PMU_OK);
}

static void run(struct rig *rig, unsigned cycles)
{
	rig_run_until(rig, sim_now(rig->sim) + cycles);
}

/* One in the present cycle, which then is over. */
static void pulse(struct rig *rig, const char *box, const char *event,
		  const char *umask)
{
	sig_pulse(rig_bank(rig, box, 0), (unsigned)e5_signal(box, event, umask),
		  1);
	run(rig, 1);
}

static void set_level(struct rig *rig, const char *box, const char *event,
		      const char *umask, int64_t n)
{
	sig_set(rig_bank(rig, box, 0), (unsigned)e5_signal(box, event, umask),
		n);
}

/* CBo 0 counts on counter 0 RxR_INSERTS.IRQ, code 0x13, mask 0x01. */
static struct rig *rig_of_inserts(void)
{
	struct rig *rig = rig_new(0, true);

	put(rig, C0_CTL0, EN | 0x0113);
	return rig;
}

/* p. 17: a counter counts when it is enabled, unless its box is frozen; and
 * that it can only be when frz_en is set. */
static void frz_holds_a_box_once_frz_en_is_set(void **state)
{
	static const struct {
		uint64_t box, control, expected;
	} rows[] = {
		{ 0, EN, 1 },		 { FRZ_EN, EN, 1 }, { FRZ, EN, 1 },
		{ FRZ_EN | FRZ, EN, 0 }, { 0, 0, 0 },	    { FRZ_EN, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig *rig = rig_new(0, true);

		put(rig, C0_CTL, rows[i].box);
		put(rig, C0_CTL0, rows[i].control | 0x0113);
		pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
		assert_int_equal(get(rig, C0_CTR0), rows[i].expected);
		rig_free(rig);
	}
}

static void each_box_is_frozen_by_itself(void **state)
{
	struct rig *rig = rig_of_inserts();

	(void)state;
	put(rig, C0_CTL + 0x20, FRZ_EN | FRZ); /* CBo 1 */
	put(rig, ha(0xf4), FRZ_EN | FRZ);
	pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
	assert_int_equal(get(rig, C0_CTR0), 1);
	rig_free(rig);
}

/* p. 18: it counts as soon as it is enabled; UCLK has a control of its own. */
static void ubox_has_no_box_control(void **state)
{
	struct rig *rig = rig_new(0, true);

	(void)state;
	set_level(rig, "ubox", "FIXED_CTR", NULL, 1);
	run(rig, 5);
	put(rig, U_UCLK_CTL, EN);
	put(rig, U_CTL0, EN | 0x0844); /* LOCK_CYCLES has no masks */
	run(rig, 7);
	put(rig, U_UCLK_CTL, 0);
	run(rig, 3);
	assert_int_equal(get(rig, U_UCLK_CTR), 7);
	assert_int_equal(get(rig, U_CTR0), 0);
	rig_free(rig);
}

/* p. 19, 28, 46, 62; E316: 44 or 48 bits, by the counter and not by its box.
 * What is carried out is lost: there is no interrupt and no status. */
static void counters_wrap_at_their_own_width(void **state)
{
	const struct {
		const char *box, *event, *umask;
		uint64_t control, value, counter;
		unsigned width;
	} rows[] = {
		{ "cbo", "RxR_INSERTS", "IRQ", C0_CTL0, 0x0113, C0_CTR0, 44 },
		{ "ubox", "EVENT_MSG", "VLW_RCVD", U_CTL0, 0x0142, U_CTR0, 44 },
		{ "ubox", "FIXED_CTR", NULL, U_UCLK_CTL, 0, U_UCLK_CTR, 48 },
		{ "ha", "REQUESTS", "READS", ha(0xd8), 0x0301, ha(0xa0), 48 },
		{ "imc", "FIXED_CTR", NULL, imc0(0xf0), 0, imc0(0xd0), 48 },
		{ "r3qpi", "RxR_INSERTS", "HOM", pci(0x13, 5, 0xd8), 0x0111,
		  pci(0x13, 5, 0xa0), 44 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig *rig = rig_new(0, true);
		uint64_t top = (UINT64_C(1) << rows[i].width) - 1;

		put(rig, rows[i].counter, top);
		put(rig, rows[i].control, EN | rows[i].value);
		assert_int_equal(get(rig, rows[i].counter), top);
		if (rows[i].umask) {
			pulse(rig, rows[i].box, rows[i].event, rows[i].umask);
			pulse(rig, rows[i].box, rows[i].event, rows[i].umask);
		} else {
			set_level(rig, rows[i].box, rows[i].event, NULL, 1);
			run(rig, 2);
		}
		assert_int_equal(get(rig, rows[i].counter), 1);
		assert_int_equal(rig->num_pmis, 0);
		rig_free(rig);
	}
}

/* Two halves of 32 bits: a carry between reading the low one and the high one
 * shows as 2^32 too much, which is what a reader has to expect. */
static void halves_of_a_counter_are_read_one_by_one(void **state)
{
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, ha(0xd8), EN | 0x0301);
	put_part(rig, ha(0xa0), 0xffffffff);
	assert_int_equal(get(rig, ha(0xa0)), 0xffffffff);
	assert_int_equal(get_part(rig, ha(0xa0)), 0xffffffff);
	pulse(rig, "ha", "REQUESTS", "READS");
	assert_int_equal(get_part(rig, ha(0xa4)), 1);
	assert_int_equal(get_part(rig, ha(0xa0)), 0);
	put_part(rig, ha(0xa4), 0xbeef);
	assert_int_equal(get(rig, ha(0xa0)), UINT64_C(0xbeef) << 32);
	assert_int_equal(get_part(rig, ha(0xd8)), EN | 0x0301);
	put_part(rig, ha(0xd8), 0);
	pulse(rig, "ha", "REQUESTS", "READS");
	assert_int_equal(get_part(rig, ha(0xa0)), 0);
	assert_int_equal(pmu_read_part(rig->pmu, ha(0xf8), &(uint64_t){ 0 }),
			 PMU_GP);
	rig_free(rig);
}

/* p. 18, 27: as Linux does it, all at once before anything is programmed. What
 * can only be written reads as 0, so that a kernel which reads the control,
 * sets or clears frz and writes it back clears nothing. */
static void box_control_resets_once(void **state)
{
	struct rig *rig = rig_of_inserts();

	(void)state;
	pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
	put(rig, C0_FILTER, 5);
	put(rig, C0_CTL, FRZ_EN | 2); /* rst_ctrs */
	assert_int_equal(get(rig, C0_CTR0), 0);
	assert_int_equal(get(rig, C0_CTL0), EN | 0x0113);
	assert_int_equal(get(rig, C0_CTL), FRZ_EN);
	pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
	put(rig, C0_CTL, get(rig, C0_CTL) | FRZ);
	pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
	put(rig, C0_CTL, get(rig, C0_CTL) & ~FRZ);
	pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
	assert_int_equal(get(rig, C0_CTR0), 2);
	put(rig, C0_CTL, FRZ_EN | 1); /* rst_ctrl */
	pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
	assert_int_equal(get(rig, C0_CTR0), 2);
	assert_int_equal(get(rig, C0_CTL0), 0);
	assert_int_equal(get(rig, C0_FILTER), 5);
	rig_free(rig);
}

static void boxes_with_reset_bits_are_these(void **state)
{
	static const struct {
		const char *control, *counter;
		bool resets;
	} rows[] = {
		{ "C7_MSR_PMON_BOX_CTL", "C7_MSR_PMON_CTR3", true },
		{ "PCU_MSR_PMON_BOX_CTL", "PCU_MSR_PMON_CTR1", true },
		{ "Q_P1_PCI_PMON_BOX_CTL", "Q_P1_PCI_PMON_CTR0", true },
		{ "R2_PCI_PMON_BOX_CTL", "R2_PCI_PMON_CTR2", true },
		{ "R3_L1_PCI_PMON_BOX_CTL", "R3_L1_PCI_PMON_CTR2", true },
		{ "HA_PCI_PMON_BOX_CTL", "HA_PCI_PMON_CTR0", false },
		{ "MC_CH3_PCI_PMON_BOX_CTL", "MC_CH3_PCI_PMON_CTR0", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig *rig = rig_new(0, true);

		rig_write(rig, rows[i].counter, 17);
		assert_int_equal(rig_faults(rig, rows[i].control, FRZ_EN | 3),
				 !rows[i].resets);
		assert_int_equal(rig_read(rig, rows[i].counter),
				 rows[i].resets ? 0 : 17);
		rig_free(rig);
	}
}

/* p. 20, 28, 62: a counter's own reset, in its control; of the iMC only the
 * fixed counter has one. */
static void control_resets_its_counter(void **state)
{
	struct rig *rig = rig_of_inserts();

	(void)state;
	put(rig, C0_CTR0, 7);
	put(rig, C0_CTR0 + 1, 8);
	put(rig, C0_CTL0, RST | EN | 0x0113);
	assert_int_equal(get(rig, C0_CTL0), EN | 0x0113);
	pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
	assert_int_equal(get(rig, C0_CTR0), 1);
	assert_int_equal(get(rig, C0_CTR0 + 1), 8);
	assert_int_equal(pmu_write(rig->pmu, imc0(0xd8), RST), PMU_GP);
	put(rig, imc0(0xd0), 9);
	put(rig, imc0(0xf0), UINT64_C(1) << 19);
	assert_int_equal(get(rig, imc0(0xd0)), 0);
	assert_int_equal(get(rig, imc0(0xf0)), 0);
	rig_free(rig);
}

/* Filters: what a counter gains by one packet */

static uint64_t gain(struct rig *rig, const char *box, const char *event,
		     const char *umask, uint64_t counter,
		     const struct sig_header *header)
{
	uint64_t before = get(rig, counter);

	sig_packet(rig_bank(rig, box, 0),
		   (unsigned)e5_signal(box, event, umask), header);
	run(rig, 1);
	return get(rig, counter) - before;
}

/* p. 43; libpfm4's opcodes: 0x182 a data read, 0x180 one for ownership. */
static void cbo_filter_looks_at_opcode_and_node(void **state)
{
	static const struct sig_header read = { .core_opcode = 0x182,
						.home_node = 2 },
				       rfo = { .core_opcode = 0x180,
					       .home_node = 1 };
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, C0_FILTER, 0x182u << 23 | 0x04u << 10);
	put(rig, C0_CTL0, EN | 0x0135);
	assert_int_equal(gain(rig, "cbo", "TOR_INSERTS", "OPCODE", C0_CTR0,
			      &read),
			 1);
	assert_int_equal(gain(rig, "cbo", "TOR_INSERTS", "OPCODE", C0_CTR0,
			      &rfo),
			 0);
	put(rig, C0_CTL0, EN | 0x4835); /* NID_ALL: whatever the opcode */
	for (unsigned nodes = 0; nodes < 8; nodes++) {
		put(rig, C0_FILTER, nodes << 10);
		assert_int_equal(gain(rig, "cbo", "TOR_INSERTS", "NID_ALL",
				      C0_CTR0, &read),
				 nodes >> 2 & 1);
		assert_int_equal(gain(rig, "cbo", "TOR_INSERTS", "NID_ALL",
				      C0_CTR0, &rfo),
				 nodes >> 1 & 1);
	}
	rig_free(rig);
}

/* p. 35: a bit for each of I, S, E, M, F; with none nothing is counted. */
static void cbo_filter_looks_at_states(void **state)
{
	static const uint8_t states[] = { 0, 2, 4, 8, 1 }; /* in this order */
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, C0_CTL0, EN | 0x0334);
	for (unsigned bits = 0; bits < 32; bits++) {
		put(rig, C0_FILTER, bits << 18);
		for (unsigned i = 0; i < 5; i++) {
			struct sig_header header = { .state = states[i] };

			assert_int_equal(gain(rig, "cbo", "LLC_LOOKUP",
					      "DATA_READ", C0_CTR0, &header),
					 bits >> i & 1);
		}
	}
	rig_free(rig);
}

/* p. 28: of any event, where tid_en says so. */
static void cbo_filter_looks_at_the_thread_on_request(void **state)
{
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, C0_FILTER, 3 << 1 | 1); /* the second thread of core 3 */
	for (unsigned thread = 0; thread < 16; thread++) {
		struct sig_header header = { .thread = (uint8_t)thread };

		put(rig, C0_CTL0, EN | 0x0113);
		assert_int_equal(gain(rig, "cbo", "RxR_INSERTS", "IRQ", C0_CTR0,
				      &header),
				 1);
		put(rig, C0_CTL0, EN | UINT64_C(1) << 19 | 0x0113);
		assert_int_equal(gain(rig, "cbo", "RxR_INSERTS", "IRQ", C0_CTR0,
				      &header),
				 thread == 7);
	}
	rig_free(rig);
}

/* p. 48, 49: bits 45:12 of the address, the class in bits 5:4 and the opcode
 * below. 0x28 is Cmp, an NDR. */
static void ha_matches_address_and_opcode(void **state)
{
	const struct {
		uint64_t address;
		uint8_t message_class, opcode, expected;
	} rows[] = {
		{ 0x2345678e000, 2, 8, 1 }, { 0x2345678efff, 2, 8, 1 },
		{ 0x2345678f000, 2, 8, 0 }, { 0x1345678e000, 2, 8, 0 },
		{ 0x2345678e000, 1, 8, 0 }, { 0x2345678e000, 2, 9, 0 },
	};
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, ha(0x40), 0x5678efc0);
	put(rig, ha(0x44), 0x234);
	put(rig, ha(0x48), 0x28);
	put(rig, ha(0xd8), EN | 0x0320);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sig_header header = {
			.address = rows[i].address,
			.message_class = rows[i].message_class,
			.opcode = rows[i].opcode,
		};

		assert_int_equal(gain(rig, "ha", "ADDR_OPC_MATCH", "FILT",
				      ha(0xa0), &header),
				 rows[i].expected);
	}
	rig_free(rig);
}

/* p. 92; v2 guide p. 135: the requester's node id stands in two registers. A
 * packet is one event, however long. */
static void qpi_matches_packets(void **state)
{
	static const struct sig_header data = { .message_class = 14,
						.opcode = 0,
						.state = 8,
						.vn = 2,
						.flits = 9,
						.dest_node = 6,
						.requester_node = 0x13 };
	static const struct {
		uint32_t match0, mask0, match1, mask1;
		unsigned expected;
	} rows[] = {
		{ 0, 0, 0, 0, 1 },
		{ 0x1c00, 0x1f80, 0, 0, 1 },		 /* AnyDataC */
		{ 0x1c00, 0x1fe0, 0x80000, 0xf0000, 1 }, /* DataC_M */
		{ 0x1c00, 0x1fe0, 0x40000, 0xf0000, 0 }, /* DataC_E */
		{ 0x1c80, 0x1fe0, 0, 0, 0 },		 /* WbIData */
		{ 6 << 13, 0x1f << 13, 0, 0, 1 },
		{ 7 << 13, 0x1f << 13, 0, 0, 0 },
		{ 0x80000000, 0x80000000, 3, 0xf, 1 },
		{ 0, 0x80000000, 3, 0xf, 0 },
		{ 0x80000000, 0x80000000, 2, 0xf, 0 },
	};
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, pci(8, 2, 0xd8), EN | UINT64_C(1) << 21 | 0x38);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put(rig, pci(8, 6, 0x228), rows[i].match0);
		put(rig, pci(8, 6, 0x22c), rows[i].match1);
		put(rig, pci(8, 6, 0x238), rows[i].mask0);
		put(rig, pci(8, 6, 0x23c), rows[i].mask1);
		assert_int_equal(gain(rig, "qpi", "CTO_COUNT", NULL,
				      pci(8, 2, 0xa0), &data),
				 rows[i].expected);
	}
	rig_free(rig);
}

static int use_e5(void **state)
{
	(void)state;
	rig_family = e5_family();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frz_holds_a_box_once_frz_en_is_set),
		cmocka_unit_test(each_box_is_frozen_by_itself),
		cmocka_unit_test(ubox_has_no_box_control),
		cmocka_unit_test(counters_wrap_at_their_own_width),
		cmocka_unit_test(halves_of_a_counter_are_read_one_by_one),
		cmocka_unit_test(box_control_resets_once),
		cmocka_unit_test(boxes_with_reset_bits_are_these),
		cmocka_unit_test(control_resets_its_counter),
		cmocka_unit_test(cbo_filter_looks_at_opcode_and_node),
		cmocka_unit_test(cbo_filter_looks_at_states),
		cmocka_unit_test(cbo_filter_looks_at_the_thread_on_request),
		cmocka_unit_test(ha_matches_address_and_opcode),
		cmocka_unit_test(qpi_matches_packets),
	};

	return cmocka_run_group_tests(tests, use_e5, NULL);
}
