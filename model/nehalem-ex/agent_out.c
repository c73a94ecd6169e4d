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

#include <string.h>

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

/* Through the box to the R-Box */

/* The packet wanted a credit of the R-Box's port: was there one of VNA, or any?
 * What is left of its flags. */
static SIG_SLOW unsigned count_credits(struct agent *agent, unsigned which,
				       unsigned flags,
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

	agent_lacks(agent, SIG_SBOX_NO_CREDIT_VNA_RBOX, wanted);
	if (!ride->has_waited)
		return flags;
	agent_lacks(agent, signals[which / OUT_EACH], wanted);
	return flags & ~(unsigned)SENT_BYPASSED;
}

static inline void tell(const struct agent *agent, const struct packet *packet,
			unsigned which, unsigned flags, uint64_t at,
			const struct router_ride *ride)
{
	struct agent_sent *sent = visits_next(agent->visits);

	sent->visit.tell = tell_sent;
	sent->visit.last =
		sim_later(ride->entered + packet->flits, ride->credit_at);
	sent->from = at;
	sent->line = packet->line;
	sent->left = (uint32_t)(ride->entered - at);
	sent->credit = (uint32_t)(ride->credit_at - at);
	memcpy(&sent->mc, &packet->mc, SENT_HEADER_BYTES);
	sent->which = (uint8_t)which;
	sent->flags = (uint8_t)flags;
	visits_keep(agent->visits);
}

/* A packet enters a queue that has room for it. Returns when packet->dest has
 * it; it leaves the queue in the cycle agent->sent. */
static uint64_t send(struct agent *agent, struct packet *packet,
		     struct agent_queue *queue, unsigned flags, uint64_t at,
		     uint64_t room_from)
{
	uint64_t now = engine_now(&agent->ex->engine),
		 ready = at + agent->cycles;
	unsigned which = queue->number;
	struct router_ride ride;

	if (agent->ex->engine.is_quick) {
		agent_count_sent(agent, packet, which, flags);
		return agent->sent = router_pass(agent->ex, agent->index,
						 agent->port, packet);
	}
	if (which < OUT_NDR * OUT_EACH &&
	    agent_bypasses(agent, queue, LINK_TO_R, now, at)) {
		flags |= SENT_BYPASSED;
		ready -= agent->bypass_cycles;
	}
	ride = router_carry(agent->ex, agent->index, agent->port, packet, ready,
			    room_from);
	if (ride.vn != 2 || ride.has_waited)
		flags = count_credits(agent, which, flags, &ride);
	links_mark(&agent->links, now, ride.entered, packet->flits,
		   LINK_PACKET << LINK_TO_R);
	if (link_takes_idle(&agent->links, LINK_FROM_R, now, ride.credit_at))
		flags |= SENT_CARRIER;
	tell(agent, packet, which, flags, at, &ride);
	queue_show_stay(queue, agent->bank, now, at, ride.entered);
	if (which == HOM_TO_R)
		agent_show_hom(agent, now, at, ride.entered);
	agent->sent = ride.entered;
	return ride.arrived;
}

uint64_t agent_answer(struct agent *agent, struct packet *packet, uint64_t at,
		      uint64_t room_from)
{
	return send(agent, packet, &agent->out[OUT_NDR * OUT_EACH], 0, at,
		    room_from);
}

/* Off the ring */

/* There may be no room for a message and the snoops that go with it: when there
 * is, from `at` on by rounds of the ring. */
static SIG_SLOW uint64_t taken_from(struct agent *agent,
				    struct agent_queue *queue,
				    unsigned num_snoops, uint64_t at)
{
	uint64_t now = engine_now(&agent->ex->engine), room;

	if (queue->number >= HOM_NUM)
		room = queue_from(queue, now, at, 1);
	else
		room = queues_from(agent->out, HOM_NUM, agent->out->room, now,
				   at, 1);
	if (num_snoops)
		room = queue_from(&agent->out[OUT_SNP * OUT_EACH], now, room,
				  num_snoops);
	while (at < room)
		at += agent->num_stops;
	return at;
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

/* Of a C-Box: it has its queue. What is not coherent is a request, as the guide
 * counts. */
static SIG_SLOW uint64_t send_from_cbox(struct agent *agent,
					struct packet *packet, uint64_t at,
					uint64_t *taken)
{
	static const uint8_t kinds[PACKET_NUM_CLASSES] = {
		[PACKET_DRS] = OUT_DRS,
		[PACKET_NCB] = OUT_NCB,
		[PACKET_NCS] = OUT_NCS,
	};
	unsigned place = packet->cbox - agent->first_cbox;
	unsigned kind = kinds[packet->cls], flags = SENT_REMOTE;
	struct agent_queue *queue;

	if (kind == OUT_NCS && packet->dest == NODE_UBOX(agent->index))
		kind = OUT_LOC_NCS;
	if (kind == OUT_DRS)
		flags = again_flag(agent, place, packet);
	queue = &agent->out[kind * OUT_EACH + place];
	if (queue->used >= queue->room)
		at = taken_from(agent, queue, 0, at);
	*taken = at;
	return send(agent, packet, queue, flags, at, 0);
}

/* Whose request it is, as the guide counts: of HOM those of C-Boxes. */
static inline unsigned request_flag(const struct agent *agent,
				    const struct packet *packet)
{
	enum { ANSWERS = 1u << HOM0_ACK_CNFLT | 1u << HOM0_ACK_CNFLT_WB_I };

	if (packet->mc != MC_HOM0 || ANSWERS >> packet->opcode & 1)
		return 0;
	return NODE_SOCKET(packet->dest) == agent->index ? SENT_LOCAL
							 : SENT_REMOTE;
}

/* A HOM packet has been taken. */
static inline uint64_t send_taken(struct agent *agent, struct packet *packet,
				  uint64_t at)
{
	unsigned flags = request_flag(agent, packet);

	return packet->dest == agent->bbox
		       ? agent_pass(agent, packet, flags, at, 0)
		       : send(agent, packet, agent->out, flags, at, 0);
}

/* There may be no room for one. */
static SIG_SLOW uint64_t send_late(struct agent *agent, struct packet *packet,
				   uint64_t at, uint64_t *taken)
{
	bool is_snooped =
		packet->mc == MC_HOM0 && agent->snooped >> packet->opcode & 1;

	*taken = taken_from(agent, agent->out,
			    is_snooped ? agent->num_snoops : 0, at);
	return send_taken(agent, packet, *taken);
}

uint64_t agent_send(struct agent *agent, struct packet *packet, uint64_t at,
		    uint64_t *taken)
{
	const struct agent_queue *hom = agent->out;
	const struct agent_queue *snp = &agent->out[OUT_SNP * OUT_EACH];

	if (packet->cls != PACKET_HOM)
		return send_from_cbox(agent, packet, at, taken);
	if (hom[HOM_TO_R].used + hom[HOM_TO_B].used >= hom->room ||
	    snp->used + agent->num_snoops > snp->room)
		return send_late(agent, packet, at, taken);
	*taken = at;
	return send_taken(agent, packet, at);
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
		       const struct packet *request, struct packet *snoop,
		       uint64_t at, uint64_t arrived[EX_MAX_SOCKETS])
{
	unsigned flags = agent->num_snoops > 1 ? SENT_BIG : 0;
	unsigned peer = agent->index;

	*snoop = *request;
	snoop->cls = PACKET_SNP;
	snoop->mc = MC_SNP;
	snoop->opcode = (uint8_t)agent_snoop_opcode(request->opcode);
	for (unsigned i = 1; i < agent->num_sockets; i++) {
		if (++peer == agent->num_sockets)
			peer = 0;
		snoop->dest = (uint8_t)NODE_SBOX(peer, agent->side);
		arrived[peer] =
			send(agent, snoop, &agent->out[OUT_SNP * OUT_EACH],
			     flags, at, snoop_room(ex, agent, peer, at));
		flags |= SENT_AGAIN;
	}
}
