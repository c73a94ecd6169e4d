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
#include "model/nehalem-ex/agent_ring.h"

#include "model/sim/bug.h"

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

	(void)ex;
	from = queue_from(&agent->in[which], from, 1);
	return which <= IN_NCB ? queues_from(&agent->in[IN_SNP], 3,
					     agent->in_room, from, 1)
			       : from;
}

/* A packet of one message for a slice. Returns its arrival. */
static inline uint64_t bring(struct ex *ex, struct agent *agent,
		      const struct in_visit *visit, enum agent_pump pump,
		      enum ring_kind ring, unsigned cbox)
{
	uint64_t at = egress_from(agent, ring, cbox, visit->ready);

	at = calendar_take(&agent->pumps[pump], ex_now(ex), at, 1);
	in_leave(ex, agent, visit, at);
	return to_ring(ex, agent, ring, cbox, at, false);
}

/* A packet that tells the S-Box something. */
static uint64_t take_note(struct ex *ex, struct agent *agent,
			  const struct in_visit *visit)
{
	uint64_t at = calendar_take(&agent->pumps[PUMP_NDR], ex_now(ex),
				    visit->ready, 1);

	in_leave(ex, agent, visit, at);
	return at;
}

static uint64_t bring_snoop(struct ex *ex, struct agent *agent,
			    const struct packet *packet, uint64_t at,
			    bool is_direct, uint64_t ipq_from)
{
	struct in_visit visit =
		in_enter(ex, agent, IN_SNP, packet, at, is_direct);

	if (ipq_from > visit.ready) {
		sig_later(agent->bank, SIG_SBOX_NO_CREDIT_IPQ, visit.ready, 1);
		visit.ready = ipq_from + 1; /* then it hears of that */
	}
	return bring(ex, agent, &visit, PUMP_SNP, RING_AD, packet->cbox);
}

static bool is_demand(unsigned opcode)
{
	return opcode == NDR_FRC_ACK_CNFLT || opcode == NDR_GNT_FRC_ACK_CNFLT;
}

static bool is_completion(unsigned opcode)
{
	return opcode == NDR_CMP || opcode == NDR_CMP_D ||
	       opcode == NDR_GNT_CMP;
}

static uint64_t bring_response(struct ex *ex, struct agent *agent,
			       const struct packet *packet, uint64_t at,
			       bool is_direct)
{
	struct in_visit visit =
		in_enter(ex, agent, IN_NDR, packet, at, is_direct);
	bool completes = is_completion(packet->opcode);

	if (is_demand(packet->opcode) ||
	    (completes && agent->entries[packet->serial].is_write_back))
		return take_note(ex, agent, &visit);
	/* what is no completion asks the slice for the line */
	return bring(ex, agent, &visit, PUMP_NDR,
		     completes ? RING_AK : RING_AD, packet->cbox);
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
static unsigned bypass(struct agent *agent, bool is_direct, uint64_t at,
		       struct line_way *way)
{
	unsigned saved;

	if (!queue_is_empty(&agent->in[IN_R2S], at) ||
	    !queue_is_empty(&agent->in[IN_B2S], at) ||
	    !calendar_is_free(&agent->pumps[PUMP_DRS], at, 1))
		return 0;
	way->is_bypassed = is_direct;
	way->is_half_line =
		queue_is_empty(egress_of(agent, way->ring, way->cbox), at) &&
		(way->core < 0 ||
		 queue_is_empty(egress_of(agent, RING_BL, (unsigned)way->core),
				at));
	saved = agent->bypass_cycles * (way->is_bypassed + way->is_half_line);
	return saved < agent->cycles ? saved : agent->cycles;
}

static void count_bypasses(struct agent *agent, const struct packet *packet,
			   const struct line_way *way, uint64_t at)
{
	if (way->is_bypassed)
		link_bypass(&agent->links[LINK_FROM_B], agent->bank,
			    SIG_SBOX_B2S_DRS_BYPASS, at, packet->flits);
	if (way->is_half_line)
		sig_later(agent->bank, SIG_SBOX_HALFLINE_BYPASS, at, 1);
}

/* When a line that may go on from `at` on finds room on its way; then it is not
 * past anybody any more. */
static uint64_t line_from(struct agent *agent, struct line_way *way,
			  uint64_t at)
{
	uint64_t room = egress_from(agent, way->ring, way->cbox, at);

	if (way->core >= 0)
		room = egress_from(agent, RING_BL, (unsigned)way->core,
					 room);
	if (room > at)
		way->is_bypassed = way->is_half_line = false;
	return room;
}

static uint64_t bring_line(struct ex *ex, struct agent *agent,
			   const struct packet *packet, uint64_t at,
			   bool is_direct, int core, uint64_t *core_at)
{
	struct line_way way = {
		.ring = agent->entries[packet->serial].is_nc ? RING_AK
							     : RING_BL,
		.cbox = packet->cbox,
		.core = core,
	};
	unsigned saved = bypass(agent, is_direct, at, &way);
	struct in_visit visit = in_enter(ex, agent, is_direct ? IN_B2S : IN_R2S,
					 packet, at, is_direct);
	uint64_t slice_at;

	visit.ready = queue_in_order(&agent->in[visit.which], visit.at,
				     visit.at + agent->cycles - saved);
	at = calendar_take(&agent->pumps[PUMP_DRS], ex_now(ex),
			   line_from(agent, &way, visit.ready),
			   in_pump_cycles(visit.which));
	in_leave(ex, agent, &visit, at);
	count_bypasses(agent, packet, &way, at);
	slice_at = to_ring(ex, agent, way.ring, way.cbox, at, false);
	if (core >= 0)
		*core_at = to_ring(ex, agent, RING_BL, (unsigned)core, at,
					 true);
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
