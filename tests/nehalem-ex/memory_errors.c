/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Injected faults: each counts as often as it was injected, each read is
 * answered once, and what follows a fault takes the time it should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "memory_rig.h"

enum {
	READ_CLOSED = 162,
	READ_OPEN = 127,
	FRONT = 20,
	TRIALS = 2,
	RESET = 200,	 /* frames */
	ROUND_TRIP = 11, /* clocks: 2 * 26 cycles */
	RANKS = 8,
};

static uint64_t pulses(unsigned id)
{
	return rig_sum(id);
}

/* Random lines, one after the other or many at a time. */
static unsigned some_reads(unsigned num, unsigned write_percent)
{
	uint64_t seed = 99;
	unsigned sent = 0, reads = 0;

	while (sent < num) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		rig_run(10 + (seed >> 40) % 60);
		if (!rig_is_ready())
			continue;
		if ((seed >> 50) % 100 < write_percent) {
			rig_send(MBOX_CMD_WRITE, (seed >> 20) % 100000,
				 sent % 64);
		} else {
			rig_send(MBOX_CMD_READ, (seed >> 20) % 100000,
				 sent % 64);
			reads++;
		}
		sent++;
	}
	rig_run(30000);
	assert_int_equal(rig_num_answers(), num);
	assert_true(memory_is_idle(rig.memory, rig_now()));
	return reads;
}

/* The activate is lost in frame 204; the alert takes a round trip, then the
 * link is reset, and the activate goes in the first frame afterwards. */
static void damaged_frame_is_sent_again(void **state)
{
	(void)state;
	rig_start(rig_config(), "smi-crc:count=1", true);
	rig_run(1000);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(5000);
	assert_int_equal(rig_clock_of(DRAM_RAS, 0),
			 204 + 1 + ROUND_TRIP + RESET);
	assert_int_equal(rig_count(DRAM_RAS), 1);
	assert_int_equal(rig.answers[1],
			 1000 + (1 + ROUND_TRIP + RESET) * RIG_CLOCK +
				 READ_CLOSED);
	assert_int_equal(rig.responses[1], MBOX_RSP_COR);
	assert_int_equal(pulses(SIG_MBOX_SMI_CRC_ERR), 1);
	assert_int_equal(pulses(SIG_MBOX_ALERT_FRAMES), 1);
	assert_int_equal(pulses(SIG_MBOX_FAST_RESET), 1);
	assert_int_equal(pulses(SIG_MBOX_SMI_NB_TRIG), 1);
	assert_int_equal(rig_count(DRAM_IBD), 1);
	assert_int_equal(pulses(SIG_MBOX_RETRIES), 1);
	assert_int_equal(pulses(SIG_MBOX_RSP_RETRY), 1);
	assert_int_equal(rig.num_errors[MBOX_ERROR_CORRECTED], 1);
	rig_stop();
}

static void damaged_frames_lose_nothing(void **state)
{
	uint64_t struck;

	(void)state;
	rig_start(rig_config(), "smi-crc:rate=0.02", true);
	some_reads(2000, 30);
	struck = rig.faults.injected[FAULT_SMI_CRC];
	assert_in_range(struck, 20, 200);
	assert_int_equal(pulses(SIG_MBOX_SMI_CRC_ERR), struck);
	assert_int_equal(pulses(SIG_MBOX_ALERT_FRAMES), struck);
	assert_int_equal(pulses(SIG_MBOX_FAST_RESET), struck);
	assert_int_equal(pulses(SIG_MBOX_SMI_NB_TRIG), struck);
	assert_int_equal(rig_count(DRAM_IBD), struck);
	assert_int_equal(pulses(SIG_MBOX_FRM_TYPE_CHNL), struck);
	assert_int_equal(rig_count(DRAM_CAS_RD) + rig_count(DRAM_CAS_WR), 2000);
	rig_stop();
}

/* The column command is refused; only its bank waits. */
static void refused_command_is_given_again(void **state)
{
	(void)state;
	rig_start(rig_config(), "address-parity:count=1", true);
	rig_run(1000);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_send(MBOX_CMD_READ, rig_line(8, 5, 0), 2);
	rig_run(5000);
	assert_int_equal(rig.answers[1],
			 1000 + (1 + ROUND_TRIP) * RIG_CLOCK + READ_CLOSED);
	assert_int_equal(rig.responses[1], MBOX_RSP_COR);
	/* The frame that the first lost has no second command for its bus. */
	assert_int_equal(rig.answers[2], 1000 + RIG_CLOCK + READ_CLOSED);
	assert_int_equal(rig.responses[2], MBOX_RSP_ACK);
	assert_int_equal(pulses(SIG_MBOX_MA_PAR_ERR), 1);
	rig_stop();
}

static void refused_commands_lose_nothing(void **state)
{
	(void)state;
	rig_start(rig_config(), "address-parity:rate=0.05", true);
	some_reads(2000, 30);
	assert_in_range(rig.faults.injected[FAULT_ADDRESS_PARITY], 50, 500);
	assert_int_equal(pulses(SIG_MBOX_MA_PAR_ERR),
			 rig.faults.injected[FAULT_ADDRESS_PARITY]);
	assert_int_equal(rig.num_errors[MBOX_ERROR_CORRECTED],
			 rig.faults.injected[FAULT_ADDRESS_PARITY]);
	assert_int_equal(rig_count(DRAM_CAS_RD) + rig_count(DRAM_CAS_WR), 2000);
	rig_stop();
}

/* The second read of the line finds its page open. */
static void wrong_data_are_read_again(void **state)
{
	(void)state;
	rig_start(rig_config(), "ecc:count=1", true);
	rig_run(1000);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(5000);
	/* The first answer would have come at 1162; the next frame but for the
	 * front is at 1185. */
	assert_int_equal(rig.answers[1], 1165 + READ_OPEN);
	assert_int_equal(rig.responses[1], MBOX_RSP_COR);
	assert_int_equal(rig_count(DRAM_CAS_RD), 2);
	assert_int_equal(pulses(SIG_MBOX_MEM_ECC_ERR), 1);
	assert_int_equal(pulses(SIG_MBOX_RSP_RETRY), 1);
	assert_int_equal(pulses(SIG_MBOX_RSP_COR), 1);
	assert_int_equal(pulses(SIG_MBOX_RSP_ACK), 0);
	rig_stop();
}

static void every_wrong_read_is_corrected(void **state)
{
	unsigned reads;

	(void)state;
	rig_start(rig_config(), "ecc:rate=1", true);
	reads = some_reads(1000, 20);
	assert_int_equal(rig.faults.injected[FAULT_ECC], reads);
	assert_int_equal(pulses(SIG_MBOX_MEM_ECC_ERR), reads);
	assert_int_equal(pulses(SIG_MBOX_RSP_RETRY), reads);
	assert_int_equal(pulses(SIG_MBOX_RSP_COR), reads);
	assert_int_equal(rig.num_errors[MBOX_ERROR_CORRECTED], reads);
	assert_int_equal(rig_count(DRAM_CAS_RD), 2 * reads);
	rig_stop();
}

static void lost_line_is_tried_then_poisoned(void **state)
{
	(void)state;
	rig_start(rig_config(), "ecc-uncorrectable:count=1", true);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(5000);
	assert_int_equal(rig_num_answers(), 1);
	assert_int_equal(rig.responses[1], MBOX_RSP_UNCOR);
	assert_int_equal(rig_count(DRAM_CAS_RD), 1 + TRIALS);
	assert_int_equal(rig_count(DRAM_CAS_WR), 1);
	assert_int_equal(pulses(SIG_MBOX_MEM_ECC_ERR), 1 + TRIALS);
	assert_int_equal(pulses(SIG_MBOX_RSP_RETRY), TRIALS);
	assert_int_equal(pulses(SIG_MBOX_RSP_UNCOR), 1);
	assert_int_equal(pulses(SIG_MBOX_POISON_TXN), 1);
	assert_int_equal(pulses(SIG_MBOX_BCMD_WRITES), 0);
	assert_int_equal(rig.num_errors[MBOX_ERROR_UNCORRECTED], 1);
	assert_int_equal(rig.num_errors[MBOX_ERROR_CORRECTED], 0);
	assert_true(memory_is_idle(rig.memory, rig_now()));
	rig_stop();
}

static void many_lost_lines_are_all_poisoned(void **state)
{
	unsigned reads;
	uint64_t lost, bad;

	(void)state;
	rig_start(rig_config(), "ecc-uncorrectable:rate=0.3 ecc:rate=0.3",
		  true);
	reads = some_reads(1000, 20);
	lost = rig.faults.injected[FAULT_ECC_FATAL];
	bad = rig.faults.injected[FAULT_ECC];
	assert_int_equal(pulses(SIG_MBOX_RSP_UNCOR), lost);
	assert_int_equal(pulses(SIG_MBOX_POISON_TXN), lost);
	assert_int_equal(pulses(SIG_MBOX_RSP_COR), bad);
	assert_int_equal(pulses(SIG_MBOX_RSP_RETRY), TRIALS * lost + bad);
	assert_int_equal(pulses(SIG_MBOX_MEM_ECC_ERR),
			 (1 + TRIALS) * lost + bad);
	assert_int_equal(rig_count(DRAM_CAS_RD), reads + TRIALS * lost + bad);
	assert_int_equal(pulses(SIG_MBOX_PAGE_HIT) +
				 pulses(SIG_MBOX_PAGE_MISS) +
				 pulses(SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY),
			 rig_count(DRAM_CAS_RD) + rig_count(DRAM_CAS_WR));
	rig_stop();
}

/* What the scrubber finds wrong it writes back, and nobody is told. */
static void scrubber_mends_what_it_finds(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.patrol_interval_cycles = 2000;
	rig_start(config, "ecc:count=3", true);
	rig_run(10 * 2000 + 1500);
	assert_int_equal(pulses(SIG_MBOX_MEM_ECC_ERR), 3);
	assert_int_equal(rig_count(DRAM_CAS_RD), 10 + 3);
	assert_int_equal(rig_count(DRAM_CAS_WR), 3);
	assert_int_equal(pulses(SIG_MBOX_PATROL_TXNS), 10 + 3);
	assert_int_equal(pulses(SIG_MBOX_RSP_RETRY), 0);
	assert_int_equal(pulses(SIG_MBOX_POISON_TXN), 0);
	rig_stop();
}

/* Each line of the rank is read once and written once to the spare. */
static void sparing_copies_every_line(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.spare_lines = 300;
	rig_start(config, "sparing:count=1", true);
	rig_run(2000);
	assert_false(memory_is_idle(rig.memory, rig_now()));
	rig_run(300000);
	assert_true(memory_is_idle(rig.memory, rig_now()));
	assert_int_equal(pulses(SIG_MBOX_BCMD_SPRWR), 300);
	assert_int_equal(pulses(SIG_MBOX_BCMD_READS), 300);
	assert_int_equal(pulses(SIG_MBOX_RSP_SPR_ACK), 600);
	assert_int_equal(pulses(SIG_MBOX_RSP_ACK), 0);
	assert_int_equal(pulses(SIG_MBOX_FVID_RACE), 0);
	for (unsigned i = 0; i < rig.num_commands; i++)
		assert_int_equal(rig.commands[i].rank | rig.commands[i].bus, 0);
	rig_stop();
}

static void lost_line_of_a_failing_rank_says_so(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.spare_lines = 50;
	rig_start(config, "sparing:count=1 ecc-uncorrectable:count=1", true);
	rig_run(100000);
	assert_int_equal(pulses(SIG_MBOX_RSP_SPR_UNCOR), 1);
	assert_int_equal(pulses(SIG_MBOX_RSP_SPR_ACK), 99);
	rig_stop();
}

/* Link, then the mode registers of every rank, from cycle 1024 on; a
 * transaction waits for both. */
static void pbox_reset_initialises_again(void **state)
{
	(void)state;
	rig_start(rig_config(), "pbox-reset:count=1,box=8", true);
	rig_run(1030);
	rig_send(MBOX_CMD_READ, rig_line(0, 5, 0), 1);
	rig_run(20000);
	assert_int_equal(pulses(SIG_MBOX_PBOX_INIT_ERR), 1);
	assert_int_equal(rig_count(DRAM_SFT_RST), 1);
	assert_int_equal(rig_count(DRAM_EMRS2), RANKS);
	assert_int_equal(rig_count(DRAM_EMRS3), RANKS);
	assert_int_equal(rig_count(DRAM_EMRS), RANKS);
	assert_int_equal(rig_count(DRAM_MRS), RANKS);
	assert_int_equal(rig_count(DRAM_ZQCAL), RANKS);
	assert_int_equal(rig_count(DRAM_CKEH), 0);
	assert_int_equal(rig_num_answers(), 1);
	assert_int_equal(rig.responses[1], MBOX_RSP_ACK);
	assert_in_range(rig_clock_of(DRAM_RAS, 0),
			rig_clock_of(DRAM_ZQCAL, 0) + 512, 4000);
	rig_stop();
}

/* All at once, with refresh, sleep and traffic: every read is answered once,
 * and the checker of DRAM commands sees nothing wrong. */
static void everything_goes_wrong_at_once(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.dram.trefi_clocks = 2000;
	config.dram.zqcal_refreshes = 4;
	config.page_policy = MBOX_PAGE_ADAPTIVE;
	config.power_down_cycles = 200;
	config.self_refresh_cycles = 700;
	config.patrol_interval_cycles = 900;
	config.spare_lines = 20;
	config.early_ack_cycles = 5;
	config.heat.fault_cycles = 20000;
	config.heat.look_cycles = 1000;
	rig_start(config,
		  "smi-crc:rate=0.01 address-parity:rate=0.01 "
		  "ecc:rate=0.05 ecc-uncorrectable:rate=0.02 "
		  "sparing:rate=0.05 pbox-reset:rate=0.02 "
		  "heat:rate=0.1",
		  true);
	for (unsigned sent = 0; sent < 3000;) {
		rig_run(sent % 400 == 399 ? 20000 : 30);
		if (!rig_is_ready())
			continue;
		rig_send(sent % 3 ? MBOX_CMD_READ : MBOX_CMD_WRITE,
			 sent * 7919 % 60000, sent % 60);
		sent++;
	}
	for (unsigned i = 0; i < 1000 && rig_num_answers() < 3000; i++)
		rig_run(1000);
	assert_int_equal(rig_num_answers(), 3000);
	for (unsigned i = 0; i < FAULT_PBOX_RESET; i++)
		if (fault_is_active(&rig.faults, i))
			assert_in_range(rig.faults.injected[i], 1, 100000);
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(damaged_frame_is_sent_again),
		cmocka_unit_test(damaged_frames_lose_nothing),
		cmocka_unit_test(refused_command_is_given_again),
		cmocka_unit_test(refused_commands_lose_nothing),
		cmocka_unit_test(wrong_data_are_read_again),
		cmocka_unit_test(every_wrong_read_is_corrected),
		cmocka_unit_test(lost_line_is_tried_then_poisoned),
		cmocka_unit_test(many_lost_lines_are_all_poisoned),
		cmocka_unit_test(scrubber_mends_what_it_finds),
		cmocka_unit_test(sparing_copies_every_line),
		cmocka_unit_test(lost_line_of_a_failing_rank_says_so),
		cmocka_unit_test(pbox_reset_initialises_again),
		cmocka_unit_test(everything_goes_wrong_at_once),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
