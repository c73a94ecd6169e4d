/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The request table of an S-Box, and a packet alone on its way to the system:
 * its times and all that is seen of it, worked out by hand. With the default
 * parameters the box takes 6 cycles, each bypass saves 2, and the B-Box gives a
 * credit back after 12.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "signals.h"
#include "tests/nehalem-ex/agent_rig.h"

#define BUSY(name, n) assert_int_equal(rig_busy(SIG_SBOX_##name), n)

enum { FAR = 5000 };

static uint64_t send(struct packet packet, uint64_t at)
{
	uint64_t taken, there;

	there = agent_send(rig_agent(0, 0), &packet, at, &taken);
	assert_int_equal(taken, at);
	return there;
}

/* At 1000: past the box by 1004, where the B-Box has it; it takes it out of its
 * buffer at 1016. */
static void a_request_for_the_own_bbox(void **state)
{
	(void)state;
	rig_start(2, NULL, true);
	rig_at(1000);
	assert_int_equal(send(rig_request(NODE_BBOX(0, 0)), 1000), 1004);
	rig_at(FAR);
	SUM(TO_R_B_REQUESTS_LOCAL, 1);
	SUM(TO_R_B_HOM_MSGQ_BBOX, 4);
	SUM(PKTS_SENT_HOM_BBOX, 1);
	SUM(BBOX_HOM_BYPASS, 1);
	SUM(S2B_HOM_BYPASS, 1);
	SUM(BBOX_CREDITS, 1);
	SUM(B2S_DRS_BYPASS, 1);
	SUM(NO_CREDIT_VNA_BBOX, 0);
	SUM(TO_R_PKT, 0);
	assert_int_equal(rig.num_rides, 0);
	rig_end();
}

/* At 1000: in the R-Box from 1004 on, at its home one flit and 40 cycles later.
 * Its snoop may leave then too, but the wire is taken: 1005. */
static void a_request_and_its_snoop(void **state)
{
	struct packet packet = rig_request(NODE_BBOX(1, 1)), snoop;
	uint64_t arrived[EX_MAX_SOCKETS];

	(void)state;
	rig_start(2, NULL, true);
	rig_at(1000);
	assert_int_equal(send(packet, 1000), 1045);
	agent_send_snoops(&rig.ex, rig_agent(0, 0), &packet, &snoop, 1000,
			  arrived);
	assert_int_equal(arrived[1], 1046);
	rig_at(FAR);
	SUM(TO_R_B_REQUESTS_REMOTE, 1);
	SUM(TO_R_B_HOM_MSGQ_RBOX, 4);
	SUM(TO_R_SNP_MSGQ, 5);
	SUM(PKTS_SENT_HOM_RBOX, 1);
	SUM(PKTS_SENT_SNP, 1);
	SUM(RBOX_HOM_BYPASS, 1);
	SUM(RBOX_SNP_BYPASS_SNP, 1);
	SUM(RBOX_SNP_BYPASS_BIG_SNP, 0);
	SUM(RBOX_CREDIT_CARRIERS, 2);
	SUM(TO_R_PKT, 2);
	rig_end();
}

/* Three snoops: the first at 1004, the others when they are through the box
 * without a bypass, 1006 and 1007. */
static void a_broadcast(void **state)
{
	struct packet packet = rig_request(NODE_BBOX(0, 0)), snoop;
	uint64_t arrived[EX_MAX_SOCKETS];

	(void)state;
	rig_start(4, NULL, true);
	rig_at(1000);
	agent_send_snoops(&rig.ex, rig_agent(0, 0), &packet, &snoop, 1000,
			  arrived);
	assert_int_equal(arrived[1], 1045);
	assert_int_equal(arrived[2], 1047);
	assert_int_equal(arrived[3], 1048);
	rig_at(FAR);
	SUM(TO_R_SNP_MSGQ, 4 + 6 + 7);
	SUM(PKTS_SENT_SNP, 1);
	SUM(RBOX_SNP_BYPASS_BIG_SNP, 1);
	rig_end();
}

/* Eight snoops, the first of which leaves at 1004. The ninth request finds no
 * room for its snoop and goes round the ring, 12 stops. */
static void a_request_goes_round_the_ring(void **state)
{
	static const char *const settings[] = { "sbox.snp_queue=8", NULL };
	uint64_t taken, arrived[EX_MAX_SOCKETS];

	(void)state;
	rig_start(2, settings, true);
	rig_at(1000);
	for (unsigned i = 0; i < 9; i++) {
		struct packet packet = rig_request(NODE_BBOX(0, 0)), snoop;

		agent_send(rig_agent(0, 0), &packet, 1000, &taken);
		assert_int_equal(taken, i < 8 ? 1000 : 1012);
		agent_send_snoops(&rig.ex, rig_agent(0, 0), &packet, &snoop,
				  taken, arrived);
	}
	rig_at(FAR);
	SUM(TO_R_SNP_MSGQ_FULL, 4);
	SUM(PKTS_SENT_SNP, 9);
	rig_end();
}

/* Three snoops each: two requests leave room for two of the eight, which is not
 * enough for a third one until the first has left at 1004. */
static void a_request_needs_room_for_all_its_snoops(void **state)
{
	static const char *const settings[] = { "sbox.snp_queue=8", NULL };
	uint64_t taken, arrived[EX_MAX_SOCKETS];

	(void)state;
	rig_start(4, settings, true);
	rig_at(1000);
	for (unsigned i = 0; i < 3; i++) {
		struct packet packet = rig_request(NODE_BBOX(0, 0)), snoop;

		agent_send(rig_agent(0, 0), &packet, 1000, &taken);
		assert_int_equal(taken, i < 2 ? 1000 : 1012);
		agent_send_snoops(&rig.ex, rig_agent(0, 0), &packet, &snoop,
				  taken, arrived);
	}
	rig_at(FAR);
	SUM(TO_R_SNP_MSGQ_FULL, 0);
	SUM(PKTS_SENT_SNP, 3);
	rig_end();
}

static void a_line_to_another_socket(void **state)
{
	struct packet packet = rig_line(NODE_SBOX(0, 0), 7);

	(void)state;
	packet.dest = packet.requester = NODE_SBOX(1, 0);
	rig_start(2, NULL, true);
	rig_at(1000);
	assert_int_equal(send(packet, 1000), 1006 + 9 + 40);
	/* the same answer, to the home */
	packet.dest = NODE_BBOX(1, 1);
	assert_int_equal(send(packet, 1000), 1015 + 9 + 40);
	rig_at(FAR);
	SUM(PKTS_SENT_DRS + 3, 1);
	SUM(FLITS_SENT_DRS, 18);
	BUSY(FLITS_SENT_DRS, 18);
	SUM(TO_R_DRS_MSGQ + 3, 6 + 15);
	SUM(TO_R_DRS_MSGQ_FULL + 3, 0);
	rig_end();
}

static unsigned take(int home, bool is_write_back)
{
	uint32_t number;

	return agent_take(&rig.ex, rig_agent(0, 0), home,
			  engine_now(&rig.ex.engine), is_write_back, &number);
}

/* The request table: levels by the place of the home. */
static void the_table_shows_its_entries(void **state)
{
	uint32_t number;
	unsigned entry;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(1000);
	entry = agent_take(&rig.ex, rig_agent(0, 0), NODE_BBOX(0, 1), 1000,
			   false, &number);
	assert_int_equal(number, 1);
	agent_release(&rig.ex, rig_agent(0, 0), entry, 1100);
	entry = agent_take(&rig.ex, rig_agent(0, 0), NODE_BBOX(1, 1), 1010,
			   false, &number);
	assert_int_equal(number, 2);
	agent_release(&rig.ex, rig_agent(0, 0), entry, 1030);
	entry = agent_take(&rig.ex, rig_agent(0, 0), -1, 1010, false, &number);
	agent_release(&rig.ex, rig_agent(0, 0), entry, 1015);
	rig_at(FAR);
	SUM(REQ_TBL_LOCAL, 100);
	SUM(REQ_TBL_REMOTE, 20 + 5);
	rig_end();
}

/* Three entries: a miss takes two, the last is for a write-back. Four S-Boxes
 * of a side share eight tracker entries: two credits each. */
static void the_last_entry_is_for_write_backs(void **state)
{
	static const char *const settings[] = { "sbox.request_table=3",
						"bbox.tracker=8", NULL };
	struct agent *agent;

	(void)state;
	rig_start(4, settings, true);
	agent = rig_agent(0, 0);
	rig_at(1000);
	agent_release(&rig.ex, agent, take(5, false), 1100);
	assert_int_equal(agent_table_from(&rig.ex, agent, 1000, false), 1000);
	assert_int_equal(agent_tracker_from(&rig.ex, agent, 5, 1000, false),
			 1100);
	assert_int_equal(agent_tracker_from(&rig.ex, agent, 5, 1000, true),
			 1000);
	assert_int_equal(agent_tracker_from(&rig.ex, agent, 7, 1000, false),
			 1000);
	agent_release(&rig.ex, agent, take(5, true), 1200);
	assert_int_equal(agent_tracker_from(&rig.ex, agent, 5, 1000, true),
			 1100);
	assert_int_equal(agent_tracker_from(&rig.ex, agent, 5, 1000, false),
			 1200);
	assert_int_equal(agent_table_from(&rig.ex, agent, 1000, false), 1100);
	assert_int_equal(agent_table_from(&rig.ex, agent, 1000, true), 1000);
	rig_end();
}

/* Without credits: the class once, VNA once; no bypass. With a place of VN0
 * VNA alone. */
static void a_request_waits_for_a_credit(void **state)
{
	(void)state;
	rig_start(2, NULL, true);
	rig_at(1000);
	rig.credit_wait = 10;
	assert_int_equal(send(rig_request(NODE_BBOX(1, 0)), 1000),
			 1014 + 1 + 40);
	rig.credit_wait = 0;
	rig.vn = 0;
	send(rig_request(NODE_BBOX(1, 0)), 1100);
	rig_at(FAR);
	SUM(NO_CREDIT_HOM, 1);
	SUM(NO_CREDIT_VNA_RBOX, 2);
	SUM(RBOX_HOM_BYPASS, 1);
	SUM(TO_R_B_HOM_MSGQ_RBOX, 14 + 4);
	rig_end();
}

/* Non-coherent requests; what goes to the own U-Box is local. */
static void requests_that_are_not_coherent(void **state)
{
	struct packet read = {
		.cls = PACKET_NCS,
		.mc = MC_NCS,
		.opcode = NCS_NC_RD,
		.flits = PACKET_FLITS_NCS_READ,
		.cbox = 2,
	};
	struct packet write = {
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = NCB_NC_WR,
		.flits = PACKET_FLITS_NCB,
		.cbox = 2,
	};

	(void)state;
	rig_start(2, NULL, true);
	rig_at(1000);
	read.dest = NODE_UBOX(1);
	assert_int_equal(send(read, 1000), 1006 + 1 + 40);
	read.dest = NODE_UBOX(0);
	assert_int_equal(send(read, 1100), 1106 + 1 + 40);
	write.dest = NODE_IOH(0);
	rig.credit_wait = 1;
	assert_int_equal(send(write, 1200), 1207 + 11 + 40);
	send(read, 1300);
	rig_at(FAR);
	SUM(PKTS_SENT_NCS + 2, 1);
	SUM(FLITS_SENT_NCS, 1);
	SUM(FLITS_SENT_LOC_NCS, 2);
	SUM(PKTS_SENT_NCB + 2, 1);
	SUM(FLITS_SENT_NCB, 11);
	SUM(TO_R_NCS_MSGQ + 2, 6);
	SUM(TO_R_LOC_NCS_MSGQ + 2, 6 + 7);
	SUM(TO_R_NCB_MSGQ + 2, 7);
	SUM(NO_CREDIT_NCB, 1);
	SUM(NO_CREDIT_LOC_NCS, 1);
	SUM(NO_CREDIT_NCS, 0);
	SUM(TO_R_B_REQUESTS_REMOTE, 4);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_for_the_own_bbox),
		cmocka_unit_test(a_request_and_its_snoop),
		cmocka_unit_test(a_broadcast),
		cmocka_unit_test(a_request_goes_round_the_ring),
		cmocka_unit_test(a_request_needs_room_for_all_its_snoops),
		cmocka_unit_test(a_line_to_another_socket),
		cmocka_unit_test(the_table_shows_its_entries),
		cmocka_unit_test(the_last_entry_is_for_write_backs),
		cmocka_unit_test(a_request_waits_for_a_credit),
		cmocka_unit_test(requests_that_are_not_coherent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
