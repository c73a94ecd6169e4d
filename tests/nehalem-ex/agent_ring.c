/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A packet alone on its way through an S-Box to the ring, and messages to
 * cores: times and all that is seen of them, worked out by hand. With the
 * default parameters the box takes 6 cycles and each bypass saves 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "signals.h"
#include "tests/nehalem-ex/agent_rig.h"

#define BUSY(name, n) assert_int_equal(rig_busy(SIG_SBOX_##name), n)

enum { FAR = 5000, NO_CORE = -1 };

static uint64_t deliver(struct packet packet, uint64_t at, bool is_direct,
			int core, uint64_t *core_at)
{
	return agent_deliver(rig_agent(0, 0), &packet, at, is_direct, 0, core,
			     core_at);
}

static unsigned take(int home, bool is_write_back)
{
	uint32_t number;

	return agent_take(&rig.ex, rig_agent(0, 0), home,
			  engine_now(&rig.ex.engine), is_write_back, &number);
}

/* From the B-Box at 1000, both bypasses: 1002. Core 4 is on the same way as
 * slice 3, so its line follows two slots later. The second slot of a line is a
 * cycle behind, the ring takes 3. */
static void a_line_of_the_own_bbox(void **state)
{
	uint64_t core_at;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(1000);
	assert_int_equal(deliver(rig_line(NODE_BBOX(0, 0), take(1, false)),
				 1000, true, 4, &core_at),
			 1002 + 1 + 3);
	assert_int_equal(core_at, 1004 + 1 + 3);
	assert_int_equal(agent_left(rig_agent(0, 0)), 1002);
	rig_at(FAR);
	SUM(PKTS_RCVD_DRS_FROM_B, 1);
	SUM(TO_RING_B2S_MSGQ, 2);
	SUM(HALFLINE_BYPASS, 1);
	SUM(BBOX_CREDIT_RETURNS, 1);
	SUM(S2B_HOM_BYPASS, 1);
	SUM(B2S_DRS_BYPASS, 9);
	BUSY(B2S_DRS_BYPASS, 9);
	assert_int_equal(rig.num_idle_flits, 0);
	rig_end();
}

/* From the R-Box only the half-line bypass: 1004. Core 0 is the other way. */
static void a_line_of_the_rbox(void **state)
{
	uint64_t core_at;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(900);
	assert_int_equal(deliver(rig_line(NODE_BBOX(1, 0), take(5, false)),
				 1000, false, 0, &core_at),
			 1004 + 1 + 3);
	assert_int_equal(core_at, 1004 + 1 + 3);
	rig_at(FAR);
	SUM(PKTS_RCVD_DRS_FROM_R, 1);
	SUM(TO_RING_R2S_MSGQ, 4);
	SUM(HALFLINE_BYPASS, 1);
	SUM(RBOX_CREDIT_RETURNS, 1);
	SUM(B2S_DRS_BYPASS, 0);
	assert_int_equal(rig.num_idle_flits, 1);
	assert_int_equal(rig.idle_flit_at, 1004);
	rig_end();
}

/* What is not coherent completes at the slice: AK, one slot. */
static void data_of_a_device(void **state)
{
	struct packet packet;
	uint64_t core_at;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(900);
	packet = rig_line(NODE_IOH(0), take(-1, false));
	packet.opcode = DRS_DATA_NC;
	assert_int_equal(deliver(packet, 1000, false, 4, &core_at), 1004 + 3);
	assert_int_equal(core_at, 1004 + 1 + 3);
	rig_end();
}

static struct packet response(unsigned opcode, unsigned serial)
{
	struct packet packet = rig_line(NODE_BBOX(0, 0), serial);

	packet.cls = PACKET_NDR;
	packet.mc = MC_NDR;
	packet.opcode = (uint8_t)opcode;
	packet.flits = PACKET_FLITS_SHORT;
	return packet;
}

/* Six cycles each; a demand and what completes a write-back end in the box. */
static void responses(void **state)
{
	unsigned miss, write_back;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(1000);
	miss = take(1, false);
	write_back = take(1, true);
	assert_int_equal(
		deliver(response(NDR_CMP, miss), 1000, true, NO_CORE, NULL),
		1006 + 3);
	assert_int_equal(deliver(response(NDR_CMP, write_back), 1100, true,
				 NO_CORE, NULL),
			 1106);
	assert_int_equal(deliver(response(NDR_FRC_ACK_CNFLT, miss), 1200, false,
				 NO_CORE, NULL),
			 1206);
	assert_int_equal(deliver(response(NDR_CMP_FWD_INV_OWN, miss), 1300,
				 false, NO_CORE, NULL),
			 1306 + 3);
	rig_at(FAR);
	SUM(PKTS_RCVD_NDR, 4);
	SUM(TO_RING_NDR_MSGQ, 4 * 6);
	SUM(TO_RING_NDR_MSGQ_FULL, 0);
	SUM(BBOX_CREDIT_RETURNS, 2);
	SUM(RBOX_CREDIT_RETURNS, 2);
	rig_end();
}

static struct packet snoop(void)
{
	struct packet packet = rig_request(NODE_BBOX(0, 0));

	packet.cls = PACKET_SNP;
	packet.mc = MC_SNP;
	packet.dest = NODE_SBOX(0, 0);
	return packet;
}

/* The first finds an IPQ that has room at 1020, and the S-Box hears of it a
 * cycle later; the second, for another slice, does not overtake. */
static void a_snoop_waits_for_the_ipq(void **state)
{
	struct packet first = snoop(), second = snoop();

	(void)state;
	rig_start(2, NULL, true);
	rig_at(1000);
	assert_int_equal(agent_deliver(rig_agent(0, 0), &first, 1000, false,
				       1020, NO_CORE, NULL),
			 1021 + 3);
	second.cbox = 1;
	assert_int_equal(deliver(second, 1001, false, NO_CORE, NULL), 1022 + 3);
	rig_at(FAR);
	SUM(NO_CREDIT_IPQ, 1);
	SUM(PKTS_RCVD_SNP, 2);
	SUM(TO_RING_SNP_MSGQ, 21 + 21);
	rig_end();
}

/* A snoop waits for a slot of AD from 1006 to 1016, which takes the only place
 * there; the next one tries at 1007, and again when that place is free. */
static void a_snoop_waits_for_the_ring(void **state)
{
	static const char *const settings[] = { "sbox.egress=1", NULL };

	(void)state;
	rig_start(2, settings, true);
	rig_at(900);
	rig.ring_wait = 10;
	assert_int_equal(deliver(snoop(), 1000, false, NO_CORE, NULL),
			 1016 + 3);
	rig.ring_wait = 0;
	assert_int_equal(deliver(snoop(), 1000, false, NO_CORE, NULL),
			 1017 + 3);
	rig_at(FAR);
	SUM(NO_CREDIT_AD, 1);
	SUM(NO_CREDIT_AK, 0);
	SUM(NO_CREDIT_BL, 0);
	SUM(TO_RING_SNP_MSGQ, 6 + 17);
	rig_end();
}

/* A snoop and a response leave for the ring in the same cycle, 1006: their
 * credits share an idle flit. Where a request leaves for the R-Box then, they
 * travel with it. */
static void credits_share_a_flit(void **state)
{
	uint64_t taken;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(900);
	deliver(snoop(), 1000, false, NO_CORE, NULL);
	deliver(response(NDR_CMP, take(5, false)), 1000, false, NO_CORE, NULL);
	for (unsigned i = 0; i < 2; i++) {
		struct packet request = rig_request(NODE_BBOX(1, 0));

		agent_send(rig_agent(0, 0), &request, 1102 + i * 100, &taken);
		assert_int_equal(rig.ride.entered, 1106 + i * 100);
		deliver(snoop(), 1100 + i * 101, false, NO_CORE, NULL);
	}
	rig_at(FAR);
	SUM(RBOX_CREDIT_RETURNS, 1 + 0 + 1);
	rig_end();
}

/* Three snoops that wait for an IPQ fill the buffer, which is for messages too.
 */
static void snoops_leave_no_room_for_messages(void **state)
{
	static const char *const settings[] = { "sbox.ring_queue=3", NULL };
	struct packet packet = snoop();
	struct agent *agent;

	(void)state;
	rig_start(2, settings, true);
	rig_at(900);
	agent = rig_agent(0, 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(agent_room_from(&rig.ex, agent, PACKET_NCB,
						 false, 1000),
				 1000);
		agent_deliver(agent, &packet, 1000, false, 1099, NO_CORE, NULL);
	}
	assert_int_equal(
		agent_room_from(&rig.ex, agent, PACKET_NCB, false, 1000), 1100);
	assert_int_equal(
		agent_room_from(&rig.ex, agent, PACKET_SNP, false, 1000), 1100);
	assert_int_equal(
		agent_room_from(&rig.ex, agent, PACKET_NDR, false, 1000), 1000);
	rig_end();
}

static struct packet message(unsigned cls, unsigned opcode, unsigned core)
{
	return (struct packet){
		.cls = (uint8_t)cls,
		.mc = cls == PACKET_NCS ? MC_NCS : MC_NCB,
		.opcode = (uint8_t)opcode,
		.flits = cls == PACKET_NCS ? PACKET_FLITS_MESSAGE
					   : PACKET_FLITS_NCB,
		.source = NODE_UBOX(1),
		.dest = NODE_SBOX(0, 0),
		.requester = NODE_SBOX(1, 0),
		.core = (uint8_t)core,
		.message = MESSAGE_START_REQ2,
	};
}

/* A copy a cycle from 1006 on, 3 cycles each on the ring: all have it at 1013;
 * the answer is through the box at 1019. */
static void a_message_to_all_cores(void **state)
{
	struct packet packet =
		message(PACKET_NCS, NCS_NC_MSG_S, AGENT_ALL_CORES);
	struct agent_message told;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(900);
	agent_message(&rig.ex, rig_agent(0, 0), &packet, 1000, 0, &told);
	assert_int_equal(told.cores, 0x1f);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(told.core_at[i], 1006 + i + 3);
	assert_int_equal(told.answer_at, 1013 + 6 + 1 + 40);
	assert_int_equal(told.answer.cls, PACKET_NDR);
	assert_int_equal(told.answer.opcode, NDR_CMP_D);
	assert_int_equal(told.answer.dest, NODE_UBOX(1));
	rig_at(FAR);
	SUM(PKTS_RCVD_NCS, 1);
	SUM(PKTS_RCVD_LOC_NCS, 0);
	SUM(TO_RING_NCS_MSGQ, 10);
	SUM(PKTS_SENT_NDR, 1);
	SUM(TO_R_NDR_MSGQ, 6);
	rig_end();
}

static void who_locks_goes_on(void **state)
{
	struct packet packet =
		message(PACKET_NCS, NCS_NC_MSG_S, AGENT_ALL_CORES);
	struct agent_message told;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(900);
	packet.source = NODE_UBOX(0);
	packet.requester = NODE_SBOX(0, 0);
	packet.message = MESSAGE_STOP_REQ1;
	packet.cbox = 2;
	agent_message(&rig.ex, rig_agent(0, 0), &packet, 1000, 0, &told);
	assert_int_equal(told.cores, 0x1b);
	packet.dest = NODE_SBOX(0, 1);
	agent_message(&rig.ex, rig_agent(0, 1), &packet, 1000, 0, &told);
	assert_int_equal(told.cores, 0x3e0);
	rig_at(FAR);
	SUM(PKTS_RCVD_LOC_NCS, 1);
	SUM(PKTS_RCVD_NCS, 0);
	rig_end();
}

static void an_interrupt_is_for_one_core(void **state)
{
	struct packet packet = message(PACKET_NCB, NCB_INT_PHYSICAL, 3);
	struct agent_message told;

	(void)state;
	rig_start(2, NULL, true);
	rig_at(900);
	agent_message(&rig.ex, rig_agent(0, 0), &packet, 1000, 0, &told);
	assert_int_equal(told.cores, 1 << 3);
	assert_int_equal(told.core_at[3], 1009);
	assert_int_equal(told.answer.opcode, NDR_CMP);
	rig_at(FAR);
	SUM(PKTS_RCVD_NCB, 1);
	SUM(TO_RING_NCB_MSGQ, 6);
	SUM(TO_R_NDR_MSGQ, 6);
	rig_end();
}

/* One place for answers: the first interrupt is answered from 1009 to 1015, the
 * second is not begun before the cycle after that. */
static void a_message_waits_for_a_place_for_its_answer(void **state)
{
	static const char *const settings[] = { "sbox.ndr_queue=1", NULL };
	struct packet packet = message(PACKET_NCB, NCB_INT_PHYSICAL, 3);
	struct agent_message told;

	(void)state;
	rig_start(2, settings, true);
	rig_at(900);
	agent_message(&rig.ex, rig_agent(0, 0), &packet, 1000, 0, &told);
	assert_int_equal(rig.ride.entered, 1015);
	agent_message(&rig.ex, rig_agent(0, 0), &packet, 1000, 0, &told);
	assert_int_equal(told.core_at[3], 1016 + 3);
	rig_at(FAR);
	SUM(TO_RING_NCB_MSGQ, 6 + 16);
	SUM(TO_R_NDR_MSGQ, 12);
	SUM(TO_R_NDR_MSGQ_FULL, 12);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_the_own_bbox),
		cmocka_unit_test(a_line_of_the_rbox),
		cmocka_unit_test(data_of_a_device),
		cmocka_unit_test(responses),
		cmocka_unit_test(a_snoop_waits_for_the_ipq),
		cmocka_unit_test(a_snoop_waits_for_the_ring),
		cmocka_unit_test(credits_share_a_flit),
		cmocka_unit_test(snoops_leave_no_room_for_messages),
		cmocka_unit_test(a_message_to_all_cores),
		cmocka_unit_test(who_locks_goes_on),
		cmocka_unit_test(an_interrupt_is_for_one_core),
		cmocka_unit_test(a_message_waits_for_a_place_for_its_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
