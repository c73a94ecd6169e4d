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
	uint64_t now = engine_now(&ex->engine);

	from = queue_from(&agent->in[which], now, from, 1);
	return which <= IN_NCB ? queues_from(&agent->in[IN_SNP], 3,
					     agent->in_room, now, from, 1)
			       : from;
}

/* Into the queue and out of it */

/* A packet is in its queue from a cycle on; when it may leave: nobody
 * overtakes. The B-Box hands over what it then sends, the R-Box what it has. */
static inline uint64_t enter(struct agent *agent,
			     const struct agent_queue *queue,
			     const struct packet *packet, uint64_t now,
			     uint64_t from, unsigned cycles, bool is_direct)
{
	uint64_t at = is_direct ? from : from - packet->flits;

	if (at >= agent->links.base)
		links_mark(&agent->links, now, at, packet->flits,
			   LINK_PACKET
				   << (is_direct ? LINK_FROM_B : LINK_FROM_R));
	return queue_in_order(queue, from, from + cycles);
}

/* The credit of a place goes back to where the packet came from; flags. */
static inline unsigned return_credit(struct agent *agent, uint64_t now,
				     uint64_t at, bool is_direct)
{
	unsigned from = is_direct ? BROUGHT_DIRECT : 0;

	if (!link_takes_idle(&agent->links, is_direct ? LINK_TO_B : LINK_TO_R,
			     now, at))
		return from;
	if (!is_direct)
		router_idle_flit(agent->ex, agent->index, agent->port, at);
	else if (links_mark(&agent->links, now, at, 1,
			    LINK_BYPASS << LINK_TO_B))
		from |= BROUGHT_CREDIT;
	return from | BROUGHT_RETURN;
}

/* It leaves its queue for the ring, and nobody else does for some cycles. */
static inline void leave(struct agent *agent, struct agent_queue *queue,
			 unsigned flags, unsigned bypass, uint64_t from,
			 uint64_t left, unsigned cycles)
{
	struct agent_brought *brought;

	queue_show_stay(queue, agent->bank, engine_now(&agent->ex->engine),
			from, left);
	queue_note_order(queue, from, left + cycles);
	agent->left = left;
	brought = visits_next(agent->visits);
	brought->visit.tell = tell_brought;
	brought->visit.last = left + PACKET_FLITS_PARTIAL;
	brought->from = from;
	brought->left = (uint32_t)(left - from);
	brought->bypass = (uint16_t)bypass;
	brought->which = (uint8_t)queue->number;
	brought->flags = (uint8_t)flags;
	visits_keep(agent->visits);
}

uint64_t agent_enter(struct agent *agent, const struct packet *packet,
		     uint64_t *from)
{
	struct agent_queue *queue = &agent->in[in_queues[packet->cls]];
	uint64_t now = engine_now(&agent->ex->engine);

	*from = queue_from(queue, now, *from, 1);
	return enter(agent, queue, packet, now, *from, agent->cycles, false);
}

void agent_bring(struct agent *agent, const struct packet *packet,
		 uint64_t from, uint64_t left)
{
	unsigned which = in_queues[packet->cls];
	unsigned flags = return_credit(agent, engine_now(&agent->ex->engine),
				       left, false);

	if (which == IN_NCS && packet->source == NODE_UBOX(agent->index))
		flags |= BROUGHT_LOCAL;
	leave(agent, &agent->in[which], flags, 0, from, left, 1);
}

/* On to a ring */

/* There may be no room before a ring: when there is, and it hears of that. */
static SIG_SLOW uint64_t wait_for_egress(struct agent *agent,
					 struct agent_queue *egress,
					 enum ring_kind ring, uint64_t from)
{
	static const uint16_t signals[] = {
		[RING_AD] = SIG_SBOX_NO_CREDIT_AD,
		[RING_AK] = SIG_SBOX_NO_CREDIT_AK,
		[RING_BL] = SIG_SBOX_NO_CREDIT_BL,
	};
	uint64_t room =
		queue_from(egress, engine_now(&agent->ex->engine), from, 2);

	if (room == from)
		return from;
	agent_lacks(agent, signals[ring], from);
	return room + 1;
}

/* An egress queue has a place more than it gives out: a line that found room
 * needs two. */
static inline uint64_t egress_from(struct agent *agent,
				   struct agent_queue *egress,
				   enum ring_kind ring, uint64_t from)
{
	return egress->used + 2 <= egress->room
		       ? from
		       : wait_for_egress(agent, egress, ring, from);
}

static inline uint64_t ride(struct agent *agent,
			    const struct floor_route *route,
			    struct agent_queue *egress, enum ring_kind ring,
			    uint64_t at)
{
	struct floor_ride ride = floor_ride(agent->floor, route, at);
	uint64_t injected = ride.injected - (ring == RING_BL);

	if (injected > at)
		queue_stay(egress, engine_now(&agent->ex->engine), at,
			   injected);
	return ride.arrived;
}

uint64_t agent_to_core(struct agent *agent, unsigned core, uint64_t at)
{
	const struct agent_way *way = &agent->ways[core];

	return ride(agent, &way->routes->to_core[RING_AD],
		    &way->egress[RING_AD], RING_AD, at);
}

uint64_t agent_core_from(struct agent *agent, unsigned core, uint64_t from)
{
	return egress_from(agent, &agent->ways[core].egress[RING_AD], RING_AD,
			   from);
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

/* While time stands: to the slice, and to a core. */
static uint64_t bring_at_once(struct agent *agent, unsigned which,
			      const struct floor_route *to_slice,
			      const struct floor_route *to_core)
{
	uint64_t now = engine_now(&agent->ex->engine);

	agent_count_brought(agent, which);
	agent->left = now;
	if (to_slice)
		floor_ride(agent->floor, to_slice, now);
	if (to_core)
		floor_ride(agent->floor, to_core, now);
	return now;
}

/* What is no completion asks the slice for the line, as a snoop does. */
uint64_t agent_bring_short(struct agent *agent, const struct packet *packet,
			   uint64_t from, bool is_direct, uint64_t ipq_from)
{
	bool is_snoop = packet->cls == PACKET_SNP;
	bool is_told = is_snoop || !is_note(agent, packet);
	struct agent_queue *queue = &agent->in[is_snoop ? IN_SNP : IN_NDR];
	const struct agent_way *way = &agent->ways[packet->cbox];
	enum ring_kind ring =
		is_snoop || !is_completion(packet->opcode) ? RING_AD : RING_AK;
	uint64_t now = engine_now(&agent->ex->engine), at;

	if (agent->ex->engine.is_quick)
		return bring_at_once(
			agent, is_snoop ? IN_SNP : IN_NDR,
			is_told ? &way->routes->to_slice[ring] : NULL, NULL);
	from = queue_from(queue, now, from, 1);
	at = enter(agent, queue, packet, now, from, agent->cycles, is_direct);
	if (is_snoop && ipq_from > at) {
		agent_lacks(agent, SIG_SBOX_NO_CREDIT_IPQ, at);
		at = ipq_from + 1; /* then it hears of that */
	}
	if (is_told)
		at = egress_from(agent, &way->egress[ring], ring, at);
	at = calendar_take(&agent->pumps[is_snoop ? PUMP_SNP : PUMP_NDR], now,
			   at, 1);
	leave(agent, queue, return_credit(agent, now, at, is_direct), 0, from,
	      at, 1);
	return is_told ? ride(agent, &way->routes->to_slice[ring],
			      &way->egress[ring], ring, at)
		       : at;
}

/* Lines */

/* The bypasses that a line may take. */
enum { BY_CHANNEL = 1 << 0, BY_HALF_LINE = 1 << 1 };

/* Those of a line in an idle box that goes to one egress, or two. */
static inline unsigned bypasses(struct agent *agent, struct agent_queue *egress,
				struct agent_queue *second, bool is_direct,
				uint64_t now, uint64_t at)
{
	unsigned found = is_direct ? BY_CHANNEL : 0;

	if (!queue_is_empty(&agent->in[IN_R2S], now, at) ||
	    !queue_is_empty(&agent->in[IN_B2S], now, at) ||
	    !calendar_is_free(&agent->pumps[PUMP_DRS], at, 1))
		return 0;
	if (queue_is_empty(egress, now, at) && queue_is_empty(second, now, at))
		found |= BY_HALF_LINE;
	return found;
}

/* It takes two slots to the slice (what is not coherent a completion over AK)
 * and two to the core. Who has to wait for room there is not past anybody any
 * more. */
uint64_t agent_bring_line(struct agent *agent, const struct packet *packet,
			  uint64_t from, bool is_direct, int core,
			  uint64_t *core_at)
{
	bool is_nc = agent->entries[packet->serial].is_nc;
	enum ring_kind ring = is_nc ? RING_AK : RING_BL;
	struct agent_queue *queue = &agent->in[is_direct ? IN_B2S : IN_R2S];
	const struct agent_way *way = &agent->ways[packet->cbox], *to_core;
	struct agent_queue *egress = &way->egress[ring], *second = egress;
	uint64_t now = engine_now(&agent->ex->engine), ready, at;
	unsigned ways, bypass = 0, flags;

	to_core = core < 0 ? way : &agent->ways[core];
	if (core >= 0)
		second = &to_core->egress[RING_BL];
	if (agent->ex->engine.is_quick)
		return *core_at = bring_at_once(
			       agent, is_direct ? IN_B2S : IN_R2S,
			       &way->routes->to_slice[ring],
			       core >= 0 ? &to_core->routes->to_core[RING_BL]
					 : NULL);
	ways = bypasses(agent, egress, second, is_direct, now, from);
	from = queue_from(queue, now, from, 1);
	ready = enter(agent, queue, packet, now, from,
		      agent->cycles - agent->saved[ways], is_direct);
	at = egress_from(agent, egress, ring, ready);
	if (core >= 0)
		at = egress_from(agent, second, RING_BL, at);
	if (at > ready)
		ways = 0;
	at = calendar_take(&agent->pumps[PUMP_DRS], now, at, 2);
	if (ways & BY_CHANNEL)
		bypass = links_mark(&agent->links, now, at, packet->flits,
				    LINK_BYPASS << LINK_FROM_B);
	flags = return_credit(agent, now, at, is_direct) |
		(ways & BY_HALF_LINE ? BROUGHT_HALFLINE : 0);
	leave(agent, queue, flags, bypass, from, at, 2);
	from = ride(agent, &way->routes->to_slice[ring], egress, ring, at);
	if (core >= 0)
		*core_at = ride(agent, &to_core->routes->to_core[RING_BL],
				second, RING_BL, at);
	return from;
}

uint64_t agent_left(const struct agent *agent)
{
	return agent->left;
}
