/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The direct link from an S-Box to the B-Box of its side. The B-Box has flits
 * of buffering that all may use (VNA) and a place for HOM on VN0. A credit is
 * back when the message has been taken out, a fixed time after it has come; who
 * waited sends in the next cycle. The bypasses of the channels between the two
 * carry idle flits too, as the guide says of S2B_HOM_BYPASS and B2S_DRS_BYPASS.
 */
#include "model/nehalem-ex/agent_parts.h"

#include "signals.h"

/* The first cycle with a credit of VNA, or UINT64_MAX. */
static inline uint64_t vna_from(struct agent *agent, uint64_t now, uint64_t at)
{
	return agent->b_vna.room ? queue_from(&agent->b_vna, now, at, 1)
				 : UINT64_MAX;
}

/* There is none of VNA, perhaps none at all: then the message waits for the
 * first that comes back. From which cycle on it may go; vn says with what. */
static SIG_SLOW uint64_t wait_for_credit(struct agent *agent,
					 struct packet *packet, uint64_t now,
					 uint64_t ready)
{
	uint64_t vn0 = agent->b_vn0_until, vna;

	agent_lacks(agent, SIG_SBOX_NO_CREDIT_VNA_BBOX, ready);
	packet->vn = 0;
	if (vn0 <= ready)
		return ready;
	agent_lacks(agent, SIG_SBOX_NO_CREDIT_HOM, ready);
	vna = vna_from(agent, now, ready);
	ready = (vna < vn0 ? vna : vn0) + 1;
	if (vna_from(agent, now, ready) == ready)
		packet->vn = 2;
	else
		agent_lacks(agent, SIG_SBOX_NO_CREDIT_VNA_BBOX, ready);
	return ready;
}

/* The credit comes back; its flags. */
static inline unsigned give_credit_back(struct agent *agent,
					const struct packet *packet,
					uint64_t now, uint64_t left,
					uint64_t back)
{
	if (packet->vn)
		queue_stay(&agent->b_vna, now, left, back);
	else
		agent->b_vn0_until = back;
	if (!link_takes_idle(&agent->links, LINK_FROM_B, now, back))
		return 0;
	return links_mark(&agent->links, now, back, 1,
			  LINK_BYPASS << LINK_FROM_B)
		       ? SENT_CARRIER | PASSED_CREDIT
		       : SENT_CARRIER;
}

static inline void tell(const struct agent *agent, unsigned flags,
			uint64_t from, uint64_t left, uint64_t back)
{
	struct agent_passed *passed = visits_next(agent->visits);

	passed->visit.tell = tell_passed;
	passed->visit.last = back + 1;
	passed->from = from;
	passed->left = (uint32_t)(left - from);
	passed->credit = (uint32_t)(back - from);
	passed->flags = (uint8_t)flags;
	visits_keep(agent->visits);
}

uint64_t agent_pass(struct agent *agent, struct packet *packet, unsigned flags,
		    uint64_t at, uint64_t room_from)
{
	struct agent_queue *queue = &agent->out[HOM_TO_B];
	uint64_t now = engine_now(&agent->ex->engine),
		 ready = at + agent->cycles;
	uint64_t from, left, back;

	if (agent->ex->engine.is_quick) {
		agent_count_passed(agent, flags);
		return now;
	}
	if (agent_bypasses(agent, queue, LINK_TO_B, now, at)) {
		flags |= SENT_BYPASSED;
		ready -= agent->bypass_cycles;
	}
	ready = queue_in_order(queue, at, sim_later(ready, room_from));
	from = ready;
	packet->vn = 2;
	if (vna_from(agent, now, ready) != ready)
		from = wait_for_credit(agent, packet, now, ready);
	left = calendar_take(&agent->to_bbox, now, from, packet->flits);
	back = left + agent->bbox_cycles;
	links_mark(&agent->links, now, left, packet->flits,
		   LINK_PACKET << LINK_TO_B);
	queue_note_order(queue, at, left + packet->flits);
	flags |= give_credit_back(agent, packet, now, left, back);
	if (from > ready)
		flags &= ~(unsigned)SENT_BYPASSED;
	else if (flags & SENT_BYPASSED &&
		 links_mark(&agent->links, now, left, 1,
			    LINK_BYPASS << LINK_TO_B))
		flags |= PASSED_CHANNEL;
	tell(agent, flags, at, left, back);
	queue_show_stay(queue, agent->bank, now, at, left);
	agent_show_hom(agent, now, at, left);
	return left;
}
