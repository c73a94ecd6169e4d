/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is seen of the packets of an S-Box: their stays in the queues, packets
 * and flits of each class, uses of bypasses, credits. Of a broadcast and of
 * data for requester and home the guide counts one.
 */
#include "model/nehalem-ex/agent_parts.h"

#include <string.h>

#include "signals.h"

/* See NODE_IOH(). */
static uint8_t visible_node(unsigned node)
{
	return (uint8_t)(NODE_IS_IOH(node) ? 16 + 4 * NODE_HUB(node) : node);
}

/* What filters see of what goes to the R-Box. */
static struct sig_header header_of(const struct agent_sent *sent)
{
	return (struct sig_header){
		.address = sent->line * 64,
		.message_class = sent->mc,
		.opcode = sent->opcode,
		.state = sent->state,
		.flits = sent->flits,
		.home_node = visible_node(sent->home),
		.dest_node = visible_node(sent->dest),
		.requester_node = visible_node(sent->requester),
	};
}

static void show(struct sigbank *bank, const struct agent_sent *sent)
{
	struct sig_header header = header_of(sent);

	tell_packet_at(bank, SIG_SBOX_TO_R_PKT, sent->from + sent->left,
		       &header);
}

void agent_lacks(struct agent *agent, unsigned signal, uint64_t at)
{
	struct calendar *lacks = &agent->lacks[signal - SIG_SBOX_NO_CREDIT_HOM];

	sig_later(agent->bank, signal,
		  calendar_take(lacks, engine_now(&agent->ex->engine), at, 1),
		  1);
}

static void tell_request(struct sigbank *bank, unsigned flags, uint64_t at)
{
	if (flags & SENT_LOCAL)
		tell_later(bank, SIG_SBOX_TO_R_B_REQUESTS_LOCAL, at, 1);
	else if (flags & SENT_REMOTE)
		tell_later(bank, SIG_SBOX_TO_R_B_REQUESTS_REMOTE, at, 1);
}

/* Signals of the queues, of the first of a kind; NONE: there is none. */
enum { NONE = NUM_SIG_SBOX };
static const struct {
	uint16_t stays, packets, flits, bypass;
} kinds[OUT_NUM] = {
	[OUT_HOM] = { SIG_SBOX_TO_R_B_HOM_MSGQ_RBOX,
		      SIG_SBOX_PKTS_SENT_HOM_RBOX, NONE,
		      SIG_SBOX_RBOX_HOM_BYPASS },
	[OUT_SNP] = { SIG_SBOX_TO_R_SNP_MSGQ, SIG_SBOX_PKTS_SENT_SNP, NONE,
		      SIG_SBOX_RBOX_SNP_BYPASS_SNP },
	[OUT_NDR] = { SIG_SBOX_TO_R_NDR_MSGQ, SIG_SBOX_PKTS_SENT_NDR, NONE,
		      NONE },
	[OUT_DRS] = { SIG_SBOX_TO_R_DRS_MSGQ, SIG_SBOX_PKTS_SENT_DRS,
		      SIG_SBOX_FLITS_SENT_DRS, NONE },
	[OUT_NCB] = { SIG_SBOX_TO_R_NCB_MSGQ, SIG_SBOX_PKTS_SENT_NCB,
		      SIG_SBOX_FLITS_SENT_NCB, NONE },
	[OUT_NCS] = { SIG_SBOX_TO_R_NCS_MSGQ, SIG_SBOX_PKTS_SENT_NCS,
		      SIG_SBOX_FLITS_SENT_NCS, NONE },
	[OUT_LOC_NCS] = { SIG_SBOX_TO_R_LOC_NCS_MSGQ, NONE,
			  SIG_SBOX_FLITS_SENT_LOC_NCS, NONE },
};

/* The facts of what tell_sent(), tell_passed() and tell_brought() tell. */

static void count_request(struct agent *agent, unsigned flags)
{
	if (flags & SENT_LOCAL)
		facts_tell(&agent->ex->engine.facts, agent->bank,
			   SIG_SBOX_TO_R_B_REQUESTS_LOCAL, 1);
	else if (flags & SENT_REMOTE)
		facts_tell(&agent->ex->engine.facts, agent->bank,
			   SIG_SBOX_TO_R_B_REQUESTS_REMOTE, 1);
}

void agent_count_sent(struct agent *agent, const struct packet *packet,
		      unsigned which, unsigned flags)
{
	unsigned kind = which / OUT_EACH, place = which % OUT_EACH;
	struct sig_header header;
	struct agent_sent sent = { .line = packet->line };

	count_request(agent, flags);
	if (kinds[kind].packets != NONE && !(flags & SENT_AGAIN))
		facts_tell(&agent->ex->engine.facts, agent->bank,
			   kinds[kind].packets + place, 1);
	if (kinds[kind].flits != NONE)
		facts_tell(&agent->ex->engine.facts, agent->bank,
			   kinds[kind].flits, packet->flits);
	if (!agent->bank->heard[SIG_SBOX_TO_R_PKT])
		return;
	memcpy(&sent.mc, &packet->mc, SENT_HEADER_BYTES);
	header = header_of(&sent);
	facts_tell_packet(&agent->ex->engine.facts, agent->bank,
			  SIG_SBOX_TO_R_PKT, &header);
}

void agent_count_passed(struct agent *agent, unsigned flags)
{
	count_request(agent, flags);
	facts_tell(&agent->ex->engine.facts, agent->bank,
		   SIG_SBOX_PKTS_SENT_HOM_BBOX, 1);
}

void tell_sent(struct sigbank *bank, const void *visit)
{
	const struct agent_sent *sent = visit;
	unsigned kind = sent->which / OUT_EACH, place = sent->which % OUT_EACH;
	uint64_t left = sent->from + sent->left;

	tell_request(bank, sent->flags, sent->from);
	tell_span(bank, kinds[kind].stays + place, sent->from, left, 1);
	if (kinds[kind].packets != NONE && !(sent->flags & SENT_AGAIN))
		tell_later(bank, kinds[kind].packets + place, left, 1);
	if (kinds[kind].flits != NONE)
		tell_span(bank, kinds[kind].flits, left, left + sent->flits, 1);
	if (sent->flags & SENT_BYPASSED)
		tell_later(bank,
			   sent->flags & SENT_BIG
				   ? SIG_SBOX_RBOX_SNP_BYPASS_BIG_SNP
				   : kinds[kind].bypass,
			   left, 1);
	if (sent->flags & SENT_CARRIER)
		tell_later(bank, SIG_SBOX_RBOX_CREDIT_CARRIERS,
			   sent->from + sent->credit, 1);
	if (bank->heard[SIG_SBOX_TO_R_PKT])
		show(bank, sent);
}

void tell_passed(struct sigbank *bank, const void *visit)
{
	const struct agent_passed *passed = visit;
	uint64_t left = passed->from + passed->left;
	uint64_t back = passed->from + passed->credit;
	unsigned flags = passed->flags;

	tell_request(bank, flags, passed->from);
	tell_span(bank, SIG_SBOX_TO_R_B_HOM_MSGQ_BBOX, passed->from, left, 1);
	tell_later(bank, SIG_SBOX_PKTS_SENT_HOM_BBOX, left, 1);
	if (flags & SENT_BYPASSED)
		tell_later(bank, SIG_SBOX_BBOX_HOM_BYPASS, left, 1);
	if (flags & PASSED_CHANNEL)
		tell_span(bank, SIG_SBOX_S2B_HOM_BYPASS, left, left + 1, 1);
	if (flags & SENT_CARRIER)
		tell_later(bank, SIG_SBOX_BBOX_CREDITS, back, 1);
	if (flags & PASSED_CREDIT)
		tell_span(bank, SIG_SBOX_B2S_DRS_BYPASS, back, back + 1, 1);
}

static const struct {
	uint16_t stays, packets;
} queues[IN_NUM] = {
	[IN_SNP] = { SIG_SBOX_TO_RING_SNP_MSGQ, SIG_SBOX_PKTS_RCVD_SNP },
	[IN_NCS] = { SIG_SBOX_TO_RING_NCS_MSGQ, SIG_SBOX_PKTS_RCVD_NCS },
	[IN_NCB] = { SIG_SBOX_TO_RING_NCB_MSGQ, SIG_SBOX_PKTS_RCVD_NCB },
	[IN_NDR] = { SIG_SBOX_TO_RING_NDR_MSGQ, SIG_SBOX_PKTS_RCVD_NDR },
	[IN_R2S] = { SIG_SBOX_TO_RING_R2S_MSGQ, SIG_SBOX_PKTS_RCVD_DRS_FROM_R },
	[IN_B2S] = { SIG_SBOX_TO_RING_B2S_MSGQ, SIG_SBOX_PKTS_RCVD_DRS_FROM_B },
};

void agent_count_brought(struct agent *agent, unsigned which)
{
	facts_tell(&agent->ex->engine.facts, agent->bank, queues[which].packets,
		   1);
}

/* A level is 1 in the cycles of a mask; bit 0 is for `at`. */
static void show_cycles(struct sigbank *bank, unsigned signal, uint64_t at,
			unsigned mask)
{
	while (mask) {
		unsigned first = (unsigned)__builtin_ctz(mask);
		unsigned num = (unsigned)__builtin_ctz(~(mask >> first));

		tell_span(bank, signal, at + first, at + first + num, 1);
		mask &= UINT32_MAX << (first + num);
	}
}

/* NDR may come from both sides at once, and leaves its queue one by one. */
void tell_brought(struct sigbank *bank, const void *visit)
{
	const struct agent_brought *brought = visit;
	uint64_t left = brought->from + brought->left;
	unsigned flags = brought->flags;

	tell_span(bank, queues[brought->which].stays, brought->from, left, 1);
	tell_later(bank,
		   flags & BROUGHT_LOCAL ? SIG_SBOX_PKTS_RCVD_LOC_NCS
					 : queues[brought->which].packets,
		   brought->which == IN_NDR ? left : brought->from, 1);
	if (flags & BROUGHT_HALFLINE)
		tell_later(bank, SIG_SBOX_HALFLINE_BYPASS, left, 1);
	if (flags & BROUGHT_RETURN)
		tell_later(bank,
			   flags & BROUGHT_DIRECT
				   ? SIG_SBOX_BBOX_CREDIT_RETURNS
				   : SIG_SBOX_RBOX_CREDIT_RETURNS,
			   left, 1);
	if (flags & BROUGHT_CREDIT)
		tell_span(bank, SIG_SBOX_S2B_HOM_BYPASS, left, left + 1, 1);
	show_cycles(bank, SIG_SBOX_B2S_DRS_BYPASS, left, brought->bypass);
}
