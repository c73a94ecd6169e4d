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
 *
 * Mostly nothing is in the way: each R-Box is passed at once and nothing has to
 * be planned, since there is a credit for the next buffer however long it is
 * held. Where that is not so the rest is a trip (router_plan.c).
 */
#include <assert.h>

#include "model/nehalem-ex/router_parts.h"

/* A packet that nothing is in the way of but the link's other packets. */
struct ride {
	struct ex *ex;
	const struct packet *packet;
	uint64_t now, room_from;
	uint64_t mask; /* a bit for each flit */
	unsigned flits, dest, cls;
	bool network;
	struct router *router; /* that it has left, or of the box's socket, */
	const struct way *way; /* by this way, with a credit */
	uint64_t left;	       /* from then on; */
	uint64_t entered;      /* it comes into the next one */
};

/* A passage through an R-Box that can be had at once. */
struct transit {
	struct router *router;
	const struct way *way;
	struct grant_slots slots;
	uint64_t at;	/* it is granted, */
	uint64_t start; /* and begins on the link, in ticks */
	bool is_in_vain;
	bool next_network;
};

bool ports_are_free_far(const struct router_port *in,
			const struct router_port *out, uint64_t entered,
			uint64_t mask, bool *is_in_vain)
{
	uint64_t read = lane_look(&in->lane, LANE_READ, entered);
	uint64_t taken = lane_look(&out->lane, LANE_CROSSBAR, entered) | read;

	*is_in_vain = read & 1;
	return !(taken >> 1 & mask);
}

void ports_take_far(struct router_port *in, struct router_port *out,
		    uint64_t now, uint64_t at, uint64_t mask)
{
	lane_set(&in->lane, LANE_READ, now, at, mask);
	lane_set(&out->lane, LANE_CROSSBAR, now, at, mask);
	lane_set(&out->lane, LANE_GRANTS, now, at, 1);
}

/* The link is not free at once: false: the output queue has no room until the
 * packet is sent. */
static SIG_SLOW bool find_link(const struct router *router,
			       const struct way *way, unsigned flits,
			       uint64_t at, uint64_t *start)
{
	uint64_t others = (uint64_t)(router->config.output_flits - flits) *
			  router->flit_ticks;

	*start = link_find(way->link, ticks_of(at),
			   flits * (uint64_t)router->flit_ticks);
	return *start <= others || cycles_up(*start - others) <= at;
}

/* What is behind the output port: a link to an R-Box, or a box. */
static inline bool is_way_free(const struct ride *ride, struct transit *transit)
{
	const struct way *way = transit->way;
	uint64_t at = transit->at;

	if (!way->link)
		return way->output->held_until <= at &&
		       ride->room_from <= at + ride->flits;
	if (!way->next ||
	    !credits_have(way->credits, ride->now, at, ride->flits))
		return false;
	transit->start = ticks_of(at);
	return link_is_free(way->link, transit->start) ||
	       find_link(transit->router, way, ride->flits, at,
			 &transit->start);
}

/* The buffer that it has come from. */
static inline void free_buffer(const struct ride *ride, uint64_t at,
			       bool is_in_vain)
{
	const struct way *way = ride->way;

	credits_hold(way->credits, ride->left, at + way->back_cycles,
		     ride->flits, router_bid_of(ride->cls, is_in_vain));
	if (way->link)
		router_give_back(ride->router, way, &way->input->link,
				 ride->now, at);
}

/* Returns when the packet enters the next R-Box. */
static inline uint64_t take_link(const struct ride *ride,
				 const struct transit *transit,
				 struct stretch *sent)
{
	const struct router *router = transit->router;
	const struct way *way = transit->way;
	uint64_t window = router->window_cycles;
	uint64_t end =
		transit->start + ride->flits * (uint64_t)router->flit_ticks;

	link_take_behind(way->link, router, transit->start, end, sent);
	special_revoke(way->next, way->input, ride->now, sent->from + window,
		       sent->to + window);
	return cycles_up(end) - ride->flits + way->cycles;
}

static inline void take_slot(const struct ride *ride,
			     const struct transit *transit,
			     struct stretch *sent)
{
	uint64_t at = transit->at, taken = at + ride->flits;

	*sent = (struct stretch){ at, taken, at, at };
	router_note(transit->router, transit->way->out, ride->packet, at,
		    taken);
	router_free_slot(transit->router, transit->way, ride->now, taken);
}

static inline void keep_visit(const struct ride *ride,
			      const struct transit *transit,
			      const struct stretch *sent)
{
	struct router *router = transit->router;
	unsigned how = VISIT_IS_BID | VISIT_TABLE | CREDITS_VNA << VISIT_VN_IN |
		       CREDITS_VNA << VISIT_VN_OUT;

	how |= transit->is_in_vain * VISIT_IN_VAIN |
	       ride->network << VISIT_NETWORK |
	       transit->next_network << VISIT_NEXT_NETWORK;
	visit_at(visit_of(router, ride->way, transit->way, ride->packet, how),
		 ride->entered, transit->at, sent,
		 sent->to + transit->way->told_cycles);
	visits_keep(router->visits);
}

/* Through the next R-Box; false: it cannot be had at once, and nothing has
 * happened. */
static inline bool pass(struct ride *ride)
{
	struct router *router = ride->way->next;
	const struct way *way = &router->ways[ride->dest];
	struct router_port *in = ride->way->input, *out = way->output;
	struct transit transit;
	struct stretch sent;
	uint64_t enters = 0;

	transit.router = router;
	transit.way = way;
	transit.at = ride->entered + 1;
	if (!router_bids_alone(in, ride->entered, ride->cls) ||
	    !ports_are_free(in, out, ride->now, ride->entered, ride->mask,
			    &transit.slots, &transit.is_in_vain) ||
	    !is_way_free(ride, &transit))
		return false;
	transit.next_network = ride->network | (ride->way->link && way->link);
	ports_take(in, out, &transit.slots, ride->now, transit.at, ride->mask);
	free_buffer(ride, transit.at, transit.is_in_vain);
	if (way->link)
		enters = take_link(ride, &transit, &sent);
	else
		take_slot(ride, &transit, &sent);
	keep_visit(ride, &transit, &sent);
	ride->router = router;
	ride->way = way;
	ride->left = transit.at;
	ride->network = transit.next_network;
	ride->entered = enters;
	return true;
}

/* It leaves its box, as soon as the wire is free; false: it is a hub, or has no
 * credit. */
static inline bool leave(struct ride *ride)
{
	const struct way *way = ride->way;
	struct router_port *port = way->input;
	uint64_t from = ride->left;

	if (way->link || ride->router->has_trouble ||
	    !credits_have(way->credits, ride->now, from, ride->flits))
		return false;
	if (from < port->wire_until)
		from = lane_free_from(&port->lane, LANE_WIRE, &port->lane,
				      LANE_WIRE, from, ride->flits);
	router_take_wire(ride->router, port, ride->now, from, ride->flits);
	ride->entered = from + way->cycles;
	return true;
}

/* The rest of it, or all. */
static SIG_SLOW struct router_ride go_on(struct ride from,
					 struct packet *packet, bool has_begun)
{
	struct router_ride rest;
	struct trip trip;
	struct hop *first = trip.hops;

	trip.ex = from.ex;
	trip.packet = packet;
	trip.now = from.now;
	trip.room_from = from.room_from;
	trip.mask = from.mask;
	trip.flits = from.flits;
	trip.has_begun = has_begun;
	trip.has_trouble = from.router->has_trouble;
	first->router = from.router;
	first->way = from.way;
	first->from = from.left;
	first->start = from.entered - from.way->cycles;
	first->end = ticks_of(first->start + from.flits);
	first->passage.next_network = from.network;
	if (trip.has_trouble)
		trip_begin_flights(&trip, from.way);
	rest = trip_plan(&trip, from.left);
	trip_take(&trip);
	packet->vn = trip.last->vn;
	return rest;
}

/* It has gone through some R-Boxes at once, if any, and so has a credit; the
 * first of them would have been in the cycle `credit_at`. */
static SIG_SLOW struct router_ride go_on_from(struct ride from,
					      struct packet *packet,
					      uint64_t sent, uint64_t credit_at)
{
	bool is_first = !from.way->output;
	struct router_ride rest = go_on(from, packet, true);

	rest.entered = sent;
	if (!is_first)
		rest.credit_at = credit_at;
	return rest;
}

struct router_ride router_carry(struct ex *ex, unsigned socket,
				enum rbox_port from, struct packet *packet,
				uint64_t ready, uint64_t room_from)
{
	struct router *router = ex->sockets[socket].router;
	struct ride ride = {
		.ex = ex,
		.packet = packet,
		.now = ex_now(ex),
		.room_from = room_from,
		.mask = lane_mask(packet->flits),
		.flits = packet->flits,
		.dest = packet->dest,
		.cls = packet->cls,
		.network = packet->network,
		.router = router,
		.way = &router->entries[from],
		.left = ready,
	};
	uint64_t sent, credit_at;

	assert(packet->flits - 1u < RBOX_MAX_FLITS && packet->network < 2);
	assert(ready >= ride.now);
	if (!leave(&ride))
		return go_on(ride, packet, false);
	sent = ride.entered - ride.way->cycles;
	credit_at = ride.entered + 1;
	do
		if (!pass(&ride))
			return go_on_from(ride, packet, sent, credit_at);
	while (ride.way->next);
	packet->vn = CREDITS_VNA;
	return (struct router_ride){
		.entered = sent,
		.vn = CREDITS_VNA,
		.credit_at = credit_at,
		.arrived = ride.left + ride.flits,
	};
}
