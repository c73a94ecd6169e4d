/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Bypasses, credits and sizes of the S-Box. Where one core follows pointers
 * nothing is ever in the way, so each packet takes its bypass and each credit
 * goes back in an idle flit of its own; under a crowd the same counts are
 * bounds. Queues of one place must do the same work, only more slowly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/truth/lab.h"

enum { LINES = 2048, SBOX_CYCLES = 6, BYPASS_CYCLES = 2 };

/* One core, 2048 lines, each missed once. */
static struct lab chase(unsigned sockets)
{
	return (struct lab){ .sockets = sockets,
			     .workload = "chase:threads=1,size=128K,passes=1" };
}

static struct lab crowd(unsigned sockets)
{
	return (struct lab){ .sockets = sockets,
			     .workload = "random:threads=16,place=scatter,"
					 "shared=1,size=256K,count=120,"
					 "write=40,gap=0",
			     .settings = { "llc.slice=12", "llc.ways=4" } };
}

static void each_request_alone_takes_a_bypass(void **state)
{
	struct lab lab = chase(1);
	uint64_t to_r = all(&lab, "sbox/PKTS_SENT_HOM.RBOX/");
	uint64_t to_b = all(&lab, "sbox/PKTS_SENT_HOM.BBOX/");

	(void)state;
	assert_int_equal(to_r + to_b, LINES);
	assert_int_equal(all(&lab, "sbox/RBOX_HOM_BYPASS/"), to_r);
	assert_int_equal(all(&lab, "sbox/BBOX_HOM_BYPASS/"), to_b);
	assert_int_equal(all(&lab, "sbox/HALFLINE_BYPASS/"), LINES);
	assert_int_equal(all(&lab, "sbox/TO_R_B_HOM_MSGQ_OCCUPANCY.RBBOX/"),
			 LINES * (SBOX_CYCLES - BYPASS_CYCLES));
	assert_int_equal(all(&lab, "sbox/TO_RING_R2S_MSGQ_OCCUPANCY/"),
			 to_r * (SBOX_CYCLES - BYPASS_CYCLES));
	/* that of the channel and the half-line bypass */
	assert_int_equal(all(&lab, "sbox/TO_RING_B2S_MSGQ_OCCUPANCY/"),
			 to_b * (SBOX_CYCLES - 2 * BYPASS_CYCLES));
}

/* Snoops to one socket and to several are told apart. */
static void a_broadcast_is_a_big_snoop(void **state)
{
	struct lab two = chase(2), four = chase(4);

	(void)state;
	assert_int_equal(all(&two, "sbox/RBOX_SNP_BYPASS.SNP/"), LINES);
	assert_int_equal(all(&two, "sbox/RBOX_SNP_BYPASS.BIG_SNP/"), 0);
	assert_int_equal(all(&four, "sbox/RBOX_SNP_BYPASS.SNP/"), 0);
	assert_int_equal(all(&four, "sbox/RBOX_SNP_BYPASS.BIG_SNP/"), LINES);
	assert_int_equal(all(&four, "sbox/PKTS_SENT_SNP/"), LINES);
	assert_int_equal(all(&four, "sbox/PKTS_RCVD_SNP/"), 3 * LINES);
}

/* The channels' bypasses carry message flits and idle flits. */
static void channels_carry_messages_and_idle_flits(void **state)
{
	struct lab lab = chase(1);

	(void)state;
	assert_int_equal(all(&lab, "sbox/S2B_HOM_BYPASS/"),
			 all(&lab, "sbox/BBOX_HOM_BYPASS/") +
				 all(&lab, "sbox/BBOX_CREDIT_RETURNS/"));
	assert_int_equal(all(&lab, "sbox/B2S_DRS_BYPASS/"),
			 9 * all(&lab, "sbox/PKTS_RCVD_DRS_FROM_B/") +
				 all(&lab, "sbox/BBOX_CREDITS/"));
}

static void each_packet_alone_gives_an_idle_flit_back(void **state)
{
	struct lab lab = chase(1);

	(void)state;
	assert_int_equal(all(&lab, "sbox/RBOX_CREDIT_CARRIERS/"),
			 all(&lab, "sbox/PKTS_SENT_HOM.RBOX/"));
	assert_int_equal(all(&lab, "sbox/BBOX_CREDITS/"),
			 all(&lab, "sbox/PKTS_SENT_HOM.BBOX/"));
	assert_int_equal(all(&lab, "sbox/RBOX_CREDIT_RETURNS/"),
			 all(&lab, "sbox/PKTS_RCVD_DRS_FROM_R/"));
	assert_int_equal(all(&lab, "sbox/BBOX_CREDIT_RETURNS/"),
			 all(&lab, "sbox/PKTS_RCVD_DRS_FROM_B/"));
}

/* Under a crowd some credits travel in packets and some share a flit. */
static void a_crowd_saves_idle_flits(void **state)
{
	struct lab lab = crowd(2);
	uint64_t from_r = lab_ports(&lab, LAB_ALL, "sbox", "PACKETS");
	uint64_t returns = all(&lab, "sbox/RBOX_CREDIT_RETURNS/");

	(void)state;
	assert_true(returns > 0 && returns < from_r);
	assert_true(all(&lab, "sbox/RBOX_HOM_BYPASS/") <
		    all(&lab, "sbox/PKTS_SENT_HOM.RBOX/"));
	assert_true(all(&lab, "sbox/HALFLINE_BYPASS/") <
		    all(&lab, "sbox/PKTS_RCVD_DRS_FROM_R/") +
			    all(&lab, "sbox/PKTS_RCVD_DRS_FROM_B/"));
}

static void bypasses_save_time(void **state)
{
	struct lab lab = chase(1), slow = chase(1);
	uint64_t with;

	(void)state;
	lab.settings[0] = slow.settings[0] = "memory.hemisphere=off";
	slow.settings[1] = "sbox.bypass_cycles=0";
	with = all(&lab, "sbox/REQ_TBL_OCCUPANCY.ALL/");
	/* some of it is lost where memory waits for its own clock */
	assert_in_range(all(&slow, "sbox/REQ_TBL_OCCUPANCY.ALL/") - with,
			LINES * BYPASS_CYCLES, LINES * 3 * BYPASS_CYCLES);
}

/* The buffer that ring bound SNP, NCS and NCB share. */
static void a_shared_buffer_is_never_overfull(void **state)
{
	struct lab lab = crowd(4);

	(void)state;
	lab.settings[2] = "sbox.ring_queue=3";
	lab.settings[3] = "cbox.ipq=1";
	assert_true(all(&lab, "sbox/TO_RING_MSGQ_OCCUPANCY.ALL,threshold=3/"));
	assert_int_equal(
		all(&lab, "sbox/TO_RING_MSGQ_OCCUPANCY.ALL,threshold=4/"), 0);
}

static void a_full_queue_has_what_it_was_given(void **state)
{
	struct lab lab = crowd(2);

	(void)state;
	lab.settings[2] = "sbox.ring_ndr_queue=1";
	assert_int_equal(all(&lab, "sbox/TO_RING_NDR_MSGQ_CYCLES_FULL/"),
			 all(&lab, "sbox/TO_RING_NDR_MSGQ_CYCLES_NE/"));
	assert_int_equal(
		all(&lab, "sbox/TO_RING_NDR_MSGQ_OCCUPANCY,threshold=2/"), 0);
}

#define ONE_PLACE                                                              \
	"sbox.egress=1", "sbox.ring_snp_queue=1", "sbox.ring_ndr_queue=1",     \
		"sbox.ring_r2s_queue=1", "sbox.ring_b2s_queue=1",              \
		"sbox.drs_queue=1", "sbox.bbox_vna=0", "cbox.ipq=1"

/* lab_run() fails where a run does not come to an end. */
static void one_place_is_enough(void **state)
{
	struct lab lab = { .sockets = 4,
			   .workload = "random:threads=16,place=scatter,"
				       "shared=1,size=64K,count=100,write=40,"
				       "gap=0",
			   .settings = { ONE_PLACE } };

	(void)state;
	assert_int_equal(
		all(&lab, "sbox/TO_R_B_REQUESTS.ALL/") +
			all(&lab,
			    "bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=AckCnflt/"),
		all(&lab, "bbox/MSG_IN_MATCH,mc=HOM0/"));
}

#define SLOW                                                                   \
	"rbox.vna=11", "rbox.cycles=500", "sbox.ncs_queue=1",                  \
		"sbox.ncb_queue=1", "sbox.ndr_queue=1",                        \
		"sbox.ring_nc_queue=1", "sbox.egress=1"

static void one_place_is_enough_for_messages(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "ipi:threads=10,place=scatter,count=20"
				       "+io:threads=10,place=scatter,op=mix,"
				       "count=20",
			   .settings = { SLOW } };

	(void)state;
	assert_int_equal(all(&lab, "sbox/PKTS_SENT_NDR/"), 10 * 20);
	assert_true(all(&lab, "sbox/TO_R_NDR_MSGQ_CYCLES_FULL/") > 0);
	lab.workload = "special:threads=20,place=scatter,count=10";
	assert_int_equal(all(&lab, "sbox/PKTS_SENT_NDR/"), 20 * 10 * 2);
	assert_true(all(&lab, "sbox/NO_CREDIT_LOC_NCS/") > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_request_alone_takes_a_bypass),
		cmocka_unit_test(a_broadcast_is_a_big_snoop),
		cmocka_unit_test(channels_carry_messages_and_idle_flits),
		cmocka_unit_test(each_packet_alone_gives_an_idle_flit_back),
		cmocka_unit_test(a_crowd_saves_idle_flits),
		cmocka_unit_test(bypasses_save_time),
		cmocka_unit_test(a_shared_buffer_is_never_overfull),
		cmocka_unit_test(a_full_queue_has_what_it_was_given),
		cmocka_unit_test(one_place_is_enough),
		cmocka_unit_test(one_place_is_enough_for_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
