/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The S-Box's system bound side (guide 2.5.1): requests, responses, data and
 * non-coherent messages of C-Boxes wait in a queue for each class (and for some
 * each C-Box) until they are through the box, the link is free and there is a
 * credit. A message that finds its queue full goes round the ring once more.
 *
 * Snoops that find their queue empty are a "big snoop" where they go to more
 * than one socket: the guide names the two bypasses and does not explain them.
 * A message without a credit counts NO_CREDIT_* once, when it first wants one.
 */
#include "model/nehalem-ex/agent_parts.h"

#include "model/box/socket.h"
#include "model/nehalem-ex/router.h"
#include "model/sim/bug.h"
#include "signals.h"

static enum out_queue queue_for(const struct agent *agent,
				const struct packet *packet)
{
	unsigned place = agent_place(agent, packet->cbox);

	switch (packet->cls) {
	case PACKET_HOM:
		return packet->dest == agent->own_bbox ? OUT_HOM_B : OUT_HOM_R;
	case PACKET_DRS: return OUT_DRS + place;
	case PACKET_NCB: return OUT_NCB + place;
	case PACKET_NCS:
		return (packet->dest == NODE_UBOX(agent->index) ? OUT_LOC_NCS
								: OUT_NCS) +
		       place;
	default: BUG("snoops and answers have ways of their own");
	}
}

int agent_snoop_opcode(unsigned opcode)
{
	static const int8_t opcodes[16] = {
		[HOM0_RD_CUR] = SNP_CUR,
		[HOM0_RD_CODE] = SNP_CODE,
		[HOM0_RD_DATA] = SNP_DATA,
		[HOM0_NON_SNP_RD] = -1,
		[HOM0_RD_INV_OWN] = SNP_INV_OWN,
		[HOM0_INV_XTO_I] = SNP_INV_XTO_I,
		[HOM0_EVCT_CLN] = -1,
		[HOM0_NON_SNP_WR] = -1,
		[HOM0_INV_ITO_E] = SNP_INV_ITO_E,
		[HOM0_ACK_CNFLT_WB_I] = -1,
		[0xa] = -1,
		[0xb] = -1,
		[HOM0_WB_MTO_I] = -1,
		[HOM0_WB_MTO_E] = -1,
		[HOM0_WB_MTO_S] = -1,
		[HOM0_ACK_CNFLT] = -1,
	};

	return opcodes[opcode % 16];
}

/* Snoops that go with a message. */
static unsigned num_snoops(const struct agent *agent,
			   const struct packet *packet)
{
	if (packet->mc != MC_HOM0 || agent_snoop_opcode(packet->opcode) < 0)
		return 0;
	return agent->num_snoops;
}

/* When there is room, from `at` on by rounds of the ring. */
static uint64_t taken_from(const struct agent *agent, enum out_queue which,
			   const struct packet *packet, uint64_t at)
{
	const struct agent_queue *out = agent->out;
	unsigned snoops = num_snoops(agent, packet);
	uint64_t room = which <= OUT_HOM_B ? queues_from(out, 2, out->room, at,
							 1)
					   : queue_from(&out[which], at, 1);

	if (snoops)
		room = queue_from(&out[OUT_SNP], room, snoops);
	while (at < room)
		at += agent->num_stops;
	return at;
}

static bool is_bypassed(struct agent *agent, enum out_queue which, uint64_t at)
{
	enum agent_link_kind link =
		which == OUT_HOM_B ? LINK_TO_B : LINK_TO_R;

	return which <= OUT_SNP && queue_is_empty(&agent->out[which], at) &&
	       link_is_free(&agent->links[link], at);
}

static struct out_visit enter(struct ex *ex, struct agent *agent,
			      enum out_queue which, uint64_t at)
{
	struct out_visit visit = { .which = which };

	visit.is_bypassed = is_bypassed(agent, which, at);
	visit.place = queue_enter(&agent->out[which], ex_now(ex), &at);
	visit.ready = at + agent->cycles;
	if (visit.is_bypassed)
		visit.ready -= agent->bypass_cycles;
	return visit;
}

static void leave(struct agent *agent, const struct out_visit *visit,
		  uint64_t left)
{
	const struct agent_queue *hom = &agent->out[OUT_HOM_R];
	struct agent_queue *queue = &agent->out[visit->which];

	queue_leave(queue, agent->bank, visit->place, left);
	if (visit->which <= OUT_HOM_B && hom[0].used + hom[1].used >= hom->room)
		queues_show_full(hom, 2, hom->room, agent->bank,
				 SIG_SBOX_TO_R_B_HOM_MSGQ_FULL,
				 &queue->stays[visit->place]);
}

/* The links */

/* The packet wanted a credit of the R-Box's port: was there one of VNA, or any?
 */
static void count_credits(struct agent *agent, struct out_visit *visit,
			  const struct packet *packet,
			  const struct router_ride *ride)
{
	static const uint16_t signals[PACKET_NUM_CLASSES] = {
		[PACKET_HOM] = SIG_SBOX_NO_CREDIT_HOM,
		[PACKET_SNP] = SIG_SBOX_NO_CREDIT_SNP,
		[PACKET_NDR] = SIG_SBOX_NO_CREDIT_NDR,
		[PACKET_DRS] = SIG_SBOX_NO_CREDIT_DRS,
		[PACKET_NCB] = SIG_SBOX_NO_CREDIT_NCB,
		[PACKET_NCS] = SIG_SBOX_NO_CREDIT_NCS,
	};
	uint64_t wanted = ride->entered - ride->credit_wait;

	if (ride->vn == 2 && !ride->has_waited)
		return;
	sig_later(agent->bank, SIG_SBOX_NO_CREDIT_VNA_RBOX, wanted, 1);
	if (!ride->has_waited)
		return;
	visit->is_bypassed = false;
	sig_later(agent->bank,
		  visit->which >= OUT_LOC_NCS ? SIG_SBOX_NO_CREDIT_LOC_NCS
					      : signals[packet->cls],
		  wanted, 1);
}

/* The R-Box gives a credit of its port back. */
static void take_credit(struct agent *agent, uint64_t at)
{
	if (link_takes_idle(&agent->links[LINK_FROM_R], at))
		sig_later(agent->bank, SIG_SBOX_RBOX_CREDIT_CARRIERS, at, 1);
}

static uint64_t to_rbox(struct ex *ex, struct agent *agent,
			struct out_visit *visit, struct packet *packet,
			uint64_t room_from, uint64_t *left)
{
	struct router_ride ride =
		router_carry(ex, agent->index, agent->port, packet,
			     visit->ready, room_from);

	count_credits(agent, visit, packet, &ride);
	link_carries(&agent->links[LINK_TO_R], ride.entered, packet->flits);
	take_credit(agent, ride.credit_at);
	agent_show(agent, packet, ride.entered);
	*left = ride.entered;
	return ride.arrived;
}

static uint64_t to_bbox(struct ex *ex, struct agent *agent,
			struct out_visit *visit, struct packet *packet,
			uint64_t room_from)
{
	struct agent_queue *queue = &agent->out[OUT_HOM_B];
	uint64_t at = queue->stays[visit->place].from, left;
	uint64_t ready = queue_in_order(queue, at,
					ex_later(visit->ready, room_from));
	struct bbox_credit credit =
		agent_bbox_credit(ex, agent, packet, ready);

	if (credit.from > ready)
		visit->is_bypassed = false;
	left = calendar_take(&agent->to_bbox, ex_now(ex), credit.from,
			     packet->flits);
	link_carries(&agent->links[LINK_TO_B], left, packet->flits);
	queue_note_order(queue, at, left + packet->flits);
	agent_bbox_credit_back(agent, packet, &credit, left);
	return left;
}

uint64_t agent_send(struct ex *ex, struct agent *agent, struct packet *packet,
		    uint64_t at, uint64_t room_from, uint64_t *taken)
{
	enum out_queue which = queue_for(agent, packet);
	struct out_visit visit;
	uint64_t there, left;

	at = taken_from(agent, which, packet, at);
	*taken = at;
	agent_count_request(agent, packet, at);
	visit = enter(ex, agent, which, at);
	if (which == OUT_HOM_B)
		there = left = to_bbox(ex, agent, &visit, packet, room_from);
	else
		there = to_rbox(ex, agent, &visit, packet, room_from, &left);
	leave(agent, &visit, left);
	agent_count_sent(agent, &visit, packet, left);
	return there;
}

uint64_t agent_answer(struct ex *ex, struct agent *agent, struct packet *packet,
		      uint64_t at, uint64_t room_from, uint64_t *left)
{
	struct out_visit visit = enter(ex, agent, OUT_NDR, at);

	at = to_rbox(ex, agent, &visit, packet, room_from, left);
	queue_leave(&agent->out[OUT_NDR], agent->bank, visit.place, *left);
	sig_later(agent->bank, SIG_SBOX_PKTS_SENT_NDR, *left, 1);
	return at;
}

/* Snoops */

/* The agent that is snooped has room for it. */
static uint64_t snoop_room(struct ex *ex, const struct agent *agent,
			   unsigned socket, uint64_t from)
{
	struct agent *peer = ex->sockets[socket].agents[agent->side];

	return peer ? agent_room_from(ex, peer, PACKET_SNP, false, from) : from;
}

void agent_send_snoops(struct ex *ex, struct agent *agent,
		       const struct packet *packet, uint64_t at,
		       uint64_t arrived[EX_MAX_SOCKETS])
{
	struct packet snoop = *packet;
	uint64_t left;

	if (packet->cls == PACKET_HOM)
		snoop.opcode = (uint8_t)agent_snoop_opcode(packet->opcode);
	snoop.cls = PACKET_SNP;
	snoop.mc = MC_SNP;
	for (unsigned i = 1; i < agent->num_sockets; i++) {
		unsigned peer = agent->index + i;
		struct out_visit visit = enter(ex, agent, OUT_SNP, at);

		if (peer >= agent->num_sockets)
			peer -= agent->num_sockets;
		snoop.dest = NODE_SBOX(peer, agent->side);
		arrived[peer] = to_rbox(
			ex, agent, &visit, &snoop,
			snoop_room(ex, agent, peer, visit.ready), &left);
		queue_leave(&agent->out[OUT_SNP], agent->bank, visit.place,
			    left);
		agent_count_snoop(agent, i == 1, visit.is_bypassed, left);
	}
}
