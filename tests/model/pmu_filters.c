/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Packet filters through the registers, box by box, with the values that the
 * guide prints; and which events a model without mechanisms refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "model/box/packet.h"
#include "pmu_rig.h"
#include "signals.h"

static struct rig *rig_at_work(void)
{
	struct rig *rig = rig_new(0, true);

	rig_set(rig, "U_MSR_PMON_GLOBAL_CTL", "en_all", 1);
	return rig;
}

/* What a counter gains by one packet. */
static uint64_t gain(struct rig *rig, struct sigbank *bank, unsigned id,
		     const char *counter, const struct sig_header *header)
{
	uint64_t before = rig_read(rig, counter);

	sig_packet(bank, id, header);
	rig_run_until(rig, sim_now(rig->sim) + 1);
	return rig_read(rig, counter) - before;
}

/* R-Box, port 5, set 2: counter 8 + n, code (5 - 4) * 6 + 5. */
static struct rig *rbox_filter(uint64_t match, uint64_t mask, uint64_t cfg)
{
	struct rig *rig = rig_at_work();

	rig_write(rig, "R_MSR_PORT5_XBR_SET2_MM_CFG", cfg);
	rig_write(rig, "R_MSR_PORT5_XBR_SET2_MATCH", match);
	rig_write(rig, "R_MSR_PORT5_XBR_SET2_MASK", mask);
	rig_set(rig, "R_MSR_PMON_CTL9", "ev_sel", 6 + 5);
	rig_set(rig, "R_MSR_PMON_CTL9", "en", 1);
	rig_set(rig, "R_MSR_PMON_GLOBAL_CTL_15_8", "ctr_en", 1 << 1);
	return rig;
}

static uint64_t crosses(struct rig *rig, unsigned message_class,
			unsigned opcode, unsigned state, unsigned flits)
{
	struct sig_header header = { .message_class = (uint8_t)message_class,
				     .opcode = (uint8_t)opcode,
				     .state = (uint8_t)state,
				     .flits = (uint8_t)flits };

	return gain(rig, rig_bank(rig, "rbox", 0), SIG_RBOX_XBR_PKT * 8 + 5,
		    "R_MSR_PMON_CTR9", &header);
}

/* Table 2-53, as printed: match, mask, and the opcodes of DRS and NCB they
 * mean. */
static void derived_rbox_events_match_their_opcodes(void **state)
{
	static const struct {
		uint64_t match, mask;
		uint16_t drs, ncb; /* bit n: opcode n */
	} rows[] = {
		{ 0x1C00, 0x1F80, 0x000f, 0 }, /* DRS.AnyDataC */
		{ 0x1C80, 0x1FE0, 0x0010, 0 }, /* DRS.WbIData */
		{ 0x1CA0, 0x1FE0, 0x0020, 0 }, /* DRS.WbSData */
		{ 0x1CC0, 0x1FE0, 0x0040, 0 }, /* DRS.WbEData */
		{ 0x1C00, 0x1E00, 0xffff, 0 }, /* DRS.AnyResp */
		{ 0x1C00, 0x1F00, 0x00ff, 0 }, /* DRS.AnyResp9flits */
		{ 0x1D00, 0x1F00, 0xff00, 0 }, /* DRS.AnyResp11flits */
		{ 0x1800, 0x1F00, 0, 0x00ff }, /* NCB.AnyMsg9flits */
		{ 0x1900, 0x1F00, 0, 0xff00 }, /* NCB.AnyMsg11flits */
		{ 0x1900, 0x1F80, 0, 0x0f00 }, /* NCB.AnyInt */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig *rig =
			rbox_filter(rows[i].match, rows[i].mask, 0x210000);

		for (unsigned opcode = 0; opcode < 16; opcode++) {
			assert_int_equal(crosses(rig, MC_DRS, opcode, 8, 9),
					 rows[i].drs >> opcode & 1);
			assert_int_equal(crosses(rig, MC_NCB, opcode, 0, 11),
					 rows[i].ncb >> opcode & 1);
			assert_int_equal(crosses(rig, MC_HOM0, opcode, 0, 1),
					 0);
		}
		rig_free(rig);
	}
}

/* Table 2-53, DRS.DataC_M */
static void rbox_filter_looks_at_the_state(void **state)
{
	struct rig *rig = rbox_filter(0x1C00 | UINT64_C(0x8) << 48,
				      0x1FE0 | UINT64_C(0xf) << 48, 0x210000);

	(void)state;
	assert_int_equal(crosses(rig, MC_DRS, 0, RDS_M, 9), 1);
	assert_int_equal(crosses(rig, MC_DRS, 0, RDS_E, 9), 0);
	assert_int_equal(crosses(rig, MC_DRS, 2, RDS_M, 9), 0);
	rig_free(rig);
}

/* A packet of 9 flits: 9 with ig_flit_cnt or a flit count of 0, once from its
 * nth flit on, never from the 10th; not at all when disabled. */
static void rbox_filter_counts_flits_or_packets(void **state)
{
	static const struct {
		uint64_t cfg, expected;
	} rows[] = {
		{ 0x210000, 1 },
		{ 0x290000, 1 },
		{ 0x2A0000, 0 },
		{ 0x310000, 9 },
		{ 0x200000, 9 },
		{ 0x010000, 0 },
		{ 0x210000 | UINT64_C(1) << 63, 0 },
		{ 0x210100, 1 },
		{ 0x210101, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig *rig = rbox_filter(0, 0, rows[i].cfg);

		assert_int_equal(crosses(rig, MC_DRS, 0, 0, 9),
				 rows[i].expected);
		rig_free(rig);
	}
}

/* Table 2-51: 1x is VNA, so 2 and 3 mean the same. */
static void rbox_filter_knows_two_codes_of_vna(void **state)
{
	(void)state;
	for (uint64_t code = 0; code < 4; code++) {
		struct rig *rig =
			rbox_filter(code << 3, UINT64_C(3) << 3, 0x210000);

		for (uint8_t vn = 0; vn < 3; vn++) {
			struct sig_header header = { .vn = vn, .flits = 1 };

			assert_int_equal(gain(rig, rig_bank(rig, "rbox", 0),
					      SIG_RBOX_XBR_PKT * 8 + 5,
					      "R_MSR_PMON_CTR9", &header),
					 vn == (code > 2 ? 2 : code));
		}
		rig_free(rig);
	}
}

/* 2.5.3.4 a) to d) on counter 0 of S-Box 0; home node left out. */
static struct rig *sbox_filter(const char *field, uint64_t value)
{
	struct rig *rig = rig_at_work();

	rig_set(rig, "SS0_CR_S_MSR_MM_CFG", "mm_en", 0);
	rig_set(rig, "SS0_CR_S_MSR_MATCH", field, value);
	rig_set(rig, "SS0_CR_S_MSR_MASK", "hnid", 1);
	rig_set(rig, "SS0_CR_S_MSR_MASK", "addr", UINT64_C(0x3fffffffff));
	rig_set(rig, "SR0_CR_S_MSR_PMON_CTL0", "ev_sel",
		rig_code(rig, "sbox", "TO_R_PROG_EV"));
	rig_set(rig, "SR0_CR_S_MSR_PMON_CTL0", "en", 1);
	rig_write(rig, "SR0_CR_S_MSR_PMON_GLOBAL_CTL", 0xf);
	rig_set(rig, "SS0_CR_S_MSR_MM_CFG", "mm_en", 1);
	return rig;
}

static uint64_t leaves(struct rig *rig, struct sig_header header)
{
	header.flits = 1;
	return gain(rig, rig_bank(rig, "sbox", 0), SIG_SBOX_TO_R_PKT,
		    "SR0_CR_S_MSR_PMON_CTR0", &header);
}

static void sbox_filter_needs_mm_en(void **state)
{
	struct rig *rig = sbox_filter("mc", 0);

	(void)state;
	assert_int_equal(leaves(rig, (struct sig_header){ 0 }), 1);
	rig_set(rig, "SS0_CR_S_MSR_MM_CFG", "mm_en", 0);
	assert_int_equal(leaves(rig, (struct sig_header){ 0 }), 0);
	rig_free(rig);
}

/* Table 2-33: HOM0, HOM1, NDR, NCS, NCB from the lowest bit up; SNP and DRS
 * have no bit and pass only if the field is 0. */
static void sbox_filter_has_a_bit_per_class(void **state)
{
	static const uint8_t classes[] = { MC_HOM0, MC_HOM1, MC_NDR, MC_NCS,
					   MC_NCB,  MC_SNP,  MC_DRS };

	(void)state;
	for (unsigned bit = 0; bit < 5; bit++) {
		struct rig *rig = sbox_filter("mc", 1u << bit);

		for (unsigned i = 0; i < sizeof(classes); i++)
			assert_int_equal(
				leaves(rig,
				       (struct sig_header){
					       .message_class = classes[i] }),
				i == bit);
		rig_free(rig);
	}
}

/* Table 2-34: the lowest bit is RdCode, RspI, Cmp, NcRd, NcWr. */
static void sbox_opcode_bit_depends_on_the_class(void **state)
{
	struct rig *rig = sbox_filter("opc", 1);
	static const struct {
		uint8_t message_class, opcode, passes;
	} rows[] = {
		{ MC_HOM0, HOM0_RD_CODE, 1 },
		{ MC_HOM0, HOM0_RD_DATA, 0 },
		{ MC_HOM1, HOM1_RSP_I, 1 },
		{ MC_HOM1, HOM1_RSP_S, 0 },
		{ MC_NDR, NDR_CMP, 1 },
		{ MC_NDR, NDR_GNT_CMP, 0 },
		{ MC_NCS, 0, 1 },
		{ MC_NCB, 0, 1 },
		{ MC_SNP, SNP_CODE, 0 },
		{ MC_DRS, DRS_DATA_C, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(
			leaves(rig,
			       (struct sig_header){
				       .message_class = rows[i].message_class,
				       .opcode = rows[i].opcode }),
			rows[i].passes);
	rig_free(rig);
}

/* Table 2-33: I, M, E, S, F from the lowest bit up, in data responses only. */
static void sbox_response_bit_is_a_state_of_data(void **state)
{
	static const uint8_t states[] = { RDS_I, RDS_M, RDS_E, RDS_S, RDS_F };

	(void)state;
	for (unsigned bit = 0; bit < 5; bit++) {
		struct rig *rig = sbox_filter("resp", 1u << bit);

		for (unsigned i = 0; i < 5; i++) {
			struct sig_header header = { .message_class = MC_DRS,
						     .opcode = DRS_DATA_C,
						     .state = states[i] };

			assert_int_equal(leaves(rig, header), i == bit);
			header.opcode = DRS_WB_I_DATA;
			assert_int_equal(leaves(rig, header), 0);
			header.message_class = MC_HOM0;
			assert_int_equal(leaves(rig, header), 0);
		}
		rig_free(rig);
	}
}

static void sbox_filter_compares_unmasked_address_and_node(void **state)
{
	struct rig *rig = sbox_filter("addr", 0x12345);
	struct sig_header header = { .address = 0x12345 * 64 + 63,
				     .home_node = 9 };

	(void)state;
	rig_set(rig, "SS0_CR_S_MSR_MM_CFG", "mm_en", 0);
	rig_set(rig, "SS0_CR_S_MSR_MASK", "addr", 0x0000f);
	rig_set(rig, "SS0_CR_S_MSR_MM_CFG", "mm_en", 1);
	assert_int_equal(leaves(rig, header), 1);
	header.address ^= 0xf * 64;
	assert_int_equal(leaves(rig, header), 1);
	header.address ^= 0x10 * 64;
	assert_int_equal(leaves(rig, header), 0);
	header.address ^= 0x10 * 64;
	rig_set(rig, "SS0_CR_S_MSR_MM_CFG", "mm_en", 0);
	rig_set(rig, "SS0_CR_S_MSR_MASK", "hnid", 0);
	rig_set(rig, "SS0_CR_S_MSR_MM_CFG", "mm_en", 1);
	assert_int_equal(leaves(rig, header), 0);
	header.home_node = 0;
	assert_int_equal(leaves(rig, header), 1);
	rig_free(rig);
}

/* B-Box, counter 1: class and opcode of outgoing messages; a mask bit of 1
 * compares (docs/errata.md). */
static void bbox_filter_compares_masked_bits(void **state)
{
	struct rig *rig = rig_at_work();
	struct sigbank *bank = rig_bank(rig, "bbox", 0);
	struct sig_header header = { .message_class = MC_DRS, .opcode = 0x3 };

	(void)state;
	rig_set(rig, "BB0_CR_B_MSR_MATCH", "msg_out", MC_DRS);
	rig_set(rig, "BB0_CR_B_MSR_MATCH", "opc_out", 0x1);
	rig_set(rig, "BB0_CR_B_MSR_MATCH", "msg_in", 0xf);
	rig_set(rig, "BB0_CR_B_MSR_MASK", "msg_in", 0xf);
	rig_set(rig, "BB0_CR_B_MSR_MASK", "msg_out", 0xf);
	rig_set(rig, "BB0_CR_B_MSR_MASK", "opc_out", 0xd);
	rig_set(rig, "BB0_CR_B_MSR_PERF_CTL1_REG", "ev_sel",
		rig_code(rig, "bbox", "MSG_OPCODE_OUT_MATCH"));
	rig_set(rig, "BB0_CR_B_MSR_PERF_CTL1_REG", "en", 1);
	rig_write(rig, "BB0_CR_B_MSR_PERF_GLOBAL_CTL", 0xf);
	assert_int_equal(gain(rig, bank, SIG_BBOX_MSG_OUT,
			      "BB0_CR_B_MSR_PERF_CNT1_REG", &header),
			 1);
	header.opcode = 0x5;
	assert_int_equal(gain(rig, bank, SIG_BBOX_MSG_OUT,
			      "BB0_CR_B_MSR_PERF_CNT1_REG", &header),
			 0);
	header.opcode = 0x1;
	header.message_class = MC_NCB;
	assert_int_equal(gain(rig, bank, SIG_BBOX_MSG_OUT,
			      "BB0_CR_B_MSR_PERF_CNT1_REG", &header),
			 0);
	rig_free(rig);
}

static void mbox_setup(struct rig *rig, const char *event)
{
	rig_set(rig, "MB1_CR_M_MSR_PMU_CNT_CTL_5", "inc_sel",
		rig_code(rig, "mbox", event));
	rig_set(rig, "MB1_CR_M_MSR_PMU_CNT_CTL_5", "en", 1);
	rig_write(rig, "MB1_CR_M_MSR_PERF_GLOBAL_CTL", 0x3f);
}

static uint64_t commands(struct rig *rig, const struct sig_header *header)
{
	return gain(rig, rig_bank(rig, "mbox", 1), SIG_MBOX_DRAM_CMD,
		    "MB1_CR_M_MSR_PMU_CNT_5", header);
}

/* PLD.cmd: only in the mode of ISS.sched_mode_pld_trig. */
static void mbox_filter_looks_at_the_mode(void **state)
{
	struct rig *rig = rig_at_work();
	struct sig_header header = { .dram_cmd = 2 };

	(void)state;
	mbox_setup(rig, "DRAM_CMD");
	rig_set(rig, "MB1_CR_M_MSR_PMU_PLD", "dram_cmd", 2);
	rig_set(rig, "MB1_CR_M_MSR_PMU_PLD", "cmd", 1);
	rig_set(rig, "MB1_CR_M_MSR_PMU_ISS", "sched_mode_pld_trig", 2);
	for (header.sched_mode = 0; header.sched_mode < 4; header.sched_mode++)
		assert_int_equal(commands(rig, &header),
				 header.sched_mode == 2);
	rig_free(rig);
}

/* The second command field does not know modes. */
static void mbox_second_command_field_counts_in_any_mode(void **state)
{
	struct rig *rig = rig_at_work();
	struct sig_header header = { .dram_cmd = 5 };

	(void)state;
	mbox_setup(rig, "DRAM_MISC");
	rig_set(rig, "MB1_CR_M_MSR_PMU_PLD", "dram_cmd1", 5);
	rig_set(rig, "MB1_CR_M_MSR_PMU_PLD", "dram_cmd1_cnt", 1);
	rig_set(rig, "MB1_CR_M_MSR_PMU_PLD", "cmd", 1);
	for (header.sched_mode = 0; header.sched_mode < 4; header.sched_mode++)
		assert_int_equal(commands(rig, &header), 1);
	header.dram_cmd = 6;
	assert_int_equal(commands(rig, &header), 0);
	rig_free(rig);
}

/* Address bits 33:6, less those masked; only while MM_CFG.enable is 1. */
static void mbox_filter_compares_the_address(void **state)
{
	struct rig *rig = rig_at_work();
	struct sig_header header = { .address = UINT64_C(0x212345678) };

	(void)state;
	mbox_setup(rig, "DRAM_CMD");
	rig_set(rig, "MB1_CR_M_MSR_PMU_PLD", "addr_match1", 1);
	rig_write(rig, "MB1_CR_M_MSR_PMU_ADDR_MATCH", UINT64_C(0x212345640));
	rig_write(rig, "MB1_CR_M_MSR_PMU_ADDR_MASK", 0x1);
	assert_int_equal(commands(rig, &header), 0);
	rig_set(rig, "MB1_CR_M_MSR_PMU_MM_CFG", "enable", 1);
	assert_int_equal(commands(rig, &header), 1);
	header.address ^= 1 << 6;
	assert_int_equal(commands(rig, &header), 1);
	header.address ^= 1 << 7;
	assert_int_equal(commands(rig, &header), 0);
	rig_free(rig);
}

static const struct uc_event *event_of(const struct rig *rig, const char *box,
				       const char *name)
{
	const struct uc_box *row = uc_box_find(rig->family, box, NULL);

	for (unsigned i = 0; i < row->num_events; i++)
		if (!strcasecmp(row->events[i].name, name))
			return &row->events[i];
	fail_msg("no event %s", name);
	return NULL;
}

static const struct uc_unit_mask *mask_of(const struct uc_event *event,
					  const char *name)
{
	for (unsigned i = 0; i < event->num_unit_masks; i++)
		if (!strcasecmp(event->unit_masks[i].name, name))
			return &event->unit_masks[i];
	fail_msg("no unit mask %s", name);
	return NULL;
}

/* A composite needs all its parts, a port its own signals. */
static void an_event_is_modelled_when_all_its_signals_are_driven(void **state)
{
	struct rig *rig = rig_new(0, true);
	struct sigbank *cbox = rig_bank(rig, "cbox", 0);
	struct sigbank *rbox = rig_bank(rig, "rbox", 0);
	const struct uc_event *bounces =
		event_of(rig, "cbox", "BOUNCES_P2C_AD");
	const struct uc_event *flits = event_of(rig, "rbox", "FLITS_SENT");

	(void)state;
	memset(cbox->driven, 0, cbox->num_signals);
	memset(rbox->driven, 0, rbox->num_signals);
	sig_drives(cbox, SIG_CBOX_BOUNCES_P2C_AD_SB, 1);
	assert_true(
		pmu_is_modelled(rig->pmu, bounces, mask_of(bounces, "SB"), 0));
	assert_false(
		pmu_is_modelled(rig->pmu, bounces, mask_of(bounces, "NSB"), 0));
	assert_false(
		pmu_is_modelled(rig->pmu, bounces, mask_of(bounces, "ALL"), 0));
	assert_true(pmu_is_modelled(rig->pmu, bounces, NULL, 0));
	sig_drives(cbox, SIG_CBOX_BOUNCES_P2C_AD_NSB, 1);
	assert_true(
		pmu_is_modelled(rig->pmu, bounces, mask_of(bounces, "ALL"), 0));
	sig_drives(rbox, SIG_RBOX_FLITS_SENT * 8 + 3, 1);
	assert_true(pmu_is_modelled(rig->pmu, flits, NULL, 3));
	assert_false(pmu_is_modelled(rig->pmu, flits, NULL, 4));
	assert_false(pmu_is_modelled(rig->pmu, flits, NULL, 8));
	rig_free(rig);
}

/* A part that has no signal would be missing in the sum; one that is ruled out
 * is not. */
static void a_sum_with_a_part_that_nobody_tells_is_refused(void **state)
{
	struct rig *rig = rig_new(0, true);
	struct uc_event event = *event_of(rig, "cbox", "BOUNCES_P2C_AD");
	const struct uc_unit_mask *all = mask_of(&event, "ALL"), *row;
	struct uc_unit_mask masks[8], *part;

	(void)state;
	assert_in_range(event.num_unit_masks, 3, 8);
	row = mask_of(&event, "NSB");
	part = masks + (row - event.unit_masks);
	memcpy(masks, event.unit_masks, event.num_unit_masks * sizeof(*masks));
	all = masks + (all - event.unit_masks);
	event.unit_masks = masks;
	assert_true(pmu_is_modelled(rig->pmu, &event, all, 0));
	part->num_signals = 0;
	assert_false(pmu_is_modelled(rig->pmu, &event, part, 0));
	assert_false(pmu_is_modelled(rig->pmu, &event, all, 0));
	part->excluded = "not in this part";
	assert_true(pmu_is_modelled(rig->pmu, &event, all, 0));
	rig_free(rig);
}

/* Counting what no box drives is said when it begins, since sub-registers may
 * still be on their way before; enabling a code of no event is said at once. */
static void senseless_programming_is_complained_about(void **state)
{
	struct rig *rig = rig_new(0, true);
	struct sigbank *cbox = rig_bank(rig, "cbox", 0);

	(void)state;
	memset(cbox->driven, 0, cbox->num_signals);
	rig_set(rig, "CB0_CR_C_MSR_PMON_EVT_SEL_0", "ev_sel",
		rig_code(rig, "cbox", "BOUNCES_C2P_IV"));
	assert_int_equal(rig->num_complaints[PMU_NOT_MODELLED], 0);
	rig_set(rig, "CB0_CR_C_MSR_PMON_EVT_SEL_0", "en", 1);
	assert_int_equal(rig->num_complaints[PMU_NOT_MODELLED], 0);
	rig_write(rig, "CB0_CR_C_MSR_PMON_GLOBAL_CTL", 1);
	rig_set(rig, "U_MSR_PMON_GLOBAL_CTL", "en_all", 1);
	assert_int_equal(rig->num_complaints[PMU_NOT_MODELLED], 1);
	rig_set(rig, "R_MSR_PMON_CTL0", "ev_sel", 0x18);
	rig_set(rig, "R_MSR_PMON_CTL0", "en", 1);
	assert_int_equal(rig->num_complaints[PMU_SOFTWARE_BROKE_A_RULE], 1);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derived_rbox_events_match_their_opcodes),
		cmocka_unit_test(rbox_filter_looks_at_the_state),
		cmocka_unit_test(rbox_filter_counts_flits_or_packets),
		cmocka_unit_test(rbox_filter_knows_two_codes_of_vna),
		cmocka_unit_test(sbox_filter_needs_mm_en),
		cmocka_unit_test(sbox_filter_has_a_bit_per_class),
		cmocka_unit_test(sbox_opcode_bit_depends_on_the_class),
		cmocka_unit_test(sbox_response_bit_is_a_state_of_data),
		cmocka_unit_test(
			sbox_filter_compares_unmasked_address_and_node),
		cmocka_unit_test(bbox_filter_compares_masked_bits),
		cmocka_unit_test(mbox_filter_looks_at_the_mode),
		cmocka_unit_test(mbox_second_command_field_counts_in_any_mode),
		cmocka_unit_test(mbox_filter_compares_the_address),
		cmocka_unit_test(
			an_event_is_modelled_when_all_its_signals_are_driven),
		cmocka_unit_test(
			a_sum_with_a_part_that_nobody_tells_is_refused),
		cmocka_unit_test(senseless_programming_is_complained_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
