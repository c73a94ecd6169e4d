/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The S-Box's ring bound side (guide 2.5.2): snoops go to the C-Box when its
 * IPQ has room, data to the slice and the core, completions to the slice;
 * messages to cores are in agent_nc.c. What the egress queue of a ring has no
 * room for waits until the cycle after one of those before it has got a slot.
 * Nobody overtakes in a queue.
 *
 * Two bypasses for lines: that of the channel from the B-Box, and the half-line
 * bypass, by which the first half goes to the ring before the second is there.
 */
#include "model/nehalem-ex/agent_parts.h"

#include "model/nehalem-ex/floor.h"
#include "model/nehalem-ex/router.h"
#include "model/sim/bug.h"
#include "signals.h"

static enum in_queue in_queue_of(unsigned cls, bool is_direct)
{
	switch (cls) {
	case PACKET_SNP: return IN_SNP;
	case PACKET_NCS: return IN_NCS;
	case PACKET_NCB: return IN_NCB;
	case PACKET_NDR: return IN_NDR;
	case PACKET_DRS: return is_direct ? IN_B2S : IN_R2S;
	default: BUG("HOM was sent to a caching agent");
	}
}

uint64_t agent_room_from(struct ex *ex, struct agent *agent, unsigned cls,
			 bool is_direct, uint64_t from)
{
	enum in_queue which = in_queue_of(cls, is_direct);
	uint64_t now = ex_now(ex);

	from = queue_from(&agent->in[which], now, from, 1);
	return which <= IN_NCB ? queues_from(&agent->in[IN_SNP], 3,
					     agent->in_room, now, from, 1)
			       : from;
}

/* Into the queue and out of it */

struct in_visit agent_enter(struct ex *ex, struct agent *agent,
			    const struct packet *packet, uint64_t at,
			    bool is_direct)
{
	struct in_visit visit = {
		.which = (uint8_t)in_queue_of(packet->cls, is_direct),
		.flags = is_direct ? BROUGHT_DIRECT : 0,
	};
	struct agent_queue *queue = &agent->in[visit.which];

	if (visit.which == IN_NCS && packet->source == NODE_UBOX(agent->index))
		visit.flags |= BROUGHT_LOCAL;
	visit.from = queue_from(queue, ex_now(ex), at, 1);
	visit.ready =
		queue_in_order(queue, visit.from, visit.from + agent->cycles);
	/* the B-Box hands over what it then sends, the R-Box what it has */
	if (is_direct)
		link_carries(&agent->links[LINK_FROM_B], visit.from,
			     packet->flits);
	else
		link_carries(&agent->links[LINK_FROM_R],
			     visit.from - packet->flits, packet->flits);
	return visit;
}

/* The credit of a place goes back to where the packet came from. */
static void return_credit(struct ex *ex, struct agent *agent,
			  struct in_visit *visit, uint64_t at)
{
	bool is_direct = visit->flags & BROUGHT_DIRECT;
	struct agent_link *link =
		&agent->links[is_direct ? LINK_TO_B : LINK_TO_R];

	if (!link_takes_idle(link, at))
		return;
	visit->flags |= BROUGHT_RETURN;
	if (!is_direct)
		router_idle_flit(ex, agent->index, agent->port, at);
	else if (link_bypass(link, at, 1))
		visit->flags |= BROUGHT_CREDIT;
}

/* A line takes two slots to the slice and two to the core. */
static unsigned pump_cycles(enum in_queue which)
{
	return which >= IN_R2S ? 2 : 1;
}

void agent_bring(struct ex *ex, struct agent *agent, struct in_visit *visit,
		 uint64_t left)
{
	struct agent_queue *queue = &agent->in[visit->which];
	struct agent_brought *brought;

	queue_show_stay(queue, agent->bank, ex_now(ex), visit->from, left);
	queue_note_order(queue, visit->from, left + pump_cycles(visit->which));
	return_credit(ex, agent, visit, left);
	agent->left = left;
	brought = visits_next(agent->visits);
	*brought = (struct agent_brought){
		.visit = { .tell = tell_brought,
			   .last = left + PACKET_FLITS_PARTIAL },
		.from = visit->from,
		.left = (uint32_t)(left - visit->from),
		.bypass = visit->bypass,
		.which = visit->which,
		.flags = visit->flags,
	};
	visits_keep(agent->visits);
}

/* On to a ring */

static struct agent_queue *egress_of(struct agent *agent, enum ring_kind ring,
				     unsigned to)
{
	return &agent->egress[ring][agent->direction[to]];
}

/* An egress queue has a place more than it gives out: a line that found room
 * needs two. */
uint64_t agent_egress_from(struct ex *ex, struct agent *agent,
			   enum ring_kind ring, unsigned to, uint64_t from)
{
	static const uint16_t signals[] = {
		[RING_AD] = SIG_SBOX_NO_CREDIT_AD,
		[RING_AK] = SIG_SBOX_NO_CREDIT_AK,
		[RING_BL] = SIG_SBOX_NO_CREDIT_BL,
	};
	uint64_t room =
		queue_from(egress_of(agent, ring, to), ex_now(ex), from, 2);

	if (room == from)
		return from;
	sig_later(agent->bank, signals[ring], from, 1);
	return room + 1;
}

uint64_t agent_to_ring(struct ex *ex, struct agent *agent, enum ring_kind ring,
		       unsigned to, uint64_t at, bool to_core)
{
	unsigned slots = ring == RING_BL ? 2 : 1;
	struct floor_ride ride =
		floor_from_sbox(ex, agent->index, agent->side, ring, to, slots,
				at, to_core);
	uint64_t injected = ride.injected + 1 - slots;

	if (injected > at)
		queue_stay(egress_of(agent, ring, to), ex_now(ex), at,
			   injected);
	return ride.arrived;
}

/* A packet of one message for a slice. Returns its arrival. */
static uint64_t bring(struct ex *ex, struct agent *agent,
		      struct in_visit *visit, enum agent_pump pump,
		      enum ring_kind ring, unsigned cbox)
{
	uint64_t at = agent_egress_from(ex, agent, ring, cbox, visit->ready);

	at = calendar_take(&agent->pumps[pump], ex_now(ex), at, 1);
	agent_bring(ex, agent, visit, at);
	return agent_to_ring(ex, agent, ring, cbox, at, false);
}

static uint64_t bring_snoop(struct ex *ex, struct agent *agent,
			    const struct packet *packet, uint64_t at,
			    bool is_direct, uint64_t ipq_from)
{
	struct in_visit visit = agent_enter(ex, agent, packet, at, is_direct);

	if (ipq_from > visit.ready) {
		sig_later(agent->bank, SIG_SBOX_NO_CREDIT_IPQ, visit.ready, 1);
		visit.ready = ipq_from + 1; /* then it hears of that */
	}
	return bring(ex, agent, &visit, PUMP_SNP, RING_AD, packet->cbox);
}

static bool is_completion(unsigned opcode)
{
	return opcode == NDR_CMP || opcode == NDR_CMP_D ||
	       opcode == NDR_GNT_CMP;
}

/* Whether a response tells the S-Box something, and nobody else. */
static bool is_note(const struct agent *agent, const struct packet *packet)
{
	switch (packet->opcode) {
	case NDR_FRC_ACK_CNFLT:
	case NDR_GNT_FRC_ACK_CNFLT: return true;
	case NDR_CMP:
	case NDR_CMP_D:
	case NDR_GNT_CMP: return agent->entries[packet->serial].is_write_back;
	default: return false;
	}
}

static uint64_t bring_response(struct ex *ex, struct agent *agent,
			       const struct packet *packet, uint64_t at,
			       bool is_direct)
{
	struct in_visit visit = agent_enter(ex, agent, packet, at, is_direct);

	if (is_note(agent, packet)) {
		at = calendar_take(&agent->pumps[PUMP_NDR], ex_now(ex),
				   visit.ready, 1);
		agent_bring(ex, agent, &visit, at);
		return at;
	}
	/* what is no completion asks the slice for the line */
	return bring(ex, agent, &visit, PUMP_NDR,
		     is_completion(packet->opcode) ? RING_AK : RING_AD,
		     packet->cbox);
}

/* Lines */

/* How a line goes on: over BL to the slice and the core; what is not coherent
 * completes at the slice. */
struct line_way {
	enum ring_kind ring; /* to the slice */
	unsigned cbox;
	int core;
	bool is_bypassed, is_half_line;
};

/* The bypasses that a line in an idle box may take. Returns what it saves. */
static unsigned bypass(struct ex *ex, struct agent *agent, bool is_direct,
		       uint64_t at, struct line_way *way)
{
	uint64_t now = ex_now(ex);
	unsigned saved;

	if (!queue_is_empty(&agent->in[IN_R2S], now, at) ||
	    !queue_is_empty(&agent->in[IN_B2S], now, at) ||
	    !calendar_is_free(&agent->pumps[PUMP_DRS], at, 1))
		return 0;
	way->is_bypassed = is_direct;
	way->is_half_line =
		queue_is_empty(egress_of(agent, way->ring, way->cbox), now,
			       at) &&
		(way->core < 0 ||
		 queue_is_empty(egress_of(agent, RING_BL, (unsigned)way->core),
				now, at));
	saved = agent->bypass_cycles * (way->is_bypassed + way->is_half_line);
	return saved < agent->cycles ? saved : agent->cycles;
}

/* When a line that may go on from `at` on finds room on its way; then it is not
 * past anybody any more. */
static uint64_t line_from(struct ex *ex, struct agent *agent,
			  struct line_way *way, uint64_t at)
{
	uint64_t room =
		agent_egress_from(ex, agent, way->ring, way->cbox, at);

	if (way->core >= 0)
		room = agent_egress_from(ex, agent, RING_BL,
					 (unsigned)way->core, room);
	if (room > at)
		way->is_bypassed = way->is_half_line = false;
	return room;
}

static uint64_t bring_line(struct ex *ex, struct agent *agent,
			   const struct packet *packet, uint64_t at,
			   bool is_direct, int core, uint64_t *core_at)
{
	bool is_nc = agent->entries[packet->serial].is_nc;
	struct line_way way = { .ring = is_nc ? RING_AK : RING_BL,
				.cbox = packet->cbox,
				.core = core };
	unsigned saved = bypass(ex, agent, is_direct, at, &way);
	struct in_visit visit = agent_enter(ex, agent, packet, at, is_direct);
	uint64_t slice_at;

	visit.ready = queue_in_order(&agent->in[visit.which], visit.from,
				     visit.from + agent->cycles - saved);
	at = calendar_take(&agent->pumps[PUMP_DRS], ex_now(ex),
			   line_from(ex, agent, &way, visit.ready),
			   pump_cycles(visit.which));
	if (way.is_bypassed)
		visit.bypass = (uint16_t)link_bypass(
			&agent->links[LINK_FROM_B], at, packet->flits);
	if (way.is_half_line)
		visit.flags |= BROUGHT_HALFLINE;
	agent_bring(ex, agent, &visit, at);
	slice_at = agent_to_ring(ex, agent, way.ring, way.cbox, at, false);
	if (core >= 0)
		*core_at = agent_to_ring(ex, agent, RING_BL, (unsigned)core,
					 at, true);
	return slice_at;
}

uint64_t agent_deliver(struct ex *ex, struct agent *agent,
		       const struct packet *packet, uint64_t at, bool is_direct,
		       uint64_t ipq_from, int core, uint64_t *core_at)
{
	switch (packet->cls) {
	case PACKET_DRS:
		return bring_line(ex, agent, packet, at, is_direct, core,
				  core_at);
	case PACKET_NDR:
		return bring_response(ex, agent, packet, at, is_direct);
	default:
		return bring_snoop(ex, agent, packet, at, is_direct, ipq_from);
	}
}

uint64_t agent_left(const struct agent *agent)
{
	return agent->left;
}
