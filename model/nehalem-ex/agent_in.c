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
#include "signals.h"

/* The queue of a class; of data there is another one from the B-Box. */
static const uint8_t in_queues[PACKET_NUM_CLASSES] = {
	[PACKET_SNP] = IN_SNP, [PACKET_NDR] = IN_NDR, [PACKET_DRS] = IN_R2S,
	[PACKET_NCS] = IN_NCS, [PACKET_NCB] = IN_NCB,
};

static unsigned queue_of(unsigned cls, bool is_direct)
{
	return in_queues[cls] + (is_direct && cls == PACKET_DRS);
}

uint64_t agent_room_from(struct ex *ex, struct agent *agent, unsigned cls,
			 bool is_direct, uint64_t from)
{
	unsigned which = queue_of(cls, is_direct);
	uint64_t now = ex_now(ex);

	from = queue_from(&agent->in[which], now, from, 1);
	return which <= IN_NCB ? queues_from(&agent->in[IN_SNP], 3,
					     agent->in_room, now, from, 1)
			       : from;
}

/* Into the queue and out of it */

/* Who sends has asked agent_room_from(). */
static inline void enter(struct agent *agent, struct in_visit *visit,
			 const struct packet *packet, uint64_t now, uint64_t at,
			 bool is_direct)
{
	visit->which = (uint8_t)queue_of(packet->cls, is_direct);
	visit->flags = is_direct ? BROUGHT_DIRECT : 0;
	visit->bypass = 0;
	visit->from = queue_from(&agent->in[visit->which], now, at, 1);
	visit->ready = visit->from + agent->cycles;
	/* the B-Box hands over what it then sends, the R-Box what it has */
	if (is_direct)
		link_carries(&agent->links, LINK_FROM_B, now, visit->from,
			     packet->flits);
	else
		link_carries(&agent->links, LINK_FROM_R, now,
			     visit->from - packet->flits, packet->flits);
}

/* When it may leave: nobody overtakes. */
static inline uint64_t in_order(const struct agent *agent,
				const struct in_visit *visit)
{
	return queue_in_order(&agent->in[visit->which], visit->from,
			      visit->ready);
}

/* The credit of a place goes back to where the packet came from. */
static inline void return_credit(struct ex *ex, struct agent *agent,
				 struct in_visit *visit, uint64_t at)
{
	bool is_direct = visit->flags & BROUGHT_DIRECT;
	uint64_t now = ex_now(ex);

	if (!link_takes_idle(&agent->links, is_direct ? LINK_TO_B : LINK_TO_R,
			     now, at))
		return;
	visit->flags |= BROUGHT_RETURN;
	if (!is_direct)
		router_idle_flit(ex, agent->index, agent->port, at);
	else if (link_bypass(&agent->links, LINK_TO_B, now, at, 1))
		visit->flags |= BROUGHT_CREDIT;
}

static inline void leave(struct ex *ex, struct agent *agent,
			 struct in_visit *visit, uint64_t left, unsigned cycles)
{
	struct agent_queue *queue = &agent->in[visit->which];
	struct agent_brought *brought;

	queue_show_stay(queue, agent->bank, ex_now(ex), visit->from, left);
	queue_note_order(queue, visit->from, left + cycles);
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

void agent_enter(struct ex *ex, struct agent *agent, struct in_visit *visit,
		 const struct packet *packet, uint64_t at)
{
	enter(agent, visit, packet, ex_now(ex), at, false);
	if (visit->which == IN_NCS && packet->source == NODE_UBOX(agent->index))
		visit->flags |= BROUGHT_LOCAL;
	visit->ready = in_order(agent, visit);
}

void agent_bring(struct ex *ex, struct agent *agent, struct in_visit *visit,
		 uint64_t left)
{
	leave(ex, agent, visit, left, 1);
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

/* Snoops and responses */

static bool is_completion(unsigned opcode)
{
	return opcode == NDR_CMP || opcode == NDR_CMP_D ||
	       opcode == NDR_GNT_CMP;
}

/* Whether a response tells the S-Box something, and nobody else. */
static bool is_note(const struct agent *agent, const struct packet *packet)
{
	if (is_completion(packet->opcode))
		return agent->entries[packet->serial].is_write_back;
	return packet->opcode == NDR_FRC_ACK_CNFLT ||
	       packet->opcode == NDR_GNT_FRC_ACK_CNFLT;
}

/* What is no completion asks the slice for the line, as a snoop does. */
static uint64_t bring_short(struct ex *ex, struct agent *agent,
			    const struct packet *packet, uint64_t at,
			    bool is_direct, uint64_t ipq_from)
{
	bool is_snoop = packet->cls == PACKET_SNP;
	bool is_told = is_snoop || !is_note(agent, packet);
	enum ring_kind ring = is_snoop || !is_completion(packet->opcode)
				      ? RING_AD
				      : RING_AK;
	uint64_t now = ex_now(ex);
	struct in_visit visit;

	enter(agent, &visit, packet, now, at, is_direct);
	at = in_order(agent, &visit);
	if (is_snoop && ipq_from > at) {
		sig_later(agent->bank, SIG_SBOX_NO_CREDIT_IPQ, at, 1);
		at = ipq_from + 1; /* then it hears of that */
	}
	if (is_told)
		at = agent_egress_from(ex, agent, ring, packet->cbox, at);
	at = calendar_take(&agent->pumps[is_snoop ? PUMP_SNP : PUMP_NDR], now,
			   at, 1);
	leave(ex, agent, &visit, at, 1);
	return is_told ? agent_to_ring(ex, agent, ring, packet->cbox, at, false)
		       : at;
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
static unsigned bypass(struct agent *agent, bool is_direct, uint64_t now,
		       uint64_t at, struct line_way *way)
{
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

/* It takes two slots to the slice and two to the core. */
static uint64_t bring_line(struct ex *ex, struct agent *agent,
			   const struct packet *packet, uint64_t at,
			   bool is_direct, int core, uint64_t *core_at)
{
	bool is_nc = agent->entries[packet->serial].is_nc;
	struct line_way way = { .ring = is_nc ? RING_AK : RING_BL,
				.cbox = packet->cbox,
				.core = core };
	uint64_t now = ex_now(ex), slice_at;
	unsigned saved = bypass(agent, is_direct, now, at, &way);
	struct in_visit visit;

	enter(agent, &visit, packet, now, at, is_direct);
	visit.ready -= saved;
	at = line_from(ex, agent, &way, in_order(agent, &visit));
	at = calendar_take(&agent->pumps[PUMP_DRS], now, at, 2);
	if (way.is_bypassed)
		visit.bypass = (uint16_t)link_bypass(
			&agent->links, LINK_FROM_B, now, at, packet->flits);
	if (way.is_half_line)
		visit.flags |= BROUGHT_HALFLINE;
	leave(ex, agent, &visit, at, 2);
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
	return packet->cls == PACKET_DRS
		       ? bring_line(ex, agent, packet, at, is_direct, core,
				    core_at)
		       : bring_short(ex, agent, packet, at, is_direct,
				     ipq_from);
}

uint64_t agent_left(const struct agent *agent)
{
	return agent->left;
}
