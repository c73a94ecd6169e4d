/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The way of a packet from box to box. Per R-Box (2.6.1):
 *
 *  - It comes into an input buffer, for which it has a credit, and enters the
 *    queue of its class after the pipeline's cycles. The credit goes back when
 *    it is granted, since room appears as fast as new flits can come: at once
 *    to a box, with the link's latency and the pipeline's to a neighbour.
 *  - In the next cycle at the earliest it is granted its output port. The three
 *    arbitrations are one question: the first cycle from which on the input
 *    port can be read and the crossbar is free for all of its flits, and its
 *    target has room. Who starts first has the first choice; there is no round
 *    robin.
 *  - Over a link it goes by an output queue, which has room if what is in it is
 *    sent soon enough. The next R-Box reads a flit per cycle, faster than they
 *    come: it starts so that the last one is there in time.
 *  - A box gets it with its last flit, or when the box has room.
 *
 * From one link to the next a packet changes over to VN1.
 */
#include <assert.h>

#include "model/nehalem-ex/router_trip.h"

/* The next place in the ring. What nobody has been told yet is told before. */
static inline struct passage *new_passage(struct router *router, uint64_t now)
{
	struct passage *passage =
		&router->passages[router->num_passages % ROUTER_PASSAGES];

	if (!router->is_watched && passage->until > now)
		router_publish(router, passage);
	return passage;
}

static inline void describe(struct passage *hop, const struct packet *packet)
{
	hop->line = packet->line;
	hop->cls = packet->cls;
	hop->mc = packet->mc;
	hop->opcode = packet->opcode;
	hop->state = packet->state;
	hop->flits = packet->flits;
	hop->source = packet->source;
	hop->dest = packet->dest;
	hop->requester = packet->requester;
	hop->home = packet->home;
}

/* The R-Boxes on the way, from an input port on. */
static inline void find_way(struct trip *trip, const struct packet *packet,
			    unsigned socket, unsigned in)
{
	unsigned network = packet->network, num = 0;

	for (;;) {
		struct router *router = trip->ex->sockets[socket].router;
		const struct way *way = &router->ways[packet->dest];
		struct passage *hop = new_passage(router, trip->now);

		assert(num < ROUTER_HOPS);
		trip->routers[num] = router;
		trip->inputs[num] = &router->inputs[in];
		trip->outputs[num] = &router->outputs[way->out];
		trip->hops[num++] = hop;
		describe(hop, packet);
		hop->in = (uint8_t)in;
		hop->out = way->out;
		hop->network = (uint8_t)network;
		if (router_is_qpi(way->out) && router_is_qpi(in))
			network = 1;
		hop->next_network = (uint8_t)network;
		if (way->neighbour < 0)
			break;
		socket = (unsigned)way->neighbour;
		in = way->in;
	}
	trip->num = num;
}

static inline void take_wire(struct trip *trip, uint64_t from)
{
	struct router *router = trip->routers[0];
	unsigned in = trip->hops[0]->in;

	lane_set(&trip->inputs[0]->lane, LANE_WIRE, trip->now, from,
		 trip->flits);
	special_revoke(router, in, from, from + trip->flits);
}

/* The link between two R-Boxes. Credits that would have gone the same way in
 * idle flits are carried; so may this packet's be on its way back. */
static inline void take_link(struct trip *trip, unsigned k)
{
	struct router *router = trip->routers[k], *next = trip->routers[k + 1];
	struct passage *hop = trip->hops[k], *behind = trip->hops[k + 1];
	struct stretch *sent = &hop->sent;

	trip_take_flight(trip, k, sent);
	special_revoke(next, behind->in, sent->from + router->window_cycles,
		       sent->to + router->window_cycles);
	if (!link_is_busy(&next->outputs[behind->in].link,
			  ticks_of(behind->granted)))
		special_comes(router, hop->out, trip->needs[k].to);
	behind->vn_in = hop->vn_out;
	hop->until = ex_later(sent->to, sent->retry_to);
}

/* And that to a hub, where nobody counts. */
static void take_hub_link(struct trip *trip, unsigned k)
{
	struct router *router = trip->routers[k];
	struct passage *hop = trip->hops[k];

	trip_take_flight(trip, k, &hop->sent);
	if (!link_is_busy(&router->hub_link, ticks_of(hop->taken)))
		special_comes(router, hop->out, trip->needs[k].to);
	hop->until = ex_later(hop->sent.to, hop->sent.retry_to);
}

/* A box gives the credit of its slot back with a packet that it is sending, or
 * in an idle flit. An S-Box says itself when it sends one. */
static inline void take_slot(struct trip *trip, unsigned k)
{
	struct router *router = trip->routers[k];
	struct passage *hop = trip->hops[k];
	struct router_output *output = trip->outputs[k];
	const struct lane *back = &router->inputs[hop->out].lane;

	hop->is_behind = output->held_until > hop->granted;
	if (hop->taken > hop->granted + trip->flits &&
	    hop->taken > output->held_until)
		output->held_until = hop->taken;
	hop->vn_out = hop->vn_in;
	hop->until = hop->taken + 1;
	if (hop->out == RBOX_PORT_SBOX0 || hop->out == RBOX_PORT_SBOX1)
		return;
	if (!(lane_peek(back, LANE_WIRE, hop->taken, 1) & 1))
		special_comes(router, hop->out, hop->taken);
}

/* It could not be granted at once. */
static SIG_SLOW void note_wait(struct router *router, struct passage *hop,
			       uint64_t now)
{
	unsigned limit = router->config.starvation_cycles;

	hop->losses = 0;
	hop->starving = 0;
	if (hop->granted == hop->entered + 1)
		return;
	router_publish_losses(router, hop);
	if (hop->granted - hop->entered > limit)
		hop->starving = queue_since(router, hop) + limit;
	queue_note(router, hop, now);
}

static inline void take_crossbar(struct trip *trip, unsigned k)
{
	struct lane *in = &trip->inputs[k]->lane;
	struct lane *out = &trip->outputs[k]->lane;
	uint64_t at = trip->hops[k]->granted;

	lane_set(in, LANE_READ, trip->now, at, trip->flits);
	lane_set(out, LANE_CROSSBAR, trip->now, at, trip->flits);
	lane_set(out, LANE_GRANTS, trip->now, at, 1);
}

static inline void take_passage(struct trip *trip, unsigned k)
{
	struct router *router = trip->routers[k];
	struct passage *hop = trip->hops[k];

	if (!hop->is_plain)
		note_wait(router, hop, trip->now);
	take_crossbar(trip, k);
	if (!router_is_qpi(hop->out))
		take_slot(trip, k);
	else if (k + 1 < trip->num)
		take_link(trip, k);
	else
		take_hub_link(trip, k);
	router->num_passages++;
	if (router->is_watched)
		router_publish(router, hop);
}

struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from)
{
	struct trip trip;
	struct router_ride ride;

	assert(packet->flits - 1u < RBOX_MAX_FLITS && packet->network < 2);
	trip.ex = ex;
	trip.now = ex_now(ex);
	assert(ready >= trip.now);
	trip.room_from = room_from;
	trip.flits = packet->flits;
	trip.cls = packet->cls;
	find_way(&trip, packet, socket, from);
	if (trip.routers[0]->has_trouble)
		trip_init_flights(&trip);
	ride = trip_plan(&trip, ready);
	if (router_is_qpi(from))
		trip_take_entry(&trip);
	else
		take_wire(&trip, ride.entered);
	for (unsigned k = 0; k < trip.num; k++)
		take_passage(&trip, k);
	packet->vn = trip.hops[trip.num - 1]->vn_out;
	ride.arrived = trip.hops[trip.num - 1]->taken;
	ride.credit_at = trip.hops[0]->granted;
	ride.vn = trip.hops[0]->vn_in;
	return ride;
}
