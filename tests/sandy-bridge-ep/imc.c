/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A memory channel: what single requests take and leave behind in events,
 * worked out by hand from the parameters.
 *
 * DDR3-1600 11-11-11: an activate 11 clocks before its column command, CL 11,
 * a burst of 4, CWL 8; 4 clocks before the first command and 4 on the way back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "imc_rig.h"

#define SUM(name) rig_sum(SIG_IMC_##name)

static void start(void)
{
	rig_defaults();
	rig_start(NULL);
}

/* Arrives in 10: ACT 14, RD 25, data 36 to 40, there in 44. */
static void a_read_of_a_closed_row(void **state)
{
	(void)state;
	start();
	rig_run_to(10);
	assert_int_equal(rig_read(rig_line(0, 0, 5, 0), 10), 44);
	rig_run_to(100);
	assert_int_equal(rig_clock_of(DRAM_RAS, 0), 14);
	assert_int_equal(rig_clock_of(DRAM_CAS_RD, 0), 25);
	assert_int_equal(SUM(ACT_COUNT_RD) + SUM(ACT_COUNT_WR), 1);
	assert_int_equal(SUM(CAS_COUNT_RD_REG), 1);
	assert_int_equal(SUM(PRE_COUNT_PAGE_MISS), 0);
	assert_int_equal(SUM(RPQ_INSERTS), 1);
	assert_int_equal(SUM(RPQ_OCCUPANCY), 15);
	assert_int_equal(rig_busy(SIG_IMC_RPQ_OCCUPANCY), 15);
	assert_int_equal(SUM(MAJOR_MODES_READ), 100);
	assert_int_equal(SUM(CLOCKTICKS), 100);
	rig_stop();
}

/* The row is open: RD 104. Another row: PRE 204, ACT 215, RD 226. */
static void a_hit_and_a_miss(void **state)
{
	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_run_to(100);
	assert_int_equal(rig_read(rig_line(0, 0, 5, 9), 100), 104 + 11 + 4 + 4);
	rig_run_to(200);
	assert_int_equal(rig_read(rig_line(0, 0, 6, 9), 200), 226 + 11 + 4 + 4);
	rig_run_to(300);
	assert_int_equal(SUM(ACT_COUNT_RD) + SUM(ACT_COUNT_WR), 2);
	assert_int_equal(SUM(PRE_COUNT_PAGE_MISS), 1);
	assert_int_equal(SUM(PRE_COUNT_PAGE_CLOSE), 0);
	assert_int_equal(SUM(CAS_COUNT_RD_REG), 3);
	rig_stop();
}

/* With 3.625 cycles of the uncore to a clock: the read that comes in cycle 10
 * enters in clock 3, which begins in cycle 11; all is there in clock 3 + 34,
 * which begins in cycle ceil(37 * 3.625) = 135. */
static void clocks_are_rounded_up(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_UNCORE_CLOCK] = 2900;
	rig_start(NULL);
	rig_run_to(10);
	assert_int_equal(rig_read(rig_line(0, 0, 5, 0), 10), 135);
	rig_run_to(2900);
	assert_int_equal(SUM(RPQ_OCCUPANCY), 15);
	assert_int_equal(SUM(CLOCKTICKS), 800);
	assert_int_equal(SUM(MAJOR_MODES_READ), 800);
	rig_stop();
}

/* An idle read takes 40 to 45 ns at the machine's own clocks. */
static void an_idle_read_in_time(void **state)
{
	uint64_t cycles;

	(void)state;
	rig_defaults();
	rig.param[PARAM_UNCORE_CLOCK] = 2900;
	rig_start(NULL);
	cycles = rig_read(rig_line(0, 0, 5, 0), 0);
	assert_in_range(cycles, 116, 130);
	rig_stop();
}

/* Nobody reads: a write goes at once, ACT 4, WR 15, in read mode. */
static void a_write_alone(void **state)
{
	(void)state;
	start();
	rig_write(rig_line(0, 0, 5, 0), 0);
	assert_false(imc_is_idle(rig.imc, 14));
	rig_run_to(100);
	assert_int_equal(rig_clock_of(DRAM_CAS_WR, 0), 15);
	assert_int_equal(SUM(WPQ_INSERTS), 1);
	assert_int_equal(SUM(WPQ_OCCUPANCY), 15);
	assert_int_equal(SUM(CAS_COUNT_WR_RMM), 1);
	assert_int_equal(SUM(CAS_COUNT_WR_WMM), 0);
	rig_stop();
}

/* A write waits until the read that is known has its column command (15), and
 * goes to another bank then: ACT 16, since a clock has one command, WR 27. */
static void a_write_waits_for_a_read(void **state)
{
	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_write(rig_line(0, 1, 5, 0), 0);
	rig_run_to(100);
	assert_int_equal(rig_clock_of(DRAM_CAS_RD, 0), 15);
	assert_int_equal(rig_clock_of(DRAM_CAS_WR, 0), 27);
	assert_int_equal(SUM(WPQ_OCCUPANCY), 27);
	assert_int_equal(SUM(CAS_COUNT_WR_RMM), 1);
	rig_stop();
}

/* With imc.write_idle it waits for so long behind that: ACT 115, WR 126. */
static void a_write_waits_for_quiet(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_IMC_WRITE_IDLE] = 100;
	rig_start(NULL);
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_write(rig_line(0, 1, 5, 0), 0);
	rig_run_to(300);
	assert_int_equal(rig_clock_of(DRAM_CAS_WR, 0), 126);
	assert_int_equal(SUM(CAS_COUNT_WR_RMM), 1);
	/* long after the last read it goes at once: ACT 304 */
	rig_write(rig_line(1, 1, 5, 0), 300);
	rig_run_to(400);
	assert_int_equal(rig_clock_of(DRAM_CAS_WR, 1), 315);
	rig_stop();
}

/* 24 writes for one row wait while a read goes on; the 24th begins write mode
 * behind the read's column command (15). The row is opened before, tRRD behind
 * the read's: ACT 4 + 5; 16 column commands 4 clocks apart, the first when the
 * read's data have left the bus: 15 + 11 + 4 + 2 - 8. The other 8 go after it.
 */
static void write_mode(void **state)
{
	uint64_t first, last;

	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	for (unsigned i = 0; i < 24; i++)
		rig_write(rig_line(0, 1, 5, i), 0);
	rig_run_to(1000);
	first = rig_clock_of(DRAM_CAS_WR, 0);
	last = rig_clock_of(DRAM_CAS_WR, 15);
	assert_int_equal(rig_clock_of(DRAM_RAS, 1), 9);
	assert_int_equal(first, 24);
	assert_int_equal(last, first + 15 * 4);
	assert_int_equal(SUM(CAS_COUNT_WR_WMM), 16);
	assert_int_equal(SUM(CAS_COUNT_WR_RMM), 8);
	assert_int_equal(SUM(MAJOR_MODES_WRITE), last + 1 - 16);
	assert_int_equal(SUM(MAJOR_MODES_READ), 1000 - (last + 1 - 16));
	rig_stop();
}

/* Two rows of a bank in turns: 12 of the first, then 4 of the second, and the 8
 * that are left are of that, too. In the order of their coming each would open
 * a row. */
static void write_mode_takes_what_is_open(void **state)
{
	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	for (unsigned i = 0; i < 24; i++)
		rig_write(rig_line(0, 1, 5 + i % 2, i / 2), 0);
	rig_run_to(1000);
	assert_int_equal(SUM(CAS_COUNT_WR_WMM), 16);
	assert_int_equal(SUM(ACT_COUNT_RD) + SUM(ACT_COUNT_WR), 1 + 2);
	rig_stop();
}

/* The four that came first are for four rows of one bank, of which one can be
 * open: 15 of the others, for five more banks, go meanwhile, and the data bus
 * has no gap. */
static void write_mode_goes_on_in_other_banks(void **state)
{
	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	for (unsigned i = 0; i < 4; i++)
		rig_write(rig_line(0, 1, 5 + i, 0), 0);
	for (unsigned i = 0; i < 20; i++)
		rig_write(rig_line(0, 2 + i / 4, 5, i % 4), 0);
	rig_run_to(200);
	assert_int_equal(SUM(CAS_COUNT_WR_WMM), 16);
	assert_int_equal(rig_clock_of(DRAM_CAS_WR, 15),
			 rig_clock_of(DRAM_CAS_WR, 0) + 15 * 4);
	rig_stop();
}

/* Reads of a line that waits to be written, and writes of it, need no DRAM. */
static void lines_in_the_write_queue(void **state)
{
	uint64_t line = rig_line(0, 1, 5, 0);

	(void)state;
	start();
	line = rig_line(0, 1, 5, 0);
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_write(line, 0);
	rig_write(line, 3);
	/* enters in 5, has looked by 9, a line of WPQ in 11, there in 15 */
	assert_int_equal(rig_read(line, 5), 5 + 4 + 2 + 4);
	assert_int_equal(rig_underfill(line, 5), 5 + 4 + 2 + 4);
	rig_run_to(200);
	assert_int_equal(SUM(WPQ_READ_HIT), 2);
	assert_int_equal(SUM(WPQ_WRITE_HIT), 1);
	assert_int_equal(SUM(WPQ_INSERTS), 1);
	assert_int_equal(SUM(CAS_COUNT_WR_RMM), 1);
	assert_int_equal(SUM(RPQ_INSERTS), 3);
	assert_int_equal(SUM(RPQ_OCCUPANCY), 15 + 4 + 4);
	assert_int_equal(SUM(CAS_COUNT_RD_REG), 1);
	assert_int_equal(SUM(CAS_COUNT_RD_UNDERFILL), 0);
	/* it has gone: the next one is a read again */
	rig_read(line, 200);
	rig_run_to(300);
	assert_int_equal(SUM(CAS_COUNT_RD_REG), 2);
	rig_stop();
}

/* Two writes wait, and while time stands others come: behind that the latest
 * two wait, whatever waited before. */
static void the_latest_writes_wait_behind_a_stretch(void **state)
{
	(void)state;
	for (unsigned num = 1; num < 80; num += 13) {
		rig_defaults();
		rig.param[PARAM_IMC_WRITE_IDLE] = 1000;
		rig.param[PARAM_IMC_PAGE_POLICY] = 1; /* closed */
		rig_start(NULL);
		rig_read(rig_line(0, 0, 5, 0), 0);
		rig_write(rig_line(0, 1, 5, 0), 0);
		rig_write(rig_line(0, 2, 5, 0), 0);
		for (unsigned i = 0; i < num; i++)
			imc_pass(rig.imc, IMC_WRITE, rig_line(1, 3, i, 0), 0);
		imc_go_on(rig.imc);
		rig_read(rig_line(0, 1, 5, 0), 100);
		if (num > 2)
			rig_read(rig_line(1, 3, num - 3, 0), 100);
		assert_int_equal(SUM(WPQ_READ_HIT), 0);
		rig_read(rig_line(1, 3, num - 1, 0), 100);
		if (num > 1)
			rig_read(rig_line(1, 3, num - 2, 0), 100);
		else
			rig_read(rig_line(0, 2, 5, 0), 100);
		rig_run_to(3000);
		assert_int_equal(SUM(WPQ_READ_HIT), 2);
		assert_int_equal(rig_count(DRAM_CASPRE_WR), 2);
		rig_stop();
	}
}

/* Seven misses in one bank, 39 clocks apart (tRC), would keep an underfill read
 * waiting until 249; its patience ends in 4 + 64. ACT 68, RD 79; partial mode
 * from 68 up to its command. */
static void an_underfill_read_starves(void **state)
{
	(void)state;
	start();
	for (unsigned i = 0; i < 7; i++)
		rig_read(rig_line(0, 0, i, 0), 0);
	rig_underfill(rig_line(1, 0, 0, 0), 0);
	rig_run_to(500);
	assert_int_equal(SUM(CAS_COUNT_RD_UNDERFILL), 1);
	assert_int_equal(SUM(MAJOR_MODES_PARTIAL), 79 + 1 - 68);
	rig_stop();
	start();
	rig_underfill(rig_line(1, 0, 0, 0), 0);
	rig_run_to(500);
	assert_int_equal(SUM(CAS_COUNT_RD_UNDERFILL), 1);
	assert_int_equal(SUM(MAJOR_MODES_PARTIAL), 0);
	rig_stop();
}

/* An isochronous read has the channel from its entry (100) up to its command
 * (115): a hit of another rank that comes later waits for that, the burst and
 * the clock between ranks. */
static void isochronous_reads(void **state)
{
	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_run_to(100);
	rig_isoch(rig_line(1, 0, 0, 0), 100);
	assert_int_equal(rig_read(rig_line(0, 0, 5, 1), 100),
			 115 + 4 + 1 + 11 + 4 + 4);
	rig_run_to(200);
	assert_int_equal(SUM(MAJOR_MODES_ISOCH), 16);
	assert_int_equal(SUM(MAJOR_MODES_READ), 200 - 16);
	rig_stop();
}

/* A row is closed for another read while a write, or a read, that is in its
 * queue wants it. */
static void preemption(void **state)
{
	(void)state;
	start();
	rig_read(rig_line(0, 0, 5, 0), 0);
	rig_run_to(100);
	rig_read(rig_line(1, 0, 0, 0), 100);
	rig_write(rig_line(0, 0, 5, 1), 100);
	rig_read(rig_line(0, 0, 6, 0), 100);
	rig_run_to(200);
	assert_int_equal(SUM(PREEMPTION_RD_PREEMPT_WR), 1);
	assert_int_equal(SUM(PREEMPTION_RD_PREEMPT_RD), 0);
	rig_run_to(300);
	/* the bank has row 5 again, for the write */
	rig_read(rig_line(0, 0, 6, 0), 300);
	rig_read(rig_line(0, 0, 5, 0), 300);
	rig_read(rig_line(0, 0, 7, 0), 400);
	rig_read(rig_line(0, 0, 5, 0), 500);
	rig_run_to(600);
	assert_int_equal(SUM(PREEMPTION_RD_PREEMPT_RD), 1);
	rig_stop();
}

/* RPQ holds 22: the 23rd of as many misses in a bank waits for the first. */
static void the_read_queue_is_full(void **state)
{
	(void)state;
	start();
	for (unsigned i = 0; i < 22; i++) {
		assert_int_equal(imc_read_from(rig.imc, 0), 0);
		rig_read(rig_line(0, 0, i, 0), 0);
	}
	assert_int_equal(imc_read_from(rig.imc, 0), 15);
	rig_read(rig_line(0, 0, 22, 0), 0);
	rig_run_to(2000);
	assert_int_equal(SUM(RPQ_INSERTS), 23);
	/* 22 of them wait 15 + 39 n, the last 15 + 22 * 39 - 15 */
	assert_int_equal(SUM(RPQ_OCCUPANCY),
			 22 * 15 + 39 * (21 * 22 / 2) + 22 * 39);
	rig_stop();
}

static void an_error_that_ecc_puts_right(void **state)
{
	(void)state;
	rig_defaults();
	rig_start("ecc:count=1");
	assert_int_equal(rig_read(rig_line(0, 0, 5, 0), 0), 34 + 8);
	assert_int_equal(rig_read(rig_line(1, 0, 5, 0), 200), 200 + 34);
	rig_run_to(300);
	assert_int_equal(SUM(ECC_CORRECTABLE_ERRORS), 1);
	rig_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_of_a_closed_row),
		cmocka_unit_test(a_hit_and_a_miss),
		cmocka_unit_test(clocks_are_rounded_up),
		cmocka_unit_test(an_idle_read_in_time),
		cmocka_unit_test(a_write_alone),
		cmocka_unit_test(a_write_waits_for_a_read),
		cmocka_unit_test(a_write_waits_for_quiet),
		cmocka_unit_test(write_mode),
		cmocka_unit_test(write_mode_takes_what_is_open),
		cmocka_unit_test(write_mode_goes_on_in_other_banks),
		cmocka_unit_test(lines_in_the_write_queue),
		cmocka_unit_test(the_latest_writes_wait_behind_a_stretch),
		cmocka_unit_test(an_underfill_read_starves),
		cmocka_unit_test(isochronous_reads),
		cmocka_unit_test(preemption),
		cmocka_unit_test(the_read_queue_is_full),
		cmocka_unit_test(an_error_that_ecc_puts_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
