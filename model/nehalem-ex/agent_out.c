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

/* On the way in */

/* What a message enters, and as what it counts. */
static struct out_visit visit_of(struct agent *agent,
				 const struct packet *packet)
{
	static const uint8_t kinds[PACKET_NUM_CLASSES] = {
		[PACKET_HOM] = OUT_HOM, [PACKET_SNP] = OUT_SNP,
		[PACKET_NDR] = OUT_NDR, [PACKET_DRS] = OUT_DRS,
		[PACKET_NCB] = OUT_NCB, [PACKET_NCS] = OUT_NCS,
	};
	bool is_beside = packet->dest == agent->beside[packet->cls];
	struct out_visit visit = { .kind = kinds[packet->cls] };

	if (visit.kind == OUT_HOM) {
		visit.place = is_beside ? HOM_TO_B : HOM_TO_R;
	} else {
		visit.place = (uint8_t)(packet->cbox - agent->first_cbox);
		visit.kind += is_beside;
	}
	visit.queue = &agent->out[visit.kind][visit.place];
	return visit;
}

static bool is_snooped_for(const struct packet *packet)
{
	return packet->mc == MC_HOM0 && agent_snoop_opcode(packet->opcode) >= 0;
}

/* When there is room for a message and the snoops that go with it, from `at`
 * on by rounds of the ring. */
static uint64_t taken_from(struct agent *agent, const struct out_visit *visit,
			   const struct packet *packet, uint64_t now,
			   uint64_t at)
{
	struct agent_queue *hom = agent->out[OUT_HOM];
	uint64_t room;

	if (visit->kind != OUT_HOM)
		room = queue_from(visit->queue, now, at, 1);
	else
		room = queues_from(hom, HOM_NUM, hom->room, now, at, 1);
	if (agent->num_snoops && is_snooped_for(packet))
		room = queue_from(agent->out[OUT_SNP], now, room,
				  agent->num_snoops);
	while (at < room)
		at += agent->num_stops;
	return at;
}

/* Whose request it is, as the guide counts: of HOM those of C-Boxes. */
static uint8_t request_flag(const struct agent *agent,
			    const struct packet *packet)
{
	enum { ANSWERS = 1u << HOM0_ACK_CNFLT | 1u << HOM0_ACK_CNFLT_WB_I };

	if (packet->mc == MC_HOM0 && !(ANSWERS >> packet->opcode & 1))
		return NODE_SOCKET(packet->dest) == agent->index ? SENT_LOCAL
								 : SENT_REMOTE;
	return packet->cls >= PACKET_NCS ? SENT_REMOTE : 0;
}

/* Of an answer to the requester and the home the guide counts one. */
static uint8_t again_flag(struct agent *agent, unsigned place,
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
static uint64_t to_rbox(struct ex *ex, struct agent *agent,
			struct out_visit *visit, struct packet *packet,
			uint64_t room_from)
{
	struct router_ride ride =
		router_carry(ex, agent->index, agent->port, packet,
			     visit->ready, room_from);

	if (ride.vn != 2 || ride.has_waited)
		count_credits(agent, visit, &ride);
	visit->left = ride.entered;
	link_carries(&agent->links, LINK_TO_R, ride.entered, packet->flits);
	if (link_takes_idle(&agent->links, LINK_FROM_R, ride.credit_at))
		visit->flags |= SENT_CARRIER;
	tell(agent, visit, packet, ride.credit_at);
	return ride.arrived;
}

/* From its queue, which has a place for it in the cycle visit->from. Returns
 * when packet->dest has it. */
static uint64_t send(struct ex *ex, struct agent *agent,
		     struct out_visit *visit, struct packet *packet,
		     uint64_t room_from)
{
	struct agent_queue *hom = agent->out[OUT_HOM];
	uint64_t now = ex_now(ex), from = visit->from, arrived;
	bool is_direct = visit->queue == &hom[HOM_TO_B];

	links_forget(&agent->links, now);
	visit->ready = from + agent->cycles;
	if (visit->kind <= OUT_SNP && queue_is_empty(visit->queue, now, from) &&
	    link_is_free(&agent->links, is_direct ? LINK_TO_B : LINK_TO_R,
			 from)) {
		visit->flags |= SENT_BYPASSED;
		visit->ready -= agent->bypass_cycles;
	}
	if (is_direct)
		arrived = agent_pass(ex, agent, visit, packet, room_from);
	else
		arrived = to_rbox(ex, agent, visit, packet, room_from);
	queue_show_stay(visit->queue, agent->bank, now, from, visit->left);
	if (visit->kind == OUT_HOM &&
	    hom[HOM_TO_R].used + hom[HOM_TO_B].used >= hom->room)
		queues_show_full(hom, HOM_NUM, hom->room, agent->bank,
				 SIG_SBOX_TO_R_B_HOM_MSGQ_FULL, now, from,
				 visit->left);
	return arrived;
}

uint64_t agent_send(struct ex *ex, struct agent *agent, struct packet *packet,
		    uint64_t at, uint64_t room_from, uint64_t *taken)
{
	struct out_visit visit = visit_of(agent, packet);

	visit.from = taken_from(agent, &visit, packet, ex_now(ex), at);
	visit.flags = visit.kind == OUT_DRS
			      ? again_flag(agent, visit.place, packet)
			      : request_flag(agent, packet);
	*taken = visit.from;
	return send(ex, agent, &visit, packet, room_from);
}

uint64_t agent_answer(struct ex *ex, struct agent *agent, struct packet *packet,
		      uint64_t at, uint64_t room_from, uint64_t *left)
{
	struct out_visit visit = {
		.queue = agent->out[OUT_NDR],
		.kind = OUT_NDR,
		.from = at,
	};

	at = send(ex, agent, &visit, packet, room_from);
	*left = visit.left;
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
	uint8_t flags = agent->num_snoops > 1 ? SENT_BIG : 0;
	struct packet snoop = *packet;

	if (packet->cls == PACKET_HOM)
		snoop.opcode = (uint8_t)agent_snoop_opcode(packet->opcode);
	snoop.cls = PACKET_SNP;
	snoop.mc = MC_SNP;
	for (unsigned i = 1; i < agent->num_sockets; i++) {
		unsigned peer = agent->index + i;
		struct out_visit visit = {
			.queue = agent->out[OUT_SNP],
			.kind = OUT_SNP,
			.flags = flags,
			.from = at,
		};

		if (peer >= agent->num_sockets)
			peer -= agent->num_sockets;
		snoop.dest = (uint8_t)NODE_SBOX(peer, agent->side);
		arrived[peer] = send(ex, agent, &visit, &snoop,
				     snoop_room(ex, agent, peer, at));
		flags |= SENT_AGAIN;
	}
}
