/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A link between two sockets: what one message takes and leaves behind in
 * events, worked out by hand from the parameters; where something is in its
 * way; faults and power states.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "qll_rig.h"

#define TX(name) rig_qpi(0, SIG_QPI_TXL_##name)
#define RX(name) rig_qpi(1, SIG_QPI_RXL_##name)
#define R3(name) rig_r3(0, SIG_R3QPI_##name)
/* Of all classes. */
#define R3_ALL(fact) rig_sum(rig.r3qpi[0][0], R3QPI_##fact(0), NUM_R3QPI_##fact)
#define RX_ALL(fact)                                                           \
	rig_sum(rig.qpi[1][0], QPI_RXL_##fact(0), NUM_QPI_RXL_##fact)

/* 1 GHz: a link cycle is a cycle, a slot half of one. A request at 10 goes
 * past the ingress (2), through the link layer (2): slot 28. It is all there
 * 15 cycles behind slot 28, in cycle 29.5, so between the clocks from 30 on,
 * at the egress 4 later and ready for the ring in the next. */
static void a_request_alone(void **state)
{
	struct qll_trip trip;

	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	rig_run_to(10);
	trip = rig_send(0, rig_packet(PACKET_HOM, 0), 10);
	assert_int_equal(trip.taken, 10);
	assert_int_equal(trip.arrived, 30 + 4 + 1);
	rig_run_to(200);
	assert_int_equal(TX(FLITS_G1_HOM_REQ), 1);
	assert_int_equal(TX(FLITS_G0_NON_DATA), 1);
	assert_int_equal(TX(FLITS_G0_DATA), 0);
	assert_int_equal(TX(FLITS_G0_IDLE), 2 * 200 - 1);
	assert_int_equal(TX(BYPASSED), 1);
	assert_int_equal(TX(INSERTS), 0);
	assert_int_equal(R3(RXR_BYPASSED_AD), 1);
	assert_int_equal(R3(RXR_INSERTS_HOM), 0);
	assert_int_equal(R3_ALL(VNA_CREDITS_ACQUIRED), 1);
	assert_int_equal(RX(FLITS_G1_HOM_REQ), 1);
	assert_int_equal(RX(BYPASSED), 1);
	assert_int_equal(RX(CREDITS_CONSUMED_VNA), 1);
	assert_int_equal(rig_qpi(1, SIG_QPI_CTO_COUNT), 1);
	assert_int_equal(rig_r3(1, SIG_R3QPI_TXR_INSERTS), 1);
	assert_int_equal(rig_r3(1, SIG_R3QPI_TXR_CYCLES_NE), 1);
	/* Its credit waits from cycle 30 for 2, is back 15 and a slot and 4
	 * behind that: 32 + 15.5 -> 48, 52. It was taken in 12. */
	assert_int_equal(rig_qpi(1, SIG_QPI_VNA_CREDIT_RETURN_OCCUPANCY), 2);
	assert_int_equal(rig_qpi(1, SIG_QPI_VNA_CREDIT_RETURNS), 1);
	assert_int_equal(R3(VNA_CREDIT_CYCLES_USED), 52 - 12);
	rig_stop();
}

/* A line at 0 enters the ingress for 4: slot 8 + 4. Nine flits: slots 12 to 20,
 * all there at slot 51, cycle 26; 30, 31. */
static void a_line_alone(void **state)
{
	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	assert_int_equal(rig_send(0, rig_packet(PACKET_DRS, 0), 0).arrived, 31);
	rig_run_to(200);
	assert_int_equal(TX(FLITS_G1_DRS_DATA), 8);
	assert_int_equal(TX(FLITS_G1_DRS_NONDATA), 1);
	assert_int_equal(TX(FLITS_G0_DATA), 8);
	assert_int_equal(TX(BYPASSED), 9);
	assert_int_equal(R3(RXR_INSERTS_DRS), 1);
	assert_int_equal(R3(RXR_OCCUPANCY_DRS), 4);
	assert_int_equal(R3_ALL(VNA_CREDITS_ACQUIRED), 9);
	assert_int_equal(rig_r3_busy(0, SIG_R3QPI_VNA_CREDITS_ACQUIRED_DRS), 3);
	assert_int_equal(rig_qpi(1, SIG_QPI_DIRECT2CORE_SUCCESS), 1);
	/* Slots 12 to 20 are five cycles, in the last one flit. */
	assert_int_equal(rig_qpi_busy(0, SIG_QPI_TXL_FLITS_G0_DATA), 5);
	rig_stop();
}

/* Wherever it comes: nothing is in its way. */
static void lines_far_apart(void **state)
{
	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	for (unsigned n = 0; n < 64; n++)
		assert_int_equal(
			rig_send(0, rig_packet(PACKET_DRS, 0), 101 * n).arrived,
			101 * n + 31);
	rig_run_to(7000);
	assert_int_equal(TX(BYPASSED), 64 * 9);
	assert_int_equal(RX(BYPASSED), 64 * 9);
	rig_stop();
}

/* The E5-2690 as it is: uncore 2.9 GHz, so slot n begins in the first cycle
 * from 1.45 n on, 15 link cycles. A request at 0 leaves in 2, where slot 1
 * begins, is sent in slot 5, all there at slot 36: 52.2, 53 + 4 + 1 cycles, 20
 * ns. A line leaves in 4; slot 3 begins in 5. 3 + 4 + 30 + 9 slots: 66.7, 67 +
 * 5, 24.8 ns. */
static void a_hop_at_the_machines_clock(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_UNCORE_CLOCK] = 2900;
	rig.param[PARAM_QPI_LATENCY] = 43;
	rig_start(2, NULL);
	assert_int_equal(rig_send(0, rig_packet(PACKET_HOM, 0), 0).arrived, 58);
	assert_int_equal(rig_send(1, rig_packet(PACKET_DRS, 0), 0).arrived, 72);
	rig_stop();
}

static void flits_of_all_classes(void **state)
{
	struct packet packet;
	uint64_t at = 0;

	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++, at += 100)
		rig_send(0, rig_packet(cls, 0), at);
	packet = rig_packet(PACKET_HOM, 0);
	packet.mc = MC_HOM1; /* a snoop response */
	rig_send(0, packet, at);
	packet = rig_packet(PACKET_DRS, 0);
	packet.opcode = DRS_WB_I_DATA_PTL; /* 8 flits of data, 2 of mask */
	packet.flits = PACKET_FLITS_PARTIAL;
	rig_send(0, packet, at + 100);
	rig_send(0, rig_packet(PACKET_HOM, 1), at + 200); /* another link */
	rig_run_to(1000);
	assert_int_equal(RX(FLITS_G1_HOM_REQ), 1);
	assert_int_equal(RX(FLITS_G1_HOM_NONREQ), 1);
	assert_int_equal(RX(FLITS_G1_SNP), 1);
	assert_int_equal(RX(FLITS_G1_DRS_DATA), 16);
	assert_int_equal(RX(FLITS_G1_DRS_NONDATA), 1 + 3);
	assert_int_equal(RX(FLITS_G2_NDR_AD), 1);
	assert_int_equal(RX(FLITS_G2_NDR_AK), 0);
	assert_int_equal(RX(FLITS_G2_NCB_DATA), 8);
	assert_int_equal(RX(FLITS_G2_NCB_NONDATA), 3);
	assert_int_equal(RX(FLITS_G2_NCS), 3);
	assert_int_equal(RX(FLITS_G0_DATA), 24);
	assert_int_equal(RX(FLITS_G0_NON_DATA), 14);
	assert_int_equal(RX(FLITS_G0_IDLE), 2 * 1000 - 38);
	/* Written back data are for a home, not for a core. */
	assert_int_equal(rig_qpi(1, SIG_QPI_DIRECT2CORE_SUCCESS), 1);
	rig_stop();
}

/* Three lines at a time: the wire has 9 slots for each. Flit i of the second
 * waits 9 slots, of the third 18. */
static void lines_wait_in_the_transmit_queue(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_TX_QUEUE] = 32; /* room for all */
	rig_start(2, NULL);
	for (unsigned i = 0; i < 3; i++)
		rig_send(0, rig_packet(PACKET_DRS, 0), 0);
	rig_run_to(200);
	assert_int_equal(TX(BYPASSED), 9);
	assert_int_equal(TX(INSERTS), 18);
	/* Slots 12 + i to 21 + i: for even i 6 + i / 2 to 10 + i / 2, 4 cycles,
	 * for odd ones 5. Then 18 slots are 9 cycles each. */
	assert_int_equal(TX(OCCUPANCY), 5 * 4 + 4 * 5 + 9 * 9);
	assert_int_equal(R3(RXR_OCCUPANCY_DRS), 3 * 4);
	rig_stop();
}

/* The queue takes 32 flits: of lines that all come at 0 the one in slots
 * 12 + 9 n stays in the ingress until 9 n is 32 - 9 slots away. */
static void what_finds_no_room_stays_in_the_ingress(void **state)
{
	uint64_t stays = 0;

	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_TX_QUEUE] = 32;
	rig_start(2, NULL);
	for (unsigned n = 0; n < 10; n++) {
		unsigned left = 9 * n > 23 ? 9 * n - 23 + 1 : 0;

		rig_send(0, rig_packet(PACKET_DRS, 0), 0);
		stays += 4 + left / 2;
	}
	rig_run_to(300);
	assert_int_equal(R3(RXR_OCCUPANCY_DRS), stays);
	assert_int_equal(TX(FLITS_G1_DRS_DATA), 80);
	rig_stop();
}

/* The ingress of a class has 32 places; others have their own. */
static void a_full_ingress_takes_none(void **state)
{
	uint64_t first = UINT64_MAX;

	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	for (unsigned n = 0; n < 32; n++) {
		assert_int_equal(qll_room_from(&rig.ep, 0, 0, PACKET_DRS, 0),
				 0);
		rig_send(0, rig_packet(PACKET_DRS, 0), 0);
	}
	first = qll_room_from(&rig.ep, 0, 0, PACKET_DRS, 0);
	assert_int_equal(first, 4);
	assert_int_equal(qll_room_from(&rig.ep, 0, 0, PACKET_NCB, 0), 0);
	assert_int_equal(rig_send(0, rig_packet(PACKET_DRS, 0), 0).taken, 4);
	rig_stop();
}

/* Without VNA each class has one place: 2 requests at a time wait for each
 * other's credit. The first has it from 2 until 42 (see above: 40 cycles). */
static void on_vn0_alone(void **state)
{
	struct packet packet = rig_packet(PACKET_HOM, 0);
	struct qll_trip trip;

	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_VNA] = 0;
	rig_start(2, NULL);
	trip = qll_send(&rig.ep, 0, qll_of(&rig.ep, packet.line), &packet, 0,
			false);
	assert_int_equal(packet.vn, 0);
	assert_int_equal(trip.arrived, 25);
	assert_int_equal(qll_send(&rig.ep, 0, qll_of(&rig.ep, packet.line),
				  &packet, 0, false)
				 .arrived,
			 42 + 2 + 15 + 1 + 4 + 1);
	rig_run_to(200);
	assert_int_equal(R3(VN0_CREDITS_USED_HOM), 2);
	assert_int_equal(R3(VN0_CREDITS_REJECT_HOM), 1);
	assert_int_equal(R3(VNA_CREDITS_REJECT_HOM), 2);
	assert_int_equal(R3_ALL(VNA_CREDITS_ACQUIRED), 0);
	assert_int_equal(R3(VNA_CREDITS_OUT_0), 200);
	assert_int_equal(RX(CREDITS_CONSUMED_VN0_HOM), 2);
	assert_int_equal(R3(RXR_OCCUPANCY_HOM), 42);
	rig_stop();
}

/* Nine flits of VNA: one line has them all, from 4 on. A second one takes VN0;
 * no third of the class. */
static void vna_runs_out(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_VNA] = 9;
	rig_start(2, NULL);
	for (unsigned i = 0; i < 3; i++)
		rig_send(0, rig_packet(PACKET_DRS, 0), 0);
	rig_run_to(300);
	assert_int_equal(R3(VNA_CREDITS_REJECT_DRS), 2);
	assert_int_equal(R3(VN0_CREDITS_REJECT_DRS), 1);
	assert_int_equal(R3(VN0_CREDITS_USED_DRS), 1);
	assert_int_equal(R3_ALL(VNA_CREDITS_ACQUIRED), 18);
	/* There at 26, back at 28 + 15 + 1 + 4 = 48; the third has them as
	 * long. */
	assert_int_equal(R3(VNA_CREDITS_OUT_0), 2 * (48 - 4));
	assert_int_equal(R3(VNA_CREDIT_CYCLES_USED), 2 * (48 - 4));
	rig_stop();
}

/* The egress of BL has one place. The first line, there at 30, is on the ring
 * at 61; the second, ready behind it, waits in the receive queue until then.
 */
static void a_full_egress_fills_the_receive_queue(void **state)
{
	struct packet packet = rig_packet(PACKET_DRS, 0);
	struct qll_trip first, second;

	(void)state;
	rig_defaults();
	rig.param[PARAM_R3QPI_EGRESS] = 1;
	rig_start(2, NULL);
	first = qll_send(&rig.ep, 0, qll_of(&rig.ep, packet.line), &packet, 0,
			 true);
	rig_leaves(1, 0, PACKET_DRS, first.arrived, 61);
	second = qll_send(&rig.ep, 0, qll_of(&rig.ep, packet.line), &packet, 0,
			  true);
	assert_true(first.is_direct);
	assert_false(second.is_direct);
	/* Place from 61, read out from slot 2 * 57 on, 9 slots: 61.5. */
	assert_int_equal(second.arrived, 62 + 4 + 1);
	rig_leaves(1, 0, PACKET_DRS, second.arrived, second.arrived);
	rig_run_to(300);
	assert_int_equal(rig_qpi(1, SIG_QPI_DIRECT2CORE_SUCCESS), 1);
	assert_int_equal(rig_qpi(1, SIG_QPI_DIRECT2CORE_FAILURE_CREDITS), 1);
	assert_int_equal(RX(BYPASSED), 9);
	assert_int_equal(RX_ALL(INSERTS), 9);
	assert_int_equal(RX(INSERTS_DRS), 9);
	/* Sent in slots 21 to 29, there from slot 51 on, read from 114 on: 63
	 * slots each, odd to even for five of them. */
	assert_int_equal(RX(OCCUPANCY_DRS), 5 * 32 + 4 * 31);
	assert_int_equal(RX_ALL(OCCUPANCY), 5 * 32 + 4 * 31);
	assert_int_equal(RX(STALLS_EGRESS_CREDITS), 57 - 30);
	/* Full from 30 to 61, and for the cycle of the second. */
	assert_int_equal(rig_r3(1, SIG_R3QPI_TXR_CYCLES_FULL), 31 + 1);
	assert_int_equal(rig_r3(1, SIG_R3QPI_TXR_CYCLES_NE), 31 + 1);
	assert_int_equal(rig_r3(1, R3QPI_TXR_NACK(0, RING_BL)), 1);
	rig_stop();
}

static void direct2core_wants_the_senders_leave(void **state)
{
	struct packet packet = rig_packet(PACKET_DRS, 0);

	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	assert_false(qll_send(&rig.ep, 0, qll_of(&rig.ep, packet.line), &packet,
			      0, false)
			     .is_direct);
	packet.dest = NODE_IOH(1);
	assert_false(qll_send(&rig.ep, 0, qll_of(&rig.ep, packet.line), &packet,
			      100, true)
			     .is_direct);
	rig_run_to(300);
	assert_int_equal(rig_qpi(1, SIG_QPI_DIRECT2CORE_FAILURE_RBT), 1);
	assert_int_equal(rig_qpi(1, SIG_QPI_DIRECT2CORE_SUCCESS), 0);
	rig_stop();
}

/* A message to the IIO has the credit of its class from the egress on until 8
 * cycles after it has left; the next one waits. */
static void the_iio_gives_credits(void **state)
{
	struct packet packet = rig_packet(PACKET_NCS, 0);
	struct qll_trip trip;

	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	packet.dest = NODE_IOH(1);
	/* Slots 12 to 14, all there at 45: 23 + 4 + 1. */
	trip = qll_send(&rig.ep, 0, qll_of(&rig.ep, packet.line), &packet, 0,
			false);
	assert_int_equal(trip.arrived, 28);
	rig_leaves(1, 0, PACKET_NCS, 28, 28);
	/* Credit from 36: read out from slot 64 on, 33.5: 34 + 4 + 1. */
	trip = rig_send(0, packet, 0);
	assert_int_equal(trip.arrived, 39);
	rig_run_to(300);
	assert_int_equal(rig_r3(1, SIG_R3QPI_IIO_CREDITS_ACQUIRED_NCS), 2);
	assert_int_equal(rig_r3(1, SIG_R3QPI_IIO_CREDITS_REJECT_NCS), 1);
	assert_int_equal(rig_r3(1, SIG_R3QPI_IIO_CREDITS_USED_NCS),
			 (36 - 27) + (47 - 36));
	assert_null(qll_check_rest(rig.ep.sockets[1].qlls[0], 300));
	rig_stop();
}

/* While the clock of the ring changes nothing crosses to it. */
static void a_change_of_clock_holds_all_up(void **state)
{
	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	qll_hold(&rig.ep, 1, 20, 60);
	/* Ready at 24 else; read out from slot 2 * 56 on. */
	assert_int_equal(rig_send(0, rig_packet(PACKET_SNP, 0), 0).arrived,
			 57 + 4 + 1);
	rig_run_to(100);
	assert_int_equal(RX(STALLS_GV), 56 - 19);
	assert_int_equal(RX(INSERTS_SNP), 1);
	rig_stop();
}

/* The buffer for repeats has room for 12 flits, each for a round trip of 64
 * slots. The first line is sent in slots 12 to 20, with 3 left: the next one
 * waits until all nine are acknowledged in slot 12 + 9 + 64. */
static void the_buffer_for_repeats_may_be_full(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_RETRY_BUFFER] = 12;
	rig_start(2, NULL);
	rig_send(0, rig_packet(PACKET_DRS, 0), 0);
	rig_send(0, rig_packet(PACKET_DRS, 0), 0);
	rig_run_to(50);
	assert_int_equal(TX(FLITS_G1_DRS_NONDATA), 2);
	assert_int_equal(TX(CRC_NO_CREDITS_ALMOST_FULL), 42 - 10);
	assert_int_equal(TX(CRC_NO_CREDITS_FULL), 0);
	for (unsigned i = 0; i < 4; i++)
		rig_send(0, rig_packet(PACKET_SNP, 0), 50);
	rig_run_to(400);
	/* At 52, from slot 104 + 4 on, there is room for three; the fourth
	 * waits from 111 on, until the second line, sent in 85 to 93, is
	 * acknowledged in 158. */
	assert_int_equal(TX(CRC_NO_CREDITS_FULL), 158 / 2 - 111 / 2);
	rig_stop();
}

/* One flit is wrong: the packet is sent again after a round trip of 64 slots,
 * from slot 24 + 64 on. */
static void a_wrong_flit_is_sent_again(void **state)
{
	(void)state;
	rig_defaults();
	rig_start(2, "qpi-crc");
	assert_int_equal(rig_send(0, rig_packet(PACKET_HOM, 0), 10).arrived,
			 30 + 32 + 4 + 1);
	rig_run_to(200);
	assert_int_equal(RX(CRC_ERRORS_NORMAL_OP), 1);
	assert_int_equal(RX(CRC_ERRORS_LINK_INIT), 0);
	assert_int_equal(RX(FLITS_G1_HOM_REQ), 1);
	assert_int_equal(TX(FLITS_G1_HOM_REQ), 1);
	assert_int_equal(rig.sockets[0].faults.injected[FAULT_QPI_CRC], 1);
	rig_stop();
}

/* All flits are wrong: four tries, then the link comes up anew, with as many
 * wrong flits as there are at either end, and the packet gets through. */
static void always_is_possible(void **state)
{
	uint64_t arrived;

	(void)state;
	rig_defaults();
	rig.param[PARAM_QPI_RESET_CYCLES] = 1000;
	rig_start(2, "qpi-crc:rate=1");
	arrived = rig_send(0, rig_packet(PACKET_HOM, 0), 0).arrived;
	/* Slot 8, four round trips, 2000 slots, 4 flits. */
	assert_int_equal(arrived, (8 + 4 * 64 + 2000 + 4) / 2 + 1 + 15 + 4 + 1);
	rig_run_to(2000);
	assert_int_equal(RX(CRC_ERRORS_NORMAL_OP), 4);
	assert_int_equal(RX(CRC_ERRORS_LINK_INIT), 4);
	assert_int_equal(rig_qpi(0, SIG_QPI_RXL_CRC_ERRORS_LINK_INIT), 4);
	rig_stop();
}

static void a_reset_without_errors(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QPI_RESET_CYCLES] = 1000;
	rig_start(2, "pbox-reset:socket=0");
	assert_int_equal(rig_send(0, rig_packet(PACKET_HOM, 0), 0).arrived,
			 (8 + 2000 + 4) / 2 + 1 + 15 + 4 + 1);
	/* The way back is down as long. */
	assert_int_equal(rig_send(1, rig_packet(PACKET_HOM, 0), 0).arrived,
			 (8 + 2000 + 4) / 2 + 1 + 15 + 4 + 1);
	rig_stop();
}

/* After 80 link cycles without a flit half of the lanes are off, from the next
 * eighth (11 cycles) on: the link has sent at 0, so from 88 on. A line in slot
 * 212 has two slots for each flit, 212 to 229, and all lanes from 115 on, until
 * 198. */
static void half_the_lanes_take_twice_as_long(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_HALF_AFTER] = 80;
	rig_start(2, NULL);
	rig_run_to(100);
	assert_int_equal(rig_qpi(0, SIG_QPI_TXL0P_POWER_CYCLES), 100 - 88);
	assert_int_equal(rig_send(0, rig_packet(PACKET_DRS, 0), 100).arrived,
			 115 + 15 + 4 + 1);
	rig_run_to(300);
	assert_int_equal(TX(INSERTS), 9);
	assert_int_equal(TX(OCCUPANCY), 0 + 1 + 1 + 2 + 2 + 3 + 3 + 4 + 4);
	assert_int_equal(rig_qpi(0, SIG_QPI_TXL0_POWER_CYCLES),
			 88 + (198 - 115));
	assert_int_equal(rig_qpi(0, SIG_QPI_TXL0P_POWER_CYCLES),
			 (115 - 88) + (300 - 198));
	assert_int_equal(rig_qpi(1, SIG_QPI_RXL0_POWER_CYCLES),
			 88 + 15 + (198 - 115));
	/* One flit in a cycle with half the lanes, two else; nine are none. */
	assert_int_equal(TX(FLITS_G0_IDLE), 300 + 88 + (198 - 115) - 9);
	assert_int_equal(RX(FLITS_G0_IDLE), 300 + 103 + (198 - 115) - 9);
	rig_stop();
}

/* After 200 cycles in which neither end has sent anything the link is shut
 * down, from the next eighth (26) on: 1 + 15 + 200 -> 234. A request at 300
 * would be sent at 304; it wakes the link in 100 cycles. */
static void a_link_sleeps(void **state)
{
	(void)state;
	rig_defaults();
	rig.param[PARAM_QPI_IDLE_CYCLES] = 200;
	rig.param[PARAM_QPI_WAKE_CYCLES] = 100;
	rig_start(2, NULL);
	assert_false(qll_sleeps(&rig.ep, 0, 0, 233));
	assert_true(qll_sleeps(&rig.ep, 1, 0, 234));
	rig_run_to(300);
	assert_int_equal(rig_send(0, rig_packet(PACKET_HOM, 0), 300).arrived,
			 404 + 1 + 15 + 4 + 1);
	assert_false(qll_sleeps(&rig.ep, 1, 0, 404));
	/* The other end finds it awake from then on. */
	assert_int_equal(rig_send(1, rig_packet(PACKET_HOM, 0), 350).arrived,
			 404 + 1 + 15 + 4 + 1);
	rig_run_to(500);
	for (unsigned socket = 0; socket < 2; socket++) {
		assert_int_equal(rig_qpi(socket, SIG_QPI_L1_POWER_CYCLES),
				 404 - 234);
		assert_int_equal(rig_qpi(socket, SIG_QPI_TXL0_POWER_CYCLES),
				 500 - (404 - 234));
		assert_int_equal(rig_qpi(socket, SIG_QPI_TXL_FLITS_G0_IDLE),
				 2 * (500 - (404 - 234)) - 1);
	}
	rig_stop();
}

/* Lines that always wait have the wire for themselves: 18 GB a second with
 * headers, 16 of data. At the machine's clock there is VNA for as long as a
 * line is in the queue, on its way and back. The first flit is sent in slot 7,
 * the last one is there 46 cycles later and its credits some 60 more. */
static void lines_fill_the_wire(void **state)
{
	enum { LINES = 2000 };
	uint64_t at = 0, full = LINES * 9 * 29 / 20;

	(void)state;
	rig_defaults();
	rig.param[PARAM_UNCORE_CLOCK] = 2900;
	rig.param[PARAM_QPI_LATENCY] = 43;
	rig_start(2, NULL);
	for (unsigned n = 0; n < LINES; n++) {
		at = rig_send(0, rig_packet(PACKET_DRS, 0), at).taken;
		rig_run_to(at);
	}
	assert_in_range(rig.ep.engine.busy_until, full, full + 10 + 46 + 60);
	rig_run_to(rig.ep.engine.busy_until);
	assert_int_equal(R3_ALL(VNA_CREDITS_ACQUIRED), LINES * 9);
	assert_int_equal(R3(VNA_CREDITS_REJECT_DRS), 0);
	rig_stop();
}

static void one_socket_has_links_to_nowhere(void **state)
{
	(void)state;
	rig_defaults();
	rig_start(1, NULL);
	rig_run_to(100);
	assert_int_equal(rig_qpi(0, SIG_QPI_CLOCKTICKS), 100);
	assert_int_equal(rig_qpi(0, SIG_QPI_L1_POWER_CYCLES), 100);
	assert_int_equal(TX(FLITS_G0_IDLE), 0);
	assert_null(qll_check_rest(rig.ep.sockets[0].qlls[0], 100));
	rig_stop();
}

static void rest_is_when_all_credits_are_back(void **state)
{
	struct qll *qll;

	(void)state;
	rig_defaults();
	rig_start(2, NULL);
	qll = rig.ep.sockets[0].qlls[0];
	rig_send(0, rig_packet(PACKET_HOM, 0), 0);
	assert_non_null(qll_check_rest(qll, 0));
	assert_non_null(qll_check_rest(qll, 41));
	assert_int_equal(rig.ep.engine.busy_until, 42);
	assert_null(qll_check_rest(qll, 42));
	rig_stop();
}

static void settings_that_do_not_go_together(void **state)
{
	struct socket socket = { .param = rig.param };

	(void)state;
	rig_defaults();
	rig.param[PARAM_QLL_HALF_AFTER] = 100;
	rig.param[PARAM_QPI_IDLE_CYCLES] = 99;
	assert_non_null(qll_config_check(&socket));
	rig.param[PARAM_QPI_IDLE_CYCLES] = 100;
	assert_null(qll_config_check(&socket));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_alone),
		cmocka_unit_test(a_line_alone),
		cmocka_unit_test(lines_far_apart),
		cmocka_unit_test(a_hop_at_the_machines_clock),
		cmocka_unit_test(flits_of_all_classes),
		cmocka_unit_test(lines_wait_in_the_transmit_queue),
		cmocka_unit_test(what_finds_no_room_stays_in_the_ingress),
		cmocka_unit_test(a_full_ingress_takes_none),
		cmocka_unit_test(on_vn0_alone),
		cmocka_unit_test(vna_runs_out),
		cmocka_unit_test(a_full_egress_fills_the_receive_queue),
		cmocka_unit_test(direct2core_wants_the_senders_leave),
		cmocka_unit_test(the_iio_gives_credits),
		cmocka_unit_test(a_change_of_clock_holds_all_up),
		cmocka_unit_test(the_buffer_for_repeats_may_be_full),
		cmocka_unit_test(a_wrong_flit_is_sent_again),
		cmocka_unit_test(always_is_possible),
		cmocka_unit_test(a_reset_without_errors),
		cmocka_unit_test(half_the_lanes_take_twice_as_long),
		cmocka_unit_test(a_link_sleeps),
		cmocka_unit_test(lines_fill_the_wire),
		cmocka_unit_test(one_socket_has_links_to_nowhere),
		cmocka_unit_test(rest_is_when_all_credits_are_back),
		cmocka_unit_test(settings_that_do_not_go_together),
	};

	return cmocka_run_group_tests_name("qll", tests, NULL, NULL);
}
