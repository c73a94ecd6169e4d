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

#include "model/nehalem-ex/router_parts.h"

/* The packet leaves its box, or hub. */
static inline void take_entry(struct trip *trip)
{
	struct hop *hop = trip->hops;
	const struct way *way = hop->way;
	uint64_t from = hop->start, latency;
	struct stretch sent;

	if (!way->link) {
		lane_set(&way->input->lane, LANE_WIRE, trip->now, from,
			 trip->mask);
		special_revoke(hop->router, way->in, trip->now, from,
			       from + trip->flits);
		return;
	}
	latency = hop->router->config.link_latency_cycles;
	if (trip->has_trouble)
		trip_take_flight(trip, hop, &sent);
	else
		link_take(way->link, hop->router, hop->start, hop->end, &sent,
			  NULL);
	special_revoke(hop->router, way->in, trip->now, sent.from + latency,
		       sent.to + latency);
}

/* The credit for a link is on its way back, in an idle flit of its own if it
 * has to. */
static inline void give_back(const struct trip *trip, const struct hop *hop,
			     const struct link *back, uint64_t at)
{
	if (!link_is_busy(back, ticks_of(at)))
		special_comes(hop->router, hop->way->out, trip->now, hop->to);
}

/* Over a link, to another R-Box or to a hub, where nobody counts. Credits that
 * would have gone the same way in idle flits are carried. */
static inline void take_link(struct trip *trip, struct hop *hop,
			     struct stretch *sent)
{
	const struct way *way = hop->way;
	uint64_t window = hop->router->window_cycles;

	if (trip->has_trouble) {
		trip_take_flight(trip, hop, sent);
		router_note(hop->router, way->out, trip->packet,
			    hop->passage.granted, sent->to);
	} else if (hop->passage.is_plain) {
		link_take_cycle(way->link, hop->router, hop->passage.granted,
				hop->end - hop->start, sent);
	} else {
		link_take(way->link, hop->router, hop->start, hop->end, sent,
			  NULL);
	}
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

/* The box, or one before it, is late. */
static SIG_SLOW void hold_slot(struct hop *hop, struct stretch *sent)
{
	struct router_port *output = hop->way->output;
	const struct passage *passage = &hop->passage;

	if (passage->taken == sent->to && output->held_until <= sent->from)
		return;
	router_publish_late(hop->router, passage);
	sent->to = sent->from;
	output->held_until = ex_later(output->held_until, passage->taken);
}

/* A box gives the credit of its slot back with a packet that it is sending, or
 * in an idle flit. An S-Box says itself when it sends one. */
static inline void take_slot(const struct trip *trip, struct hop *hop,
			     struct stretch *sent)
{
	const struct passage *passage = &hop->passage;
	uint64_t taken = passage->taken;
	unsigned out = hop->way->out;
	const struct lane *back = &hop->way->output->lane;

	*sent = (struct stretch){ passage->granted,
				  passage->granted + trip->flits, 0, 0 };
	if (!passage->is_plain)
		hold_slot(hop, sent);
	router_note(hop->router, out, trip->packet, passage->granted, taken);
	if (out != RBOX_PORT_SBOX0 && out != RBOX_PORT_SBOX1 &&
	    !(lane_word(back, LANE_WIRE, taken / 64) >> taken % 64 & 1))
		special_comes(hop->router, out, trip->now, taken);
}

/* It could not be granted at once. */
static SIG_SLOW void note_wait(struct router *router, struct passage *passage,
			       uint64_t now)
{
	unsigned limit = router->config.starvation_cycles;

	if (passage->granted == passage->entered + 1)
		return;
	router_publish_losses(router, passage);
	if (passage->granted - passage->entered > limit)
		passage->starving = queue_since(router, passage) + limit;
	queue_note(router, passage, now);
}

/* The ports, before anything else of a plan: that may move their slots. */
static inline void take_ports(struct trip *trip, struct hop *hop)
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

static inline void keep_visit(const struct trip *trip, const struct hop *hop,
			      const struct stretch *sent, bool is_bid)
{
	const struct passage *passage = &hop->passage;
	uint64_t base = passage->entered;
	struct router *router = hop->router;
	struct router_visit *visit = visits_next(router->visits);

	visit->visit.tell = router_tell;
	visit->visit.last = passage->granted + hop->way->told_cycles;
	if (!passage->is_plain)
		visit->visit.last =
			ex_later(visit->visit.last,
				 ex_later(sent->to, sent->retry_to));
	visit->entered = base;
	visit->packet = *trip->packet;
	visit->sent = *sent;
	visit->table = passage->is_plain ? 0 : (uint32_t)(passage->table - base);
	visit->granted = (uint32_t)(passage->granted - base);
	visit->in = hop[-1].way->in;
	visit->out = hop->way->out;
	visit->network = passage->network;
	visit->next_network = passage->next_network;
	visit->vn_in = hop[-1].vn;
	visit->vn_out = hop->vn;
	visit->is_bid = is_bid;
	visit->is_in_vain = passage->is_in_vain;
	visit->has_null = hop->way->has_null;
	visits_keep(router->visits);
}

/* It holds up levels together with others. */
static SIG_SLOW void publish_wait(struct trip *trip, struct hop *hop)
{
	passage_complete(trip, hop);
	router_publish_wait(hop->router, &hop->passage);
}

static inline void take_passage(struct trip *trip, struct hop *hop)
{
	const struct passage *passage = &hop->passage;
	struct stretch sent;
	bool is_alone;

	if (hop->way->link) {
		take_link(trip, hop, &sent);
	} else {
		hop->vn = hop[-1].vn;
		take_slot(trip, hop, &sent);
	}
	is_alone = passage->is_plain &&
		   router_bids_alone(hop->input, trip->now, passage,
				     trip->packet->cls);
	if (!is_alone)
		publish_wait(trip, hop);
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
	trip.has_trouble = router->has_trouble;
	trip.hops[0].router = router;
	trip.hops[0].way = &router->entries[from];
	trip.hops[0].passage.next_network = packet->network;
	if (router->has_trouble)
		trip_begin_flights(&trip, trip.hops[0].way);
	ride = trip_plan(&trip, ready);
	last = trip.last;
	for (struct hop *hop = trip.hops + 1; hop <= last; hop++)
		take_ports(&trip, hop);
	take_entry(&trip);
	for (struct hop *hop = trip.hops + 1; hop <= last; hop++)
		take_passage(&trip, hop);
	packet->vn = last->vn;
	return ride;
}
