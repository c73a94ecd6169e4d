/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The M-Box in cases small enough to be worked out by hand. Default timing: a
 * DRAM clock is 5 cycles; tRCD = tRP = CL = 7, a burst 2, tCCD 4 and tRAS 20
 * clocks; front 20, SMI 2 * 26, response 10 cycles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "memory_rig.h"

enum {
	CLOCK = RIG_CLOCK,
	OVERHEAD = 20 + 2 * 26 + 10,
	READ_OPEN = OVERHEAD + (7 + 2) * CLOCK,	      /* 127 cycles */
	READ_CLOSED = OVERHEAD + (7 + 7 + 2) * CLOCK, /* 162 */
	READ_MISS = OVERHEAD + (7 + 7 + 7 + 2) * CLOCK,
	START = 1000,
};

static void start(struct mbox_config config)
{
	rig_start(config, NULL, true);
	rig_run_to(START);
}

static void idle_read_takes_activate_column_and_burst(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	start(config);
	assert_int_equal(rig_read(rig_line(0, 5, 0), 1, START),
			 START + READ_CLOSED);
	assert_int_equal(mbox_idle_read_cycles(&config, false), READ_CLOSED);
	assert_false(memory_is_idle(rig.memory, START + READ_CLOSED - 1));
	assert_true(memory_is_idle(rig.memory, START + READ_CLOSED));
	rig_run_to(2000);
	assert_int_equal(rig_sum(SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY), 1);
	rig_stop();
}

static void page_hit_saves_the_activate(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	start(config);
	rig_read(rig_line(0, 5, 0), 1, START);
	rig_run_to(2000);
	assert_int_equal(rig_read(rig_line(0, 5, 9), 2, 2000),
			 2000 + READ_OPEN);
	assert_int_equal(mbox_idle_read_cycles(&config, true), READ_OPEN);
	rig_run_to(3000);
	assert_int_equal(rig_sum(SIG_MBOX_PAGE_HIT), 1);
	rig_stop();
}

static void page_miss_adds_the_precharge(void **state)
{
	(void)state;
	start(rig_config());
	rig_read(rig_line(0, 5, 0), 1, START);
	rig_run_to(2000);
	assert_int_equal(rig_read(rig_line(0, 6, 0), 2, 2000),
			 2000 + READ_MISS);
	rig_run_to(3000);
	assert_int_equal(rig_sum(SIG_MBOX_PAGE_MISS), 1);
	assert_int_equal(rig_count(DRAM_PRE), 1);
	rig_stop();
}

/* A request between two frames waits for the next: 1 cycle late is 4 more. */
static void commands_go_with_frames(void **state)
{
	(void)state;
	start(rig_config());
	assert_int_equal(rig_read(rig_line(0, 5, 0), 1, START + 1),
			 START + 5 + READ_CLOSED);
	rig_stop();
}

static void hits_on_one_bus_follow_at_tccd(void **state)
{
	(void)state;
	start(rig_config());
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(rig_read(rig_line(0, 5, i), i + 1, START),
				 START + READ_CLOSED + i * 4 * CLOCK);
	rig_run_to(2000);
	assert_int_equal(rig_sum(SIG_MBOX_MULTICAS), 9);
	assert_int_equal(rig_sum(SIG_MBOX_PAGE_HIT), 9);
	assert_int_equal(rig_count(DRAM_RAS), 1);
	rig_stop();
}

/* Bank 32 is the first of the other bus. The buses share the way back: the
 * bursts of two clocks follow each other without a gap. */
static void two_buses_fill_the_link(void **state)
{
	(void)state;
	start(rig_config());
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(rig_read(rig_line(i % 2 ? 32 : 0, 5, i / 2),
					  i + 1, START),
				 START + READ_CLOSED + i * 2 * CLOCK);
	rig_stop();
}

/* Activate at clock t, precharge at t + tRAS, activate at + tRP: 27 clocks. */
static void other_row_of_a_busy_bank_waits_for_the_row_cycle(void **state)
{
	uint64_t first, second;

	(void)state;
	start(rig_config());
	first = rig_read(rig_line(0, 5, 0), 1, START);
	second = rig_read(rig_line(0, 6, 0), 2, START);
	assert_int_equal(second - first, 27 * CLOCK);
	rig_run_to(2000);
	assert_int_equal(rig_sum(SIG_MBOX_RETRIES), 1);
	assert_int_equal(rig_sum(SIG_MBOX_RETRIES_FVID + 2), 1);
	rig_stop();
}

/* Banks of one rank: activates at 0, 4, 8, 12 (tRRD), then 20 (tFAW). */
static void fifth_activate_waits_for_the_first(void **state)
{
	static const unsigned clocks[] = { 0, 4, 8, 12, 20 };

	(void)state;
	start(rig_config());
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(rig_read(rig_line(i, 5, 0), i + 1, START),
				 START + READ_CLOSED + clocks[i] * CLOCK);
	rig_stop();
}

/* The first read asks late; the second, of another bank, asks for an earlier
 * clock and gets it. */
static void who_is_worked_off_later_may_go_first(void **state)
{
	(void)state;
	start(rig_config());
	assert_int_equal(rig_read(rig_line(0, 5, 0), 1, START + 500),
			 START + 500 + READ_CLOSED);
	assert_int_equal(rig_read(rig_line(1, 5, 0), 2, START),
			 START + READ_CLOSED);
	rig_run_to(3000);
	rig_stop();
}

static void every_rank_is_refreshed_once_in_trefi(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.dram.trefi_clocks = 4160;
	start(config);
	rig_run_to(10 * 4160 * CLOCK + 10);
	/* 8 ranks; the last one came due just now. */
	assert_int_equal(rig_sum(SIG_MBOX_REFRESH), 80);
	assert_int_equal(rig_count(DRAM_PREALL), 0);
	rig_stop();
}

/* The refresh of rank 0 comes due at clock 4160 / 8 = 520 and lasts 86. A read
 * that comes in between is put off to its end. */
static void read_meets_a_refresh(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.dram.trefi_clocks = 4160;
	start(config);
	rig_run_to(560 * CLOCK);
	assert_int_equal(rig_read(rig_line(0, 5, 0), 1, 560 * CLOCK),
			 (520 + 86) * CLOCK + READ_CLOSED);
	assert_int_equal(rig_read(rig_line(8, 5, 0), 2, 560 * CLOCK),
			 560 * CLOCK + READ_CLOSED);
	rig_run_to(1000 * CLOCK);
	assert_int_equal(rig_sum(SIG_MBOX_REFRESH_CONFLICT), 1);
	rig_stop();
}

static void refresh_closes_open_pages_first(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.dram.trefi_clocks = 4160;
	start(config);
	rig_read(rig_line(0, 5, 0), 1, START);
	rig_read(rig_line(1, 5, 0), 2, START);
	rig_run_to(530 * CLOCK);
	assert_int_equal(rig_count(DRAM_PREALL), 1);
	assert_int_equal(rig_clock_of(DRAM_PREALL, 0), 520);
	assert_int_equal(rig_clock_of(DRAM_RFR, 0), 520 + 7); /* tRP */
	rig_stop();
}

static void calibration_follows_a_number_of_refreshes(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.dram.trefi_clocks = 4160;
	config.dram.zqcal_refreshes = 4;
	start(config);
	rig_run_to(8 * 4160 * CLOCK + 2000);
	assert_int_equal(rig_count(DRAM_ZQCAL), 2 * 8);
	rig_stop();
}

/* Last column command at clock (1000 + 20) / 5 + 7 = 211; 1000 cycles later. */
static void idle_page_is_closed(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.page_policy = MBOX_PAGE_ADAPTIVE;
	start(config);
	rig_read(rig_line(0, 5, 0), 1, START);
	rig_run_to(3000);
	assert_int_equal(rig.num_commands, 3);
	assert_int_equal(rig.commands[2].cmd, DRAM_PRE);
	assert_int_equal(rig.commands[2].clock, 211 + 1000 / CLOCK);
	assert_int_equal(rig_sum(SIG_MBOX_PGT_PAGE_EV2_AUTO_CLS), 1);
	rig_read(rig_line(0, 5, 1), 2, 3000);
	rig_run_to(4000);
	assert_int_equal(rig_sum(SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY), 2);
	rig_stop();
}

static void closed_policy_closes_with_the_last_column(void **state)
{
	struct mbox_config config = rig_config();

	(void)state;
	config.page_policy = MBOX_PAGE_CLOSED;
	start(config);
	rig_read(rig_line(0, 5, 0), 1, START);
	rig_read(rig_line(0, 5, 1), 2, START);
	rig_run_to(2000);
	assert_int_equal(rig_count(DRAM_CAS_RD), 1);
	assert_int_equal(rig_count(DRAM_CASPRE_RD), 1);
	assert_int_equal(rig_sum(SIG_MBOX_DRAM_CMD), 3);
	rig_read(rig_line(0, 5, 2), 3, 2000);
	rig_run_to(3000);
	assert_int_equal(rig_count(DRAM_CASPRE_RD), 2);
	assert_int_equal(rig_sum(SIG_MBOX_PGT_PAGE_EV2_PAGE_EMPTY), 2);
	rig_stop();
}

/* A window of 8 translations of a bank, so many of which ask for the row of the
 * one before; the others for a new one. */
static void pass_window(unsigned hits)
{
	static unsigned row;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t at = rig_now() + 1000;

		row += i < 8 - hits;
		rig_run_to(at);
		rig_read(rig_line(0, row, i), i, at);
	}
	rig_run_to(rig_now() + 1000);
}

/* It closes pages when less than a quarter ask for the row that was used last,
 * and leaves them open again when more than half do: 2 and 4 of 8 are neither.
 */
static void adaptive_policy_follows_the_share_of_hits(void **state)
{
	static const struct {
		unsigned hits, to_closed, to_open;
	} windows[] = {
		{ 2, 0, 0 }, { 1, 1, 0 }, { 4, 1, 0 }, { 2, 1, 0 }, { 5, 1, 1 },
		{ 4, 1, 1 }, { 2, 1, 1 }, { 0, 2, 1 }, { 7, 2, 2 },
	};
	struct mbox_config config = rig_config();

	(void)state;
	config.page_policy = MBOX_PAGE_ADAPTIVE;
	config.page_window = 8;
	config.page_idle_cycles = 0;
	start(config);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		pass_window(windows[i].hits);
		assert_int_equal(rig_sum(SIG_MBOX_PGT_PAGE_EV_OPN2CLS),
				 windows[i].to_closed);
		assert_int_equal(rig_sum(SIG_MBOX_PGT_PAGE_EV_CLS2OPN),
				 windows[i].to_open);
	}
	rig_stop();
}

/* Nothing else is there: dispatched at once, acknowledged 10 cycles later; its
 * data take 4 frames (200 to 203), its row is opened at clock 204. */
static void write_is_acknowledged_at_once(void **state)
{
	(void)state;
	start(rig_config());
	assert_int_equal(rig_write(rig_line(0, 5, 0), 1, START), START + 10);
	rig_run_to(2000);
	assert_int_equal(rig_clock_of(DRAM_CAS_WR, 0), 204 + 7);
	assert_int_equal(rig_sum(SIG_MBOX_FRM_TYPE_WDAT), 4);
	assert_int_equal(rig_sum(SIG_MBOX_FRM_TYPE_1CMD), 2);
	assert_int_equal(rig_sum(SIG_MBOX_SCHEDQ_WRITES + 1),
			 211 * CLOCK - START);
	assert_int_equal(rig_sum(SIG_MBOX_DSP_WRQ_EMPTY),
			 2000 - (211 * CLOCK - START));
	rig_stop();
}

/* The read's column command is at clock 211; until then no write goes, and that
 * clock is taken. */
static void write_waits_for_the_read(void **state)
{
	(void)state;
	start(rig_config());
	rig_read(rig_line(0, 5, 0), 1, START);
	rig_write(rig_line(8, 5, 0), 2, START);
	rig_run_to(2000);
	assert_int_equal(rig_clock_of(DRAM_CAS_RD, 0), 211);
	assert_int_equal(rig_clock_of(DRAM_RAS, 1), 212);
	assert_int_equal(rig_clock_of(DRAM_CAS_WR, 0), 219);
	assert_int_equal(rig_sum(SIG_MBOX_SCHEDQ_WRITES + 2),
			 219 * CLOCK - START);
	rig_stop();
}

/* A frame in every clock, a SYNC in every 42. */
static void idle_frames_are_counted(void **state)
{
	(void)state;
	rig_start(rig_config(), NULL, true);
	rig_run_to(42 * 100 * CLOCK);
	assert_int_equal(rig_sum(SIG_MBOX_ISS_SCHED_FRAME_BEAT), 4200);
	assert_int_equal(rig_sum(SIG_MBOX_FRM_TYPE_SYNC), 100);
	assert_int_equal(rig_sum(SIG_MBOX_FRM_TYPE_NOP), 4100);
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_read_takes_activate_column_and_burst),
		cmocka_unit_test(page_hit_saves_the_activate),
		cmocka_unit_test(page_miss_adds_the_precharge),
		cmocka_unit_test(commands_go_with_frames),
		cmocka_unit_test(hits_on_one_bus_follow_at_tccd),
		cmocka_unit_test(two_buses_fill_the_link),
		cmocka_unit_test(
			other_row_of_a_busy_bank_waits_for_the_row_cycle),
		cmocka_unit_test(fifth_activate_waits_for_the_first),
		cmocka_unit_test(who_is_worked_off_later_may_go_first),
		cmocka_unit_test(every_rank_is_refreshed_once_in_trefi),
		cmocka_unit_test(read_meets_a_refresh),
		cmocka_unit_test(refresh_closes_open_pages_first),
		cmocka_unit_test(calibration_follows_a_number_of_refreshes),
		cmocka_unit_test(idle_page_is_closed),
		cmocka_unit_test(closed_policy_closes_with_the_last_column),
		cmocka_unit_test(adaptive_policy_follows_the_share_of_hits),
		cmocka_unit_test(write_is_acknowledged_at_once),
		cmocka_unit_test(write_waits_for_the_read),
		cmocka_unit_test(idle_frames_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
