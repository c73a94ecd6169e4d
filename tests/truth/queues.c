/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Little's law: the occupancy of a queue, summed over cycles, is the number of
 * entries times the mean time that an entry stays. Where nothing is contended
 * that time is a number that can be set, and the equation is exact. One core
 * follows pointers, so that one request is under way at a time. See
 * docs/proof.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lab.h"

enum { LINES = 8192, LOOKUP_CYCLES = 10, DATA_CYCLES = 14 };

/* 8192 lines: more than the L2 has, less than the LLC has. */
static struct lab chase(unsigned sockets, bool twice)
{
	return (struct lab){
		.sockets = sockets,
		.workload = twice ? "chase:threads=1,size=512K,passes=2"
				  : "chase:threads=1,size=512K,passes=1",
	};
}

/* A request is in the IRQ while it is looked up. */
static void a_request_alone_waits_for_its_lookup(void **state)
{
	struct lab lab = chase(1, false);

	(void)state;
	assert_int_equal(lab_count(&lab, 0, "cbox/TRANS_IRQ/"), LINES);
	assert_int_equal(lab_count(&lab, 0, "cbox/OCCUPANCY_IRQ/"),
			 LINES * LOOKUP_CYCLES);
}

/* With twice the time of a look-up it is twice the occupancy. */
static void occupancy_follows_the_time_set(void **state)
{
	struct lab lab = chase(1, false);

	(void)state;
	lab.settings[0] = "llc.lookup_cycles=20";
	assert_int_equal(lab_count(&lab, 0, "cbox/OCCUPANCY_IRQ/"), LINES * 20);
}

/* The second pass hits some of its lines in the L2 and the others in the LLC,
 * where each is in the MAF until its data are read. */
static void a_hit_is_tracked_until_its_data_are_read(void **state)
{
	struct lab once = chase(1, false), twice = chase(1, true);
	uint64_t hits = lab_count(&twice, 0, "cbox/LLC_HITS.ALL/");

	(void)state;
	assert_in_range(hits, LINES / 2, LINES);
	assert_int_equal(lab_count(&twice, 0, "cbox/LLC_MISSES.ALL/"), LINES);
	assert_int_equal(lab_count(&twice, 0, "cbox/OCCUPANCY_MAF/") -
				 lab_count(&once, 0, "cbox/OCCUPANCY_MAF/"),
			 hits * DATA_CYCLES);
}

/* A snoop for a line that is not there is answered after its look-up. */
static void a_snoop_alone_waits_for_its_lookup(void **state)
{
	struct lab lab = chase(2, false);

	(void)state;
	assert_int_equal(lab_count(&lab, 1, "cbox/TRANS_IPQ/"), LINES);
	assert_int_equal(lab_count(&lab, 1, "cbox/OCCUPANCY_IPQ/"),
			 LINES * LOOKUP_CYCLES);
}

/* Nobody else is in the way to the ring: no request waits for it. */
static void a_request_alone_does_not_wait_for_the_ring(void **state)
{
	struct lab lab = chase(1, false);

	(void)state;
	assert_int_equal(lab_count(&lab, 0, "cbox/TRANS_RWRF/"), LINES);
	assert_int_equal(lab_count(&lab, 0, "cbox/OCCUPANCY_RWRF/"), 0);
}

/* The tracker and the IMT hold a read for the same time when there is nobody to
 * snoop: from the request to the answer of memory. Their sub-counters pass on
 * one count per 256 and per 32; each box may still keep up to 255 and 31. */
static void tracker_and_imt_hold_a_read_equally_long(void **state)
{
	struct lab lab = chase(1, false);
	uint64_t tracked = lab_count(&lab, 0, "bbox/TF_ALL/");
	uint64_t in_table = lab_count(&lab, 0, "bbox/IMT_VALID_OCCUPANCY/");

	(void)state;
	assert_true(tracked > 0);
	assert_in_range(in_table, tracked - 2 * 31, tracked + 2 * 255);
}

/* The request table entry is held longer than the tracker entry: by the ways
 * to the home and back, and each read is the same in this. */
static void a_request_is_out_longer_than_it_is_tracked(void **state)
{
	struct lab lab = chase(1, false);
	uint64_t table = lab_count(&lab, 0, "sbox/REQ_TBL_OCCUPANCY.ALL/");

	(void)state;
	assert_true(table > lab_count(&lab, 0, "bbox/TF_ALL/"));
	assert_int_equal(lab_count(&lab, 0, "sbox/TO_R_B_REQUESTS.ALL/"),
			 LINES);
}

/* Under a crowd the mean is longer than a look-up, and the sum no more than the
 * places of the queues times the cycles. */
static void a_crowd_waits_longer(void **state)
{
	struct lab lab = { .sockets = 1,
			   .workload = "random:threads=8,size=16M,count=1000",
			   .settings = { "cbox.maf=4" } };
	uint64_t occupancy = lab_count(&lab, 0, "cbox/OCCUPANCY_IRQ/");
	uint64_t entries = lab_count(&lab, 0, "cbox/TRANS_IRQ/");
	uint64_t cycles = lab_count(&lab, 0, "wbox/FIXED_CTR/");

	(void)state;
	assert_true(occupancy > entries * LOOKUP_CYCLES);
	/* slices of 24 places */
	assert_true(occupancy < cycles * lab_cores() * 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_alone_waits_for_its_lookup),
		cmocka_unit_test(occupancy_follows_the_time_set),
		cmocka_unit_test(a_hit_is_tracked_until_its_data_are_read),
		cmocka_unit_test(a_snoop_alone_waits_for_its_lookup),
		cmocka_unit_test(a_request_alone_does_not_wait_for_the_ring),
		cmocka_unit_test(tracker_and_imt_hold_a_read_equally_long),
		cmocka_unit_test(a_request_is_out_longer_than_it_is_tracked),
		cmocka_unit_test(a_crowd_waits_longer),
	};

	return LAB_RUN(tests);
}
