/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the Xeon 7500's PMU does otherwise than the Xeon E7's: addresses and
 * bits are written as its guide (323535-001), Intel PCM and Linux's driver have
 * them, not looked up in the tables that the model reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmu_rig.h"
#include "signals.h"

#define WRAP (UINT64_C(1) << 48)

/* Of a C-Box: from its first register. */
enum { STATUS = 1, CLEAR = 2, SELECT_5 = 0x1a, COUNTER_5 = 0x1b };

enum {
	U_CTL = 0xc00,
	U_STATUS = 0xc01,
	S0_SUMMARY = 0xc43,
	S1_SUMMARY = 0xcc3,
	S0_CTL = 0xc40,
	S0_SELECT = 0xc50,
	S0_COUNTER = 0xc51,
	M0_CTL = 0xca0,
	M0_MAP = 0xca7,
	M0_FVC = 0xcab,
	M0_SELECT = 0xcb0, /* and the counter behind it */
};

static const uint32_t cboxes[] = { 0xd00, 0xd80, 0xd40, 0xdc0,
				   0xd20, 0xda0, 0xd60, 0xde0 };

static void put(struct rig *rig, uint32_t address, uint64_t value)
{
	if (pmu_write(rig->pmu, address, value))
		fail_msg("#GP on 0x%x", address);
}

static uint64_t get(struct rig *rig, uint32_t address)
{
	uint64_t value = 0;

	if (pmu_read(rig->pmu, address, &value))
		fail_msg("#GP on 0x%x", address);
	return value;
}

/* en_all */
static void enable_all(struct rig *rig)
{
	put(rig, U_CTL, UINT64_C(1) << 28);
}

/* p. 2-47: bit 2 is of C-Boxes 0, 1 and 4, 5, bit 0 of 2, 3 and 6, 7. */
static void cbox_overflows_take_their_road(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 8; n++) {
		struct rig *rig = rig_new(0, true);
		uint64_t bit = n % 4 < 2 ? 1 << 2 : 1 << 0;
		uint32_t own = n < 4 ? S0_SUMMARY : S1_SUMMARY;
		uint32_t other = n < 4 ? S1_SUMMARY : S0_SUMMARY;

		/* en is bit 22 */
		put(rig, cboxes[n] + SELECT_5,
		    rig_code(rig, "cbox", "BOUNCES_C2P_IV") | 1 << 22);
		put(rig, cboxes[n], 0x3f);
		put(rig, cboxes[n] + COUNTER_5, WRAP - 1);
		enable_all(rig);
		sig_pulse(rig_bank(rig, "cbox", n), SIG_CBOX_BOUNCES_C2P_IV, 1);
		rig_run_until(rig, 1);
		assert_int_equal(get(rig, cboxes[n] + STATUS), 1 << 5);
		assert_int_equal(get(rig, own), bit);
		assert_int_equal(get(rig, other), 0);
		assert_int_equal(rig_field(rig, "U_MSR_PMON_GLOBAL_STATUS",
					   n < 4 ? "ov_s0" : "ov_s1"),
				 1);
		put(rig, cboxes[n] + CLEAR, 1 << 5);
		assert_int_equal(get(rig, own), 0);
		assert_int_equal(get(rig, U_STATUS), 0);
		rig_free(rig);
	}
}

/* The addresses of the Xeon E7's C-Boxes 8 and 9 are nobody's. */
static void there_are_eight_cboxes(void **state)
{
	struct rig *rig = rig_new(0, true);
	uint64_t value;

	(void)state;
	for (uint32_t i = 0; i < 0x20; i++) {
		assert_int_equal(pmu_read(rig->pmu, 0xf40 + i, &value), PMU_GP);
		assert_int_equal(pmu_write(rig->pmu, 0xfc0 + i, 0), PMU_GP);
	}
	rig_free(rig);
}

/* One bit for each of eight cores, from bit 1 on. */
static void eight_cores_are_interrupted(void **state)
{
	struct rig *rig = rig_new(0, false);

	(void)state;
	put(rig, cboxes[0] + SELECT_5,
	    rig_code(rig, "cbox", "BOUNCES_C2P_IV") | 1 << 22 | 1 << 20);
	put(rig, cboxes[0], 0x3f);
	put(rig, cboxes[0] + COUNTER_5, WRAP - 1);
	put(rig, U_CTL, UINT64_C(1) << 28 | 0x7fe);
	assert_int_equal(get(rig, U_CTL), UINT64_C(1) << 28 | 0x1fe);
	sig_pulse(rig_bank(rig, "cbox", 0), SIG_CBOX_BOUNCES_C2P_IV, 1);
	rig_run_until(rig, 5);
	assert_int_equal(rig->num_pmis, 8);
	assert_int_equal(rig->last_core, 7);
	rig_free(rig);
}

/* Linux's names for reads and writes of the B-Box in FVC: 0x2800 and 0x2820.
 * FVC_EV0 is inc_sel 0xd, at bit 9. */
static void fvc_fields_are_a_bit_lower(void **state)
{
	static const struct {
		uint64_t fvc;
		unsigned counted, others[3];
	} rows[] = {
		{ 0x2800,
		  SIG_MBOX_BCMD_READS,
		  { SIG_MBOX_BCMD_WRITES, SIG_MBOX_RSP_ACK,
		    SIG_MBOX_POISON_TXN } },
		{ 0x2820,
		  SIG_MBOX_BCMD_WRITES,
		  { SIG_MBOX_BCMD_READS, SIG_MBOX_BCMD_MERGE,
		    SIG_MBOX_RSP_RETRY } },
		/* event 6: the response at 10:8, here 1: retry */
		{ 6 << 11 | 1 << 8,
		  SIG_MBOX_RSP_RETRY,
		  { SIG_MBOX_RSP_ACK, SIG_MBOX_RSP_COR, SIG_MBOX_BCMD_READS } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig *rig = rig_new(0, true);
		struct sigbank *bank = rig_bank(rig, "mbox", 0);

		put(rig, M0_SELECT, rig_code(rig, "mbox", "FVC_EV0") << 9 | 1);
		put(rig, M0_FVC, rows[i].fvc);
		put(rig, M0_CTL, 1);
		enable_all(rig);
		sig_pulse(bank, rows[i].counted, 1);
		for (unsigned n = 0; n < 3; n++)
			sig_pulse(bank, rows[i].others[n], 1);
		rig_run_until(rig, 1);
		assert_int_equal(get(rig, M0_SELECT + 1), 1);
		rig_free(rig);
	}
}

/* MAP: fvid 4:0, cmd 7:5, anycmd 8 (p. 2-119). Index 31 is the last one. */
static void map_fields_are_a_bit_lower(void **state)
{
	struct rig *rig = rig_new(0, true);
	struct sigbank *bank = rig_bank(rig, "mbox", 0);

	(void)state;
	/* flag_mode, set_flag_sel at bit 19 */
	put(rig, M0_SELECT,
	    rig_code(rig, "mbox", "BCMD_SCHEDQ_OCCUPANCY") << 19 | 1 << 7 | 1);
	put(rig, M0_MAP, 1 << 5 | 31);
	put(rig, M0_CTL, 1);
	enable_all(rig);
	sig_set(bank, SIG_MBOX_SCHEDQ_WRITES + 31, 1);
	sig_set(bank, SIG_MBOX_SCHEDQ_WRITES + 30, 1);
	sig_set(bank, SIG_MBOX_SCHEDQ_READS + 31, 1);
	rig_run_until(rig, 10);
	assert_int_equal(get(rig, M0_SELECT + 1), 10);
	/* any command */
	put(rig, M0_MAP, 1 << 8 | 31);
	sig_set(bank, SIG_MBOX_SCHEDQ_ALL + 31, 1);
	rig_run_until(rig, 30);
	assert_int_equal(get(rig, M0_SELECT + 1), 30);
	rig_free(rig);
}

/* p. 2-61: four bits choose C-Boxes; the fifth chooses nothing. */
static void four_bits_choose_cboxes(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 5; bit++) {
		struct rig *rig = rig_new(0, true);
		struct sigbank *bank = rig_bank(rig, "sbox", 0);

		put(rig, S0_SELECT, 0x64 | UINT64_C(0x100) << bit | 1 << 22);
		put(rig, S0_CTL, 1);
		enable_all(rig);
		for (unsigned n = 0; n < 5; n++)
			sig_pulse(bank, SIG_SBOX_PKTS_SENT_DRS + n, n + 1);
		rig_run_until(rig, 1);
		assert_int_equal(get(rig, S0_COUNTER), bit < 4 ? bit + 1 : 0);
		rig_free(rig);
	}
}

/* 0x15 is a plain event: PGT bit 11 changes nothing (p. 2-119). */
static void page_empty_is_a_plain_event(void **state)
{
	struct rig *rig = rig_new(0, false);
	struct sigbank *bank = rig_bank(rig, "mbox", 0);

	(void)state;
	put(rig, M0_SELECT, 0x15 << 9 | 1);
	put(rig, 0xca9, 0);
	put(rig, M0_CTL, 1);
	enable_all(rig);
	sig_pulse(bank, SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY, 1);
	sig_pulse(bank, SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS, 1);
	rig_run_until(rig, 1);
	put(rig, 0xca9, 1 << 11);
	sig_pulse(bank, SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY, 1);
	rig_run_until(rig, 2);
	assert_int_equal(get(rig, M0_SELECT + 1), 2);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cbox_overflows_take_their_road),
		cmocka_unit_test(there_are_eight_cboxes),
		cmocka_unit_test(eight_cores_are_interrupted),
		cmocka_unit_test(fvc_fields_are_a_bit_lower),
		cmocka_unit_test(map_fields_are_a_bit_lower),
		cmocka_unit_test(four_bits_choose_cboxes),
		cmocka_unit_test(page_empty_is_a_plain_event),
	};

	rig_machine = "xeon-7500";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
