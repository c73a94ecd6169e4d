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

static inline void begin_passage(struct passage *passage,
				 const struct packet *packet, unsigned in,
				 unsigned out)
{
	passage->in = (uint8_t)in;
	passage->out = (uint8_t)out;
	passage->cls = packet->cls;
	passage->flits = packet->flits;
}

/* The R-Boxes on the way, from an input port on. From the second link on a
 * packet is on VN1. */
static inline void find_way(struct trip *trip, struct router *router,
			    unsigned in)
{
	const struct packet *packet = trip->packet;
	const struct way *way = &router->entries[in];
	unsigned network = packet->network;
	struct hop *hop = trip->hops;

	begin_hop(hop, router, way, packet, network);
	while ((router = way->next)) {
		const struct way *next = &router->ways[packet->dest];

		assert(hop < trip->hops + ROUTER_HOPS);
		hop++;
		hop->input = way->input;
		hop->passage.network = (uint8_t)network;
		if (way->link && next->link)
			network = 1;
		hop->passage.next_network = (uint8_t)network;
		begin_passage(&hop->passage, packet, way->in, next->out);
		begin_hop(hop, router, next, packet, network);
		way = next;
	}
	trip->last = hop;
}

/* The packet leaves its box, or hub. */
static inline void take_entry(struct trip *trip)
{
	struct hop *hop = trip->hops;
	unsigned in = hop->way->in;
	uint64_t from = hop->start, latency;
	struct stretch sent;

	if (!hop->way->link) {
		lane_set(&hop->way->input->lane, LANE_WIRE, trip->now, from,
			 trip->mask);
		special_revoke(hop->router, in, trip->now, from,
			       from + trip->flits);
		return;
	}
	latency = hop->router->config.link_latency_cycles;
	trip_take_link(trip, hop, &sent);
	special_revoke(hop->router, in, trip->now, sent.from + latency,
		       sent.to + latency);
}

/* The credit for a link is on its way back, in an idle flit of its own if it
 * has to. */
static inline void give_back(const struct trip *trip, const struct hop *hop,
			     const struct link *back, uint64_t at)
{
	if (!link_is_busy(back, ticks_of(at)))
		special_comes(hop->router, hop->way->out, trip->now,
			      hop->need.to);
}

/* Over a link, to another R-Box or to a hub, where nobody counts. Credits that
 * would have gone the same way in idle flits are carried. */
static inline void take_link(struct trip *trip, struct hop *hop,
			     struct stretch *sent)
{
	const struct way *way = hop->way;
	uint64_t window = hop->router->window_cycles;

	trip_take_link(trip, hop, sent);
	if (hop->flight)
		router_note(hop->router, &hop->passage, sent->to);
	if (!way->next) {
		give_back(trip, hop, &hop->router->hub_link,
			  hop->passage.taken);
		return;
	}
	special_revoke(way->next, way->in, trip->now, sent->from + window,
		       sent->to + window);
	give_back(trip, hop, &way->next->ports[way->in].link,
		  hop[1].passage.granted);
}

/* A box gives the credit of its slot back with a packet that it is sending, or
 * in an idle flit. An S-Box says itself when it sends one. */
static inline void take_slot(const struct trip *trip, struct hop *hop,
			     struct stretch *sent)
{
	struct passage *passage = &hop->passage;
	struct router_port *output = hop->way->output;
	uint64_t taken = passage->taken, to = passage->granted + passage->flits;
	unsigned out = passage->out;
	const struct lane *back = &hop->router->ports[out].lane;

	*sent = (struct stretch){ passage->granted, to, 0, 0 };
	if (taken > to || output->held_until > passage->granted) {
		router_publish_late(hop->router, passage);
		sent->to = sent->from;
		output->held_until = ex_later(output->held_until, taken);
	}
	router_note(hop->router, passage, taken);
	if (out != RBOX_PORT_SBOX0 && out != RBOX_PORT_SBOX1 &&
	    !(lane_word(back, LANE_WIRE, taken / 64) >> taken % 64 & 1))
		special_comes(hop->router, out, trip->now, taken);
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

/* The ports, before anything else of a plan: that may move their slots. */
static inline void take_crossbar(struct trip *trip, struct hop *hop)
{
	uint64_t at = hop->passage.granted;
	struct lane *out = &hop->way->output->lane;

	if (!hop->passage.is_plain)
		note_wait(hop->router, &hop->passage, trip->now);
	if (hop->read) {
		hop->read->bits[LANE_READ] |= trip->mask << at % 64;
		hop->crossbar->bits[LANE_CROSSBAR] |= trip->mask << at % 64;
		hop->crossbar->bits[LANE_GRANTS] |= UINT64_C(1) << at % 64;
		return;
	}
	lane_set(&hop->input->lane, LANE_READ, trip->now, at, trip->mask);
	lane_set(out, LANE_CROSSBAR, trip->now, at, trip->mask);
	lane_set(out, LANE_GRANTS, trip->now, at, 1);
}

static inline void describe(struct router_visit *visit,
			    const struct packet *packet)
{
	visit->line = packet->line;
	visit->cls = packet->cls;
	visit->mc = packet->mc;
	visit->opcode = packet->opcode;
	visit->state = packet->state;
	visit->flits = packet->flits;
	visit->source = packet->source;
	visit->dest = packet->dest;
	visit->requester = packet->requester;
	visit->home = packet->home;
}

static inline void keep_visit(const struct trip *trip, const struct hop *hop,
			      const struct stretch *sent, bool is_bid)
{
	const struct passage *passage = &hop->passage;
	uint64_t base = passage->entered;
	struct router *router = hop->router;
	struct router_visit *visit = visits_next(router->visits);

	describe(visit, trip->packet);
	visit->in = passage->in;
	visit->out = passage->out;
	visit->network = passage->network;
	visit->next_network = passage->next_network;
	visit->vn_in = hop[-1].vn;
	visit->vn_out = hop->vn;
	visit->is_bid = is_bid;
	visit->is_in_vain = passage->is_in_vain;
	visit->has_null = hop->way->has_null;
	visit->visit.tell = router_tell;
	visit->visit.last = ex_later(passage->granted + RBOX_MAX_FLITS,
				     ex_later(sent->to, sent->retry_to));
	visit->entered = base;
	visit->table = (uint32_t)(passage->table - base);
	visit->granted = (uint32_t)(passage->granted - base);
	visit->queue_from = (uint32_t)(sent->from - base);
	visit->queue_to = (uint32_t)(sent->to - base);
	visit->retry_from = (uint32_t)(sent->retry_from - base);
	visit->retry_to = (uint32_t)(sent->retry_to - base);
	visits_keep(router->visits);
}

static inline void take_passage(struct trip *trip, struct hop *hop)
{
	struct passage *passage = &hop->passage;
	struct stretch sent;
	bool is_alone;

	if (hop->way->link) {
		take_link(trip, hop, &sent);
	} else {
		hop->vn = hop[-1].vn;
		take_slot(trip, hop, &sent);
	}
	is_alone = passage->is_plain &&
		   router_bids_alone(hop->input, trip->now, passage);
	if (!is_alone)
		router_publish_wait(hop->router, passage);
	keep_visit(trip, hop, &sent, is_alone);
}

struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from)
{
	struct router *router = ex->sockets[socket].router;
	struct router_ride ride;
	struct trip trip;
	struct hop *last;

	assert(packet->flits - 1u < RBOX_MAX_FLITS && packet->network < 2);
	trip.ex = ex;
	trip.packet = packet;
	trip.now = ex_now(ex);
	assert(ready >= trip.now);
	trip.room_from = room_from;
	trip.flits = packet->flits;
	trip.mask = lane_mask(trip.flits);
	find_way(&trip, router, from);
	if (router->has_trouble)
		trip_init_flights(&trip);
	ride = trip_plan(&trip, ready);
	last = trip.last;
	for (struct hop *hop = trip.hops + 1; hop <= last; hop++)
		take_crossbar(&trip, hop);
	take_entry(&trip);
	for (struct hop *hop = trip.hops + 1; hop <= last; hop++)
		take_passage(&trip, hop);
	packet->vn = last->vn;
	return ride;
}
