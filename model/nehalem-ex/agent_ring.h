/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The steps of every ring bound packet of an S-Box: into its queue, out of it,
 * and on to a ring.
 */
#ifndef UNCORE_AGENT_RING_H
#define UNCORE_AGENT_RING_H

#include "model/nehalem-ex/agent_parts.h"
#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/router.h"
#include "signals.h"

/* A packet's place in a ring bound queue. */
struct in_visit {
	enum in_queue which;
	unsigned place;
	bool is_direct;
	uint64_t at, ready;
};

static inline unsigned in_signal(const struct agent *agent,
				 enum in_queue which,
				 const struct packet *packet)
{
	static const uint16_t signals[IN_NUM] = {
		[IN_SNP] = SIG_SBOX_PKTS_RCVD_SNP,
		[IN_NCS] = SIG_SBOX_PKTS_RCVD_NCS,
		[IN_NCB] = SIG_SBOX_PKTS_RCVD_NCB,
		[IN_NDR] = SIG_SBOX_PKTS_RCVD_NDR,
		[IN_R2S] = SIG_SBOX_PKTS_RCVD_DRS_FROM_R,
		[IN_B2S] = SIG_SBOX_PKTS_RCVD_DRS_FROM_B,
	};

	if (which == IN_NCS && packet->source == NODE_UBOX(agent->index))
		return SIG_SBOX_PKTS_RCVD_LOC_NCS;
	return signals[which];
}

/* Who sends has asked agent_room_from(). */
static inline struct in_visit in_enter(struct ex *ex, struct agent *agent,
				       enum in_queue which,
				       const struct packet *packet, uint64_t at,
				       bool is_direct)
{
	struct in_visit visit = { .which = which };
	struct agent_queue *queue = &agent->in[which];

	visit.place = queue_enter(queue, ex_now(ex), &at);
	visit.is_direct = is_direct;
	visit.at = at;
	visit.ready = queue_in_order(queue, at, at + agent->cycles);
	sig_later(agent->bank, in_signal(agent, which, packet), at, 1);
	/* the B-Box hands over what it then sends, the R-Box what it has */
	if (is_direct)
		link_carries(&agent->links[LINK_FROM_B], at, packet->flits);
	else
		link_carries(&agent->links[LINK_FROM_R], at - packet->flits,
			     packet->flits);
	return visit;
}

/* The credit of a place goes back to where the packet came from. */
static inline void in_credit(struct ex *ex, struct agent *agent, bool is_direct,
			     uint64_t at)
{
	struct agent_link *link =
		&agent->links[is_direct ? LINK_TO_B : LINK_TO_R];

	if (!link_takes_idle(link, at))
		return;
	if (is_direct) {
		sig_later(agent->bank, SIG_SBOX_BBOX_CREDIT_RETURNS, at, 1);
		link_bypass(link, agent->bank, SIG_SBOX_S2B_HOM_BYPASS, at, 1);
	} else {
		sig_later(agent->bank, SIG_SBOX_RBOX_CREDIT_RETURNS, at, 1);
		router_idle_flit(ex, agent->index, agent->port, at);
	}
}

/* A line takes two slots to the slice and two to the core. */
static inline unsigned in_pump_cycles(enum in_queue which)
{
	return which >= IN_R2S ? 2 : 1;
}

static inline void in_leave(struct ex *ex, struct agent *agent,
			    const struct in_visit *visit, uint64_t left)
{
	struct agent_queue *queue = &agent->in[visit->which];

	queue_leave(queue, agent->bank, visit->place, left);
	queue_note_order(queue, visit->at, left + in_pump_cycles(visit->which));
	in_credit(ex, agent, visit->is_direct, left);
	agent->left = left;
}

static inline struct agent_queue *
egress_of(struct agent *agent, enum ring_kind ring, unsigned to)
{
	return &agent->egress[ring][agent->direction[to]];
}

/* There is room before a ring on the way to a stop from then on; if not at once
 * that is counted. An egress queue has a place more than it gives out: a line
 * that found room needs two. */
static inline uint64_t egress_from(struct agent *agent, enum ring_kind ring,
				   unsigned to, uint64_t from)
{
	static const uint16_t signals[] = {
		[RING_AD] = SIG_SBOX_NO_CREDIT_AD,
		[RING_AK] = SIG_SBOX_NO_CREDIT_AK,
		[RING_BL] = SIG_SBOX_NO_CREDIT_BL,
	};
	uint64_t room = queue_from(egress_of(agent, ring, to), from, 2);

	if (room == from)
		return from;
	sig_later(agent->bank, signals[ring], from, 1);
	return room + 1;
}

/* Sends over a ring what there is room for in the cycle `at`. */
static inline uint64_t to_ring(struct ex *ex, struct agent *agent,
			       enum ring_kind ring, unsigned to, uint64_t at,
			       bool to_core)
{
	struct agent_queue *egress = egress_of(agent, ring, to);
	unsigned slots = ring == RING_BL ? 2 : 1, place;
	struct floor_ride ride =
		floor_from_sbox(ex, agent->index, agent->side, ring, to, slots,
				at, to_core);
	uint64_t injected = ride.injected + 1 - slots;

	if (injected > at) {
		place = queue_enter(egress, ex_now(ex), &at);
		queue_hold(egress, place, ex_later(at, injected));
	}
	return ride.arrived;
}

#endif
