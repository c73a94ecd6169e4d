/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is seen of the packets that an S-Box sends to the system: requests by
 * the place of their home, packets and flits of each class, uses of bypasses.
 * Of a broadcast and of data for requester and home the guide counts one.
 */
#include "model/nehalem-ex/agent_parts.h"

#include "signals.h"

void agent_count_request(struct agent *agent, const struct packet *packet,
			 uint64_t at)
{
	enum { ANSWERS = 1u << HOM0_ACK_CNFLT | 1u << HOM0_ACK_CNFLT_WB_I };

	if (packet->mc == MC_HOM0 && !(ANSWERS >> packet->opcode & 1))
		sig_later(agent->bank,
			  NODE_SOCKET(packet->dest) == agent->index
				  ? SIG_SBOX_TO_R_B_REQUESTS_LOCAL
				  : SIG_SBOX_TO_R_B_REQUESTS_REMOTE,
			  at, 1);
	else if (packet->cls >= PACKET_NCS)
		sig_later(agent->bank, SIG_SBOX_TO_R_B_REQUESTS_REMOTE, at, 1);
}

/* Packets and flits of a class with a queue for each C-Box. */
static void count_cbox(struct agent *agent, const struct packet *packet,
		       int packets, unsigned flits, uint64_t left)
{
	if (packets >= 0)
		sig_later(agent->bank,
			  (unsigned)packets + agent_place(agent, packet->cbox),
			  left, 1);
	sig_span(agent->bank, flits, left, left + packet->flits, 1);
}

/* Where an answer goes to requester and home the guide counts the first. */
static void count_data(struct agent *agent, const struct packet *packet,
		       uint64_t left)
{
	unsigned place = agent_place(agent, packet->cbox);
	bool is_second = packet->requester != agent->node &&
			 packet->requester == agent->last_requester[place] &&
			 packet->number == agent->last_number[place];

	count_cbox(agent, packet, is_second ? -1 : SIG_SBOX_PKTS_SENT_DRS,
		   SIG_SBOX_FLITS_SENT_DRS, left);
	agent->last_requester[place] = packet->requester;
	agent->last_number[place] = packet->number;
}

/* Of a broadcast the guide counts the first. */
void agent_count_snoop(struct agent *agent, bool is_first, bool is_bypassed,
		       uint64_t left)
{
	if (is_first)
		sig_later(agent->bank, SIG_SBOX_PKTS_SENT_SNP, left, 1);
	if (is_bypassed)
		sig_later(agent->bank,
			  agent->num_snoops > 1
				  ? SIG_SBOX_RBOX_SNP_BYPASS_BIG_SNP
				  : SIG_SBOX_RBOX_SNP_BYPASS_SNP,
			  left, 1);
}

static void count_home(struct agent *agent, const struct out_visit *visit,
		       uint64_t left)
{
	bool to_rbox = visit->which == OUT_HOM_R;

	sig_later(agent->bank,
		  to_rbox ? SIG_SBOX_PKTS_SENT_HOM_RBOX
			  : SIG_SBOX_PKTS_SENT_HOM_BBOX,
		  left, 1);
	if (!visit->is_bypassed)
		return;
	sig_later(agent->bank,
		  to_rbox ? SIG_SBOX_RBOX_HOM_BYPASS : SIG_SBOX_BBOX_HOM_BYPASS,
		  left, 1);
	if (!to_rbox)
		link_bypass(&agent->links[LINK_TO_B], agent->bank,
			    SIG_SBOX_S2B_HOM_BYPASS, left, 1);
}

/* A message of a C-Box. */
void agent_count_sent(struct agent *agent, const struct out_visit *visit,
		      const struct packet *packet, uint64_t left)
{
	switch (packet->cls) {
	case PACKET_HOM: count_home(agent, visit, left); break;
	case PACKET_DRS: count_data(agent, packet, left); break;
	case PACKET_NCB:
		count_cbox(agent, packet, SIG_SBOX_PKTS_SENT_NCB,
			   SIG_SBOX_FLITS_SENT_NCB, left);
		break;
	default:
		if (visit->which < OUT_LOC_NCS)
			count_cbox(agent, packet, SIG_SBOX_PKTS_SENT_NCS,
				   SIG_SBOX_FLITS_SENT_NCS, left);
		else
			count_cbox(agent, packet, -1,
				   SIG_SBOX_FLITS_SENT_LOC_NCS, left);
	}
}

/* See NODE_IOH(). */
static uint8_t visible_node(unsigned node)
{
	return (uint8_t)(NODE_IS_IOH(node) ? 16 + 4 * NODE_HUB(node) : node);
}

void agent_show(struct agent *agent, const struct packet *packet, uint64_t left)
{
	struct sig_header header = {
		.address = packet->line * 64,
		.message_class = packet->mc,
		.opcode = packet->opcode,
		.state = packet->state,
		.flits = packet->flits,
		.home_node = visible_node(packet->home),
		.dest_node = visible_node(packet->dest),
		.requester_node = visible_node(packet->requester),
	};

	sig_packet_at(agent->bank, SIG_SBOX_TO_R_PKT, left, &header);
}
