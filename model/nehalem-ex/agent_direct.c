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

static bool has_vna(struct agent *agent, uint64_t now, uint64_t at)
{
	return agent->b_vna.room && queue_from(&agent->b_vna, now, at, 1) == at;
}

/* Waits for the first credit that comes back. */
static uint64_t wait_for_credit(struct agent *agent, uint64_t now,
				uint64_t ready)
{
	uint64_t vn0 = agent->b_vn0_until, vna;

	if (!agent->b_vna.room)
		return vn0 + 1;
	vna = queue_from(&agent->b_vna, now, ready, 1);
	return (vna < vn0 ? vna : vn0) + 1;
}

/* Whether a message may go in a cycle; vn says with what. */
static bool find_credit(struct agent *agent, struct packet *packet,
			uint64_t now, uint64_t at)
{
	packet->vn = has_vna(agent, now, at) ? 2 : 0;
	if (packet->vn)
		return true;
	sig_later(agent->bank, SIG_SBOX_NO_CREDIT_VNA_BBOX, at, 1);
	return agent->b_vn0_until <= at;
}

/* Spends a credit of the B-Box's buffer, VNA first, and notes it in vn. Returns
 * the cycle from which on the flit may go. */
static uint64_t spend_credit(struct agent *agent, struct packet *packet,
			     uint64_t now, uint64_t ready)
{
	uint64_t from = ready;

	if (find_credit(agent, packet, now, ready))
		return ready;
	sig_later(agent->bank, SIG_SBOX_NO_CREDIT_HOM, ready, 1);
	from = wait_for_credit(agent, now, ready);
	find_credit(agent, packet, now, from);
	return from;
}

/* The credit comes back; its flags. */
static uint8_t give_credit_back(struct agent *agent,
				const struct packet *packet, uint64_t now,
				uint64_t left, uint64_t back)
{
	if (packet->vn)
		queue_stay(&agent->b_vna, now, left, back);
	else
		agent->b_vn0_until = back;
	if (!link_takes_idle(&agent->links, LINK_FROM_B, now, back))
		return 0;
	return link_bypass(&agent->links, LINK_FROM_B, now, back, 1)
		       ? SENT_CARRIER | PASSED_CREDIT
		       : SENT_CARRIER;
}

static void tell(const struct agent *agent, const struct out_visit *visit,
		 uint64_t back)
{
	struct agent_passed *passed = visits_next(agent->visits);

	*passed = (struct agent_passed){
		.visit = { .tell = tell_passed, .last = back + 1 },
		.from = visit->from,
		.left = (uint32_t)(visit->left - visit->from),
		.credit = (uint32_t)(back - visit->from),
		.flags = visit->flags,
	};
	visits_keep(agent->visits);
}

uint64_t agent_pass(struct agent *agent, struct out_visit *visit,
		    struct packet *packet, uint64_t now, uint64_t room_from)
{
	uint64_t ready = queue_in_order(visit->queue, visit->from,
					ex_later(visit->ready, room_from));
	uint64_t from = spend_credit(agent, packet, now, ready);
	uint64_t left =
		calendar_take(&agent->to_bbox, now, from, packet->flits);
	uint64_t back = left + agent->bbox_cycles;

	visit->left = left;
	link_carries(&agent->links, LINK_TO_B, now, left, packet->flits);
	queue_note_order(visit->queue, visit->from, left + packet->flits);
	visit->flags |= give_credit_back(agent, packet, now, left, back);
	if (from > ready)
		visit->flags &= (uint8_t)~SENT_BYPASSED;
	else if (visit->flags & SENT_BYPASSED &&
		 link_bypass(&agent->links, LINK_TO_B, now, left, 1))
		visit->flags |= PASSED_CHANNEL;
	tell(agent, visit, back);
	return left;
}
