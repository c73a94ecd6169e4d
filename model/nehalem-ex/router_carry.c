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

static inline void describe(struct passage *passage,
			    const struct packet *packet)
{
	passage->line = packet->line;
	passage->cls = packet->cls;
	passage->mc = packet->mc;
	passage->opcode = packet->opcode;
	passage->state = packet->state;
	passage->flits = packet->flits;
	passage->source = packet->source;
	passage->dest = packet->dest;
	passage->requester = packet->requester;
	passage->home = packet->home;
}

static inline void begin_hop(struct hop *hop, struct router *router,
			     const struct way *way, const struct packet *packet,
			     unsigned network)
{
	hop->router = router;
	hop->way = way;
	hop->flight = NULL;
	hop->need.flits = packet->flits;
	hop->need.cls = packet->cls;
	hop->need.network = (uint8_t)network;
}

/* The R-Boxes on the way, from an input port on. From the second link on a
 * packet is on VN1. */
static inline void find_way(struct trip *trip, const struct packet *packet,
			    struct router *router, unsigned in)
{
	const struct way *way = &router->entries[in];
	unsigned network = packet->network;
	struct hop *hop = trip->hops;

	begin_hop(hop, router, way, packet, network);
	while ((router = way->next)) {
		struct passage *passage = new_passage(router, trip->now);

		assert(hop < trip->hops + ROUTER_HOPS);
		(++hop)->input = way->input;
		hop->passage = passage;
		describe(passage, packet);
		passage->in = way->in;
		passage->network = (uint8_t)network;
		if (way->link && router->ways[packet->dest].link)
			network = 1;
		way = &router->ways[packet->dest];
		begin_hop(hop, router, way, packet, network);
		passage->out = way->out;
		passage->next_network = (uint8_t)network;
	}
	trip->num = (unsigned)(hop - trip->hops);
}

/* The packet leaves its box, or hub. */
static inline void take_entry(struct trip *trip)
{
	struct hop *hop = trip->hops;
	struct router *router = hop->router;
	unsigned in = hop[1].passage->in;
	uint64_t from = hop->start, latency;
	struct stretch sent;

	if (!hop->way->link) {
		lane_set(&hop[1].input->lane, LANE_WIRE, trip->now, from,
			 trip->flits);
		special_revoke(router, in, from, from + trip->flits);
		return;
	}
	latency = router->config.link_latency_cycles;
	trip_take_flight(trip, hop, &sent);
	special_revoke(router, in, sent.from + latency, sent.to + latency);
}

/* The credit for a link is on its way back, in an idle flit of its own if it
 * has to. */
static inline void give_back(struct hop *hop, const struct link *back,
			     uint64_t at)
{
	if (!link_is_busy(back, ticks_of(at)))
		special_comes(hop->router, hop->passage->out, hop->need.to);
}

/* Over a link, to another R-Box or to a hub, where nobody counts. Credits that
 * would have gone the same way in idle flits are carried. */
static inline void take_link(struct trip *trip, struct hop *hop, bool is_last)
{
	struct passage *passage = hop->passage, *behind = hop[1].passage;
	struct stretch *sent = &passage->sent;
	unsigned window = hop->router->window_cycles;

	trip_take_flight(trip, hop, sent);
	passage->vn_out = hop->vn;
	passage->until = ex_later(sent->to, sent->retry_to);
	if (is_last) {
		give_back(hop, &hop->router->hub_link, passage->taken);
		return;
	}
	special_revoke(hop[1].router, behind->in, sent->from + window,
		       sent->to + window);
	give_back(hop, &hop[1].router->outputs[behind->in].link,
		  behind->granted);
}

/* A box gives the credit of its slot back with a packet that it is sending, or
 * in an idle flit. An S-Box says itself when it sends one. */
static inline void take_slot(struct trip *trip, struct hop *hop)
{
	struct router *router = hop->router;
	struct passage *passage = hop->passage;
	uint64_t taken = passage->taken;
	unsigned out = passage->out;

	passage->is_behind = hop->way->output->held_until > passage->granted;
	if (taken > passage->granted + trip->flits &&
	    taken > hop->way->output->held_until)
		hop->way->output->held_until = taken;
	passage->vn_out = passage->vn_in;
	passage->until = taken + 1;
	if (out != RBOX_PORT_SBOX0 && out != RBOX_PORT_SBOX1 &&
	    !(lane_peek(&router->inputs[out].lane, LANE_WIRE, taken, 1) & 1))
		special_comes(router, out, taken);
}

/* It could not be granted at once. */
static SIG_SLOW void note_wait(struct router *router, struct passage *passage,
			       uint64_t now)
{
	unsigned limit = router->config.starvation_cycles;

	passage->losses = 0;
	passage->starving = 0;
	if (passage->granted == passage->entered + 1)
		return;
	router_publish_losses(router, passage);
	if (passage->granted - passage->entered > limit)
		passage->starving = queue_since(router, passage) + limit;
	queue_note(router, passage, now);
}

static inline void take_crossbar(struct trip *trip, struct hop *hop)
{
	uint64_t at = hop->passage->granted;
	uint64_t mask = lane_mask(trip->flits) << at % 64;
	uint64_t grant = UINT64_C(1) << at % 64;

	if (hop->read) {
		hop->read->bits[LANE_READ] |= mask;
		hop->crossbar->bits[LANE_CROSSBAR] |= mask;
		hop->crossbar->bits[LANE_GRANTS] |= grant;
		return;
	}
	lane_set(&hop->input->lane, LANE_READ, trip->now, at, trip->flits);
	lane_set(&hop->way->output->lane, LANE_CROSSBAR, trip->now, at,
		 trip->flits);
	lane_set(&hop->way->output->lane, LANE_GRANTS, trip->now, at, 1);
}

static inline void take_passage(struct trip *trip, unsigned k)
{
	struct hop *hop = &trip->hops[k];
	struct passage *passage = hop->passage;

	passage->vn_in = hop[-1].vn;
	if (!passage->is_plain)
		note_wait(hop->router, passage, trip->now);
	take_crossbar(trip, hop);
	if (hop->way->link)
		take_link(trip, hop, k == trip->num);
	else
		take_slot(trip, hop);
	hop->router->num_passages++;
	if (hop->router->is_watched)
		router_publish(hop->router, passage);
}

struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from)
{
	struct router *router = ex->sockets[socket].router;
	struct router_ride ride;
	struct trip trip;

	assert(packet->flits - 1u < RBOX_MAX_FLITS && packet->network < 2);
	trip.ex = ex;
	trip.now = ex_now(ex);
	assert(ready >= trip.now);
	trip.room_from = room_from;
	trip.flits = packet->flits;
	find_way(&trip, packet, router, from);
	if (router->has_trouble)
		trip_init_flights(&trip);
	ride = trip_plan(&trip, ready);
	take_entry(&trip);
	for (unsigned k = 1; k <= trip.num; k++)
		take_passage(&trip, k);
	packet->vn = trip.hops[trip.num].passage->vn_out;
	ride.arrived = trip.hops[trip.num].passage->taken;
	return ride;
}
