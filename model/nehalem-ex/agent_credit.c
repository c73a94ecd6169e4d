/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The direct link. The bypasses of the channels between S-Box and B-Box carry
 * idle flits too, as the guide says of S2B_HOM_BYPASS and B2S_DRS_BYPASS.
 *
 * The B-Box's input buffer: flits that all may use (VNA) and a place for HOM on
 * VN0. A credit is back when the message has been taken out, a fixed time after
 * it has come; who waited sends in the next cycle.
 */
#include "model/nehalem-ex/agent_parts.h"

#include "signals.h"

void link_bypass_slowly(struct agent_link *link, struct sigbank *bank,
			unsigned signal, uint64_t from, unsigned cycles)
{
	uint64_t end = from + cycles;

	for (uint64_t at = from; at < end; at++) {
		struct link_word *word = link_word(link, at);
		uint64_t bit = UINT64_C(1) << at % 64;

		if (word->bypass & bit) {
			sig_span(bank, signal, from, at, 1);
			from = at + 1;
		}
		word->bypass |= bit;
	}
	sig_span(bank, signal, from, end, 1);
}

/* Credits */

static bool has_vna(const struct agent *agent, uint64_t at)
{
	return agent->b_vna.room && queue_from(&agent->b_vna, at, 1) == at;
}

/* Waits for the first credit that comes back. */
static uint64_t wait_for_credit(const struct agent *agent, uint64_t ready)
{
	uint64_t vn0 = agent->b_vn0_until, vna;

	if (!agent->b_vna.room)
		return vn0 + 1;
	vna = queue_from(&agent->b_vna, ready, 1);
	return (vna < vn0 ? vna : vn0) + 1;
}

/* Whether a message may go in a cycle; vn says with what. */
static bool find_credit(const struct agent *agent, struct packet *packet,
			uint64_t at)
{
	packet->vn = has_vna(agent, at) ? 2 : 0;
	if (packet->vn)
		return true;
	sig_later(agent->bank, SIG_SBOX_NO_CREDIT_VNA_BBOX, at, 1);
	return agent->b_vn0_until <= at;
}

struct bbox_credit agent_bbox_credit(struct ex *ex, struct agent *agent,
				     struct packet *packet, uint64_t ready)
{
	struct bbox_credit credit = { .from = ready };

	if (!find_credit(agent, packet, ready)) {
		sig_later(agent->bank, SIG_SBOX_NO_CREDIT_HOM, ready, 1);
		credit.from = wait_for_credit(agent, ready);
		find_credit(agent, packet, credit.from);
	}
	if (packet->vn)
		credit.place =
			queue_enter(&agent->b_vna, ex_now(ex), &credit.from);
	return credit;
}

void agent_bbox_credit_back(struct agent *agent, const struct packet *packet,
			    const struct bbox_credit *credit, uint64_t left)
{
	struct agent_link *link = &agent->links[LINK_FROM_B];
	uint64_t back = left + agent->bbox_cycles;

	if (packet->vn)
		queue_hold(&agent->b_vna, credit->place, back);
	else
		agent->b_vn0_until = back;
	if (!link_takes_idle(link, back))
		return;
	sig_later(agent->bank, SIG_SBOX_BBOX_CREDITS, back, 1);
	link_bypass(link, agent->bank, SIG_SBOX_B2S_DRS_BYPASS, back, 1);
}
