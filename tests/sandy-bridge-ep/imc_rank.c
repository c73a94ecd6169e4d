/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a memory channel does by itself: refresh, power-down, self-refresh, the
 * closing of idle pages, throttling; worked out by hand from the parameters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "imc_rig.h"

#define SUM(name) rig_sum(SIG_IMC_##name)

enum { TREFI = 6240, TRFC = 128 };

/* One rank, whose refreshes come due in 6240, 12480 .. */
static void one_rank(void)
{
	rig_defaults();
	rig.param[PARAM_DRAM_TREFI] = TREFI;
	rig.param[PARAM_DRAM_RANKS] = 1;
	rig.param[PARAM_DRAM_DIMMS] = 1;
}

/* Nobody comes: each of four ranks is refreshed when that comes due, after 1,
 * 2, 3 and 4 quarters of tREFI, and urgent is none. */
static void idle_ranks_are_refreshed(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_DRAM_TREFI] = TREFI;
	rig_start(NULL);
	rig_run_to(10 * TREFI + 200);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(rig_clock_of(DRAM_RFR, i),
				 (i + 1) * (TREFI / 4));
	assert_int_equal(SUM(DRAM_REFRESH_HIGH), 0);
	assert_int_equal(SUM(DRAM_REFRESH_PANIC), 0);
	assert_int_equal(SUM(DRAM_PRE_ALL), 0);
	rig_stop();
}

/* A rank in use for ever, by a miss every 60 clocks: six refreshes stay owed;
 * from the seventh on one is given for each that comes due, all banks closed
 * before. */
static void misses_let_urgent_refreshes_pass(void **state)
{
	(void)state;
	one_rank();
	rig.param[PARAM_IMC_REFRESH_IDLE] = 64;
	rig_start(NULL);
	for (unsigned i = 0; i * 60 < 20 * TREFI + 100; i++) {
		rig_run_to(i * 60);
		rig_read(rig_line(0, i % 2, i, 0), i * 60);
	}
	assert_int_equal(SUM(DRAM_REFRESH_HIGH), 20 - 6);
	assert_int_equal(SUM(DRAM_REFRESH_PANIC), 0);
	assert_int_equal(SUM(DRAM_PRE_ALL), 20 - 6);
	/* those that were put off are made up for */
	rig_run_to(20 * TREFI + 3000);
	assert_int_equal(rig_count(DRAM_RFR), 20);
	rig_stop();
}

/* Hits go on until eight are owed, in 8 tREFI. The first read after such a
 * refresh opens the row again, and lets another one pass, since seven are owed;
 * six are left. So it is again in 10, 12 .. 20 tREFI. */
static void hits_do_not(void **state)
{
	(void)state;
	one_rank();
	rig.param[PARAM_IMC_REFRESH_IDLE] = 64;
	rig_start(NULL);
	for (unsigned i = 0; i * 20 < 20 * TREFI + 100; i++) {
		rig_run_to(i * 20);
		rig_read(rig_line(0, 0, 0, i % 32), i * 20);
	}
	rig_run_to(20 * TREFI + 1000);
	assert_int_equal(SUM(DRAM_REFRESH_PANIC), 7);
	assert_int_equal(SUM(DRAM_REFRESH_HIGH), 7);
	rig_stop();
}

/* A read that comes in a refresh waits for its end: 6240 + 128, ACT, RD. */
static void a_read_waits_for_a_refresh(void **state)
{
	(void)state;
	one_rank();
	rig_start(NULL);
	rig_run_to(TREFI + 10);
	assert_int_equal(rig_read(rig_line(0, 0, 0, 0), TREFI + 10),
			 TREFI + TRFC + 11 + 11 + 4 + 4);
	rig_stop();
}

/* The page of a read (RD 15) is closed 100 clocks later. */
static void idle_pages_are_closed(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_IMC_PAGE_IDLE] = 100;
	rig_start(NULL);
	rig_read(rig_line(0, 0, 0, 0), 0);
	rig_run_to(200);
	assert_int_equal(rig_clock_of(DRAM_PRE, 0), 115);
	assert_int_equal(SUM(PRE_COUNT_PAGE_CLOSE), 1);
	assert_int_equal(SUM(PRE_COUNT_PAGE_MISS), 0);
	rig_stop();
}

/* With closed pages the last of a row's column commands closes it. */
static void closed_pages(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_IMC_PAGE_POLICY] = 1;
	rig_start(NULL);
	rig_read(rig_line(0, 0, 0, 0), 0);
	rig_read(rig_line(0, 0, 0, 1), 0);
	rig_run_to(100);
	rig_read(rig_line(0, 0, 1, 0), 100);
	rig_run_to(200);
	assert_int_equal(rig_count(DRAM_CAS_RD), 1);
	assert_int_equal(rig_count(DRAM_CASPRE_RD), 2);
	assert_int_equal(SUM(ACT_COUNT_RD) + SUM(ACT_COUNT_WR), 2);
	assert_int_equal(SUM(CAS_COUNT_RD_REG), 3);
	assert_int_equal(SUM(PRE_COUNT_PAGE_MISS), 0);
	assert_int_equal(SUM(PRE_COUNT_PAGE_CLOSE), 0);
	rig_stop();
}

/* A read's time on idle pages, after many pages of which all were closed by a
 * miss. */
static void the_adaptive_policy_learns(void **state)
{
	uint64_t last, closed;

	(void)state;
	rig_defaults();
	rig.param[PARAM_IMC_PAGE_POLICY] = 2;
	rig.param[PARAM_IMC_PAGE_IDLE] = 1600;
	rig.param[PARAM_IMC_PAGE_WINDOW] = 8;
	rig_start(NULL);
	for (unsigned i = 0; i < 9; i++) {
		rig_run_to(i * 100);
		rig_read(rig_line(0, 0, i, 0), i * 100);
	}
	rig_run_to(10000);
	last = rig_clock_of(DRAM_CAS_RD, 8);
	closed = rig_clock_of(DRAM_PRE, 8);
	assert_int_equal(closed - last, 800);
	/* eight rows that the timer had closed are wanted again */
	for (unsigned i = 0; i < 9; i++) {
		rig_run_to(10000 + i * 2000);
		rig_read(rig_line(0, 0, 8, 0), 10000 + i * 2000);
	}
	rig_run_to(40000);
	last = rig_clock_of(DRAM_CAS_RD, 17);
	closed = rig_clock_of(DRAM_PRE, 17);
	assert_int_equal(closed - last, 1600);
	rig_stop();
}

/* A page closed by a miss, and one closed too soon: the time stays. */
static void of_mistakes_each_way_nothing_is_learnt(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_IMC_PAGE_POLICY] = 2;
	rig.param[PARAM_IMC_PAGE_IDLE] = 1600;
	rig.param[PARAM_IMC_PAGE_WINDOW] = 2;
	rig_start(NULL);
	rig_read(rig_line(0, 0, 0, 0), 0);
	rig_run_to(100);
	rig_read(rig_line(0, 0, 1, 0), 100);
	rig_run_to(4000);
	rig_read(rig_line(0, 0, 1, 0), 4000);
	rig_run_to(10000);
	assert_int_equal(
		rig_clock_of(DRAM_PRE, 2) - rig_clock_of(DRAM_CAS_RD, 2), 1600);
	rig_stop();
}

/* All ranks go down 1000 clocks after the last use: rank 0 of its read (RD 15,
 * its page closed before: PREALL 1015, CKE low 1026), the others 1000 after
 * the beginning, one command in a clock. A read in 2000 wakes rank 0: CKE high
 * 2004, ACT 2009. */
static void power_down(unsigned mode, unsigned txp)
{
	uint64_t back, down;

	rig_defaults();
	rig.param[PARAM_IMC_POWER_DOWN] = mode;
	rig.param[PARAM_IMC_POWER_DOWN_IDLE] = 1000;
	rig_start(NULL);
	rig_read(rig_line(0, 0, 0, 0), 0);
	rig_run_to(2000);
	back = rig_read(rig_line(0, 0, 0, 0), 2000);
	assert_int_equal(back, 2004 + txp + 11 + 11 + 4 + 4);
	rig_run_to(2500);
	assert_int_equal(SUM(DRAM_PRE_ALL), 1);
	assert_int_equal(SUM(POWER_CKE_CYCLES_RANK0), 1026 + 2500 - 2004);
	assert_int_equal(SUM(POWER_CKE_CYCLES_RANK1), 1000);
	assert_int_equal(SUM(POWER_CKE_CYCLES_RANK2), 1001);
	assert_int_equal(SUM(POWER_CKE_CYCLES_RANK3), 1002);
	assert_int_equal(SUM(POWER_CKE_CYCLES_RANK4), 0);
	/* each rank that is down, and the four that are not there */
	down = 2004 - 1026 + 1500 + 1499 + 1498;
	assert_int_equal(SUM(POWER_CHANNEL_PPD), 4 * 2500 + down);
	assert_int_equal(SUM(POWER_CHANNEL_DLLOFF),
			 4 * 2500 + (mode == 2 ? down : 0));
	assert_int_equal(SUM(POWER_SELF_REFRESH), 4 * 2500);
	rig_stop();
}

static void power_down_with_and_without_dll(void **state)
{
	(void)state;
	power_down(1, 5);
	power_down(2, 20);
}

/* An idle channel refreshes itself after 10000 clocks: ENSR, CKE low in the
 * next clock, rank after rank; no refreshes from then on. A read in 100000 has
 * its rank after CKE high, EXSR, tXS and tDLLK. */
static void self_refresh(void **state)
{
	unsigned refreshes;
	uint64_t sum;

	(void)state;
	rig_defaults();
	rig.param[PARAM_DRAM_TREFI] = TREFI;
	rig.param[PARAM_IMC_SELF_REFRESH] = 10000;
	rig_start(NULL);
	rig_run_to(50000);
	refreshes = rig_count(DRAM_RFR);
	assert_int_equal(refreshes, 6);
	rig_run_to(100000);
	assert_int_equal(rig_count(DRAM_RFR), refreshes);
	assert_int_equal(rig_count(DRAM_ENSR), 4);
	/* commands of the ranks take turns: E0 E1 .. would be in order */
	assert_int_equal(SUM(POWER_CKE_CYCLES_RANK0), 10001);
	assert_int_equal(rig_read(rig_line(0, 0, 0, 0), 100000),
			 100004 + 1 + 136 + 512 + 11 + 11 + 4 + 4);
	rig_run_to(101000);
	sum = 4 * 101000 + 100004 - rig_clock_of(DRAM_CKEL, 0);
	for (unsigned i = 1; i < 4; i++)
		sum += 101000 - rig_clock_of(DRAM_CKEL, i);
	assert_int_equal(SUM(POWER_SELF_REFRESH), sum);
	rig_stop();
}

/* A rank that was owed refreshes when it fell asleep is owed none when it
 * wakes: it has refreshed itself. */
static void who_refreshed_itself_is_owed_nothing(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_DRAM_TREFI] = TREFI;
	rig.param[PARAM_IMC_SELF_REFRESH] = 10000;
	rig.param[PARAM_IMC_REFRESH_IDLE] = 20000;
	rig.param[PARAM_IMC_REFRESH_HIGH] = 1;
	rig_start(NULL);
	rig_run_to(100000);
	assert_int_equal(rig_read(rig_line(0, 0, 0, 0), 100000),
			 100004 + 1 + 136 + 512 + 11 + 11 + 4 + 4);
	assert_int_equal(rig_count(DRAM_RFR), 0);
	rig_stop();
}

/* 40 % of the time no rank may be used: a read in 4010 of a period of 4000
 * waits until 5600. */
static void throttling_by_the_pcu(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_IMC_THROTTLE] = 40;
	rig_start(NULL);
	rig_run_to(4010);
	assert_int_equal(rig_read(rig_line(0, 0, 0, 0), 4010),
			 5600 + 11 + 11 + 4 + 4);
	rig_run_to(6000);
	assert_int_equal(SUM(POWER_THROTTLE_CYCLES_RANK0), 6000);
	assert_int_equal(SUM(POWER_THROTTLE_CYCLES_RANK3), 6000);
	assert_int_equal(SUM(POWER_THROTTLE_CYCLES_RANK4), 0);
	rig_stop();
}

/* Heat from the look at the sensors in 8000 on: 60 K up in 100000 clocks, from
 * 38 C. 85 C are reached after 47 / 60 of it, 95 C after 57 / 60, and left as
 * long before the end. DIMM 0 has ranks 0 and 1. */
static void a_dimm_becomes_hot(void **state)
{
	(void)state;
	rig_defaults();
	rig_start("heat:count=1");
	rig_run_to(8000 + 100000);
	assert_int_equal(rig_read(rig_line(2, 0, 0, 0), 108000),
			 8000 + 200000 - 95000 + 11 + 11 + 4 + 4);
	rig_run_to(300000);
	assert_int_equal(SUM(POWER_THROTTLE_CYCLES_RANK0), 200000 - 2 * 78333);
	assert_int_equal(SUM(POWER_THROTTLE_CYCLES_RANK1), 200000 - 2 * 78333);
	assert_int_equal(SUM(POWER_THROTTLE_CYCLES_RANK2), 0);
	assert_int_equal(SUM(POWER_CRITICAL_THROTTLE_CYCLES),
			 200000 - 2 * 95000);
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_ranks_are_refreshed),
		cmocka_unit_test(misses_let_urgent_refreshes_pass),
		cmocka_unit_test(hits_do_not),
		cmocka_unit_test(a_read_waits_for_a_refresh),
		cmocka_unit_test(idle_pages_are_closed),
		cmocka_unit_test(closed_pages),
		cmocka_unit_test(the_adaptive_policy_learns),
		cmocka_unit_test(of_mistakes_each_way_nothing_is_learnt),
		cmocka_unit_test(power_down_with_and_without_dll),
		cmocka_unit_test(self_refresh),
		cmocka_unit_test(who_refreshed_itself_is_owed_nothing),
		cmocka_unit_test(throttling_by_the_pcu),
		cmocka_unit_test(a_dimm_becomes_hot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
