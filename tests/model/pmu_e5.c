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
#include "signals.h"
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
		{ 0, EN, 1 },	{ FRZ_EN, EN, 1 },
		{ FRZ, EN, 1 }, { FRZ_EN | FRZ, EN, 0 },
		{ 0, 0, 0 },	{ FRZ_EN, 0, 0 },
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

static void insert(struct rig *rig)
{
	sig_pulse(rig_bank(rig, "cbo", 0), SIG_CBO_RXR_INSERTS_IRQ, 1);
	run(rig, 1);
}

/* The guide of the v2 (329468-002), p. 19: 0xC00 holds all boxes (bit 31) and
 * lets them go on (bit 29), the U-Box among them; both read 0. */
static void the_v2_holds_all_boxes_at_once(void **state)
{
	const struct uc_family *before = rig_family;
	struct rig *rig;

	(void)state;
	rig_family = uc_family_find("xeon-e5-v2");
	rig = rig_of_inserts();
	put(rig, U_UCLK_CTL, EN);
	sig_set(rig_bank(rig, "ubox", 0), SIG_UBOX_EP_CLOCKTICKS, 1);
	insert(rig);
	put(rig, 0xc00, UINT64_C(1) << 31 | 3);
	assert_int_equal(get(rig, 0xc00), 3);
	insert(rig);
	assert_int_equal(get(rig, C0_CTR0), 1);
	assert_int_equal(get(rig, U_UCLK_CTR), 1);
	put(rig, 0xc00, UINT64_C(1) << 29);
	insert(rig);
	assert_int_equal(get(rig, C0_CTR0), 2);
	assert_int_equal(get(rig, U_UCLK_CTR), 2);
	assert_int_equal(get(rig, 0xc01), 0);
	rig_free(rig);
	rig_family = before;
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
	assert_int_equal(
		gain(rig, "cbo", "TOR_INSERTS", "OPCODE", C0_CTR0, &read), 1);
	assert_int_equal(
		gain(rig, "cbo", "TOR_INSERTS", "OPCODE", C0_CTR0, &rfo), 0);
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

/* Levels that filters look at: entries of the TOR, from a cycle to another */

static void tor(struct rig *rig, const char *umask, uint64_t from, uint64_t to,
		unsigned opcode, unsigned node)
{
	const struct sig_header header = {
		.core_opcode = (uint16_t)opcode,
		.home_node = (uint8_t)node,
	};

	sig_span_packet(rig_bank(rig, "cbo", 0),
			(unsigned)e5_signal("cbo", "TOR_OCCUPANCY", umask),
			from, to, 1, &header);
}

/* Of [10, 30) and [25, 45) with the opcode that counts, what is before t. */
static uint64_t reads_before(uint64_t t)
{
	uint64_t first = t < 10 ? 0 : t < 30 ? t - 10 : 20;
	uint64_t second = t < 25 ? 0 : t < 45 ? t - 25 : 20;

	return first + second;
}

/* Read in each cycle: by its sum, and in order for a threshold of 2, which
 * holds from 25 to 30. */
static void tor_occupancy_by_opcode_is_exact_in_each_cycle(void **state)
{
	(void)state;
	for (unsigned thresh = 0; thresh < 3; thresh += 2) {
		struct rig *rig = rig_new(0, true);

		put(rig, C0_FILTER, 0x182u << 23);
		put(rig, C0_CTL0, EN | thresh << 24 | 0x0136);
		tor(rig, "OPCODE", 10, 30, 0x182, 0);
		tor(rig, "OPCODE", 12, 50, 0x180, 0);
		tor(rig, "OPCODE", 25, 45, 0x182, 1);
		for (uint64_t t = 0; t < 60; t++) {
			uint64_t both = t < 25 ? 0 : t < 30 ? t - 25 : 5;

			rig_run_until(rig, t);
			assert_int_equal(get(rig, C0_CTR0),
					 thresh ? both : reads_before(t));
		}
		rig_free(rig);
	}
}

/* Whoever begins to listen in the middle counts what is left; a filter that is
 * changed counts others from then on. */
static void tor_occupancy_counts_from_when_it_is_chosen(void **state)
{
	(void)state;
	for (unsigned thresh = 0; thresh < 2; thresh++) {
		struct rig *rig = rig_new(0, true);

		put(rig, C0_FILTER, 0x182u << 23 | 2 << 10);
		tor(rig, "NID_OPCODE", 10, 30, 0x182, 1);
		tor(rig, "NID_OPCODE", 12, 33, 0x180, 1);
		tor(rig, "NID_OPCODE", 12, 34, 0x182, 2);
		rig_run_until(rig, 20);
		put(rig, C0_CTL0, EN | thresh << 24 | 0x4136);
		rig_run_until(rig, 26);
		put(rig, C0_FILTER, 0x180u << 23 | 2 << 10);
		rig_run_until(rig, 40);
		assert_int_equal(get(rig, C0_CTR0), 6 + 7);
		rig_free(rig);
	}
}

/* Without a filter the same entries count whatever they carry. */
static void tor_occupancy_of_all_needs_no_header(void **state)
{
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, C0_CTL0, EN | 0x0836);
	tor(rig, "ALL", 10, 30, 0x182, 0);
	tor(rig, "ALL", 12, 50, 0x180, 0);
	rig_run_until(rig, 60);
	assert_int_equal(get(rig, C0_CTR0), 20 + 38);
	put(rig, C0_FILTER, 5);
	put(rig, C0_CTL0, EN | UINT64_C(1) << 19 | 0x0836);
	tor(rig, "ALL", 60, 70, 0x182, 0); /* of thread 0 */
	rig_run_until(rig, 80);
	assert_int_equal(get(rig, C0_CTR0), 20 + 38);
	rig_free(rig);
}

/* Clocks. The memory's makes 2 cycles in 5 of the uncore's, so its cycle d
 * begins in the first cycle t with 2 * t >= 5 * d. */

static uint64_t dclk(uint64_t t)
{
	return t * 2 / 5;
}

static uint64_t begins(uint64_t d)
{
	return (5 * d + 1) / 2;
}

static struct rig *rig_with_dclk(void)
{
	rig_clocks[CLOCK_DCLK] = (struct pmu_clock){ 2, 5 };
	return rig_new(0, true);
}

static uint64_t ctr(unsigned n)
{
	return imc0(0xa0 + 8 * n);
}

static void imc_control(struct rig *rig, unsigned n, uint64_t value)
{
	put(rig, imc0(0xd8 + 4 * n), EN | value);
}

/* Whenever they are started and read: 1 for ever, in cycles of the box. */
static void ticks_are_of_the_boxs_own_clock(void **state)
{
	(void)state;
	for (uint64_t start = 0; start < 11; start++) {
		struct rig *rig = rig_with_dclk();

		set_level(rig, "imc", "CLOCKTICKS", NULL, 1);
		set_level(rig, "imc", "FIXED_CTR", NULL, 1);
		rig_run_until(rig, start);
		imc_control(rig, 0, 0);
		imc_control(rig, 1, 1u << 24); /* thresh 1: in order */
		put(rig, imc0(0xf0), EN);
		for (uint64_t t = start; t < 40; t++) {
			uint64_t ticks = dclk(t) - dclk(start);

			rig_run_until(rig, t);
			assert_int_equal(get(rig, ctr(0)), ticks);
			assert_int_equal(get(rig, ctr(1)), ticks);
			assert_int_equal(get(rig, imc0(0xd0)), ticks);
		}
		rig_free(rig);
	}
}

/* Little's law in cycles of the memory: a read that stays in its queue from
 * cycle a to b of it is counted b - a times, and once when it comes; at any
 * moment what is before it. Counters 0 and 2 take sums, 1 and 3 want order. */
static void queues_of_the_memory_are_exact_at_any_moment(void **state)
{
	static const unsigned reads[][2] = {
		{ 3, 4 }, { 4, 9 }, { 4, 17 }, { 11, 12 }, { 12, 12 },
	};
	enum { NUM_READS = sizeof(reads) / sizeof(*reads) };
	struct rig *rig = rig_with_dclk();
	struct sigbank *bank = rig_bank(rig, "imc", 0);
	int level = e5_signal("imc", "RPQ_OCCUPANCY", NULL);
	int inserts = e5_signal("imc", "RPQ_INSERTS", NULL);

	(void)state;
	imc_control(rig, 0, 0x80);
	imc_control(rig, 1, 1u << 24 | 0x80);
	imc_control(rig, 2, 0x10);
	imc_control(rig, 3, 2u << 24 | 0x10);
	for (unsigned i = 0; i < NUM_READS; i++) {
		sig_span(bank, (unsigned)level, begins(reads[i][0]),
			 begins(reads[i][1]), 1);
		sig_later(bank, (unsigned)inserts, begins(reads[i][0]), 1);
	}
	for (uint64_t t = 0; t < 60; t++) {
		uint64_t sum = 0, any = 0, num = 0, twice = 0;

		for (uint64_t d = 0; d < dclk(t); d++) {
			unsigned in = 0, comes = 0;

			for (unsigned i = 0; i < NUM_READS; i++) {
				in += reads[i][0] <= d && d < reads[i][1];
				comes += reads[i][0] == d;
			}
			sum += in;
			any += in > 0;
			num += comes;
			twice += comes > 1;
		}
		rig_run_until(rig, t);
		assert_int_equal(get(rig, ctr(0)), sum);
		assert_int_equal(get(rig, ctr(1)), any);
		assert_int_equal(get(rig, ctr(2)), num);
		assert_int_equal(get(rig, ctr(3)), twice);
	}
	rig_free(rig);
}

/* What happens in the present cycle, and what repeats in cycles of the uncore:
 * it counts when the memory's cycle that it is in is over. */
static void what_happens_now_is_in_the_boxs_present_cycle(void **state)
{
	struct rig *rig = rig_with_dclk();
	struct sigbank *bank = rig_bank(rig, "imc", 0);
	int inserts = e5_signal("imc", "RPQ_INSERTS", NULL);

	(void)state;
	imc_control(rig, 0, 0x10);
	imc_control(rig, 1, 1u << 24 | 0x10);
	for (uint64_t t = 0; t < 30; t++) {
		rig_run_until(rig, t);
		assert_int_equal(get(rig, ctr(0)), begins(dclk(t)));
		assert_int_equal(get(rig, ctr(1)), dclk(t));
		sig_pulse(bank, (unsigned)inserts, 1);
	}
	rig_run_until(rig, 30); /* its cycle 12 begins */
	put(rig, ctr(0), 0);
	put(rig, ctr(1), 0);
	for (unsigned i = 0; i < 20; i++)
		sig_later(bank, (unsigned)inserts, 30 + 3 * i, 1);
	for (uint64_t t = 30; t < 110; t++) {
		uint64_t num = 0, cycles = 0, last = 0;

		for (uint64_t i = 0; i < 20; i++) {
			uint64_t d = dclk(30 + 3 * i);

			if (d >= dclk(t))
				continue;
			num++;
			cycles += d != last;
			last = d;
		}
		rig_run_until(rig, t);
		assert_int_equal(get(rig, ctr(0)), num);
		assert_int_equal(get(rig, ctr(1)), cycles);
	}
	rig_free(rig);
}

/* PCU */

enum {
	P_CTL0 = 0xc30,
	P_FILTER = 0xc34,
	P_CTR0 = 0xc36,
	C3_RESIDENCY = 0x3fc,
	C6_RESIDENCY = 0x3fd
};

/* Cycle by cycle: cores in C0, whether the voltage changes, and the frequency
 * in units of 100 MHz. */
static const struct {
	unsigned cores, voltage, frequency;
} pcu_cycles[] = {
	{ 3, 0, 19 }, { 5, 0, 20 }, { 5, 1, 20 }, { 6, 1, 21 }, { 4, 1, 12 },
	{ 4, 0, 20 }, { 5, 0, 19 }, { 3, 1, 19 }, { 2, 0, 26 }, { 0, 0, 12 },
};

enum { NUM_PCU_CYCLES = sizeof(pcu_cycles) / sizeof(*pcu_cycles) };

static uint64_t pcu_counts(uint64_t control, unsigned band0)
{
	struct rig *rig = rig_new(0, true);
	uint64_t count;

	put(rig, P_FILTER, band0);
	put(rig, P_CTL0, EN | control);
	for (unsigned i = 0; i < NUM_PCU_CYCLES; i++) {
		set_level(rig, "pcu", "POWER_STATE_OCCUPANCY", "CORES_C0",
			  pcu_cycles[i].cores);
		set_level(rig, "pcu", "POWER_STATE_OCCUPANCY", "CORES_C3", 1);
		set_level(rig, "pcu", "VOLT_TRANS_CYCLES_CHANGE", NULL,
			  pcu_cycles[i].voltage);
		set_level(rig, "pcu", "FREQ_BAND0_CYCLES", NULL,
			  pcu_cycles[i].frequency);
		run(rig, 1);
	}
	count = get(rig, P_CTR0);
	rig_free(rig);
	return count;
}

#define OCC	  0x80u
#define IN_C0	  (1u << 14)
#define IN_C3	  (2u << 14)
#define INVERT	  (1u << 23)
#define EDGE	  (1u << 18)
#define O_INV	  (1u << 30)
#define O_EDGE	  (1u << 31)
#define THRESH(n) ((n) << 24)

/* Table 2-80, its six cases, then what else the fields say; counted from the
 * table of cycles above. */
static void pcu_compares_occupancies(void **state)
{
	static const struct {
		uint64_t control;
		unsigned band0, expected;
	} rows[] = {
		{ 0x03, 0, 4 },
		{ OCC | IN_C0, 0, 37 },
		{ OCC | IN_C0 | THRESH(5u), 0, 4 },
		{ OCC | IN_C0 | THRESH(5u) | O_EDGE, 0, 2 },
		{ 0x03 | OCC | IN_C0 | THRESH(5u), 0, 2 },
		{ 0x0b | OCC | IN_C0 | THRESH(4u) | INVERT | O_INV, 20, 3 },

		{ OCC | IN_C3, 0, 10 },
		{ OCC | IN_C0 | THRESH(5u) | O_INV, 0, 6 },
		/* 0 to 1 of the comparison turned round */
		{ OCC | IN_C0 | THRESH(5u) | O_INV | O_EDGE, 0, 2 },
		/* without a threshold: while there is any core */
		{ 0x03 | OCC | IN_C0, 0, 4 },
		{ 0x0b | OCC | IN_C0, 12, 9 },
		/* the event's own edges, while it holds */
		{ 0x03 | OCC | IN_C0 | THRESH(5u) | EDGE, 0, 1 },
		/* bit 7 clear: the threshold is the event's again */
		{ 0x03 | IN_C0 | THRESH(1u) | INVERT, 0, 6 },
		{ 0x03 | IN_C0 | THRESH(1u) | EDGE, 0, 2 },
		{ 0x03 | O_INV | O_EDGE, 0, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t is = pcu_counts(rows[i].control, rows[i].band0);

		if (is != rows[i].expected)
			fail_msg("0x%llx counts %llu, not %u",
				 (unsigned long long)rows[i].control,
				 (unsigned long long)is, rows[i].expected);
	}
}

/* p. 76, 82: at the band or above; four bands of a byte each. */
static void pcu_bands_are_compared_with_the_frequency(void **state)
{
	(void)state;
	for (unsigned band = 0; band < 30; band++) {
		unsigned expected = 0, thrice = 0;

		for (unsigned i = 0; i < NUM_PCU_CYCLES; i++) {
			bool is = pcu_cycles[i].frequency >= band;

			expected += is;
			thrice += !is;
		}
		assert_int_equal(pcu_counts(0x0b, band), expected);
		assert_int_equal(pcu_counts(0x0b, band | 0xffffff00), expected);
		assert_int_equal(pcu_counts(0x0b | THRESH(1u) | INVERT, band),
				 thrice);
	}
}

static void pcu_band_n_is_byte_n_of_the_filter(void **state)
{
	static const char *const events[] = { "FREQ_BAND0_CYCLES",
					      "FREQ_BAND1_CYCLES",
					      "FREQ_BAND2_CYCLES",
					      "FREQ_BAND3_CYCLES" };
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, P_FILTER, 0x1b1a1914); /* 2.0, 2.5, 2.6, 2.7 GHz */
	for (unsigned n = 0; n < 4; n++) {
		set_level(rig, "pcu", events[n], NULL, 26);
		put(rig, P_CTL0 + n, EN | (0x0b + n));
	}
	run(rig, 8);
	for (unsigned n = 0; n < 4; n++)
		assert_int_equal(get(rig, P_CTR0 + n), n < 3 ? 8 : 0);
	rig_free(rig);
}

/* p. 76: neither a freeze nor a reset touches them; 64 bits. */
static void residencies_always_count(void **state)
{
	struct rig *rig = rig_new(0, true);
	struct sigbank *bank = rig_bank(rig, "pcu", 0);

	(void)state;
	run(rig, 5);
	sig_set(bank, SIG_PCU_SOME_CORE_C6, 1);
	run(rig, 7);
	put(rig, 0xc24, FRZ_EN | FRZ | 3);
	run(rig, 2);
	sig_set(bank, SIG_PCU_SOME_CORE_C6, 0);
	sig_set(bank, SIG_PCU_SOME_CORE_C3, 1);
	run(rig, 4);
	assert_int_equal(get(rig, C6_RESIDENCY), 9);
	assert_int_equal(get(rig, C3_RESIDENCY), 4);
	put(rig, C3_RESIDENCY, UINT64_MAX);
	run(rig, 3);
	assert_int_equal(get(rig, C3_RESIDENCY), 2);
	rig_free(rig);
}

/* COUNTER0_OCCUPANCY, 0x1f: whatever counter 0 sums up, with a threshold of
 * one's own; nothing where that counts no level. */
static void cbo_counters_follow_the_first(void **state)
{
	struct rig *rig = rig_new(0, true);

	(void)state;
	put(rig, C0_CTL0 + 1, EN | 0x1f);
	put(rig, C0_CTL0 + 2, EN | 2u << 24 | 0x1f);
	put(rig, C0_FILTER, 0x182u << 23);
	put(rig, C0_CTL0, EN | 0x0136);
	tor(rig, "OPCODE", 10, 30, 0x182, 0);
	tor(rig, "OPCODE", 12, 50, 0x180, 0);
	tor(rig, "OPCODE", 25, 45, 0x182, 1);
	rig_run_until(rig, 60);
	assert_int_equal(get(rig, C0_CTR0), 40);
	assert_int_equal(get(rig, C0_CTR0 + 1), 40);
	assert_int_equal(get(rig, C0_CTR0 + 2), 5);
	put(rig, C0_CTL0, EN | 0x0113); /* RxR_INSERTS.IRQ: pulses */
	pulse(rig, "cbo", "RxR_INSERTS", "IRQ");
	assert_int_equal(get(rig, C0_CTR0), 41);
	assert_int_equal(get(rig, C0_CTR0 + 1), 40);
	put(rig, C0_CTL0, EN); /* CLOCKTICKS: 1 in each cycle, no occupancy */
	rig_run_until(rig, 70);
	assert_int_equal(get(rig, C0_CTR0 + 1), 40);
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
		cmocka_unit_test(the_v2_holds_all_boxes_at_once),
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
		cmocka_unit_test(
			tor_occupancy_by_opcode_is_exact_in_each_cycle),
		cmocka_unit_test(tor_occupancy_counts_from_when_it_is_chosen),
		cmocka_unit_test(tor_occupancy_of_all_needs_no_header),
		cmocka_unit_test(ticks_are_of_the_boxs_own_clock),
		cmocka_unit_test(queues_of_the_memory_are_exact_at_any_moment),
		cmocka_unit_test(what_happens_now_is_in_the_boxs_present_cycle),
		cmocka_unit_test(pcu_compares_occupancies),
		cmocka_unit_test(pcu_bands_are_compared_with_the_frequency),
		cmocka_unit_test(pcu_band_n_is_byte_n_of_the_filter),
		cmocka_unit_test(residencies_always_count),
		cmocka_unit_test(cbo_counters_follow_the_first),
	};

	return cmocka_run_group_tests(tests, use_e5, NULL);
}
