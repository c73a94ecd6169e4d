/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A crowd in an S-Box: packets of all kinds, in order and in any order. The
 * laws of agent_laws.h hold, nothing is lost, and each credit goes back once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signals.h"
#include "tests/nehalem-ex/agent_laws.h"
#include "tests/nehalem-ex/agent_rig.h"

enum { NO_CORE = -1, START = 1000 };

static struct {
	unsigned requests, to_r, lines[2], snoops, responses, flits_drs, told;
} done;

static void send(struct packet packet, unsigned queue, uint64_t at)
{
	unsigned rides = rig.num_rides;
	uint64_t taken, there;

	there = agent_send(rig_agent(0, 0), &packet, at, &taken);
	assert_true(taken >= at);
	assert_int_equal((taken - at) % 12, 0);
	stays(queue, taken, rides == rig.num_rides ? there : rig.ride.entered);
	if (rides == rig.num_rides)
		serves(TO_BBOX, there, 1);
	done.to_r += rides != rig.num_rides;
}

static void send_snoop(uint64_t at)
{
	struct packet packet = rig_request(NODE_BBOX(0, 0)), snoop;
	uint64_t arrived[EX_MAX_SOCKETS];

	agent_send_snoops(&rig.ex, rig_agent(0, 0), &packet, &snoop, at,
			  arrived);
	stays(SIG_SBOX_TO_R_SNP_MSGQ, at, rig.ride.entered);
	done.to_r++;
}

static void send_request(uint64_t at)
{
	bool is_direct = dice(2);

	done.requests++;
	if (!dice(4))
		send_snoop(at);
	send(rig_request(is_direct ? NODE_BBOX(0, 0) : NODE_BBOX(0, 1)),
	     is_direct ? SIG_SBOX_TO_R_B_HOM_MSGQ_BBOX
		       : SIG_SBOX_TO_R_B_HOM_MSGQ_RBOX,
	     at);
}

static void send_other(uint64_t at)
{
	struct packet packet = rig_line(NODE_SBOX(0, 0), 0);
	unsigned place = dice(5);

	packet.cbox = (uint8_t)place;
	packet.dest = NODE_UBOX(dice(2));
	if (dice(2)) {
		packet.dest = NODE_BBOX(1, 0);
		done.flits_drs += packet.flits;
		send(packet, SIG_SBOX_TO_R_DRS_MSGQ + place, at);
	} else if (dice(2)) {
		packet.cls = PACKET_NCB;
		packet.mc = MC_NCB;
		packet.flits = PACKET_FLITS_NCB;
		send(packet, SIG_SBOX_TO_R_NCB_MSGQ + place, at);
	} else {
		packet.cls = PACKET_NCS;
		packet.mc = MC_NCS;
		packet.flits = PACKET_FLITS_MESSAGE;
		send(packet,
		     (packet.dest == NODE_UBOX(0) ? SIG_SBOX_TO_R_LOC_NCS_MSGQ
						  : SIG_SBOX_TO_R_NCS_MSGQ) +
			     place,
		     at);
	}
}

static uint64_t deliver(const struct packet *packet, uint64_t at,
			bool is_direct, unsigned queue, int core)
{
	struct agent *agent = rig_agent(0, 0);
	uint64_t core_at;

	at = agent_room_from(&rig.ex, agent, packet->cls, is_direct, at);
	agent_deliver(agent, packet, at, is_direct,
		      at + (dice(4) ? 0 : dice(30)), core, &core_at);
	stays(queue, at, agent_left(agent));
	return agent_left(agent);
}

static void bring_line(unsigned entry, uint64_t at)
{
	bool is_direct = dice(2);
	struct packet packet = rig_line(NODE_BBOX(is_direct ? 0 : 1, 0), entry);

	packet.cbox = (uint8_t)dice(5);
	done.lines[is_direct]++;
	serves(LINE_PUMP,
	       deliver(&packet, at, is_direct,
		       is_direct ? SIG_SBOX_TO_RING_B2S_MSGQ
				 : SIG_SBOX_TO_RING_R2S_MSGQ,
		       (int)dice(10)),
	       2);
}

static void bring_other(unsigned entry, uint64_t at)
{
	struct packet packet = rig_line(NODE_BBOX(1, 0), entry);

	packet.flits = PACKET_FLITS_SHORT;
	packet.cbox = (uint8_t)dice(5);
	if (dice(2)) {
		packet.cls = PACKET_SNP;
		done.snoops++;
		serves(SNOOP_PUMP,
		       deliver(&packet, at, false, SIG_SBOX_TO_RING_SNP_MSGQ,
			       NO_CORE),
		       1);
	} else {
		packet.cls = PACKET_NDR;
		packet.opcode = dice(2) ? NDR_CMP : NDR_CMP_FWD_CODE;
		done.responses++;
		deliver(&packet, at, dice(2), SIG_SBOX_TO_RING_NDR_MSGQ,
			NO_CORE);
	}
}

static void bring_message(uint64_t at)
{
	bool is_ncs = dice(2);
	struct packet packet = {
		.cls = is_ncs ? PACKET_NCS : PACKET_NCB,
		.mc = is_ncs ? MC_NCS : MC_NCB,
		.flits = is_ncs ? PACKET_FLITS_MESSAGE : PACKET_FLITS_NCB,
		.source = NODE_UBOX(dice(2)),
		.core = dice(2) ? AGENT_ALL_CORES : (uint8_t)dice(5),
	};
	struct agent *agent = rig_agent(0, 0);
	struct agent_message told;
	uint64_t all_at = 0;

	at = agent_room_from(&rig.ex, agent, packet.cls, false, at);
	agent_message(&rig.ex, agent, &packet, at, 0, &told);
	for (unsigned i = 0; i < 5; i++)
		if (told.cores >> i & 1 && told.core_at[i] > all_at)
			all_at = told.core_at[i];
	stays(is_ncs ? SIG_SBOX_TO_RING_NCS_MSGQ : SIG_SBOX_TO_RING_NCB_MSGQ,
	      at, agent_left(agent));
	stays(SIG_SBOX_TO_R_NDR_MSGQ, all_at, rig.ride.entered);
	done.told++;
	done.to_r++;
}

/* Transactions that start one after the other; what they do comes up to `ahead`
 * cycles later. */
static void crowd(unsigned transactions, unsigned ahead, unsigned pause)
{
	uint64_t now = START;
	uint32_t number;
	unsigned entry;

	rig_at(now);
	entry = agent_take(&rig.ex, rig_agent(0, 0), 1, now, false, &number);
	for (unsigned i = 0; i < transactions; i++) {
		now += dice(pause);
		rig_at(now);
		rig.credit_wait = dice(10) ? 0 : dice(20) + 1;
		rig.vn = dice(10) ? 2 : 0;
		rig.ring_wait = dice(10) ? 0 : dice(20) + 1;
		switch (dice(9)) {
		case 0: bring_message(now + dice(ahead)); break;
		case 1:
		case 2: send_request(now + dice(ahead)); break;
		case 3:
		case 4: send_other(now + dice(ahead)); break;
		case 5:
		case 6: bring_line(entry, now + dice(ahead)); break;
		default: bring_other(entry, now + dice(ahead)); break;
		}
	}
	rig_at(now + 4 * START);
}

static void conserved(void)
{
	uint64_t returns = rig_sum(SIG_SBOX_RBOX_CREDIT_RETURNS);

	SUM(PKTS_RCVD_DRS_FROM_R, done.lines[0]);
	SUM(PKTS_RCVD_DRS_FROM_B, done.lines[1]);
	SUM(PKTS_RCVD_SNP, done.snoops);
	SUM(PKTS_RCVD_NDR, done.responses);
	SUM(PKTS_SENT_NDR, done.told);
	assert_int_equal(rig_sum(SIG_SBOX_PKTS_RCVD_NCS) +
				 rig_sum(SIG_SBOX_PKTS_RCVD_LOC_NCS) +
				 rig_sum(SIG_SBOX_PKTS_RCVD_NCB),
			 done.told);
	SUM(FLITS_SENT_DRS, done.flits_drs);
	assert_int_equal(rig_busy(SIG_SBOX_FLITS_SENT_DRS), done.flits_drs);
	SUM(TO_R_PKT, done.to_r);
	assert_int_equal(rig_sum(SIG_SBOX_PKTS_SENT_HOM_RBOX) +
				 rig_sum(SIG_SBOX_PKTS_SENT_HOM_BBOX),
			 done.requests);
	SUM(TO_R_B_REQUESTS_LOCAL, done.requests);
	assert_int_equal(rig.num_idle_flits, returns);
	assert_true(returns > 0 && returns < done.lines[0] + done.snoops +
						     done.responses +
						     done.told);
	assert_true(rig_sum(SIG_SBOX_RBOX_CREDIT_CARRIERS) <= done.to_r);
	assert_int_equal(rig_sum(SIG_SBOX_S2B_HOM_BYPASS),
			 rig_busy(SIG_SBOX_S2B_HOM_BYPASS));
	assert_int_equal(rig_sum(SIG_SBOX_B2S_DRS_BYPASS),
			 rig_busy(SIG_SBOX_B2S_DRS_BYPASS));
}

/* By all runs: each signal is driven by something. Those of the slots are
 * published where these are given out, a few are in agent.c. */
static uint64_t sums[NUM_SIG_SBOX];

static void run(const char *const *settings, unsigned transactions,
		unsigned ahead, unsigned pause)
{
	memset(&done, 0, sizeof(done));
	rig_start(2, settings, true);
	laws_begin();
	crowd(transactions, ahead, pause);
	conserved();
	laws_end(ahead == 1);
	for (unsigned i = 0; i < NUM_SIG_SBOX; i++)
		sums[i] += rig_sum(i);
	rig_end();
}

static bool is_elsewhere(unsigned signal)
{
	return (signal >= SIG_SBOX_EGRESS_BYPASS_AD_CW &&
		signal <= SIG_SBOX_EGRESS_STARVED_BL_CCW) ||
	       signal == SIG_SBOX_REQ_TBL_LOCAL ||
	       signal == SIG_SBOX_REQ_TBL_REMOTE ||
	       signal == SIG_SBOX_TO_R_SNP_MSGQ_FULL ||
	       signal == SIG_SBOX_RBOX_SNP_BYPASS_BIG_SNP;
}

static void every_signal_is_driven(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NUM_SIG_SBOX; i++)
		if (!sums[i] && !is_elsewhere(i))
			fail_msg("nothing drives signal %u", i);
}

static const char *const few[] = {
	"sbox.egress=1",	 "sbox.ring_snp_queue=2",
	"sbox.ring_queue=3",	 "sbox.ring_ndr_queue=2",
	"sbox.ring_r2s_queue=2", "sbox.ring_b2s_queue=1",
	"sbox.ring_nc_queue=1",	 "sbox.drs_queue=1",
	"sbox.ncb_queue=1",	 "sbox.ncs_queue=1",
	"sbox.ndr_queue=1",	 "sbox.hom_queue=2",
	"sbox.bbox_vna=0",	 NULL,
};

static void laws_hold_in_order(void **state)
{
	(void)state;
	rig_seed(3);
	run(NULL, 8000, 1, 8);
	run(NULL, 8000, 1, 14);
	run(few, 4000, 1, 40);
}

static void laws_hold_in_any_order(void **state)
{
	(void)state;
	rig_seed(4);
	run(NULL, 8000, 300, 8);
	run(NULL, 8000, 300, 30);
	run(few, 4000, 100, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(laws_hold_in_order),
		cmocka_unit_test(laws_hold_in_any_order),
		cmocka_unit_test(every_signal_is_driven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
