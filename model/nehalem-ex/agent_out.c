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
#include "signals.h"

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

/* Whose request it is, as the guide counts: of HOM those of C-Boxes. */
static unsigned request_flag(const struct agent *agent,
			     const struct packet *packet)
{
	enum { ANSWERS = 1u << HOM0_ACK_CNFLT | 1u << HOM0_ACK_CNFLT_WB_I };

	if (packet->mc == MC_HOM0 && !(ANSWERS >> packet->opcode & 1))
		return NODE_SOCKET(packet->dest) == agent->index ? SENT_LOCAL
								 : SENT_REMOTE;
	return packet->cls >= PACKET_NCS ? SENT_REMOTE : 0;
}

/* Of an answer to the requester and the home the guide counts one. */
static unsigned again_flag(struct agent *agent, unsigned place,
			   const struct packet *packet)
{
	bool is_second = packet->requester != agent->node &&
			 packet->requester == agent->last_requester[place] &&
			 packet->number == agent->last_number[place];

	agent->last_requester[place] = packet->requester;
	agent->last_number[place] = packet->number;
	return is_second ? SENT_AGAIN : 0;
}

/* Through the box */

/* The packet wanted a credit of the R-Box's port: was there one of VNA, or any?
 */
static void count_credits(struct agent *agent, struct out_visit *visit,
			  const struct router_ride *ride)
{
	static const uint16_t signals[OUT_NUM] = {
		[OUT_HOM] = SIG_SBOX_NO_CREDIT_HOM,
		[OUT_SNP] = SIG_SBOX_NO_CREDIT_SNP,
		[OUT_NDR] = SIG_SBOX_NO_CREDIT_NDR,
		[OUT_DRS] = SIG_SBOX_NO_CREDIT_DRS,
		[OUT_NCB] = SIG_SBOX_NO_CREDIT_NCB,
		[OUT_NCS] = SIG_SBOX_NO_CREDIT_NCS,
		[OUT_LOC_NCS] = SIG_SBOX_NO_CREDIT_LOC_NCS,
	};
	uint64_t wanted = ride->entered - ride->credit_wait;

	sig_later(agent->bank, SIG_SBOX_NO_CREDIT_VNA_RBOX, wanted, 1);
	if (!ride->has_waited)
		return;
	visit->flags &= (uint8_t)~SENT_BYPASSED;
	sig_later(agent->bank, signals[visit->kind], wanted, 1);
}

static void tell(const struct agent *agent, const struct out_visit *visit,
		 const struct packet *packet, uint64_t credit_at)
{
	struct agent_sent *sent = visits_next(agent->visits);

	sent->visit.tell = tell_sent;
	sent->visit.last = ex_later(visit->left + packet->flits, credit_at);
	sent->from = visit->from;
	sent->line = packet->line;
	sent->left = (uint32_t)(visit->left - visit->from);
	sent->credit = (uint32_t)(credit_at - visit->from);
	sent->kind = visit->kind;
	sent->place = visit->place;
	sent->flags = visit->flags;
	sent->mc = packet->mc;
	sent->opcode = packet->opcode;
	sent->state = packet->state;
	sent->flits = packet->flits;
	sent->source = packet->source;
	sent->dest = packet->dest;
	sent->requester = packet->requester;
	sent->home = packet->home;
	visits_keep(agent->visits);
}

/* Returns when packet->dest has it. */
static uint64_t to_rbox(struct agent *agent, struct out_visit *visit,
			struct packet *packet, uint64_t now, uint64_t room_from)
{
	struct agent_links *links = &agent->links;
	struct router_ride ride =
		router_carry(agent->ex, agent->index, agent->port, packet,
			     visit->ready, room_from);

	if (ride.vn != 2 || ride.has_waited)
		count_credits(agent, visit, &ride);
	visit->left = ride.entered;
	link_carries(links, LINK_TO_R, now, ride.entered, packet->flits);
	if (link_takes_idle(links, LINK_FROM_R, now, ride.credit_at))
		visit->flags |= SENT_CARRIER;
	tell(agent, visit, packet, ride.credit_at);
	return ride.arrived;
}

/* A packet enters a queue (of `kind`, `place`) that has room for it. Returns
 * when packet->dest has it; it leaves the queue in the cycle agent->sent. */
static uint64_t send(struct agent *agent, struct packet *packet, unsigned kind,
		     unsigned place, unsigned flags, uint64_t at,
		     uint64_t room_from)
{
	struct agent_queue *hom = agent->out[OUT_HOM];
	uint64_t now = ex_now(agent->ex), arrived;
	struct out_visit visit = {
		.queue = &agent->out[kind][place],
		.kind = (uint8_t)kind,
		.place = (uint8_t)place,
		.flags = (uint8_t)flags,
		.from = at,
		.ready = at + agent->cycles,
	};
	bool is_direct = visit.queue == &hom[HOM_TO_B];

	if (kind <= OUT_SNP && queue_is_empty(visit.queue, now, at) &&
	    link_is_free(&agent->links, is_direct ? LINK_TO_B : LINK_TO_R, now,
			 at)) {
		visit.flags |= SENT_BYPASSED;
		visit.ready -= agent->bypass_cycles;
	}
	arrived = is_direct
			  ? agent_pass(agent, &visit, packet, now, room_from)
			  : to_rbox(agent, &visit, packet, now, room_from);
	queue_show_stay(visit.queue, agent->bank, now, at, visit.left);
	if (kind == OUT_HOM &&
	    hom[HOM_TO_R].used + hom[HOM_TO_B].used >= hom->room)
		queues_show_full(hom, HOM_NUM, hom->room, agent->bank,
				 SIG_SBOX_TO_R_B_HOM_MSGQ_FULL, now, at,
				 visit.left);
	agent->sent = visit.left;
	return arrived;
}

/* When there is room for a message and the snoops that go with it, from `at`
 * on by rounds of the ring. */
static uint64_t taken_from(struct agent *agent, const struct packet *packet,
			   unsigned kind, unsigned place, uint64_t at)
{
	struct agent_queue *queues = agent->out[kind];
	uint64_t now = ex_now(agent->ex), room;

	if (kind != OUT_HOM)
		room = queue_from(&queues[place], now, at, 1);
	else
		room = queues_from(queues, HOM_NUM, queues->room, now, at, 1);
	if (agent->num_snoops && packet->mc == MC_HOM0 &&
	    agent_snoop_opcode(packet->opcode) >= 0)
		room = queue_from(agent->out[OUT_SNP], now, room,
				  agent->num_snoops);
	while (at < room)
		at += agent->num_stops;
	return at;
}

uint64_t agent_send(struct ex *ex, struct agent *agent, struct packet *packet,
		    uint64_t at, uint64_t room_from, uint64_t *taken)
{
	static const uint8_t kinds[PACKET_NUM_CLASSES] = {
		[PACKET_HOM] = OUT_HOM,
		[PACKET_DRS] = OUT_DRS,
		[PACKET_NCB] = OUT_NCB,
		[PACKET_NCS] = OUT_NCS,
	};
	bool is_beside = packet->dest == agent->beside[packet->cls];
	unsigned kind = kinds[packet->cls], flags;
	unsigned place = packet->cbox - agent->first_cbox;

	(void)ex;
	if (kind == OUT_HOM)
		place = is_beside ? HOM_TO_B : HOM_TO_R;
	else
		kind += is_beside; /* OUT_LOC_NCS */
	*taken = taken_from(agent, packet, kind, place, at);
	flags = kind == OUT_DRS ? again_flag(agent, place, packet)
				: request_flag(agent, packet);
	return send(agent, packet, kind, place, flags, *taken, room_from);
}

uint64_t agent_answer(struct agent *agent, struct packet *packet, uint64_t at,
		      uint64_t room_from)
{
	return send(agent, packet, OUT_NDR, 0, 0, at, room_from);
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
	unsigned flags = agent->num_snoops > 1 ? SENT_BIG : 0;
	struct packet snoop = *packet;

	if (packet->cls == PACKET_HOM)
		snoop.opcode = (uint8_t)agent_snoop_opcode(packet->opcode);
	snoop.cls = PACKET_SNP;
	snoop.mc = MC_SNP;
	for (unsigned i = 1; i < agent->num_sockets; i++) {
		unsigned peer = agent->index + i;

		if (peer >= agent->num_sockets)
			peer -= agent->num_sockets;
		snoop.dest = (uint8_t)NODE_SBOX(peer, agent->side);
		arrived[peer] = send(agent, &snoop, OUT_SNP, 0, flags, at,
				     snoop_room(ex, agent, peer, at));
		flags |= SENT_AGAIN;
	}
}
